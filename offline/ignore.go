package offline

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline/ignore"
)

// Ignores is the content of an ignore file: accepted findings, each with a reason, in a list under the member ignore.
type Ignores struct{ ignore.File }

// maxIgnores bounds an ignore file, in bytes.
const maxIgnores = 1 << 20

// ReadIgnores reads an ignore file; own are the rules of a team that it may name too. Unknown members and rules, and entries without a
// rule or reason, are errors with
// their line.
func ReadIgnores(file string, own ...string) (*Ignores, error) {
	text, err := readFile(file, maxIgnores)
	if err != nil {
		return nil, fmt.Errorf("the ignore file: %w", err)
	}
	parsed, err := ignore.Parse(filepath.ToSlash(file), text, own...)
	if err != nil {
		return nil, err
	}
	return &Ignores{parsed}, nil
}

// Warning is a problem that a person should fix but that fails nothing.
type Warning struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column,omitempty"` // from 1; 0 if it is unknown
	Message string `json:"message"`
}

// String formats the warning as file:line: message, with the column if it is known.
func (w Warning) String() string {
	if w.Column > 0 {
		return fmt.Sprintf("%s:%d:%d: %s", w.File, w.Line, w.Column, w.Message)
	}
	return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Message)
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
	return note{seen: make([]seen, len(g.Entries))}
}

// of returns the file's ignores of an item, and notes which of the names in them the item contains. A nil file has
// none.
func (g *Ignores) of(i Item, n *note, of ...material) ignoring {
	all := ignoring{file: map[int]ignore.Entry{}}
	if g == nil {
		return all
	}
	for at, e := range g.Entries {
		if e.Of(i.Name, i.Shown) {
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

// ofModel returns the ignores of a semantic model: those of the file and of the model's annotations.
func (g *Ignores) ofModel(i Item, n *note, m material, r *readiness.Regime) ignoring {
	all := g.of(i, n, m)
	all.own = ownIgnores(m, n, r)
	return all
}

// ownIgnores returns the ignores in a model's own annotations, and adds warnings about them to n.
func ownIgnores(m material, n *note, r *readiness.Regime) []ignore.Entry {
	return ignore.OfModel(m.m, m.at.model, OwnRules(r), func(src semanticmodel.Source, message string) {
		n.warnings = append(n.warnings, Warning{m.at.file(src.File), max(src.Line, 1), 0, message})
	})
}

// warnings returns the warnings of all items, and of entries of the file that have no effect. If an item could not be
// read, no entry is reported as unused.
func (g *Ignores) warnings(notes []note) []Warning {
	var all []Warning
	var of []seen
	if g != nil {
		of = make([]seen, len(g.Entries))
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
	file map[int]ignore.Entry
	own  []ignore.Entry
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
		if e := g.file[i]; e.Matches(rule, key) {
			reasons, entries = append(reasons, e.Reason), append(entries, i)
		}
	}
	for _, e := range g.own {
		if e.Matches(rule, key) {
			reasons = append(reasons, e.Reason)
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
		e := g.Entries[i]
		var message string
		switch {
		case s.used:
			continue
		case !s.model:
			message = fmt.Sprintf("there is no model %q", *e.Model)
		case !s.table:
			message = fmt.Sprintf("no model has a table %q", *e.Table)
		case !s.object:
			message = fmt.Sprintf("no model has an object %q there", *e.Object)
		default:
			message = fmt.Sprintf("rule %s no longer finds anything there; remove the entry", e.Rule)
		}
		warnings = append(warnings, Warning{g.Path, e.Line, 0, message})
	}
	return warnings
}

// look records which names of the entry exist in the model.
func (s *seen) look(e ignore.Entry, names modelNames) {
	s.model = true
	tables := slices.Sorted(maps.Keys(names))
	if e.Table != nil {
		tables = []string{strings.ToLower(*e.Table)}
	}
	for _, t := range tables {
		objects, held := names[t]
		if !held {
			continue
		}
		s.table = true
		if e.Object == nil || objects[strings.ToLower(*e.Object)] {
			s.object = true
		}
	}
}

// modelNames holds the names of objects by table, all in lower case. The table "" holds objects without a table.
type modelNames map[string]map[string]bool
