package abtest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
)

var (
	ada      = item.PersonID("ada")
	bob      = item.PersonID("bob")
	retail   = uuid.UUID{13: 1, 15: 1}
	vault    = uuid.UUID{13: 1, 15: 2}
	until    = noon.Add(operation.Life - time.Hour) // an hour before the operation expires
	sideRuns = map[abtest.SideName]uuid.UUID{abtest.A: {12: 1, 15: 1}, abtest.B: {12: 1, 15: 2}}
)

// accepted returns a run of two questions, each asked twice, accepted at noon. Both
// sides ask, or side B alone when side A is a stored run.
func accepted(reused bool) abtest.AcceptRun {
	first, run := abtest.A, abtest.RunAccepted{
		RunID: runID(1), AbTestID: test1, SideA: benchmark.Side{WorkspaceID: retail}, SideB: benchmark.Side{WorkspaceID: vault},
		Questions: abtest.Questions{Document: "d", SetHash: "h", Count: 2}, Repeats: 2, At: noon,
	}
	if reused {
		first, run.Reused = abtest.B, new(runID(9))
	}
	return abtest.AcceptRun{
		Operation:      operation.Accepted{OperationID: runID(1), AccountID: contoso, Type: operation.RunAbTest, Owner: ada, Impact: operation.Impact{BenchmarkRuns: new(run.Asking()), TrackedItems: new(1)}},
		Run:            run,
		BenchmarkRunID: sideRuns[first],
	}
}

// asked returns a side's benchmark run that made n of its four asks.
func asked(n int) benchmark.Run {
	r := benchmark.Run{RunAccepted: benchmark.RunAccepted{Count: 2, Repeats: 2, Side: benchmark.Side{WorkspaceID: vault}}, Status: operation.StatusRunning}
	r.Asks = make([]benchmark.Asked, n)
	return r
}

// The steps of a run, by the words that the tables below use.
type step = domain.Command[abtest.Run]

var (
	beginA, beginB       step = abtest.BeginSide{Side: abtest.A}, abtest.BeginSide{Side: abtest.B}
	completeA, completeB step = abtest.CompleteSide{Side: abtest.A}, abtest.CompleteSide{Side: abtest.B}
	read                 step = abtest.StartSideB{BenchmarkRunID: sideRuns[abtest.B], Now: minute(5)}
	readLate             step = abtest.StartSideB{BenchmarkRunID: sideRuns[abtest.B], Now: until.Add(time.Microsecond)}
	lapse                step = abtest.Lapse{Now: until.Add(time.Microsecond)}
	lapseEarly           step = abtest.Lapse{Now: until.Add(-time.Microsecond)}
	giveUp               step = abtest.GiveUp{Message: "moved"}
	failA                step = abtest.FailSide{Side: abtest.A, Failure: operation.Failure{Code: domain.ItemNotFound}, Asked: asked(1)}
	failB                step = abtest.FailSide{Side: abtest.B, Failure: operation.Failure{Code: domain.ItemNotFound}, Asked: asked(1)}
	failComparison       step = abtest.FailComparison{Failure: operation.Failure{Code: domain.BenchmarkRunFailed}}
	finish               step = abtest.Finish{Compared: abtest.Compared{Document: "c"}}
	stop                 step = abtest.Stop{}
	erase                step = abtest.Erase{}
)

// run returns a run after some steps.
func run(t testing.TB, reused bool, steps ...step) abtest.Run {
	t.Helper()
	return fold(t, abtest.EvolveRun, abtest.Run{}, append([]step{accepted(reused)}, steps...)...)
}

// eventNames returns the names of events, without the word before the dot.
func eventNames(events []domain.Event) string {
	var names []string
	for _, e := range events {
		_, name, _ := strings.Cut(e.EventType(), ".")
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// proves: 2.11/run/status 2.11/run/stage 3.2/side-b-starts 3.2/side-b-not-started 3.2/cancel-while-asking 3.2/cancel-while-waiting 3.1/cancelled 3.1/test-deleted 4.2/cancel/ab-run
func TestTransitions(t *testing.T) {
	t.Parallel()
	const (
		begins    = "side-started"
		goesOn    = "resumed side-queued"
		fails     = "side-failed failed"
		stops     = "run-stopped impact-corrected cancelled"
		isErased  = "run-erased failed"
		wasErased = "run-erased"
	)
	all := map[string]step{
		"beginA": beginA, "beginB": beginB, "completeA": completeA, "completeB": completeB, "read": read, "readLate": readLate, "lapse": lapse, "lapseEarly": lapseEarly,
		"giveUp": giveUp, "failA": failA, "failB": failB, "failComparison": failComparison, "finish": finish, "stop": stop, "erase": erase,
	}
	type recorded = map[string]string
	ended := recorded{"erase": wasErased}
	for name, test := range map[string]struct {
		reused  bool
		steps   []step
		status  operation.Status
		stage   abtest.Stage
		a, b    abtest.SideStatus
		records recorded // by step; a step that is not listed changes nothing
	}{
		"accepted": {
			false, nil, operation.StatusNotStarted, abtest.StageA, abtest.SidePending, abtest.SideWaiting,
			recorded{"beginA": "started " + begins, "failA": fails, "stop": stops, "erase": isErased},
		},
		"side A asks": {
			false, []step{beginA}, operation.StatusRunning, abtest.StageA, abtest.SideRunning, abtest.SideWaiting,
			recorded{"completeA": "side-completed waiting-for-owner", "failA": fails, "stop": stops, "erase": isErased},
		},
		"side B waits": {
			false, []step{beginA, completeA}, operation.StatusRunning, abtest.StageB, abtest.SideDone, abtest.SideWaiting,
			recorded{"read": goesOn, "lapse": "failed", "giveUp": "failed", "stop": stops, "erase": isErased},
		},
		"side B may begin": {
			false, []step{beginA, completeA, read}, operation.StatusRunning, abtest.StageB, abtest.SideDone, abtest.SidePending,
			recorded{"beginB": begins, "failB": fails, "stop": stops, "erase": isErased},
		},
		"side B asks": {
			false, []step{beginA, completeA, read, beginB}, operation.StatusRunning, abtest.StageB, abtest.SideDone, abtest.SideRunning,
			recorded{"completeB": "side-completed", "failB": fails, "stop": stops, "erase": isErased},
		},
		"both have answered": {
			false, []step{beginA, completeA, read, beginB, completeB}, operation.StatusRunning, abtest.Comparing, abtest.SideDone, abtest.SideDone,
			recorded{"finish": "compared succeeded", "failComparison": "failed", "stop": stops, "erase": isErased},
		},
		"compared": {
			false, []step{beginA, completeA, read, beginB, completeB, finish}, operation.StatusSucceeded, abtest.Done, abtest.SideDone, abtest.SideDone, ended,
		},
		"not compared": {
			false, []step{beginA, completeA, read, beginB, completeB, failComparison}, operation.StatusFailed, abtest.Comparing, abtest.SideDone, abtest.SideDone, ended,
		},
		"side A failed at once": {false, []step{failA}, operation.StatusFailed, abtest.StageA, abtest.SideBroken, abtest.SideWaiting, ended},
		"side A failed":         {false, []step{beginA, failA}, operation.StatusFailed, abtest.StageA, abtest.SideBroken, abtest.SideWaiting, ended},
		"side B failed at once": {false, []step{beginA, completeA, read, failB}, operation.StatusFailed, abtest.StageB, abtest.SideDone, abtest.SideBroken, ended},
		"side B failed":         {false, []step{beginA, completeA, read, beginB, failB}, operation.StatusFailed, abtest.StageB, abtest.SideDone, abtest.SideBroken, ended},
		"nobody read":           {false, []step{beginA, completeA, lapse}, operation.StatusFailed, abtest.StageB, abtest.SideDone, abtest.SideWaiting, ended},
		"stopped at side A":     {false, []step{beginA, stop}, operation.StatusCancelled, abtest.StageA, abtest.SideCancelled, abtest.SideWaiting, ended},
		"stopped waiting":       {false, []step{beginA, completeA, stop}, operation.StatusCancelled, abtest.StageB, abtest.SideDone, abtest.SideWaiting, ended},
		"stopped at side B":     {false, []step{beginA, completeA, read, beginB, stop}, operation.StatusCancelled, abtest.StageB, abtest.SideDone, abtest.SideCancelled, ended},
		"deleted at side A":     {false, []step{beginA, erase}, operation.StatusFailed, abtest.StageA, abtest.SideRunning, abtest.SideWaiting, nil},
		"deleted waiting":       {false, []step{beginA, completeA, erase}, operation.StatusFailed, abtest.StageB, abtest.SideDone, abtest.SideWaiting, nil},
		"deleted when compared": {false, []step{beginA, completeA, read, beginB, completeB, finish, erase}, operation.StatusSucceeded, abtest.Done, abtest.SideDone, abtest.SideDone, nil},
		"side A is reused": {
			true, nil, operation.StatusNotStarted, abtest.StageB, abtest.SideReused, abtest.SidePending,
			recorded{"beginB": "started " + begins, "failB": fails, "stop": stops, "erase": isErased},
		},
		"only side B asks": {
			true, []step{beginB}, operation.StatusRunning, abtest.StageB, abtest.SideReused, abtest.SideRunning,
			recorded{"completeB": "side-completed", "failB": fails, "stop": stops, "erase": isErased},
		},
		"only side B answered": {
			true, []step{beginB, completeB}, operation.StatusRunning, abtest.Comparing, abtest.SideReused, abtest.SideDone,
			recorded{"finish": "compared succeeded", "failComparison": "failed", "stop": stops, "erase": isErased},
		},
		"compared with what was stored": {
			true, []step{beginB, completeB, finish}, operation.StatusSucceeded, abtest.Done, abtest.SideReused, abtest.SideDone, ended,
		},
		"only side B was stopped": {true, []step{beginB, stop}, operation.StatusCancelled, abtest.StageB, abtest.SideReused, abtest.SideCancelled, ended},
	} {
		r := run(t, test.reused, test.steps...)
		if r.Operation.Status != test.status || r.Stage() != test.stage || r.A.Status != test.a || r.B.Status != test.b {
			t.Errorf("%s: %s at %s, sides %s and %s; want %s at %s, %s and %s", name, r.Operation.Status, r.Stage(), r.A.Status, r.B.Status, test.status, test.stage, test.a, test.b)
		}
		side, asks := r.Asks()
		if may := !r.Operation.Status.Ended() && (r.Side(side).Status == abtest.SidePending || r.Side(side).Status == abtest.SideRunning); asks != may {
			t.Errorf("%s: side %q asks: %v", name, side, asks)
		}
		if waits := test.records["read"] != ""; r.WaitsForOwner() != waits || r.Operation.WaitsFor(ada) != waits || r.Operation.WaitsFor(bob) {
			t.Errorf("%s: it waits for its owner: %v, for Ada: %v, for Bob: %v", name, r.WaitsForOwner(), r.Operation.WaitsFor(ada), r.Operation.WaitsFor(bob))
		}
		for word, c := range all {
			events, err := c.Decide(r)
			if err != nil {
				t.Errorf("%s, %s: %v", name, word, err)
			}
			if got := eventNames(events); got != test.records[word] {
				t.Errorf("%s, %s: events %q, want %q", name, word, got, test.records[word])
			}
		}
	}
}

// The sides have the benchmark runs that were accepted for them, and a stored one is
// distinguished from one that asked.
func TestSidesHaveTheirRuns(t *testing.T) {
	t.Parallel()
	r := run(t, false, beginA, completeA)
	if r.A.BenchmarkRunID == nil || *r.A.BenchmarkRunID != sideRuns[abtest.A] || r.B.BenchmarkRunID != nil || r.Asking() != 2 || r.Total() != 8 {
		t.Errorf("while side B waits: runs %v and %v, %d sides ask, %d times", r.A.BenchmarkRunID, r.B.BenchmarkRunID, r.Asking(), r.Total())
	}
	r = run(t, false, beginA, completeA, read, beginB, completeB)
	if *r.A.BenchmarkRunID != sideRuns[abtest.A] || *r.B.BenchmarkRunID != sideRuns[abtest.B] {
		t.Errorf("in the end: runs %v and %v", r.A.BenchmarkRunID, r.B.BenchmarkRunID)
	}
	r = run(t, true)
	if *r.A.BenchmarkRunID != runID(9) || *r.B.BenchmarkRunID != sideRuns[abtest.B] || r.Asking() != 1 || r.Total() != 4 {
		t.Errorf("with a stored side A: runs %v and %v, %d sides ask, %d times", r.A.BenchmarkRunID, r.B.BenchmarkRunID, r.Asking(), r.Total())
	}
}

// The owner has until an hour before the operation expires, to the microsecond. At any
// time either a read starts side B or the wait is over, never both.
// proves: 3.2/side-b-not-started 2.7/error/SideBNotStarted
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	waiting := run(t, false, beginA, completeA)
	if at := waiting.Operation.Waiting.Until; at == nil || !at.Equal(until) {
		t.Fatalf("it waits until %v, want %v", at, until)
	}
	for d := -2 * time.Microsecond; d <= 2*time.Microsecond; d += time.Microsecond {
		now := until.Add(d)
		started, _ := abtest.StartSideB{BenchmarkRunID: sideRuns[abtest.B], Now: now}.Decide(waiting)
		lapsed, _ := abtest.Lapse{Now: now}.Decide(waiting)
		if (len(started) > 0) == (len(lapsed) > 0) || d < 0 && len(started) == 0 || d > 0 && len(lapsed) == 0 {
			t.Errorf("%s after its end: a read records %q, a look at the clock %q", d, eventNames(started), eventNames(lapsed))
		}
	}
	r := fold(t, abtest.EvolveRun, waiting, lapse)
	if r.Operation.Failure == nil || r.Operation.Failure.Code != domain.SideBNotStarted || *r.Operation.Impact.BenchmarkRuns != 1 || r.WaitsForOwner() {
		t.Errorf("it ended as %v with %+v", r.Operation.Failure, r.Operation.Impact)
	}
	if r.B.BenchmarkRunID != nil || r.Stopped != nil {
		t.Error("a run that lapsed says that side B began, or that it was stopped")
	}
}

// proves: 2.11/run/cancel 2.11/run/counted 4.2/cancel/asked-nothing 3.2/cancel-while-asking 3.2/cancel-while-waiting
func TestACancelIsFrozen(t *testing.T) {
	t.Parallel()
	a, b := abtest.A, abtest.B
	for name, test := range map[string]struct {
		reused         bool
		steps          []step
		askedA, askedB benchmark.Run
		want           abtest.RunStopped
		spent          int // benchmark runs that stay counted
	}{
		"side A was to begin":           {false, nil, asked(0), benchmark.Run{}, abtest.RunStopped{Queued: &a, Counted: false, Asked: 0, Total: 8}, 0},
		"side A had asked nothing":      {false, []step{beginA}, asked(0), benchmark.Run{}, abtest.RunStopped{Side: &a, Counted: false, Asked: 0, Total: 8}, 0},
		"side A had asked once":         {false, []step{beginA}, asked(1), benchmark.Run{}, abtest.RunStopped{Side: &a, Counted: true, Asked: 1, Total: 8}, 1},
		"side A had asked everything":   {false, []step{beginA}, asked(4), benchmark.Run{}, abtest.RunStopped{Side: &a, Counted: true, Asked: 4, Total: 8}, 1},
		"it waited for its owner":       {false, []step{beginA, completeA}, asked(4), benchmark.Run{}, abtest.RunStopped{Counted: true, Asked: 4, Total: 8}, 1},
		"side B was to begin":           {false, []step{beginA, completeA, read}, asked(4), asked(0), abtest.RunStopped{Queued: &b, Counted: true, Asked: 4, Total: 8}, 1},
		"side B had asked nothing":      {false, []step{beginA, completeA, read, beginB}, asked(4), asked(0), abtest.RunStopped{Side: &b, Counted: true, Asked: 4, Total: 8}, 1},
		"side B had asked twice":        {false, []step{beginA, completeA, read, beginB}, asked(4), asked(2), abtest.RunStopped{Side: &b, Counted: true, Asked: 6, Total: 8}, 2},
		"only side B, nothing asked":    {true, []step{beginB}, asked(4), asked(0), abtest.RunStopped{Side: &b, Counted: false, Asked: 0, Total: 4}, 0},
		"only side B, asked":            {true, []step{beginB}, asked(4), asked(3), abtest.RunStopped{Side: &b, Counted: true, Asked: 3, Total: 4}, 1},
		"only side B, side A is gone":   {true, []step{beginB}, benchmark.Run{}, asked(1), abtest.RunStopped{Side: &b, Counted: true, Asked: 1, Total: 4}, 1},
		"only side B, that never began": {true, nil, asked(4), asked(0), abtest.RunStopped{Queued: &b, Counted: false, Asked: 0, Total: 4}, 0},
		"both had answered":             {false, []step{beginA, completeA, read, beginB, completeB}, asked(4), asked(4), abtest.RunStopped{Counted: true, Asked: 8, Total: 8}, 2},
	} {
		r := run(t, test.reused, append(test.steps, abtest.Stop{AskedA: test.askedA, AskedB: test.askedB})...)
		if r.Stopped == nil {
			t.Fatalf("%s: it was not stopped", name)
		}
		if diff := cmp.Diff(test.want, *r.Stopped); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if r.Operation.Status != operation.StatusCancelled || r.Operation.Failure != nil {
			t.Errorf("%s: it is %s with %v", name, r.Operation.Status, r.Operation.Failure)
		}
		if got := r.Operation.Impact; *got.BenchmarkRuns != test.spent || got.TrackedItems == nil || *got.TrackedItems != 1 {
			t.Errorf("%s: %d benchmark runs stay counted, want %d, and of tracked items %v", name, *got.BenchmarkRuns, test.spent, got.TrackedItems)
		}
		if events, err := (abtest.Stop{AskedA: asked(4), AskedB: asked(4)}).Decide(r); len(events) != 0 || err != nil {
			t.Errorf("%s: a second cancel records %q, %v", name, eventNames(events), err)
		}
	}
}

// refundable are the codes of failures caused by the platform or the service.
var refundable = []domain.Code{domain.PlatformUnavailable, domain.CapacityPaused, domain.CapacityBusy, domain.BenchmarkRunFailed}

// A run that failed with one of them before it asked anything is refunded
// (docs/decisions.md 5). A run that asked is not, and side A's answers stay counted.
// proves: 2.7/error/BenchmarkRunFailed
func TestFailureImpact(t *testing.T) {
	t.Parallel()
	kept := []domain.Code{domain.ItemNotFound, domain.ItemNotReadable, domain.PlatformAccessDenied}
	for _, code := range append(kept, refundable...) {
		back := 1 // what a side that asked nothing keeps
		if slices.Contains(refundable, code) {
			back = 0
		}
		for name, test := range map[string]struct {
			reused bool
			steps  []step
			side   abtest.SideName
			asks   int
			spent  int
		}{
			"side A, before it began":       {false, nil, abtest.A, 0, back},
			"side A, nothing asked":         {false, []step{beginA}, abtest.A, 0, back},
			"side A, asked":                 {false, []step{beginA}, abtest.A, 1, 1},
			"side B, before it began":       {false, []step{beginA, completeA, read}, abtest.B, 0, 1 + back},
			"side B, nothing asked":         {false, []step{beginA, completeA, read, beginB}, abtest.B, 0, 1 + back},
			"side B, asked":                 {false, []step{beginA, completeA, read, beginB}, abtest.B, 3, 2},
			"only side B, before it began":  {true, nil, abtest.B, 0, back},
			"only side B, nothing asked":    {true, []step{beginB}, abtest.B, 0, back},
			"only side B, everything asked": {true, []step{beginB}, abtest.B, 4, 1},
		} {
			r := run(t, test.reused, append(test.steps, abtest.FailSide{Side: test.side, Failure: operation.Failure{Code: code, Message: "no"}, Asked: asked(test.asks)})...)
			if got := *r.Operation.Impact.BenchmarkRuns; got != test.spent {
				t.Errorf("%s, %s: %d benchmark runs stay counted, want %d", code, name, got, test.spent)
			}
			if r.Operation.Impact.TrackedItems == nil || *r.Operation.Impact.TrackedItems != 1 {
				t.Errorf("%s, %s: of tracked items it keeps %v", code, name, r.Operation.Impact.TrackedItems)
			}
			if r.Operation.Status != operation.StatusFailed || r.Operation.Failure.Code != code || r.Side(test.side).Failure.Failure.Code != code {
				t.Errorf("%s, %s: it is %s with %v, and the side with %v", code, name, r.Operation.Status, r.Operation.Failure, r.Side(test.side).Failure)
			}
			capacity := r.Side(test.side).Failure.CapacityWorkspaceID
			if refused := code == domain.CapacityPaused || code == domain.CapacityBusy; refused != (capacity != nil) || refused && *capacity != vault {
				t.Errorf("%s, %s: the capacity that refused it is that of %v", code, name, capacity)
			}
		}
	}
	for name, test := range map[string]struct {
		reused bool
		steps  []step
		spent  int
	}{
		"both answered":        {false, []step{beginA, completeA, read, beginB, completeB}, 2},
		"only side B answered": {true, []step{beginB, completeB}, 1},
	} {
		nothing := abtest.FailComparison{Failure: operation.Failure{Code: domain.BenchmarkRunFailed}, Nothing: true}
		if got := *run(t, test.reused, append(slices.Clone(test.steps), nothing)...).Operation.Impact.BenchmarkRuns; got != 0 {
			t.Errorf("%s, nothing to compare: %d benchmark runs stay counted, want 0", name, got)
		}
		for end, c := range map[string]step{"compared": finish, "not compared": failComparison} {
			if got := *run(t, test.reused, append(test.steps, c)...).Operation.Impact.BenchmarkRuns; got != test.spent {
				t.Errorf("%s, %s: %d benchmark runs stay counted, want %d", name, end, got, test.spent)
			}
		}
	}
}

// Nothing that a deleted run spent is refunded.
// proves: 4.6/delete/test 4.6/delete/run 3.1/test-deleted
func TestDeletedRunIsNotRefunded(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string][]step{
		"nothing asked": nil, "side A asks": {beginA}, "side B waits": {beginA, completeA}, "side B asks": {beginA, completeA, read, beginB}, "compares": {beginA, completeA, read, beginB, completeB},
	} {
		r := run(t, false, append(steps, erase)...)
		if !r.Erased || r.Operation.Status != operation.StatusFailed || r.Operation.Failure == nil || r.Operation.Failure.Code != domain.BenchmarkRunFailed {
			t.Errorf("%s: its operation is %s with %v", name, r.Operation.Status, r.Operation.Failure)
		}
		if *r.Operation.Impact.BenchmarkRuns != 2 || *r.Operation.Impact.TrackedItems != 1 || r.WaitsForOwner() {
			t.Errorf("%s: it spent %+v", name, r.Operation.Impact)
		}
	}
}

// Progress covers the asks of the sides that ask, in integer percent, and never ends
// the run.
// proves: 2.11/run/asks
func TestProgressOfARun(t *testing.T) {
	t.Parallel()
	r := run(t, false, beginA)
	for _, test := range []struct{ asks, percent int }{{0, 0}, {1, 12}, {1, 12}, {4, 50}, {3, 50}, {8, 99}, {9, 99}} {
		if r = fold(t, abtest.EvolveRun, r, step(abtest.Progress{Asked: test.asks})); r.Operation.Percent != test.percent {
			t.Errorf("after %d asks it is at %d %%, want %d", test.asks, r.Operation.Percent, test.percent)
		}
	}
	for name, r := range map[string]abtest.Run{"not started": run(t, false), "stopped": run(t, false, beginA, stop), "deleted": run(t, false, beginA, erase)} {
		if events, err := (abtest.Progress{Asked: 4}).Decide(r); len(events) != 0 || err != nil {
			t.Errorf("%s: %q, %v", name, eventNames(events), err)
		}
	}
	if r := run(t, true, beginB, step(abtest.Progress{Asked: 1})); r.Operation.Percent != 25 {
		t.Errorf("one of side B's four asks is %d %%", r.Operation.Percent)
	}
}
