package asking

import (
	"context"

	"readiness/ai/answering"
	"readiness/domain/benchmark"
	"readiness/domain/comparison"
)

// The transport of the embedded engine, and the name that it has in place of a model's; its version
// changes when its answers may change.
const (
	embedded = "embedded"
	engine   = "answering/4"
)

// embedded returns a function that answers with the embedded engine from the view.
func (a *Asker) embedded(v view) (about comparison.Target, ask Ask) {
	catalog := v.catalog(benchmark.NewReach(v.model))
	answers := answering.New(catalog)
	about = v.about
	about.Transport, about.Model = embedded, engine
	about.ConfigHash = configHash(struct {
		Engine  string
		Catalog answering.Catalog
	}{engine, catalog})
	return about, func(ctx context.Context, question string) (benchmark.Reply, error) {
		if err := ctx.Err(); err != nil {
			return benchmark.Reply{}, err
		}
		start := a.Now()
		explained := answers.Answer(question)
		return benchmark.Reply{Answer: explained.Answer, DurationMS: a.Now().Sub(start).Milliseconds(), Attempts: 1}, nil
	}
}
