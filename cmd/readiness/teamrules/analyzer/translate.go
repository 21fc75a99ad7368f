package analyzer

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"readiness/domain/readiness/ownrules"
)

// members are those of the analyzer's objects, in lower case, that mean the same as one of ours. Others are not converted.
var members = map[string]string{
	"name": "name", "description": "description", "ishidden": "isHidden", "datatype": "dataType", "summarizeby": "summarizeBy",
	"formatstring": "formatString", "formatstringexpression": "formatStringDefinition", "displayfolder": "displayFolder", "datacategory": "dataCategory",
	"sortbycolumn": "sortByColumn", "sourcecolumn": "sourceColumn", "iskey": "isKey", "expression": "expression", "table": "table", "columns": "columns",
	"measures": "measures", "hierarchies": "hierarchies", "partitions": "partitions", "calculationitems": "calculationItems", "levels": "levels",
	"usedinrelationships": "relationships", "isactive": "isActive", "fromcardinality": "fromCardinality", "tocardinality": "toCardinality",
	"crossfilteringbehavior": "crossFilteringBehavior", "fromcolumn": "from", "tocolumn": "to", "fromtable": "from.table", "totable": "to.table",
	"tables": "tables", "allcolumns": "columns", "allmeasures": "measures", "relationships": "relationships", "roles": "roles", "ordinal": "ordinal",
	"perspectives": "perspectives", "cultures": "cultures", "culture": "culture", "discourageimplicitmeasures": "discourageImplicitMeasures",
	"sourcetype": "sourceType", "mode": "mode",
}

// enums are members whose values are names, which begin with a capital in the analyzer.
var enums = []string{"dataType", "summarizeBy", "fromCardinality", "toCardinality", "crossFilteringBehavior", "sourceType", "mode"}

// value is a part of an expression in CEL, with its type there.
type value struct {
	text string
	typ  string // as in ownrules, or null, enum, indexOf
	or   bool   // whether it needs parentheses beside and
	and  bool   // whether it needs parentheses as an operand
}

// atom returns the text as an operand of operators that bind closer than and.
func (v value) atom() string {
	if v.or || v.and {
		return "(" + v.text + ")"
	}
	return v.text
}

// maxExpression bounds an expression, in bytes.
const maxExpression = 16 << 10

// translate turns an expression of Dynamic LINQ about an object into CEL.
func translate(expression, of string) (text string, err error) {
	if len(expression) > maxExpression {
		return "", fmt.Errorf("its expression has %d characters; at most %d are read", len(expression), maxExpression)
	}
	tokens, err := tokenize(expression)
	if err != nil {
		return "", err
	}
	p := &parser{tokens: tokens}
	for _, t := range ownrules.Types() {
		if t.Variable == of {
			p.seen = []value{{text: of, typ: t.Name}}
		}
	}
	defer func() {
		if fault := recover(); fault != nil {
			refused, ours := fault.(refusal)
			if !ours {
				panic(fault)
			}
			err = errors.New(string(refused))
		}
	}()
	v := p.disjunction()
	if p.at < len(p.tokens) {
		p.refuse("what stands at %q is not understood", p.peek())
	}
	p.want(v, "bool")
	if v.or {
		return "(" + v.text + ")", nil
	}
	return v.text, nil
}

// refusal is why an expression is not converted; the parser panics with it.
type refusal string

// parser reads an expression by recursive descent.
type parser struct {
	tokens []string
	at     int
	depth  int
	seen   []value // the object of the rule, and those of the predicates around
}

func (p *parser) refuse(format string, args ...any) { panic(refusal(fmt.Sprintf(format, args...))) }

var tokenForm = regexp.MustCompile(`^(?:\s+|"(?:[^"]|"")*"|[A-Za-z_][A-Za-z0-9_]*|[0-9]+(?:\.[0-9]+)?|&&|\|\||==|!=|<>|<=|>=|[-+*/<>=!().,\[\]])`)

func tokenize(text string) (all []string, err error) {
	for text != "" {
		t := tokenForm.FindString(text)
		if t == "" {
			return nil, fmt.Errorf("what stands at %.20q is not understood", text)
		}
		if text = text[len(t):]; strings.TrimSpace(t) != "" {
			all = append(all, t)
		}
	}
	return all, nil
}

func (p *parser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

// accept takes the next token if it is one of some, whose letter case does not matter.
func (p *parser) accept(any ...string) string {
	if t := p.peek(); t != "" && slices.Contains(any, strings.ToLower(t)) {
		p.at++
		return strings.ToLower(t)
	}
	return ""
}

func (p *parser) expect(token string) {
	if p.accept(token) == "" {
		p.refuse("%q is expected before %q", token, p.peek())
	}
}

func (p *parser) want(v value, typ string) {
	if v.typ != typ {
		p.refuse("%s is %s, not %s", v.text, v.typ, typ)
	}
}

// maxDepth bounds the nesting of an expression.
const maxDepth = 40

func (p *parser) disjunction() value {
	if p.depth++; p.depth > maxDepth {
		p.refuse("it is nested too deeply")
	}
	defer func() { p.depth-- }()
	v := p.conjunction()
	for p.accept("or", "||") != "" {
		right := p.conjunction()
		p.want(v, "bool")
		p.want(right, "bool")
		v = value{text: v.text + " || " + right.text, typ: "bool", or: true}
	}
	return v
}

func (p *parser) conjunction() value {
	v := p.negation()
	for p.accept("and", "&&") != "" {
		right := p.negation()
		p.want(v, "bool")
		p.want(right, "bool")
		v = value{text: inAnd(v) + " && " + inAnd(right), typ: "bool", and: true}
	}
	return v
}

func inAnd(v value) string {
	if v.or {
		return "(" + v.text + ")"
	}
	return v.text
}

func (p *parser) negation() value {
	if p.accept("not", "!") == "" {
		return p.comparison()
	}
	v := p.negation()
	p.want(v, "bool")
	if strings.HasPrefix(v.text, "!") {
		return value{text: "!(" + v.text + ")", typ: "bool"}
	}
	return value{text: "!" + v.atom(), typ: "bool"}
}

func (p *parser) comparison() value {
	left := p.sum()
	op := p.accept("=", "==", "!=", "<>", "<", "<=", ">", ">=")
	if op == "" {
		return left
	}
	op = map[string]string{"=": "==", "<>": "!="}[op] + map[bool]string{true: op}[op != "=" && op != "<>"]
	right := p.sum()
	if left.typ == "null" {
		left, right = right, left
	}
	switch {
	case left.typ == "indexOf":
		return p.contained(left, op, right)
	case right.typ == "null" && (left.typ == "string" || left.typ == "enum"):
		right = value{text: `""`, typ: "string"}
	case left.typ == "enum" || right.typ == "enum":
		left, right = lowered(left), lowered(right)
	}
	if left.typ != right.typ {
		p.refuse("%s %s %s compares %s with %s", left.text, op, right.text, left.typ, right.typ)
	}
	if left.typ == "bool" && (right.text == "true" || right.text == "false") { // is == false
		if (right.text == "true") == (op == "==") {
			return left
		}
		return value{text: "!" + value{text: left.text, and: left.and || left.or || strings.ContainsAny(left.text, "=<>&|")}.atom(), typ: "bool"}
	}
	return value{text: left.atom() + " " + op + " " + right.atom(), typ: "bool", and: true}
}

// lowered returns a text literal as names of values are written here.
func lowered(v value) value {
	if text, err := strconv.Unquote(v.text); err == nil && text != "" {
		v.text = strconv.Quote(strings.ToLower(text[:1]) + text[1:])
	}
	v.typ = "string"
	return v
}

// contained is a comparison of the place of a text in another.
func (p *parser) contained(place value, op string, with value) value {
	switch op + with.text {
	case ">=0", ">-1", "!=-1":
		return value{text: place.text, typ: "bool"}
	case "<0", "==-1":
		return value{text: "!" + place.text, typ: "bool"}
	}
	p.refuse("IndexOf is used for more than whether a text contains another")
	return value{}
}

func (p *parser) sum() value {
	v := p.unary()
	for {
		op := p.accept("+", "-", "*", "/")
		if op == "" {
			return v
		}
		right := p.unary()
		if v.typ != right.typ || v.typ != "int" || op == "/" || op == "*" {
			p.refuse("arithmetic other than + and - of counts is not converted")
		}
		v = value{text: v.atom() + " " + op + " " + right.atom(), typ: "int", and: true}
	}
}

func (p *parser) unary() value {
	if p.accept("-") != "" {
		v := p.primary()
		p.want(v, "int")
		return value{text: "-" + v.text, typ: "int"}
	}
	return p.primary()
}

var integer = regexp.MustCompile(`^[0-9]+$`)

func (p *parser) primary() value {
	t := p.peek()
	p.at++
	switch lower := strings.ToLower(t); {
	case t == "(":
		v := p.disjunction()
		p.expect(")")
		if v.or || v.and {
			v = value{text: "(" + v.text + ")", typ: v.typ}
		}
		return p.rest(v)
	case strings.HasPrefix(t, `"`):
		return p.rest(value{text: strconv.Quote(strings.ReplaceAll(t[1:len(t)-1], `""`, `"`)), typ: "string"})
	case integer.MatchString(t):
		return value{text: t, typ: "int"}
	case lower == "true" || lower == "false":
		return value{text: lower, typ: "bool"}
	case lower == "null":
		return value{typ: "null"}
	case lower == "it":
		return p.rest(p.seen[len(p.seen)-1])
	case lower == "current":
		return p.rest(p.seen[0])
	case lower == "outerit":
		return p.rest(p.seen[max(0, len(p.seen)-2)])
	case lower == "model":
		return p.rest(value{text: "model", typ: "Model"})
	case lower == "string" || lower == "regex":
		return p.static(lower)
	case t == "" || !tokenForm.MatchString(t) || !letter(t[0]):
		p.refuse("what stands at %q is not understood", t)
	}
	return p.rest(p.dot(p.seen[len(p.seen)-1], t))
}

func letter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' }

// static is a call of string or RegEx.
func (p *parser) static(of string) value {
	p.expect(".")
	name := strings.ToLower(p.peek())
	p.at++
	p.expect("(")
	first := p.disjunction()
	switch {
	case of == "string" && (name == "isnullorempty" || name == "isnullorwhitespace"):
		p.want(first, "string")
		p.expect(")")
		text := first.text
		if name == "isnullorwhitespace" {
			text += ".trim()"
		}
		return value{text: text + ` == ""`, typ: "bool", and: true}
	case of == "regex" && name == "ismatch":
		p.want(first, "string")
		p.expect(",")
		pattern, err := strconv.Unquote(p.peek2())
		if err != nil {
			p.refuse("a pattern that is made of names fails at names with brackets")
		}
		p.expect(")")
		if _, err := regexp.Compile(pattern); err != nil {
			p.refuse("its pattern looks ahead or behind, or is not one of RE2: %v", err)
		}
		return value{text: first.text + ".matches(" + literal(pattern) + ")", typ: "bool"}
	}
	p.refuse("%s.%s is not converted", of, name)
	return value{}
}

// peek2 takes a literal text, quoted; "" if something else stands there.
func (p *parser) peek2() string {
	t := p.peek()
	if !strings.HasPrefix(t, `"`) || p.at+1 >= len(p.tokens) || p.tokens[p.at+1] != ")" {
		return ""
	}
	p.at++
	return strconv.Quote(strings.ReplaceAll(t[1:len(t)-1], `""`, `"`))
}

// literal writes a pattern, raw if that is shorter.
func literal(text string) string {
	if strings.Contains(text, `\`) && !strings.ContainsAny(text, "\"\n") {
		return `r"` + text + `"`
	}
	return strconv.Quote(text)
}

// member returns a member of an object.
func (p *parser) member(of value, name string) value {
	lower := strings.ToLower(name)
	switch lower {
	case "isvisible":
		return value{text: "!" + of.text + ".isHidden", typ: "bool"}
	case "model":
		return value{text: "model", typ: "Model"}
	case "referencedby":
		return value{text: of.text, typ: "references"}
	}
	ours, typ := members[lower], of.typ
	for part := range strings.SplitSeq(ours, ".") {
		typ = typeOf(typ, part)
	}
	if ours == "" || typ == "" {
		p.refuse("there is no %s of %s here", name, strings.ToLower(of.typ))
	}
	if slices.Contains(enums, ours) {
		typ = "enum"
	}
	return value{text: of.text + "." + ours, typ: typ}
}

func typeOf(of, member string) string {
	for _, t := range ownrules.Types() {
		for _, m := range t.Members {
			if t.Name == of && m.Name == member {
				return m.Type
			}
		}
	}
	return ""
}

// rest reads the members and calls behind a value.
func (p *parser) rest(v value) value {
	for {
		switch {
		case p.accept("[") != "":
			i := p.sum()
			p.expect("]")
			element, ok := elementOf(v)
			if !ok || i.typ != "int" {
				p.refuse("%s[%s] is not converted", v.text, i.text)
			}
			v = value{text: v.text + "[" + i.text + "]", typ: element}
		case p.accept(".") != "":
			name := p.peek()
			p.at++
			v = p.dot(v, name)
		default:
			return v
		}
	}
}

func elementOf(v value) (string, bool) {
	element, ok := strings.CutPrefix(v.typ, "list(")
	return strings.TrimSuffix(element, ")"), ok
}

func (p *parser) dot(v value, name string) value {
	called := p.accept("(") != ""
	lower := strings.ToLower(name)
	if _, isList := elementOf(v); isList {
		return p.query(v, lower, called)
	}
	switch {
	case v.typ == "references" && lower == "allmeasures" && !called:
		return value{text: v.text + ".referencedBy", typ: "list(Measure)"}
	case v.typ == "references":
		p.refuse("ReferencedBy also has columns, roles and hierarchies, which rules do not see")
	case v.typ == "enum" && called && lower == "tostring":
		p.expect(")")
		return v
	case v.typ == "enum" && !called: // DataType.Int64
		return value{text: strconv.Quote(name), typ: "enum"}
	case v.typ == "string":
		return p.ofText(v, lower, called)
	case lower == "hasannotation" && called:
		name := p.disjunction()
		p.expect(")")
		p.want(name, "string")
		return value{text: name.text + " in " + v.text + ".annotations", typ: "bool", and: true}
	case called:
		p.refuse("%s() is not converted", name)
	}
	return p.member(v, name)
}

// ofText is a member or call of a text.
func (p *parser) ofText(v value, name string, called bool) value {
	if name == "length" && !called {
		return value{text: "size(" + v.text + ")", typ: "int"}
	}
	if !called {
		p.refuse("%s of a text is not converted", name)
	}
	simple := map[string]string{"toupper": "upper", "tolower": "lower", "trim": "trim", "tostring": ""}
	if ours, ok := simple[name]; ok {
		p.expect(")")
		if ours != "" {
			v.text += "." + ours + "()"
		}
		return v
	}
	ours := map[string]string{"startswith": "startsWith", "endswith": "endsWith", "contains": "contains", "indexof": "contains"}[name]
	if ours == "" {
		p.refuse("%s of a text is not converted", name)
	}
	other := p.disjunction()
	p.want(other, "string")
	if p.accept(",") != "" {
		for p.peek() != ")" && p.peek() != "" { // StringComparison.OrdinalIgnoreCase
			if t := strings.Trim(p.peek(), `"`); strings.EqualFold(t, "OrdinalIgnoreCase") || strings.EqualFold(t, "InvariantCultureIgnoreCase") {
				v.text += ".lower()"
				other.text = strings.ToLower(other.text)
			}
			p.at++
		}
		if !strings.HasSuffix(v.text, ".lower()") || !strings.HasPrefix(other.text, `"`) {
			p.refuse("%s with a comparison that is not simple is not converted", name)
		}
	}
	p.expect(")")
	found := value{text: v.text + "." + ours + "(" + other.text + ")", typ: "bool"}
	if name == "indexof" {
		found.typ = "indexOf"
	}
	return found
}

// query is Any, All, Count or Where of a list.
func (p *parser) query(v value, name string, called bool) value {
	if name == "count" && (!called || p.accept(")") != "") {
		return value{text: "size(" + v.text + ")", typ: "int"}
	}
	if !called {
		p.refuse("%s of a list is not converted", name)
	}
	if name == "any" && p.accept(")") != "" {
		return value{text: "size(" + v.text + ") > 0", typ: "bool", and: true}
	}
	element, _ := elementOf(v)
	macro := map[string]string{"any": "exists", "all": "all", "count": "filter", "where": "filter"}[name]
	if macro == "" || element == "string" {
		p.refuse("%s of a list is not converted", name)
	}
	variable := strings.ToLower(element[:1])
	for slices.ContainsFunc(p.seen, func(s value) bool { return s.text == variable }) {
		variable += strings.ToLower(element[:1])
	}
	p.seen = append(p.seen, value{text: variable, typ: element})
	predicate := p.disjunction()
	p.want(predicate, "bool")
	p.expect(")")
	p.seen = p.seen[:len(p.seen)-1]
	made := value{text: v.text + "." + macro + "(" + variable + ", " + predicate.text + ")", typ: "bool"}
	switch name {
	case "where":
		made.typ = v.typ
	case "count":
		made = value{text: "size(" + made.text + ")", typ: "int"}
	}
	return made
}
