package declared

import (
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"readiness/domain/account"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/ownrules"
)

// maxRulesBytes is the largest file that ReadRulesFile accepts, in bytes.
const maxRulesBytes = 256 << 10

// The rules file as written.
type (
	rulesFileDoc struct {
		Rules   map[string]string `yaml:"rules"`
		Version *int              `yaml:"version"`
		Name    string            `yaml:"name"`
		Own     []OwnRule         `yaml:"own"`
	}
	// OwnRule is a rule of a team, as written.
	OwnRule struct {
		ID        string    `yaml:"id"`
		Title     string    `yaml:"title"`
		Scope     string    `yaml:"scope"`
		When      string    `yaml:"when"`
		Message   string    `yaml:"message"`
		Severity  string    `yaml:"severity"`
		Effort    string    `yaml:"effort"`
		Why       string    `yaml:"why"`
		Fix       string    `yaml:"fix"`
		Dimension string    `yaml:"dimension"`
		Weight    *int      `yaml:"weight"`
		Tests     []OwnTest `yaml:"tests"`
	}
	// OwnTest is a model, and the objects in it that violate the rule.
	OwnTest struct {
		Name     string   `yaml:"name"`
		TMDL     string   `yaml:"tmdl"`
		Violated []string `yaml:"violated"`
	}
)

// RulesFile is a rules file: changes of the regime's rules, and rules of a team's own.
type RulesFile struct {
	File string
	// Name is what the team calls its rules; "" if the file has none.
	Name    string
	Changes map[string]readiness.Setting
	Own     []OwnRule
	d       *decoder
}

// teamName is the form of a file's name.
var teamName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// Weights of a rule in its dimension.
const (
	minWeight = 1
	maxWeight = 5
)

// efforts are how long it takes to mend one object.
var efforts = []string{"minutes", "hour", "days"}

// ParseRulesFile reads a rules file. On failure it returns nil and an error like Parse's.
func ParseRulesFile(file string, src []byte, of *readiness.Regime) (*RulesFile, error) {
	var doc rulesFileDoc
	d := &decoder{file: file}
	if len(src) > maxRulesBytes {
		d.report("", fmt.Sprintf("the file has %d bytes or more; at most %d are read", len(src), maxRulesBytes))
		return nil, d.failure()
	}
	if d = decode(file, src, &doc); len(d.problems) > 0 {
		return nil, d.failure()
	}
	f := &RulesFile{File: file, Name: doc.Name, Changes: map[string]readiness.Setting{}, Own: doc.Own, d: d}
	if len(doc.Rules)+len(doc.Own) == 0 {
		d.report("rules", "must name at least one rule, such as NAM-01: off, or a rule of your own below the member own")
	}
	if doc.Version != nil && *doc.Version != 1 {
		d.report("version", fmt.Sprintf("must be 1, not %d", *doc.Version))
	}
	if doc.Name != "" && !teamName.MatchString(doc.Name) {
		d.report("name", fmt.Sprintf("must be at most 32 lower-case letters, digits and hyphens, a letter first, not %q", doc.Name))
	}
	f.changes(doc.Rules, of)
	for i := range f.Own {
		f.own(i, of)
	}
	if len(d.problems) > 0 {
		return nil, d.failure()
	}
	return f, nil
}

func (f *RulesFile) changes(written map[string]string, of *readiness.Regime) {
	var ids, settings []string
	for _, r := range of.Rules() {
		ids = append(ids, r.ID)
	}
	for _, s := range readiness.Settings() {
		settings = append(settings, string(s))
	}
	for _, id := range slices.Sorted(maps.Keys(written)) {
		setting := written[id]
		switch {
		case !slices.Contains(ids, id):
			f.d.report(join("rules", id), fmt.Sprintf("%s has no such rule; %s", of.ID, suggest(id, ids)))
		case !slices.Contains(settings, setting):
			f.d.reportProblem("rules", account.Problem{Member: id,
				Message: fmt.Sprintf("must be one of %s, not %q", strings.Join(settings, ", "), setting), Value: setting, Known: settings})
		}
		f.Changes[id] = readiness.Setting(setting)
	}
}

// own checks what needs no expressions, and fills in defaults.
func (f *RulesFile) own(i int, of *readiness.Regime) {
	one, path := &f.Own[i], fmt.Sprintf("own[%d]", i)
	choice := func(member string, value *string, or string, among ...string) {
		if *value == "" {
			*value = or
		}
		if !slices.Contains(among, *value) {
			f.d.report(join(path, member), fmt.Sprintf("must be one of %s, not %q", strings.Join(among, ", "), *value))
		}
	}
	needed := [][2]string{{"id", one.ID}, {"title", one.Title}, {"scope", one.Scope}, {"when", one.When}, {"message", one.Message}}
	for _, member := range needed {
		if strings.TrimSpace(member[1]) == "" {
			f.d.report(join(path, member[0]), "is missing")
		}
	}
	choice("severity", &one.Severity, "medium", "low", "medium", "high")
	choice("effort", &one.Effort, efforts[0], efforts...)
	if one.Dimension != "" {
		choice("dimension", &one.Dimension, "", of.Dimensions()...)
		if f.Name == "" {
			f.d.report("name", "is missing: scores of rules in a dimension are told apart by it")
		}
	}
	switch {
	case one.Weight != nil && one.Dimension == "":
		f.d.report(join(path, "weight"), "needs a dimension: without one the rule is outside of the score")
	case one.Weight == nil:
		one.Weight = new(minWeight)
	case *one.Weight < minWeight || *one.Weight > maxWeight:
		f.d.report(join(path, "weight"), fmt.Sprintf("must be %d to %d, not %d", minWeight, maxWeight, *one.Weight))
	}
	for n, t := range one.Tests {
		if strings.TrimSpace(t.TMDL) == "" {
			f.d.report(fmt.Sprintf("%s.tests[%d].tmdl", path, n), "is missing")
		}
	}
}

// Line returns the line of a rule of the team.
func (f *RulesFile) Line(rule int) int { return f.d.positions[fmt.Sprintf("own[%d]", rule)].Line }

// LineOfTest returns the line of a test of a rule.
func (f *RulesFile) LineOfTest(rule, test int) int {
	return f.d.positions[fmt.Sprintf("own[%d].tests[%d]", rule, test)].Line
}

// report adds a problem of a rule of the team: of a member, at a line and column of its text; 0 for the member itself.
func (f *RulesFile) report(rule int, member string, line, column int, message string) {
	path := fmt.Sprintf("own[%d]", rule)
	if member != "" {
		path = join(path, member)
	}
	if line == 0 {
		f.d.report(path, message)
		return
	}
	f.d.reportIn(path, line, column, message)
}

// Definition returns a rule of the team as the domain reads it.
func (f *RulesFile) Definition(i int) ownrules.Definition {
	one := f.Own[i]
	d := ownrules.Definition{Scope: one.Scope, When: one.When, Message: one.Message, OwnRule: readiness.OwnRule{
		ID: one.ID, Title: strings.TrimSuffix(strings.TrimSpace(one.Title), "."), Why: strings.TrimSpace(one.Why), Fix: strings.TrimSpace(one.Fix),
		Effort: one.Effort, Severity: finding.Severity(one.Severity), Dimension: one.Dimension, File: f.File, Line: f.Line(i),
	}}
	if one.Dimension != "" {
		d.Weight = float64(*one.Weight)
	}
	return d
}

// Combine returns what rules files say together, and the regime that it makes of another. Its error names each fault with file, line
// and column.
func Combine(files []*RulesFile, of *readiness.Regime) (w ownrules.Written, made *readiness.Regime, err error) {
	type place struct {
		file  *RulesFile
		index int
	}
	var places []place
	w.Changes = map[string]readiness.Setting{}
	for _, f := range files {
		for id, setting := range f.Changes {
			if before, twice := w.Changes[id]; twice && before != setting {
				return w, nil, fmt.Errorf("%s: rules.%s: another file says %s, not %s", f.File, id, before, setting)
			}
			w.Changes[id] = setting
		}
		for i := range f.Own {
			w.Own, places = append(w.Own, f.Definition(i)), append(places, place{f, i})
			if f.Own[i].Dimension == "" {
				continue
			}
			if w.Name != "" && w.Name != f.Name {
				return w, nil, fmt.Errorf("%s: name: another file with rules in a dimension has the name %q, not %q; give them one", f.File, w.Name, f.Name)
			}
			w.Name = f.Name
		}
	}
	made, problems, err := w.Regime(of)
	if err != nil {
		files[0].d.report("rules", strings.TrimPrefix(err.Error(), "readiness: "))
		return w, nil, files[0].d.failure()
	}
	for _, p := range problems {
		one := places[p.Rule]
		one.file.report(one.index, p.Member, p.Line, p.Column, p.Message)
	}
	for _, f := range files { // those of the others when these are mended
		if err := f.d.failure(); err != nil {
			return w, nil, err
		}
	}
	return w, made, nil
}

// ReadRulesFile reads the rules file at a path.
func ReadRulesFile(path string, of *readiness.Regime) (*RulesFile, error) {
	src, err := Read(path)
	if err != nil {
		return nil, err
	}
	return ParseRulesFile(path, src, of)
}

// ParseRules reads a rules file, which turns rules of the regime off or gives them another severity, and returns the
// regime with these changes. On failure it returns nil and an error like Parse's.
func ParseRules(file string, src []byte, of *readiness.Regime) (*readiness.Regime, error) {
	f, err := ParseRulesFile(file, src, of)
	if err != nil {
		return nil, err
	}
	if len(f.Own) > 0 {
		f.d.report("own", "a team's own rules belong to an account: name the file in the accounts file, as rules of the account")
		return nil, f.d.failure()
	}
	return f.Customize(of)
}

// Customize returns the regime with the changes of its rules.
func (f *RulesFile) Customize(of *readiness.Regime) (*readiness.Regime, error) {
	custom, err := of.Customized(f.Changes)
	if err != nil {
		f.d.report("rules", strings.TrimPrefix(err.Error(), "readiness: "))
		return nil, f.d.failure()
	}
	return custom, nil
}

// RulesFlag adds the flag for a rules file.
func RulesFlag(flags *pflag.FlagSet, file *string) {
	flags.StringVar(file, "rules", "", "YAML file that turns rules off or gives them another severity")
}

// ReadRules returns the regime with the changes of a rules file; without a path, the regime itself.
func ReadRules(path string, of *readiness.Regime) (*readiness.Regime, error) {
	if path == "" {
		return of, nil
	}
	src, err := Read(path)
	if err != nil {
		return nil, err
	}
	return ParseRules(path, src, of)
}

// Read reads a file, but at most one byte more than the parsers accept.
func Read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return src, nil
}
