package work_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
)

// room returns how many tracked items the account has, and how many more are
// reserved.
func (b *bench) room(t *testing.T) (used, reserved int) {
	t.Helper()
	total := eventstore.FoldLast[room.Total](room.Stream("contoso"))
	check(t, b.Store.Load(t.Context(), total))
	return total.State.Used, total.State.Reserved
}

// capped limits the account's plan to so many tracked items.
func (b *bench) capped(limit int) {
	limits := b.Plans[account.Enterprise]
	limits.TrackedItems.Limit = &limit
	b.Plans = account.Plans{account.Team: limits}
	b.Work.Plans = b.Plans
}

// Work of every kind reserves the model with the call. The room is not available to
// another until the work has ended, and the end makes the model a tracked item
// exactly when the work did something for it.
//
// proves: decisions/9/6
func TestWorkReservesAndClaims(t *testing.T) {
	t.Parallel()
	apply := func(t *testing.T, b *bench) uuid.UUID { return b.apply(t, b.preview(t, optimization.Descriptions)) }
	none, kinds := optimization.NoApproval, []string{string(optimization.Descriptions), string(optimization.Properties)}
	unattended := func(t *testing.T, b *bench) uuid.UUID {
		a, err := b.Optimizations.StartApply(t.Context(), b.ana(), workspace, good, kinds[0], optimization.ApplyPreview{Approval: &none})
		return b.accepted(t, a, err)
	}
	bundle := func(t *testing.T, b *bench) uuid.UUID {
		a, err := b.Optimizations.StartBundle(t.Context(), b.ana(), workspace, good, &kinds, none)
		return b.accepted(t, a, err)
	}
	driven := func(t *testing.T, b *bench, id uuid.UUID) {
		b.read(t, id)
	}
	unreadable := func(t *testing.T, b *bench, _ uuid.UUID) {
		write(t, b.file("tables/Sales.tmdl"), "table Sales\n\t\t\tcolumn = = \n")
		b.carry(t, b.Work)
	}
	asks := func(t *testing.T, b *bench) uuid.UUID {
		b.saveQuestions(t, good, 2, 1)
		return b.benchmarkRun(t)
	}
	compares := func(t *testing.T, b *bench) uuid.UUID {
		b.saveQuestions(t, good, 2, 1)
		id, _ := b.create(t, nil)
		return id
	}
	cancel := func(t *testing.T, b *bench, id uuid.UUID) {
		if _, err := b.Operations.Cancel(t.Context(), b.ana(), id); err != nil {
			t.Fatal(err)
		}
	}
	carry := func(t *testing.T, b *bench, _ uuid.UUID) { b.carry(t, b.Work) }
	late := func(t *testing.T, b *bench, _ uuid.UUID) {
		b.Clock.Advance(25 * time.Hour) // the token has expired
		b.carry(t, b.Work)
	}
	unwilling := func(t *testing.T, b *bench, _ uuid.UUID) {
		o := b.Work
		o.Platform = unwritable{o.Platform}
		b.carry(t, o)
	}
	answered := func(t *testing.T, b *bench, _ uuid.UUID) { b.carried(t, &respondent{}) }
	for name, c := range map[string]struct {
		holds  int // models reserved
		start  func(*testing.T, *bench) uuid.UUID
		end    func(*testing.T, *bench, uuid.UUID)
		status operation.Status
		claims int
	}{
		"an assessment":                        {1, func(t *testing.T, b *bench) uuid.UUID { return b.start(t, good) }, carry, operation.StatusSucceeded, 1},
		"an assessment that comes too late":    {1, func(t *testing.T, b *bench) uuid.UUID { return b.start(t, good) }, late, operation.StatusFailed, 0},
		"an assessment of what cannot be read": {1, func(t *testing.T, b *bench) uuid.UUID { return b.start(t, good) }, unreadable, operation.StatusFailed, 0},
		"an assessment of many, of which one fails": {2, func(t *testing.T, b *bench) uuid.UUID {
			b.start(t, broken)
			b.carry(t, b.Work)
			return b.start(t, good, broken)
		}, carry, operation.StatusSucceeded, 1},
		"an apply":                                   {1, apply, carry, operation.StatusSucceeded, 1},
		"an apply that the platform refuses":         {1, apply, unwilling, operation.StatusFailed, 0},
		"an apply that comes too late":               {1, apply, late, operation.StatusFailed, 0},
		"an unattended apply":                        {1, unattended, driven, operation.StatusSucceeded, 1},
		"an unattended apply of what cannot be read": {1, unattended, unreadable, operation.StatusFailed, 0},
		"an unattended apply that nobody reads": {1, unattended, func(t *testing.T, b *bench, _ uuid.UUID) {
			b.carry(t, b.Work)
			b.Clock.Advance(25 * time.Hour)
			check(t, b.Operations.LapseOverdue(t.Context()))
		}, operation.StatusFailed, 0},
		"a bundle":                     {1, bundle, driven, operation.StatusSucceeded, 1},
		"a bundle whose previews fail": {1, bundle, unreadable, operation.StatusFailed, 0},
		"a bundle that the platform refuses": {1, bundle, func(t *testing.T, b *bench, id uuid.UUID) {
			b.carry(t, b.Work)
			o := b.Work
			o.Platform = unwritable{o.Platform}
			for !b.operation(t, id).Status.Ended() {
				if used, reserved := b.room(t); used != 0 || reserved != 1 {
					t.Errorf("before the end %d are used and %d reserved", used, reserved)
				}
				check(t, b.resume(t.Context(), b.ana(), id))
				b.carry(t, o)
			}
		}, operation.StatusFailed, 0},
		"a benchmark run": {1, asks, answered, operation.StatusSucceeded, 1},
		"a benchmark run that is cancelled before it asked": {1, asks, cancel, operation.StatusCancelled, 0},
		"an A/B run": {2, compares, func(t *testing.T, b *bench, id uuid.UUID) {
			b.carried(t, &respondent{})
			if used, reserved := b.room(t); used != 1 || reserved != 1 {
				t.Errorf("after side A %d are used and %d reserved", used, reserved)
			}
			check(t, b.resume(t.Context(), b.ana(), id))
			b.carried(t, &respondent{})
		}, operation.StatusSucceeded, 2},
		"an A/B run that is cancelled after side A": {2, compares, func(t *testing.T, b *bench, id uuid.UUID) {
			b.carried(t, &respondent{})
			cancel(t, b, id)
		}, operation.StatusCancelled, 1},
		"an A/B run whose owner never comes": {2, compares, func(t *testing.T, b *bench, id uuid.UUID) {
			b.carried(t, &respondent{})
			b.Clock.Advance(operation.Life)
			if lapsed, err := b.Benchmarks.Runs.Lapse(t.Context(), id); !lapsed || err != nil {
				t.Fatal(lapsed, err)
			}
		}, operation.StatusFailed, 1},
		"an A/B run that is deleted": {2, compares, func(t *testing.T, b *bench, id uuid.UUID) {
			check(t, b.ABTests.DeleteRun(t.Context(), b.ana(), b.abRun(t, id).AbTestID.String(), id.String()))
		}, operation.StatusFailed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOptimizing(t)
			b.capped(c.holds)
			id := c.start(t, b)
			if used, reserved := b.room(t); used != 0 || reserved != c.holds {
				t.Fatalf("once accepted %d are used and %d reserved, want %d reserved", used, reserved, c.holds)
			}
			b.noRoom(t)
			c.end(t, b, id)
			op := b.operation(t, id)
			if used, reserved := b.room(t); op.Status != c.status || used != c.claims || reserved != 0 {
				t.Errorf("the work is %s (%v); %d are used and %d held, want %s and %d used", op.Status, op.Failure, used, reserved, c.status, c.claims)
			}
			said := 0
			if i := op.Impact; i.TrackedItems != nil {
				said = *i.TrackedItems
			} else if i.TrackedItem == nil { // a bundle's kinds have it
				said = c.claims
			} else if *i.TrackedItem {
				said = 1
			}
			if said != c.claims {
				t.Errorf("its impact announces %d tracked items, want %d", said, c.claims)
			}
		})
	}
}

// noRoom checks that another model is refused and leaves no trace.
func (b *bench) noRoom(t *testing.T) {
	t.Helper()
	other := uuid.UUID{0: 9, 15: 9}
	b.Item(t, "Retail", other.String()+".SemanticModel", "Other", other)
	b.saveQuestions(t, other, 1, 1)
	before := b.positions(t)
	if _, err := b.Benchmarks.StartRun(t.Context(), b.ana(), workspace, other, assistant, nil); !domain.IsRefused(err, domain.TrackedItemLimitReached) {
		t.Errorf("another model: %v", err)
	}
	if n := b.positions(t); n != before {
		t.Errorf("the refused call left %d events", n-before)
	}
}
