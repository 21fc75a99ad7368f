package lift

import (
	"context"
	"time"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
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
		set, err = evaluate.Questions(file, o.unusable)
	}
	o.Questions = set.Questions
	return warnings, err
}

// unusable says why no answer to a question can be judged: its correct answer cannot be asked of the model, or has no rows.
func (o *Options) unusable(q benchmark.Question) string {
	if can, why := q.CanRun(o.Judge.Model); !can {
		return why
	}
	if o.Judge.Rows != nil && q.Expected.DAX != "" {
		if got, _ := o.Judge.Rows(q.Expected.DAX); got != nil && len(got.Rows) == 0 {
			return "over the sample data the query returns no row, so that no answer is right; compare its values with those of the columns"
		}
	}
	return ""
}
