package rules

import (
	"readiness/ai/rules/prose"
	"readiness/definition/semanticmodel"
)

// Explained returns what a measure computes, whether it is worth a description or not.
func Explained(m *semanticmodel.Model, table, name string) string {
	f := newFacts(m, nil)
	return prose.Capital(f.explain(f.find(table, name)).full())
}
