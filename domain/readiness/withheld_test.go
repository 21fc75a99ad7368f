package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

// Hiding what people ask about earns nothing: it is judged all the same, and VIS-08 says so. Keys, helpers and what other
// measures are computed from may be hidden.
func TestWithheld(t *testing.T) {
	t.Parallel()
	of := func(options ...measureOption) *semanticmodel.Model {
		m := table("Sales", whole("K"), amount("Amount", hidden), measure("Net", "SUM(Sales[Amount])"))
		for _, name := range []string{"Cost", "Margin", "Orders", "Returns", "Buyers"} {
			parts := []measureOption{}
			m.Measures = append(m.Measures, measure(name, "1 + 1", append(parts, options...)...))
		}
		return model(m)
	}
	rules(t, map[string][]row{"VIS-08": {
		{"nothing to ask about", model(table("S", whole("a"))), ""},
		{"everything shown", of(), "# 0"},
		{"one of six shown", of(hiddenMeasure), "# 0.75"},
		{"fewer than four", model(table("S", measure("a", "1"), measure("b", "1", hiddenMeasure), measure("c", "1", hiddenMeasure))), "# 0"},
		{"texts of a dimension", model(table("S", whole("K")), table("D", whole("K"), text("a", hidden), text("b", hidden), text("c", hidden), text("d")), related("S[K] -> D[K]")), "# 0.6667"},
		{"hidden helpers", model(table("S", measure("a", "[_b]"), measure("_b", "1", hiddenMeasure), measure("_c", "1", hiddenMeasure), measure("_d", "1", hiddenMeasure), measure("_e", "1", hiddenMeasure))), "# 0"},
		{"30 shown of 100", model(table("S", measures(30, "m%d")), hiddenMeasures(70)), "# 0"},
		{"29 shown of 100", model(table("S", measures(29, "m%d")), hiddenMeasures(71)), "# 0.03333"},
	}})
	shown, hidden := of(), of(hiddenMeasure)
	if a, b := readiness.Assess(shown, noOptions), readiness.Assess(hidden, noOptions); *b.Raw > *a.Raw {
		t.Errorf("hiding earns: %v, shown %v", *b.Raw, *a.Raw)
	}
}

func hiddenMeasures(n int) semanticmodel.Table {
	t := table("H", measures(n, "h%d"))
	for i := range t.Measures {
		t.Measures[i].IsHidden = true
	}
	return t
}
