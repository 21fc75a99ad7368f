package benchmark

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/comparison"
	"readiness/domain/operation"
)

// RunStream is the name of a benchmark run's stream.
func RunStream(id uuid.UUID) string { return "benchmarkrun-" + id.String() }

// RunStreamID returns the id of the run whose stream has the name, false for
// another stream.
func RunStreamID(stream string) (uuid.UUID, bool) {
	text, ok := strings.CutPrefix(stream, "benchmarkrun-")
	if !ok {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// RunAccepted: a run was accepted, of a benchmark or as a side of an A/B test's
// run. The questions are a document, so that a run keeps those it was accepted
// with.
type RunAccepted struct {
	RunID     uuid.UUID `json:"runId"`
	AccountID string    `json:"accountId"`
	// OperationID is the operation that asks: of type RunBenchmark with the run's
	// own id, or RunAbTest.
	OperationID uuid.UUID `json:"operationId"`
	Side        Side      `json:"side"`
	// Questions is the hash of the document with the Set.
	Questions       string `json:"questions"`
	QuestionSetHash string `json:"questionSetHash"`
	Count           int    `json:"count"` // of questions
	Repeats         int    `json:"repeats"`
	// AbTest is the test whose run this is a side of; nil for a run of its own.
	AbTest *OfTest `json:"abTest,omitempty"`
	// Allowance is the stream on which a run of its own was counted.
	Allowance string    `json:"allowance,omitempty"`
	At        time.Time `json:"at"`
}

// OfTest says which side of an A/B test's run a benchmark run is.
type OfTest struct {
	AbTestID uuid.UUID `json:"abTestId"`
	Side     string    `json:"side"` // "a" or "b"
}

// RunStarted: work on the run began.
type RunStarted struct {
	At time.Time `json:"at"`
}

// Asked: one question was asked once, and what it came to. The answer is the
// document with the hash.
type Asked struct {
	QuestionID   string             `json:"questionId"`
	N            int                `json:"n"` // from 1
	Verdict      comparison.Verdict `json:"verdict"`
	Method       comparison.Method  `json:"method,omitempty"`
	DurationMS   int64              `json:"durationMs"`
	DocumentHash string             `json:"documentHash"`
	// Made is how many asks the run has made with this one, Errors how many of them
	// got no answer.
	Made   int `json:"made"`
	Errors int `json:"errors"`
}

// RunCompleted: every question was asked.
type RunCompleted struct {
	Outcome
	At time.Time `json:"at"`
}

// RunFailed: the run could not go on.
type RunFailed struct {
	Failure operation.Failure `json:"failure"`
	At      time.Time         `json:"at"`
}

// RunCancelled: the run was stopped.
type RunCancelled struct {
	At time.Time `json:"at"`
}

// RunDeleted: the run and its answers are gone.
type RunDeleted struct{}

// Outcome is what a completed run came to.
type Outcome struct {
	// DocumentHash addresses the run's document: every question with its answers.
	DocumentHash string `json:"documentHash"`
	// Score is accuracy of 100; nil when no question has an answer.
	Score        *int                     `json:"score"`
	Verdicts     comparison.VerdictCounts `json:"verdicts"` // of asks
	ResponseTime *comparison.ResponseTime `json:"responseTime"`
	// Scored counts the questions that have an answer, Stable those of them whose
	// answers all came to the same verdict.
	Scored int `json:"scored"`
	Stable int `json:"stable"`
}

// EventType implements domain.Event.
func (RunAccepted) EventType() string  { return "benchmark.run-accepted" }
func (RunStarted) EventType() string   { return "benchmark.run-started" }
func (Asked) EventType() string        { return "benchmark.asked" }
func (RunCompleted) EventType() string { return "benchmark.run-completed" }
func (RunFailed) EventType() string    { return "benchmark.run-failed" }
func (RunCancelled) EventType() string { return "benchmark.run-cancelled" }
func (RunDeleted) EventType() string   { return "benchmark.run-deleted" }

// AskKey is one ask of a run.
type AskKey struct {
	QuestionID string
	N          int
}

// Key says which ask of its run it is.
func (a Asked) Key() AskKey { return AskKey{a.QuestionID, a.N} }

// Run is a benchmark run, folded from its stream. The zero Run was never
// accepted.
type Run struct {
	RunAccepted
	Status operation.Status
	// Asks are those that were made, in that order.
	Asks    []Asked
	Outcome *Outcome // of a succeeded run
	Failure *operation.Failure
	EndedAt time.Time
	Deleted bool
}

// EvolveRun returns r after e.
func EvolveRun(r Run, e domain.Event) Run {
	switch e := e.(type) {
	case RunAccepted:
		r.RunAccepted, r.Status = e, operation.NotStarted
	case RunStarted:
		r.Status = operation.Running
	case Asked:
		r.Asks = append(r.Asks, e) // an earlier state never looks beyond its own length
	case RunCompleted:
		r.Status, r.Outcome, r.EndedAt = operation.Succeeded, &e.Outcome, e.At
	case RunFailed:
		r.Status, r.Failure, r.EndedAt = operation.Failed, &e.Failure, e.At
	case RunCancelled:
		r.Status, r.EndedAt = operation.Cancelled, e.At
	case RunDeleted:
		r.Deleted = true
	}
	return r
}

// Held reports whether the account has the run.
func (r Run) Held(accountID string) bool {
	return r.AccountID == accountID && !r.Deleted && r.RunID != uuid.Nil
}

// Total is how many asks the run makes.
func (r Run) Total() int { return r.Count * r.Repeats }

// Counts reports whether the run counts against the account's benchmark runs, if
// it ended now: once it asked something (spec 4.2, cancel rules).
func (r Run) Counts() bool { return len(r.Asks) > 0 }

// Failing is how many asks in a row, up to the last that was made, got no answer.
func (r Run) Failing() int {
	n := 0
	for n < len(r.Asks) && r.Asks[len(r.Asks)-1-n].Verdict == comparison.Errored {
		n++
	}
	return n
}

// Percent is how much of the run is done, below 100 until it has ended.
func (r Run) Percent() int { return min(99, len(r.Asks)*100/max(1, r.Total())) }

// Left are the asks of the set that are still to be made, question by question.
func (r Run) Left(s Set) []AskKey {
	made := make(map[AskKey]bool, len(r.Asks))
	for _, a := range r.Asks {
		made[a.Key()] = true
	}
	var left []AskKey
	for _, q := range s.Questions {
		for n := 1; n <= r.Repeats; n++ {
			if key := (AskKey{q.QuestionID, n}); !made[key] {
				left = append(left, key)
			}
		}
	}
	return left
}

// AcceptRun puts a run in the log.
type AcceptRun struct{ RunAccepted }

// Decide implements domain.Command.
func (c AcceptRun) Decide(Run) ([]domain.Event, error) { return []domain.Event{c.RunAccepted}, nil }

// BeginRun says that work on the run begins, once.
type BeginRun struct{ At time.Time }

// Decide implements domain.Command.
func (c BeginRun) Decide(r Run) ([]domain.Event, error) {
	if r.Status != operation.NotStarted {
		return nil, nil
	}
	return []domain.Event{RunStarted(c)}, nil
}

// RecordAsk records one ask. One that was recorded before, or of a run that has
// ended, is not recorded again.
type RecordAsk struct{ Asked }

// Decide implements domain.Command.
func (c RecordAsk) Decide(r Run) ([]domain.Event, error) {
	if r.Status != operation.Running || slices.ContainsFunc(r.Asks, func(a Asked) bool { return a.Key() == c.Key() }) {
		return nil, nil
	}
	c.Made, c.Errors = len(r.Asks)+1, 0
	if len(r.Asks) > 0 {
		c.Errors = r.Asks[len(r.Asks)-1].Errors
	}
	if c.Verdict == comparison.Errored {
		c.Errors++
	}
	return []domain.Event{c.Asked}, nil
}

// CompleteRun ends a run of which every ask was made.
type CompleteRun struct{ RunCompleted }

// Decide implements domain.Command.
func (c CompleteRun) Decide(r Run) ([]domain.Event, error) {
	if r.Status != operation.Running || len(r.Asks) < r.Total() {
		return nil, nil
	}
	return []domain.Event{c.RunCompleted}, nil
}

// FailRun ends a run that cannot go on.
type FailRun struct{ RunFailed }

// Decide implements domain.Command.
func (c FailRun) Decide(r Run) ([]domain.Event, error) {
	if r.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{c.RunFailed}, nil
}

// StopRun ends a run that was cancelled, with its operation.
type StopRun struct{ At time.Time }

// Decide implements domain.Command.
func (c StopRun) Decide(r Run) ([]domain.Event, error) {
	if r.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{RunCancelled(c)}, nil
}

// DeleteRun deletes a run that has ended.
type DeleteRun struct{}

// Decide implements domain.Command.
func (DeleteRun) Decide(r Run) ([]domain.Event, error) {
	if r.Deleted {
		return nil, nil
	}
	if !r.Status.Ended() {
		return nil, domain.Refuse(domain.OperationInProgress, "benchmark run %s is a side of an A/B run that goes on; stop that first", r.RunID).
			About("runId", r.RunID).About("operationId", r.OperationID)
	}
	return []domain.Event{RunDeleted{}}, nil
}

// OperationCode turns a refusal into the code an operation that asks fails with
// (spec 2.7): those the list does not have become the nearest it has.
func OperationCode(c domain.Code) domain.Code {
	switch c {
	case domain.CapacityPaused, domain.CapacityBusy, domain.ItemNotFound, domain.ItemNotReadable, domain.PlatformAccessDenied, domain.PlatformUnavailable:
		return c
	case domain.WorkspaceNotFound:
		return domain.ItemNotFound
	case domain.PlatformConsentRequired:
		return domain.PlatformAccessDenied
	}
	return domain.BenchmarkRunFailed
}

// GivenBack reports whether a run that failed with the code before it asked
// anything counts for nothing (decisions 5): neither the model nor the person's
// rights to it kept it from asking.
func GivenBack(c domain.Code) bool {
	return c == domain.PlatformUnavailable || c == domain.CapacityPaused || c == domain.CapacityBusy || c == domain.BenchmarkRunFailed
}

// Spent is how many of the benchmark runs that were counted for the run stay
// counted once it failed with the code.
func (r Run) Spent(c domain.Code) int {
	if r.Counts() || !GivenBack(c) {
		return 1
	}
	return 0
}
