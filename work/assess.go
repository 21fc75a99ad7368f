package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"readiness/commands"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/definition/upgrade"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/readiness"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/internal/database"
)

// assess is the job that assesses one model of a run, or a data agent.
type assess struct {
	commands.Origin
	assessment.Step
}

// Kind implements river.JobArgs. The stored name predates data agents.
func (assess) Kind() string { return "assess-semantic-model" }

// assessor carries out assess jobs.
type assessor struct {
	river.WorkerDefaults[assess]
	Options
	shared *shared
}

// Work implements river.Worker. An error is an internal error that is worth another
// attempt; problems of the platform or the model are outcomes in the log.
func (w *assessor) Work(ctx context.Context, job *river.Job[assess]) (ended error) {
	defer w.shared.begin(job.ID)()
	step := job.Args
	release, err := w.shared.turn(ctx, w.shared.definitions, keyOf(step.AccountID, step.PersonID))
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	run := eventstore.Fold(operation.Stream(step.OperationID), assessment.EvolveRun)
	owner := eventstore.FoldCached(account.Stream(step.AccountID), account.Evolve)
	err = w.Store.Change(ctx, step.Metadata(), []eventstore.Loadable{run, owner}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, run, assessment.Begin{})
	})
	if err != nil {
		return err
	}
	it := item.Item{ID: step.ModelID, Type: run.State.Operation.Resource.ItemType, WorkspaceID: step.WorkspaceID}
	defer w.release(ctx, step.Origin, it, &ended)
	if !run.State.Open(step.ModelID) || run.State.Operation.Rests() {
		return nil // done before a crash, or waits for the owner
	}
	var made *found
	if before := attemptsOf(job.JobRow, step.AcceptedAt, w.Now()); before.crashedTooOften() {
		err = domain.Refuse(domain.AssessmentFailed, "the service crashed %d times while it assessed this %s, and gave up; this is a "+
			"fault of the service: report it to the operator", before.crashed, run.State.Operation.Resource.ItemType.Noun())
	} else {
		made, err = w.assess(ctx, step, run.State, owner.State)
	}
	if rests, failed := w.rests(ctx, step.Origin, run.State.Operation.Resumed, err); rests {
		return failed
	}
	before := attemptsOf(job.JobRow, step.AcceptedAt, w.Now())
	switch refusal, refused := domain.Refused(err); {
	case err == nil:
		err = w.end(ctx, step, made, nil)
		if refusal, refused := domain.Refused(err); refused && exceeds(refusal.Code) {
			return w.end(ctx, step, nil, &operation.Failure{Code: failureCode(refusal.Code), Message: shortened(refusal.Message)})
		}
		return err
	case before.again(err):
		return err
	case refused:
		return w.end(ctx, step, made, &operation.Failure{Code: failureCode(refusal.Code), Message: shortened(refusal.Message)})
	case errors.Is(err, context.DeadlineExceeded):
		return w.end(ctx, step, made, &operation.Failure{Code: domain.AssessmentTimedOut,
			Message: fmt.Sprintf("the assessment did not end within %s", stepTimeout)})
	case before.gaveUp():
		w.Log.Error("a step failed too often; its operation ends with an internal error", "operationId", step.OperationID,
			"itemId", step.ModelID, "error", err)
		return w.end(ctx, step, made, &operation.Failure{Code: domain.AssessmentNotStarted,
			Message: "the service could not assess this " + run.State.Operation.Resource.ItemType.Noun() +
				": internal error; the operator's log has the details; call again later"})
	}
	return err
}

// exceeds reports whether the code means that a cap leaves no room for the result.
// That is an outcome; retrying would not change it.
func exceeds(c domain.Code) bool {
	return c == domain.TrackedItemLimitReached || c == domain.LicenseTrackedItemLimitReached || c == domain.FirstLookLimitReached
}

// failureCode returns the code with which an operation fails because of a refusal.
// Codes that operations do not use are mapped to the closest that they do.
func failureCode(c domain.Code) domain.Code {
	switch c {
	case domain.AssessmentNotStarted, domain.CapacityPaused, domain.CapacityBusy, domain.ItemNotFound, domain.ItemNotReadable,
		domain.PlatformAccessDenied, domain.PlatformUnavailable, domain.TrackedItemLimitReached, domain.FirstLookLimitReached:
		return c
	case domain.LicenseTrackedItemLimitReached:
		return domain.TrackedItemLimitReached
	case domain.WorkspaceNotFound:
		return domain.ItemNotFound
	case domain.PlatformConsentRequired:
		return domain.PlatformAccessDenied
	}
	return domain.AssessmentFailed
}

// maxMessage bounds a stored message, which may quote arbitrarily long text, in characters.
const maxMessage = 1000

func shortened(message string) string { return domain.Shortened(message, maxMessage) }

// found is the result of assessing a model, before it is recorded, with the
// statements that store its documents. If gone is set, the model no longer exists
// and all other fields are empty.
type found struct {
	gone       bool
	assessment assessment.Assessment
	stored     []database.Statement
}

// assess reads and scores the model or the agent, as the person who started the
// run.
func (w *assessor) assess(ctx context.Context, step assess, run assessment.Run, owner account.Account) (*found, error) {
	itemType := run.Operation.Resource.ItemType
	regime, err := w.regimeOf(ctx, step, run, owner)
	if err != nil {
		return nil, err
	}
	token, ok, err := w.Vault.Token(ctx, step.OperationID, w.Now())
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, domain.Refuse(domain.AssessmentNotStarted, "the token of the call expired before this %s's turn came; call again",
			itemType.Noun())
	}
	as, err := w.caller(ctx, step.Origin, token)
	if err != nil {
		return nil, err
	}
	access, err := w.usageAccess(ctx, as)
	if err != nil {
		return nil, err
	}
	if itemType == item.SemanticModel {
		if err := w.Platform.Announce(ctx, as, step.WorkspaceID, run.ModelIDs()); err != nil {
			return nil, err
		}
	}
	model, _ := run.Model(step.ModelID)
	d, err := w.Platform.Definition(ctx, as, item.Item{ID: step.ModelID, Type: itemType, WorkspaceID: step.WorkspaceID,
		DisplayName: model.ModelName})
	if domain.IsRefused(err, domain.ItemNotFound) {
		return &found{gone: lacks(ctx, w.Platform, as, step.WorkspaceID, itemType, step.ModelID)}, err
	}
	if err != nil {
		return nil, err
	}
	made := assessment.Assessment{
		AssessmentID: w.NewID(), OperationID: step.OperationID,
		WorkspaceID: step.WorkspaceID, WorkspaceName: run.WorkspaceName, ModelID: step.ModelID, ModelName: model.ModelName,
		AssessedAt: w.Now().UTC().Truncate(time.Microsecond), Usage: assessment.Usage{Access: access},
		DefinitionHash: d.Hash(), SchemaVersion: documentSchema,
	}
	document, fingerprint, err := w.score(ctx, as, run, regime, d, &made)
	if err != nil {
		return nil, err
	}
	f := &found{assessment: made}
	if f.assessment.DocumentHash, err = f.put(w.Documents.Put(ctx, document)); err != nil || fingerprint == nil {
		return f, err
	}
	document, err = json.Marshal(assessment.Fingerprint{SchemaVersion: assessment.FingerprintSchema, AssessmentID: made.AssessmentID,
		Fingerprint: *fingerprint})
	if err != nil {
		return nil, err
	}
	f.assessment.FingerprintHash, err = f.put(w.Documents.PutUntil(ctx, document, w.Now().Add(assessment.FingerprintLife)))
	return f, err
}

// regimeOf returns the regime under which a run was accepted, also if the account's rules have changed since.
func (w *assessor) regimeOf(ctx context.Context, step assess, run assessment.Run, owner account.Account) (*readiness.Regime, error) {
	made, err := w.Regimes.Of(owner, w.Regime)
	if err != nil {
		return nil, err
	}
	if regime, known := run.Regime(made); known {
		return regime, nil
	}
	past := eventstore.FoldCached(account.Stream(step.AccountID), account.EvolveRules)
	if err := w.Store.Load(ctx, past); err != nil {
		return nil, err
	}
	for _, rules := range slices.Backward(past.State) {
		if made, err := w.Regimes.By(rules, w.Regime); err == nil && made.ID == run.RegimeID {
			return made, nil
		}
	}
	// A process of a newer version, or with another rules file, accepted the run and can carry out the step.
	return nil, fmt.Errorf("work: operation %s was accepted under regime %s, which this process does not have; a process with that "+
		"version and --rules file can score it", step.OperationID, run.RegimeID)
}

// put adds the statement that stores a document, and returns the document's hash.
func (f *found) put(hash string, stored database.Statement, err error) (string, error) {
	f.stored = append(f.stored, stored)
	return hash, err
}

// score reads the definition, fills a with the regime's results, weighted by usage
// if available, and returns the document. It also returns the fingerprint, if the run
// compares its models. A panic in the rules fails the assessment of this item only.
func (w *assessor) score(ctx context.Context, as item.Caller, run assessment.Run, regime *readiness.Regime, d definition.Definition,
	a *assessment.Assessment) (document []byte, fingerprint *readiness.Fingerprint, err error) {
	t := run.Operation.Resource.ItemType
	defer func() {
		if p := recover(); p != nil {
			w.Log.Error("scoring panicked", "operationId", a.OperationID, "itemId", a.ModelID, "fault", p, "stack", string(debug.Stack()))
			err = domain.Refuse(domain.AssessmentFailed,
				"the service could not score this %s: internal error; the operator's log has the details", t.Noun())
		}
	}()
	if run.Compares() {
		fingerprint = &readiness.Fingerprint{}
	}
	var scored readiness.Result
	if t == item.DataAgent {
		scored, err = w.scoreAgent(ctx, as, regime, d, a)
	} else {
		scored, err = w.scoreModel(ctx, as, regime, d, a, fingerprint)
	}
	if err != nil {
		return nil, nil, err
	}
	a.SetResult(scored)
	a.UsageInScoring = a.Usage.Applied
	document, err = json.Marshal(newDocument(scored, *a))
	return document, fingerprint, err
}

// scoreModel scores a semantic model. Its reports are searched for Q&A visuals if it has a linguistic schema that Q&A reads.
func (w *assessor) scoreModel(ctx context.Context, as item.Caller, regime *readiness.Regime, d definition.Definition,
	a *assessment.Assessment, fingerprint *readiness.Fingerprint) (scored readiness.Result, err error) {
	m, err := w.shared.model(d)
	if err != nil {
		return scored, err
	}
	if fingerprint != nil {
		*fingerprint = readiness.FingerprintOf(m)
	}
	var o readiness.Options
	if o.Usage, a.Usage, err = w.usageOf(ctx, as, a.Usage.Access, a.ModelID, m); err != nil {
		return scored, err
	}
	scoreOnly := o
	scoreOnly.WithoutFindings = true
	err = w.shared.processors.Compute(func() error {
		a.ScoreDataAgent = regime.AssessAsAgent(m, scoreOnly).Score
		scored = regime.Assess(m, o)
		a.LeavingQnA = new(assessment.TakeQnA(upgrade.Take(d, m)))
		return nil
	})
	if err == nil && m.AIFormat().Linguistic() && m.QnA != semanticmodel.QnAOff {
		w.searchQnA(ctx, as, a)
		err = cutOff(ctx)
	}
	return scored, err
}

// model parses a definition, or refuses one that cannot be read.
func (s *shared) model(d definition.Definition) (m *semanticmodel.Model, err error) {
	err = s.processors.Compute(func() error {
		if m, err = semanticmodel.Read(d); err != nil {
			return notReadable(err)
		}
		return nil
	})
	return m, err
}

func notReadable(err error) error {
	return domain.Refuse(domain.ItemNotReadable, "the definition cannot be read: %s", err)
}

// end records a model's outcome in one append: on the run, on the model's own
// stream with the document, and on the allowances if the work refunds what it
// spent. Repeating it changes nothing. It has its own timeout, so a step that ran
// out of time can still record its end.
func (w *assessor) end(ctx context.Context, step assess, made *found, failure *operation.Failure) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	limits, ok := w.Plans[step.Plan]
	if !ok {
		return fmt.Errorf("work: the plan %q is unknown to this process; give every process the same --plans file", step.Plan)
	}
	window := func(k account.Kind, a account.Allowance) *eventstore.Stream[account.Usage] {
		return eventstore.FoldLast[account.Usage](account.AllowanceStream(step.AccountID, k, a.Period, step.AcceptedAt))
	}
	run := eventstore.Fold(operation.Stream(step.OperationID), assessment.EvolveRun)
	standing := eventstore.FoldLast[assessment.Standing](assessment.Stream(step.AccountID, step.ModelID))
	assessments := window(account.Assessments, limits.Assessments)
	firstLooks := window(account.FirstLooks, limits.FirstLooks)
	result := resultOf(step.ModelID, made, failure)
	tracking := commands.Track(step.AccountID, step.ModelID)
	pasts := append(tracking.Pasts(), run, standing, assessments, firstLooks)
	return w.Store.Change(ctx, step.Metadata(), pasts, func(c *eventstore.Change) error {
		if !run.State.Open(step.ModelID) {
			return nil
		}
		if err := w.track(c, step, run.State, tracking, &result); err != nil {
			return err
		}
		end := assessment.EndModel{Result: result, Standing: standing.State}
		if err := eventstore.Decide(c, run, end); err != nil {
			return err
		}
		if run.State.Operation.Status.Ended() {
			c.Queue(w.Vault.Forget(step.OperationID))
		}
		if failure == nil {
			for _, s := range made.stored {
				c.Queue(s)
			}
			return eventstore.Decide(c, standing, assessment.Record{Assessment: made.assessment})
		}
		if made != nil && made.gone {
			if err := eventstore.Decide(c, tracking.Stream(step.ModelID),
				trackeditem.MarkDeleted{WorkspaceID: step.WorkspaceID, At: w.Now()}); err != nil {
				return err
			}
		}
		if !run.State.Refunds(failure.Code) {
			return eventstore.Decide(c, standing, assessment.End{OperationID: step.OperationID})
		}
		if end.Standing.RefundsFirstLook() {
			if err := eventstore.Decide(c, firstLooks, account.Refund{Kind: account.FirstLooks, OperationID: step.OperationID,
				Amount: 1}); err != nil {
				return err
			}
		}
		if err := eventstore.Decide(c, assessments, account.Refund{Kind: account.Assessments, OperationID: step.OperationID,
			Amount: 1}); err != nil {
			return err
		}
		return eventstore.Decide(c, standing, assessment.Refund{OperationID: step.OperationID})
	})
}

// resultOf returns the result of a model that was assessed, or that failed.
func resultOf(modelID uuid.UUID, made *found, failure *operation.Failure) assessment.Result {
	if failure != nil {
		return assessment.Result{ModelID: modelID, Outcome: assessment.OutcomeOf(failure.Code), Error: failure}
	}
	a := &made.assessment
	return assessment.Result{ModelID: modelID, Outcome: assessment.Assessed, AssessmentID: &a.AssessmentID, Score: a.Score,
		ScoreDataAgent: a.ScoreDataAgent, FindingsCount: &a.FindingsCount, ScoreComplete: a.ScoreComplete}
}

// track makes an assessed model that the call reserved a tracked item, releases
// unused reservations, and records both in the result.
func (w *assessor) track(c *eventstore.Change, step assess, run assessment.Run, tracking *commands.Tracking,
	result *assessment.Result) error {
	via := trackeditem.ViaAssessment
	if run.Operation.Type == operation.AssessDataAgent {
		via = trackeditem.ViaAgentAssessment
	}
	if result.Error == nil {
		if err := tracking.Claim(c, step.OperationID, step.ModelID, via, w.Now()); err != nil {
			return err
		}
	}
	if err := tracking.Release(c, step.OperationID); err != nil {
		return err
	}
	tracked, made := tracking.Item(step.ModelID), tracking.Claimed(step.OperationID, step.ModelID)
	legacy := tracked.Counts() && tracked.ClaimedBy == uuid.Nil // claimed by an older version when an assessment was accepted
	if model, _ := run.Model(step.ModelID); model.TrackedItem != nil && *model.TrackedItem != made && !legacy {
		result.TrackedItem = &made
	}
	return nil
}
