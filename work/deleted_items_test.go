package work_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
	"readiness/test/testworld"
	"readiness/work"
)

// unlisted is a platform that refuses to list.
type unlisted struct {
	work.Platform
	err error
}

func (u unlisted) Items(context.Context, item.Caller, uuid.UUID, item.Type) ([]item.Item, error) {
	return nil, u.err
}

// A step that finds no model marks the tracked item deleted if a listing of the
// workspace lacks it; an invisible item is never recorded as deleted
// (decisions/8/8). What was counted stays counted.
func TestStepNoticesDeletedItem(t *testing.T) {
	t.Parallel()
	notFound := domain.Refuse(domain.ItemNotFound, "no")
	remove := func(t *testing.T, b *bench) {
		b.Remove(t, "Retail", good.String()+".SemanticModel")
	}
	for name, c := range map[string]struct {
		tracked bool // assessed before, the second time so that it is a tracked item
		meet    func(*testing.T, *bench)
		code    domain.Code
		want    trackeditem.Status
	}{
		"deleted":                {true, remove, domain.ItemNotFound, trackeditem.StatusDeleted},
		"deleted, never tracked": {false, remove, domain.ItemNotFound, ""},
		"not to be found, yet there": {true, func(_ *testing.T, b *bench) {
			b.Work.Platform = isAway(b.Work.Platform, notFound, 1<<20)
		}, domain.ItemNotFound, trackeditem.StatusTracked},
		"deleted, and not to be listed": {true, func(t *testing.T, b *bench) {
			remove(t, b)
			b.Work.Platform = unlisted{b.Work.Platform, domain.Refuse(domain.PlatformUnavailable, "no")}
		}, domain.ItemNotFound, trackeditem.StatusTracked},
		"the workspace is not visible": {true, func(t *testing.T, b *bench) {
			b.Workspace(t, testworld.Workspace{ID: workspace, Name: "Retail", Members: []string{"bob"}})
		}, domain.ItemNotFound, trackeditem.StatusTracked},
		"not readable": {true, func(_ *testing.T, b *bench) {
			b.Work.Platform = isAway(b.Work.Platform, domain.Refuse(domain.ItemNotReadable, "no"), 1<<20)
		}, domain.ItemNotReadable, trackeditem.StatusTracked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if c.tracked {
				b.start(t, good)
				b.start(t, good)
				b.carry(t, b.Work)
			}
			id := b.start(t, good)
			c.meet(t, b)
			b.Clock.Set(noon.Add(time.Minute))
			for range 2 {
				check(t, work.Carry(t.Context(), b.Work, b.steps[len(b.steps)-1], work.Patience))
			}
			op := b.operation(t, id)
			if op.Status != operation.StatusFailed || op.Failure.Code != c.code || *op.Impact.TrackedItem {
				t.Errorf("the operation reads %+v, failure %+v", op, op.Failure)
			}
			got := eventstore.FoldLast[trackeditem.Item](trackeditem.Stream("contoso", good))
			total := eventstore.FoldLast[room.Total](room.Stream("contoso"))
			check(t, b.Store.Load(t.Context(), got, total))
			if got.State.Status != c.want || total.State.Used == 1 != c.tracked || total.State.Reserved != 0 {
				t.Errorf("the tracked item reads %+v, the count %+v; want %q", got.State, total.State, c.want)
			}
			if d := got.State.DeletedAt; (d != nil) != (c.want == trackeditem.StatusDeleted) || d != nil && !d.Equal(b.Now()) {
				t.Errorf("deleted at %v", d)
			}
		})
	}
}
