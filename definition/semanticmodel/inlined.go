package semanticmodel

import (
	"slices"
	"strings"

	"readiness/definition/dax"
)

// Inlined returns a model whose expressions have the bodies of its functions in place of the calls; the model itself if it has
// none.
func (m *Model) Inlined() *Model {
	if len(m.Functions) == 0 {
		return m
	}
	functions := dax.Functions{}
	for _, f := range m.Functions {
		functions[strings.ToLower(f.Name)] = f.Expression
	}
	in := *m
	in.Tables = slices.Clone(m.Tables)
	for i := range in.Tables {
		t := &in.Tables[i]
		t.Columns, t.Measures = slices.Clone(t.Columns), slices.Clone(t.Measures)
		for j := range t.Columns {
			t.Columns[j].Expression = functions.Inline(t.Columns[j].Expression)
		}
		for j := range t.Measures {
			t.Measures[j].Expression = functions.Inline(t.Measures[j].Expression)
		}
		if t.CalculationGroup != nil {
			group := *t.CalculationGroup
			group.Items = slices.Clone(group.Items)
			for j := range group.Items {
				group.Items[j].Expression = functions.Inline(group.Items[j].Expression)
			}
			t.CalculationGroup = &group
		}
	}
	return &in
}
