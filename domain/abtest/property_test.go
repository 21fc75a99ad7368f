package abtest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

// This test drives runs of one A/B test concurrently, as two processes over one log do.
// The owner and another person read, workers execute their steps and crash, calls
// cancel and delete, and time passes. A decision may be made on a state that is out of
// date; then the append is refused and everything is decided again, as the event store
// does. After each append the log is checked against the rules of docs/specification.md
// 3.2 and 4.2.

// worlds is how many interleavings are tried, stepsOfWorld how long each is.
const (
	worlds       = 400
	stepsOfWorld = 90
	// alone is the depth at which nothing happens between a decision and its append.
	alone = 2
)

// proves: 3.2/side-b-starts 3.2/side-b-not-started 3.2/cancel-while-asking 3.2/cancel-while-waiting 4.2/cancel/finished-before 4.2/cancel/asked-nothing
func TestConcurrentRuns(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(worlds) {
		w := newWorld(seed)
		for range stepsOfWorld {
			w.step(0)
		}
		w.settle()
		for i, problem := range w.problems {
			if i < 3 {
				t.Errorf("seed %d: %s", seed, problem)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, w.history())
		}
		for _, e := range w.all {
			seen[e.event.EventType()]++
		}
		for _, what := range w.met {
			seen[what]++
		}
	}
	for _, what := range []string{ // an interleaving that never happens proves nothing
		"abtest.side-queued", "abtest.side-failed", "abtest.compared", "abtest.run-stopped", "abtest.run-erased", "abtest.run-removed", "abtest.deleted", "abtest.questions-frozen",
		"operation.waiting-for-owner", "operation.resumed", "operation.failed", "benchmark.run-cancelled",
		"decided again", "killed", "another read", "lapsed", "stopped waiting", "stopped while side a asks", "stopped while side b asks", "deleted before it ended", "two resumed at once", "asked again after a kill",
	} {
		if seen[what] == 0 {
			t.Errorf("in %d interleavings there was never: %s", worlds, what)
		}
	}
}

// logged is an event with its stream.
type logged struct {
	stream string
	event  domain.Event
	now    time.Time
}

// world is a log with everyone who writes to it.
type world struct {
	random   *rand.Rand
	now      time.Time
	all      []logged
	versions map[string]int
	runs     []uuid.UUID
	ids      byte
	workers  [2]worker
	kept     benchmark.Set
	problems []string
	met      []string
}

// worker is a process that asks. Its state of the run may be older than the log, and a
// crash loses it.
type worker struct {
	remembers map[string]int // versions of streams, as last seen
	asking    *benchmark.AskKey
	of        uuid.UUID // the benchmark run it asks
	died      bool      // after an ask, before it was recorded
}

func newWorld(seed uint64) *world {
	w := &world{random: rand.New(rand.NewPCG(seed, 1)), now: noon, versions: map[string]int{}}
	w.kept = benchmark.Set{Questions: []benchmark.Question{{QuestionID: "q1"}, {QuestionID: "q2"}}}
	for i := range w.workers {
		w.workers[i].remembers = map[string]int{}
	}
	w.change(alone, nil, func(c *change) error { return decide(c, testOf(test1), created()) })
	w.add(alone)
	return w
}

func (w *world) id() uuid.UUID {
	w.ids++
	return uuid.UUID{0: 7, 15: w.ids}
}

// in reports true once in n times.
func (w *world) in(n int) bool { return w.random.IntN(n) == 0 }

// past is a stream and the function that folds it.
type past[S any] struct {
	stream string
	evolve func(S, domain.Event) S
}

func testOf(id uuid.UUID) past[abtest.Test] {
	return past[abtest.Test]{abtest.Stream(id), abtest.Evolve}
}
func runOf(id uuid.UUID) past[abtest.Run] {
	return past[abtest.Run]{operation.Stream(id), abtest.EvolveRun}
}
func askedOf(id uuid.UUID) past[benchmark.Run] {
	return past[benchmark.Run]{benchmark.RunStream(id), benchmark.EvolveRun}
}

// state folds a stream up to a version.
func state[S any](w *world, p past[S], upTo int) S {
	var s S
	n := 0
	for _, l := range w.all {
		if l.stream != p.stream {
			continue
		}
		if n++; n > upTo {
			break
		}
		s = p.evolve(s, l.event)
	}
	return s
}

func now[S any](w *world, p past[S]) S { return state(w, p, w.versions[p.stream]) }

// change is a decision in progress: what it saw, and what it will append.
type change struct {
	w      *world
	known  map[string]int // versions as last seen
	events []logged
}

// see folds a stream as the change sees it, including its own decisions.
func see[S any](c *change, p past[S]) S {
	upTo, ok := c.known[p.stream]
	if !ok {
		upTo = c.w.versions[p.stream]
		c.known[p.stream] = upTo
	}
	s := state(c.w, p, upTo)
	for _, l := range c.events {
		if l.stream == p.stream {
			s = p.evolve(s, l.event)
		}
	}
	return s
}

// decide decides a command on the stream as the change sees it.
func decide[S any](c *change, p past[S], cmd domain.Command[S]) error {
	events, err := cmd.Decide(see(c, p))
	for _, e := range events {
		c.events = append(c.events, logged{p.stream, e, c.w.now})
	}
	return err
}

// change makes a decision, perhaps on a remembered state, while other steps happen. It
// appends all that was decided or, when a stream it writes to has a newer version,
// decides again on the current state. It returns whether anything was appended.
func (w *world) change(depth int, remembers map[string]int, fn func(c *change) error) bool {
	for attempt := 0; ; attempt++ {
		c := &change{w: w, known: map[string]int{}}
		if attempt == 0 && remembers != nil {
			for stream, version := range remembers {
				c.known[stream] = version
			}
		}
		if err := fn(c); err != nil {
			if _, refused := domain.Refused(err); !refused {
				w.wrong("%v", err)
			}
			return false
		}
		for attempt == 0 && depth < alone && w.in(3) {
			w.step(depth + 1) // between the decision and its append
		}
		moved := slices.ContainsFunc(c.events, func(l logged) bool { return c.known[l.stream] != w.versions[l.stream] })
		if moved {
			w.met = append(w.met, "decided again")
			continue
		}
		for _, l := range c.events {
			w.append(l)
			if remembers != nil {
				remembers[l.stream] = w.versions[l.stream]
			}
		}
		return len(c.events) > 0
	}
}

func (w *world) wrong(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf("event %d: %s", len(w.all), fmt.Sprintf(format, args...)))
}

func (w *world) history() (text string) {
	for i, l := range w.all {
		text += fmt.Sprintf("%3d %s %-45s %s %+v\n", i, l.now.Format("02 15:04"), l.stream, l.event.EventType(), l.event)
	}
	return text
}

// step makes one random action happen.
func (w *world) step(depth int) {
	runID := w.runs[w.random.IntN(len(w.runs))]
	switch n := w.random.IntN(100); {
	case n < 55:
		w.work(depth, runID)
	case n < 68:
		w.read(depth, runID, ada)
	case n < 74:
		w.read(depth, runID, bob)
	case n < 82:
		w.pass()
	case n < 86:
		w.lapse(depth)
	case n < 89:
		w.cancel(depth, runID)
	case n < 91:
		w.deleteRun(depth, runID)
	case n < 92 && w.in(3):
		w.deleteTest(depth)
	case n < 94:
		w.add(depth)
	default:
		w.kill()
	}
}

// pass lets time pass: mostly minutes, sometimes as long as a run waits.
func (w *world) pass() {
	if w.in(4) {
		w.now = w.now.Add(time.Duration(w.random.Int64N(int64(operation.Life))))
		return
	}
	w.now = w.now.Add(time.Duration(w.random.Int64N(int64(20 * time.Minute))))
}

// add starts a run, at most three in all, of both sides or of side B alone.
func (w *world) add(depth int) {
	if len(w.runs) == 3 {
		return
	}
	a := accepted(w.in(3))
	a.Run.RunID, a.Operation.OperationID, a.BenchmarkRunID = w.id(), uuid.UUID{}, w.id()
	a.Operation.OperationID, a.Run.At, a.Run.Freezes = a.Run.RunID, w.now, a.Run.Reused == nil && len(w.runs) == 0
	a.Run.Repeats = 1
	if w.change(depth, nil, func(c *change) error {
		if err := decide(c, testOf(test1), abtest.AddRun{RunAdded: abtest.RunAdded{RunID: a.Run.RunID, At: w.now}}); err != nil {
			return err
		}
		if err := decide(c, runOf(a.Run.RunID), step(a)); err != nil {
			return err
		}
		side := abtest.A
		if a.Run.Reused != nil {
			side = abtest.B
		}
		return decide(c, askedOf(a.BenchmarkRunID), benchmark.StartRun{RunAccepted: w.asks(a.Run.RunID, a.BenchmarkRunID, side)})
	}) && len(w.runs) < 3 {
		w.runs = append(w.runs, a.Run.RunID)
	}
}

func (w *world) asks(runID, id uuid.UUID, side abtest.SideName) benchmark.RunAccepted {
	return benchmark.RunAccepted{RunID: id, OperationID: runID, AbTest: &benchmark.OfTest{AbTestID: test1, Side: string(side)}, Count: len(w.kept.Questions), Repeats: 1, At: w.now}
}

// read is a read of the run's operation; only its owner's read is a command.
func (w *world) read(depth int, runID uuid.UUID, by item.PersonID) {
	before := len(w.all)
	if !now(w, runOf(runID)).Operation.WaitsFor(by) {
		if by == bob {
			w.met = append(w.met, "another read")
		}
		return
	}
	if by != ada {
		w.wrong("a run of %v waits for %v", ada, by)
	}
	w.change(depth, nil, func(c *change) error {
		id, events := w.id(), len(c.events)
		if err := decide(c, runOf(runID), step(abtest.StartSideB{BenchmarkRunID: id, Now: w.now})); err != nil || len(c.events) == events {
			return err
		}
		return decide(c, askedOf(id), benchmark.StartRun{RunAccepted: w.asks(runID, id, abtest.B)})
	})
	if depth == 0 && len(w.all) > before && len(w.runs) > 1 {
		w.met = append(w.met, "a read moved it on")
	}
}

// work is a step of a worker on a run: it begins, asks, records, completes, compares or
// fails, according to its own, possibly old, state.
func (w *world) work(depth int, runID uuid.UUID) {
	me := &w.workers[w.random.IntN(len(w.workers))]
	known := map[string]int{}
	for stream, version := range me.remembers {
		known[stream] = version
	}
	c := &change{w: w, known: known}
	r := see(c, runOf(runID))
	me.remembers[operation.Stream(runID)] = c.known[operation.Stream(runID)]
	side, asks := r.Asks()
	if !asks {
		if r.Stage() == abtest.Comparing {
			w.compare(depth, me, runID)
		}
		delete(me.remembers, operation.Stream(runID)) // it loads the stream again next time
		return
	}
	id := *r.Side(side).BenchmarkRunID
	b := see(c, askedOf(id))
	me.remembers[benchmark.RunStream(id)] = c.known[benchmark.RunStream(id)]
	switch {
	case w.in(14):
		w.fail(depth, me, runID, id, side)
	case r.Side(side).Status == abtest.SidePending || b.Status == operation.StatusNotStarted:
		w.change(depth, me.remembers, func(c *change) error {
			if err := decide(c, runOf(runID), step(abtest.BeginSide{Side: side})); err != nil {
				return err
			}
			return decide(c, askedOf(id), benchmark.BeginRun{At: w.now})
		})
	case me.asking == nil || me.of != id:
		if left := b.Left(w.kept); len(left) > 0 {
			me.asking, me.of = &left[w.random.IntN(len(left))], id
			if me.died {
				w.met, me.died = append(w.met, "asked again after a kill"), false
			}
			return
		}
		w.complete(depth, me, runID, id, side)
	default:
		w.record(depth, me, runID, id)
	}
}

// record records the ask that the worker made.
func (w *world) record(depth int, me *worker, runID, id uuid.UUID) {
	key := *me.asking
	me.asking = nil
	w.change(depth, me.remembers, func(c *change) error {
		events := len(c.events)
		if err := decide(c, askedOf(id), benchmark.RecordAsk{Asked: benchmark.Asked{QuestionID: key.QuestionID, N: key.N, Verdict: verdict.Correct}}); err != nil || len(c.events) == events {
			return err
		}
		return decide(c, runOf(runID), step(abtest.Progress{Asked: len(see(c, askedOf(id)).Asks)}))
	})
}

func (w *world) complete(depth int, me *worker, runID, id uuid.UUID, side abtest.SideName) {
	w.change(depth, me.remembers, func(c *change) error {
		events := len(c.events)
		if err := decide(c, askedOf(id), benchmark.CompleteRun{RunCompleted: benchmark.RunCompleted{At: w.now}}); err != nil || len(c.events) == events {
			return err
		}
		if err := decide(c, runOf(runID), step(abtest.CompleteSide{Side: side})); err != nil {
			return err
		}
		if r := see(c, runOf(runID)); side == abtest.A && r.Freezes {
			return decide(c, testOf(test1), abtest.Freeze{Questions: r.Questions})
		}
		return nil
	})
}

func (w *world) compare(depth int, me *worker, runID uuid.UUID) {
	var end step = abtest.Finish{Compared: abtest.Compared{Document: "comparison", Agreement: verdict.Agreement{OnlyA: w.random.IntN(3), OnlyB: w.random.IntN(3)}}}
	if w.in(8) {
		end = abtest.FailComparison{Failure: operation.Failure{Code: domain.BenchmarkRunFailed}}
	}
	w.change(depth, me.remembers, func(c *change) error {
		if err := decide(c, runOf(runID), end); err != nil {
			return err
		}
		return w.end(c, runID)
	})
}

func (w *world) fail(depth int, me *worker, runID, id uuid.UUID, side abtest.SideName) {
	codes := append([]domain.Code{domain.ItemNotFound}, refundable...)
	failure := operation.Failure{Code: codes[w.random.IntN(len(codes))]}
	w.change(depth, me.remembers, func(c *change) error {
		if err := decide(c, askedOf(id), benchmark.FailRun{RunFailed: benchmark.RunFailed{Failure: failure, At: w.now}}); err != nil {
			return err
		}
		if err := decide(c, runOf(runID), step(abtest.FailSide{Side: side, Failure: failure, Asked: see(c, askedOf(id))})); err != nil {
			return err
		}
		return w.end(c, runID)
	})
}

// end records on the test that a run has just ended, and ends the sides that ask.
func (w *world) end(c *change, runID uuid.UUID) error {
	r := see(c, runOf(runID))
	if !r.Operation.Status.Ended() {
		return nil
	}
	for _, id := range sidesThatAsk(r) {
		if err := decide(c, askedOf(id), benchmark.StopRun{At: w.now}); err != nil {
			return err
		}
	}
	ended := abtest.RunEnded{RunID: runID, Status: r.Operation.Status, Failure: r.Operation.Failure, At: w.now}
	if r.Compared != nil {
		ended.Gap = new(r.Compared.Agreement.OnlyB - r.Compared.Agreement.OnlyA)
	}
	return decide(c, testOf(test1), abtest.EndRun{RunEnded: ended})
}

// sidesThatAsk returns the benchmark runs of the sides that have one.
func sidesThatAsk(r abtest.Run) (all []uuid.UUID) {
	for _, side := range []abtest.RunSide{r.A, r.B} {
		if side.BenchmarkRunID != nil && side.Status != abtest.SideReused {
			all = append(all, *side.BenchmarkRunID)
		}
	}
	return all
}

// asked returns what a side asked, as the change sees it.
func (c *change) asked(s abtest.RunSide) benchmark.Run {
	if s.BenchmarkRunID == nil || s.Status == abtest.SideReused {
		return benchmark.Run{}
	}
	return see(c, askedOf(*s.BenchmarkRunID))
}

func (w *world) lapse(depth int) {
	for _, id := range slices.Clone(w.runs) {
		w.change(depth, nil, func(c *change) error {
			events := len(c.events)
			if err := decide(c, runOf(id), step(abtest.Lapse{Now: w.now})); err != nil || len(c.events) == events {
				return err
			}
			w.met = append(w.met, "lapsed")
			return w.end(c, id)
		})
	}
}

func (w *world) cancel(depth int, runID uuid.UUID) {
	w.change(depth, nil, func(c *change) error {
		r := see(c, runOf(runID))
		if err := decide(c, runOf(runID), step(abtest.Stop{AskedA: c.asked(r.A), AskedB: c.asked(r.B)})); err != nil || len(c.events) == 0 {
			return err
		}
		switch side, asks := r.Asks(); {
		case r.WaitsForOwner():
			w.met = append(w.met, "stopped waiting")
		case asks:
			w.met = append(w.met, "stopped while side "+string(side)+" asks")
		}
		return w.end(c, runID)
	})
}

func (w *world) deleteRun(depth int, runID uuid.UUID) {
	w.change(depth, nil, func(c *change) error {
		going := !see(c, runOf(runID)).Operation.Status.Ended()
		if err := decide(c, runOf(runID), step(abtest.Erase{})); err != nil {
			return err
		}
		if err := decide(c, testOf(test1), abtest.RemoveRun{RunID: runID}); err != nil {
			return err
		}
		if !going {
			return nil
		}
		w.met = append(w.met, "deleted before it ended")
		return w.end(c, runID)
	})
}

func (w *world) deleteTest(depth int) {
	w.change(depth, nil, func(c *change) error {
		for _, id := range see(c, testOf(test1)).Unfinished() {
			if err := decide(c, runOf(id), step(abtest.Erase{})); err != nil {
				return err
			}
			if err := w.end(c, id); err != nil {
				return err
			}
		}
		return decide(c, testOf(test1), abtest.Delete{})
	})
}

// kill makes a worker forget its state. An ask that it made and did not record is lost.
func (w *world) kill() {
	me := &w.workers[w.random.IntN(len(w.workers))]
	*me = worker{remembers: map[string]int{}, died: me.asking != nil}
	w.met = append(w.met, "killed")
}

// settle lets every open run end: workers work, and no one reads.
func (w *world) settle() {
	w.now = w.now.Add(operation.Life)
	for range 200 {
		for _, id := range w.runs {
			w.work(alone, id)
		}
		w.lapse(alone)
	}
	for _, id := range w.runs {
		if r := now(w, runOf(id)); !r.Operation.Status.Ended() {
			w.wrong("run %s never ends: %s at %s", id, r.Operation.Status, r.Stage())
		}
	}
}

// append appends an event and checks the log against the rules.
func (w *world) append(l logged) {
	w.all = append(w.all, l)
	w.versions[l.stream]++
	if id, ok := operation.StreamID(l.stream); ok {
		w.checkRun(id, l)
	}
	if l.stream == abtest.Stream(test1) {
		w.checkTest(l)
	}
	if e, ok := l.event.(benchmark.Asked); ok {
		w.checkAsk(l, e)
	}
	if going := now(w, testOf(test1)).Unfinished(); len(going) > 1 {
		w.met = append(w.met, "two resumed at once")
	}
}

// events returns the events of a stream.
func (w *world) events(stream string) (all []domain.Event) {
	for _, l := range w.all {
		if l.stream == stream {
			all = append(all, l.event)
		}
	}
	return all
}

func count[E domain.Event](events []domain.Event) (n int) {
	for _, e := range events {
		if _, ok := e.(E); ok {
			n++
		}
	}
	return n
}

var stages = []abtest.Stage{abtest.StageA, abtest.StageB, abtest.Comparing, abtest.Done}

// follows lists the statuses that a side may have after each status.
var follows = map[abtest.SideStatus][]abtest.SideStatus{
	abtest.SideWaiting: {abtest.SidePending},
	abtest.SidePending: {abtest.SideRunning, abtest.SideBroken, abtest.SideCancelled},
	abtest.SideRunning: {abtest.SideDone, abtest.SideBroken, abtest.SideCancelled},
}

// checkRun checks a run against its rules, after an event on its stream.
func (w *world) checkRun(id uuid.UUID, l logged) {
	events := w.events(l.stream)
	before, after := state(w, runOf(id), len(events)-1), now(w, runOf(id))
	ends := count[operation.Succeeded](events) + count[operation.Failed](events) + count[operation.Cancelled](events)
	if ends > 1 {
		w.wrong("run %s ended %d times", id, ends)
	}
	if _, erased := l.event.(abtest.RunErased); before.Operation.Status.Ended() && !erased {
		w.wrong("%s came after the end of run %s", l.event.EventType(), id)
	}
	if before.Erased {
		if e, failed := l.event.(operation.Failed); !failed || e.Failure.Code != domain.BenchmarkRunFailed {
			w.wrong("%s came after run %s was deleted", l.event.EventType(), id)
		}
	}
	if len(events) > 2 && slices.Index(stages, after.Stage()) < slices.Index(stages, before.Stage()) {
		w.wrong("run %s went back from %s to %s", id, before.Stage(), after.Stage())
	}
	if after.Operation.Percent < before.Operation.Percent || after.Operation.Percent == 100 && after.Operation.Status != operation.StatusSucceeded {
		w.wrong("run %s went from %d %% to %d %%", id, before.Operation.Percent, after.Operation.Percent)
	}
	for _, side := range []abtest.SideName{abtest.A, abtest.B} {
		was, is := before.Side(side).Status, after.Side(side).Status
		if was != is && was != "" && !slices.Contains(follows[was], is) {
			w.wrong("side %s of run %s went from %s to %s", side, id, was, is)
		}
	}
	if e, queued := l.event.(abtest.SideQueued); queued && e.Side == abtest.B {
		w.checkSideB(id, before, l, events)
	}
	if after.Operation.Status.Ended() && !before.Operation.Status.Ended() {
		w.checkEnd(id, after)
	}
}

// checkSideB checks that side B was queued once: either with the run, because side A is
// a stored one, or on a read before the wait was over.
func (w *world) checkSideB(id uuid.UUID, before abtest.Run, l logged, events []domain.Event) {
	queued := 0
	for _, e := range events {
		if q, ok := e.(abtest.SideQueued); ok && q.Side == abtest.B {
			queued++
		}
	}
	if queued > 1 {
		w.wrong("side B of run %s was queued %d times", id, queued)
	}
	if before.Reused != nil {
		if len(events) != 3 {
			w.wrong("side B of run %s, whose side A is stored, was queued late", id)
		}
		return
	}
	if _, wentOn := events[len(events)-2].(operation.Resumed); !wentOn || before.A.Status != abtest.SideDone || count[operation.WaitingForOwner](events) != 1 {
		w.wrong("side B of run %s was queued while it did not wait, side A %s", id, before.A.Status)
	}
	if end := before.At.Add(operation.Life - time.Hour); l.now.After(end) {
		w.wrong("side B of run %s was queued at %s, after %s", id, l.now, end)
	}
}

// checkEnd checks what a run has spent when it ends, and what a cancel froze.
func (w *world) checkEnd(id uuid.UUID, r abtest.Run) {
	sides := sidesThatAsk(r)
	asked, askedOnce := 0, 0
	for _, s := range sides {
		n := count[benchmark.Asked](w.events(benchmark.RunStream(s)))
		asked += n
		askedOnce += min(n, 1)
	}
	want := askedOnce
	switch failure := r.Operation.Failure; {
	case r.Erased:
		want = r.Asking() // nothing is refunded
	case failure != nil && failure.Code != domain.SideBNotStarted && r.Stage() != abtest.Comparing:
		failed := r.A
		if r.B.Status == abtest.SideBroken {
			failed = r.B
		}
		if count[benchmark.Asked](w.events(benchmark.RunStream(*failed.BenchmarkRunID))) == 0 && !slices.Contains(refundable, failure.Code) {
			want++
		}
	}
	if got := *r.Operation.Impact.BenchmarkRuns; got != want {
		w.wrong("run %s spent %d benchmark runs, want %d: %d asks of %d sides, failure %v", id, got, want, asked, len(sides), r.Operation.Failure)
	}
	if (r.Stopped != nil) != (r.Operation.Status == operation.StatusCancelled) {
		w.wrong("run %s is %s and its cancel %+v", id, r.Operation.Status, r.Stopped)
	}
	if s := r.Stopped; s != nil && (s.Asked != asked || s.Counted != (askedOnce > 0) || s.Total != r.Total()) {
		w.wrong("run %s was stopped after %d asks of %d, and says %+v", id, asked, r.Total(), *s)
	}
	if s := r.Stopped; s != nil && s.Side != nil && r.Side(*s.Side).Status != abtest.SideCancelled {
		w.wrong("run %s was stopped while side %s asked, which is %s", id, *s.Side, r.Side(*s.Side).Status)
	}
	for _, side := range []abtest.SideName{abtest.A, abtest.B} {
		if r.Side(side).Status == abtest.SideDone && len(now(w, askedOf(*r.Side(side).BenchmarkRunID)).Left(w.kept)) > 0 {
			w.wrong("side %s of run %s is completed, and was not asked everything", side, id)
		}
	}
}

// checkAsk checks that a question was asked once, and before its run ended.
func (w *world) checkAsk(l logged, e benchmark.Asked) {
	events := w.events(l.stream)
	n := 0
	for _, other := range events {
		if a, ok := other.(benchmark.Asked); ok && a.Key() == e.Key() {
			n++
		}
	}
	if n > 1 {
		w.wrong("%s: %s was asked %d times", l.stream, e.QuestionID, n)
	}
	if count[benchmark.RunCompleted](events)+count[benchmark.RunFailed](events)+count[benchmark.RunCancelled](events) > 0 {
		w.wrong("%s: %s was asked after the end", l.stream, e.QuestionID)
	}
	of := now(w, past[benchmark.Run]{l.stream, benchmark.EvolveRun})
	if r := now(w, runOf(of.OperationID)); r.Operation.Status.Ended() {
		w.wrong("%s: %s was asked after run %s had ended", l.stream, e.QuestionID, r.RunID)
	}
	if e.Made != len(of.Asks) || e.Errors != 0 {
		w.wrong("%s: %d asks were made, and the last says %d with %d errors", l.stream, len(of.Asks), e.Made, e.Errors)
	}
}

// checkTest compares the test's standing with the runs themselves.
func (w *world) checkTest(l logged) {
	events := w.events(l.stream)
	if state(w, testOf(test1), len(events)-1).Deleted {
		w.wrong("%s came after the test was deleted", l.event.EventType())
	}
	if n := count[abtest.QuestionsFrozen](events); n > 1 {
		w.wrong("questions were frozen %d times", n)
	}
	t := now(w, testOf(test1))
	ended, gaps := map[uuid.UUID]abtest.RunEnded{}, []int{}
	var left []uuid.UUID
	for _, e := range events {
		switch e := e.(type) {
		case abtest.RunAdded:
			left = append(left, e.RunID)
		case abtest.RunEnded:
			if _, twice := ended[e.RunID]; twice || !slices.Contains(left, e.RunID) {
				w.wrong("the test recorded the end of run %s twice, or after it was deleted", e.RunID)
			}
			ended[e.RunID] = e
		case abtest.RunRemoved:
			left = slices.DeleteFunc(left, func(id uuid.UUID) bool { return id == e.RunID })
		case abtest.Deleted:
			if e.Runs != len(left) {
				w.wrong("%d runs were deleted with the test, which had %d", e.Runs, len(left))
			}
			left = nil
		}
	}
	for _, id := range left {
		if e := ended[id]; e.Gap != nil {
			gaps = append(gaps, *e.Gap)
		}
	}
	s := t.Standing()
	if diff := cmp.Diff(gaps, s.Gaps); diff != "" || s.Runs != len(left) || len(left) > 0 && s.Latest.RunID != left[len(left)-1] {
		w.wrong("the test stands at %+v, and has runs %v, gaps %s", s, left, diff)
	}
}
