package rulesengine

import (
	"fmt"
	"slices"
	"strconv"

	"readiness/ai/rulesengine/wording"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
)

// rank is the requested end of a ranking, and its count.
type rank struct {
	operator modelquery.Operator // "" for none
	count    int                 // 0 if the question gives none
	word     string
	at       int
}

// rank finds the requested end of a ranking and settles its words.
func (q *question) rank() rank {
	var r rank
	both := false
	for i, w := range q.words {
		if q.taken[i] || w.kind != plainWord || q.is(i-1, "at") {
			continue
		}
		var operator modelquery.Operator
		switch {
		case wording.High[w.lower]:
			operator = modelquery.Top
		case wording.Low[w.lower]:
			operator = modelquery.Bottom
		case q.judge(w) != "":
			operator = q.judge(w)
		default:
			continue
		}
		q.take(i, i+1)
		if i+1 < len(q.words) && q.is(i+1, "first") { // a sort order, not a choice
			q.take(i+1, i+2)
			both = true
		}
		both = both || r.operator != "" && r.operator != operator
		if r.operator == "" {
			r = rank{operator: operator, word: w.text, at: i}
		}
	}
	if both {
		return rank{}
	}
	if r.operator == "" {
		return r
	}
	for i := range q.words {
		if n, ok := count(q.words[i]); ok && !q.taken[i] && q.words[i].lower != "one" {
			r.count = n
			q.take(i, i+1)
			break
		} else if ok && q.words[i].lower == "one" && !q.taken[i] {
			r.count = 1
			q.take(i, i+1)
			break
		}
	}
	return r
}

// rankedBy returns the mention of the measure to rank by, if it could also be a column: the one after
// "by", if nothing else is a measure.
func (q *question) rankedBy(r *rank) *mention {
	if r.operator == "" {
		return nil
	}
	var by *mention
	for k := range q.mentions {
		m := &q.mentions[k]
		column, measure := m.best()
		switch {
		case measure < enough || measure < column-0.05:
		case m.context != group:
			return nil
		default:
			by = m
		}
	}
	return by
}

// each reports whether a ranking is asked for in each group of another column: "top 5 products in each country".
func (q *question) each() bool {
	ranked, grouped := false, false
	for k := range q.mentions {
		if m := &q.mentions[k]; !m.used && !m.isMeasure {
			ranked = ranked || m.context != group
			grouped = grouped || m.context == group
		}
	}
	return ranked && grouped
}

// extreme reports whether the word for the end of a ranking precedes a measure, and the question can choose only from
// its groups: "longest response per channel".
func (q *question) extreme(r rank) bool {
	return slices.ContainsFunc(q.mentions, func(m mention) bool { return m.isMeasure && m.from == r.at+1 }) &&
		!slices.ContainsFunc(q.mentions, func(m mention) bool { return !m.used && !m.isMeasure && m.context != group })
}

// ranked adds the filter for one end of the ranking. Without a count it adds none, because only the
// order was requested.
func (q *question) ranked(d *draft, r rank) string {
	switch {
	case r.operator == "":
		return ""
	case len(d.query.Measures) == 0:
		return fmt.Sprintf("I do not know by which measure something is %q", r.word)
	case len(d.query.Groupings) == 0:
		return fmt.Sprintf("I do not know what %q chooses from", r.word)
	case q.each():
		return fmt.Sprintf("I cannot choose what is %q in each group", r.word)
	case r.count == 0 && q.extreme(r):
		return fmt.Sprintf("I do not know of what %q is asked: of the groups, or within each of them", r.word)
	case r.count == 0:
		return ""
	}
	by := d.query.Measures[0]
	if len(d.query.Measures) > 1 {
		// The first measure after the word is the one to rank by.
		for _, m := range q.mentions {
			if m.from >= r.at && len(m.measures) > 0 && slices.Contains(d.query.Measures, m.measures[0].field.named()) {
				by = m.measures[0].field.named()
				break
			}
		}
	}
	end := q.better(r, by)
	if end == "" {
		return fmt.Sprintf("I do not know which end of %s is %q", shorten(by.Name), r.word)
	}
	f := modelquery.Filter{Field: by, Operator: end, Values: []string{strconv.Itoa(r.count)}, Type: modelquery.NumberValue}
	d.query.Filters = append(d.query.Filters, f)
	d.because(verdict.Field{Role: verdict.FilterField, Table: f.Table, Name: f.Name, Operator: f.Operator, Values: f.Values},
		reason{r.word, InName, 1})
	return ""
}
