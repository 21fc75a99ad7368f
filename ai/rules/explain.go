package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/wording"
)

// explainer puts DAX into words. It returns nothing for an expression that it does not support, so that a text says exactly
// what the expression says.
type explainer struct {
	*facts
	home *table // the table that the expression belongs to
	// row is the table whose rows the expression is computed for, nil for filters alone. rowColumns are
	// the columns of a row, if these are not those of row.
	row        *table
	rowColumns []*field
	aliases    map[string]explanation // columns that the expression itself adds to rows, in lower case
	// level counts the changes of filters and rows around the expression. A variable keeps its value
	// only at its own level.
	level int
	vars  *variable
	about *table // the table whose columns are named without it
	// unselected is true for a calculated column, which is computed before anybody selects anything.
	unselected bool
}

// variable is what VAR declares. Variables are chained, the innermost first.
type variable struct {
	name  string
	value *dax.Node
	in    *explainer // where it is declared
	outer *variable
}

// explanation is a value in words: a noun phrase, and what holds for all of it.
type explanation struct {
	text string
	// the is true if the phrase needs an article within a sentence.
	the bool
	// compound is true if the phrase has operands, so that next to an operator it needs parentheses.
	compound bool
	where    []string // conditions
	when     string   // a period
	tail     []string // what follows after commas
	filtered []*field // the columns of where
	outer    []*field // columns that conditions within the value replace
	dated    []*field // the columns of when, if filters on a calendar of their table would cut the period
	reaching []*field // the columns of where and when, whose filters must reach what the value is computed from
	about    *table   // the table that an aggregate is computed over
	of       string   // the word of the function if the phrase is only an aggregate of a column or of rows
	counts   *field   // the column whose values are counted, if the phrase only counts them
	constant bool
}

// relative reports whether the phrase is a quotient of two values of one kind, which has no unit.
func (s explanation) relative() bool {
	return strings.HasPrefix(s.text, "relative change ") || strings.HasPrefix(s.text, "share of ")
}

// full returns the phrase with what holds for it.
func (s explanation) full() string {
	text := s.text
	if len(s.where) > 0 {
		text += " where " + strings.Join(together(s.where), " and ")
	}
	if s.when != "" {
		if len(s.where) > 0 {
			text += ","
		}
		text += " " + s.when
	}
	for _, t := range s.tail {
		text += ", " + t
	}
	return text
}

// within returns the phrase within a sentence.
func (s explanation) within() string {
	if s.the {
		return "the " + s.full()
	}
	return s.full()
}

func (s explanation) plain() bool {
	return !s.compound && len(s.where) == 0 && s.when == "" && len(s.tail) == 0
}

// operand returns the phrase next to an operator.
func (s explanation) operand(isFirst bool) string {
	switch {
	case slices.Equal(s.tail, []string{noChoice}) && len(s.where) == 0:
		return "the " + s.text // within a text, what is there without a choice would hide the point
	case s.plain() && isFirst:
		return s.text
	case s.plain():
		return s.within()
	case isFirst:
		return "(" + s.full() + ")"
	}
	return "(" + s.within() + ")"
}

// longestText is the longest text of an expression that is quoted.
const longestText = 40

// quote returns a text of an expression in quotation marks, "" for one that cannot be shown.
func quote(s string) string {
	if wording.Length(s) > longestText || s != strings.TrimSpace(s) || !prose.MentionableLine(s) || strings.ContainsAny(s, `"[]`) {
		return ""
	}
	return `"` + s + `"`
}

// explain returns what an expression computes, as a sentence without its full stop, "" for one that is not understood.
func (f *facts) explain(x *field) explanation {
	s, known := f.explanations[x]
	if !known {
		s = f.explainAnew(x)
		if f.explanations == nil {
			f.explanations = map[*field]explanation{}
		}
		f.explanations[x] = s
	}
	return s
}

func (f *facts) explainAnew(x *field) explanation {
	home := x.table
	if f.isUnsound(x) {
		return explanation{} // what it computes is no answer, whatever it is
	}
	e := &explainer{facts: f, home: home}
	if x.measure == nil {
		e.about, e.row, e.unselected = home, home, true
	}
	n, ok := dax.Parse(x.expression())
	if !ok {
		return explanation{}
	}
	s, ok := e.value(n)
	if !ok {
		if s, ok = e.truth(n); !ok {
			return explanation{}
		}
	}
	return s
}

// declare returns an explainer that knows the variables of a node.
func (e *explainer) declare(n *dax.Node) *explainer {
	for _, v := range n.Variables {
		next := *e
		next.vars = &variable{strings.ToLower(v.Name), v.Value, e, e.vars}
		e = &next
	}
	return e
}

func (e *explainer) lookUp(name string) *variable {
	for v := e.vars; v != nil; v = v.outer {
		if v.name == strings.ToLower(name) {
			return v
		}
	}
	return nil
}

// inner returns an explainer for expressions that are computed under other filters or for other rows.
func (e *explainer) inner() *explainer {
	next := *e
	next.level++
	return &next
}

// value returns a number, text or date in words.
func (e *explainer) value(n *dax.Node) (explanation, bool) {
	e = e.declare(n)
	switch n.Kind {
	case dax.NumberNode:
		return explanation{text: n.Text, constant: true}, true
	case dax.TextNode:
		text := quote(n.Text)
		return explanation{text: text, constant: true}, text != ""
	case dax.ColumnNode:
		return e.reference(n.Reference)
	case dax.NameNode:
		return e.name(n)
	case dax.CallNode:
		return e.call(n)
	case dax.SignNode:
		return e.sign(n)
	case dax.OperationNode:
		return e.operation(n)
	case dax.ListNode, dax.TupleNode, dax.OmittedNode:
	}
	return explanation{}, false
}

// reference returns a measure, or a column of the row.
func (e *explainer) reference(r dax.Reference) (explanation, bool) {
	if s, ok := e.aliases[strings.ToLower(r.Name)]; ok && !r.Qualified {
		return s, true
	}
	to := e.resolve(r, e.home)
	switch {
	case to == nil || !prose.Mentionable(to.name):
		return explanation{}, false
	case to.measure != nil:
		return explanation{text: prose.MeasureRef(to.name)}, true
	case !e.inRow(to):
		return explanation{}, false
	}
	return explanation{text: e.columnName(to)}, true
}

func (e *explainer) inRow(c *field) bool {
	if e.rowColumns != nil {
		return slices.Contains(e.rowColumns, c)
	}
	return c.table == e.row
}

// columnName returns a column as a sentence names it: with its table unless that is clear.
func (e *explainer) columnName(c *field) string {
	if c.table == e.about {
		return c.name
	}
	return c.name + " of " + c.table.src.Name
}

func (e *explainer) name(n *dax.Node) (explanation, bool) {
	if n.Quoted {
		return explanation{}, false
	}
	v := e.lookUp(n.Text)
	if v == nil {
		return explanation{}, false
	}
	s, ok := v.in.value(v.value)
	return s, ok && (s.constant || v.in.level == e.level)
}

func (e *explainer) sign(n *dax.Node) (explanation, bool) {
	s, ok := e.value(n.Parts[0])
	switch {
	case !ok || n.Text == "NOT":
		return explanation{}, false
	case n.Text == "+":
		return s, true
	case s.constant && n.Parts[0].Kind == dax.NumberNode:
		s.text = "-" + s.text
		return s, true
	}
	s.tail = append(slices.Clip(s.tail), "with the sign reversed")
	return s, true
}

// column returns the column that an argument names. The model must know it, and its name must be fit
// for a sentence.
func (e *explainer) column(n *dax.Node) *field {
	if n.Kind != dax.ColumnNode {
		return nil
	}
	if c := e.resolve(n.Reference, e.home); c != nil && c.column != nil && prose.Mentionable(c.name) &&
		prose.Mentionable(c.table.src.Name) {
		return c
	}
	return nil
}

// isBlank reports whether a node is BLANK().
func isBlank(n *dax.Node) bool {
	return n.Kind == dax.CallNode && n.Text == "BLANK" && len(n.Parts) == 0
}

// isNumber reports whether a node is one of the numbers.
func isNumber(n *dax.Node, numbers ...string) bool {
	return n.Kind == dax.NumberNode && slices.Contains(numbers, n.Text)
}

// truthOf returns the value of TRUE, TRUE(), FALSE and FALSE().
func truthOf(n *dax.Node) (value, ok bool) {
	isWord := n.Kind == dax.NameNode && !n.Quoted || n.Kind == dax.CallNode && len(n.Parts) == 0
	switch {
	case isWord && strings.EqualFold(n.Text, "TRUE"):
		return true, true
	case isWord && strings.EqualFold(n.Text, "FALSE"):
		return false, true
	}
	return false, false
}

// isDay reports whether a column holds dates.
func (x *field) isDay() bool {
	return x.isDate() || x.column != nil && x.column.DataType == "" && x.column.SourceColumn == "[Date]"
}

// isText reports whether a column holds text.
func (x *field) isText() bool { return x.column != nil && x.column.DataType == semanticmodel.String }
