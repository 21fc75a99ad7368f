package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"readiness/commands"
	"readiness/definition"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/eventstore"
)

// Proposer proposes texts with the AI provider that an account chose.
type Proposer interface {
	Propose(ctx context.Context, settings aiprovider.Settings, ask proposal.Ask) (proposal.Answer, error)
}

// optimize is the job that makes a proposal or a write.
type optimize struct {
	commands.Origin
	optimization.Step
}

// Kind implements river.JobArgs.
func (optimize) Kind() string { return "optimize-semantic-model" }

// optimizer carries out optimize jobs.
type optimizer struct {
	river.WorkerDefaults[optimize]
	Options
	recorder commands.Recorder
	shared   *shared
}

// Timeout implements river.Worker: a proposal may take longer than other steps.
func (*optimizer) Timeout(*river.Job[optimize]) time.Duration {
	return turnTimeout + proposeTimeout + endTimeout
}

// Work implements river.Worker. The operation's stream says which step is next, so
// a step that was done before a crash is not repeated.
func (w *optimizer) Work(ctx context.Context, job *river.Job[optimize]) (ended error) {
	defer w.shared.begin(job.ID)()
	step := job.Args
	defer w.release(ctx, step.Origin, theItem(step, optimization.Work{}), &ended)
	work, err := w.recorder.Load(ctx, step.OperationID)
	if err != nil || work.Operation.Status.Ended() || work.Operation.Rests() {
		return err
	}
	by := w.proposer(ctx, step, work)
	release, err := w.shared.turnOf(ctx, keyOf(step.AccountID, step.PersonID), by.settings)
	if err != nil {
		return err
	}
	defer release()
	if work, err = w.recorder.Record(ctx, step.Metadata(), work, optimization.Begin{}, nil); err != nil || work.Operation.Status.Ended() ||
		work.Operation.Rests() {
		return err
	}
	if before := attemptsSinceEnqueued(job.JobRow); before.crashedTooOften() {
		err = domain.Refuse(domain.OptimizationFailed, "the service crashed %d times while it worked on this semantic model, and gave "+
			"up; this is a fault of the service: report it to the operator%s", before.crashed, openEnd(work))
	} else {
		err = w.carryOut(ctx, step, work, by)
	}
	if err == nil {
		return nil
	}
	if rests, failed := w.rests(ctx, step.Origin, work.Operation.Resumed, err); rests {
		return failed
	}
	failure, again := w.failure(err, work, attemptsSinceEnqueued(job.JobRow))
	if again {
		return err
	}
	w.Log.Info("an optimization failed", "operationId", step.OperationID, "code", failure.Code, "error", err)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if work, err = w.recorder.Load(end, step.OperationID); err != nil {
		return err
	}
	_, err = w.recorder.Record(end, step.Metadata(), work, optimization.Fail{Failure: failure}, nil)
	return err
}

// failure returns the failure of the operation, or true if the step is worth
// another attempt: after an internal error, and while it is unknown whether a write
// was made, for as long as faultLife.
func (w *optimizer) failure(err error, work optimization.Work, before attempts) (operation.Failure, bool) {
	refusal, refused := domain.Refused(err)
	_, inDoubt := errors.AsType[*inDoubt](err)
	switch {
	case inDoubt && !before.gaveUp(), !inDoubt && before.again(err):
		return operation.Failure{}, true
	case inDoubt:
		message := "the platform did not say whether the write was made; look at the semantic model before you write it again"
		if refused {
			message += ": " + refusal.Message
		}
		return operation.Failure{Code: domain.PlatformUnavailable, Message: shortened(message)}, false
	case refused:
		return operation.Failure{Code: optimization.OperationCode(refusal.Code), Message: shortened(refusal.Message)}, false
	case before.tookTooLong(err):
		return operation.Failure{Code: domain.OptimizationFailed,
			Message: fmt.Sprintf("the work did not end within %s", proposeTimeout) + openEnd(work)}, false
	case before.gaveUp():
		return operation.Failure{Code: domain.OptimizationFailed,
			Message: "an internal error kept the service from finishing; start it again later" + openEnd(work)}, false
	}
	return operation.Failure{}, true
}

// openEnd returns what a failure adds when a write may have been made.
func openEnd(work optimization.Work) string {
	if !work.InDoubt() {
		return ""
	}
	return ". It is unknown whether its last write was made: look at the semantic model before you write it again"
}

// failWrites ends a preview, an apply or a revert. What it has written stays, and can be reverted.
func (q *Queue) failWrites(ctx context.Context, step optimize, failure operation.Failure) error {
	work, err := q.recorder().Load(ctx, step.OperationID)
	if err != nil {
		return err
	}
	failure.Message += openEnd(work)
	_, err = q.recorder().Record(ctx, step.Metadata(), work, optimization.Fail{Failure: failure}, nil)
	return err
}

// carryOut makes the proposal, or the write that was started. A panic is a fault
// like any other: it is retried a limited number of times.
func (w *optimizer) carryOut(ctx context.Context, step optimize, work optimization.Work, by proposer) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			w.Log.Error("an optimization panicked", "operationId", step.OperationID, "fault", fault, "stack", string(debug.Stack()))
			err = fmt.Errorf("work: an optimization panicked: %v", fault)
		}
	}()
	token, ok, err := w.Vault.Token(ctx, step.OperationID, w.Now())
	if err != nil {
		return err
	}
	if !ok {
		return domain.Refuse(domain.OptimizationFailed, "the token of the call expired before the work was done; start it again%s",
			openEnd(work))
	}
	as, err := w.caller(ctx, step.Origin, token)
	if err != nil {
		return err
	}
	timeout := stepTimeout
	if by.proposes {
		timeout = proposeTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if by.proposes {
		err = w.propose(ctx, as, step, work, by)
	} else {
		err = w.write(ctx, as, step, work)
	}
	if domain.IsRefused(err, domain.ItemNotFound) {
		err = errors.Join(err, w.noticeGone(ctx, step.Metadata(), as, step.WorkspaceID, step.ModelID))
	}
	return err
}

// propose makes the preview of the kind: the result of a preview operation, or the
// writes of an unattended apply.
func (w *optimizer) propose(ctx context.Context, as item.Caller, step optimize, work optimization.Work, by proposer) error {
	p, err := w.preview(ctx, as, step, work, by)
	if err != nil {
		return err
	}
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("work: encode the preview: %w", err)
	}
	hash, stored, err := w.Documents.PutUntil(ctx, body, p.ExpiresAt)
	if err != nil {
		return err
	}
	var command domain.Command[optimization.Work] = optimization.RecordPreview{Previewed: optimization.Previewed{DocumentHash: hash,
		Changes: len(p.Changes), ExpiresAt: p.ExpiresAt}}
	if work.Unattended {
		proposed, err := p.Proposed(hash)
		if err != nil {
			return err
		}
		command = optimization.RecordProposal{Proposed: proposed, At: w.Now()}
	}
	_, err = w.recorder.Record(ctx, step.Metadata(), work, command, func(c *eventstore.Change) { c.Queue(stored) })
	return err
}

// proposer says whether a step proposes, and with which provider, or why without one.
type proposer struct {
	proposes bool
	settings aiprovider.Settings
	err      error
}

func (w *optimizer) proposer(ctx context.Context, step optimize, work optimization.Work) (by proposer) {
	by.proposes = work.Operation.Type == operation.PreviewOptimization || work.Unattended && !work.Proposed
	if by.proposes {
		by.settings, by.err = w.Providers.Proposing(ctx, step.AccountID)
	}
	return by
}

// read reads the model for a proposal.
func (w *optimizer) read(ctx context.Context, as item.Caller, step optimize, work optimization.Work,
	by proposer) (definition.Definition, error) {
	release, err := w.shared.reading(ctx, keyOf(step.AccountID, step.PersonID), by.settings)
	if err != nil {
		return definition.Definition{}, err
	}
	defer release()
	return w.Platform.Definition(ctx, as, theItem(step, work))
}

// preview composes a preview as the person who started it.
func (w *optimizer) preview(ctx context.Context, as item.Caller, step optimize, work optimization.Work,
	by proposer) (*optimization.Preview, error) {
	now := w.Now().UTC().Truncate(time.Microsecond)
	p := &optimization.Preview{
		PreviewID: step.OperationID, Kind: work.Kind, WorkspaceID: step.WorkspaceID, SemanticModelID: step.ModelID,
		SemanticModelName: work.ModelName,
		CreatedAt:         now, ExpiresAt: now.Add(optimization.PreviewLife), Changes: []optimization.Change{},
		Skipped: []optimization.Skip{},
	}
	access, err := w.Permissions.Access(ctx, as)
	if err != nil {
		return nil, err
	}
	p.UsageAccess = access[item.PermissionUsage]
	p.UsageAccess = cmp.Or(p.UsageAccess, item.Unavailable)
	owner := eventstore.FoldCached(account.Stream(step.AccountID), account.Evolve)
	if err := w.Store.Load(ctx, owner); err != nil {
		return nil, err
	}
	regime, err := w.Regimes.Of(owner.State, w.Regime)
	if err != nil {
		return nil, err
	}
	a := optimization.Asking{Regime: regime, AgentPermission: account.VendorName(item.PermissionAgent), SameTypes: work.Unattended}
	if work.Source != nil {
		p.AssessmentID = &work.Source.AssessmentID
		findings, err := commands.FindingsOf(ctx, w.Store, w.Documents, step.AccountID, step.ModelID, *work.Source)
		if err != nil {
			return nil, err
		}
		if a.Targets = optimization.TargetsOf(work.Kind, findings); len(a.Targets) == 0 {
			p.Nothing(work.Source.Score)
			return p, nil
		}
	}
	if refusal, refused := domain.Refused(by.err); refused {
		by.settings = aiprovider.Embedded()
		p.Warnings = append(p.Warnings, proposal.Replaced(refusal.Message))
	} else if by.err != nil {
		return nil, by.err
	}
	if by.settings.IsDataAgent() {
		if a.Agent = access[item.PermissionAgent]; a.Agent == "" {
			a.Agent = item.Unavailable
		}
	}
	a.Propose = func(ask proposal.Ask) (answer proposal.Answer, err error) {
		if answering(by.settings) == "" {
			return w.Proposer.Propose(ctx, by.settings, ask)
		}
		w.shared.processors.Elsewhere(func() { answer, err = w.Proposer.Propose(ctx, by.settings, ask) })
		return answer, err
	}
	d, err := w.read(ctx, as, step, work, by)
	if err != nil {
		return nil, err
	}
	return p, w.compose(ctx, as, p, d, a)
}

// breakDown turns a panic of the rules, which a retry would repeat, into a
// failure of the operation.
func (w *optimizer) breakDown(operationID uuid.UUID, err *error) {
	if fault := recover(); fault != nil {
		w.Log.Error("an optimization panicked", "operationId", operationID, "fault", fault, "stack", string(debug.Stack()))
		*err = domain.Refuse(domain.OptimizationFailed,
			"the service could not work with this semantic model: internal error; the operator's log has the details")
	}
}

// compose fills in the preview. A panic of the rules fails this operation only.
func (w *optimizer) compose(ctx context.Context, as item.Caller, p *optimization.Preview, d definition.Definition,
	a optimization.Asking) (err error) {
	defer w.breakDown(p.PreviewID, &err)
	m, err := w.shared.model(d)
	if err != nil {
		return err
	}
	if a.Usage, _, err = w.usageOf(ctx, as, p.UsageAccess, p.SemanticModelID, m); err != nil {
		return err
	}
	if p.Kind == optimization.AIDataSchema {
		var unread string
		if a.Captions, unread = w.captions(ctx, as, p.WorkspaceID, p.SemanticModelID); unread != "" {
			p.Warnings = append(p.Warnings, unread)
		}
	}
	return w.shared.processors.Compute(func() error { return p.Compose(d, m, a) })
}

// theItem returns the model that a step is about.
func theItem(step optimize, work optimization.Work) item.Item {
	return item.Item{ID: step.ModelID, Type: item.SemanticModel, WorkspaceID: step.WorkspaceID, DisplayName: work.ModelName}
}
