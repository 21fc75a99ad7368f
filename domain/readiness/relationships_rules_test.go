package readiness_test

import (
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

func TestFurtherRelationshipRules(t *testing.T) {
	t.Parallel()
	// ring returns tables A, B, … with columns a, b, c and d, and relationships.
	ring := func(names string, relationships ...semanticmodel.Relationship) *semanticmodel.Model {
		m := model()
		for _, n := range names {
			m.Tables = append(m.Tables, table(string(n), whole("a"), whole("b"), whole("c"), whole("d")))
		}
		m.Relationships = relationships
		return m
	}
	slicer := func(n int, expression string) *semanticmodel.Model {
		return model(table("Top N", columns(n, "n%d", semanticmodel.Int64)), table("S", whole("k"), text("t"), measure("m", expression,
			hiddenMeasure)), table("P", whole("k"), text("t")), related("S[k] -> P[k]"))
	}
	// flake returns a fact, a dimension and another one that the first is on the many side of.
	flake := func(name, outer string, parts ...any) *semanticmodel.Model {
		return model(table("S", whole("k")), table(name, append([]any{whole("k"), whole("o")}, parts...)...), table(outer, whole("o")),
			related("S[k] -> "+name+"[k]"), related(name+"[o] -> "+outer+"[o]"))
	}
	two := []any{text("Customer Name"), text("Customer City"), text("Product Name"), text("Product Category")}
	// mixed returns a fact of a measured number with columns.
	mixed := func(columns ...any) *semanticmodel.Model {
		return model(table("S", append([]any{whole("k"), amount("Net"), measure("m", "SUM(S[Net])")}, columns...)...), table("D", whole("k")),
			related("S[k] -> D[k]"))
	}
	sums := func(c *semanticmodel.Column) { c.SummarizeBy = "sum" }
	rules(t, map[string][]row{
		"REL-10": {
			{"two dimensions", model(table("T", text("d"), text("b")), table("D", text("d")), table("B", text("b")), related("T[d] -> D[d]"), related("T[d] -> B[b]")), "T[d] 1"},
			{"each its own", model(table("T", text("d"), text("b")), table("D", text("d")), table("B", text("b")), related("T[d] -> D[d]"), related("T[b] -> B[b]")), "T[b] 0, T[d] 0"},
			{"one of them inactive", model(table("T", text("d")), table("D", text("d")), table("B", text("b")), related("T[d] -> D[d]"), related("T[d] -> B[b]", "inactive")), "T[d] 0"},
			{"two date tables", model(table("T", date("d")), table("Date", date("d"), text("x")), table("Fiscal Date", date("d"), text("x")), related("T[d] -> Date[d]"), related("T[d] -> Fiscal Date[d]")), ""},
		},
		"REL-11": {
			{"two things", mixed(text("Customer Name"), text("Customer City"), text("Product Name"), text("Product Category")), "S 0.5"},
			{"in camel case, by key and name", mixed(text("CustomerID"), text("CustomerFullName"), text("ProductCode"), text("ProductName")), "S 0.5"},
			{"three things, one a place", mixed(text("Customer Name"), text("Customer Segment"), text("Product ID"), text("Product Name"), text("Country"),
				text("City"), text("Postal Code")), "S 1"},
			{"one thing", mixed(text("Customer Name"), text("Customer City"), text("Customer Segment"), text("Product Name")), "S 0"},
			{"a thing and what it contains", mixed(text("Product Name"), text("Product Category Name"), text("Product Category Code")), "S 0"},
			{"parts of dates", mixed(text("Order Month Name"), text("Order Month Code"), text("Ship Day Name"), text("Ship Day Type"), date("Due Date")), "S 0"},
			{"what the rows are", mixed(text("Order Number"), text("Order Type"), text("Invoice No"), text("Invoice Description"), text("s name"), text("s type")), "S 0"},
			{"ways to reach one person", mixed(text("Primary Phone Number"), text("Primary Email"), text("Secondary Phone Number"), text("Secondary Email")), "S 0"},
			{"names of a person", mixed(text("Customer First Name"), text("Customer Last Name"), text("Agent First Name"), text("Agent Last Name")), "S 0"},
			{"keys without what they tell", mixed(text("Customer ID"), text("Customer Code"), text("Product ID"), text("Product SKU")), "S 0"},
			{"numbers and comments", mixed(text("Customer Name"), whole("Customer Size"), text("Customer Comment"), text("Product Name"), amount("Product Class")), "S 0"},
			{"two parts of a place", mixed(text("Customer Name"), text("Customer City"), text("City"), text("Country")), "S 0"},
			{"hidden columns", mixed(text("Customer Name"), text("Customer City"), text("Product Name", hidden), text("Product Category")), "S 0"},
			{"a dimension", model(table("S", whole("k")), table("D", append([]any{whole("k"), amount("Price", sums)}, two...)...), related("S[k] -> D[k]")), ""},
			{"no numbers", model(table("S", append([]any{whole("k")}, two...)...), table("D", whole("k")), related("S[k] -> D[k]")), ""},
			{"numbers that count or date", model(table("S", append([]any{whole("k"), whole("Line No", sums), whole("Year", sums)}, two...)...), table("D", whole("k")),
				related("S[k] -> D[k]")), ""},
			{"a number that is summed", model(table("S", append([]any{whole("k"), amount("Price", sums)}, two...)...), table("D", whole("k")),
				related("S[k] -> D[k]")), "S 0.5"},
			{"one table alone", model(table("S", append([]any{amount("Net"), measure("m", "SUM(S[Net])")}, two...)...)), ""},
		},
		"REL-01": {
			{"in no active relationship", slicer(2, "1"), "P 0, S 0, Top N 1"},
			{"no relationship at all", ring("ABC"), "# 1"},
			{"an inactive relationship", ring("AB", related("A[a] -> B[a]", "inactive")), "# 1"},
			{"only inactive ones", ring("ABC", related("A[a] -> B[a]"), related("C[a] -> B[a]", "inactive")), "A 0, B 0, C 1"},
			{"an inactive one that a measure activates", model(table("A", whole("a")), table("B", whole("a")),
				table("C", whole("a"), columns(5, "b%d", semanticmodel.Int64), measure("m", "CALCULATE(1, USERELATIONSHIP(C[a], B[a]))")), related("A[a] -> B[a]"),
				related("C[a] -> B[a]", "inactive")), "A 0, B 0, C 0"},
			{"an inactive one with itself", ring("ABC", related("A[a] -> B[a]"), related("C[a] -> C[b]", "inactive")), "A 0, B 0, C 1"},
			{"a table with itself", ring("AB", related("A[a] -> A[b]")), "# 1"},
			{"to a utility table", model(table("A", whole("a")), table("B", whole("a")), table("P", group("x"), whole("b")),
				related("A[a] -> P[b]")), "# 1"},
			{"one table", ring("A"), ""},
			{"slicers alone", model(table("A", whole("a"), measure("m", "MAX(A[a]) + MAX(B[a])")), table("B", whole("a"))), ""},
			{"hidden tables", model(table("A", hiddenTable, whole("a")), table("B", hiddenTable, whole("a"))), ""},
			{"a hidden and a shown table", model(table("A", hiddenTable, whole("a")), table("B", whole("a"))), "# 1"},
			{"related by hidden tables", model(table("A", hiddenTable, whole("a")), table("B", hiddenTable, whole("a")), table("C", whole("a")),
				related("A[a] -> B[a]")), "C 1"},
			{"with a column that a measure uses", slicer(5, "MAX('Top N'[n4])"), "P 0, S 0"},
			{"with 6 columns", slicer(6, "MAX('Top N'[n4])"), "P 0, S 0, Top N 1"},
		},
		"REL-03": {
			{"one direction", ring("AB", related("A[a] -> B[a]")), "A[a] -> B[a] 0"},
			{"both directions", ring("AB", related("A[a] -> B[a]", "both")), "A[a] -> B[a] 1"},
			{"one to one", ring("AB", related("A[a] -> B[a]", "both", "oneToOne")), ""},
		},
		"REL-05": {
			{"a snowflake", flake("Sub", "Outer"), "Outer 0, Sub 1"},
			{"facts by name", model(table("S", whole("a")), table("Fact A", whole("a"), whole("b")), table("fct_B", whole("a"), whole("b")),
				table("F_C", whole("a"), whole("b")), table("Outer", whole("b")), related("S[a] -> Fact A[a]"), related("S[a] -> fct_B[a]"),
				related("S[a] -> F_C[a]"), related("Fact A[b] -> Outer[b]"), related("fct_B[b] -> Outer[b]"), related("F_C[b] -> Outer[b]")), "Outer 0"},
			{"another prefix", flake("Dim Sub", "Outer"), "Dim Sub 1, Outer 0"},
			{"a number that a measure uses", flake("Sub", "Outer", amount("Net"), measure("m", "SUM(Sub[Net])")), "Outer 0"},
			{"a number that a hidden measure uses", flake("Sub", "Outer", amount("Net"), measure("m", "SUM(Sub[Net])", hiddenMeasure)),
				"Outer 0, Sub 1"},
			{"a key that a measure uses", flake("Sub", "Outer", amount("Net", key), measure("m", "SUM(Sub[Net])")), "Outer 0, Sub 1"},
			{"a text that a measure uses", flake("Sub", "Outer", text("Net"), measure("m", "MAX(Sub[Net])")), "Outer 0, Sub 1"},
			{"a shared outer table", ring("ABCD", related("A[a] -> B[a]"), related("B[b] -> C[b]"), related("D[a] -> C[b]")), "B 0.5, C 0"},
			{"shared by an inactive relationship", ring("ABCD", related("A[a] -> B[a]"), related("B[b] -> C[b]"), related("D[a] -> C[b]",
				"inactive")), "B 1, C 0"},
			{"two outer tables, the first shared", ring("ABCDE", related("A[a] -> B[a]"), related("B[b] -> C[b]"), related("E[a] -> C[b]"),
				related("B[c] -> D[c]")), "B 1, C 0, D 0"},
		},
		"REL-08": {
			{"none", model(table("S", text("a"))), ""},
			{"sound", ring("AB", related("A[a] -> B[b]")), ""},
			{"a missing table", ring("A", related("A[a] -> B[b]")), "A[a] -> B[b] 1"},
			{"a missing column", ring("AB", related("A[x] -> B[b]", "inactive")), "A[x] -> B[b] 1"},
			{"as spelled", ring("AB", related("a[X] -> B[b]")), "a[X] -> B[b] 1"},
			{"in other letter case", ring("AB", related("a[A] -> b[B]")), ""},
			{"to an automatic table", model(table("A", date("a")), table("LocalDateTable_1"), related("A[a] -> LocalDateTable_1[gone]")), ""},
			{"a missing column to a private table", model(table("A", date("a")), table("P", privateTable), related("A[gone] -> P[x]")), ""},
			{"both ends missing", ring("", related("A[a] -> B[b]")), "A[a] -> B[b] 1"},
			{"a measure is no column", model(table("A", measure("a", "1")), table("B", text("b")), related("A[a] -> B[b]")), "A[a] -> B[b] 1"},
		},
		"REL-09": {
			{"none", model(table("S", text("a"))), ""},
			{"a star", ring("SPQ", related("S[a] -> P[a]"), related("S[b] -> Q[a]")), "S[a] -> P[a] 0, S[b] -> Q[a] 0"},
			{"inactive ones", ring("SPQ", related("S[a] -> P[a]", "inactive"), related("S[b] -> P[a]", "inactive")), ""},
			{"two ways to a fact", ring("SPQ", related("S[a] -> P[a]"), related("P[b] -> Q[a]"), related("S[b] -> Q[b]")),
				"P[b] -> Q[a] 0, S[a] -> P[a] 0, S[b] -> Q[b] 1"},
			{"two relationships of two tables", ring("SP", related("S[a] -> P[a]"), related("S[b] -> P[b]")), "S[a] -> P[a] 1, S[b] -> P[b] 1"},
			{"two facts", ring("STPQ", related("S[a] -> P[a]"), related("S[b] -> Q[a]"), related("T[a] -> P[a]"), related("T[b] -> Q[a]")),
				"S[a] -> P[a] 0, S[b] -> Q[a] 0, T[a] -> P[a] 0, T[b] -> Q[a] 0"},
			{"two facts and one both ways", ring("STPQ", related("S[a] -> P[a]", "both"), related("S[b] -> Q[a]"), related("T[a] -> P[a]"),
				related("T[b] -> Q[a]")), "S[a] -> P[a] 0, S[b] -> Q[a] 0, T[a] -> P[a] 0, T[b] -> Q[a] 0.5"},
			{"one to many, the other way round", ring("SPQ", related("P[a] -> S[a]", "oneToMany"), related("P[b] -> Q[a]"), related("Q[b] -> S[b]",
				"oneToMany")), "P[a] -> S[a] 0, P[b] -> Q[a] 0, Q[b] -> S[b] 1"},
			{"one to one, both ways", ring("SPQ", related("S[a] -> P[a]"), related("Q[b] -> P[b]", "oneToOne"), related("S[b] -> Q[a]")),
				"Q[b] -> P[b] 0, S[a] -> P[a] 1, S[b] -> Q[a] 1"},
			{"many to many, from to to from", ring("SPQ", related("S[a] -> P[a]", "manyToMany"), related("P[b] -> Q[a]"), related("S[b] -> Q[b]")),
				"P[b] -> Q[a] 0, S[a] -> P[a] 0, S[b] -> Q[b] 1"},
			{"many to many, not back", ring("SPQ", related("P[a] -> S[a]", "manyToMany"), related("P[b] -> Q[a]"), related("S[b] -> Q[b]")),
				"P[a] -> S[a] 0, P[b] -> Q[a] 1, S[b] -> Q[b] 0"},
			{"a table with itself", ring("SP", related("S[a] -> S[b]"), related("S[a] -> P[a]", "both")), "S[a] -> P[a] 0, S[a] -> S[b] 0"},
			{"one to one with both directions", ring("SPQR", related("S[a] -> P[a]"), related("P[b] -> Q[a]"), related("S[b] -> Q[b]"),
				related("R[a] -> Q[c]"), related("R[b] -> S[c]", "oneToOne",
					"both")), "P[b] -> Q[a] 0, R[a] -> Q[c] 0.5, R[b] -> S[c] 0, S[a] -> P[a] 0, S[b] -> Q[b] 1"},
		},
	})
}

func TestRelationshipMessages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rule  string
		model *semanticmodel.Model
		want  string
	}{
		"types":           {"REL-04", model(table("A", whole("a")), table("B", text("b")), related("A[a] -> B[b]")), "int64 and string"},
		"a missing table": {"REL-08", model(table("A", whole("a")), related("A[a] -> B[b]")), "the model has no table 'B'"},
		"a missing column": {"REL-08", model(table("A", whole("a")), table("B"), related("A[x] -> B[b]")),
			"the model has no column 'A'[x] and no column 'B'[b]"},
		"a path": {"REL-09", model(table("S", whole("p"), whole("q")), table("P", whole("p"), whole("q")), table("Q", whole("q")),
			related("S[q] -> Q[q]"), related("S[p] -> P[p]"), related("P[q] -> Q[q]")),
			"'Q' -> 'P' -> 'S'"},
		"the first of several paths by no both": {"REL-09", model(table("S", whole("p")), table("Q", whole("p"), whole("q")),
			related("S[p] -> Q[q]"), related("S[p] -> Q[p]", "both")), "'Q' -> 'S'"},
	} {
		found := false
		for _, j := range readiness.Current().Judge(tt.model, readiness.Options{}, false, tt.rule) {
			found = found || strings.Contains(j.Message, tt.want)
		}
		if !found {
			t.Errorf("%s: no message contains %q: %+v", name, tt.want, readiness.Current().Judge(tt.model, readiness.Options{}, false, tt.rule))
		}
	}
}

// A relationship to a missing table weighs 1, one of an existing table as much as the table.
func TestWeightOfBrokenRelationships(t *testing.T) {
	t.Parallel()
	m := model(table("S", whole("k"), measure("m", "1")), table("T", whole("k")), related("S[x] -> Gone[k]"), related("U[x] -> Gone[k]"))
	r := readiness.Current().Assess(m, readiness.Options{Usage: map[string]map[string]int64{"S": {"m": 10}}})
	a, b := findingOf(r, "relationships", "S[x] -> Gone[k]"), findingOf(r, "relationships", "U[x] -> Gone[k]")
	if a == nil || b == nil || a.Impact != 4*b.Impact || a.Table != "S" || b.Table != "U" || a.ObjectType != finding.RelationshipObject || a.Severity != finding.High {
		t.Errorf("got %+v and %+v", a, b)
	}
}
