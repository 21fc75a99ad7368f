package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"readiness/commands"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/internal/database"
)

// Phraser turns queries about a model into questions in words, with the provider of
// the settings. It returns one text for each query: "" for a query that cannot be
// phrased, and for those after the first count that can. The other texts differ.
type Phraser interface {
	Phrase(ctx context.Context, settings aiprovider.Settings, m *semanticmodel.Model, queries []modelquery.Query, count int) ([]string,
		error)
}

// MakeQuestions enqueues the step that generates or saves questions, in the
// transaction that accepts it.
func (q *Queue) MakeQuestions(ctx context.Context, tx pgx.Tx, of commands.Origin, step benchmark.QuestionStep) error {
	return q.enqueue(ctx, tx, []river.InsertManyParams{{Args: makeQuestions{of, step}}})
}

// makeQuestions is the job that generates or saves questions.
type makeQuestions struct {
	commands.Origin
	benchmark.QuestionStep
}

// Kind implements river.JobArgs.
func (makeQuestions) Kind() string { return "make-benchmark-questions" }

// questioner carries out makeQuestions jobs.
type questioner struct {
	river.WorkerDefaults[makeQuestions]
	Options
	shared *shared
}

// Timeout implements river.Worker: a provider may be asked for many texts.
func (*questioner) Timeout(*river.Job[makeQuestions]) time.Duration {
	return turnTimeout + proposeTimeout + endTimeout
}

// notBegun is a failure before the work began.
type notBegun struct{ error }

func (n *notBegun) Unwrap() error { return n.error }

// Work implements river.Worker. It does not repeat a step that was done before a crash.
func (w *questioner) Work(ctx context.Context, job *river.Job[makeQuestions]) (ended error) {
	defer w.shared.begin(job.ID)()
	step := job.Args
	it := item.Item{ID: step.ModelID, Type: item.SemanticModel, WorkspaceID: step.WorkspaceID}
	defer w.release(ctx, step.Origin, it, &ended)
	work := eventstore.Fold(operation.Stream(step.OperationID), benchmark.EvolveQuestionWork)
	if err := w.Store.Load(ctx, work); err != nil || work.State.Operation.Status.Ended() || work.State.Operation.Rests() {
		return err
	}
	by := w.phraser(ctx, step, work.State)
	release, err := w.shared.turnOf(ctx, keyOf(step.AccountID, step.PersonID), by.settings)
	if err != nil {
		return err
	}
	defer release()
	err = w.Store.Change(ctx, step.Metadata(), []eventstore.Loadable{work}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, work, benchmark.BeginQuestions{})
	})
	if err != nil || work.State.Operation.Status.Ended() {
		return err
	}
	if before := attemptsSinceEnqueued(job.JobRow); before.crashedTooOften() {
		err = domain.Refuse(domain.QuestionsNotGenerated,
			"the service crashed %d times while it worked on the questions, and gave up; this is a fault of the service: report it to the "+
				"operator", before.crashed)
	} else {
		err = w.carryOut(ctx, step, work.State, by)
	}
	if err == nil {
		return nil
	}
	if rests, failed := w.rests(ctx, step.Origin, work.State.Operation.Resumed, err); rests {
		return failed
	}
	fail, again := w.failure(err, attemptsSinceEnqueued(job.JobRow))
	if again {
		return err
	}
	w.Log.Info("questions were not made", "operationId", step.OperationID, "code", fail.Failure.Code, "error", err)
	return w.fail(ctx, step, fail)
}

// failure returns the failure of the operation, or true if the step is worth
// another attempt.
func (w *questioner) failure(err error, before attempts) (fail benchmark.FailQuestions, again bool) {
	refusal, refused := domain.Refused(err)
	_, fail.NotBegun = errors.AsType[*notBegun](err)
	switch {
	case before.again(err):
		return fail, true
	case refused:
		fail.Failure = operation.Failure{Code: benchmark.QuestionsCode(refusal.Code), Message: shortened(refusal.Message)}
		return fail, false
	case before.tookTooLong(err):
		fail.Failure = operation.Failure{Code: domain.QuestionsNotGenerated,
			Message: fmt.Sprintf("the work on the questions did not end within %s", proposeTimeout)}
		return fail, false
	case before.gaveUp():
		w.Log.Error("a step failed too often; its operation ends with an internal error", "error", err)
		fail.NotBegun = true
		fail.Failure = operation.Failure{Code: domain.QuestionsNotGenerated,
			Message: "the service could not work on the questions: internal error; the operator's log has the details; call again later"}
		return fail, false
	}
	return fail, true
}

// fail ends the operation without a result and refunds its build if it is due.
func (w *questioner) fail(ctx context.Context, step makeQuestions, fail benchmark.FailQuestions) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	work := eventstore.Fold(operation.Stream(step.OperationID), benchmark.EvolveQuestionWork)
	if err := w.Store.Load(ctx, work); err != nil {
		return err
	}
	pasts := []eventstore.Loadable{work}
	var builds *eventstore.Stream[account.Usage]
	if work.State.Allowance != "" {
		builds = eventstore.FoldLast[account.Usage](work.State.Allowance)
		pasts = append(pasts, builds)
	}
	return w.Store.Change(ctx, step.Metadata(), pasts, func(c *eventstore.Change) error {
		before := work.State.Builds()
		if err := eventstore.Decide(c, work, fail); err != nil || len(c.Recorded()) == 0 {
			return err
		}
		if back := before - work.State.Builds(); back > 0 {
			if err := eventstore.Decide(c, builds, account.Refund{Kind: account.BenchmarkBuilds, OperationID: step.OperationID,
				Amount: back}); err != nil {
				return err
			}
		}
		c.Queue(w.Vault.Forget(step.OperationID))
		return nil
	})
}

// carryOut makes the questions. A panic is handled like any internal error: it is retried a
// limited number of times.
func (w *questioner) carryOut(ctx context.Context, step makeQuestions, work benchmark.QuestionWork, by phraser) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			w.Log.Error("the work on questions panicked", "operationId", step.OperationID, "fault", fault, "stack", string(debug.Stack()))
			err = fmt.Errorf("work: the work on questions panicked: %v", fault)
		}
	}()
	token, ok, err := w.Vault.Token(ctx, step.OperationID, w.Now())
	if err != nil {
		return err
	}
	if !ok {
		return &notBegun{domain.Refuse(domain.QuestionsNotGenerated,
			"the token of the call expired before work on the questions began; call again")}
	}
	as, err := w.caller(ctx, step.Origin, token)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, proposeTimeout)
	defer cancel()
	if work.Operation.Type == operation.SaveBenchmarkQuestions {
		return w.save(ctx, as, step, work)
	}
	return w.generate(ctx, as, step, work, by)
}

// phraser is the provider that puts generated questions into words; it is zero when
// questions are saved.
type phraser struct {
	settings aiprovider.Settings
	err      error
}

func (w *questioner) phraser(ctx context.Context, step makeQuestions, work benchmark.QuestionWork) (by phraser) {
	if work.Operation.Type != operation.SaveBenchmarkQuestions {
		by.settings, _, by.err = w.Providers.ForPurpose(ctx, step.AccountID, aiprovider.Questions)
	}
	return by
}

// read reads the model as the person.
func (w *questioner) read(ctx context.Context, as item.Caller, step makeQuestions, work benchmark.QuestionWork,
	by phraser) (*semanticmodel.Model, error) {
	release, err := w.shared.reading(ctx, keyOf(step.AccountID, step.PersonID), by.settings)
	if err != nil {
		return nil, err
	}
	defer release()
	d, err := w.Platform.Definition(ctx, as, item.Item{ID: step.ModelID, Type: item.SemanticModel, WorkspaceID: step.WorkspaceID,
		DisplayName: work.ModelName})
	if err != nil {
		return nil, err
	}
	return w.shared.model(d)
}

// generate makes questions about the model. They are a proposal; nothing is saved.
func (w *questioner) generate(ctx context.Context, as item.Caller, step makeQuestions, work benchmark.QuestionWork,
	by phraser) error {
	access, err := w.usageAccess(ctx, as)
	if err != nil {
		return err
	}
	m, err := w.read(ctx, as, step, work, by)
	if err != nil {
		return err
	}
	views, _, err := w.usageOf(ctx, as, access, step.ModelID, m)
	if err != nil {
		return err
	}
	shown, unread := w.shown(ctx, as, step.WorkspaceID, step.ModelID, m)
	if err := cutOff(ctx); err != nil {
		return err
	}
	queries, err := benchmark.Generate(m, benchmark.Wanted{Views: views, Shown: shown, Year: w.Now().UTC().Year() - 1, Count: work.Count})
	if err != nil {
		return err
	}
	if _, refused := domain.Refused(by.err); refused { // its key cannot be decrypted: the embedded provider phrases the questions
		w.Log.Warn("the key of an AI provider cannot be decrypted; the embedded provider phrases the questions", "operationId",
			step.OperationID, "error", by.err)
	} else if by.err != nil {
		return by.err
	}
	texts, err := w.Phraser.Phrase(ctx, by.settings, m, queries, work.Count)
	if err != nil {
		return err
	}
	set := benchmark.GeneratedSet(queries, texts, work.Count)
	if len(set.Questions) == 0 {
		return domain.Refuse(domain.QuestionsNotGenerated,
			"the names of this semantic model's measures and columns make no question: name them in words, or save your own questions")
	}
	made := benchmark.NewQuestionsResult(step.ModelID, set, set.Check(m, w.Now()))
	if unread != "" {
		made.Warnings = []string{unread}
	}
	return w.record(ctx, step, made, nil)
}

// save makes the given set the model's. Fields that a question does not name are
// taken from its query.
func (w *questioner) save(ctx context.Context, as item.Caller, step makeQuestions, work benchmark.QuestionWork) error {
	set, err := commands.QuestionsOf(ctx, w.Documents, work.Given)
	if err != nil {
		return err
	}
	checked := []benchmark.Checked{}
	if len(set.Questions) > 0 { // an empty set needs no model
		m, err := w.read(ctx, as, step, work, phraser{})
		if err != nil {
			return err
		}
		set.Questions = slices.Clone(set.Questions)
		for i, q := range set.Questions {
			set.Questions[i] = q.WithFields(m)
		}
		checked = set.Check(m, w.Now())
	}
	if err := benchmark.CheckRunnable(checked); work.Runnable && err != nil {
		return err
	}
	return w.record(ctx, step, benchmark.NewQuestionsResult(step.ModelID, set, checked), &set)
}

// record stores the result, and the saved set if there is one, together with the
// events that record them.
func (w *questioner) record(ctx context.Context, step makeQuestions, result benchmark.QuestionsResult,
	saves *benchmark.Set) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	body, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("work: encode questions: %w", err)
	}
	hash, stored, err := w.Documents.PutUntil(ctx, body, w.Now().Add(benchmark.ResultLife+endTimeout)) // the operation ends a moment later
	if err != nil {
		return err
	}
	work := eventstore.Fold(operation.Stream(step.OperationID), benchmark.EvolveQuestionWork)
	pasts := []eventstore.Loadable{work}
	var saved *eventstore.Stream[benchmark.SavedQuestions]
	var set benchmark.SavedSet
	var storedSet database.Statement
	if saves != nil {
		if body, err = json.Marshal(saves); err != nil {
			return fmt.Errorf("work: encode questions: %w", err)
		}
		set = benchmark.SavedSet{QuestionSetHash: result.QuestionSetHash, Count: result.Count, Repeats: result.Repeats,
			OperationID: step.OperationID}
		if set.DocumentHash, storedSet, err = w.Documents.Put(ctx, body); err != nil {
			return err
		}
		saved = eventstore.FoldLast[benchmark.SavedQuestions](benchmark.QuestionsStream(step.AccountID, step.ModelID))
		pasts = append(pasts, saved)
	}
	return w.Store.Change(ctx, step.Metadata(), pasts, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, work, benchmark.CompleteQuestions{Made: result.Made(hash)}); err != nil || len(c.Recorded()) == 0 {
			return err
		}
		c.Queue(stored)
		if saved != nil {
			set.Number = work.State.Number
			recorded := len(c.Recorded())
			if err := eventstore.Decide(c, saved, benchmark.SaveSet{Set: set}); err != nil {
				return err
			}
			if len(c.Recorded()) > recorded { // no later set was saved
				c.Queue(storedSet)
			}
		}
		c.Queue(w.Vault.Forget(step.OperationID))
		return nil
	})
}
