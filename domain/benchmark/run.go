package benchmark

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/internal/lists"
)

// RunStream returns the name of a benchmark run's stream.
func RunStream(id uuid.UUID) string { return "benchmarkrun-" + id.String() }

// RunStreamID returns the id of the run whose stream has the name, or false when it is
// another kind of stream.
func RunStreamID(stream string) (uuid.UUID, bool) {
	text, ok := strings.CutPrefix(stream, "benchmarkrun-")
	if !ok {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// RunAccepted records a run, either on its own or as a side of an A/B test's run. Its
// questions are kept in a document, so later changes to the saved questions do not
// affect it.
type RunAccepted struct {
	RunID     uuid.UUID `json:"runId"`
	AccountID string    `json:"accountId"`
	// OperationID is the operation that asks: of type RunBenchmark with the run's own
	// id, or of type RunAbTest.
	OperationID uuid.UUID `json:"operationId"`
	// Side is the model, and who answers.
	Side Side `json:"side"`
	// Questions is the hash of the document with the Set.
	Questions       string `json:"questions"`
	QuestionSetHash string `json:"questionSetHash"`
	Count           int    `json:"count"` // number of questions
	// Clusters counts paraphrases once. 0 in events written before it was recorded.
	Clusters int `json:"clusters,omitempty"`
	// Repeats is how often each question is asked.
	Repeats int `json:"repeats"`
	// Imported is what an imported run judges; nil for a run that asks, and for a side of an A/B test, which names the imported run.
	Imported *Imported `json:"imported,omitempty"`
	// AbTest is the test that the run is a side of; nil for a run that belongs to no test.
	AbTest *OfTest `json:"abTest,omitempty"`
	// Allowance is the stream on which a run that belongs to no test was counted.
	Allowance string    `json:"allowance,omitempty"`
	At        time.Time `json:"at"`
}

// OfTest says which side of an A/B test's run a benchmark run is.
type OfTest struct {
	AbTestID uuid.UUID `json:"abTestId"`
	Side     string    `json:"side"` // "a" or "b"
}

// RunStarted records that work on the run began.
type RunStarted struct {
	At time.Time `json:"at"`
}

// Asked records one ask of a question and its verdict. The answer is the document with
// the hash.
type Asked struct {
	QuestionID string          `json:"questionId" pii:"text"`
	N          int             `json:"n"` // from 1 to Repeats
	Verdict    verdict.Verdict `json:"verdict"`
	// Method is how the verdict was found.
	Method verdict.Method `json:"method,omitempty"`
	// DurationMS is how long the answer took, in milliseconds.
	DurationMS int64 `json:"durationMs"`
	// DocumentHash is the hash of the document with the answer.
	DocumentHash string `json:"documentHash"`
	// Made is the number of asks so far, including this one. Errors is how many of them
	// got no answer.
	Made   int `json:"made"`
	Errors int `json:"errors"`
}

// RunCompleted records that every question was asked.
type RunCompleted struct {
	Outcome
	At time.Time `json:"at"`
}

// RunFailed records that the run failed.
type RunFailed struct {
	Failure operation.Failure `json:"failure"`
	At      time.Time         `json:"at"`
}

// RunCancelled records that the run was cancelled.
type RunCancelled struct {
	At time.Time `json:"at"`
}

// RunDeleted records that the run and its answers were deleted.
type RunDeleted struct{}

// Outcome is the outcome of a completed run.
type Outcome struct {
	// DocumentHash addresses the run's document: every question with its answers.
	DocumentHash string `json:"documentHash"`
	// Score is the accuracy, 0 to 100; nil when no question has an answer.
	Score    *int           `json:"score"`
	Verdicts verdict.Counts `json:"verdicts"` // counts of asks
	// ResponseTime is how long answers took; null if none was timed.
	ResponseTime *verdict.ResponseTime `json:"responseTime"`
	// Scored counts the questions that have an answer. Stable counts those of them
	// whose answers all had the same verdict.
	Scored int `json:"scored"`
	Stable int `json:"stable"`
	// DefinitionHash is the hash of the model's definition at the last ask; "" in older runs, and where answers were imported.
	DefinitionHash string `json:"definitionHash,omitempty"`
	// Accuracy is the 95 % interval of the share of right answers; nil without an answer, and in older runs.
	Accuracy *verdict.Interval `json:"accuracyCi,omitempty"`
	// Usage is what the provider counted, nil when it counted nothing; Cost is what that
	// cost at the prices of the provider, nil without prices.
	Usage *verdict.TokenUsage `json:"usage,omitempty"`
	Cost  *float64            `json:"cost,omitempty"`
	// Answerer says what answered, as comparison.Side.Answerer; "" in older runs.
	Answerer string `json:"answerer,omitempty"`
	// Overruled counts the asks to which a person gave another verdict than the service.
	Overruled int `json:"overruled,omitempty"`
	// Judge is the AI that judged, nil without one. Judged counts the asks that it decided, and JudgeOverruled those of
	// them that a person decided otherwise.
	Judge          *verdict.Judge `json:"judge,omitempty"`
	Judged         int            `json:"judged,omitempty"`
	JudgeOverruled int            `json:"judgeOverruled,omitempty"`
}

// Inconclusive reports whether more than a third of the questions of a run have no answer,
// so that its score says nothing (docs/decisions.md 10).
func (o Outcome) Inconclusive(questions int) bool { return 3*(questions-o.Scored) > questions }

// review counts the asks that a judge and persons decided.
func (o *Outcome) review(asks []verdict.Ask) {
	for _, a := range asks {
		if a.Judged() {
			o.Judged++
		}
		if a.Differs() {
			o.Overruled++
			if a.Judged() {
				o.JudgeOverruled++
			}
		}
	}
}

// VerdictOverruled records a person's verdict on the answers to a question, and the
// outcome with it.
type VerdictOverruled struct {
	Overrule
	Outcome
	At time.Time `json:"at"`
}

func (RunAccepted) EventType() string  { return "benchmark.run-accepted" }
func (RunStarted) EventType() string   { return "benchmark.run-started" }
func (Asked) EventType() string        { return "benchmark.asked" }
func (RunCompleted) EventType() string { return "benchmark.run-completed" }
func (RunFailed) EventType() string    { return "benchmark.run-failed" }
func (RunCancelled) EventType() string { return "benchmark.run-cancelled" }
func (RunDeleted) EventType() string   { return "benchmark.run-deleted" }

func (VerdictOverruled) EventType() string { return "benchmark.verdict-overruled" }

// AskKey identifies one ask of a run.
type AskKey struct {
	QuestionID string
	N          int
}

// Key returns which ask of its run it is.
func (a Asked) Key() AskKey { return AskKey{a.QuestionID, a.N} }

// Run is a benchmark run, folded from its stream. The zero Run was never accepted.
type Run struct {
	RunAccepted
	Status operation.Status
	// Asks are the asks made so far, in order.
	Asks    []Asked
	Outcome *Outcome // set once the run has succeeded
	Failure *operation.Failure
	EndedAt time.Time
	Deleted bool
}

// EvolveRun returns r after e.
func EvolveRun(r Run, e domain.Event) Run {
	switch e := e.(type) {
	case RunAccepted:
		r.RunAccepted, r.Status = e, operation.StatusNotStarted
	case RunStarted:
		r.Status = operation.StatusRunning
	case Asked:
		r.Asks = append(r.Asks, e) // safe: an earlier state never reads beyond its own length
	case RunCompleted:
		r.Status, r.Outcome, r.EndedAt = operation.StatusSucceeded, &e.Outcome, e.At
	case RunFailed:
		r.Status, r.Failure, r.EndedAt = operation.StatusFailed, &e.Failure, e.At
	case RunCancelled:
		r.Status, r.EndedAt = operation.StatusCancelled, e.At
	case VerdictOverruled:
		r.Outcome = &e.Outcome
	case RunDeleted:
		r.Deleted = true
	}
	return r
}

// BelongsTo reports whether the run exists and belongs to the account.
func (r Run) BelongsTo(accountID string) bool {
	return r.AccountID == accountID && !r.Deleted && r.RunID != uuid.Nil
}

// Total returns how many asks the run makes in all.
func (r RunAccepted) Total() int {
	if r.Imported == nil {
		return r.Count * r.Repeats
	}
	total := 0
	for _, n := range r.Imported.Counts {
		total += n
	}
	return total
}

// Counts reports whether the run would count against the account's benchmark runs if it
// ended now: it has asked something.
func (r Run) Counts() bool { return len(r.Asks) > 0 }

// Tracks reports whether the run makes its model a tracked item: it got an answer and
// ended, alone or with its operation.
func (r Run) Tracks(operationEnded bool) bool {
	return r.Answers() > 0 && (operationEnded || r.Status.Ended())
}

// Failing returns how many of the most recent asks, without interruption, got no
// answer.
func (r Run) Failing() int {
	n := 0
	for n < len(r.Asks) && r.Asks[len(r.Asks)-1-n].Verdict == verdict.Errored {
		n++
	}
	return n
}

// Percent returns how much of the run is done; at most 99.
func (r Run) Percent() int { return min(99, len(r.Asks)*100/max(1, r.Total())) }

// Left returns the asks of the set that have not been made, question by question, which is the order in which they begin.
func (r Run) Left(s Set) []AskKey {
	made := lists.SetOf(r.Asks, func(a Asked) AskKey { return a.Key() })
	return slices.DeleteFunc(r.begin(s), func(key AskKey) bool { return made[key] })
}

// begin returns the asks of the set in the order in which they begin.
func (r Run) begin(s Set) (all []AskKey) {
	for i, q := range s.Questions {
		asks := r.Repeats
		if r.Imported != nil {
			asks = r.Imported.Counts[i]
		}
		for n := 1; n <= asks; n++ {
			all = append(all, AskKey{q.QuestionID, n})
		}
	}
	return all
}

// BeginRun records that work on the run began; nothing when it has begun already.
type BeginRun struct{ At time.Time }

func (c BeginRun) Decide(r Run) ([]domain.Event, error) {
	if r.Status != operation.StatusNotStarted {
		return nil, nil
	}
	return []domain.Event{RunStarted(c)}, nil
}

// RecordAsk records one ask; nothing when it is recorded already or the run has ended.
type RecordAsk struct{ Asked }

func (c RecordAsk) Decide(r Run) ([]domain.Event, error) {
	if r.Status != operation.StatusRunning || slices.ContainsFunc(r.Asks, func(a Asked) bool { return a.Key() == c.Key() }) {
		return nil, nil
	}
	c.Made, c.Errors = len(r.Asks)+1, 0
	if len(r.Asks) > 0 {
		c.Errors = r.Asks[len(r.Asks)-1].Errors
	}
	if c.Verdict == verdict.Errored {
		c.Errors++
	}
	return []domain.Event{c.Asked}, nil
}

// CompleteRun ends a run whose asks were all made.
type CompleteRun struct{ RunCompleted }

func (c CompleteRun) Decide(r Run) ([]domain.Event, error) {
	if r.Status != operation.StatusRunning || len(r.Asks) < r.Total() {
		return nil, nil
	}
	return []domain.Event{c.RunCompleted}, nil
}

// FailRun ends a run that failed.
type FailRun struct{ RunFailed }

func (c FailRun) Decide(r Run) ([]domain.Event, error) {
	if r.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{c.RunFailed}, nil
}

// StopRun ends a run that was cancelled with its operation.
type StopRun struct{ At time.Time }

func (c StopRun) Decide(r Run) ([]domain.Event, error) {
	if r.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{RunCancelled(c)}, nil
}

// OperationCode returns the code that an operation that asks fails with for the code of
// a refusal. A code that an operation's error cannot have becomes the nearest one that
// it can.
func OperationCode(c domain.Code) domain.Code {
	switch c {
	case domain.CapacityPaused, domain.CapacityBusy, domain.ItemNotFound, domain.ItemNotReadable, domain.PlatformAccessDenied,
		domain.PlatformUnavailable:
		return c
	case domain.WorkspaceNotFound:
		return domain.ItemNotFound
	case domain.PlatformConsentRequired:
		return domain.PlatformAccessDenied
	}
	return domain.BenchmarkRunFailed
}

// Refundable reports whether a run that failed with the code before it got an answer
// is refunded (docs/decisions.md 5). It is, unless the model or the person's rights to
// it prevented it from asking.
func Refundable(c domain.Code) bool {
	return c == domain.PlatformUnavailable || c == domain.CapacityPaused || c == domain.CapacityBusy || c == domain.BenchmarkRunFailed
}

// Spent returns how many benchmark runs stay counted for the run when it fails with the
// code.
func (r Run) Spent(c domain.Code) int {
	if r.Side.AnsweredBy.Imported() {
		return 0
	}
	if r.Answers() > 0 || !Refundable(c) {
		return 1
	}
	return 0
}
