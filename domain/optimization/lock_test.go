package optimization_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/optimization"
)

var (
	noon  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	model = uuid.MustParse("aaaaaaaa-0000-4000-8000-000000000001")
)

func operationID(n byte) uuid.UUID { return uuid.UUID{15: n, 6: 0x40, 8: 0x80} }

// decide returns the state after the command, which must not be refused.
func decide[S any](t *testing.T, evolve func(S, domain.Event) S, s S, c domain.Command[S]) S {
	t.Helper()
	events, err := c.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		s = evolve(s, e)
	}
	return s
}

func standingAfter(_ optimization.Standing, e domain.Event) optimization.Standing {
	return e.(domain.Carries[optimization.Standing]).After()
}

// proves: 4.5/apply/8
func TestOneWriterPerModel(t *testing.T) {
	t.Parallel()
	evolve := standingAfter
	s := decide(t, evolve, optimization.Standing{}, optimization.TakeLock{OperationID: operationID(1), ModelID: model})
	_, err := optimization.TakeLock{OperationID: operationID(2), ModelID: model}.Decide(s)
	refused(t, err, domain.OperationInProgress, operationID(1).String())

	for name, release := range map[string]optimization.ReleaseLock{
		"wrote":         {OperationID: operationID(1), Wrote: true, At: noon},
		"wrote nothing": {OperationID: operationID(1), At: noon},
	} {
		free := decide(t, evolve, s, release)
		if _, err := (optimization.TakeLock{OperationID: operationID(2), ModelID: model}).Decide(free); err != nil {
			t.Errorf("%s: the lock is not released: %v", name, err)
		}
	}
	if events, err := (optimization.ReleaseLock{OperationID: operationID(2), Wrote: true, At: noon}).Decide(s); err != nil || events != nil {
		t.Errorf("an operation that does not hold the lock released it: %v, %v", events, err)
	}
}

// proves: 4.5/revert/3
func TestARevertDoesNotCountAsAnOptimization(t *testing.T) {
	t.Parallel()
	evolve := standingAfter
	var s optimization.Standing
	for n := range byte(3) {
		s = decide(t, evolve, s, optimization.TakeLock{OperationID: operationID(n), ModelID: model})
		s = decide(t, evolve, s, optimization.ReleaseLock{OperationID: operationID(n), Wrote: true, At: noon.Add(time.Duration(n) * time.Hour)})
	}
	if later := s.After(operationID(0)); len(later) != 2 || later[0] != operationID(1) || later[1] != operationID(2) {
		t.Errorf("after the first apply stand %v", later)
	}
	undone := operationID(1)
	s = decide(t, evolve, s, optimization.TakeLock{OperationID: operationID(9), ModelID: model})
	s = decide(t, evolve, s, optimization.ReleaseLock{OperationID: operationID(9), Undone: &undone, At: noon.Add(9 * time.Hour)})
	if s.Count != 3 || !s.LastAt.Equal(noon.Add(2*time.Hour)) {
		t.Errorf("after a revert there are %d optimizations, the last at %v; want 3 and that of the last apply", s.Count, s.LastAt)
	}
	if later := s.After(operationID(0)); len(later) != 1 || later[0] != operationID(2) {
		t.Errorf("after the first apply still stand %v", later)
	}
}

// Applies older than 30 days are dropped, so that the stream's events stay small.
func TestStandingAppliesExpire(t *testing.T) {
	t.Parallel()
	evolve := standingAfter
	s := decide(t, evolve, optimization.Standing{}, optimization.TakeLock{OperationID: operationID(1), ModelID: model})
	s = decide(t, evolve, s, optimization.ReleaseLock{OperationID: operationID(1), Wrote: true, At: noon})
	for n, test := range []struct {
		after time.Duration
		want  int
	}{{optimization.RecordLife, 2}, {optimization.RecordLife + time.Second, 2}} {
		s = decide(t, evolve, s, optimization.TakeLock{OperationID: operationID(2 + byte(n)), ModelID: model})
		s = decide(t, evolve, s, optimization.ReleaseLock{OperationID: operationID(2 + byte(n)), Wrote: true, At: noon.Add(test.after)})
		if len(s.Applies) != test.want {
			t.Errorf("%v after the first, %d applies stand, want %d", test.after, len(s.Applies), test.want)
		}
	}
}

// However many applies stand, the lock's events stay small.
func TestStandingAppliesAreBounded(t *testing.T) {
	t.Parallel()
	evolve := standingAfter
	var s optimization.Standing
	for n := range 600 {
		id := uuid.UUID{14: byte(n >> 8), 15: byte(n), 6: 0x40, 8: 0x80}
		s = decide(t, evolve, s, optimization.TakeLock{OperationID: id, ModelID: model})
		s = decide(t, evolve, s, optimization.ReleaseLock{OperationID: id, Wrote: true, At: noon})
	}
	if len(s.Applies) != 500 || s.Count != 600 || s.Applies[499].OperationID != (uuid.UUID{14: 2, 15: 87, 6: 0x40, 8: 0x80}) {
		t.Errorf("%d of %d applies are remembered, the last %s", len(s.Applies), s.Count, s.Applies[len(s.Applies)-1].OperationID)
	}
}
