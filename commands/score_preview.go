package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/optimization"
	"readiness/domain/readiness"
)

// regime returns the regime of the caller's account.
func (s *core) regime(ctx context.Context, caller Caller) (*readiness.Regime, error) {
	owner := pastAccount(caller)
	if caller.Settings.Rules != "" { // without a file there is nothing to load
		if err := s.Store.Load(ctx, owner); err != nil {
			return nil, err
		}
	}
	return s.Regimes.Of(owner.State, s.Regime)
}

// ScorePreview returns what the model scores without and with the changes that an apply of a preview would write. It stores nothing.
func (s *Optimizations) ScorePreview(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, kind string,
	r optimization.ApplyPreview) (score optimization.PartScore, err error) {
	k, err := optimization.KindOf(kind)
	if err != nil {
		return score, err
	}
	if err := r.Check(k); err != nil {
		return score, err
	}
	t, err := s.lookUpUsable(ctx, caller, workspaceID, modelID, false)
	if err != nil {
		return score, err
	}
	p, err := s.loadPreview(ctx, caller, k, modelID, *r.PreviewID)
	if err != nil {
		return score, err
	}
	writes, err := r.Select(p)
	if err != nil {
		return score, err
	}
	regime, err := s.regime(ctx, caller)
	if err != nil {
		return score, err
	}
	d, err := s.Platform.Definition(ctx, caller.Caller, t.model)
	if err != nil {
		return score, err
	}
	err = s.processors.Compute(func() error {
		score, err = optimization.ScorePart(d, writes, regime)
		return err
	})
	return score, err
}
