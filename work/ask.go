package work

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"readiness/commands"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/domain/verdict/normalform"
)

// Asker asks the AIs that answer questions about semantic models, and the judge of
// their answers.
type Asker interface {
	// Open reads, as the person, what the side may see of its model, and returns the
	// model and a function that asks one question in a new conversation. A refusal
	// means that the side cannot answer any question.
	Open(ctx context.Context, as item.Caller, side benchmark.Side) (about verdict.Target, m *semanticmodel.Model,
		ask func(ctx context.Context, question string) (benchmark.Reply, error), err error)
	// Judge lets a provider that answers for neither side judge an answer. It returns
	// false if there is no such provider.
	Judge(ctx context.Context, accountID string, sides []string, of benchmark.Case) (verdict.Judgement,
		verdict.Judge, bool, error)
}

// Queries runs a DAX query on a semantic model as the person. It is nil for a
// platform that runs no queries.
type Queries interface {
	Rows(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error)
}

// Bounds of asking. A long run is carried out in slices, one job after the other,
// so that River does not consider the job stuck.
const (
	askSlice = 45 * time.Second
	// askTimeout bounds one ask with the wait for its turn and all attempts, and again the
	// queries of its verdict with their waits for the quota, which is counted by the minute;
	// verdictTimeout bounds the judge of its answer.
	askTimeout     = 150 * time.Second
	verdictTimeout = 55 * time.Second
	// askAtOnce is how many questions of a run are asked at once.
	askAtOnce = 4
	// askLife is how long single answers are kept; those of a completed run are in
	// its document.
	askLife = 30 * 24 * time.Hour
)

// ask is the job that asks the questions of a benchmark run.
type ask struct {
	commands.Origin
	benchmark.Step
}

// Kind implements river.JobArgs.
func (ask) Kind() string { return "ask-questions" }

// asker carries out ask jobs.
type asker struct {
	river.WorkerDefaults[ask]
	Options
	runs   commands.Runs
	shared *shared
}

// Timeout implements river.Worker.
func (*asker) Timeout(*river.Job[ask]) time.Duration {
	return 2*turnTimeout + 2*stepTimeout + askSlice + 2*askTimeout + verdictTimeout + endTimeout
}

// Work implements river.Worker. The run's stream says which questions are left, so
// no question is asked again after a crash.
func (w *asker) Work(ctx context.Context, job *river.Job[ask]) error {
	defer w.shared.begin(job.ID)()
	step := job.Args
	a, err := w.runs.Load(ctx, step.RunID)
	if err != nil || a.Ended() || a.Operation().SignIn != nil {
		return err
	}
	k := keyOf(step.AccountID, step.PersonID)
	if k.Provider, err = w.provider(ctx, step.AccountID, a.Run.Side.AnsweredBy); err != nil {
		return err
	}
	release, err := w.shared.turn(ctx, w.shared.asks, k)
	if err != nil {
		return err
	}
	defer release()
	if a, err = w.runs.Begin(ctx, step.Metadata(), a); err != nil {
		return err
	}
	var more bool
	if before := attemptsOf(job.JobRow, step.AcceptedAt, w.Now()); before.crashedTooOften() {
		err = domain.Refuse(domain.BenchmarkRunFailed, "the service crashed %d times while it asked the questions, and gave up; this is a "+
			"fault of the service: report it to the operator", before.crashed)
	} else {
		more, err = w.carryOut(ctx, step, a)
	}
	switch {
	case err == nil && more:
		return river.JobSnooze(0)
	case err == nil:
		return nil
	}
	if rests, failed := w.rests(ctx, step.Origin, a.Operation().Resumed, err); rests {
		return failed
	}
	failure, again := w.failure(err, attemptsOf(job.JobRow, step.AcceptedAt, w.Now()))
	if again {
		return err
	}
	w.Log.Info("a benchmark run failed", "operationId", step.OperationID, "runId", step.RunID, "code", failure.Code, "error", err)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	return w.runs.Fail(end, step.Metadata(), a, failure)
}

// provider returns the id of the AI provider that answers for the side; "" if there
// is none.
func (w *asker) provider(ctx context.Context, accountID string, by benchmark.AnsweredBy) (string, error) {
	var settings aiprovider.Settings
	var err error
	switch by.Kind {
	case verdict.GenericAgent:
		settings, err = w.Providers.Get(ctx, accountID, by.ProviderID)
	case verdict.ServiceTestAgent:
		settings, _, err = w.Providers.ForPurpose(ctx, accountID, aiprovider.Agent)
	default: // the platform's own, or the embedded engine
	}
	if _, refused := domain.Refused(err); refused {
		return "", nil // asking will return the refusal
	}
	return answering(settings), err
}

// open reads what the side sees. A run reads definitions only here.
func (w *asker) open(ctx context.Context, as item.Caller, side benchmark.Side) (verdict.Target, *semanticmodel.Model,
	func(context.Context, string) (benchmark.Reply, error), error) {
	ctx, cancel := context.WithTimeout(ctx, turnTimeout+stepTimeout)
	defer cancel()
	release, err := w.shared.definitions.Await(ctx, keyOf(as.Account, as.PersonID))
	if err != nil {
		return verdict.Target{}, nil, nil, err
	}
	defer release()
	ctx, cancel = context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	return w.Asker.Open(ctx, as, side)
}

// failure returns the failure of the run, or true if the step is worth another
// attempt.
func (w *asker) failure(err error, before attempts) (operation.Failure, bool) {
	refusal, refused := domain.Refused(err)
	switch {
	case before.again(err):
		return operation.Failure{}, true
	case refused:
		return operation.Failure{Code: benchmark.OperationCode(refusal.Code), Message: shortened(refusal.Message)}, false
	case before.gaveUp():
		return operation.Failure{Code: domain.BenchmarkRunFailed,
			Message: "an internal error kept the service from finishing; run it again later"}, false
	}
	return operation.Failure{}, true
}

// carryOut asks the remaining questions, for one slice of time, and compares the
// sides of an A/B run once both have answered. It reports whether more are left.
func (w *asker) carryOut(ctx context.Context, step ask, a commands.Asking) (more bool, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			w.Log.Error("a benchmark run panicked", "operationId", step.OperationID, "fault", fault, "stack", string(debug.Stack()))
			err = domain.Refuse(domain.BenchmarkRunFailed,
				"the service could not continue this run: internal error; the operator's log has the details")
		}
	}()
	set, err := commands.QuestionsOf(ctx, w.Documents, a.Run.Questions)
	if err != nil {
		return false, err
	}
	if !a.Run.Status.Ended() {
		if a, more, err = w.askSide(ctx, step, a, set); more || err != nil {
			return more, err
		}
	}
	if !a.Comparing() {
		return false, nil
	}
	for range familyTries {
		if err = w.compare(ctx, step, a, set); !errors.Is(err, abtest.ErrFamilyMoved) {
			break
		}
	}
	return false, err
}

// askSide asks the remaining questions and, after the last, completes the run.
func (w *asker) askSide(ctx context.Context, step ask, a commands.Asking, set benchmark.Set) (commands.Asking, bool, error) {
	token, ok, err := w.Vault.Token(ctx, step.OperationID, w.Now())
	if err != nil {
		return a, false, err
	}
	if !ok {
		return a, false, domain.Refuse(domain.BenchmarkRunFailed,
			"the token that this side asks with expired after %d of its %d asks; run it again", len(a.Run.Asks), a.Run.Total())
	}
	if why, stops := a.Run.Unanswered(set); stops { // the process that recorded the last one died
		return a, false, unanswered(why, "")
	}
	as, err := w.caller(ctx, step.Origin, token)
	if err != nil {
		return a, false, err
	}
	as.Work = uuid.Nil // the model is read while the step waits
	s := &side{
		asker: w, step: step, as: as, set: set, of: a.Run.Side,
		both:  a.Sides(),
		state: a, references: map[string]queried{},
	}
	var m *semanticmodel.Model
	if s.about, m, s.ask, err = w.open(ctx, s.as, a.Run.Side); err != nil {
		if domain.IsRefused(err, domain.ItemNotFound) {
			reading, cancel := context.WithTimeout(ctx, stepTimeout)
			defer cancel()
			err = errors.Join(err, w.noticeGone(reading, step.Metadata(), s.as, a.Run.Side.WorkspaceID, a.Run.Side.SemanticModelID))
		}
		return a, false, err
	}
	s.model, s.meanings = m, normalform.NewModel(m)
	if a.Run.Side.AnsweredBy.Imported() {
		given, err := w.runs.ImportedAnswers(ctx, w.Documents, a.Run.Side)
		if err != nil {
			return a, false, err
		}
		s.imported, s.about = &given, given.About
	}
	if err := s.askAll(ctx); err != nil {
		return s.state, false, err
	}
	if s.state.Ended() || s.state.Run.Status.Ended() {
		return s.state, false, nil // stopped, or done by another worker
	}
	if len(s.state.Run.Left(set)) > 0 {
		return s.state, true, nil
	}
	err = s.complete(ctx)
	return s.state, false, err
}
