package commands

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain/account"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
)

// TrackedItem returns the past of an item, which is tracked or not.
func TrackedItem(accountID string, itemID uuid.UUID) *eventstore.Stream[trackeditem.Item] {
	return eventstore.FoldCached(trackeditem.Stream(accountID, itemID), trackeditem.Evolve)
}

// Tracking is a set of items that operations reserve, claim or release, with the
// account's count of them. A change decides both together (decisions/9/6).
type Tracking struct {
	total *eventstore.Stream[room.Total]
	ids   []uuid.UUID // each once
	items []*eventstore.Stream[trackeditem.Item]
}

// Track returns the tracking of the items and of the account's count.
func Track(accountID string, itemIDs ...uuid.UUID) *Tracking {
	t := &Tracking{total: eventstore.FoldLast[room.Total](room.Stream(accountID)), ids: distinct(itemIDs)}
	for _, id := range t.ids {
		t.items = append(t.items, TrackedItem(accountID, id))
	}
	return t
}

// Pasts returns the streams to load.
func (t *Tracking) Pasts() []eventstore.Loadable {
	pasts := []eventstore.Loadable{t.total}
	for _, i := range t.items {
		pasts = append(pasts, i)
	}
	return pasts
}

// Stream returns the past of one of the tracked ids; it panics for another id.
func (t *Tracking) Stream(itemID uuid.UUID) *eventstore.Stream[trackeditem.Item] {
	return t.items[slices.Index(t.ids, itemID)]
}

// Item returns the current state of one of the tracked ids.
func (t *Tracking) Item(itemID uuid.UUID) trackeditem.Item { return t.Stream(itemID).State }

// Reserve reserves those of the items that are not yet tracked items, all or none.
// It refuses when the caps leave no room for all.
func (t *Tracking) Reserve(c *eventstore.Change, caps room.Caps, items ...trackeditem.Reserve) error {
	var fresh []uuid.UUID
	for _, reserve := range items {
		if i := t.Item(reserve.ItemID); !i.Counts() && len(i.ReservedBy) == 0 && !slices.Contains(fresh, reserve.ItemID) {
			fresh = append(fresh, reserve.ItemID)
		}
	}
	if err := eventstore.Decide(c, t.total, room.Reserve{ItemIDs: fresh, Caps: caps}); err != nil {
		return err
	}
	for _, reserve := range items {
		reserve.LicenseID = caps.LicenseID
		if err := eventstore.Decide(c, t.Stream(reserve.ItemID), reserve); err != nil {
			return err
		}
	}
	return nil
}

// reserve is Reserve under the caps of the caller.
func (t *Tracking) reserve(c *eventstore.Change, caller Caller, owner account.Account, limits account.Limits,
	items ...trackeditem.Reserve) error {
	return t.Reserve(c, room.CapsOf(owner, caller.License, limits.TrackedItems), items...)
}

// Expects reports whether the operation's impact must announce the item as a
// tracked item: it was the first to reserve it.
func (t *Tracking) Expects(operationID, itemID uuid.UUID) bool {
	by := t.Item(itemID).ReservedBy
	return len(by) > 0 && by[0] == operationID
}

// ExpectedCount returns how many of the items the operation's impact must announce.
func (t *Tracking) ExpectedCount(operationID uuid.UUID) int {
	return t.count(func(id uuid.UUID) bool { return t.Expects(operationID, id) })
}

func (t *Tracking) count(is func(uuid.UUID) bool) (n int) {
	for _, id := range t.ids {
		if is(id) {
			n++
		}
	}
	return n
}

// Claim makes the item a tracked item, after the operation did something for it. It
// does nothing when the operation has not reserved the item.
func (t *Tracking) Claim(c *eventstore.Change, operationID, itemID uuid.UUID, via trackeditem.Via, at time.Time) error {
	past := t.Stream(itemID)
	if !past.State.Holds(operationID) {
		return nil
	}
	count := room.Count{ItemIDs: []uuid.UUID{itemID}, LicenseID: past.State.LicenseID}
	if err := eventstore.Decide(c, past, trackeditem.Claim{OperationID: operationID, Via: via, At: at}); err != nil {
		return err
	}
	return eventstore.Decide(c, t.total, count)
}

// Claimed reports whether the operation made the item a tracked item.
func (t *Tracking) Claimed(operationID, itemID uuid.UUID) bool {
	return t.Item(itemID).ClaimedBy == operationID
}

// ClaimedCount returns how many of the items the operation made tracked items.
func (t *Tracking) ClaimedCount(operationID uuid.UUID) int {
	return t.count(func(id uuid.UUID) bool { return t.Claimed(operationID, id) })
}

// Release releases the reservations that the operation, which has ended, still
// holds on the items.
func (t *Tracking) Release(c *eventstore.Change, operationID uuid.UUID) error {
	for i, past := range t.items {
		if !past.State.Holds(operationID) {
			continue
		}
		if err := eventstore.Decide(c, past, trackeditem.Release{OperationID: operationID}); err != nil {
			return err
		}
		if len(past.State.ReservedBy) > 0 {
			continue
		}
		if err := eventstore.Decide(c, t.total, room.Release{ItemIDs: t.ids[i : i+1 : i+1],
			LicenseID: past.State.LicenseID}); err != nil {
			return err
		}
	}
	return nil
}
