package readiness_test

import (
	"testing"

	"readiness/domain/readiness"
)

// Structure covers all tables, hidden or not.
func TestStructure(t *testing.T) {
	t.Parallel()
	m := model(
		table("Sales", whole("P"), whole("D"), text("T"), hiddenTable), table("Products", whole("Id"), whole("B")), table("Brands", whole("Id")), table("Bridge", whole("P"), whole("B")),
		table("Order Date", whole("Id"), date("Day", hidden)), table("Days", tableCategory("tIME")), table("Calendar", whole("Id")), table("Parameter", calculated, text("a", parameter), whole("Id")),
		table("Measures", text("h", hidden), measure("m", "1")), table("Periods", group("YTD")), table("Extension", whole("Id")), table("Alone", text("a")),
		related("Sales[P] -> Products[Id]"), related("Products[B] -> Brands[Id]"), related("Bridge[P] -> Products[B]", "manyToMany"), related("Sales[D] -> Order Date[Id]"),
		related("Sales[D] -> Calendar[Id]", "inactive"), related("Extension[Id] -> Parameter[Id]"), related("Products[Id] -> Extension[Id]", "oneToOne"),
	)
	want := map[string]string{
		"Sales": "fact", "Products": "dimension", "Brands": "dimension", "Bridge": "", "Order Date": "dimension+date", "Days": "+date", "Calendar": "",
		"Parameter": "utility", "Measures": "utility", "Periods": "utility", "Extension": "dimension", "Alone": "",
	}
	_, got := readiness.Exposed(m)
	for name, structure := range want {
		if got[name] != structure {
			t.Errorf("%s: got %q, want %q", name, got[name], structure)
		}
	}
}
