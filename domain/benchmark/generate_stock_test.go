package benchmark_test

import (
	"slices"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/modelquery"
)

// Questions never add up stock over days: they ask for a measure that takes the last day instead, or not at all.
func TestGenerateAddsUpNoStock(t *testing.T) {
	t.Parallel()
	column := func(name string, kind semanticmodel.DataType) semanticmodel.Column {
		return semanticmodel.Column{Name: name, DataType: kind, SummarizeBy: "none"}
	}
	to := func(from, column, to, key string) semanticmodel.Relationship {
		return semanticmodel.Relationship{FromTable: from, FromColumn: column, ToTable: to, ToColumn: key, FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One, IsActive: true}
	}
	measure := func(name, expression string) semanticmodel.Measure {
		return semanticmodel.Measure{Name: name, Expression: expression, Description: "What " + name + " is."}
	}
	date := column("Date", semanticmodel.DateTime)
	date.IsKey = true
	onHand, closing := measure("On Hand", "SUM('Stock Levels'[Pieces])"), measure("Closing Stock", "CALCULATE(SUM('Stock Levels'[Pieces]), LASTDATE('Calendar'[Date]))")
	model := func(of ...semanticmodel.Measure) *semanticmodel.Model {
		return &semanticmodel.Model{
			Tables: []semanticmodel.Table{
				{Name: "Stock Levels", Columns: []semanticmodel.Column{column("Snapshot Date", semanticmodel.DateTime), column("Warehouse Key", semanticmodel.Int64), column("Pieces", semanticmodel.Int64)}, Measures: of},
				{Name: "Warehouse", Columns: []semanticmodel.Column{column("Warehouse Key", semanticmodel.Int64), column("Warehouse Name", semanticmodel.String), column("Country", semanticmodel.String)}},
				{Name: "Calendar", DataCategory: "Time", Columns: []semanticmodel.Column{date, column("Year", semanticmodel.Int64), column("Month", semanticmodel.String)}},
			},
			Relationships: []semanticmodel.Relationship{to("Stock Levels", "Warehouse Key", "Warehouse", "Warehouse Key"), to("Stock Levels", "Snapshot Date", "Calendar", "Date")},
		}
	}
	asks := func(queries []modelquery.Query, name string) (n int) {
		for _, q := range queries {
			if slices.ContainsFunc(q.Measures, func(f modelquery.Field) bool { return f.Name == name }) {
				n++
			}
		}
		return n
	}
	wanted := benchmark.Wanted{Year: 2025, Count: 50}
	both := generate(t, model(onHand, closing), wanted)
	if asks(both, "Closing Stock") < 5 {
		t.Errorf("of %d questions %d ask for the stock of the last day", len(both), asks(both, "Closing Stock"))
	}
	for _, q := range both {
		byDay := slices.Contains(q.Groupings, modelquery.Field{Table: "Calendar", Name: "Date"})
		if asks([]modelquery.Query{q}, "On Hand") > 0 && !byDay {
			t.Errorf("stock is added up by %s", q.DAX())
		}
	}
	if queries, err := benchmark.Generate(model(onHand), wanted); !domain.IsRefused(err, domain.QuestionsNotGenerated) {
		t.Errorf("of stock alone: %d questions, %v", len(queries), err)
	}
	moved := model(measure("Moved", "SUM('Stock Levels'[Pieces])"))
	moved.Tables[0].Name, moved.Tables[0].Columns[0].Name = "Movements", "Order Date"
	moved.Tables[0].Measures[0].Expression = "SUM(Movements[Pieces])"
	moved.Relationships[0], moved.Relationships[1] = to("Movements", "Warehouse Key", "Warehouse", "Warehouse Key"), to("Movements", "Order Date", "Calendar", "Date")
	if n := asks(generate(t, moved, wanted), "Moved"); n < 5 {
		t.Errorf("of movements, which add up, %d questions ask", n)
	}
}
