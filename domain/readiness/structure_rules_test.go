package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

// calculatedFrom is a partition with an expression.
func calculatedFrom(expression string) semanticmodel.Partition {
	return semanticmodel.Partition{Name: "p", SourceType: "calculated", Expression: expression}
}

func formula(expression string) columnOption {
	return func(c *semanticmodel.Column) { c.Expression = expression }
}

func TestFurtherStructure(t *testing.T) {
	t.Parallel()
	joined := func(parts ...any) *semanticmodel.Model {
		return model(table("X", parts...), table("Sales", date("At")), related("Sales[At] -> X[On]"))
	}
	for name, tt := range map[string]struct {
		model *semanticmodel.Model
		want  string // of table X
	}{
		"no column in X": {model(table("X", measure("m", "1"), text("a", hidden), text("b", hidden))), "utility"},
		"one column":     {model(table("X", measure("m", "1"), text("a"))), "utility"},
		"one column that is an end": {model(table("X", measure("m", "1"), text("a")), table("Y", text("a")), related("X[a] -> Y[a]",
			"inactive")), ""},
		"one column that a measure uses": {model(table("X", measure("m", "1"), text("a")), table("Y", measure("n", "MAX(X[a])",
			hiddenMeasure))), ""},
		"one hidden column that a measure uses": {model(table("X", measure("m", "MAX(X[a])"), text("a", hidden))), "utility"},
		"one column and a row number":           {model(table("X", measure("m", "1"), text("a"), whole("r", rowNumber))), "utility"},
		"one of two columns in X":               {model(table("X", measure("m", "1"), text("a"), text("b", hidden))), ""},
		"no measure":                            {model(table("X", text("a"))), ""},

		"a calendar by name": {joined(date("On"), text("Note")), "dimension"},
		"CALENDAR": {model(table("X", calculatedFrom("CALENDAR(DATE(2020,1,1), TODAY())"), date("On"))),
			"+date"},
		"CALENDARAUTO": {model(table("X", calculatedFrom("ADDCOLUMNS(calendarauto ( ), \"a\", 1)"), date("On",
			hidden))), "+date"},
		"CALENDAR in a string":    {model(table("X", calculatedFrom("ROW(\"CALENDAR()\", 1)"), date("On"))), ""},
		"CALENDAR without a date": {model(table("X", calculatedFrom("CALENDAR(1, 2)"), text("On"))), ""},
		"CALENDAR in M": {model(table("X", semanticmodel.Partition{SourceType: "m", Expression: "CALENDAR()"},
			date("On"))), ""},
		"[Date] without a type": {model(table("X", calculatedFrom("CALENDAR(1, 2)"), column("On", "", source("[Date]")))),
			"+date"},
		"[Date] of another type": {model(table("X", calculatedFrom("CALENDAR(1, 2)"), text("On", source("[Date]")))), ""},
		"[Value] without a type": {model(table("X", calculatedFrom("CALENDAR(1, 2)"), column("On", "", source("[Value]")))),
			""},
		"[Date] outside a calculated table": {model(table("X", tableCategory("x"), column("On", "", source("[Date]")))), ""},
		"one side, parts of dates": {joined(date("On"), whole("Fiscal Yr"), text("Quarterly"), text("QTR"), whole("Weekno"),
			text("Holidays")), "dimension+date"},
		"one side, a calculated column":             {joined(date("On"), text("Note", formula("1"))), "dimension+date"},
		"one side, a hidden column of another kind": {joined(date("On"), whole("Year"), text("Note", hidden)), "dimension"},
		"one side, no other column":                 {joined(date("On")), "dimension"},
		"one side, a key that is no date":           {joined(text("On"), whole("Year")), "dimension"},
		"one side of an inactive relationship": {model(table("X", date("On"), whole("Year")), table("Sales", date("At")),
			related("Sales[At] -> X[On]", "inactive")), ""},
		"one side of one to one": {model(table("X", date("On"), whole("Year")), table("Sales", date("At")),
			related("Sales[At] -> X[On]", "oneToOne")), "dimension"},
		"one side of one to many": {model(table("X", date("On"), whole("Year")), table("Sales", date("At")),
			related("X[On] -> Sales[At]", "oneToMany")), "dimension+date"},
		"many side": {model(table("X", date("On"), whole("Year")), table("Sales", date("At")),
			related("X[On] -> Sales[At]")), "fact"},
		"the name, a date and a dimension": {model(table("X", tableCategory("time"))), "+date"},
	} {
		_, got := readiness.Current().Exposed(tt.model)
		if got["X"] != tt.want {
			t.Errorf("%s: got %q, want %q", name, got["X"], tt.want)
		}
	}
}
