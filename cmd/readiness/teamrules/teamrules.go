// Package teamrules reads the files of --rules, which change rules of the regime and add a team's own, and tests the own rules by the
// models in the files.
package teamrules

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"readiness/cmd/declared"
	"readiness/domain/readiness"
	"readiness/domain/readiness/ownrules"
	"readiness/offline"
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

func (r *Rules) combine() (err error) {
	for _, f := range r.files {
		for i := range f.Own {
			r.own = append(r.own, owned{f.Definition(i), f, i})
		}
	}
	_, r.Regime, err = declared.Combine(r.files, r.Regime)
	return err
}

// Rule is a rule of a file, as rules show explains it.
type Rule struct {
	readiness.PublishedRule
	Scope, When, Message string
	Tests                int
}

// Rule returns a rule of the files; nil if there is none with the id.
func (r *Rules) Rule(id string) *Rule {
	for _, one := range r.own {
		if one.ID == id {
			published, _ := r.Regime.Rule(id)
			return &Rule{published, one.Definition.Scope, one.When, one.Message, len(one.file.Own[one.index].Tests)}
		}
	}
	return nil
}

// JSON returns the rule as it is written in JSON.
func (r *Rule) JSON() any {
	return struct {
		*readiness.OwnRule
		Scope   string `json:"scope"`
		When    string `json:"when"`
		Message string `json:"message"`
		Tests   int    `json:"tests"`
	}{r.Own, r.Scope, r.When, r.Message, r.Tests}
}

// Default is the file that an editor's folder has rules in.
const Default = "readiness-rules.yaml"

// Watched returns a function that reads rules files again when they changed: those of files, else the default one of a folder. What is
// wrong in them is a warning, and then the last rules that were right are used.
func Watched(files []string) func(root string) (*readiness.Regime, []offline.Warning) {
	last, known, faults := readiness.Current(), "", []offline.Warning(nil)
	return func(root string) (*readiness.Regime, []offline.Warning) {
		names := files
		if at := filepath.Join(root, Default); len(files) == 0 {
			if _, err := os.Stat(at); err == nil {
				names = []string{at}
			}
		}
		var now strings.Builder
		for _, name := range names {
			text, err := declared.Read(name)
			fmt.Fprintf(&now, "%s %x %v\n", name, sha256.Sum256(text), err)
		}
		if now.String() == known {
			return last, faults
		}
		known = now.String()
		regime, err := Regime(names)
		if faults = warnings(root, names, err); err == nil {
			last = regime
		}
		return last, faults
	}
}

// warnings are the faults of files, with paths below root.
func warnings(root string, files []string, err error) (all []offline.Warning) {
	if err == nil {
		return nil
	}
	below := func(name string) string {
		if at, err := filepath.Rel(root, name); err == nil {
			name = at
		}
		return filepath.ToSlash(name)
	}
	faults := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		faults = joined.Unwrap()
	}
	for _, fault := range faults {
		if at, ok := errors.AsType[*declared.Error](fault); ok {
			all = append(all, offline.Warning{File: below(at.File), Line: max(at.Line, 1), Column: at.Column, Message: at.Member + ": " + at.Message})
			continue
		}
		all = append(all, offline.Warning{File: below(files[0]), Line: 1, Message: fault.Error()})
	}
	return all
}
