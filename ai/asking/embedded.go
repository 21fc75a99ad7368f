package asking

import (
	"context"

	"readiness/ai/answering"
	"readiness/domain/benchmark"
	"readiness/domain/comparison"
)

// Of the embedded engine: its transport, and its name in place of a model's, with
// the version that says when its answers may have changed.
const (
	embedded = "embedded"
	engine   = "answering/1"
)

// embedded has the embedded engine answer from what is seen.
func (a *Asker) embedded(v view) (about comparison.Target, ask Ask) {
	catalog := v.catalog()
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
