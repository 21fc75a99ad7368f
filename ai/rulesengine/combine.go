package rulesengine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain/benchmark/modelquery"
)

// combination is a calculation with the measures of a question.
type combination struct {
	kind  combinationKind
	words string
}

type combinationKind int

const (
	apart      combinationKind = iota
	difference                 // of two measures
	ratio                      // of two measures
	share                      // of a measure in its total
	average                    // of a measure over the values of a grouping
)

// combinations are the forms of a question for a combination of measures. The words between the measures become "and".
var combinations = []struct {
	before, between string
	kind            combinationKind
}{
	{"difference between", "and", difference}, {"the difference between", "and", difference}, {"gap between", "and", difference},
	{"", "minus", difference},
	{"ratio of", "to", ratio}, {"the ratio of", "to", ratio}, {"ratio between", "and", ratio}, {"", "divided by", ratio},
	{"", "as a percentage of", ratio}, {"", "as percentage of", ratio}, {"", "as a percent of", ratio}, {"", "as percent of", ratio},
	{"", "as a share of", ratio}, {"", "as share of", ratio}, {"", "as a proportion of", ratio}, {"", "in percent of", ratio},
	{"share of", "", share}, {"percentage of", "", share}, {"percent of", "", share},
	{"proportion of", "", share}, {"fraction of", "", share},
	{"average", "per", average},
}

// findCombination finds the combination that the question asks for, keeps the measures, and reports whether it found one.
func (q *question) findCombination() bool {
	for _, c := range combinations {
		before, between := strings.Fields(c.before), strings.Fields(c.between)
		start := q.find(0, before)
		if start < 0 {
			continue
		}
		end := q.find(start+len(before), between)
		if end < 0 || len(between) > 0 && end == 0 {
			continue
		}
		q.combined = combination{c.kind, strings.TrimSpace(c.before + " " + c.between)}
		if len(between) > 0 && c.kind != average {
			and := q.words[end]
			and.text, and.lower, and.stem, and.structural = "and", "and", "and", true
			q.words = slices.Replace(q.words, end, end+len(between), and)
		}
		if len(before) > 0 {
			after := q.words[start].after
			q.words = slices.Delete(q.words, start, start+len(before))
			if start < len(q.words) && after != 0 {
				q.words[start].after = after
			}
		}
		return true
	}
	return false
}

// find returns the index of a sequence of words at or after from, -1 if there is none.
func (q *question) find(from int, words []string) int {
	for i := from; i+len(words) <= len(q.words); i++ {
		same := true
		for n, text := range words {
			w := q.words[i+n]
			same = same && w.kind == plainWord && w.lower == text && (n == 0 || w.after == 0)
		}
		if same {
			return i
		}
	}
	return -1
}

// combine replaces the measures by their combination.
func (q *question) combine(d *draft) string {
	measures := d.query.Measures
	unclear := fmt.Sprintf("I do not know of what %q is asked", q.combined.words)
	var name, expression string
	switch q.combined.kind {
	case apart:
		return ""
	case difference, ratio:
		if len(measures) != 2 {
			return unclear
		}
		slices.SortStableFunc(measures, func(a, b modelquery.Field) int { return cmp.Compare(q.asked(a), q.asked(b)) })
		a, b := defined{named: measures[0]}.String(), defined{named: measures[1]}.String()
		name, expression = measures[0].Name+" minus "+measures[1].Name, a+" - "+b
		if q.combined.kind == ratio {
			name, expression = measures[0].Name+" divided by "+measures[1].Name, "DIVIDE("+a+", "+b+")"
		}
	case share:
		if len(measures) != 1 {
			return unclear
		}
		if q.engine.lexicon.find(FieldRef(measures[0]), true).says(wording.Ratios) {
			return "" // it says a share
		}
		of := d.parts()
		if len(of) == 0 || len(d.query.Groupings) > 0 && !q.isBrokenDown() {
			return unclear
		}
		m := defined{named: measures[0]}.String()
		name, expression = "Share of "+measures[0].Name, "DIVIDE("+m+", CALCULATE("+m+", REMOVEFILTERS("+strings.Join(of, ", ")+")))"
	case average:
		if len(measures) != 1 || len(d.query.Groupings) != 1 || !q.averages(d) {
			return unclear
		}
		over := d.query.Groupings[0]
		name = "Average of " + measures[0].Name
		expression = "AVERAGEX(VALUES(" + (&field{ref: FieldRef(over)}).String() + "), " + defined{named: measures[0]}.String() + ")"
		d.query.Groupings = nil
	}
	if slices.ContainsFunc(d.query.Filters, func(f modelquery.Filter) bool { return slices.Contains(measures, f.Field) }) ||
		len(q.engine.lexicon.byName[strings.ToLower(name)]) > 0 {
		return unclear
	}
	named := modelquery.Field{Table: measures[0].Table, Name: name}
	d.defined = append(d.defined, defined{named, expression})
	d.query.Measures = []modelquery.Field{named}
	return ""
}

// asked returns where the question names a measure.
func (q *question) asked(m modelquery.Field) int {
	return slices.IndexFunc(q.mentions, func(at mention) bool { return at.chosen != nil && at.chosen.named() == m })
}

// averages reports whether an average over the grouping can be meant: over days or named things, of a measure that is no average.
func (q *question) averages(d *draft) bool {
	over := q.engine.lexicon.find(FieldRef(d.query.Groupings[0]), false)
	measure := q.engine.lexicon.find(FieldRef(d.query.Measures[0]), true)
	return over != nil && measure != nil && (over.isName() || over.dates && over.dataType == "dateTime") &&
		!measure.says(wording.SetOf("average avg mean percent rate ratio margin per csat score"))
}

// parts returns the columns that divide a total: those that the query groups by, or else those of its filters by value.
func (d *draft) parts() (columns []string) {
	for _, g := range d.query.Groupings {
		columns = append(columns, (&field{ref: FieldRef(g)}).String())
	}
	if len(columns) > 0 {
		return columns
	}
	for _, f := range d.query.Filters {
		if c := d.engine.lexicon.find(FieldRef(f.Field), false); c != nil && !c.dates && c.isLabel() {
			columns = append(columns, c.String())
		}
	}
	return columns
}
