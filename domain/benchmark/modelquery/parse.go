package modelquery

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse parses a query in the form that Query.DAX writes, with any white space and
// any case of keywords; any other DAX is an error. Measures have no table, because the
// query names none. Types that DAX writes alike are parsed as one: the values of a day
// column of type text come back as texts.
func Parse(dax string) (Query, error) {
	p := queryParser{tokens: tokens(dax)}
	var q Query
	p.expect("EVALUATE")
	p.table(&q, 0)
	if p.take("ORDER") { // carries no information beyond the rank
		p.expect("BY")
		for more := true; more; more = p.take(",") {
			p.field()
			if !p.take("ASC") {
				p.expect("DESC")
			}
		}
	}
	if p.at < len(p.tokens) {
		p.fail("the end")
	}
	if p.err != nil {
		return Query{}, p.err
	}
	return q, nil
}

// maxNesting is how deep a query may nest: twice what ranks and bounds need.
const maxNesting = 20

// queryParser parses DAX. After an error it consumes nothing.
type queryParser struct {
	tokens []token
	at     int
	err    error
}

func (p *queryParser) fail(wanted string) {
	if p.err != nil {
		return
	}
	got := "the end"
	if p.at < len(p.tokens) {
		got = strconv.Quote(p.tokens[p.at].text)
	}
	p.err = fmt.Errorf("the query has %s where %s was expected, at token %d", got, wanted, p.at+1)
}

func (p *queryParser) take(text string) bool {
	if p.err != nil || p.at == len(p.tokens) || !strings.ContainsRune("a=", p.tokens[p.at].kind) ||
		!strings.EqualFold(p.tokens[p.at].text, text) {
		return false
	}
	p.at++
	return true
}

func (p *queryParser) expect(parts ...string) {
	for _, text := range parts {
		if !p.take(text) {
			p.fail(text)
		}
	}
}

// is reports whether the next token has the kind.
func (p *queryParser) is(kind rune) bool {
	return p.err == nil && p.at < len(p.tokens) && p.tokens[p.at].kind == kind
}

func (p *queryParser) text(kind rune, wanted string) string {
	if !p.is(kind) {
		p.fail(wanted)
		return ""
	}
	p.at++
	return p.tokens[p.at-1].text
}

// field parses a measure, or a column with its table.
func (p *queryParser) field() Field {
	var f Field
	if p.is('\'') {
		f.Table = p.text('\'', "a table")
	} else if p.is('a') {
		f.Table = p.text('a', "a table")
	}
	f.Name = p.text('[', "a column or measure")
	return f
}

func (p *queryParser) table(q *Query, depth int) {
	switch {
	case depth == maxNesting:
		p.fail("less nesting")
	case p.take("TOPN"):
		p.expect("(")
		f := Filter{Operator: Bottom, Values: []string{p.text('1', "a count")}, Type: NumberValue}
		p.expect(",")
		p.table(q, depth+1)
		p.expect(",")
		f.Field = p.ranking(q)
		p.expect(",")
		if p.take("DESC") {
			f.Operator = Top
		} else {
			p.expect("ASC")
		}
		p.expect(")")
		q.Filters = append(q.Filters, f)
	case p.take("FILTER"):
		p.expect("(")
		p.table(q, depth+1)
		p.expect(",")
		f := p.condition()
		f.Field = value(f.Field)
		q.Filters = append(q.Filters, f)
		p.expect(")")
	case p.take("ROW"):
		p.expect("(")
		p.row(q)
		p.expect(")")
	default:
		p.expect("SUMMARIZECOLUMNS", "(")
		p.summary(q)
		p.expect(")")
	}
}

func (p *queryParser) summary(q *Query) {
	for more := true; more; more = p.take(",") {
		switch {
		case p.is('"'):
			p.text('"', "a name")
			p.expect(",")
			q.Measures = append(q.Measures, p.measure())
		case p.take("FILTER"):
			q.Filters = append(q.Filters, p.filter())
		default:
			q.Groupings = append(q.Groupings, p.column())
		}
	}
}

// row parses a value for each measure. All of them must have the same filters.
func (p *queryParser) row(q *Query) {
	for more := true; more; more = p.take(",") {
		p.text('"', "a name")
		p.expect(",")
		var filters []Filter
		if p.take("CALCULATE") {
			p.expect("(")
			q.Measures = append(q.Measures, p.measure())
			for p.take(",") {
				p.expect("FILTER")
				filters = append(filters, p.filter())
			}
			p.expect(")")
		} else {
			q.Measures = append(q.Measures, p.measure())
		}
		if len(q.Measures) == 1 {
			q.Filters = filters
		} else if !slices.EqualFunc(q.Filters, filters, equalFilters) {
			p.fail("the same filters for all measures")
		}
	}
}

func equalFilters(a, b Filter) bool {
	return a.Field == b.Field && a.Operator == b.Operator && a.Type == b.Type && slices.Equal(a.Values, b.Values)
}

// column parses a column with its table.
func (p *queryParser) column() Field {
	f := p.field()
	if f.Table == "" {
		p.at-- // at the name
		p.fail("a column with its table")
	}
	return f
}

// ranking parses the measure that ranks the rows, which must be one of the query's.
func (p *queryParser) ranking(q *Query) Field {
	f := value(p.measure())
	if !slices.ContainsFunc(q.Measures, func(m Field) bool { return strings.EqualFold(m.Name, f.Name) }) {
		p.at-- // at the name
		p.fail("a measure of the query")
	}
	return f
}

// value returns the measure whose values a column of the query holds.
func value(f Field) Field { return Field{f.Table, strings.TrimPrefix(f.Name, valuePrefix)} }

func (p *queryParser) measure() Field {
	f := p.field()
	return Field{Name: f.Name}
}

// filter parses what follows FILTER: all values of a column that meet a condition.
func (p *queryParser) filter() Filter {
	p.expect("(", "ALL", "(")
	column := p.column()
	p.expect(")", ",")
	f := p.condition()
	if f.Field != column {
		p.fail("a condition on the column that is filtered")
	}
	p.expect(")")
	return f
}

func (p *queryParser) condition() Filter {
	if p.take("CONTAINSSTRING") {
		p.expect("(")
		f := Filter{Field: p.field(), Operator: Contains}
		p.expect(",")
		f.Values = []string{p.text('"', "a text")}
		p.expect(")")
		return f
	}
	f := Filter{Field: p.field()}
	for _, o := range []Operator{Equal, NotEqual, LessOrEqual, GreaterOrEqual, Less, Greater, In} {
		if p.take(o) {
			f.Operator = o
			break
		}
	}
	switch f.Operator {
	case "":
		p.fail("a comparison")
	case In:
		p.expect("{")
		for more := true; more; more = p.take(",") {
			p.value(&f)
		}
		p.expect("}")
	case GreaterOrEqual:
		if !p.period(&f) {
			p.value(&f)
			p.upTo(&f)
		}
	case Less:
		if p.value(&f); f.Type == DateValue && p.take("+") {
			p.one()
			f.Operator = LessOrEqual
		}
	default:
		p.value(&f)
	}
	return f
}

// upTo parses what may follow a lower bound: the end of that day, or an upper bound.
func (p *queryParser) upTo(f *Filter) {
	switch {
	case f.Type == DateValue && p.take("+"):
		p.one()
		f.Operator = Greater
	case p.take("&&"):
		if p.field() != f.Field {
			p.fail("the same column")
		}
		upper := LessOrEqual
		if f.Type == DateValue {
			upper = Less
		}
		p.expect(upper)
		p.value(f)
		if f.Operator = Between; f.Type == DateValue {
			p.expect("+")
			p.one()
			if f.Values[0] == f.Values[1] {
				f.Operator, f.Values = Equal, f.Values[:1]
			}
		}
	}
}

func (p *queryParser) one() {
	if p.text('1', "1") != "1" {
		p.fail("1")
	}
}

// value parses a value, which must have the type of those before it.
func (p *queryParser) value(f *Filter) {
	var v string
	var t ValueType
	switch {
	case p.is('"'):
		v = p.text('"', "a text")
	case p.take("TRUE"):
		v, t = "true", BooleanValue
		p.expect("(", ")")
	case p.take("FALSE"):
		v, t = "false", BooleanValue
		p.expect("(", ")")
	case p.take("DATE"):
		var parts [3]int
		for i, sign := range []string{"(", ",", ","} {
			p.expect(sign)
			parts[i], _ = strconv.Atoi(p.text('1', "a number"))
		}
		p.expect(")")
		v, t = fmt.Sprintf("%04d-%02d-%02d", parts[0], parts[1], parts[2]), DateValue
		if _, ok := readDay(v); !ok {
			p.fail("a day of the calendar")
		}
	default:
		if t = NumberValue; p.take("-") {
			v = "-"
		}
		if v += p.text('1', "a value"); !number.MatchString(v) {
			p.fail("a number")
		}
	}
	if len(f.Values) > 0 && t != f.Type {
		p.fail("a value of the same type")
	}
	f.Values, f.Type = append(f.Values, v), t
}

// period parses the rest of a named period after its first comparison, if it is one.
func (p *queryParser) period(f *Filter) bool {
	rest, again := p.tokens[p.at:], tokens(columnRef(f.Field))
	if f.Table == "" {
		again = tokens(measureRef(f.Field))
	}
	matches := func(period Period) bool {
		from, to := period.bounds()
		wanted := slices.Concat(tokens(from), tokens("&&"), again, tokens("<"), tokens(to))
		if len(rest) < len(wanted) || !slices.EqualFunc(rest[:len(wanted)], wanted, func(a, b token) bool {
			return a.kind == b.kind && (a.text == b.text || a.kind == 'a' && strings.EqualFold(a.text, b.text))
		}) {
			return false
		}
		p.at += len(wanted)
		f.Operator, f.Values = InPeriod, []string{period.String()}
		return true
	}
	for _, u := range []Unit{Day, Week, Month, Quarter, Year} {
		for _, period := range []Period{This(u), Last(u), ToDate(u)} {
			if matches(period) {
				return true
			}
		}
		for _, t := range rest[:min(len(rest), 10)] { // the count is among the first tokens
			if n, _ := strconv.Atoi(t.text); n > 1 && t.kind == '1' {
				if period, ok := LastUnits(n, u); ok && matches(period) {
					return true
				}
			}
		}
	}
	return false
}
