package answering

import (
	"slices"
	"strings"

	"readiness/domain/benchmark/modelquery"
	"readiness/domain/comparison"
)

// defined is a measure that the question asks for and the model does not have. The query defines it.
type defined struct {
	named      modelquery.Field
	expression string
}

func (m defined) String() string { return (&field{ref: FieldRef(m.named), measure: true}).String() }

// functions are the aggregations of a column of numbers, by the words for them.
var functions = map[string]string{
	"average": "AVERAGE", "avg": "AVERAGE", "mean": "AVERAGE", "total": "SUM", "sum": "SUM",
	"maximum": "MAX", "max": "MAX", "minimum": "MIN", "min": "MIN",
}

// aggregated uses what the question asks of a column where no measure answers: how many there are, or an aggregation of its
// numbers. done is false if it asks for neither.
func (q *question) aggregated(d *draft, m *mention, c *candidate, r *rank) (why string, done bool) {
	if len(d.query.Measures) > 0 || m.context == group || c.field.dates {
		return "", false
	}
	var name, expression string
	switch word := q.aggregator(m); {
	case q.counted(m) && q.words[m.to-1].plural() || q.mostOf(m, r):
		name, expression = q.countOf(m, c)
	case word >= 0 && c.field.summable() && c.score >= fullName:
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
	d.because(comparison.Field{Role: comparison.MeasureField, Table: named.Table, Name: named.Name},
		reason{q.text(m.run), c.source, c.score})
	return "", true
}

// fullName is the least score of a name that lacks no word but a vague one.
const fullName = 0.82

// aggregator returns where the word for an aggregation of a mention stands, -1 for none: "the average rate", "average of the rate".
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

// countOf returns a measure of how many there are: rows, if the words name the table, else values of the column.
func (q *question) countOf(m *mention, c *candidate) (name, expression string) {
	table := map[string]bool{}
	for _, w := range readWords(c.field.ref.Table, false) {
		table[w.stem] = true
	}
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
