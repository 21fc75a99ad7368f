package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func TestFurtherDescriptionRules(t *testing.T) {
	t.Parallel()
	// of returns a model whose measure has the name and the description; next to it are
	// more tables.
	of := func(name, text string, more ...any) *semanticmodel.Model {
		return model(append([]any{table("T", described("What a clerk enters at the till."), measure(name, "1", says(text)))}, more...)...)
	}
	const thin, good = "The sales of the day.", "What was invoiced, in euro."
	rules(t, map[string][]row{
		"DSC-01": {
			{"no description", model(table("Sales")), "Sales 1"},
			{"one that says nothing", model(table("Day Sales", described(thin))), "Day Sales 1"},
			{"one that says something", model(table("Day Sales", described(good))), "Day Sales 0"},
		},
		"DSC-02": {
			{"no description", model(table("T", text("a"))), "T[a] 1"},
			{"one that says nothing", model(table("T", text("Day Sales", about(thin)))), "T[Day Sales] 1"},
			{"one that says something", model(table("T", text("Day Sales", about(good)))), "T[Day Sales] 0"},
			{"a key with a description that says nothing", model(table("T", text("Day Sales", key, about(thin)))), ""},
		},
		"DSC-03": {
			{"no description", of("Day Sales", ""), "T[Day Sales] 1"},
			{"one that says nothing", of("Day Sales", thin), "T[Day Sales] 1"},
			{"one that says something", of("Day Sales", good), "T[Day Sales] 0"},
		},
		"DSC-05": {
			{"no description", of("m", ""), "T 0"},
			{"one that says nothing", of("Day Sales", thin), "T 0"},
			{"200 characters", of("m", "In euro: "+runes(191)), "T 0, T[m] 0"},
			{"201 characters", of("m", "In euro: "+runes(192)), "T 0, T[m] 0.5"},
			{"a key", model(table("S", text("c", key, about("In euro: "+runes(192))))), ""},
		},
		"DSC-07": {{"as before", model(table("P", group("YTD", "PY"), text("Name", about("YTD")))), "P 0.5"}},
	})
}
