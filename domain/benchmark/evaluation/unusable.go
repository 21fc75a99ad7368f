package evaluation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"readiness/definition/dax"
	"readiness/definition/spelling"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
	"readiness/internal/lists"
)

// Unusable says why no answer to a question can be judged: its expected query is no complete query, names what the model lacks or, over
// sample data, has no row; "" if answers can be judged.
func (j *Judge) Unusable(q benchmark.Question) string {
	if can, why := q.CanRun(j.Model); !can {
		return why
	}
	if q.Expected.DAX == "" {
		return ""
	}
	read, at, ok := dax.ParseQuery(q.Expected.DAX)
	if left := q.Expected.DAX[at:]; !ok && (left == "" || strings.ContainsAny(left[:1], "),}")) { // elsewhere it may be DAX that is not read here
		return fmt.Sprintf("the query cannot be read at its byte %d: a bracket, a quotation mark or an expression is missing", at+1)
	}
	rows := j.query(q.Expected.DAX).rows
	if rows == nil {
		return ""
	}
	blank := !slices.ContainsFunc(rows.Rows, func(r []verdict.Value) bool {
		return slices.ContainsFunc(r, func(v verdict.Value) bool { return v != verdict.Value{} })
	})
	if blank {
		if why := j.strange(read); why != "" {
			return "over the sample data the query returns nothing: " + why
		}
	}
	if len(rows.Rows) == 0 {
		return "over the sample data the query returns no row, so that no answer is right; compare its values with those of the columns"
	}
	return ""
}

// nearest is how many values of a column are named.
const nearest = 3

// strange names a text that the query compares a column with, and that no row of the column has.
func (j *Judge) strange(q dax.Query) (why string) {
	check := func(c, with *dax.Node) {
		if why != "" || c.Kind != dax.ColumnNode || !c.Reference.Qualified {
			return
		}
		column := "'" + strings.ReplaceAll(c.Reference.Table, "'", "''") + "'" + dax.Bracket(c.Reference.Name)
		made := j.query("EVALUATE VALUES(" + column + ")").rows
		if made == nil {
			return
		}
		var values []string
		for _, row := range made.Rows {
			if v, is := row[0].Text(); is {
				values = append(values, v)
			}
		}
		for _, text := range append(slices.Clone(with.Parts), with) {
			wanted := spelling.Fold(text.Text)
			if text.Kind != dax.TextNode || len(values) == 0 || slices.ContainsFunc(values, func(v string) bool { return spelling.Fold(v) == wanted }) {
				continue
			}
			distance := func(v string) int { return levenshtein.ComputeDistance(wanted, spelling.Fold(domain.Excerpt(v))) }
			slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
			why = fmt.Sprintf("%s has no %q; its values are like %s", column, domain.Excerpt(text.Text),
				strings.Join(lists.Map(values[:min(len(values), nearest)], func(v string) string { return fmt.Sprintf("%q", domain.Excerpt(v)) }), ", "))
			return
		}
	}
	var walk func(n *dax.Node)
	walk = func(n *dax.Node) {
		if n == nil {
			return
		}
		switch {
		case n.Kind == dax.OperationNode && slices.Contains([]string{"=", "==", "IN"}, n.Text):
			check(n.Parts[0], n.Parts[1])
			check(n.Parts[1], n.Parts[0])
		case n.Kind == dax.CallNode && n.Text == "TREATAS" && len(n.Parts) == 2:
			check(n.Parts[1], n.Parts[0])
		}
		for _, v := range n.Variables {
			walk(v.Value)
		}
		for _, p := range n.Parts {
			walk(p)
		}
	}
	for _, d := range q.Defined {
		walk(d.Value)
	}
	for _, e := range q.Evaluated {
		walk(e.Table)
	}
	return why
}
