package work_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/test/testworld"
	"readiness/work"
)

// compared carries an A/B run to its end and returns the aggregate.
func (b *bench) compared(t *testing.T, id uuid.UUID) verdict.Aggregate {
	t.Helper()
	r := &respondent{reply: sideBIsBetter}
	b.carried(t, r)
	check(t, b.resume(t.Context(), b.ana(), id))
	b.carried(t, r)
	return b.abRun(t, id).Compared.Aggregate
}

// The p of a comparison is adjusted for those of the account on the model in the 30 days before, also of deleted tests. What
// was adjusted stays.
func TestFamilyOfComparisons(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 6, 1)
	id, testID := b.create(t, nil)
	first := b.compared(t, id)
	if first.Holm.Tests != 1 || first.Holm.P != *first.McNemar.MidP || first.MinimumDetectable.LastRun || first.Corrections != "holm" {
		t.Errorf("the first: got %+v, %+v", first.Holm, first.MinimumDetectable)
	}
	again, err := b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), abtest.RunAgain{})
	check(t, err)
	second := b.compared(t, again.OperationID)
	if second.Holm.Tests != 2 || second.Holm.P != 1 || !second.MinimumDetectable.LastRun || second.MinimumDetectable.Discordance != verdict.Rate(2.0/8) {
		t.Errorf("a repetition: got %+v, %+v", second.Holm, second.MinimumDetectable)
	}
	_, err = b.ABTests.Delete(t.Context(), b.ana(), testID.String())
	check(t, err)
	id, testID = b.create(t, nil)
	if third := b.compared(t, id); third.Holm.Tests != 3 || third.MinimumDetectable.LastRun {
		t.Errorf("after a test was deleted: got %+v, %+v", third.Holm, third.MinimumDetectable)
	}
	b.Clock.Advance(31 * 24 * time.Hour)
	again, err = b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), abtest.RunAgain{})
	check(t, err)
	if late := b.compared(t, again.OperationID); late.Holm.Tests != 1 {
		t.Errorf("after 31 days: got %+v", late.Holm)
	}
	if kept := b.abRun(t, id).Compared.Aggregate; kept.Holm.Tests != 3 {
		t.Errorf("what was adjusted changed: got %+v", kept.Holm)
	}
}

// A comparison that another one overtook records nothing.
func TestOvertakenComparison(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 1)
	id, testID := b.create(t, nil)
	b.carried(t, &respondent{reply: sideBIsBetter})
	check(t, b.resume(t.Context(), b.ana(), id))
	past := eventstore.Fold(operation.Stream(id), abtest.EvolveRun)
	testworld.Record(t, b.World, "contoso", past, domain.Command[abtest.Run](abtest.BeginSide{Side: abtest.B}), abtest.CompleteSide{Side: abtest.B})
	a := b.asking(t, *b.abRun(t, id).B.BenchmarkRunID)
	before := b.positions(t)
	record := func(others int) error {
		tested := abtest.Tested{RunID: id, AbTestID: testID, MidP: 1, At: b.Now()}
		return b.Benchmarks.Runs.RecordComparison(t.Context(), eventstore.Metadata{Account: "contoso"}, a, abtest.Compared{Document: "sha256:0"},
			abtest.Join{Tested: tested, Others: others}, database.Statement{SQL: "SELECT"})
	}
	if err := record(1); !errors.Is(err, abtest.ErrFamilyMoved) || b.positions(t) != before || b.abRun(t, id).Compared != nil {
		t.Errorf("got %v, %d events more", err, b.positions(t)-before)
	}
	if err := record(0); err != nil || b.abRun(t, id).Compared == nil {
		t.Errorf("got %v", err)
	}
}

// Two comparisons at once are adjusted one after the other.
func TestComparisonsAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 1)
	r := &respondent{reply: sideBIsBetter}
	var runs []uuid.UUID
	for range 2 {
		id, _ := b.create(t, nil)
		b.carried(t, r)
		runs = append(runs, id)
	}
	for _, id := range runs {
		check(t, b.resume(t.Context(), b.ana(), id))
	}
	var both sync.WaitGroup
	for _, step := range b.ask[len(b.ask)-2:] {
		both.Go(func() {
			for {
				err := work.CarryAsk(t.Context(), b.Work, step, 0)
				if _, more := errors.AsType[*river.JobSnoozeError](err); !more {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	both.Wait()
	tests := 0
	for _, id := range runs {
		if made := b.abRun(t, id).Compared; made == nil {
			t.Errorf("run %s has no comparison", id)
		} else {
			tests += made.Aggregate.Holm.Tests
		}
	}
	if tests != 1+2 {
		t.Errorf("got families of %d tests in all, want 1 and 2", tests)
	}
}
