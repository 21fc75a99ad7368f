package rulesengine

import (
	"fmt"
	"slices"

	"readiness/ai/rulesengine/wording"
)

// denials are words that exclude something.
var denials = wording.SetOf("not no nor without except excluding never neither none exclude excludes")

// answer returns the answer that the findings give, or the reason why there is none.
func (q *question) answer() Explained {
	d := &draft{engine: q.engine}
	rises := func(w word) bool { return w.lower == "up" || w.lower == "down" }
	if q.is(0, "is|are|was|were|do|does|did|has|have") && slices.ContainsFunc(q.words, rises) {
		return decline("I do not answer with yes or no")
	}
	r := q.rank()
	q.passive()
	if why := q.columnsOfTimes(); why != "" {
		return decline(why)
	}
	if why := q.attachBounds(d); why != "" {
		return decline(why)
	}
	if why := q.roles(d, &r); why != "" {
		return decline(why)
	}
	for i := range q.words {
		if q.unknown(i) {
			return decline(fmt.Sprintf("nothing that I am given of the model is called %q", shorten(q.text(q.unknownRun(i)))))
		}
		if !q.taken[i] && denials[q.words[i].lower] {
			return decline(fmt.Sprintf("I do not know what %q leaves out", q.words[i].text))
		}
		if q.compares(i) {
			return decline(fmt.Sprintf("I do not know what %q compares", q.words[i].text))
		}
	}
	if why := q.valuesOf(d); why != "" {
		return decline(why)
	}
	if why := q.complete(d, &r); why != "" {
		return decline(why)
	}
	if len(d.query.Measures) == 0 && (len(d.query.Groupings) == 0 || len(q.subjects) == 0 && !q.isList()) {
		return decline("the question names no measure that I am given")
	}
	asked := slices.Clone(d.query.Measures)
	q.asToday(d)
	if why := q.timesOf(d); why != "" {
		return decline(why)
	}
	if why := q.ranked(d, r); why != "" {
		return decline(why)
	}
	if why := d.unrelated(); why != "" {
		return decline(why)
	}
	if why := q.combine(d); why != "" {
		return decline(why)
	}
	if why := q.onLastDay(d, asked); why != "" {
		return decline(why)
	}
	return q.noted(d.explain())
}

// compares reports whether a word compares something with a measure, rather than with a number: "over budget".
func (q *question) compares(i int) bool {
	if q.taken[i] || !slices.Contains([]string{"over", "under", "above", "below", "beyond", "beneath"}, q.words[i].lower) {
		return false
	}
	return slices.ContainsFunc(q.mentions, func(m mention) bool { return m.isMeasure && i < m.from && m.from <= i+2 })
}

// unknownRun returns the run of words without a meaning that starts at i.
func (q *question) unknownRun(i int) run {
	j := i + 1
	for j < len(q.words) && q.unknown(j) && q.words[j].after == 0 {
		j++
	}
	return run{i, j}
}

// isList reports whether the question asks for the values of a column, rather than for a measure by
// it.
func (q *question) isList() bool {
	if q.isBrokenDown() {
		return false
	}
	for i, w := range q.words {
		if q.is(i, "how", "many|much") || q.is(i, "number|count", "of") || q.is(i, "sum|total|average|mean", "of") {
			return false
		}
		switch w.lower {
		case "list", "show", "which", "what", "display", "name", "give":
			return true
		}
		if i > 4 {
			break
		}
	}
	return false
}

// passive settles words that only say what to do with the result.
func (q *question) passive() {
	for i := range q.words {
		switch {
		case q.is(i, "in", "descending|ascending", "order"):
			q.take(i, i+3)
		case q.is(i, "per", "cent"):
			q.take(i, i+2)
		case q.is(i, "change|changed|changes|develop|developed|evolve|evolved") && q.is(0, "how", "do|does|did|has|have") &&
			q.isBrokenDown():
			q.take(i, i+1) // as the groups show
		}
	}
}

func (q *question) isBrokenDown() bool {
	return slices.ContainsFunc(q.mentions, func(m mention) bool { return m.context == group })
}
