package offline

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/rules/instructions"
)

// everyRule matches all rules.
const everyRule = "*"

// Ignores is the content of an ignore file: accepted findings, each with a reason, in a list under the member ignore.
type Ignores struct {
	// File is the path as given.
	File    string
	entries []ignore
}

// ignore is one entry. A nil member matches anything.
type ignore struct {
	rule, reason         string
	model, table, object *string
	// source is the id of the data agent's source whose annotation this is.
	source string
	line   int
}

// Warning is a problem that a person should fix but that fails nothing.
type Warning struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// String formats the warning as file:line: message.
func (w Warning) String() string { return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Message) }

// ruleIDs lists the rules of the current regime.
var ruleIDs = IdsOf(readiness.Current())

func knownRule(id string) bool { return id == everyRule || slices.Contains(ruleIDs, id) }

// UnknownRule says that none of the ids is id.
func UnknownRule(ids []string, id string) string {
	closest := slices.MinFunc(ids, func(a, b string) int {
		return cmp.Compare(levenshtein.ComputeDistance(a, strings.ToUpper(id)), levenshtein.ComputeDistance(b, strings.ToUpper(id)))
	})
	return fmt.Sprintf("there is no rule %q; the closest is %s", id, closest)
}

// matches reports whether the entry covers a rule's finding about an object.
func (g ignore) matches(rule string, key finding.Key) bool {
	return (g.rule == everyRule || g.rule == rule) && (g.source == "" || g.source == key.SourceModelID) && same(g.table, key.Table) &&
		(g.object == nil || sameObject(*g.object, key.ObjectName, rule))
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

// of reports whether the entry applies to the item.
func (g ignore) of(i Item) bool {
	if g.model == nil {
		return true
	}
	folder := path.Base(i.Shown)
	return slices.ContainsFunc([]string{i.Name, i.Shown, folder, strings.TrimSuffix(folder, path.Ext(folder))}, func(name string) bool {
		return strings.EqualFold(name, *g.model)
	})
}

// note collects what one item contributes to the warnings and to the checks across models.
type note struct {
	seen     []seen // by the file's entries
	warnings []Warning
	// traced is nil if the item is not compared with others.
	traced *traced
	// unread is true if the item cannot be read, so its content is unknown.
	unread bool
}

func (g *Ignores) newNote() note {
	if g == nil {
		return note{}
	}
	return note{seen: make([]seen, len(g.entries))}
}

// of returns the file's ignores of an item, and notes which of the names in them the item contains. A nil file has
// none.
func (g *Ignores) of(i Item, n *note, of ...material) ignoring {
	all := ignoring{file: map[int]ignore{}}
	if g == nil {
		return all
	}
	for at, e := range g.entries {
		if e.of(i) {
			all.file[at] = e
			n.seen[at].model = true
			if len(of) == 0 { // the content of an agent without models is unknown
				n.seen[at].table, n.seen[at].object = true, true
			}
			for _, one := range of {
				n.seen[at].look(e, one.at.names)
			}
		}
	}
	return all
}

// ofModel returns the ignores of a semantic model: those of the file and of its own annotations.
func (g *Ignores) ofModel(i Item, n *note, m material) ignoring {
	all := g.of(i, n, m)
	own, warnings := annotated(m.m, m.at)
	all.own, n.warnings = own, append(n.warnings, warnings...)
	return all
}

// warnings returns the warnings of all items, and of entries of the file that have no effect. If an item could not be
// read, no entry is reported as unused.
func (g *Ignores) warnings(notes []note) []Warning {
	var all []Warning
	var of []seen
	if g != nil {
		of = make([]seen, len(g.entries))
	}
	for _, one := range notes {
		for _, w := range one.warnings {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
		for i, seen := range one.seen {
			of[i].model = of[i].model || seen.model
			of[i].table = of[i].table || seen.table
			of[i].object = of[i].object || seen.object
			of[i].used = of[i].used || seen.used || one.unread
		}
	}
	if g != nil {
		all = append(all, g.unused(of)...)
	}
	return all
}

// ignoring holds the ignores of one item: those of the file, by index, and its own.
type ignoring struct {
	file map[int]ignore
	own  []ignore
}

func (g ignoring) none() bool { return len(g.file)+len(g.own) == 0 }

// options returns the options of an assessment that excludes what is ignored.
func (g ignoring) options() readiness.Options {
	if g.none() {
		return readiness.Options{}
	}
	return readiness.Options{Ignore: g.matches}
}

// ignored returns the findings of an assessment of only what is ignored, without places. It marks the entries that they
// match as used.
func (g ignoring) ignored(n *note, assess func(readiness.Options) readiness.Result) []Ignored {
	if g.none() {
		return nil
	}
	var all []Ignored
	for _, f := range assess(readiness.Options{Ignore: func(rule string,
		key finding.Key) bool {
		return !g.matches(rule, key)
	}}).Findings {
		var reasons []string
		for _, rule := range f.RuleIDs {
			why, entries := g.why(rule, f.Key)
			for _, e := range entries {
				n.seen[e].used = true
			}
			for _, reason := range why {
				if !slices.Contains(reasons, reason) {
					reasons = append(reasons, reason)
				}
			}
		}
		all = append(all, Ignored{Finding{Finding: f}, strings.Join(reasons, "; ")})
	}
	return all
}

// matches reports whether a rule's finding about an object is ignored.
func (g ignoring) matches(rule string, key finding.Key) bool {
	reasons, _ := g.why(rule, key)
	return reasons != nil
}

// why returns the reasons for ignoring a rule's finding about an object, and the indexes of the file's entries with
// these reasons.
func (g ignoring) why(rule string, key finding.Key) (reasons []string, entries []int) {
	for _, i := range slices.Sorted(maps.Keys(g.file)) {
		if e := g.file[i]; e.matches(rule, key) {
			reasons, entries = append(reasons, e.reason), append(entries, i)
		}
	}
	for _, e := range g.own {
		if e.matches(rule, key) {
			reasons = append(reasons, e.reason)
		}
	}
	return reasons, entries
}

// seen records which names of an entry exist in the items.
type seen struct{ model, table, object, used bool }

// unused returns a warning for each entry that names something missing or that ignores nothing.
func (g *Ignores) unused(of []seen) []Warning {
	var warnings []Warning
	for i, s := range of {
		e := g.entries[i]
		var message string
		switch {
		case s.used:
			continue
		case !s.model:
			message = fmt.Sprintf("there is no model %q", *e.model)
		case !s.table:
			message = fmt.Sprintf("no model has a table %q", *e.table)
		case !s.object:
			message = fmt.Sprintf("no model has an object %q there", *e.object)
		default:
			message = fmt.Sprintf("rule %s no longer finds anything there; remove the entry", e.rule)
		}
		warnings = append(warnings, Warning{g.File, e.line, message})
	}
	return warnings
}

// look records which names of the entry exist in the model.
func (s *seen) look(e ignore, names modelNames) {
	s.model = true
	tables := slices.Sorted(maps.Keys(names))
	if e.table != nil {
		tables = []string{strings.ToLower(*e.table)}
	}
	for _, t := range tables {
		objects, held := names[t]
		if !held {
			continue
		}
		s.table = true
		if e.object == nil || objects[strings.ToLower(*e.object)] {
			s.object = true
		}
	}
}

// modelNames holds the names of objects by table, all in lower case. The table "" holds objects without a table.
type modelNames map[string]map[string]bool

// IdsOf returns the ids of a regime's rules.
func IdsOf(r *readiness.Regime) []string {
	var ids []string
	for _, one := range r.Rules() {
		ids = append(ids, one.ID)
	}
	return ids
}
