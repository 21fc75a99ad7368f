package abtest

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/comparison"
	"readiness/domain/operation"
)

// Stream is the name of a test's stream.
func Stream(id uuid.UUID) string { return "abtest-" + id.String() }

// StreamID returns the id of the test whose stream has the name, false for
// another stream.
func StreamID(stream string) (uuid.UUID, bool) {
	text, ok := strings.CutPrefix(stream, "abtest-")
	if !ok {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// Created: a test was created. Its first run starts with it.
type Created struct {
	AbTestID  uuid.UUID `json:"abTestId"`
	AccountID string    `json:"accountId"`
	Words
	SideA          benchmark.Side `json:"sideA"`
	SideB          benchmark.Side `json:"sideB"`
	Source         Source         `json:"source"`
	CorrectAnswers CorrectAnswers `json:"correctAnswers"`
	Repeats        int            `json:"repeats"`
	// Questions are those the first run asks. They are frozen with the test when
	// they are those of a stored run, else once side A has answered a run's.
	Questions Questions `json:"questions"`
	At        time.Time `json:"at"`
}

// Reworded: the customer's words of the test are these now.
type Reworded struct{ Words }

// RunAdded: a run was started. The sides are named as they were seen then.
type RunAdded struct {
	RunID     uuid.UUID      `json:"runId"`
	SideA     benchmark.Side `json:"sideA"`
	SideB     benchmark.Side `json:"sideB"`
	Questions Questions      `json:"questions"`
	At        time.Time      `json:"at"`
	Standing  Standing       `json:"standing"`
}

// Froze: side A answered the questions of the first run, or of the first after one
// that broke before it had. They are the test's from here on.
type Froze struct{ Questions }

// RunEnded: a run is over. Gap is side B's correct answers less side A's, and
// Aggregate what the comparison comes to, of a succeeded run.
type RunEnded struct {
	RunID     uuid.UUID             `json:"runId"`
	Status    operation.Status      `json:"status"`
	Failure   *operation.Failure    `json:"failure,omitempty"`
	Aggregate *comparison.Aggregate `json:"aggregate,omitempty"`
	Gap       *int                  `json:"gap,omitempty"`
	// Document is the hash of the comparison's.
	Document string    `json:"document,omitempty"`
	At       time.Time `json:"at"`
	Standing Standing  `json:"standing"`
}

// RunRemoved: a run of the test was deleted.
type RunRemoved struct {
	RunID    uuid.UUID `json:"runId"`
	Standing Standing  `json:"standing"`
}

// Deleted: the test was deleted with its runs.
type Deleted struct {
	Runs int `json:"runs"`
}

// EventType implements domain.Event.
func (Created) EventType() string    { return "abtest.created" }
func (Reworded) EventType() string   { return "abtest.reworded" }
func (RunAdded) EventType() string   { return "abtest.run-added" }
func (Froze) EventType() string      { return "abtest.questions-frozen" }
func (RunEnded) EventType() string   { return "abtest.run-ended" }
func (RunRemoved) EventType() string { return "abtest.run-removed" }
func (Deleted) EventType() string    { return "abtest.deleted" }

// Standing is what a list shows of a test's runs, after an event (spec 2.11).
type Standing struct {
	Runs   int        `json:"runs"`
	Latest *LatestRun `json:"latest"` // nil without a run
	// SortedAt is the newest run's finish, its start while it goes on, or when
	// the test was created.
	SortedAt  time.Time             `json:"sortedAt"`
	Succeeded *uuid.UUID            `json:"latestSucceeded"` // the newest succeeded run
	Aggregate *comparison.Aggregate `json:"latestSucceededAggregate"`
	// Gaps are those of the succeeded runs, oldest first.
	Gaps []int `json:"gaps"`
}

// LatestRun is a run as far as the test's stream tells (decisions 6, AbLatestRun).
type LatestRun struct {
	RunID      uuid.UUID             `json:"runId"`
	Status     operation.Status      `json:"status"`
	StartedAt  time.Time             `json:"startedAtUtc"`
	FinishedAt *time.Time            `json:"finishedAtUtc"`
	Aggregate  *comparison.Aggregate `json:"aggregate"`
	Failure    *operation.Failure    `json:"error"`
	gap        *int
	document   string
}

// Test is an A/B test, folded from its stream. The zero Test was never created.
type Test struct {
	Created
	// Frozen are the questions the test froze, nil as long as it has none.
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
		t.Runs = append(slices.Clip(t.Runs), LatestRun{RunID: e.RunID, Status: operation.Running, StartedAt: e.At})
	case Froze:
		t.Frozen = &e.Questions
	case RunEnded:
		t.Runs = slices.Clone(t.Runs)
		for i := range t.Runs {
			if t.Runs[i].RunID == e.RunID {
				t.Runs[i] = e.of(t.Runs[i])
			}
		}
	case RunRemoved:
		t.Runs = slices.DeleteFunc(slices.Clone(t.Runs), func(r LatestRun) bool { return r.RunID == e.RunID })
	case Deleted:
		t.Deleted, t.Runs = true, nil
	}
	return t
}

func (e RunEnded) of(r LatestRun) LatestRun {
	r.Status, r.FinishedAt, r.Aggregate, r.Failure, r.gap, r.document = e.Status, &e.At, e.Aggregate, e.Failure, e.Gap, e.Document
	return r
}

// Held reports whether the account has the test.
func (t Test) Held(accountID string) bool {
	return t.AccountID == accountID && !t.Deleted && t.AbTestID != uuid.Nil
}

// Going are the runs that have not ended.
func (t Test) Going() []uuid.UUID {
	var going []uuid.UUID
	for _, r := range t.Runs {
		if !r.Status.Ended() {
			going = append(going, r.RunID)
		}
	}
	return going
}

// Has reports whether the run is one of the test's.
func (t Test) Has(runID uuid.UUID) bool {
	return slices.ContainsFunc(t.Runs, func(r LatestRun) bool { return r.RunID == runID })
}

// Documents are the hashes of the comparisons of the test's runs, or of one.
func (t Test) Documents(only *uuid.UUID) []string {
	var all []string
	for _, r := range t.Runs {
		if r.document != "" && (only == nil || *only == r.RunID) {
			all = append(all, r.document)
		}
	}
	return all
}

// Standing returns what a list shows of the test's runs.
func (t Test) Standing() Standing {
	s := Standing{Runs: len(t.Runs), SortedAt: t.At, Gaps: []int{}}
	for _, r := range t.Runs {
		s.Latest, s.SortedAt = &r, r.StartedAt
		if r.FinishedAt != nil {
			s.SortedAt = *r.FinishedAt
		}
		if r.Status == operation.Succeeded {
			s.Succeeded, s.Aggregate = &r.RunID, r.Aggregate
			if r.gap != nil {
				s.Gaps = append(s.Gaps, *r.gap)
			}
		}
	}
	return s
}

// Create puts a test in the log.
type Create struct{ Created }

// Decide implements domain.Command.
func (c Create) Decide(Test) ([]domain.Event, error) { return []domain.Event{c.Created}, nil }

// Reword changes the customer's words. The same words change nothing.
type Reword struct{ Words }

// Decide implements domain.Command.
func (c Reword) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted {
		return nil, NotFound(t.AbTestID.String())
	}
	if c.equal(t.Words) {
		return nil, nil
	}
	return []domain.Event{Reworded(c)}, nil
}

// AddRun adds a run that was started.
type AddRun struct{ RunAdded }

// Decide implements domain.Command.
func (c AddRun) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted {
		return nil, NotFound(t.AbTestID.String())
	}
	c.Standing = Evolve(t, c.RunAdded).Standing()
	return []domain.Event{c.RunAdded}, nil
}

// Freeze keeps the questions of the first run from saved questions that side A has
// answered.
type Freeze struct{ Questions }

// Decide implements domain.Command.
func (c Freeze) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted || t.Frozen != nil {
		return nil, nil
	}
	return []domain.Event{Froze(c)}, nil
}

// EndRun says how a run ended. Of one that was deleted there is nothing to say.
type EndRun struct{ RunEnded }

// Decide implements domain.Command.
func (c EndRun) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted || !slices.Contains(t.Going(), c.RunID) {
		return nil, nil
	}
	c.Standing = Evolve(t, c.RunEnded).Standing()
	return []domain.Event{c.RunEnded}, nil
}

// RemoveRun deletes a run (spec 4.6, DELETE rules).
type RemoveRun struct{ RunID uuid.UUID }

// Decide implements domain.Command.
func (c RemoveRun) Decide(t Test) ([]domain.Event, error) {
	if !t.Has(c.RunID) {
		return nil, RunNotFound(c.RunID.String())
	}
	removed := RunRemoved{RunID: c.RunID}
	removed.Standing = Evolve(t, removed).Standing()
	return []domain.Event{removed}, nil
}

// Delete deletes the test with all runs.
type Delete struct{}

// Decide implements domain.Command.
func (Delete) Decide(t Test) ([]domain.Event, error) {
	if t.Deleted {
		return nil, NotFound(t.AbTestID.String())
	}
	return []domain.Event{Deleted{Runs: len(t.Runs)}}, nil
}

// NotFound refuses a test that the account does not have.
func NotFound(id string) *domain.Refusal {
	return domain.Refuse(domain.AbTestNotFound, "this account has no A/B test %s", shortened(id)).About("abTestId", shortened(id))
}

// RunNotFound refuses a run that the account, or the test, does not have.
func RunNotFound(id string) *domain.Refusal {
	return domain.Refuse(domain.RunNotFound, "there is no run %s", shortened(id)).About("runId", shortened(id))
}

// shortened is an id of the caller's as messages repeat it: no longer than an id.
func shortened(text string) string { return text[:min(len(text), 36)] }
