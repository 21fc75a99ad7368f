package dax

import "strings"

// Canonical returns a text that is equal for expressions that differ by comments, white space, letter case, outer parentheses or the
// quotation of names only.
func Canonical(expression string) string {
	if n, ok := Parse(expression); ok {
		return n.canonical()
	}
	var b strings.Builder
	for _, t := range lex(expression) {
		b.WriteString(strings.ToLower(expression[t.start:t.end]) + " ")
	}
	return b.String()
}

func (n *Node) canonical() string {
	var b strings.Builder
	for _, v := range n.Variables {
		b.WriteString("var " + strings.ToLower(v.Name) + "=" + v.Value.canonical() + ";")
	}
	switch n.Kind {
	case ColumnNode:
		b.WriteString(strings.ToLower(n.Reference.Table + "[" + n.Reference.Name + "]"))
	case TextNode:
		b.WriteString(`"` + n.Text + `"`)
	case NumberNode, NameNode, CallNode, SignNode, OperationNode, ListNode, TupleNode, OmittedNode:
		b.WriteString(strings.ToLower(n.Text))
	}
	if n.Parts != nil || n.Kind == CallNode {
		b.WriteByte('(')
		for _, p := range n.Parts {
			b.WriteString(p.canonical() + ",")
		}
		b.WriteByte(')')
	}
	return b.String()
}

// Negations returns the canonical texts of an expression with the other sign: a difference the other way round, what a minus
// stands before, or the expression after a minus.
func Negations(expression string) []string {
	n, ok := Parse(expression)
	if !ok || n.Variables != nil {
		return nil
	}
	all := []string{(&Node{Kind: SignNode, Text: "-", Parts: []*Node{n}}).canonical()}
	switch {
	case n.Kind == OperationNode && n.Text == "-" && n.Parts[0].Kind == NumberNode && n.Parts[0].Text == "0":
		all = append(all, n.Parts[1].canonical())
	case n.Kind == OperationNode && n.Text == "-":
		all = append(all, (&Node{Kind: OperationNode, Text: "-", Parts: []*Node{n.Parts[1], n.Parts[0]}}).canonical())
	case n.Kind == SignNode && n.Text == "-":
		all = append(all, n.Parts[0].canonical())
	case n.Kind == OperationNode && n.Text == "/" && n.Parts[1].canonical() == "-(1,)":
		all = append(all, n.Parts[0].canonical())
	case n.Kind == OperationNode && n.Text == "*":
		for i, p := range n.Parts {
			if p.canonical() == "-(1,)" {
				all = append(all, n.Parts[1-i].canonical())
			}
		}
	}
	return all
}

// TimesHundred reports whether an expression's result is multiplied by 100, also the numerator of DIVIDE and a variable.
func TimesHundred(expression string) bool {
	n, ok := Parse(expression)
	return ok && n.timesHundred(nil)
}

func (n *Node) timesHundred(known []Variable) bool {
	known = append(known[:len(known):len(known)], n.Variables...)
	switch {
	case n.Kind == OperationNode && n.Text == "*":
		return n.Parts[0].isHundred() || n.Parts[1].isHundred() || n.Parts[0].timesHundred(known)
	case n.Kind == OperationNode && n.Text == "/":
		return n.Parts[0].timesHundred(known)
	case n.Kind == CallNode && (n.Text == "DIVIDE" || n.Text == "ROUND" || n.Text == "CALCULATE") && len(n.Parts) > 0:
		return n.Parts[0].timesHundred(known)
	case n.Kind == CallNode && n.Text == "IF" && len(n.Parts) > 1:
		return n.Parts[1].timesHundred(known)
	case n.Kind == NameNode && !n.Quoted:
		for i := len(known) - 1; i >= 0; i-- {
			if strings.EqualFold(known[i].Name, n.Text) {
				return known[i].Value.timesHundred(known[:i])
			}
		}
	}
	return false
}

func (n *Node) isHundred() bool {
	return n.Kind == NumberNode && (n.Text == "100" || n.Text == "100.0")
}
