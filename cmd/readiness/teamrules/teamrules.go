// Package teamrules reads the files of --rules, which change rules of the regime and add a team's own, and tests the own rules by the
// models in the files.
package teamrules

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"readiness/cmd/declared"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/ownrules"
)

// Flag adds the flag for rules files.
func Flag(flags *pflag.FlagSet, files *[]string) {
	flags.StringArrayVar(files, "rules", nil, "YAML file that turns rules off, gives them another severity or adds rules of your own; can be repeated")
}

// Rules are what files say.
type Rules struct {
	Regime *readiness.Regime
	files  []*declared.RulesFile
	own    []owned
}

// owned is a rule of a file.
type owned struct {
	ownrules.Definition
	file  *declared.RulesFile
	index int // in the file
}

// Regime returns the current regime with what the files say.
func Regime(files []string) (*readiness.Regime, error) {
	r, err := Read(files)
	if err != nil {
		return nil, err
	}
	return r.Regime, nil
}

// Read reads rules files. Its error names each fault with file, line and column.
func Read(files []string) (*Rules, error) {
	r := &Rules{Regime: readiness.Current()}
	for _, name := range files {
		f, err := declared.ReadRulesFile(name, r.Regime)
		if err != nil {
			return nil, err
		}
		f.File = filepath.ToSlash(name)
		r.files = append(r.files, f)
	}
	return r, r.combine()
}

// Parse reads one rules file from its text.
func Parse(file string, text []byte) (*Rules, error) {
	r := &Rules{Regime: readiness.Current()}
	f, err := declared.ParseRulesFile(file, text, r.Regime)
	if err != nil {
		return nil, err
	}
	r.files = append(r.files, f)
	return r, r.combine()
}

func (r *Rules) combine() error {
	changes := &declared.RulesFile{Changes: map[string]readiness.Setting{}}
	name := ""
	for _, f := range r.files {
		for id, setting := range f.Changes {
			if before, twice := changes.Changes[id]; twice && before != setting {
				return fmt.Errorf("%s: rules.%s: another file says %s, not %s", f.File, id, before, setting)
			}
			changes.Changes[id] = setting
		}
		for i := range f.Own {
			r.own = append(r.own, owned{definition(f, i), f, i})
			if f.Own[i].Dimension == "" {
				continue
			}
			if name != "" && name != f.Name {
				return fmt.Errorf("%s: name: another file with rules in a dimension has the name %q, not %q; give them one", f.File, name, f.Name)
			}
			name = f.Name
		}
	}
	if len(changes.Changes) > 0 {
		custom, err := r.Regime.Customized(changes.Changes)
		if err != nil {
			return fmt.Errorf("%s: rules: %s", r.files[0].File, strings.TrimPrefix(err.Error(), "readiness: "))
		}
		r.Regime = custom
	}
	if len(r.own) == 0 {
		return nil
	}
	set, err := compile(r.own)
	if err != nil {
		return err
	}
	r.Regime, err = r.Regime.WithOwn(name, set)
	return err
}

// definition returns a rule as the domain reads it.
func definition(f *declared.RulesFile, i int) ownrules.Definition {
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

// compile checks rules of files, and reports what is wrong at its place.
func compile(all []owned) (*ownrules.Set, error) {
	definitions := make([]ownrules.Definition, len(all))
	for i, one := range all {
		definitions[i] = one.Definition
	}
	set, problems := ownrules.Compile(definitions, readiness.Current())
	if problems == nil {
		return set, nil
	}
	var files []*declared.RulesFile
	for _, p := range problems {
		one := all[p.Rule]
		one.file.Report(one.index, p.Member, p.Line, p.Column, p.Message)
		if !slices.Contains(files, one.file) {
			files = append(files, one.file)
		}
	}
	return nil, files[0].Failure() // those of other files when these are mended
}

// Own returns the ids of a regime's own rules.
func Own(r *readiness.Regime) (ids []string) {
	for _, one := range r.Rules() {
		if one.Own != nil {
			ids = append(ids, one.ID)
		}
	}
	return ids
}
