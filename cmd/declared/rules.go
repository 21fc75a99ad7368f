package declared

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"readiness/domain/account"
	"readiness/domain/readiness"
)

// maxRulesBytes is the largest file that ParseRules accepts, in bytes.
const maxRulesBytes = 64 << 10

// rulesFileDoc is the rules file as written.
type rulesFileDoc struct {
	Rules map[string]string `yaml:"rules"`
}

// ParseRules reads a rules file, which turns rules of the regime off or gives them another severity, and returns the
// regime with these changes. On failure it returns nil and an error like Parse's.
func ParseRules(file string, src []byte, of *readiness.Regime) (*readiness.Regime, error) {
	var doc rulesFileDoc
	d := &decoder{file: file}
	if len(src) > maxRulesBytes {
		d.report("", fmt.Sprintf("the file has %d bytes or more; at most %d are read", len(src), maxRulesBytes))
		return nil, d.failure()
	}
	if d = decode(file, src, &doc); len(d.problems) > 0 {
		return nil, d.failure()
	}
	if len(doc.Rules) == 0 {
		d.report("rules", "must name at least one rule, such as NAM-01: off")
	}
	var ids, settings []string
	for _, r := range of.Rules() {
		ids = append(ids, r.ID)
	}
	for _, s := range readiness.Settings() {
		settings = append(settings, string(s))
	}
	changes := map[string]readiness.Setting{}
	for _, id := range slices.Sorted(maps.Keys(doc.Rules)) {
		setting := doc.Rules[id]
		switch {
		case !slices.Contains(ids, id):
			d.report(join("rules", id), fmt.Sprintf("%s has no such rule; %s", of.ID, suggest(id, ids)))
		case !slices.Contains(settings, setting):
			d.reportProblem("rules", account.Problem{Member: id,
				Message: fmt.Sprintf("must be one of %s, not %q", strings.Join(settings, ", "), setting), Value: setting, Known: settings})
		}
		changes[id] = readiness.Setting(setting)
	}
	if len(d.problems) > 0 {
		return nil, d.failure()
	}
	custom, err := of.Customized(changes)
	if err != nil {
		d.report("rules", strings.TrimPrefix(err.Error(), "readiness: "))
		return nil, d.failure()
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
