package lift

import (
	"context"
	"fmt"
	"time"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/benchmark"
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
	warnings, err := evaluate.Sampled(ctx, p.Item, o.Judge)
	if err != nil {
		return warnings, err
	}
	var set benchmark.Set
	if file == "" {
		set, err = rules.QuestionSet(m, now.UTC().Year()-1, count)
	} else {
		set, err = evaluate.Questions(file, evaluate.Check(o.Judge, o.KeepUnrunnable))
	}
	o.Questions = nil
	for _, q := range set.Questions {
		if why := o.Judge.Unusable(q); o.KeepUnrunnable && file != "" && why != "" {
			warnings = append(warnings, offline.Warning{File: file, Line: 1, Message: fmt.Sprintf("not asked: %s: %s", domain.Excerpt(q.Text), why)})
			continue
		}
		o.Questions = append(o.Questions, q)
	}
	return warnings, err
}
