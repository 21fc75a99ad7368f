package rules

import (
	"slices"
	"strconv"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/readiness/wording"
)

// MaxQuestion is the maximum length of a question, in characters.
const MaxQuestion = 300

// QuestionSet makes questions about a model, at most so many, with queries that answer them. It refuses with QuestionsNotGenerated
// a model that nothing can be asked of.
func QuestionSet(m *semanticmodel.Model, year, count int) (benchmark.Set, error) {
	queries, err := benchmark.Generate(m, benchmark.Wanted{Year: year, Count: count})
	if err != nil {
		return benchmark.Set{}, err
	}
	set := benchmark.GeneratedSet(queries, Questions(m, queries, count), count)
	if len(set.Questions) == 0 {
		return set, domain.Refuse(domain.QuestionsNotGenerated,
			"No questions can be made from this model: an AI sees no measure of it. Give your own questions.")
	}
	return set, nil
}

// Questions turns queries about a model into questions as people would ask them, in words of the
// business: names split, abbreviations expanded. It returns one text per query, in their order: a
// question for each of the first count queries that can be phrased, "" for the others. A query cannot
// be phrased when its names say nothing or when its question equals an earlier one. Otherwise the same
// query has the same text in every call.
func Questions(m *semanticmodel.Model, queries []modelquery.Query, count int) []string {
	f := newFacts(m, nil)
	a := asking{facts: f, columns: f.columnPhrases()}
	texts := make([]string, len(queries))
	used := map[string]bool{}
	for i, q := range queries {
		if len(used) == count {
			break
		}
		text := a.question(q)
		if text == "" || wording.Length(text) > MaxQuestion || used[spelling.FoldSpace(text)] {
			continue
		}
		used[spelling.FoldSpace(text)], texts[i] = true, text
	}
	return texts
}

// asking phrases queries.
type asking struct {
	*facts
	// columns counts the tables that have a column with the phrase.
	columns map[string]int
}

// columnPhrases counts, for each phrase, the tables with a column of that phrase that an AI sees.
func (f *facts) columnPhrases() map[string]int {
	tables := map[string]map[*table]bool{}
	for _, t := range f.tables {
		for _, x := range t.columns {
			if p := prose.Phrase(x.name); x.exposed {
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

// question returns the question for a query, "" for a query that cannot be phrased.
func (a asking) question(q modelquery.Query) string {
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
	s := parts{measures: measures, groupings: groupings, of: benchmark.QuestionIDOf(q)}
	for _, f := range q.Filters {
		switch f.Operator {
		case modelquery.Top, modelquery.Bottom:
			s.rank, s.bottom = strings.Join(f.Values, ""), f.Operator == modelquery.Bottom
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

// measure returns a measure as a question names it, "" if it cannot be phrased.
func (a asking) measure(of modelquery.Field) string {
	x := a.find(of.Table, of.Name)
	if x == nil || x.measure == nil {
		return ""
	}
	p := prose.Phrase(x.name)
	if !prose.Sayable(p) {
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

var percentWords = prose.SetOf("percent percentage pct rate ratio share")

// genericColumns are names that say nothing without their table's name.
var genericColumns = prose.SetOf("name type category group class status code title label level key number value kind segment subcategory " +
	"size description")

// column returns a column as a question names it: with the noun of its table when its own name says
// too little, or when other tables have a column of that name.
func (a asking) column(of modelquery.Field) string {
	x := a.find(of.Table, of.Name)
	if x == nil || x.column == nil {
		return ""
	}
	if part := a.part(of); part != "" {
		return part
	}
	p := prose.Phrase(x.name)
	if !prose.Sayable(p) {
		return ""
	}
	if !genericColumns[p] && a.columns[p] < 2 {
		return p
	}
	owner := prose.Singular(prose.PhraseOf(prose.Bare(x.table.src.Name)))
	if !prose.Informative(owner) || slices.Contains(strings.Fields(p), prose.LastWord(owner)) {
		return p
	}
	return owner + " " + p
}

// part returns the part of time that a column of a date table holds, "" for any other column.
func (a asking) part(of modelquery.Field) string {
	x := a.find(of.Table, of.Name)
	if x == nil || x.table.role != dateTable {
		return ""
	}
	for _, part := range []string{"weekday", "week", "month", "quarter", "year"} {
		if slices.Contains(x.words, part) {
			if part == "week" && slices.Contains(x.words, "day") ||
				part == "year" && len(x.words) > 1 && slices.Contains(x.words, "fiscal") {
				return ""
			}
			return part
		}
	}
	return ""
}

// when returns the text of a filter on time, and whether that time is over; "" for any other filter.
func (a asking) when(f modelquery.Filter) (text string, past bool) {
	switch {
	case f.Operator == modelquery.InPeriod && len(f.Values) == 1:
		p := f.Values[0]
		if rest, ok := strings.CutPrefix(p, "last "); ok && strings.HasSuffix(p, "s") {
			return "in the last " + rest, true
		}
		return p, strings.HasPrefix(p, "last ") || p == "yesterday"
	case f.Operator == modelquery.Equal && len(f.Values) == 1 && a.part(f.Field) == "year":
		return "in " + f.Values[0], true
	case f.Operator == modelquery.Between && len(f.Values) == 2 && len(f.Values[0]) == len("2026-01-01"):
		year, err := strconv.Atoi(f.Values[0][:4])
		if err != nil {
			return "", false
		}
		calendar := modelquery.Calendar{Table: f.Table, Date: modelquery.CalendarColumn{Name: f.Name}}
		is := func(s modelquery.Span) bool {
			same, ok := calendar.In(s)
			return ok && slices.Equal(same.Values, f.Values)
		}
		for quarter := 1; quarter <= 4; quarter++ {
			if is(modelquery.QuarterSpan(year, quarter)) {
				return "in Q" + strconv.Itoa(quarter) + " " + strconv.Itoa(year), true
			}
		}
		if is(modelquery.YearSpan(year)) {
			return "in " + strconv.Itoa(year), true
		}
	}
	return "", false
}
