package modelquery_test

import (
	"testing"

	"readiness/domain/benchmark/modelquery"
)

func TestQueryDAX(t *testing.T) {
	t.Parallel()
	sales := modelquery.Field{Table: "Sales", Name: "Total Sales"}
	category := modelquery.Field{Table: "Product", Name: "Category"}
	year := modelquery.Filter{Field: modelquery.Field{Table: "Date", Name: "Year"}, Operator: modelquery.Equal, Values: []string{"2024"}, Type: modelquery.NumberValue}
	date := modelquery.Field{Table: "Date", Name: "Date"}
	on := func(operator modelquery.Operator, kind modelquery.ValueType, values ...string) []modelquery.Filter {
		return []modelquery.Filter{{Field: date, Operator: operator, Values: values, Type: kind}}
	}
	for name, c := range map[string]struct {
		query modelquery.Query
		want  string
	}{
		"nothing asked for": {modelquery.Query{Filters: []modelquery.Filter{year}}, ""},
		"one number":        {modelquery.Query{Measures: []modelquery.Field{sales}}, "EVALUATE\nROW(\n    \"Total Sales\", [Total Sales]\n)"},
		"one number of a year": {
			modelquery.Query{Measures: []modelquery.Field{sales}, Filters: []modelquery.Filter{year}},
			"EVALUATE\nROW(\n    \"Total Sales\", CALCULATE([Total Sales], FILTER(ALL('Date'[Year]), 'Date'[Year] = 2024))\n)",
		},
		"grouped and filtered": {
			modelquery.Query{Measures: []modelquery.Field{sales}, Groupings: []modelquery.Field{category}, Filters: []modelquery.Filter{year}},
			"EVALUATE\nSUMMARIZECOLUMNS(\n    'Product'[Category],\n    FILTER(ALL('Date'[Year]), 'Date'[Year] = 2024),\n    \"Total Sales\", [Total Sales]\n)",
		},
		"a list": {modelquery.Query{Groupings: []modelquery.Field{category}}, "EVALUATE\nSUMMARIZECOLUMNS(\n    'Product'[Category]\n)"},
		"ranked, with a bound": {
			modelquery.Query{Measures: []modelquery.Field{sales}, Groupings: []modelquery.Field{category}, Filters: []modelquery.Filter{
				{Field: sales, Operator: modelquery.Top, Values: []string{"5"}, Type: modelquery.NumberValue},
				{Field: sales, Operator: modelquery.Greater, Values: []string{"1000"}, Type: modelquery.NumberValue},
			}},
			"EVALUATE\nTOPN(\n    5,\n    FILTER(\n        SUMMARIZECOLUMNS(\n            'Product'[Category],\n            \"@Total Sales\", [Total Sales]\n        ),\n" +
				"        [@Total Sales] > 1000\n    ),\n    [@Total Sales], DESC\n)\nORDER BY [@Total Sales] DESC, 'Product'[Category] ASC",
		},
		"the names and values of an attacker": {
			modelquery.Query{
				Measures:  []modelquery.Field{{Name: "a]\n, \"b\""}},
				Groupings: []modelquery.Field{{Table: "O'Neil\n", Name: "[x]]"}},
				Filters: []modelquery.Filter{
					{Field: category, Operator: `= "" || 1 = 1 //`, Values: []string{`"x")`}},
					{Field: date, Operator: modelquery.Equal, Values: []string{"1) + (2"}, Type: modelquery.NumberValue},
				},
			},
			"EVALUATE\nSUMMARIZECOLUMNS(\n    'O''Neil\n'[[x]]]]],\n    FILTER(ALL('Product'[Category]), 'Product'[Category] = \"\"\"x\"\")\"),\n" +
				"    FILTER(ALL('Date'[Date]), 'Date'[Date] = \"1) + (2\"),\n    \"a]\n, \"\"b\"\"\", [a]]\n, \"b\"]\n)",
		},
		"a day lasts until the next": {
			modelquery.Query{Groupings: []modelquery.Field{category}, Filters: on(modelquery.Between, modelquery.DateValue, "2024-01-01", "2024-03-31")},
			"EVALUATE\nSUMMARIZECOLUMNS(\n    'Product'[Category],\n    FILTER(ALL('Date'[Date]), 'Date'[Date] >= DATE(2024, 1, 1) && 'Date'[Date] < DATE(2024, 3, 31) + 1)\n)",
		},
		"a period": {
			modelquery.Query{Groupings: []modelquery.Field{category}, Filters: on(modelquery.InPeriod, modelquery.TextValue, "last quarter")},
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
