package dax

// IsConstant reports whether an expression is a text, a number with or without a sign, TRUE() or FALSE(), apart from
// comments and outer parentheses.
func IsConstant(expression string) bool {
	n, ok := Parse(expression)
	return ok && n.Variables == nil && n.IsConstant()
}

// IsConstant reports whether a node is a text, a number with or without a sign, TRUE() or FALSE().
func (n *Node) IsConstant() bool {
	switch n.Kind {
	case NumberNode, TextNode:
		return true
	case SignNode:
		return n.Text != "NOT" && n.Parts[0].Kind == NumberNode
	case CallNode:
		return (n.Text == "TRUE" || n.Text == "FALSE") && n.Variables == nil && len(n.Parts) == 0
	case ColumnNode, NameNode, OperationNode, ListNode, TupleNode, OmittedNode:
	}
	return false
}
