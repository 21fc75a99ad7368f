package item_test

import (
	"testing"

	"readiness/domain/item"
)

func TestNoun(t *testing.T) {
	t.Parallel()
	for of, want := range map[item.Type]string{item.SemanticModel: "semantic model", item.Report: "report", item.DataAgent: "data agent", "": "item"} {
		if got := of.Noun(); got != want {
			t.Errorf("%s is called %q, want %q", of, got, want)
		}
	}
}
