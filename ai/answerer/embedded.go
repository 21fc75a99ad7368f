package answerer

import (
	"context"

	"readiness/ai/rulesengine"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
)

// engine names the embedded engine in place of a language model; its version changes when its answers may change.
const engine = "answering/8"

// embedded returns a function that answers with the embedded engine from the view.
func (a *Asker) embedded(as item.Caller, v view) (about verdict.Target, ask Ask) {
	catalog := v.catalog(benchmark.NewReach(v.model))
	answers := rulesengine.New(catalog)
	reading := &reading{asker: a, as: as, view: v, answers: answers, turn: make(chan struct{}, 1)}
	about = v.about
	about.Transport, about.Model = verdict.Embedded, engine
	about.ConfigHash = configHash(struct {
		Engine  string
		Catalog rulesengine.Catalog
	}{engine, catalog})
	return about, func(ctx context.Context, question string) (benchmark.Reply, error) {
		if err := ctx.Err(); err != nil {
			return benchmark.Reply{}, err
		}
		start := a.Now()
		explained := answers.Answer(question)
		if explained.CannotAnswer || answers.FiltersTexts(explained.Fields) {
			full, err := reading.engine(ctx)
			if refusal, refused := domain.Refused(err); refused { // without the values the engine would answer differently
				return benchmark.Reply{Failure: &verdict.Failure{Code: string(refusal.Code), Message: refusal.Message},
					DurationMS: a.Now().Sub(start).Milliseconds(), Attempts: 1}, nil
			}
			if err != nil {
				return benchmark.Reply{}, err
			}
			if explained.CannotAnswer || full.Lacks(explained.Fields) {
				if explained = full.Answer(question); !explained.CannotAnswer && reading.returnsNothing(ctx, explained.Query) {
					explained = rulesengine.Explained{Answer: verdict.Answer{CannotAnswer: true,
						Text: "I cannot answer: the data that I may read contains nothing about that."}}
				}
			}
		}
		return benchmark.Reply{Answer: explained.Answer, DurationMS: a.Now().Sub(start).Milliseconds(), Attempts: 1}, nil
	}
}
