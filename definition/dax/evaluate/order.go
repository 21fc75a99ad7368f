package evaluate

import (
	"slices"
	"strings"

	"readiness/definition/dax"
)

// ordering is one criterion of an order with its value for each row.
type ordering struct {
	values     []Value
	descending bool
}

// by evaluates a criterion for each row.
func (s *session) by(sc scope, g *grid, n *dax.Node, descending bool) ordering {
	o := ordering{descending: descending, values: make([]Value, g.len())}
	for row := range o.values {
		o.values[row] = s.scalar(sc.at(g, row), n)
		if row > 0 && !o.values[row].isBlank() && !o.values[0].isBlank() && o.values[row].kind != o.values[0].kind {
			s.refuse(n, "it orders values of different types")
		}
	}
	return o
}

// compareRows compares two rows by all criteria.
func compareRows(orders []ordering, a, b int) int {
	for _, o := range orders {
		order := o.values[a].compare(o.values[b])
		if o.descending {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// ordered returns the order of a result's rows. Texts are in the order of their lower-case
// characters.
func (s *session) ordered(sc scope, g *grid, by []dax.Order) []int {
	rows := make([]int, g.len())
	for i := range rows {
		rows[i] = i
	}
	var orders []ordering
	for _, o := range by {
		orders = append(orders, s.by(sc, g, o.By, o.Descending))
	}
	slices.SortStableFunc(rows, func(a, b int) int { return compareRows(orders, a, b) })
	return rows
}

// topN returns the first rows of an order with those that tie with the last.
func (s *session) topN(sc scope, n *dax.Node) *grid {
	count := s.integral(n, s.scalar(sc, n.Parts[0]))
	g := s.table(sc, n.Parts[1])
	var orders []ordering
	for i := 2; i < len(n.Parts); i++ {
		by := n.Parts[i]
		descending := true
		if i+1 < len(n.Parts) {
			if direction, ok := s.direction(sc, n.Parts[i+1]); ok {
				descending = direction
				i++
			}
		}
		o := s.by(sc, g, by, descending)
		s.comparable(o, by)
		orders = append(orders, o)
	}
	if len(orders) == 0 && count < g.len() {
		s.refuse(n, "TOPN without an order returns any rows")
	}
	rows := s.ordered(sc, g, nil)
	slices.SortStableFunc(rows, func(a, b int) int { return compareRows(orders, a, b) })
	end := max(0, min(count, len(rows)))
	for end > 0 && end < len(rows) && compareRows(orders, rows[end-1], rows[end]) == 0 {
		end++
	}
	rows = rows[:end]
	slices.Sort(rows)
	return g.keep(rows)
}

// direction reads the direction of TOPN; ok is false if the argument is none.
func (s *session) direction(sc scope, n *dax.Node) (descending, ok bool) {
	switch {
	case n.Kind == dax.NameNode && strings.EqualFold(n.Text, "DESC"):
		return true, true
	case n.Kind == dax.NameNode && strings.EqualFold(n.Text, "ASC"):
		return false, true
	case n.Kind == dax.NumberNode, n.Kind == dax.CallNode && (n.Text == "TRUE" || n.Text == "FALSE"):
		return s.scalar(sc, n).number == 0, true
	}
	return false, false
}

// comparable refuses an order that decides which rows there are and is not certain.
func (s *session) comparable(o ordering, n *dax.Node) {
	blank, below := false, false
	for _, v := range o.values {
		blank = blank || v.isBlank()
		below = below || !v.isBlank() && v.kind != Text && v.number <= 0
		if v.kind == Text && !v.sortsPlainly() {
			s.refuse(n, "the order of texts depends on the language")
		}
	}
	if blank && below {
		s.refuse(n, "the order of BLANK among numbers up to 0 is not known")
	}
}
