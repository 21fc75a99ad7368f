package work_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/work"
)

// ran has the events of an A/B run, and how often each side was asked each
// question.
type ran struct {
	types []string
	asks  map[abtest.SideName]map[benchmark.AskKey]int
	// accepted is how many benchmark runs were accepted for side B.
	accepted int
}

func (b *bench) ran(t *testing.T, id uuid.UUID) ran {
	t.Helper()
	r := ran{asks: map[abtest.SideName]map[benchmark.AskKey]int{abtest.A: {}, abtest.B: {}}}
	sides := map[string]abtest.SideName{}
	for e, err := range b.Store.ReadAll(t.Context(), 0, 0) {
		check(t, err)
		if e.Stream == operation.Stream(id) {
			r.types = append(r.types, e.Type)
		}
		switch event := e.Event.(type) {
		case benchmark.RunAccepted:
			if event.OperationID == id {
				sides[e.Stream] = abtest.SideName(event.AbTest.Side)
				if event.AbTest.Side == string(abtest.B) {
					r.accepted++
				}
			}
		case benchmark.Asked:
			if side, ours := sides[e.Stream]; ours {
				r.asks[side][event.Key()]++
			}
		}
	}
	return r
}

func (r ran) count(types ...string) (n int) {
	for _, e := range r.types {
		if slices.Contains(types, e) {
			n++
		}
	}
	return n
}

// lockedJobs accepts steps from many goroutines.
type lockedJobs struct {
	*bench
	mu sync.Mutex
}

// Ask implements commands.Jobs.
func (j *lockedJobs) Ask(ctx context.Context, tx pgx.Tx, of commands.Origin, step benchmark.Step) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.bench.Ask(ctx, tx, of, step)
}

// Many commands meet a run at the same moment, at every stage. It still ends once,
// side B begins at most once, no ask is recorded twice, and the counts match the
// operation's impact.
// proves: 3.2/side-b-starts 3.2/cancel-while-asking 3.2/cancel-while-waiting 3.1/test-deleted
func TestAbRunRaces(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.unlimited()
	b.saveQuestions(t, good, 3, 1)
	b.Work.Asker, b.Jobs = &respondent{}, &lockedJobs{bench: b}
	carry := func(steps []work.AskJob) { // each step is carried out twice, as when River considers it stuck
		var wg sync.WaitGroup
		for _, step := range slices.Repeat(steps, 2) {
			wg.Go(func() {
				if err := work.CarryAsk(t.Context(), b.Work, step, 0); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	type meeting func(id, testID uuid.UUID) error
	owner := func(id, _ uuid.UUID) error { return b.resume(t.Context(), b.ana(), id) }
	cancel := func(id, _ uuid.UUID) error {
		_, err := b.Operations.Cancel(t.Context(), b.ana(), id)
		return err
	}
	deleteRun := func(id, testID uuid.UUID) error {
		return b.ABTests.DeleteRun(t.Context(), b.ana(), testID.String(), id.String())
	}
	deleteTest := func(_, testID uuid.UUID) error {
		_, err := b.ABTests.Delete(t.Context(), b.ana(), testID.String())
		return err
	}
	again := func(_, testID uuid.UUID) error {
		_, err := b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), abtest.RunAgain{QuestionSet: new(string(abtest.Current))})
		return err
	}
	// Of two deletions of the same test, one finds nothing, and a deleted test
	// cannot be run again.
	late := []domain.Code{domain.AbTestNotFound, domain.RunNotFound}
	for at, until := range map[string]func(id uuid.UUID, from int){
		"side A is to begin": func(uuid.UUID, int) {},
		"it waits":           func(_ uuid.UUID, from int) { carry(b.ask[from:]) },
		"side B is to begin": func(id uuid.UUID, from int) {
			carry(b.ask[from:])
			if err := owner(id, id); err != nil {
				t.Error(err)
			}
		},
	} {
		for who, meet := range map[string][]meeting{
			"reads":           {owner, owner, owner},
			"a cancel":        {owner, cancel, owner, cancel},
			"a delete":        {owner, deleteRun, owner, deleteRun},
			"everybody":       {owner, cancel, deleteRun, owner, deleteTest},
			"another run too": {owner, again, deleteTest},
		} {
			name := fmt.Sprintf("%s, met by %s", at, who)
			from := len(b.ask)
			id, testID := b.create(t, nil)
			until(id, from)
			steps := len(b.ask)
			last := slices.Clone(b.ask[steps-1:])
			var wg sync.WaitGroup
			wg.Go(func() { carry(last) })
			for _, m := range meet {
				wg.Go(func() {
					if err := m(id, testID); err != nil && !slices.ContainsFunc(late, func(c domain.Code) bool { return domain.IsRefused(err, c) }) {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			wg.Wait()
			carry(b.ask[steps-1:])
			if b.abRun(t, id).WaitsForOwner() {
				check(t, owner(id, testID))
				carry(b.ask[len(b.ask)-1:])
			}
			run, log := b.abRun(t, id), b.ran(t, id)
			if ends := log.count("operation.succeeded", "operation.failed", "operation.cancelled"); ends != 1 || !run.Operation.Status.Ended() {
				t.Errorf("%s: the run ended %d times: %v", name, ends, log.types)
			}
			queued := log.count("abtest.side-queued")
			if queued > 2 || log.accepted != queued-1 {
				t.Errorf("%s: %d sides were queued, and %d runs accepted for side B: %v", name, queued, log.accepted, log.types)
			}
			for side, keys := range log.asks {
				for key, n := range keys {
					if n > 1 {
						t.Errorf("%s: side %s was asked %v %d times", name, side, key, n)
					}
				}
			}
			if s := run.Stopped; s != nil && s.Asked != len(log.asks[abtest.A])+len(log.asks[abtest.B]) {
				t.Errorf("%s: the run stopped after %d asks, and its counts are %+v", name, len(log.asks[abtest.A])+len(log.asks[abtest.B]), *s)
			}
			for _, side := range []abtest.RunSide{run.A, run.B} {
				if side.BenchmarkRunID != nil && !b.asking(t, *side.BenchmarkRunID).Run.Status.Ended() {
					t.Errorf("%s: a side continues after the end", name)
				}
			}
			if _, kept, err := b.Vault.Token(t.Context(), id, b.Now()); kept || err != nil {
				t.Errorf("%s: a token is stored after the end, %v", name, err)
			}
			test := b.abTest(t, testID)
			if going := slices.Contains(test.Unfinished(), id); going || run.Erased && test.Has(id) {
				t.Errorf("%s: the test still has the run: %+v", name, test.Runs)
			}
			for _, other := range test.Unfinished() { // the run that was started again
				if err := cancel(other, testID); err != nil {
					t.Error(err)
				}
			}
		}
	}
	spent := 0
	for e, err := range b.Store.ReadAll(t.Context(), 0, 0) {
		check(t, err)
		if a, ok := e.Event.(operation.Accepted); ok && a.Type == operation.RunAbTest {
			spent += *b.abRun(t, a.OperationID).Operation.Impact.BenchmarkRuns
		}
	}
	if got := b.runsUsed(t); got != spent {
		t.Errorf("%d benchmark runs are counted, and the operations' impacts say %d", got, spent)
	}
}

// A late end of side A does not delete side B's token.
func TestLateEndKeepsSideBToken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 1)
	id, _ := b.create(t, nil)
	b.carried(t, &respondent{})
	sideA := b.asking(t, b.ask[0].RunID)
	// As if the owner's read came between the load and the append of the late end.
	stored := b.Vault.Put(id, "eyJ.second", b.Now().Add(time.Hour))
	if _, err := b.Pool.Exec(t.Context(), stored.SQL, stored.Args...); err != nil {
		t.Fatal(err)
	}
	meta := eventstore.Metadata{Account: "contoso"}
	before := b.positions(t)
	check(t, b.Benchmarks.Runs.Fail(t.Context(), meta, sideA, operation.Failure{Code: domain.PlatformUnavailable, Message: "no"}))
	if _, err := b.Benchmarks.Runs.Complete(t.Context(), meta, sideA, *sideA.Run.Outcome, database.Statement{SQL: `SELECT 1`}); err != nil {
		t.Fatal(err)
	}
	if n := b.positions(t); n != before {
		t.Errorf("it appended %d events", n-before)
	}
	if token, kept, err := b.Vault.Token(t.Context(), id, b.Now()); !kept || token != "eyJ.second" || err != nil {
		t.Errorf("side B's token is gone: %v, %v", kept, err)
	}
}
