package rulesengine_test

import (
	"strings"
	"testing"
	"time"

	"readiness/ai/rulesengine"
)

// What does not add up by its name is averaged or declined, never summed.
func TestSumsOfRates(t *testing.T) {
	t.Parallel()
	catalog := rulesengine.Catalog{Tables: []rulesengine.Table{{Name: "Bookings", Columns: []rulesengine.Column{
		{Name: "HourlyRate", DataType: "double", SummarizeBy: "none"},
		{Name: "Occupancy Rate", DataType: "double", SummarizeBy: "sum"},
		{Name: "Nights", DataType: "int64", SummarizeBy: "sum"},
		{Name: "Days Ahead", DataType: "int64", SummarizeBy: "sum"},
		{Name: "Tips", DataType: "double"},
		{Name: "Deposit", DataType: "double", SummarizeBy: "none"},
	}}}}
	first := rulesengine.New(catalog)
	for name, engine := range map[string]*rulesengine.Engine{"first": first, "second": first.WithValues(nil, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))} {
		for question, want := range map[string]string{
			"total hourly rate":                 "",
			"What is the total of hourly rate?": "",
			"sum of occupancy rate":             "",
			"total deposit":                     "SUM('Bookings'[Deposit])", // only visuals do not
			"average hourly rate":               "AVERAGE('Bookings'[HourlyRate])",
			"maximum occupancy rate":            "MAX('Bookings'[Occupancy Rate])",
			"total nights":                      "SUM('Bookings'[Nights])",
			"total days ahead":                  "SUM('Bookings'[Days Ahead])",
			"total tips":                        "SUM('Bookings'[Tips])",
		} {
			got := engine.Answer(question)
			if got.CannotAnswer != (want == "") || !strings.Contains(got.Query, want) || want == "" && strings.Contains(got.Query, "SUM(") {
				t.Errorf("%s, %s: got %s %s", name, question, got.Text, got.Query)
			}
		}
	}
}

// The year of an empty date, 1899 in DAX, is no year that anyone asks about.
func TestYearOfEmptyDates(t *testing.T) {
	t.Parallel()
	engine := rulesengine.New(warehouse()).WithValues(nil, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
	for _, question := range []string{"inventory value in 1899", "inventory value on 30 December 1899", "inventory value since 1899",
		"inventory value by month in 1899", "inventory value where the year is blank", "inventory value in the blank year 1899"} {
		if got := engine.Answer(question); !got.CannotAnswer {
			t.Errorf("%s: got %s", question, got.Query)
		}
	}
}

// What a question ranks by is the measure that it names, not one whose description picks that measure's highest value.
func TestRankIsNoExtreme(t *testing.T) {
	t.Parallel()
	engine := rulesengine.New(rulesengine.Catalog{Tables: []rulesengine.Table{{Name: "Loads",
		Columns: []rulesengine.Column{{Name: "Location", DataType: "string"}, {Name: "Point", DataType: "dateTime"}},
		Measures: []rulesengine.Measure{{Name: "Total Usage %"},
			{Name: "Peak %", Description: "Highest [Total Usage %] over the values of Point of Loads, as a percentage."}}}}})
	if got := engine.Answer("Which 5 locations have the highest total usage percentage?"); got.CannotAnswer || !strings.Contains(got.Query, "[Total Usage %]") {
		t.Errorf("got %s %s", got.Text, got.Query)
	}
}

// A number that is named like the measure of its total is that measure, whether or not the column can be seen.
func TestTotalOfVisibleColumn(t *testing.T) {
	t.Parallel()
	for name, columns := range map[string][]rulesengine.Column{"hidden": nil, "visible": {{Name: "Amount", DataType: "decimal", SummarizeBy: "sum"}}} {
		engine := rulesengine.New(rulesengine.Catalog{Tables: []rulesengine.Table{
			{Name: "Sales", FilteredBy: []string{"Date"}, Columns: columns, Measures: []rulesengine.Measure{{Name: "Total Amount"}}},
			{Name: "Date", Dates: true, Columns: []rulesengine.Column{{Name: "Date", DataType: "dateTime"}, {Name: "Year", DataType: "int64"}}},
		}}).WithValues(nil, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
		if got := engine.Answer("Can you show me the amount in 2025?"); got.CannotAnswer || !strings.Contains(got.Query, "[Total Amount]") {
			t.Errorf("%s: got %s %s", name, got.Text, got.Query)
		}
	}
}
