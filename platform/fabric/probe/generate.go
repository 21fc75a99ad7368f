package probe

import (
	"context"

	"readiness/domain"
	"readiness/domain/item"
)

// generated asks Generate Query about the model. The outcome is only reported: the service asks again at each use.
func (r *run) generated(ctx context.Context) error {
	const offered, understood = "Generate Query is offered", "Generate Query's answer is understood"
	if !r.GenerateQuery {
		r.Report(offered, "not asked")
		return nil
	}
	if _, err := r.platform.SupportsGenerateQuery(ctx, r.as, r.model); err != nil {
		return r.ungenerated(ctx, offered, err)
	}
	r.Report(offered, "yes")
	dax, _, err := r.platform.GenerateQuery(ctx, r.as, r.model, "How many rows are there?", []item.SelectedTable{{Name: "Probe"}})
	if err != nil {
		return r.ungenerated(ctx, understood, err)
	}
	r.Report(understood, yes(dax != "", "", "it has no query that the service finds"))
	return nil
}

// ungenerated reports why Generate Query returned nothing. Generate Query is optional, so the probe continues unless ctx has ended.
func (r *run) ungenerated(ctx context.Context, question string, err error) error {
	refusal, refused := domain.Refused(err)
	if !refused || ctx.Err() != nil {
		return err
	}
	r.Report(question, "no; "+string(refusal.Code))
	return nil
}
