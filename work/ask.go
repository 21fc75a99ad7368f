package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"golang.org/x/sync/errgroup"

	"readiness/commands"
	"readiness/documents"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/comparison"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// Asker asks what answers questions about semantic models, and who judges the
// answers.
type Asker interface {
	// Open reads, as the person, what the side may see of its model, and returns
	// what asks it one question in a conversation of its own. Its refusals keep the
	// whole side from answering.
	Open(ctx context.Context, as item.Caller, side benchmark.Side) (about comparison.Target, ask func(ctx context.Context, question string) (benchmark.Reply, error), err error)
	// Judge has an answer judged by a provider that is none of the sides'; false
	// where there is none.
	Judge(ctx context.Context, accountID string, sides []string, question string, expected benchmark.Expected, answer comparison.Answer) (comparison.Judgement, comparison.Judge, bool, error)
}

// Queries runs a DAX query on a semantic model as the person. A platform that runs
// none has no Queries.
type Queries interface {
	Rows(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (comparison.ResultSet, error)
}

// Bounds of asking. A run of many questions is carried out in slices, each of
// which leaves the rest to the next, so that no job is taken for stuck.
const (
	askSlice = 45 * time.Second
	// askTimeout bounds one ask with its turn and all its attempts, verdictTimeout
	// what is asked about its answer: queries and a judge.
	askTimeout     = 150 * time.Second
	verdictTimeout = 55 * time.Second
	// askAtOnce is how many questions of a run are asked at once.
	askAtOnce = 4
	// maxFailing is how many asks in a row without an answer end a run.
	maxFailing = 10
	// askLife is how long single answers are kept; those of a completed run are in
	// its document.
	askLife = 30 * 24 * time.Hour
)

// ask is the job that asks the questions of a benchmark run.
type ask struct {
	benchmark.Step
}

// Kind implements river.JobArgs.
func (ask) Kind() string { return "ask-questions" }

// asker carries ask jobs out.
type asker struct {
	river.WorkerDefaults[ask]
	Options
	runs   commands.Runs
	shared *shared
}

// Timeout implements river.Worker.
func (*asker) Timeout(*river.Job[ask]) time.Duration {
	return 2*turnTimeout + 2*stepTimeout + askSlice + askTimeout + verdictTimeout + endTimeout
}

// Work implements river.Worker. What is left to ask, the run's stream says: what
// was asked before a crash is not asked again.
func (w *asker) Work(ctx context.Context, job *river.Job[ask]) error {
	defer w.shared.begin(job.ID)()
	step := job.Args.Step
	a, err := w.runs.Load(ctx, step.RunID)
	if err != nil || a.Ended() {
		return err
	}
	k := keyOf(step.AccountID, step.Person)
	if k.Provider, err = w.provider(ctx, step.AccountID, a.Run.Side.AnsweredBy); err != nil {
		return err
	}
	release, err := turn(ctx, w.shared.asks, k)
	if err != nil {
		return err
	}
	defer release()
	if a, err = w.runs.Begin(ctx, w.metadata(step), a); err != nil {
		return err
	}
	var more bool
	if crashes := job.Attempt - 1 - len(job.Errors); crashes >= maxCrashes {
		err = domain.Refuse(domain.BenchmarkRunFailed, "the service stopped %d times while it asked the questions; the fault is the service's", crashes)
	} else {
		more, err = w.carryOut(ctx, step, a)
	}
	switch {
	case err == nil && more:
		return river.JobSnooze(0)
	case err == nil:
		return nil
	}
	failure, again := w.failure(err, len(job.Errors), step.AcceptedAt)
	if again {
		return err
	}
	w.Log.Info("a benchmark run failed", "operationId", step.OperationID, "runId", step.RunID, "code", failure.Code, "error", err)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	return w.runs.Fail(end, w.metadata(step), a, failure)
}

// provider is the AI provider that the side is answered by, "" where it is none.
func (w *asker) provider(ctx context.Context, accountID string, by benchmark.AnsweredBy) (string, error) {
	var settings aiprovider.Settings
	var err error
	switch by.Kind {
	case comparison.GenericAgent:
		settings, err = w.Providers.Get(ctx, accountID, by.ProviderID)
	case comparison.ServiceTestAgent:
		settings, _, err = w.Providers.ForPurpose(ctx, accountID, aiprovider.Agent)
	default: // the platform's own, or the embedded engine
	}
	if _, refused := domain.Refused(err); refused {
		return "", nil // what comes of it, asking says
	}
	return answering(settings), err
}

// open reads what the side sees. It is the one time that a run reads definitions.
func (w *asker) open(ctx context.Context, as item.Caller, side benchmark.Side) (comparison.Target, func(context.Context, string) (benchmark.Reply, error), error) {
	ctx, cancel := context.WithTimeout(ctx, turnTimeout+stepTimeout)
	defer cancel()
	release, err := w.shared.definitions.Await(ctx, keyOf(as.Account, as.Person))
	if err != nil {
		return comparison.Target{}, nil, err
	}
	defer release()
	ctx, cancel = context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	return w.Asker.Open(ctx, as, side)
}

// failure is what the run fails with, or that the step is worth another attempt.
func (w *asker) failure(err error, failed int, since time.Time) (operation.Failure, bool) {
	lasting := w.Now().Sub(since) > faultLife
	refusal, refused := domain.Refused(err)
	switch {
	case errors.Is(err, eventstore.ErrConflict) && !lasting, refused && refusal.Code == domain.PlatformUnavailable && failed < patience:
		return operation.Failure{}, true
	case refused:
		return operation.Failure{Code: benchmark.OperationCode(refusal.Code), Message: shortened(refusal.Message)}, false
	case failed >= patience && lasting:
		return operation.Failure{Code: domain.BenchmarkRunFailed, Message: "a fault of the service kept it from finishing; run it again later"}, false
	}
	return operation.Failure{}, true
}

// carryOut asks what is left to ask, for a slice of time, and compares the sides
// of an A/B test's run once both have answered. It says whether more is left.
func (w *asker) carryOut(ctx context.Context, step benchmark.Step, a commands.Asking) (more bool, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			w.Log.Error("a benchmark run broke down", "operationId", step.OperationID, "fault", fault, "stack", string(debug.Stack()))
			err = domain.Refuse(domain.BenchmarkRunFailed, "the service could not go on with this run; the fault is the service's and its operator was told")
		}
	}()
	set, err := commands.QuestionsOf(ctx, w.Pool, a.Run.Questions)
	if err != nil {
		return false, err
	}
	if !a.Run.Status.Ended() {
		if a, more, err = w.askSide(ctx, step, a, set); more || err != nil {
			return more, err
		}
	}
	if a.Comparing() {
		return false, w.compare(ctx, step, a, set)
	}
	return false, nil
}

// askSide asks the questions that are left and, after the last, completes the run.
func (w *asker) askSide(ctx context.Context, step benchmark.Step, a commands.Asking, set benchmark.Set) (commands.Asking, bool, error) {
	token, ok, err := w.Vault.Token(ctx, step.OperationID, w.Now())
	if err != nil {
		return a, false, err
	}
	if !ok {
		return a, false, domain.Refuse(domain.BenchmarkRunFailed, "the token that this side asks with expired after %d of its %d questions; run it again", len(a.Run.Asks), a.Run.Total())
	}
	if n := a.Run.Failing(); n >= maxFailing { // and the process that recorded the last died
		return a, false, unanswered(n, "")
	}
	s := &side{
		asker: w, step: step, as: item.Caller{Account: step.AccountID, Person: step.Person, Token: token}, set: set, of: a.Run.Side, both: a.Sides(),
		state: a, failing: a.Run.Failing(), rows: map[string]*comparison.ResultSet{},
	}
	if s.about, s.ask, err = w.open(ctx, s.as, a.Run.Side); err != nil {
		if domain.IsRefused(err, domain.ItemNotFound) {
			reading, cancel := context.WithTimeout(ctx, stepTimeout)
			defer cancel()
			err = errors.Join(err, w.noticeGone(reading, w.metadata(step), s.as, a.Run.Side.WorkspaceID, a.Run.Side.SemanticModelID))
		}
		return a, false, err
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

// side is a side that is being asked.
type side struct {
	*asker
	step  benchmark.Step
	as    item.Caller
	set   benchmark.Set
	of    benchmark.Side   // the one that is asked
	both  []benchmark.Side // of the run, the one alone for a run of its own
	about comparison.Target
	ask   func(ctx context.Context, question string) (benchmark.Reply, error)

	mu      sync.Mutex
	state   commands.Asking // as last recorded
	failing int             // asks in a row that got no answer
	// rows are what the reference queries answered, by question; nil what they did
	// not.
	rows map[string]*comparison.ResultSet
}

// askAll asks what is left, some at once, until the slice is over.
func (s *side) askAll(ctx context.Context) error {
	questions := make(map[string]benchmark.Question, len(s.set.Questions))
	for _, q := range s.set.Questions {
		questions[q.QuestionID] = q
	}
	slice, cancel := context.WithTimeout(ctx, askSlice)
	defer cancel()
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(askAtOnce)
	for _, key := range s.state.Run.Left(s.set) {
		if slice.Err() != nil || asking.Err() != nil || s.over() {
			break
		}
		group.Go(func() error { return s.askOnce(asking, questions[key.QuestionID], key.N) })
	}
	return group.Wait()
}

// over reports whether the run was stopped, or so many asks failed that the rest
// would.
func (s *side) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Ended() || s.failing >= maxFailing
}

// answer is the document of one ask.
type answer struct {
	comparison.Ask
	// JudgedBy is who judged it; nil where nobody did.
	JudgedBy *comparison.Judge `json:"judgedBy,omitempty"`
}

// askOnce asks a question once and records what it came to.
func (s *side) askOnce(asking context.Context, q benchmark.Question, n int) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.Log.Error("asking broke down", "operationId", s.step.OperationID, "questionId", q.QuestionID, "fault", fault, "stack", string(debug.Stack()))
			err = domain.Refuse(domain.BenchmarkRunFailed, "the service could not ask question %s; the fault is the service's and its operator was told", q.QuestionID)
		}
	}()
	ctx, cancel := context.WithTimeout(asking, askTimeout)
	defer cancel()
	reply, err := s.ask(ctx, q.Text)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && asking.Err() == nil && reply.Attempts == 0:
		return nil // its turn did not come: it is left to the next step
	case errors.Is(err, context.DeadlineExceeded) && asking.Err() == nil:
		reply.Failure = &comparison.Failure{Code: "timeout", Message: fmt.Sprintf("there was no answer within %s", askTimeout)}
	case err != nil:
		return err
	}
	made, err := s.verdict(asking, q, reply)
	if err != nil {
		return err
	}
	made.N = n
	body, err := json.Marshal(made)
	if err != nil {
		return fmt.Errorf("work: encode an answer: %w", err)
	}
	hash, sql, args, err := documents.PutUntil(body, s.Now().Add(askLife))
	if err != nil {
		return err
	}
	return s.record(asking, benchmark.Asked{
		QuestionID: q.QuestionID, N: n, Verdict: made.Verdict, Method: made.Method, DurationMS: made.DurationMS, DocumentHash: hash,
	}, made.Error, sql, args)
}

// record records an ask. One after another, for each is decided on what came before.
func (s *side) record(ctx context.Context, made benchmark.Asked, failed *comparison.Failure, sql string, args []any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing >= maxFailing { // the run ends; what was asked beside the last is not told of
		return nil
	}
	after, err := s.runs.Asked(ctx, s.metadata(s.step), s.state, made, sql, args)
	if err != nil {
		return err
	}
	s.state = after
	if failed == nil {
		s.failing = 0
		return nil
	}
	if s.failing++; s.failing >= maxFailing {
		return unanswered(s.failing, fmt.Sprintf(", the last because: %s", failed.Message))
	}
	return nil
}

// unanswered is why a run ends of which nobody answers a question any more.
func unanswered(n int, last string) error {
	return domain.Refuse(domain.BenchmarkRunFailed, "%d questions in a row got no answer%s", n, last)
}

// verdict decides what an answer is worth (regime D.2). A judge that takes too long
// does not judge.
func (s *side) verdict(asking context.Context, q benchmark.Question, reply benchmark.Reply) (answer, error) {
	ctx, cancel := context.WithTimeout(asking, verdictTimeout)
	defer cancel()
	a := answer{Ask: comparison.Ask{
		Answer: reply.Answer, DurationMS: reply.DurationMS, Attempts: reply.Attempts, Error: reply.Failure, Remote: reply.Remote, Usage: reply.Usage,
	}}
	expected := comparison.Expected{Fields: q.Expected.Fields, Value: q.Expected.Value}
	if reply.Failure == nil {
		expected.Rows = s.reference(ctx, q)
		a.Rows = s.queried(ctx, a.Query)
	}
	a.Decision = expected.Decide(a.Answer, a.Error, nil)
	if a.Method != "" {
		return a, nil
	}
	sides, err := s.providers(ctx)
	if err != nil {
		return a, err
	}
	j, by, judged, err := s.Asker.Judge(ctx, s.step.AccountID, sides, q.Text, q.Expected, a.Answer)
	if errors.Is(err, context.DeadlineExceeded) && asking.Err() == nil {
		return a, nil
	}
	if err != nil || !judged {
		return a, err
	}
	a.Judge, a.JudgedBy = &j, &by
	a.Decision = expected.Decide(a.Answer, a.Error, &j)
	return a, nil
}

// providers are the AI providers of the sides, none of which judges.
func (s *side) providers(ctx context.Context) ([]string, error) {
	all := []string{s.about.ProviderID}
	for _, one := range s.both {
		all = append(all, one.AnsweredBy.ProviderID)
		if one.AnsweredBy.Kind != comparison.ServiceTestAgent {
			continue
		}
		agent, found, err := s.Providers.ForPurpose(ctx, s.step.AccountID, aiprovider.Agent)
		if _, refused := domain.Refused(err); err != nil && !refused { // one whose key does not open runs nothing
			return nil, err
		}
		if found {
			all = append(all, agent.ProviderID)
		}
	}
	return all, nil
}

// reference is what the question's own query answers on the side's model; nil
// where the platform runs no queries, or not this one.
func (s *side) reference(ctx context.Context, q benchmark.Question) *comparison.ResultSet {
	if s.Queries == nil || q.Expected.DAX == "" {
		return nil
	}
	s.mu.Lock()
	rows, known := s.rows[q.QuestionID]
	s.mu.Unlock()
	if known {
		return rows
	}
	rows = s.queried(ctx, q.Expected.DAX)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[q.QuestionID] = rows
	return rows
}

// queried is what a query answers; nil where it was not run. A query that fails
// leaves the verdict to other methods.
func (s *side) queried(ctx context.Context, dax string) *comparison.ResultSet {
	if s.Queries == nil || dax == "" {
		return nil
	}
	rows, err := s.Queries.Rows(ctx, s.as, s.of.WorkspaceID, s.of.SemanticModelID, dax)
	if err != nil {
		s.Log.Info("a query of a benchmark run failed", "operationId", s.step.OperationID, "error", err)
		return nil
	}
	return &rows
}

// complete stores the run's document and ends the run.
func (s *side) complete(ctx context.Context) error {
	hashes := make([]string, len(s.state.Run.Asks))
	for i, a := range s.state.Run.Asks {
		hashes[i] = a.DocumentHash
	}
	bodies, err := documents.GetAll(ctx, s.Pool, hashes)
	if err != nil {
		return fmt.Errorf("work: read the answers of run %s: %w", s.step.RunID, err)
	}
	asks := make(map[benchmark.AskKey]comparison.Ask, len(hashes))
	var judge *comparison.Judge
	for _, a := range s.state.Run.Asks {
		var made answer
		if err := json.Unmarshal(bodies[a.DocumentHash], &made); err != nil {
			return fmt.Errorf("work: read an answer of run %s: %w", s.step.RunID, err)
		}
		made.N = a.N // one document may be the same answer twice
		asks[a.Key()] = made.Ask
		if made.JudgedBy != nil {
			judge = made.JudgedBy
		}
	}
	document := benchmark.NewRunDocument(s.state.Run, s.about, judge, s.set, asks)
	body, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("work: encode run %s: %w", s.step.RunID, err)
	}
	hash, sql, args, err := documents.Put(body)
	if err != nil {
		return err
	}
	s.state, err = s.runs.Complete(ctx, s.metadata(s.step), s.state, document.Outcome(hash), sql, args)
	return err
}

func (*asker) metadata(step benchmark.Step) eventstore.Metadata {
	return eventstore.Metadata{
		Account: step.AccountID, Person: step.Person.ID, RequestID: step.RequestID,
		OperationID: step.OperationID.String(), Correlation: step.OperationID.String(), Trace: step.Trace,
	}
}
