package abtest

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

// Stream returns the name of a test's stream.
func Stream(id uuid.UUID) string { return "abtest-" + id.String() }

// StreamID returns the id of the test whose stream has the name, or false when it is
// another kind of stream.
func StreamID(stream string) (uuid.UUID, bool) {
	text, ok := strings.CutPrefix(stream, "abtest-")
	if !ok {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// Created records a new test. Its first run starts with it.
type Created struct {
	AbTestID  uuid.UUID `json:"abTestId"`
	AccountID string    `json:"accountId"`
	Words
	SideA benchmark.Side `json:"sideA"`
	SideB benchmark.Side `json:"sideB"`
	// Source is where the questions come from.
	Source Source `json:"source"`
	// CorrectAnswers says whether the expected answers are kept or computed again for each run.
	CorrectAnswers CorrectAnswers `json:"correctAnswers"`
	// Repeats is how often each question is asked.
	Repeats int `json:"repeats"`
	// Questions are the questions that the first run asks. The test freezes them at
	// once when they come from a stored run, else when side A of a run has answered
	// them.
	Questions Questions `json:"questions"`
	At        time.Time `json:"at"`
}

// Reworded records the test's new words.
type Reworded struct{ Words }

// RunAdded records that a run was started, with the sides' names at that time.
type RunAdded struct {
	RunID     uuid.UUID      `json:"runId"`
	SideA     benchmark.Side `json:"sideA"`
	SideB     benchmark.Side `json:"sideB"`
	Questions Questions      `json:"questions"`
	At        time.Time      `json:"at"`
	Standing  Standing       `json:"standing"`
}

// QuestionsFrozen records the questions that the test asks from now on. Side A has answered them
// in the first run, or in the first run after others that broke before that.
type QuestionsFrozen struct{ Questions }

// RunEnded records that a run ended. For a succeeded run, Gap is side B's correct
// answers minus side A's, and Aggregate the summary of the comparison.
type RunEnded struct {
	RunID uuid.UUID `json:"runId"`
	// Status is that of the run's operation.
	Status    operation.Status   `json:"status"`
	Failure   *operation.Failure `json:"failure,omitempty"`
	Aggregate *verdict.Aggregate `json:"aggregate,omitempty"`
	Gap       *int               `json:"gap,omitempty"`
	// Document is the hash of the comparison's document.
	Document string    `json:"document,omitempty"`
	At       time.Time `json:"at"`
	Standing Standing  `json:"standing"`
}

// RunRemoved records that a run of the test was deleted.
type RunRemoved struct {
	RunID    uuid.UUID `json:"runId"`
	Standing Standing  `json:"standing"`
}

// Deleted records that the test was deleted with its runs.
type Deleted struct {
	// Runs is how many runs the test had.
	Runs int `json:"runs"`
}

func (Created) EventType() string         { return "abtest.created" }
func (Reworded) EventType() string        { return "abtest.reworded" }
func (RunAdded) EventType() string        { return "abtest.run-added" }
func (QuestionsFrozen) EventType() string { return "abtest.questions-frozen" }
func (RunEnded) EventType() string        { return "abtest.run-ended" }
func (RunRemoved) EventType() string      { return "abtest.run-removed" }
func (Deleted) EventType() string         { return "abtest.deleted" }

// Standing is the summary of a test's runs that lists show, after an event.
type Standing struct {
	// Runs is how many runs the test has.
	Runs   int        `json:"runs"`
	Latest *LatestRun `json:"latest"` // nil without a run
	// SortedAt is when the newest run finished, when it started if it has not finished,
	// or when the test was created if it has no run.
	SortedAt  time.Time  `json:"sortedAt"`
	Succeeded *uuid.UUID `json:"latestSucceeded"` // the newest succeeded run
	// Aggregate is that of the newest run that succeeded; null for none.
	Aggregate *verdict.Aggregate `json:"latestSucceededAggregate"`
	// Gaps are the gaps of the succeeded runs, oldest first.
	Gaps []int `json:"gaps"`
}

// LatestRun is a run as the test's stream records it (docs/decisions.md 6,
// AbLatestRun).
type LatestRun struct {
	RunID uuid.UUID `json:"runId"`
	// Status is that of the run's operation.
	Status operation.Status `json:"status"`
	// StartedAt is when the run was accepted.
	StartedAt time.Time `json:"startedAtUtc"`
	// FinishedAt is when the run ended; null while it runs.
	FinishedAt *time.Time `json:"finishedAtUtc"`
	// Aggregate is the comparison; null until the run has one.
	Aggregate *verdict.Aggregate `json:"aggregate"`
	// Failure is why the run failed; null unless it did.
	Failure  *operation.Failure `json:"error"`
	gap      *int
	document string
}

// Test is an A/B test, folded from its stream. The zero Test was never created.
type Test struct {
	Created
	// Frozen are the questions that the test froze; nil until it has.
	Frozen  *Questions
	Runs    []LatestRun // in the order they started
	Deleted bool
}

// Evolve returns t after e.
func Evolve(t Test, e domain.Event) Test {
	switch e := e.(type) {
	case Created:
		t.Created = e
		if e.Source.Kind == FromRun {
			t.Frozen = &e.Questions
		}
	case Reworded:
		t.Words = e.Words
	case RunAdded:
		t.SideA, t.SideB = e.SideA, e.SideB
		t.Runs = append(slices.Clip(t.Runs), LatestRun{RunID: e.RunID, Status: operation.StatusRunning, StartedAt: e.At})
	case QuestionsFrozen:
		t.Frozen = &e.Questions
	case RunEnded:
		t = t.with(e.RunID, e.of)
	case RunRevised:
		t = t.with(e.RunID, e.of)
	case RunRemoved:
		t.Runs = slices.DeleteFunc(slices.Clone(t.Runs), func(r LatestRun) bool { return r.RunID == e.RunID })
	case Deleted:
		t.Deleted, t.Runs = true, nil
	}
	return t
}

// with returns t with the run changed.
func (t Test) with(runID uuid.UUID, change func(LatestRun) LatestRun) Test {
	t.Runs = slices.Clone(t.Runs)
	for i := range t.Runs {
		if t.Runs[i].RunID == runID {
			t.Runs[i] = change(t.Runs[i])
		}
	}
	return t
}

func (e RunRevised) of(r LatestRun) LatestRun {
	r.Aggregate, r.gap, r.document = &e.Aggregate, &e.Gap, e.Document
	return r
}

func (e RunEnded) of(r LatestRun) LatestRun {
	r.Status, r.FinishedAt, r.Aggregate, r.Failure, r.gap, r.document = e.Status, &e.At, e.Aggregate, e.Failure, e.Gap, e.Document
	return r
}

// BelongsTo reports whether the test exists and belongs to the account.
func (t Test) BelongsTo(accountID string) bool {
	return t.AccountID == accountID && !t.Deleted && t.AbTestID != uuid.Nil
}

// Unfinished returns the runs that have not ended.
func (t Test) Unfinished() []uuid.UUID {
	var going []uuid.UUID
	for _, r := range t.Runs {
		if !r.Status.Ended() {
			going = append(going, r.RunID)
		}
	}
	return going
}

// Has reports whether the test has the run.
func (t Test) Has(runID uuid.UUID) bool {
	return slices.ContainsFunc(t.Runs, func(r LatestRun) bool { return r.RunID == runID })
}

// Documents returns the hashes of the comparisons of all runs, or of one run only.
func (t Test) Documents(only *uuid.UUID) []string {
	var all []string
	for _, r := range t.Runs {
		if r.document != "" && (only == nil || *only == r.RunID) {
			all = append(all, r.document)
		}
	}
	return all
}

// Standing returns the summary of the test's runs that lists show.
func (t Test) Standing() Standing {
	s := Standing{Runs: len(t.Runs), SortedAt: t.At, Gaps: []int{}}
	for _, r := range t.Runs {
		s.Latest, s.SortedAt = &r, r.StartedAt
		if r.FinishedAt != nil {
			s.SortedAt = *r.FinishedAt
		}
		if r.Status == operation.StatusSucceeded {
			s.Succeeded, s.Aggregate = &r.RunID, r.Aggregate
			if r.gap != nil {
				s.Gaps = append(s.Gaps, *r.gap)
			}
		}
	}
	return s
}

// Reword changes the test's words. It records nothing when they are the same.
type Reword struct{ Words }

func (c Reword) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted {
		return nil, NotFound(t.AbTestID.String())
	}
	if c.equal(t.Words) {
		return nil, nil
	}
	return []domain.Event{Reworded(c)}, nil
}

// AddRun records a run that was started.
type AddRun struct{ RunAdded }

func (c AddRun) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted {
		return nil, NotFound(t.AbTestID.String())
	}
	c.Standing = Evolve(t, c.RunAdded).Standing()
	return []domain.Event{c.RunAdded}, nil
}

// Freeze makes the test keep the questions that side A has answered, unless it has
// frozen questions already.
type Freeze struct{ Questions }

func (c Freeze) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted || t.Frozen != nil {
		return nil, nil
	}
	return []domain.Event{QuestionsFrozen(c)}, nil
}

// EndRun records how a run ended; nothing when the run was deleted or has ended
// already.
type EndRun struct{ RunEnded }

func (c EndRun) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted || !slices.Contains(t.Unfinished(), c.RunID) {
		return nil, nil
	}
	c.Standing = Evolve(t, c.RunEnded).Standing()
	return []domain.Event{c.RunEnded}, nil
}

// RemoveRun deletes a run. It refuses with RunNotFound when the test does not have it.
type RemoveRun struct{ RunID uuid.UUID }

func (c RemoveRun) Decide(t Test) ([]domain.Event, error) {
	if !t.Has(c.RunID) {
		return nil, RunNotFound(c.RunID.String())
	}
	removed := RunRemoved{RunID: c.RunID}
	removed.Standing = Evolve(t, removed).Standing()
	return []domain.Event{removed}, nil
}

// Delete deletes the test with all its runs.
type Delete struct{}

func (Delete) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted {
		return nil, NotFound(t.AbTestID.String())
	}
	return []domain.Event{Deleted{Runs: len(t.Runs)}}, nil
}

// NotFound returns the refusal of a test that the account does not have.
func NotFound(id string) *domain.Refusal {
	id = domain.ExcerptID(id)
	return domain.Refuse(domain.AbTestNotFound, "this account has no A/B test %s", id).About("abTestId", id)
}

// RunNotFound returns the refusal of a run that the account, or the test, does not
// have.
func RunNotFound(id string) *domain.Refusal {
	id = domain.ExcerptID(id)
	return domain.Refuse(domain.RunNotFound, "there is no run %s", id).About("runId", id)
}
