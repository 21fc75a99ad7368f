package abtest

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

// RunAccepted records the setup of a run. It follows operation.Accepted on the stream
// of the operation, whose id is also the run's id.
type RunAccepted struct {
	RunID     uuid.UUID      `json:"runId"`
	AbTestID  uuid.UUID      `json:"abTestId"`
	SideA     benchmark.Side `json:"sideA"`
	SideB     benchmark.Side `json:"sideB"`
	Questions Questions      `json:"questions"`
	// CorrectAnswers says whether the expected answers are kept or computed again for this run.
	CorrectAnswers CorrectAnswers `json:"correctAnswers"`
	// ComputedAt is when the correct answers were computed from side A, for Update.
	ComputedAt *time.Time `json:"computedAtUtc,omitempty"`
	// Repeats is how often each question is asked.
	Repeats int `json:"repeats"`
	// Reused is the stored benchmark run used as side A; nil when side A asks.
	Reused *uuid.UUID `json:"reused,omitempty"`
	// Freezes says that the test freezes these questions once side A has answered them.
	Freezes bool `json:"freezes,omitempty"`
	// Allowance is the stream on which the benchmark runs were counted.
	Allowance string    `json:"allowance"`
	At        time.Time `json:"at"`
}

// Asking returns how many sides work: 1 when side A is reused, else 2.
func (a RunAccepted) Asking() int {
	if a.Reused != nil {
		return 1
	}
	return 2
}

// Counted returns how many benchmark runs the run counts: the sides that ask an AI.
func (a RunAccepted) Counted() (n int) {
	if a.Reused == nil && !a.SideA.AnsweredBy.Imported() {
		n++
	}
	if !a.SideB.AnsweredBy.Imported() {
		n++
	}
	return n
}

// SideQueued records that the side's benchmark run was accepted, so the side may begin.
type SideQueued struct {
	Side SideName `json:"side"`
	// BenchmarkRunID is the benchmark run that asks for this side.
	BenchmarkRunID uuid.UUID `json:"benchmarkRunId"`
}

// SideStarted records that the side began to ask.
type SideStarted struct {
	Side SideName `json:"side"`
}

// SideCompleted records that the side has asked every question.
type SideCompleted struct {
	Side SideName `json:"side"`
}

// SideFailed records that the side failed.
type SideFailed struct {
	Side    SideName          `json:"side"`
	Failure operation.Failure `json:"failure"`
	// CapacityWorkspaceID is the workspace whose capacity rejected the side's work.
	CapacityWorkspaceID *uuid.UUID `json:"capacityWorkspaceId,omitempty"`
}

// Compared records that the comparison was made and its document stored.
type Compared struct {
	// Document is the hash of the document with the comparison, question by question.
	Document string `json:"document"`
	// Aggregate is what the comparison shows.
	Aggregate verdict.Aggregate `json:"aggregate"`
	// Agreement is how often the sides' verdicts agree.
	Agreement verdict.Agreement `json:"agreement"`
}

// RunStopped records that the run was cancelled, with its state at that moment. Side is
// the side that was asking; nil when none was.
type RunStopped struct {
	Side *SideName `json:"side"`
	// Queued is the side that was about to begin; nil when none was.
	Queued *SideName `json:"queued,omitempty"`
	// Counted says that the run stays counted against the allowance.
	Counted bool `json:"counted"`
	// Asked is how many questions were asked.
	Asked int `json:"asked"`
	// Total is how many there were to ask.
	Total int `json:"total"`
}

// RunErased records that the run was deleted.
type RunErased struct{}

func (RunAccepted) EventType() string   { return "abtest.run-accepted" }
func (SideQueued) EventType() string    { return "abtest.side-queued" }
func (SideStarted) EventType() string   { return "abtest.side-started" }
func (SideCompleted) EventType() string { return "abtest.side-completed" }
func (SideFailed) EventType() string    { return "abtest.side-failed" }
func (Compared) EventType() string      { return "abtest.compared" }
func (RunStopped) EventType() string    { return "abtest.run-stopped" }
func (RunErased) EventType() string     { return "abtest.run-erased" }

// SideStatus is the status of a side of a run (docs/decisions.md 5).
type SideStatus string

// The statuses of a side.
const (
	SideWaiting   SideStatus = "Waiting"
	SideReused    SideStatus = "Reused"
	SidePending   SideStatus = "Pending"
	SideRunning   SideStatus = "Running"
	SideDone      SideStatus = "Completed"
	SideBroken    SideStatus = "Failed"
	SideCancelled SideStatus = "Cancelled"
)

// RunSide is a side of a run.
type RunSide struct {
	Status         SideStatus
	BenchmarkRunID *uuid.UUID
	Failure        *SideFailed
}

// Stage is how far a run has progressed.
type Stage string

// The stages.
const (
	StageA    Stage = "SideA"
	StageB    Stage = "SideB"
	Comparing Stage = "Comparing"
	Done      Stage = "Done"
)

// Run is one run of a test, folded from its operation's stream.
type Run struct {
	Operation operation.Operation
	RunAccepted
	A, B     RunSide
	Compared *Compared
	Stopped  *RunStopped
	Erased   bool
}

// EvolveRun returns r after e.
func EvolveRun(r Run, e domain.Event) Run {
	switch e := e.(type) {
	case RunAccepted:
		r.RunAccepted = e
		r.A, r.B = RunSide{Status: SideWaiting}, RunSide{Status: SideWaiting}
		if e.Reused != nil {
			r.A = RunSide{Status: SideReused, BenchmarkRunID: e.Reused}
		}
	case SideQueued:
		r = r.with(e.Side, RunSide{Status: SidePending, BenchmarkRunID: &e.BenchmarkRunID})
	case SideStarted:
		r = r.at(e.Side, SideRunning)
	case SideCompleted:
		r = r.at(e.Side, SideDone)
	case SideFailed:
		s := r.Side(e.Side)
		s.Status, s.Failure = SideBroken, &e
		r = r.with(e.Side, s)
	case Compared:
		r.Compared = &e
	case ComparisonRevised:
		r.Compared = &e.Compared
	case RunStopped:
		r.Stopped = &e
		for _, side := range []*SideName{e.Side, e.Queued} {
			if side != nil {
				r = r.at(*side, SideCancelled)
			}
		}
	case RunErased:
		r.Erased = true
	default:
		r.Operation = operation.Evolve(r.Operation, e)
	}
	return r
}

// Side returns the side with the name.
func (r Run) Side(n SideName) RunSide {
	if n == A {
		return r.A
	}
	return r.B
}

func (r Run) with(n SideName, s RunSide) Run {
	if n == A {
		r.A = s
	} else {
		r.B = s
	}
	return r
}

func (r Run) at(n SideName, status SideStatus) Run {
	s := r.Side(n)
	s.Status = status
	return r.with(n, s)
}

// Stage returns how far the run is, or was when it ended.
func (r Run) Stage() Stage {
	switch {
	case r.Compared != nil:
		return Done
	case r.A.Status != SideReused && r.A.Status != SideDone:
		return StageA
	case r.B.Status != SideDone:
		return StageB
	}
	return Comparing
}

// Asks returns the side that is queued or asking and whether the run is still open;
// false when there is none.
func (r Run) Asks() (SideName, bool) {
	for _, n := range []SideName{A, B} {
		if s := r.Side(n).Status; s == SidePending || s == SideRunning {
			return n, !r.Operation.Status.Ended()
		}
	}
	return "", false
}

// WaitsForOwner reports whether side B waits for a read by the operation's owner.
func (r Run) WaitsForOwner() bool { return r.Operation.Waiting != nil && !r.Operation.Status.Ended() }
