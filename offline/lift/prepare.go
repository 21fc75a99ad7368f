package lift

import (
	"context"
	"fmt"
	"time"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark/evaluation"
	"readiness/offline"
	"readiness/offline/evaluate"
)

// Prepare sets the questions and the judge for a proposal: the questions of a file or, without one, as many as count that are made from
// the model. The warnings say why no rows are compared although there are sample data.
func (o *Options) Prepare(ctx context.Context, p offline.Proposal, file string, count int, now time.Time) ([]offline.Warning, error) {
	m, err := semanticmodel.Read(p.Before)
	if err != nil {
		return nil, err
	}
	o.Judge = &evaluation.Judge{Model: m, Now: now}
	if file == "" {
		set, err := rules.QuestionSet(m, now.UTC().Year()-1, count)
		if err != nil {
			return nil, err
		}
		o.Questions = set.Questions
	} else {
		set, err := evaluate.Questions(file)
		if err != nil {
			return nil, err
		}
		for _, c := range set.Check(m, now) {
			if !c.CanRun {
				return nil, fmt.Errorf("%s: %s: %s", file, c.Text, *c.Reason)
			}
		}
		o.Questions = set.Questions
	}
	return evaluate.Sampled(ctx, p.Item, o.Judge)
}
