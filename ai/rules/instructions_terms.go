package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
)

func (f *facts) aboutTerms() []string {
	return append(f.synonyms(), f.spelledOut()...)
}

// mostSynonyms is how many terms that people gave to fields the instructions repeat.
const mostSynonyms = 12

// synonyms returns lines for the terms that people gave to fields: those of one field only that say more than its name, and
// that no name in the model has.
func (f *facts) synonyms() []string {
	meant := map[string][]string{} // the lines of a term
	note := func(table, name, term string) {
		x := f.find(table, name)
		if x == nil || !prose.Mentionable(term) || strings.ContainsAny(term, "[]'\"") {
			return
		}
		written := f.written(x)
		if x.measure != nil {
			written = f.bracketed(x)
		}
		words := prose.Words(term)
		if !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(x.words, w) }) {
			return // the name says it
		}
		key := strings.Join(words, " ")
		if line := "\"" + term + "\" means " + written + "."; written != "" && key != "" && !slices.Contains(meant[key], line) {
			meant[key] = append(meant[key], line)
		}
	}
	if s := f.src.Copilot.Schema; s != nil {
		for _, t := range s.Tables {
			for _, x := range slices.Concat(t.Columns, t.Measures) {
				for _, term := range x.Synonyms {
					note(t.Name, x.Name, term)
				}
			}
		}
	}
	for _, c := range f.src.Cultures {
		for _, e := range c.Entities {
			for _, t := range e.Terms {
				if !e.OfHierarchy && (t.State == "" || t.State == "Authored" || t.State == "User") {
					note(e.Table, e.Property, t.Text)
				}
			}
		}
	}
	borne := f.names()
	var lines []string
	for key, of := range meant {
		if len(of) == 1 && !borne[key] {
			lines = append(lines, of[0])
		}
	}
	slices.Sort(lines)
	return lines[:min(len(lines), mostSynonyms)]
}

// names returns the words of the names of all tables, columns and measures.
func (f *facts) names() prose.Set {
	all := prose.Set{}
	for _, t := range f.tables {
		all[strings.Join(prose.Words(t.src.Name), " ")] = true
		for _, x := range t.fields() {
			all[strings.Join(x.words, " ")] = true
		}
	}
	return all
}

// aboutGroups returns lines that name every calculation group and field parameter (rule INS-06).
func (f *facts) aboutGroups() []string {
	var lines []string
	for _, t := range f.tables {
		if t.role != calculationGroup && t.role != fieldParameter || !slices.ContainsFunc(t.fields(), f.wantedThen) ||
			strings.ContainsAny(t.src.Name, "[]") || strings.TrimSpace(t.src.Name) == "" {
			continue
		}
		name := prose.OneLine(t.src.Name) // in any length, because the rule looks for it
		if t.role == fieldParameter {
			lines = append(lines, name+" is a field parameter for visuals of reports; do not use it in a query.")
			continue
		}
		line := name + " is a calculation group"
		if x := t.itemColumn(); x != nil && f.written(x) != "" && len(t.src.CalculationGroup.Items) > 1 {
			line += ": filter " + f.written(x) + " to one item to "
			if t.modifies() {
				line += "apply it to a measure"
			} else {
				line += "show it in place of a measure"
			}
		}
		if items := prose.Mentions(itemNames(t)); len(items) > 0 {
			line += map[bool]string{true: "; its only item is ", false: "; its items are "}[len(items) == 1] + prose.List(items, 10)
		}
		if others := prose.Mentions(t.replacing()); t.mixed() && len(others) > 0 {
			line += ", of which " + prose.List(others, 10) + " " + map[bool]string{true: "takes", false: "take"}[len(others) == 1] + " the place of the measure"
		}
		lines = append(lines, line+".")
	}
	return lines
}
