package rules

import (
	"slices"
	"strconv"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
)

// MaxQuestion is how long a question is at most, in characters.
const MaxQuestion = 300

// Questions puts queries about a model into questions that people would ask, in
// words of the business: names split, abbreviations written out. There is one text
// for each query, in their order, of the first so many that can be said; "" for the
// others, for a query whose names say nothing, and for one that would read as one
// before it. The same query is the same text in every set that has no other such.
func Questions(m *semanticmodel.Model, queries []benchmark.Query, count int) []string {
	f := newFacts(m, nil)
	a := asking{facts: f, columns: f.columnPhrases()}
	texts := make([]string, len(queries))
	said := map[string]bool{}
	for i, q := range queries {
		if len(said) == count {
			break
		}
		text := a.question(q)
		if text == "" || length(text) > MaxQuestion || said[norm(text)] {
			continue
		}
		said[norm(text)], texts[i] = true, text
	}
	return texts
}

// asking says queries.
type asking struct {
	*facts
	// columns counts the tables that have a column of the phrase.
	columns map[string]int
}

// columnPhrases counts, for each phrase, the tables that an AI sees a column of it
// in.
func (f *facts) columnPhrases() map[string]int {
	tables := map[string]map[*table]bool{}
	for _, t := range f.tables {
		for _, x := range t.columns {
			if p := phrase(x.name); x.exposed {
				if tables[p] == nil {
					tables[p] = map[*table]bool{}
				}
				tables[p][t] = true
			}
		}
	}
	counts := make(map[string]int, len(tables))
	for p, of := range tables {
		counts[p] = len(of)
	}
	return counts
}

// question says a query, "" for one that cannot be said.
func (a asking) question(q benchmark.Query) string {
	var measures, groupings []string
	for _, x := range q.Measures {
		measures = append(measures, a.measure(x))
	}
	for _, x := range q.Groupings {
		groupings = append(groupings, a.column(x))
	}
	if len(measures) == 0 || slices.Contains(measures, "") || slices.Contains(groupings, "") {
		return ""
	}
	s := said{measures: measures, groupings: groupings, of: q.ID()}
	for _, f := range q.Filters {
		switch f.Operator {
		case benchmark.Top, benchmark.Bottom:
			s.rank, s.bottom = strings.Join(f.Values, ""), f.Operator == benchmark.Bottom
		default:
			when, past := a.when(f)
			if when == "" || s.when != "" {
				return ""
			}
			s.when, s.past = when, past
		}
	}
	for _, x := range q.Groupings {
		s.overTime = s.overTime || len(groupings) == 1 && a.part(x) != ""
	}
	return s.text()
}

// measure is a measure as a question says it.
func (a asking) measure(of benchmark.Field) string {
	x := a.find(of.Table, of.Name)
	if x == nil || x.measure == nil {
		return ""
	}
	p := phrase(x.name)
	if !sayable(p) {
		return ""
	}
	name := strings.TrimSpace(x.name)
	switch {
	case strings.HasPrefix(name, "#") && many(p):
		p = "number of " + p
	case strings.ContainsRune(name, '%') && !slices.ContainsFunc(strings.Fields(p), func(w string) bool { return percentWords[w] }):
		p += " percentage"
	}
	return strings.TrimPrefix(p, "the ")
}

var percentWords = setOf("percent percentage pct rate ratio share")

// genericColumns are names that say nothing without that of their table.
var genericColumns = setOf("name type category group class status code title label level key number value kind segment subcategory size description")

// column is a column as a question says it: with the noun of its table where its
// own name says too little, or other tables have one of it too.
func (a asking) column(of benchmark.Field) string {
	x := a.find(of.Table, of.Name)
	if x == nil || x.column == nil {
		return ""
	}
	if part := a.part(of); part != "" {
		return part
	}
	p := phrase(x.name)
	if !sayable(p) {
		return ""
	}
	if !genericColumns[p] && a.columns[p] < 2 {
		return p
	}
	owner := singular(phraseOf(bare(x.table.src.Name)))
	if !telling(owner) || slices.Contains(strings.Fields(p), lastWord(owner)) {
		return p
	}
	return owner + " " + p
}

// part is the part of time that a column of a date table is, "" for any other
// column.
func (a asking) part(of benchmark.Field) string {
	x := a.find(of.Table, of.Name)
	if x == nil || x.table.role != dateTable {
		return ""
	}
	for _, part := range []string{"weekday", "week", "month", "quarter", "year"} {
		if slices.Contains(x.words, part) {
			if part == "week" && slices.Contains(x.words, "day") || part == "year" && len(x.words) > 1 && slices.Contains(x.words, "fiscal") {
				return ""
			}
			return part
		}
	}
	return ""
}

// when says a filter of time, and whether it is over; "" for any other filter.
func (a asking) when(f benchmark.Filter) (text string, past bool) {
	switch {
	case f.Operator == benchmark.InPeriod && len(f.Values) == 1:
		p := f.Values[0]
		if rest, ok := strings.CutPrefix(p, "last "); ok && strings.HasSuffix(p, "s") {
			return "in the last " + rest, true
		}
		return p, strings.HasPrefix(p, "last ") || p == "yesterday"
	case f.Operator == benchmark.Equal && len(f.Values) == 1 && a.part(f.Field) == "year":
		return "in " + f.Values[0], true
	case f.Operator == benchmark.Between && len(f.Values) == 2 && len(f.Values[0]) == len("2026-01-01"):
		year, err := strconv.Atoi(f.Values[0][:4])
		if err != nil {
			return "", false
		}
		calendar := benchmark.Calendar{Table: f.Table, Date: benchmark.CalendarColumn{Name: f.Name}}
		is := func(s benchmark.Span) bool {
			same, ok := calendar.In(s)
			return ok && slices.Equal(same.Values, f.Values)
		}
		for quarter := 1; quarter <= 4; quarter++ {
			if is(benchmark.QuarterSpan(year, quarter)) {
				return "in Q" + strconv.Itoa(quarter) + " " + strconv.Itoa(year), true
			}
		}
		if is(benchmark.YearSpan(year)) {
			return "in " + strconv.Itoa(year), true
		}
	}
	return "", false
}
