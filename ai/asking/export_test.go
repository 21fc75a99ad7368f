package asking

import (
	"context"

	"readiness/ai/answering"
	"readiness/ai/openai"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/readiness"
)

// Sees returns what the embedded engine is given for a side.
func (a *Asker) Sees(ctx context.Context, as item.Caller, side benchmark.Side) (answering.Catalog, error) {
	v, err := a.look(ctx, as, side)
	return v.catalog(), err
}

// Told returns what a language model is told of a model for a question, and
// everything that it may be told.
func Told(e readiness.Exposure, question string) (told, whole openai.Material) {
	m := newMaterial(sight{Exposure: e}, false)
	return m.about(question), m.whole
}

// Size is how long a material is, in bytes, and MaxMaterial how long it may be.
func Size(m openai.Material) int { return size(m) }

const MaxMaterial = maxMaterial
