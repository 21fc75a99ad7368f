package rules

import (
	"slices"
	"strings"
)

func (f *facts) calendars() []*table {
	var all []*table
	for _, t := range f.tables {
		if t.role == dateTable {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *table) int { return len(b.facts) - len(a.facts) })
	return all
}

var fiscalWords = setOf("fiscal fy financial")

func (f *facts) aboutTime() []string {
	var lines []string
	calendars := f.calendars()
	if len(calendars) > 0 {
		t := calendars[0]
		day := ""
		for _, x := range t.columns {
			if x.isDate() && (x.key || day == "") {
				day = x.written()
			}
		}
		if day != "" {
			lines = append(lines, "Use "+day+" for every question about a day, month or other period.")
		} else {
			lines = append(lines, "Use the calendar table for every question about a period.")
		}
		lines = append(lines, yearLine(t)...)
	}
	lines = append(lines, f.ambiguousDates()...)
	if len(calendars) == 0 && len(lines) == 0 {
		for _, t := range f.tables {
			for _, x := range t.columns {
				if x.isDate() && x.written() != "" && len(lines) < 5 && !x.technical() {
					lines = append(lines, "For a period filter "+x.written()+"; there is no calendar table.")
				}
			}
		}
	}
	if dated := slices.ContainsFunc(f.allFields(), (*field).isDate); dated && len(lines) == 0 {
		lines = append(lines, "There is no calendar table: filter periods on the date of the table that a question is about.")
	}
	if len(lines) == 0 {
		return []string{"The model has no dates: say so when a question names a period or year."}
	}
	return append(lines, "When a question names no period, answer for all dates and say so.")
}

// yearLine returns a line that says which year is meant when there are two kinds.
func yearLine(t *table) []string {
	var calendar, fiscal string
	for _, x := range t.columns {
		w := x.written()
		switch {
		case w == "" || !slices.Contains(x.words, "year") && !slices.Contains(x.words, "fy"):
		case fiscalWords.meets(x.words) && fiscal == "":
			fiscal = w
		case calendar == "" && len(x.words) <= 2 && !fiscalWords.meets(x.words):
			calendar = w
		}
	}
	switch {
	case calendar != "" && fiscal != "":
		return []string{"A year is the calendar year " + calendar + " unless the question says fiscal; then use " + fiscal + "."}
	case fiscal != "":
		return []string{"A year is the fiscal year " + fiscal + "."}
	case calendar != "":
		return []string{"A year is the calendar year " + calendar + "."}
	}
	return nil
}

// ambiguousDates returns lines that say which of several dates of a fact is meant (rule INS-05).
func (f *facts) ambiguousDates() []string {
	var lines []string
	for _, t := range f.tables {
		if t.role == dateTable && !t.many || t.one || !t.many {
			continue
		}
		var dates []*field
		for _, x := range t.columns {
			if x.dateEnd || x.isDate() {
				dates = append(dates, x)
			}
		}
		if len(dates) < 2 {
			continue
		}
		chosen := dates[0]
		active := map[*field]bool{}
		for _, r := range f.relations {
			for _, end := range []*field{r.from, r.to} {
				if r.src.IsActive && end.table == t && end.dateEnd {
					active[end] = true
				}
			}
		}
		for _, x := range dates {
			if active[x] {
				chosen = x
				break
			}
		}
		lines = append(lines, f.dateLine(t, chosen, dates))
	}
	return lines
}

func (f *facts) dateLine(t *table, chosen *field, dates []*field) string {
	name := chosen.written()
	if name == "" {
		name = oneLine(strings.NewReplacer("[", " ", "]", " ").Replace(chosen.name)) // rule INS-05 looks for its words
	}
	line := "By default the date of " + article(t.noun()) + " is " + name + "."
	for _, x := range dates {
		phrased := x.phrase()
		if x == chosen || x.written() == "" || !sayable(phrased) || x.technical() {
			continue
		}
		line += " Use " + x.written() + " only when the question is about the " + phrased
		if m := f.activatingMeasure(x); m != "" {
			line += ", as " + m + " does"
		}
		line += "."
		if len(line) > 600 {
			break
		}
	}
	return line
}

func (f *facts) activatingMeasure(x *field) string {
	for _, m := range x.usedBy {
		if m.calls(activations) && !m.hidden && m.bracketed() != "" {
			return m.bracketed()
		}
	}
	return ""
}
