package ai

import (
	"context"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
)

// Phrase puts queries about a model into questions that people would ask.
func (p *Proposer) Phrase(_ context.Context, _ aiprovider.Settings, m *semanticmodel.Model, queries []benchmark.Query, count int) ([]string, error) {
	return rules.Questions(m, queries, count), nil
}
