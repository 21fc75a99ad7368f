package readiness_test

import (
	"fmt"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

func TestVisibilityRules(t *testing.T) {
	t.Parallel()
	named := func(name string) *semanticmodel.Model { return model(table("S", text(name))) }
	helper := func(names ...string) *semanticmodel.Model {
		t := table("S")
		for _, n := range names {
			t.Measures = append(t.Measures, measure(n, "1"))
		}
		return model(t)
	}
	rules(t, map[string][]row{
		"VIS-01": {
			{"configured", model(table("S", columns(31, "c%d", semanticmodel.String)), schema("S[c1] Hidden")), "# 0"},
			{"an entry that leaves nothing out", model(table("S", columns(31, "c%d", semanticmodel.String)), schema("S[c1] Visible")), "# 1"},
			{"31 fields", model(table("S", columns(30, "c%d", semanticmodel.String), measure("m", "1"))), "# 1"},
			{"hidden is configured", model(table("S", text("a"), text("b")), schema("S[a] Hidden")), "# 0"},
			{"a table is an object", model(table("S", text("a")), schema("S Visible")), "# 0"},
		},
		"VIS-02": {
			{"a foreign key", model(table("S", whole("P")), table("D", whole("Id")), related("S[P] -> D[Id]")), "D[Id] 0, S[P] 1"},
			{"both ends of many to many", model(table("S", whole("P")), table("D", whole("Id")), related("S[P] -> D[Id]", "manyToMany")), "D[Id] 1, S[P] 1"},
			{"neither end of one to one", model(table("S", whole("P")), table("D", whole("Id")), related("S[P] -> D[Id]", "oneToOne")), "D[Id] 0, S[P] 0"},
			{"hidden", model(table("S", whole("P", hidden)), table("D", whole("Id")), related("S[P] -> D[Id]")), "D[Id] 0"},
			{"a word before without a break", named("Uncreated"), "S[Uncreated] 0"},
			{"a word after", named("Created Orders"), "S[Created Orders] 0"},
			{"an ordinary name", named("Customer"), "S[Customer] 0"},
		},
		"VIS-03": {
			{"not a start", helper("xnet", "Net_x", "testing", "my tmp net"), "S[Net_x] 0, S[my tmp net] 0, S[testing] 0, S[xnet] 0"},
			{"hidden", model(table("S", measure("_x", "1", hiddenMeasure))), ""},
		},
		"VIS-04": {
			{"not configured", model(table("S", text("h", hidden), measure("m", "S[h]"))), ""},
			{"no reference", model(table("S", measure("m", "1")), schema("S[m] Visible")), "S[m] 0"},
			{"one of two missing", model(table("S", text("a"), text("h", hidden), measure("m", "S[a] + S[h] + [h]")), schema("S[m] Visible")), "S[m] 0.5"},
			{"through hidden measures", model(table("S", text("a"), text("h", hidden), measure("m", "[n]"), measure("n", "[o] + S[a]", hiddenMeasure), measure("o", "S[h]", hiddenMeasure)), schema("S[m] Visible")), "S[m] 0.75"},
			{"hidden by the schema", model(table("S", text("a"), measure("m", "S[a]")), schema("S[a] Hidden")), "S[m] 1"},
			{"a circle", model(table("S", text("h", hidden), measure("m", "[n]"), measure("n", "[m] + S[h]")), schema("S[m] Visible")), "S[m] 0.5, S[n] 0.5"},
			{"itself", model(table("S", measure("m", "[m]")), schema("S[m] Visible")), "S[m] 0"},
			{"keys that only switch a relationship", model(table("S", text("h", hidden), measure("m", "CALCULATE(1, USERELATIONSHIP(S[h], D[h]))")),
				table("D", text("h", hidden)), schema("S[m] Visible")), "S[m] 0"},
			{"a key that is counted, too", model(table("S", text("h", hidden), measure("m", "CALCULATE(DISTINCTCOUNT(S[h]), USERELATIONSHIP(S[h], D[h]))")),
				table("D", text("h", hidden)), schema("S[m] Visible")), "S[m] 0.5"},
			{"what resolves to nothing", model(table("S", measure("m", "S[gone] + [@x]")), schema("S[m] Visible")), "S[m] 0"},
			{"hidden measures are not judged", model(table("S", text("h", hidden), measure("m", "S[h]", hiddenMeasure), measure("n", "[m]")), schema("S[n] Visible")), "S[n] 1"},
		},
		"VIS-05": {
			{"25 tables", model(tables(25, "t%d", text("a"))), "# 0"},
			{"26 tables", model(tables(26, "t%d", text("a"))), "# 0.04"},
			{"50 tables", model(tables(50, "t%d", text("a"))), "# 1"},
			{"51 tables", model(tables(51, "t%d", text("a"))), "# 1"},
			{"26 tables, one hidden", model(tables(25, "t%d", text("a")), table("h", hiddenTable)), "# 0"},
		},
		"VIS-06": {{"no usage map", model(table("S", text("a"))), ""}},
	})
}

func TestUnusedFields(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		model *semanticmodel.Model
		usage map[string]map[string]int64
		want  string
	}{
		"an empty map":                 {model(table("S", text("a"))), map[string]map[string]int64{}, "S[a] 0.5"},
		"viewed, names under norm":     {model(table("S", text("a"), measure("m", "1"))), map[string]map[string]int64{" s": {"A ": 1, "gone": 3}, "gone": {"a": 1}}, "S[a] 0, S[m] 0.5"},
		"viewed no time":               {model(table("S", text("a"))), map[string]map[string]int64{"S": {"a": 0}}, "S[a] 0.5"},
		"hidden":                       {model(table("S", text("a", hidden))), map[string]map[string]int64{}, ""},
		"used by a measure":            {model(table("S", text("a"), measure("m", "S[a]"))), map[string]map[string]int64{}, "S[a] 0, S[m] 0.5"},
		"used by a hidden measure":     {model(table("S", text("a"), measure("m", "S[a]", hiddenMeasure))), map[string]map[string]int64{}, "S[a] 0.5"},
		"used through a measure":       {model(table("S", text("a"), measure("m", "[n]"), measure("n", "S[a]", hiddenMeasure))), map[string]map[string]int64{}, "S[a] 0.5, S[m] 0.5"},
		"an end of a relationship":     {model(table("S", text("a")), table("T", text("a")), related("S[a] -> T[a]", "inactive")), map[string]map[string]int64{}, "S[a] 0, T[a] 0"},
		"what another is sorted by":    {model(table("S", text("a", sorted("b"), hidden), whole("b"))), map[string]map[string]int64{}, "S[b] 0"},
		"sorted by one of like names":  {model(table("S", text("b c", hidden, sorted("B  C")), text("b  c"), text("b\u00a0c"))), map[string]map[string]int64{}, "S[b  c] 0, S[b\u00a0c] 0.5"},
		"a level of a hierarchy":       {model(table("S", text("a"), hierarchy("h", "a"))), map[string]map[string]int64{}, "S[a] 0"},
		"of a hidden hierarchy":        {model(table("S", text("a"), semanticmodel.Hierarchy{Name: "h", IsHidden: true, Levels: hierarchy("h", "a").Levels})), map[string]map[string]int64{}, "S[a] 0.5"},
		"of one that the schema hides": {model(table("S", text("a"), hierarchy("h", "a")), schema("S[a] Visible", "S[h] Hidden")), map[string]map[string]int64{}, "S[a] 0.5"},
		"of one that it shows":         {model(table("S", text("a"), semanticmodel.Hierarchy{Name: "h", IsHidden: true, Levels: hierarchy("h", "a").Levels}), schema("S[a] Visible", "S[h] Visible")), map[string]map[string]int64{}, "S[a] 0"},
	} {
		if got := found(t, readiness.Judge(tt.model, readiness.Options{Usage: tt.usage}, false, "VIS-06")); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// More than 64 objects are reached in several steps, and the share must not depend on
// where a step ends. Each measure of the chain refers to more columns than the one
// before; the hidden ones are missing.
func TestReachOfLongChains(t *testing.T) {
	t.Parallel()
	const n = 300
	s := table("S", measure("m0", "S[c0]"))
	for i := range n {
		options := []columnOption{}
		if i%3 == 0 {
			options = append(options, hidden)
		}
		s.Columns = append(s.Columns, text(fmt.Sprintf("c%d", i), options...))
		if i > 0 {
			s.Measures = append(s.Measures, measure(fmt.Sprintf("m%d", i), fmt.Sprintf("[m%d] + S[c%d]", i-1, i)))
		}
	}
	got := map[string]float64{}
	for _, j := range readiness.Judge(model(s, schema("S[m0] Visible")), readiness.Options{}, false, "VIS-04") {
		got[j.ObjectName] = j.Violation
	}
	for i := range n {
		// m_i reaches i measures and i+1 columns; every third column is hidden.
		want := float64(i/3+1) / float64(2*i+1)
		if name := fmt.Sprintf("m%d", i); got[name] != want {
			t.Errorf("%s: got %v, want %v", name, got[name], want)
		}
	}
}

func TestExposedSet(t *testing.T) {
	t.Parallel()
	s := table("S", text("a"), text("h", hidden), measure("m", "1"), measure("n", "1", hiddenMeasure))
	u := table("U", text("a"), hiddenTable)
	for name, tt := range map[string]struct {
		model *semanticmodel.Model
		want  string
	}{
		"not configured":                                       {model(s, u), "S, S[a], S[m]"},
		"not configured: a table without fields":               {model(table("E"), table("H", text("a", hidden))), "E, H"},
		"not configured: Auto means nothing":                   {model(s, schema("S[h] Auto")), "S, S[a], S[m]"},
		"visible":                                              {model(s, u, schema("S[h] Visible", "U[a] Visible")), "S, S[a], S[h], S[m], U, U[a]"},
		"hidden":                                               {model(s, schema("S[a] Hidden")), "S, S[m]"},
		"a hidden table hides its visible fields":              {model(s, u, schema("S Hidden", "S[a] Visible", "U[a] Visible")), "U, U[a]"},
		"a visible table exposes nothing by itself":            {model(s, u, schema("U Visible")), "S, S[a], S[m]"},
		"configured: a table without exposed fields":           {model(table("E"), s, schema("S[a] Visible")), "S, S[a], S[m]"},
		"Auto and absent follow the model":                     {model(s, schema("S Auto", "S[a] Visible", "S[h] Auto", "S[m]")), "S, S[a], S[m]"},
		"another value exposes nothing and hides nothing":      {model(s, u, schema("S Some", "S[m] Visible", "S[a] Some")), "S, S[m]"},
		"names under norm":                                     {model(s, schema(" s[ A ] Hidden")), "S, S[m]"},
		"of two entries for a field the first":                 {model(s, schema("S[a] Hidden", "S[A] Visible")), "S, S[m]"},
		"of two entries for a table the first, with all in it": {model(s, schema("S[m] Visible", "s[a] Hidden", "s Hidden")), "S, S[a], S[m]"},
		"private and automatic tables":                         {model(table("P", privateTable, text("a")), table("LocalDateTable_x", text("a")), schema("P[a] Visible")), ""},
		"row numbers":                                          {model(table("R", whole("RowNumber", rowNumber), text("a"))), "R, R[a]"},
	} {
		x, _ := readiness.Exposed(tt.model)
		if got := fieldNames(x); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
