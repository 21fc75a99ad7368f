package commands

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// NeedSignIn records that a step of the operation was refused for its owner's token, and deletes that token. The operation, and a
// bundle that it belongs to, then wait until the owner reads one of them with another token. seen is how often the operation had
// continued when the step began.
func (r Recorder) NeedSignIn(ctx context.Context, of Origin, seen int, refusal *domain.Refusal) error {
	all, err := r.family(ctx, of.OperationID)
	if err != nil {
		return err
	}
	own, bundle := pastOperation(of.OperationID), pastOperation(all[0])
	pasts := []eventstore.Loadable{own}
	if all[0] != of.OperationID {
		pasts = append(pasts, bundle)
	}
	return r.Store.Change(ctx, of.Metadata(), pasts, func(c *eventstore.Change) error {
		need := operation.NeedSignIn{Refusal: refusal, Seen: seen, At: r.Now()}
		if err := eventstore.Decide(c, own, need); err != nil || len(c.Recorded()) == 0 {
			return err
		}
		c.Queue(r.Vault.Forget(of.OperationID))
		if len(pasts) == 1 {
			return nil
		}
		need.Seen = bundle.State.Resumed
		return eventstore.Decide(c, bundle, need)
	})
}

func pastOperation(id uuid.UUID) *eventstore.Stream[operation.Operation] {
	return eventstore.Fold(operation.Stream(id), operation.Evolve)
}

// family returns the operations that wait for their owner together: the bundle, then its children; or the operation alone.
func (r Recorder) family(ctx context.Context, operationID uuid.UUID) ([]uuid.UUID, error) {
	w, err := r.Load(ctx, operationID)
	if err != nil {
		return nil, err
	}
	all := []uuid.UUID{operationID}
	if w.Bundle != nil {
		all[0] = *w.Bundle
	}
	bundle := eventstore.Fold(operation.Stream(all[0]), optimization.EvolveBundle)
	if err := r.Store.Load(ctx, bundle); err != nil {
		return nil, err
	}
	for _, child := range bundle.State.Children {
		for _, id := range []*uuid.UUID{child.PreviewID, child.OperationID} {
			if id != nil {
				all = append(all, *id)
			}
		}
	}
	return all, nil
}

// signedIn resumes an operation that waits for the caller to sign in, and those that wait with it, if the token of this read may be
// another one. It returns what the operation still waits for; nil if it continues.
func (s *Operations) signedIn(ctx context.Context, caller Caller, op operation.Operation) (*operation.SignInNeeded, error) {
	command := operation.SignedIn{Issued: caller.TokenIssued, Now: s.Now()}
	if events, err := command.Decide(op); err != nil || len(events) == 0 {
		return op.SignIn, err
	}
	steps := 1
	if op.Type == operation.AssessSemanticModels {
		steps = assessment.MaxModels
	}
	token, expires := s.tokenFor(ctx, caller, steps)
	return nil, s.resume(ctx, caller.metadata(op.ID), op, command, func(c *eventstore.Change, id uuid.UUID) {
		c.Queue(s.Vault.Put(id, token, expires))
	})
}

// lapseSignIn resumes, without a token, an operation whose owner did not sign in: its steps then end as those whose token has expired.
func (s *Operations) lapseSignIn(ctx context.Context, operationID uuid.UUID) error {
	past := pastOperation(operationID)
	if err := s.Store.Load(ctx, past); err != nil || past.State.SignIn == nil {
		return err
	}
	meta := eventstore.Metadata{Account: past.State.Account, OperationID: operationID.String(), Correlation: operationID.String(),
		Causation: "waited too long"}
	return s.resume(ctx, meta, past.State, operation.LapseSignIn{Now: s.Now()}, func(*eventstore.Change, uuid.UUID) {})
}

// resume ends the wait of the operation and of those that wait with it, and enqueues what is left of each. also adds what must be
// committed with one that continues.
func (s *Operations) resume(ctx context.Context, meta eventstore.Metadata, op operation.Operation,
	command domain.Command[operation.Operation], also func(*eventstore.Change, uuid.UUID)) error {
	all, err := s.optimizations.Recorder.family(ctx, op.ID)
	if err != nil {
		return err
	}
	owner := eventstore.FoldCached(account.Stream(op.Account), account.Evolve)
	if err := s.Store.Load(ctx, owner); err != nil {
		return err
	}
	pasts, loadable, enqueue := map[uuid.UUID]*eventstore.Stream[operation.Operation]{}, []eventstore.Loadable{}, map[uuid.UUID]enqueuing{}
	for _, id := range all {
		pasts[id] = pastOperation(id)
		loadable = append(loadable, pasts[id])
		of := Origin{AccountID: op.Account, OperationID: id, PersonID: op.Owner, RequestID: meta.RequestID, Trace: meta.Trace}
		if enqueue[id], err = s.Jobs.Rest(ctx, of, owner.State.Plan); err != nil {
			return err
		}
	}
	return s.Store.Change(ctx, meta, loadable, func(c *eventstore.Change) error {
		for _, id := range all {
			before := len(c.Recorded())
			if err := eventstore.Decide(c, pasts[id], command); err != nil {
				return err
			}
			if len(c.Recorded()) > before {
				also(c, id)
				c.InTx(enqueue[id])
			}
		}
		return nil
	})
}

// enqueuing enqueues jobs in the transaction that makes them necessary.
type enqueuing = func(ctx context.Context, tx pgx.Tx) error
