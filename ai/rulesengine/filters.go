package rulesengine

import (
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain/benchmark/modelquery"
	"readiness/internal/lists"
)

// bound is a comparison with a number: "over 1,000". The mention next to it is the field that it
// limits.
type bound struct {
	run
	operator modelquery.Operator
	values   []string
}

// comparisons are the words before a number, longer ones first.
var comparisons = []struct {
	words    []string
	operator modelquery.Operator
}{
	{[]string{"no|not", "less|fewer", "than"}, modelquery.GreaterOrEqual},
	{[]string{"no|not", "more|greater|higher", "than"}, modelquery.LessOrEqual},
	{[]string{"greater", "than", "or", "equal", "to"}, modelquery.GreaterOrEqual},
	{[]string{"less", "than", "or", "equal", "to"}, modelquery.LessOrEqual},
	{[]string{"at", "least"}, modelquery.GreaterOrEqual},
	{[]string{"a", "minimum", "of"}, modelquery.GreaterOrEqual},
	{[]string{"at", "most"}, modelquery.LessOrEqual},
	{[]string{"a", "maximum", "of"}, modelquery.LessOrEqual},
	{[]string{"up", "to"}, modelquery.LessOrEqual},
	{[]string{"more|greater|higher|larger|bigger", "than"}, modelquery.Greater},
	{[]string{"less|fewer|lower|smaller", "than"}, modelquery.Less},
	{[]string{"equal|equals", "to"}, modelquery.Equal},
	{[]string{"over|above|exceeding|exceed|exceeds|exceeded"}, modelquery.Greater},
	{[]string{"under|below"}, modelquery.Less},
	{[]string{"exactly|equals"}, modelquery.Equal},
	{[]string{">="}, modelquery.GreaterOrEqual},
	{[]string{"<="}, modelquery.LessOrEqual},
	{[]string{"<>"}, modelquery.NotEqual},
	{[]string{">"}, modelquery.Greater},
	{[]string{"<"}, modelquery.Less},
	{[]string{"=|=="}, modelquery.Equal},
}

// findBounds finds the comparisons with numbers, except those that are times.
func (q *question) findBounds() {
	for i := 0; i < len(q.words); i++ {
		b, ok := q.bound(i)
		if ok && !q.anyTaken(b.from, b.to) && !q.isNamed(b.from, b.to) {
			q.bounds = append(q.bounds, b)
			q.take(b.from, b.to)
			i = b.to - 1
		}
	}
}

func (q *question) bound(i int) (b bound, ok bool) {
	if q.is(i, "between") {
		low, used, ok := amount(q.words[i+1:])
		at := i + 1 + used
		if !ok || !q.is(at, "and") {
			return bound{}, false
		}
		high, more, ok := amount(q.words[at+1:])
		_, isYear := year(q.word(i + 1))
		_, isYearToo := year(q.word(at + 1))
		if !ok || isYear && isYearToo || q.month(at+1+more) > 0 {
			return bound{}, false
		}
		return bound{run{i, at + 1 + more}, modelquery.Between, []string{low, high}}, true
	}
	for _, c := range comparisons {
		if !q.is(i, c.words...) {
			continue
		}
		start := i + len(c.words)
		value, used, ok := amount(q.words[start:])
		if !ok || unitNames[q.word(start+used).lower] != "" {
			continue
		}
		return bound{run{i, start + used}, c.operator, []string{value}}, true
	}
	if q.engine.second != nil && q.is(i, "of") && q.namesNumber(i) {
		if value, used, ok := amount(q.words[i+1:]); ok {
			return bound{run{i, i + 1 + used}, modelquery.Equal, []string{value}}, true
		}
	}
	value, used, ok := amount(q.words[i:])
	if !ok {
		return bound{}, false
	}
	switch {
	case q.is(i+used, "or|and", "more|above|higher|greater|over"):
		return bound{run{i, i + used + 2}, modelquery.GreaterOrEqual, []string{value}}, true
	case q.is(i+used, "or|and", "less|fewer|below|lower|under"):
		return bound{run{i, i + used + 2}, modelquery.LessOrEqual, []string{value}}, true
	}
	return bound{}, false
}

// namesNumber reports whether the words before the i-th are the name of a numeric column: "a satisfaction score of 5".
func (q *question) namesNumber(i int) bool {
	for from := max(0, i-3); from < i; from++ {
		m, _, ok := q.mention(run{from, i})
		if column, measure := m.bestOf(ok); column > fullName && column > measure && m.columns[0].field.summable() {
			return true
		}
	}
	return false
}

// introductions are words that may precede a condition on a column.
var introductions = wording.SetOf("where with whose when if having for and or only in from but that")

// findConditions finds explicit conditions on columns, such as "where the country is Germany". The
// words after "is" are the value, even if they could name something else.
func (q *question) findConditions() {
	for i := 0; i < len(q.words); i++ {
		if f, ok := q.condition(i); ok {
			q.filters = append(q.filters, f)
			q.take(f.from, f.to)
			i = f.to - 1
		}
	}
}

func (q *question) condition(i int) (f columnFilter, ok bool) {
	lead := i
	if q.is(lead, "the") {
		lead++
	}
	before := q.word(i - 1)
	if q.taken[i] || i > 0 && before.text == "" && !q.taken[i-1] {
		return f, false
	}
	introduced := i > 0 && (introductions[before.lower] || q.taken[i-1])
	for j := min(len(q.words), lead+maxRun); j > lead; j-- {
		if q.anyTaken(lead, j) {
			continue
		}
		operator, negated, next := q.operator(j)
		if next == j || !introduced && q.words[next-1].kind != signWord {
			continue
		}
		m, _, ok := q.mention(run{lead, j})
		if !ok {
			continue
		}
		column, measure := m.best()
		if column < 0.8 || measure > column+0.05 {
			continue
		}
		values, end := q.values(next)
		if len(values) == 0 || m.columns[0].field.dataType == "dateTime" {
			continue
		}
		return columnFilter{run{i, end}, m.columns, operator, values, m.columns[0].source, negated, run{lead, j}, false}, true
	}
	return f, false
}

// operator reads the words between a column and its value.
func (q *question) operator(i int) (o modelquery.Operator, negated bool, next int) {
	switch {
	case q.is(i, "=|=="):
		return modelquery.Equal, false, i + 1
	case q.is(i, "<>"):
		return modelquery.Equal, true, i + 1
	case q.is(i, "contains|containing"):
		return modelquery.Contains, false, i + 1
	case q.is(i, "equals"):
		i++
	case q.is(i, "is|are|was|were"):
		i++
		if q.is(i, "equal", "to") {
			i += 2
		}
	case q.is(i, "equal", "to"):
		i += 2
	case q.is(i, "named|called|being"):
		i++
	case q.is(i, "not", "in"), q.is(i, "in") && q.word(i+1).kind == quotedWord:
	default:
		return "", false, i
	}
	if q.is(i, "not") {
		negated = true
		i++
	}
	if q.is(i, "in") {
		i++
	}
	if q.is(i, "either") || q.is(i, "the") {
		i++
	}
	if q.is(i, "one", "of") {
		i += 2
	}
	return modelquery.Equal, negated, i
}

// valueEnds are words that end an unquoted value.
var valueEnds = wording.SetOf(`by per for in and or where with whose grouped broken during since before after until between from over under
	above below as is are was were
	which what how show who that have has had having each every across vs versus than sorted ranked ordered only but group split at of on
	the than more less not
	exceeding exceeds contains containing equals highest lowest most least top bottom best worst`)

// values reads the values that start at a word: quoted, or up to a word that continues the sentence.
// Any of several values matches.
func (q *question) values(i int) (values []string, end int) {
	for {
		w := q.word(i)
		start := i
		if w.kind == quotedWord {
			values = append(values, w.text)
			i++
		} else {
			for i < len(q.words) && i-start < 6 {
				w := q.word(i)
				if w.text == "" || w.kind == quotedWord || w.kind == fieldWord || w.kind == signWord && i > start || valueEnds[w.lower] ||
					i > start && w.after != 0 {
					break
				}
				i++
			}
			if i == start {
				return values, start
			}
			values = append(values, q.text(run{start, i}))
		}
		next := i
		switch {
		case q.is(i, "or"), q.is(i, "and"):
			next++
		case q.word(i).after == ',':
			if q.is(i, "or|and") {
				next++
			}
		default:
			return values, i
		}
		if next >= len(q.words) || q.endsValues(next) {
			return values, i
		}
		i = next
	}
}

// endsValues reports whether a word starts something other than another value.
func (q *question) endsValues(i int) bool {
	w := q.word(i)
	if w.text == "" || w.kind != quotedWord && valueEnds[w.lower] {
		return true
	}
	for _, n := range q.named {
		if n.from == i {
			return true
		}
	}
	for j := i + 1; j < min(len(q.words), i+5); j++ {
		if _, _, next := q.operator(j); next > j {
			return true
		}
	}
	return false
}

// text returns a run as written.
func (q *question) text(r run) string {
	return strings.TrimSpace(q.source[q.words[r.from].from:q.words[r.to-1].to])
}

// findNextValues finds values right after or before a column: "in the category Bikes", "in the Bikes
// category".
func (q *question) findNextValues() {
	for k := range q.mentions {
		m := &q.mentions[k]
		column, measure := m.best()
		if column < enough || measure > column || m.columns[0].field.dataType == "dateTime" || m.context == group || m.context == which {
			continue
		}
		source := m.columns[0].source
		if m.context == place || m.context == condition {
			if values, end := q.values(m.to); len(values) > 0 && q.isValue(m.columns, values) &&
				!q.anyTaken(m.to, end) && (end > len(q.words)-1 || !q.isMentioned(end)) {
				q.filters = append(q.filters, columnFilter{run{m.from, end}, m.columns, modelquery.Equal, values, source, false,
					m.run, false})
				q.take(m.to, end)
				m.used = true
				continue
			}
		}
		start := m.from
		for start > 0 && q.unknown(start-1) && q.words[start].after == 0 {
			start--
		}
		lead := start - 1
		if q.is(lead, "the") {
			lead--
		}
		if start == m.from || q.words[m.to-1].plural() || !q.is(lead, "in|for|from|within") {
			continue
		}
		text := q.text(run{start, m.from})
		if w := q.words[start]; w.kind == quotedWord {
			text = w.text
		}
		if !q.isValue(m.columns, []string{text}) {
			continue
		}
		q.filters = append(q.filters, columnFilter{run{start, m.to}, m.columns, modelquery.Equal, []string{text}, source,
			q.is(lead-1, "not"), m.run, false})
		q.take(start, m.from)
		m.used = true
	}
}

func (q *question) isMentioned(i int) bool {
	return slices.ContainsFunc(q.mentions, func(m mention) bool { return m.from <= i && i < m.to && q.words[i].after == 0 })
}

// unknown reports whether a word has no meaning yet, but the answer would need one.
func (q *question) unknown(i int) bool {
	w := q.words[i]
	return !q.taken[i] && !(w.kind == plainWord && (w.structural || wording.Fillers[w.lower])) &&
		!(w.kind == signWord && !strings.ContainsAny(w.text, "<>="))
}

// findKnownValues finds the runs that the instructions name as values of a column.
func (q *question) findKnownValues() {
	for i := range q.words {
		for j := min(len(q.words), i+5); j > i; j-- {
			if q.anyTaken(i, j) || q.isNamed(i, j) || q.isExactly(run{i, j}) {
				continue
			}
			v, ok := q.engine.values[lowerText(q.words[i:j])]
			if !ok {
				continue
			}
			f := q.engine.lexicon.find(v.column, false)
			if f == nil && v.column.Table == "" {
				if all := q.engine.lexicon.byName[strings.ToLower(v.column.Name)]; len(all) == 1 && !all[0].measure {
					f = all[0]
				}
			}
			if f == nil {
				continue
			}
			q.filters = append(q.filters, columnFilter{run{i, j}, []candidate{{field: f, score: 1, source: InInstructions}},
				modelquery.Equal, []string{v.value}, InInstructions, q.is(i-1, "not"), run{i, j}, false})
			q.take(i, j)
			break
		}
	}
}

func lowerText(words []word) string {
	parts := lists.Map(words, func(w word) string { return w.lower })
	return strings.Join(parts, " ")
}
