package rulesengine

import (
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain/benchmark/modelquery"
	"readiness/internal/lists"
)

// aggregatedByDefault uses the default aggregation of visuals, sum or average, for a numeric column that is named without one.
func (q *question) aggregatedByDefault(m *mention, d *draft) bool {
	if q.engine.second == nil || len(m.columns) == 0 || m.context == group || !m.columns[0].field.summable() || q.aggregator(m) >= 0 {
		return false
	}
	c, why := q.choose(m.columns, m.run, d)
	if why != "" {
		return false
	}
	var name, function string
	switch {
	case c.field.summarized == "sum" && c.score >= fullName && !wording.Unsummed.Has(c.field.ref.Name) && c.field.addsUp():
		name, function = "Total "+c.field.ref.Name, "SUM("
	case c.field.summarized == "average" && len(q.mentions) == 1 && q.words[m.to-1].plural():
		return false // "supplier ratings" are those of each
	case c.field.summarized == "average":
		name, function = "Average "+c.field.ref.Name, "AVERAGE("
	default:
		return false
	}
	switch named := q.engine.lexicon.byName[strings.ToLower(name)]; {
	case len(named) == 1 && named[0].measure && function == "SUM(": // the amount is the total amount, where the column can be seen, too
		m.measures = []candidate{{score: c.score, source: c.source, field: named[0]}}
		return true
	case len(named) > 0:
		return false
	}
	m.measures = []candidate{{score: c.score, source: c.source, field: &field{ref: FieldRef{c.field.ref.Table, name}, measure: true,
		over: []string{c.field.ref.Table}, worth: 1, expression: function + c.field.String() + ")"}}}
	return true
}

// qualified reports whether a mention of a column is right before the k-th one: "customer satisfaction".
func (q *question) qualified(k int) bool {
	return k > 0 && q.mentions[k-1].to == q.mentions[k].from && q.words[q.mentions[k].from].after == 0 && !q.mentions[k-1].isMeasure &&
		q.mentions[k-1].context != group && q.mentions[k-1].context != which
}

// countRows prepares the measures that count the rows of tables that others filter: shifts, goods receipts.
func (e *Engine) countRows() {
	for _, t := range e.catalog.Tables {
		words := readWords(t.Name, false)
		if t.Dates || len(t.FilteredBy) < 2 || len(words) == 0 || !words[len(words)-1].plural() {
			continue
		}
		f := &field{ref: FieldRef{t.Name, "Number of " + t.Name}, measure: true, over: []string{t.Name}, worth: 1,
			expression: "COUNTROWS('" + strings.ReplaceAll(t.Name, "'", "''") + "')"}
		if len(e.lexicon.byName[strings.ToLower(f.ref.Name)]) > 0 {
			continue
		}
		for _, key := range []string{wordsKey(words), wordsKey(words[len(words)-1:])} {
			if _, two := e.second.rows[key]; two {
				f = nil // of two tables
			}
			e.second.rows[key] = f
		}
	}
}

// findRows finds the tables whose rows the question counts.
func (q *question) findRows() {
	if q.engine.second == nil {
		return
	}
	for i := range q.words {
		if !q.is(i-1, "many") && !(q.is(i-1, "of") && q.is(i-2, "number|count")) {
			continue
		}
		for j := min(len(q.words), i+4); j > i; j-- {
			f := q.engine.second.rows[wordsKey(q.words[i:j])]
			if f == nil || q.anyTaken(i, j) || q.isNamed(i, j) || q.isExactly(run{i, j}) || !q.words[j-1].plural() {
				continue
			}
			q.rows = append(q.rows, mention{run: run{i, j}, context: free, measures: []candidate{{field: f, score: 1, source: InName}}})
			q.take(i, j)
			break
		}
	}
}

// complete adds what the question omits if there is only one choice: the persons of "who", and the things that a filter
// selects, as a list or as a count.
func (q *question) complete(d *draft, r *rank) string {
	if q.engine.second == nil {
		return ""
	}
	if why := q.judged(d, r); why != "" {
		return why
	}
	if why := q.who(d, r); why != "" {
		return why
	}
	if len(d.query.Measures)+len(d.query.Groupings) > 0 || len(q.filters)+len(q.bounds) == 0 || r.operator != "" || len(q.times) > 0 {
		return ""
	}
	if q.is(0, "is|are|do|does|did|has|have|was|were|can|where|when|why|how") && !q.is(0, "how", "many") {
		return "the question names no measure that I am given"
	}
	if len(q.subjects) == 1 && !q.is(0, "how", "many") {
		d.use(q.subjects[0].field, reason{q.subjects[0].field.ref.Name, q.subjects[0].source, q.subjects[0].score})
		return ""
	}
	for _, f := range q.filters {
		counted := q.is(f.from-1, "many") || q.is(f.from-1, "of") && q.is(f.from-2, "number|count")
		if f.source != InValues || !counted || len(q.subjects) > 0 || !q.words[f.to-1].plural() {
			continue
		}
		q.valueColumn(&f, d)
		if len(f.column) != 1 || len(q.engine.filteredBy[strings.ToLower(f.column[0].field.ref.Table)]) > 1 {
			continue
		}
		table := f.column[0].field.ref.Table
		d.use(&field{ref: FieldRef{table, "Number of " + table}, measure: true, worth: 1,
			expression: "COUNTROWS('" + strings.ReplaceAll(table, "'", "''") + "')"}, reason{q.text(f.run), InValues, 1})
		return ""
	}
	return ""
}

// judge returns the end of a ranking that an adjective asks for.
func (q *question) judge(w word) modelquery.Operator {
	if q.engine.second == nil || q.engine.lexicon.named[w.stem] {
		return ""
	}
	adjective, is := wording.Adjectives[w.lower]
	switch {
	case !is:
		return ""
	case adjective.High:
		return modelquery.Top
	}
	return modelquery.Bottom
}

// judged adds the only measure that an adjective can be about: the slowest supplier is the one with the longest lead time.
func (q *question) judged(d *draft, r *rank) string {
	of := wording.Adjectives[strings.ToLower(r.word)].Of
	if of == nil || len(d.query.Measures) > 0 {
		return ""
	}
	found := lists.Where(q.engine.lexicon.fields, func(f *field) bool {
		return f.measure && f.worth == 1 && f.says(of) && (!of["visitors"] || !f.says(wording.PerUnit))
	})
	if len(found) != 1 {
		return "I do not know by which measure something is \"" + r.word + "\""
	}
	d.use(found[0], reason{r.word, InName, 1})
	return ""
}

// says reports whether a name or synonym of a field has a word.
func (f *field) says(s wording.Set) bool {
	return f != nil && slices.ContainsFunc(f.phrases, func(p phrase) bool {
		return p.source != InDescription && slices.ContainsFunc(p.words, func(t term) bool { return s[t.lower] })
	})
}

// better returns the end of a ranking by a measure where the best or the worst is, "" if it is not known whether less is better.
func (q *question) better(r rank, by modelquery.Field) modelquery.Operator {
	word := strings.ToLower(r.word)
	f := q.engine.lexicon.find(FieldRef(by), true)
	switch {
	case word != "best" && word != "worst", !wording.Burdens.Has(by.Name):
		return r.operator
	case f == nil, wording.Ratios.Has(by.Name), strings.Contains(by.Name, "%"):
		return ""
	}
	if r.operator == modelquery.Top {
		return modelquery.Bottom
	}
	return modelquery.Top
}

// divided reports whether the k-th mention is a measure by which the things before it are shown: "departments by revenue".
func (q *question) divided(d *draft, k int) bool {
	if q.engine.second == nil || k != 1 || len(d.query.Measures) > 0 || q.mentions[0].context != free {
		return false
	}
	column, measure := q.mentions[0].best()
	return column > measure && q.words[q.mentions[0].to-1].plural()
}

// isDivided reports whether a mention names things that are shown by a measure.
func (q *question) isDivided(m *mention) bool {
	return q.engine.second != nil && m.context == free && len(q.mentions) > 1 && q.mentions[0].from == m.from && q.mentions[1].isMeasure &&
		q.mentions[1].context == group
}

// isLevel reports whether a ranking chooses from a numeric column that holds no amounts: the busiest hour.
func (q *question) isLevel(c *candidate, r *rank) bool {
	return q.engine.second != nil && r.operator != "" && c.field.summarized == "none" && c.field.dataType == "int64"
}
