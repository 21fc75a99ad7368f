package answerer

import (
	"context"

	"readiness/ai/openai"
	"readiness/ai/rulesengine"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/readiness"
)

// Sees returns the catalog that the embedded engine gets for a side.
func (a *Asker) Sees(ctx context.Context, as item.Caller, side benchmark.Side) (rulesengine.Catalog, error) {
	v, err := a.look(ctx, as, side)
	return v.catalog(benchmark.NewReach(v.model)), err
}

// Materials returns the material that a language model gets for a question, and the full material.
func Materials(e readiness.Exposure, question string) (sent, full openai.Material) {
	m := newMaterial(sight{Exposure: e}, false)
	return m.about(question), m.full
}

// Size returns the length of a material, in bytes.
func Size(m openai.Material) int { return size(m) }

// MaxMaterial bounds a material, in bytes.
const MaxMaterial = maxMaterial
