package benchmark_test

import (
	"testing"

	"readiness/domain/benchmark"
)

func TestQueryDAX(t *testing.T) {
	t.Parallel()
	sales := benchmark.Field{Table: "Sales", Name: "Total Sales"}
	category := benchmark.Field{Table: "Product", Name: "Category"}
	year := benchmark.Filter{Field: benchmark.Field{Table: "Date", Name: "Year"}, Operator: benchmark.Equal, Values: []string{"2024"}, Type: benchmark.NumberValue}
	date := benchmark.Field{Table: "Date", Name: "Date"}
	on := func(operator benchmark.Operator, kind benchmark.ValueType, values ...string) []benchmark.Filter {
		return []benchmark.Filter{{Field: date, Operator: operator, Values: values, Type: kind}}
	}
	for name, c := range map[string]struct {
		query benchmark.Query
		want  string
	}{
		"nothing asked for": {benchmark.Query{Filters: []benchmark.Filter{year}}, ""},
		"one number":        {benchmark.Query{Measures: []benchmark.Field{sales}}, "EVALUATE\nROW(\n    \"Total Sales\", [Total Sales]\n)"},
		"one number of a year": {
			benchmark.Query{Measures: []benchmark.Field{sales}, Filters: []benchmark.Filter{year}},
			"EVALUATE\nROW(\n    \"Total Sales\", CALCULATE([Total Sales], FILTER(ALL('Date'[Year]), 'Date'[Year] = 2024))\n)",
		},
		"grouped and filtered": {
			benchmark.Query{Measures: []benchmark.Field{sales}, Groupings: []benchmark.Field{category}, Filters: []benchmark.Filter{year}},
			"EVALUATE\nSUMMARIZECOLUMNS(\n    'Product'[Category],\n    FILTER(ALL('Date'[Year]), 'Date'[Year] = 2024),\n    \"Total Sales\", [Total Sales]\n)",
		},
		"a list": {benchmark.Query{Groupings: []benchmark.Field{category}}, "EVALUATE\nSUMMARIZECOLUMNS(\n    'Product'[Category]\n)"},
		"ranked, with a bound": {
			benchmark.Query{Measures: []benchmark.Field{sales}, Groupings: []benchmark.Field{category}, Filters: []benchmark.Filter{
				{Field: sales, Operator: benchmark.Top, Values: []string{"5"}, Type: benchmark.NumberValue},
				{Field: sales, Operator: benchmark.Greater, Values: []string{"1000"}, Type: benchmark.NumberValue},
			}},
			"EVALUATE\nTOPN(\n    5,\n    FILTER(\n        SUMMARIZECOLUMNS(\n            'Product'[Category],\n            \"@Total Sales\", [Total Sales]\n        ),\n" +
				"        [@Total Sales] > 1000\n    ),\n    [@Total Sales], DESC\n)\nORDER BY [@Total Sales] DESC, 'Product'[Category] ASC",
		},
		"the names and values of an attacker": {
			benchmark.Query{
				Measures:  []benchmark.Field{{Name: "a]\n, \"b\""}},
				Groupings: []benchmark.Field{{Table: "O'Neil\n", Name: "[x]]"}},
				Filters: []benchmark.Filter{
					{Field: category, Operator: `= "" || 1 = 1 //`, Values: []string{`"x")`}},
					{Field: date, Operator: benchmark.Equal, Values: []string{"1) + (2"}, Type: benchmark.NumberValue},
				},
			},
			"EVALUATE\nSUMMARIZECOLUMNS(\n    'O''Neil\n'[[x]]]]],\n    FILTER(ALL('Product'[Category]), 'Product'[Category] = \"\"\"x\"\")\"),\n" +
				"    FILTER(ALL('Date'[Date]), 'Date'[Date] = \"1) + (2\"),\n    \"a]\n, \"\"b\"\"\", [a]]\n, \"b\"]\n)",
		},
		"a day lasts until the next": {
			benchmark.Query{Groupings: []benchmark.Field{category}, Filters: on(benchmark.Between, benchmark.DateValue, "2024-01-01", "2024-03-31")},
			"EVALUATE\nSUMMARIZECOLUMNS(\n    'Product'[Category],\n    FILTER(ALL('Date'[Date]), 'Date'[Date] >= DATE(2024, 1, 1) && 'Date'[Date] < DATE(2024, 3, 31) + 1)\n)",
		},
		"a period": {
			benchmark.Query{Groupings: []benchmark.Field{category}, Filters: on(benchmark.InPeriod, benchmark.TextValue, "last quarter")},
			"EVALUATE\nSUMMARIZECOLUMNS(\n    'Product'[Category],\n    FILTER(ALL('Date'[Date]), 'Date'[Date] >= DATE(YEAR(TODAY()), 3 * QUARTER(TODAY()) - 5, 1) && 'Date'[Date] < DATE(YEAR(TODAY()), 3 * QUARTER(TODAY()) - 2, 1))\n)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.query.DAX(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
