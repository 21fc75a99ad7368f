package commands

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain/account"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
)

// Tracking is items that operations reserve, claim or give back, with the
// account's count of them: what a change decides of one it decides of the other
// (decisions 9.6).
type Tracking struct {
	total *eventstore.Past[trackeditem.Total]
	ids   []uuid.UUID // each once
	items []*eventstore.Past[trackeditem.Item]
}

// Track names the items and the count of an account.
func Track(accountID string, itemIDs ...uuid.UUID) *Tracking {
	t := &Tracking{total: eventstore.FoldLast[trackeditem.Total](trackeditem.CountStream(accountID)), ids: distinct(itemIDs)}
	for _, id := range t.ids {
		t.items = append(t.items, eventstore.FoldLast[trackeditem.Item](trackeditem.Stream(accountID, id)))
	}
	return t
}

// Pasts are the streams to load.
func (t *Tracking) Pasts() []eventstore.Loadable {
	pasts := []eventstore.Loadable{t.total}
	for _, i := range t.items {
		pasts = append(pasts, i)
	}
	return pasts
}

// Past is the past of an item that was named.
func (t *Tracking) Past(itemID uuid.UUID) *eventstore.Past[trackeditem.Item] {
	return t.items[slices.Index(t.ids, itemID)]
}

// Item is the item as it is.
func (t *Tracking) Item(itemID uuid.UUID) trackeditem.Item { return t.Past(itemID).State }

// Reserve has operations hold room for those of the items that are not tracked
// items, all of them or none. It refuses when there is no room for all.
func (t *Tracking) Reserve(c *eventstore.Change, caps trackeditem.Caps, items ...trackeditem.Reserve) error {
	var fresh []uuid.UUID
	for _, reserve := range items {
		if i := t.Item(reserve.ItemID); !i.Counts() && len(i.ReservedBy) == 0 && !slices.Contains(fresh, reserve.ItemID) {
			fresh = append(fresh, reserve.ItemID)
		}
	}
	if err := eventstore.Decide(c, t.total, trackeditem.HoldRoom{ItemIDs: fresh, Caps: caps}); err != nil {
		return err
	}
	for _, reserve := range items {
		reserve.LicenseID = caps.LicenseID
		if err := eventstore.Decide(c, t.Past(reserve.ItemID), reserve); err != nil {
			return err
		}
	}
	return nil
}

// reserve is Reserve under the caps of the caller.
func (t *Tracking) reserve(c *eventstore.Change, who Caller, owner account.Account, limits account.Limits, items ...trackeditem.Reserve) error {
	return t.Reserve(c, trackeditem.CapsOf(owner, who.License, limits.TrackedItems), items...)
}

// Expects reports whether the operation is to say that it makes the item a
// tracked item: it is the first that holds room for it.
func (t *Tracking) Expects(operationID, itemID uuid.UUID) bool {
	by := t.Item(itemID).ReservedBy
	return len(by) > 0 && by[0] == operationID
}

// Expected is how many of the items the operation is to say that of.
func (t *Tracking) Expected(operationID uuid.UUID) int {
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

// Claim makes the item, which the operation did something for, a tracked item. It
// does nothing when the operation holds no room for it.
func (t *Tracking) Claim(c *eventstore.Change, operationID, itemID uuid.UUID, via trackeditem.Via, at time.Time) error {
	past := t.Past(itemID)
	if !past.State.Holds(operationID) {
		return nil
	}
	count := trackeditem.Count{ItemIDs: []uuid.UUID{itemID}, LicenseID: past.State.LicenseID}
	if err := eventstore.Decide(c, past, trackeditem.Claim{OperationID: operationID, Via: via, At: at}); err != nil {
		return err
	}
	return eventstore.Decide(c, t.total, count)
}

// Claimed reports whether the operation made the item a tracked item.
func (t *Tracking) Claimed(operationID, itemID uuid.UUID) bool {
	return t.Item(itemID).ClaimedBy == operationID
}

// Made is how many of the items the operation made tracked items.
func (t *Tracking) Made(operationID uuid.UUID) int {
	return t.count(func(id uuid.UUID) bool { return t.Claimed(operationID, id) })
}

// GiveBack gives the room back that the operation, which has ended, still holds
// for items that were named.
func (t *Tracking) GiveBack(c *eventstore.Change, operationID uuid.UUID) error {
	for i, past := range t.items {
		if !past.State.Holds(operationID) {
			continue
		}
		if err := eventstore.Decide(c, past, trackeditem.GiveBack{OperationID: operationID}); err != nil {
			return err
		}
		if len(past.State.ReservedBy) > 0 {
			continue
		}
		if err := eventstore.Decide(c, t.total, trackeditem.GiveRoomBack{ItemIDs: t.ids[i : i+1 : i+1], LicenseID: past.State.LicenseID}); err != nil {
			return err
		}
	}
	return nil
}
