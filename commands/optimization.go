package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/readiness"
	"readiness/eventstore"
	"readiness/storage/documents"
)

// target is a semantic model that was looked up as the caller.
type target struct {
	workspace item.Workspace
	model     item.Item
}

// lookUpTarget looks up a model to optimize, as the caller.
func (s *core) lookUpTarget(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID) (target, error) {
	workspace, err := s.Platform.Workspace(ctx, caller.Caller, workspaceID)
	if err != nil {
		return target{}, err
	}
	model, err := s.Platform.Item(ctx, caller.Caller, workspaceID, item.SemanticModel, modelID)
	if err != nil {
		return target{}, err
	}
	return target{workspace, model}, assessment.CheckAssessable(model)
}

// lookUpUsable looks up a model to work on, or to write if writes is true, as the caller.
func (s *core) lookUpUsable(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, writes bool) (target, error) {
	t, err := s.lookUpTarget(ctx, caller, workspaceID, modelID)
	if err != nil {
		return target{}, err
	}
	return t, s.Platform.Usable(ctx, caller.Caller, writes, t.model)
}

// findSource returns the model's latest assessment for a kind whose objects come
// from findings, or refuses with AssessmentNotFound; nil for other kinds
// (4.5/preview/3, 4.5/preview/4).
func (s *Optimizations) findSource(ctx context.Context, caller Caller, k optimization.Kind, modelID uuid.UUID) (*optimization.Source,
	error) {
	if !k.FromFindings() {
		return nil, nil
	}
	a, found, err := s.LatestAssessment(ctx, caller.Account, modelID)
	if err != nil {
		return nil, err
	}
	var latest *optimization.Source
	if found {
		latest = &optimization.Source{AssessmentID: a.AssessmentID, DocumentHash: a.DocumentHash, Score: a.Score}
	}
	return latest, optimization.CheckSource(k, modelID, latest)
}

// maxWrites returns the maximum number of writes of an unattended apply of the kind.
func (s *Optimizations) maxWrites(ctx context.Context, accountID string, modelID uuid.UUID, k optimization.Kind,
	source *optimization.Source) (int, error) {
	if source == nil {
		return 1, nil
	}
	findings, err := FindingsOf(ctx, s.Store, s.Documents, accountID, modelID, *source)
	if err != nil {
		return 0, err
	}
	return len(optimization.TargetsOf(k, findings)), nil
}

// loadPreview returns the document of a preview that may be applied, or refuses with
// InvalidPreview (4.5/apply/1).
func (s *Optimizations) loadPreview(ctx context.Context, caller Caller, k optimization.Kind, modelID uuid.UUID,
	text string) (optimization.Preview, error) {
	var p optimization.Preview
	named := optimization.NamedPreview{Text: text, Kind: k, AccountID: caller.Account, ModelID: modelID, Now: s.Now()}
	id, err := named.ID()
	if err != nil {
		return p, err
	}
	w, err := s.Recorder.Load(ctx, id)
	if err != nil {
		return p, err
	}
	if err := named.Check(w); err != nil {
		return p, err
	}
	body, err := s.Documents.Get(ctx, w.Document)
	if err != nil {
		return p, err
	}
	if err := s.processors.Compute(func() error { return json.Unmarshal(body, &p) }); err != nil { // megabytes
		return p, fmt.Errorf("commands: read preview %s: %w", id, err)
	}
	return p, nil
}

// acceptance returns the event that accepts an operation on a model.
func (s *core) acceptance(caller Caller, id uuid.UUID, kind operation.Type, workspaceID, modelID uuid.UUID) operation.Accepted {
	return operation.Accepted{
		OperationID: id, AccountID: caller.Account, Type: kind, Owner: caller.PersonID,
		Resource: operation.Resource{WorkspaceID: workspaceID, ItemID: &modelID, ItemType: item.SemanticModel},
	}
}

// enqueueStep stores the caller's token for the operation's next step and
// enqueues the step.
func (s *Optimizations) enqueueStep(c *eventstore.Change, caller Caller, operationID, workspaceID, modelID uuid.UUID) {
	c.Queue(s.Vault.Put(operationID, caller.Token, caller.TokenExpires))
	step := optimization.Step{WorkspaceID: workspaceID, ModelID: modelID}
	c.InTx(func(ctx context.Context, tx pgx.Tx) error {
		return s.Jobs.Optimize(ctx, tx, caller.origin(operationID), step)
	})
}

// pendingWrite is an apply or a revert about to be accepted.
type pendingWrite struct {
	caller      Caller
	operationID uuid.UUID
	kind        operation.Type
	target      target
	apply       optimization.ApplyAccepted
	limits      account.Limits
	at          time.Time

	work      *eventstore.Stream[optimization.Work]
	lock      *eventstore.Stream[optimization.Standing]
	allowance *eventstore.Stream[account.Usage]
	owner     *eventstore.Stream[account.Account]
	tracking  *Tracking
}

// prepareWrite prepares an apply or a revert; its writes may be set until it is
// decided.
func (s *Optimizations) prepareWrite(caller Caller, operationID uuid.UUID, kind operation.Type, t target,
	apply optimization.ApplyAccepted) (*pendingWrite, error) {
	limits, err := s.limits(caller.Plan)
	if err != nil {
		return nil, err
	}
	at := s.Now()
	stream := account.AllowanceStream(caller.Account, account.OptimizationApplies, limits.OptimizationApplies.Period, at)
	apply.ModelName, apply.Allowance = t.model.DisplayName, stream
	return &pendingWrite{
		caller: caller, operationID: operationID, kind: kind, target: t, apply: apply, limits: limits, at: at,
		work:      eventstore.Fold(operation.Stream(operationID), optimization.Evolve),
		lock:      eventstore.FoldLast[optimization.Standing](optimization.Stream(caller.Account, t.model.ID)),
		allowance: eventstore.FoldLast[account.Usage](stream),
		owner:     pastAccount(caller),
		tracking:  Track(caller.Account, t.model.ID),
	}, nil
}

func (w *pendingWrite) pasts() []eventstore.Loadable {
	return append(w.tracking.Pasts(), w.work, w.lock, w.allowance, w.owner)
}

// acceptWrite decides the model's lock, the day's applies and the caps on
// tracked items, and enqueues the first step (4.5/apply/8; docs/decisions.md 5).
// An apply of a preview without changes ends immediately and takes none of
// these.
func (s *Optimizations) acceptWrite(c *eventstore.Change, w *pendingWrite) error {
	modelID := w.target.model.ID
	if w.apply.NothingToWrite() {
		op := s.acceptance(w.caller, w.operationID, w.kind, w.target.workspace.ID, modelID)
		op.Impact = operation.Impact{OptimizationApplies: new(0), TrackedItem: new(false)}
		return eventstore.Decide(c, w.work, optimization.AcceptWrite{Operation: op, Apply: w.apply})
	}
	if err := eventstore.Decide(c, w.lock, optimization.TakeLock{OperationID: w.operationID, ModelID: modelID}); err != nil {
		return err
	}
	n := w.apply.Applies
	spend := account.Spend{Kind: account.OptimizationApplies, Allowance: w.limits.OptimizationApplies, OperationID: w.operationID,
		Amount: n, At: w.at}
	if err := eventstore.Decide(c, w.allowance, spend); err != nil {
		return err
	}
	holder := holderOf(w.operationID, w.apply.Bundle)
	if err := w.tracking.reserve(c, w.caller, w.owner.State, w.limits,
		reservation(holder, w.target.workspace, w.target.model)); err != nil {
		return err
	}
	claims := w.tracking.Expects(holder, modelID)
	op := s.acceptance(w.caller, w.operationID, w.kind, w.target.workspace.ID, modelID)
	op.Impact = operation.Impact{OptimizationApplies: &n, TrackedItem: &claims}
	if err := eventstore.Decide(c, w.work, optimization.AcceptWrite{Operation: op, Apply: w.apply}); err != nil {
		return err
	}
	s.enqueueStep(c, w.caller, w.operationID, w.target.workspace.ID, modelID)
	return nil
}

// FindingsOf returns the findings of a stored assessment of the account's model. It refuses with AssessmentNotFound when the log says that
// the results were deleted; a document that only the store lacks is an error.
func FindingsOf(ctx context.Context, log *eventstore.Store, in *documents.Store, accountID string, modelID uuid.UUID,
	source optimization.Source) ([]readiness.Finding, error) {
	hash := source.DocumentHash
	body, err := in.Get(ctx, hash)
	if errors.Is(err, documents.ErrNotFound) {
		for r, failed := range log.ReadStream(ctx, assessment.Stream(accountID, modelID), 0) {
			if failed != nil {
				return nil, failed
			}
			if deleted, ok := r.Event.(assessment.ResultsDeleted); ok && slices.Contains(deleted.AssessmentIDs, source.AssessmentID) {
				return nil, optimization.ResultsDeleted()
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("commands: read the findings of document %s: %w", hash, err)
	}
	var document struct {
		Report struct {
			Findings []readiness.Finding `json:"findings"`
		} `json:"report"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return nil, fmt.Errorf("commands: read the findings of document %s: %w", hash, err)
	}
	return document.Report.Findings, nil
}
