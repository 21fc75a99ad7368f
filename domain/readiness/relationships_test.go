package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func TestRelationshipRules(t *testing.T) {
	t.Parallel()
	// with relates Sales[P] to Products[Id] with options, and adds other parts.
	with := func(way []string, parts ...any) *semanticmodel.Model {
		return model(append([]any{
			table("Sales", whole("P"), whole("Q"), text("R")), table("Products", whole("Id"), column("Unknown", "")),
			related("Sales[P] -> Products[Id]", way...),
		}, parts...)...)
	}
	const label = "Sales[P] -> Products[Id]"
	wide := func(n int, parts ...any) *semanticmodel.Model {
		return model(append([]any{table("Sales", columns(n, "c%d", semanticmodel.String), text("h", hidden))}, parts...)...)
	}
	rules(t, map[string][]row{
		"REL-01": {
			{"related", with(nil), "Products 0, Sales 0"},
			{"alone", with(nil, table("Notes", text("a"))), "Notes 1, Products 0, Sales 0"},
			{"one table", model(table("Sales", text("a"))), ""},
			{"a measure table does not", model(table("Sales", text("a")), table("Measures", text("x", hidden), measure("m", "1"))), ""},
			{"nor a table whose measures are hidden too", model(table("Sales", text("a")), table("Measures", measure("m", "1", hiddenMeasure))), ""},
			{"a table with measures and a key does", model(table("Sales", whole("a")), table("Measures", whole("x", hidden), measure("m", "1")), related("Measures[x] -> Sales[a]")), "Measures 0, Sales 0"},
			{"a calculation group does not", model(table("Sales", text("a")), table("Periods", group("YTD"), text("a"))), ""},
			{"field parameters do not", model(table("Sales", text("a")), table("Parameter", calculated, text("a"), text("b", parameter))), ""},
		},
		"REL-02": {
			{"many to one", with(nil), label + " 0"},
			{"many to many", with([]string{"manyToMany"}), label + " 1"},
			{"one to many", with([]string{"oneToMany"}), label + " 0"},
			{"inactive", with([]string{"manyToMany", "inactive"}), ""},
			{"of hidden tables", model(table("Sales", whole("P"), hiddenTable), table("Products", whole("Id")), related(label, "manyToMany")), label + " 1"},
			{"named in other case, spelled as in the model", model(table("Sales", whole("P")), table("Products", whole("Id")), related("SALES[p] -> products[ID]")), label + " 0"},
			{"with field parameters", model(table("Sales", whole("P")), table("Products", calculated, whole("Id", parameter)), related(label, "manyToMany")), ""},
			{"a missing column before", model(table("Sales", whole("P")), table("Products", whole("Id")), related("Sales[Gone] -> Products[Id]"), related(label)), label + " 0"},
			{"a missing column", model(table("Sales", whole("P")), table("Products"), related(label, "manyToMany")), ""},
			{"a measure is no column", model(table("Sales", whole("P")), table("Products", measure("Id", "1")), related(label, "manyToMany")), ""},
		},
		"REL-03": {
			{"one direction", with(nil), label + " 0"},
			{"both directions", with([]string{"both"}), label + " 1"},
			{"automatic", with([]string{}, modelOption(func(m *semanticmodel.Model) { m.Relationships[0].CrossFilteringBehavior = "automatic" })), label + " 0"},
			{"one to one", with([]string{"both", "oneToOne"}), ""},
			{"many to many", with([]string{"both", "manyToMany"}), label + " 1"},
			{"inactive", with([]string{"both", "inactive"}), ""},
		},
		"REL-04": {
			{"equal", with(nil), label + " 0"},
			{"different, inactive too", with(nil, related("Sales[R] -> Products[Id]", "inactive")), label + " 0, Sales[R] -> Products[Id] 1"},
			{"one unknown", with(nil, related("Sales[R] -> Products[Unknown]", "inactive")), label + " 0, Sales[R] -> Products[Unknown] 0"},
		},
		"REL-05": {
			{"a star", with(nil), "Products 0"},
			{"a snowflake", with(nil, table("Brands", whole("Id")), related("Products[Unknown] -> Brands[Id]")), "Brands 0, Products 1"},
			{"written from the one side", with(nil, table("Brands", whole("Id")), related("Brands[Id] -> Products[Unknown]", "oneToMany")), "Brands 0, Products 1"},
			{"of hidden tables", with(nil, table("Brands", whole("Id"), hiddenTable), related("Products[Unknown] -> Brands[Id]")), "Brands 0, Products 1"},
			{"inactive", with(nil, table("Brands", whole("Id")), related("Products[Unknown] -> Brands[Id]", "inactive")), "Products 0"},
			{"one to one", with(nil, table("Brands", whole("Id")), related("Products[Unknown] -> Brands[Id]", "oneToOne")), "Brands 0, Products 0"},
			{"many to many with a dimension", with(nil, table("Brands", whole("Id"), whole("X")), related("Products[Unknown] -> Brands[X]", "manyToMany"), related("Sales[Q] -> Brands[Id]")), "Brands 1, Products 1"},
			{"itself", with(nil, related("Products[Unknown] -> Products[Id]")), "Products 0"},
		},
		"REL-06": {
			{"active", with(nil), ""},
			{"named by nothing", with([]string{"inactive"}), label + " 1"},
			{"by a measure", with([]string{"inactive"}, table("M", measure("m", "CALCULATE([x], USERELATIONSHIP(Sales[P], Products[Id]))"))), label + " 0"},
			{"by a hidden measure, in the other order and case", with([]string{"inactive"}, table("M", measure("m", "UseRelationship ( 'products'[id] , SALES[p] )", hiddenMeasure))), label + " 0"},
			{"by a bare name in its home table", model(table("Sales", whole("P"), measure("m", "USERELATIONSHIP([P], Products[Id])")), table("Products", whole("Id")), related(label, "inactive")), label + " 0"},
			{"by a calculation item", with([]string{"inactive"}, table("G", items("CALCULATE(SELECTEDMEASURE(), USERELATIONSHIP(Sales[P], Products[Id]))"))), label + " 0"},
			{"by a function", with([]string{"inactive"}, table("M", measure("m", "By([x])")), function("By", "(m : ANYREF EXPR) => CALCULATE(m, USERELATIONSHIP(Sales[P], Products[Id]))")), label + " 0"},
			{"another column", with([]string{"inactive"}, table("M", measure("m", "USERELATIONSHIP(Sales[Q], Products[Id])"))), label + " 1"},
			{"one column", with([]string{"inactive"}, table("M", measure("m", "USERELATIONSHIP(Sales[P])"))), label + " 1"},
			{"in two calls", with([]string{"inactive"}, table("M", measure("m", "USERELATIONSHIP(Sales[P], Sales[Q]) + USERELATIONSHIP(Products[Unknown], Products[Id])"))), label + " 1"},
			{"another function", with([]string{"inactive"}, table("M", measure("m", "CROSSFILTER(Sales[P], Products[Id])"))), label + " 1"},
			{"in a comment", with([]string{"inactive"}, table("M", measure("m", "1 // USERELATIONSHIP(Sales[P], Products[Id])"))), label + " 1"},
		},
		"REL-07": {
			{"15 columns", wide(15), "# 0"},
			{"16 columns", wide(16), "# 0.5"},
			{"30 columns", wide(30), "# 0.5"},
			{"31 columns", wide(31), "# 1"},
			{"two tables", wide(31, table("Notes", text("a"))), ""},
			{"a measure table beside", wide(31, table("Measures", measure("m", "1"))), "# 1"},
			{"no table", model(), ""},
		},
	})
}

// items returns a calculation group with items of these expressions.
func items(expressions ...string) *semanticmodel.CalculationGroup {
	g := &semanticmodel.CalculationGroup{}
	for _, e := range expressions {
		g.Items = append(g.Items, semanticmodel.CalculationItem{Name: e, Expression: e})
	}
	return g
}
