package abtest

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
)

// LastStart is how long before the expiry of its operation side B can start at the
// latest.
const LastStart = time.Hour

// AcceptRun records a new run and its operation. BenchmarkRunID is the benchmark run of
// the side that asks first.
type AcceptRun struct {
	Operation      operation.Accepted
	Run            RunAccepted
	BenchmarkRunID uuid.UUID
}

func (c AcceptRun) Decide(Run) ([]domain.Event, error) {
	first := A
	if c.Run.Reused != nil {
		first = B
	}
	return []domain.Event{c.Operation, c.Run, SideQueued{first, c.BenchmarkRunID}}, nil
}

// BeginSide records that the side began to ask; nothing when it has begun already.
type BeginSide struct{ Side SideName }

func (c BeginSide) Decide(r Run) ([]domain.Event, error) {
	if r.Operation.Status.Ended() || r.Side(c.Side).Status != SidePending {
		return nil, nil
	}
	events := []domain.Event{SideStarted(c)}
	if r.Operation.Status == operation.StatusNotStarted {
		events = slices.Insert(events, 0, domain.Event(operation.Started{Percent: new(0)}))
	}
	return events, nil
}

// Progress records how many asks the sides have made.
type Progress struct{ Asked int }

// Decide implements domain.Command. It records progress only when the percentage grows.
func (c Progress) Decide(r Run) ([]domain.Event, error) {
	percent := min(99, c.Asked*100/max(1, r.Total()))
	if r.Operation.Status != operation.StatusRunning || percent <= r.Operation.Percent {
		return nil, nil
	}
	return []domain.Event{operation.Progressed{Percent: percent}}, nil
}

// Total returns how many asks the run makes in all, on the sides that ask.
func (r Run) Total() int { return r.Asking() * r.Questions.Count * r.Repeats }

// CompleteSide ends a side that has asked every question. After side A the run waits
// for a read by its owner.
type CompleteSide struct{ Side SideName }

func (c CompleteSide) Decide(r Run) ([]domain.Event, error) {
	if r.Operation.Status.Ended() || r.Side(c.Side).Status != SideRunning {
		return nil, nil
	}
	if c.Side == B {
		return []domain.Event{SideCompleted(c)}, nil
	}
	until := r.At.Add(operation.Life - LastStart)
	return []domain.Event{SideCompleted(c), operation.WaitingForOwner{Until: &until}}, nil
}

// StartSideB starts side B at a read by the owner of a run that waits for it. Only the
// first read starts it.
type StartSideB struct {
	BenchmarkRunID uuid.UUID
	Now            time.Time
}

func (c StartSideB) Decide(r Run) ([]domain.Event, error) {
	if !r.WaitsForOwner() || c.Now.After(*r.Operation.Waiting.Until) {
		return nil, nil
	}
	return []domain.Event{operation.Resumed{}, SideQueued{B, c.BenchmarkRunID}}, nil
}

// Lapse fails a run whose wait for its owner is over.
type Lapse struct{ Now time.Time }

func (c Lapse) Decide(r Run) ([]domain.Event, error) {
	if !r.WaitsForOwner() || !c.Now.After(*r.Operation.Waiting.Until) {
		return nil, nil
	}
	return GiveUp{"the person who started the run did not read its operation after side A had finished, so side B never began; run " +
		"the test again and read the operation until it ends"}.Decide(r)
}

// GiveUp fails a run that waits for its owner, and whose side B does not begin. Message says why.
type GiveUp struct{ Message string }

func (c GiveUp) Decide(r Run) ([]domain.Event, error) {
	if !r.WaitsForOwner() {
		return nil, nil
	}
	return []domain.Event{operation.Failed{
		Failure: operation.Failure{Code: domain.SideBNotStarted, Message: c.Message},
		Impact:  r.spent(r.countedA()),
	}}, nil
}

// countedA returns how many benchmark runs are counted for side A once it has asked.
func (r Run) countedA() int {
	if r.Reused != nil || r.SideA.AnsweredBy.Imported() {
		return 0
	}
	return 1
}

// spent returns the run's impact with n benchmark runs counted.
func (r Run) spent(n int) operation.Impact {
	impact := r.Operation.Impact
	impact.BenchmarkRuns = &n
	return impact
}

// FailSide fails a side, and the run with it.
type FailSide struct {
	Side    SideName
	Failure operation.Failure
	// Asked is the side's benchmark run.
	Asked benchmark.Run
}

// Decide implements domain.Command. A side that never began is refunded.
func (c FailSide) Decide(r Run) ([]domain.Event, error) {
	if s := r.Side(c.Side).Status; r.Operation.Status.Ended() || s != SidePending && s != SideRunning {
		return nil, nil
	}
	failed := SideFailed{Side: c.Side, Failure: c.Failure}
	if c.Failure.Code == domain.CapacityPaused || c.Failure.Code == domain.CapacityBusy {
		failed.CapacityWorkspaceID = &c.Asked.Side.WorkspaceID
	}
	n := c.Asked.Spent(c.Failure.Code)
	if c.Side == B {
		n += r.countedA()
	}
	return []domain.Event{failed, operation.Failed{Failure: c.Failure, Impact: r.spent(n)}}, nil
}

// FailComparison fails a run whose sides have answered but cannot be compared.
type FailComparison struct {
	Failure operation.Failure
	// Nothing says that no question was answered on both sides. The benchmark runs are refunded.
	Nothing bool
}

func (c FailComparison) Decide(r Run) ([]domain.Event, error) {
	if r.Operation.Status.Ended() || r.Stage() != Comparing {
		return nil, nil
	}
	impact := r.Operation.Impact
	if c.Nothing {
		impact = r.spent(0)
	}
	return []domain.Event{operation.Failed{Failure: c.Failure, Impact: impact}}, nil
}

// Finish ends a run with its comparison.
type Finish struct{ Compared }

func (c Finish) Decide(r Run) ([]domain.Event, error) {
	if r.Operation.Status.Ended() || r.Stage() != Comparing {
		return nil, nil
	}
	return []domain.Event{c.Compared, operation.Succeeded{}}, nil
}

// Stop cancels a run. AskedA and AskedB are the benchmark runs of the sides; zero for a
// side that never began.
type Stop struct{ AskedA, AskedB benchmark.Run }

// Decide implements domain.Command. A side that has asked nothing yet is refunded.
func (c Stop) Decide(r Run) ([]domain.Event, error) {
	if r.Operation.Status.Ended() {
		return nil, nil
	}
	stopped := RunStopped{Total: r.Total()}
	n := 0
	for side, asked := range map[SideName]benchmark.Run{A: c.AskedA, B: c.AskedB} {
		if side == A && r.Reused != nil || !asked.Counts() {
			continue
		}
		stopped.Asked += len(asked.Asks)
		if !asked.Side.AnsweredBy.Imported() {
			n++
		}
	}
	if side, asks := r.Asks(); asks {
		if r.Side(side).Status == SideRunning {
			stopped.Side = &side
		} else {
			stopped.Queued = &side
		}
	}
	stopped.Counted = n > 0
	return []domain.Event{stopped, operation.ImpactCorrected{Impact: r.spent(n)}, operation.Cancelled{}}, nil
}

// Correct is operation.Correct for a run.
type Correct operation.Correct

func (c Correct) Decide(r Run) ([]domain.Event, error) {
	return operation.Correct(c).Decide(r.Operation)
}

// Erase deletes a run. If it has not ended, its operation fails. Nothing is refunded.
type Erase struct{}

func (Erase) Decide(r Run) ([]domain.Event, error) {
	if r.Erased {
		return nil, nil
	}
	if r.Operation.Status.Ended() {
		return []domain.Event{RunErased{}}, nil
	}
	return []domain.Event{RunErased{}, operation.Failed{
		Failure: operation.Failure{Code: domain.BenchmarkRunFailed, Message: "the run was deleted before it ended"},
		Impact:  r.Operation.Impact,
	}}, nil
}
