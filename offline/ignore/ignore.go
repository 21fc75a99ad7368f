// Package ignore is the findings that people accept: entries of an ignore file and annotations of a model, each with a
// reason, and how to write them. It does not know which findings there are.
package ignore

import (
	"path"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/rules/instructions"
	"readiness/offline/rulehelp"
)

// everyRule matches all rules.
const everyRule = "*"

// Entry accepts findings. A nil member matches anything.
type Entry struct {
	Rule, Reason         string
	Model, Table, Object *string
	// Source is the id of the data agent's source whose annotation this is.
	Source string
	Line   int
}

// Matches reports whether the entry covers a rule's finding about an object.
func (e Entry) Matches(rule string, key finding.Key) bool {
	return (e.Rule == everyRule || e.Rule == rule) && (e.Source == "" || e.Source == key.SourceModelID) && same(e.Table, key.Table) &&
		(e.Object == nil || sameObject(*e.Object, key.ObjectName, rule))
}

func same(want *string, name string) bool { return want == nil || strings.EqualFold(*want, name) }

// sameObject compares names as the engine does, ignoring letter case. The finding about the entire model is named "#"
// and the rule, or as else readiness.ModelNames says; a file may write "#" for all of these.
func sameObject(want, name, rule string) bool {
	return strings.EqualFold(want, name) || strings.HasPrefix(want, "#") && namesModel(want, rule) && namesModel(name, rule)
}

func namesModel(name, rule string) bool {
	return name == "#" || slices.ContainsFunc(instructions.ModelNames(rule), func(one string) bool { return strings.EqualFold(one, name) })
}

// Of reports whether the entry applies to the item with the name, whose path is shown relative to the root.
func (e Entry) Of(name, shown string) bool {
	if e.Model == nil {
		return true
	}
	folder := path.Base(shown)
	return slices.ContainsFunc([]string{name, shown, folder, strings.TrimSuffix(folder, path.Ext(folder))}, func(one string) bool {
		return strings.EqualFold(one, *e.Model)
	})
}

// ruleIDs lists the rules of the current regime.
var ruleIDs = rulehelp.IDs(readiness.Current())

// knownRule reports whether an entry may name a rule; own are the rules of a team.
func knownRule(id string, own []string) bool {
	return id == everyRule || slices.Contains(ruleIDs, id) || slices.Contains(own, id)
}
