package rules

import (
	"slices"
	"strings"
)

func (f *facts) aboutTerms() []string {
	lines := f.synonyms()
	var short []string
	for _, x := range f.allFields() {
		if !x.exposed {
			continue
		}
		for _, w := range x.words {
			full := abbreviations[w]
			if full == "" || slices.Contains(ordinaryWords, w) {
				continue
			}
			if line := strings.ToUpper(w) + " means " + full; !slices.Contains(short, line) && len(short) < 8 {
				short = append(short, line)
			}
		}
	}
	for _, s := range short {
		lines = append(lines, s+".")
	}
	star := slices.ContainsFunc(f.tables, func(t *table) bool { return t.role == fact })
	for _, t := range f.tables {
		if len(lines) > 12 || !t.exposed || t.role != fact && t.role != dimension && (t.role != plain || star) || !sayable(t.noun()) ||
			t.noun() == "row" || !mentionable(t.src.Name) {
			continue
		}
		one := article(t.noun())
		if key := identifying(t); key != "" {
			lines = append(lines, capital(one)+" means one row of "+t.src.Name+", identified by "+key+".")
		} else {
			lines = append(lines, capital(one)+" means one row of "+t.src.Name+".")
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "A record means one row of the table that a question is about.")
	}
	return lines
}

// ordinaryWords are abbreviations that need no explanation.
var ordinaryWords = []string{"id", "max", "min", "num", "desc", "date", "dt"}

func identifying(t *table) string {
	for _, x := range t.columns {
		if x.end && !x.manySide && x.written() != "" {
			return x.written()
		}
	}
	return ""
}

// synonyms returns lines for the terms that people gave to fields.
func (f *facts) synonyms() []string {
	var lines []string
	note := func(table, name, term string) {
		x := f.find(table, name)
		if x == nil || !x.exposed || !mentionable(term) || strings.ContainsAny(term, "[]'\"") || norm(term) == norm(name) ||
			len(lines) >= 12 {
			return
		}
		written := x.written()
		if x.measure != nil {
			written = x.bracketed()
		}
		if line := "\"" + term + "\" means " + written + "."; written != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
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
	slices.Sort(lines)
	return lines
}

// aboutGroups returns lines that name every calculation group and field parameter (rule INS-06).
func (f *facts) aboutGroups() []string {
	var lines []string
	for _, t := range f.tables {
		if !t.exposed || t.role != calculationGroup && t.role != fieldParameter || strings.ContainsAny(t.src.Name, "[]") {
			continue
		}
		name := oneLine(t.src.Name) // in any length, because the rule looks for it
		if t.role == fieldParameter {
			lines = append(lines, name+" is a field parameter for visuals of reports; do not use it in a query.")
			continue
		}
		line := name + " is a calculation group"
		if x := t.itemColumn(); x != nil && x.written() != "" {
			line += ": filter " + x.written() + " to one item to apply it to a measure"
		}
		if items := mentions(itemNames(t)); len(items) > 0 {
			line += "; its items are " + list(items, 10)
		}
		lines = append(lines, line+".")
	}
	return lines
}

func (f *facts) aboutAvoiding() []string {
	var keys, technical, helpers []string
	for _, x := range f.allFields() {
		switch {
		case !x.exposed:
		case x.manySide && !x.isDate() && x.written() != "":
			keys = append(keys, x.written())
		case x.technical() && x.written() != "":
			technical = append(technical, x.written())
		case x.helper() && x.bracketed() != "":
			helpers = append(helpers, x.bracketed())
		}
	}
	var lines []string
	if len(keys) > 0 {
		lines = append(lines, "Do not show key columns such as "+list(keys[:min(4, len(keys))],
			0)+"; group by the attributes of the tables they lead to.")
	}
	if len(technical) > 0 {
		lines = append(lines, "Do not use record-keeping columns such as "+list(technical[:min(4, len(technical))], 0)+".")
	}
	if len(helpers) > 0 {
		lines = append(lines, "Do not answer with "+list(helpers[:min(6, len(helpers))],
			0)+": such measures only serve the look of reports.")
	}
	return append(lines, f.repeated()...)
}

// repeated returns lines that say which of several measures with one expression to prefer (rule
// MEA-05).
func (f *facts) repeated() []string {
	var lines []string
	all := f.allMeasures()
	slices.SortStableFunc(all, func(a, b *field) int { return strings.Compare(a.name, b.name) })
	first := map[string]*field{}
	for _, x := range all {
		text := squeezed(x.measure.Expression)
		if text == "" || !x.exposed || x.bracketed() == "" || len(lines) == 5 {
			continue
		}
		if same := first[text]; same != nil {
			lines = append(lines, x.bracketed()+" equals "+same.bracketed()+": prefer the latter.")
		} else {
			first[text] = x
		}
	}
	return lines
}
