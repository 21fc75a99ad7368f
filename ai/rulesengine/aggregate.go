package rulesengine

import (
	"fmt"
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
	"readiness/internal/lists"
)

// defined is a measure that the question asks for and the model does not have. The query defines it.
type defined struct {
	named      modelquery.Field
	expression string
}

func (m defined) String() string { return (&field{ref: FieldRef(m.named), measure: true}).String() }

// functions are the aggregations of a numeric column, by the words for them.
var functions = map[string]string{
	"average": "AVERAGE", "avg": "AVERAGE", "mean": "AVERAGE", "total": "SUM", "sum": "SUM",
	"maximum": "MAX", "max": "MAX", "minimum": "MIN", "min": "MIN",
}

// aggregated answers from a column if no measure does: the number of its values, or an aggregation of them. done is false if the
// question asks for neither.
func (q *question) aggregated(d *draft, m *mention, c *candidate, r *rank) (why string, done bool) {
	if len(d.query.Measures) > 0 || m.context == group || c.field.dates {
		return "", false
	}
	var name, expression string
	switch word := q.aggregator(m); {
	case q.counted(m) && q.words[m.to-1].plural() || q.mostOf(m, r):
		name, expression = q.countOf(m, c)
	case q.isExtreme(m, c, r):
		name, expression = q.words[r.at].text+" "+c.field.ref.Name, map[modelquery.Operator]string{
			modelquery.Top: "MAX", modelquery.Bottom: "MIN"}[r.operator]+"("+c.field.String()+")"
		if !q.chooses(m) {
			r.operator = ""
		}
	case word >= 0 && functions[q.words[word].lower] == "SUM" && c.field.summable() && !c.field.addsUp():
		return fmt.Sprintf("the values of %s do not add up: ask for their average, or for a measure", shorten(c.field.String())), true
	case word >= 0 && c.field.summable() && (c.score >= fullName || q.engine.second != nil && c.score >= enough):
		name, expression = q.words[word].text+" "+c.field.ref.Name, functions[q.words[word].lower]+"("+c.field.String()+")"
		q.take(word, word+1)
	}
	if expression == "" {
		return "", false
	}
	named := modelquery.Field{Table: c.field.ref.Table, Name: name}
	if len(q.engine.lexicon.byName[strings.ToLower(name)]) > 0 {
		return "the model has another " + shorten(defined{named: named}.String()), true
	}
	m.isMeasure = true
	d.defined = append(d.defined, defined{named, expression})
	d.query.Measures = append(d.query.Measures, named)
	d.because(verdict.Field{Role: verdict.MeasureField, Table: named.Table, Name: named.Name},
		reason{q.text(m.run), c.source, c.score})
	return "", true
}

// fullName is the minimum score of a name that lacks at most vague words.
const fullName = 0.82

// aggregator returns the index of the word for an aggregation of a mention, -1 for none: "the average rate", "average of the rate".
func (q *question) aggregator(m *mention) int {
	if functions[q.words[m.from].lower] != "" {
		return m.from
	}
	at := m.from - 1
	for q.is(at, "of|the|our|all") {
		at--
	}
	if at >= 0 && functions[q.word(at).lower] != "" {
		return at
	}
	return -1
}

// mostOf reports whether the question ranks by how many there are: "which region has the most stores".
func (q *question) mostOf(m *mention, r *rank) bool {
	return r.operator != "" && r.at == m.from-1 && slices.Contains([]string{"most", "fewest", "least"}, q.words[r.at].lower) &&
		q.words[m.to-1].plural() && len(q.mentions) > 1
}

// isExtreme reports whether the end of a ranking is one of the numbers of a column: the highest rate, or the warehouse with the
// biggest capacity, which is a property of each.
func (q *question) isExtreme(m *mention, c *candidate, r *rank) bool {
	if q.engine.second == nil || r.operator == "" || r.at != m.from-1 || r.count > 1 ||
		slices.Contains([]string{"most", "least", "fewest"}, strings.ToLower(r.word)) || q.words[0].lower == "who" ||
		wording.Adjectives[strings.ToLower(r.word)].Of != nil || !c.field.summable() || c.score < fullName {
		return false
	}
	for k := range q.mentions {
		o := &q.mentions[k]
		if o.from == m.from || o.used || o.isMeasure {
			continue
		}
		if len(o.columns) == 0 || !o.columns[0].field.isName() || o.columns[0].field.ref.Table != c.field.ref.Table || o.context == group {
			return false
		}
	}
	return true
}

// chooses reports whether another mention than m is what a ranking chooses from.
func (q *question) chooses(m *mention) bool {
	return slices.ContainsFunc(q.mentions, func(o mention) bool { return o.from != m.from && !o.used && !o.isMeasure })
}

// countOf returns a measure that counts rows, if the words name the table, else values of the column.
func (q *question) countOf(m *mention, c *candidate) (name, expression string) {
	table := lists.SetOf(readWords(c.field.ref.Table, false), func(w word) string { return w.stem })
	isTable := len(table) > 0
	for _, w := range q.words[m.from:m.to] {
		isTable = isTable && (w.structural || w.amount || table[w.stem])
	}
	switch {
	case isTable:
		return "Number of " + c.field.ref.Table, "COUNTROWS('" + strings.ReplaceAll(c.field.ref.Table, "'", "''") + "')"
	case c.score < fullName || c.field.summable():
		return "", ""
	}
	return "Number of " + c.field.ref.Name, "DISTINCTCOUNTNOBLANK(" + c.field.String() + ")"
}

// dax returns the query with the measures that it defines.
func (d *draft) dax() string {
	if len(d.defined) == 0 {
		return d.query.DAX()
	}
	text := "DEFINE"
	for _, m := range d.defined {
		text += "\n    MEASURE '" + strings.ReplaceAll(m.named.Table, "'", "''") + "'" + m.String() + " = " + m.expression
	}
	return text + "\n" + d.query.DAX()
}
