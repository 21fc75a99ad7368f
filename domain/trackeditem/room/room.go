// Package room counts the tracked items of an account against its plan and licenses, and
// reserves room for more (docs/decisions.md 5 and 9). The count never goes down.
package room

import (
	"fmt"
	"maps"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
)

// Stream returns the name of the stream that counts an account's tracked items.
func Stream(accountID string) string { return "trackeditems-" + accountID }

// Reserved records that room is reserved for the items, under the license, until the
// operations that reserved it have ended.
type Reserved struct{ Change }

// Released records that the room reserved for the items was released without a
// claim.
type Released struct{ Change }

// Counted records that the items became tracked items under the license, in the room
// reserved for them.
type Counted struct{ Change }

// Change is a list of items with the totals after the event, so the last event alone
// gives the totals.
type Change struct {
	// ItemIDs are the items that the event changes the totals for.
	ItemIDs []uuid.UUID `json:"itemIds"`
	// LicenseID is the license that they count against; absent in an account without licenses.
	LicenseID string `json:"licenseId,omitempty"`
	Total
}

func (Reserved) EventType() string { return "trackeditems.reserved" }
func (Released) EventType() string { return "trackeditems.released" }
func (Counted) EventType() string  { return "trackeditems.counted" }

// Total is how many tracked items an account has, and how many of them each license
// has; those without a license are under "". Used never goes down. Reserved is the
// number of further items that room is reserved for, and ReservedByLicense that number
// under each license.
type Total struct {
	// Used is how many tracked items the account has; it never goes down.
	Used int `json:"used"`
	// ByLicense is Used by license; those without one are under "".
	ByLicense map[string]int `json:"byLicense"`
	Reserved  int            `json:"reserved,omitempty"`
	// ReservedByLicense is Reserved by license.
	ReservedByLicense map[string]int `json:"reservedByLicense,omitempty"`
}

// After makes each event that embeds the change carry its totals.
func (c Change) After() Total { return c.Total }

// Mistaken implements domain.Totals.
func (e Reserved) Mistaken(before domain.Event) string {
	return e.mistaken(before, len(e.ItemIDs), 0)
}

// Mistaken implements domain.Totals.
func (e Released) Mistaken(before domain.Event) string {
	return e.mistaken(before, -len(e.ItemIDs), 0)
}

// Mistaken implements domain.Totals.
func (e Counted) Mistaken(before domain.Event) string {
	return e.mistaken(before, -len(e.ItemIDs), len(e.ItemIDs))
}

func (c Change) mistaken(before domain.Event, reserved, used int) string {
	total, _ := domain.After[Total](before)
	want := total.change(c.ItemIDs, c.LicenseID, reserved, used).Total
	switch {
	case c.Used != want.Used, c.Reserved != want.Reserved:
		return fmt.Sprintf("%d items are used and %d reserved, and the changes up to it add up to %d and %d", c.Used, c.Reserved, want.Used,
			want.Reserved)
	case !maps.Equal(c.ByLicense, want.ByLicense), !maps.Equal(c.ReservedByLicense, want.ReservedByLicense):
		return fmt.Sprintf("the items by license are %v used and %v reserved, and the changes up to it add up to %v and %v", c.ByLicense,
			c.ReservedByLicense, want.ByLicense, want.ReservedByLicense)
	}
	return ""
}

// Caps are the limits that new tracked items are checked against. Limit is the plan's
// cap and Allocated the license's allocation; nil means none.
type Caps struct {
	Limit     *int
	LicenseID string
	Allocated *int
}

// CapsOf returns the caps for items that a person with the license claims in the
// account. The license is the person's, else the account's default. An allocation
// counts only in an account with more than one license (4.7/add/4).
func CapsOf(a account.Account, license string, plan account.Allowance) Caps {
	c := Caps{Limit: plan.Limit}
	l, ok := LicenseOf(a, license)
	if !ok {
		return c
	}
	c.LicenseID = l.ID
	if len(a.Licenses) > 1 {
		c.Allocated = l.Allocated
	}
	return c
}

// LicenseOf returns the license of a person of the account: the one named, else the
// account's default, or false when the account has neither.
func LicenseOf(a account.Account, license string) (account.License, bool) {
	if l, ok := a.Licenses[license]; ok {
		return l, true
	}
	for _, l := range a.Licenses {
		if l.Default {
			return l, true
		}
	}
	return account.License{}, false
}

// Reserve reserves room for the items that one call may claim, for all or for none.
// ItemIDs must not contain items that are tracked or that room is reserved for already.
type Reserve struct {
	ItemIDs []uuid.UUID
	Caps    Caps
}

// Decide implements domain.Command. It refuses with TrackedItemLimitReached or
// LicenseTrackedItemLimitReached when the room would exceed a cap.
func (c Reserve) Decide(t Total) ([]domain.Event, error) {
	n := len(c.ItemIDs)
	if n == 0 {
		return nil, nil
	}
	if l := c.Caps.Limit; l != nil && t.Used+t.Reserved+n > *l {
		return nil, domain.Refuse(domain.TrackedItemLimitReached,
			"this call may make %d new tracked items, and %d of the account's %d are used%s; a larger plan has room for more", n, t.Used,
			*l, reservedNote(t.Reserved)).
			About("allowance", "trackedItems").About("used", t.Used+t.Reserved).About("limit", *l)
	}
	used, reserved := t.ByLicense[c.Caps.LicenseID], t.ReservedByLicense[c.Caps.LicenseID]
	if l := c.Caps.Allocated; l != nil && used+reserved+n > *l {
		return nil, domain.Refuse(domain.LicenseTrackedItemLimitReached,
			"this call may make %d new tracked items, and license %s has used %d of the %d allocated to it%s; an administrator can "+
				"allocate more to it", n, c.Caps.LicenseID, used, *l, reservedNote(reserved)).
			About("allowance", "trackedItems").About("licenseId", c.Caps.LicenseID).About("used", used+reserved).About("limit", *l)
	}
	return []domain.Event{Reserved{t.change(c.ItemIDs, c.Caps.LicenseID, n, 0)}}, nil
}

// reservedNote returns what a refusal adds about reserved room.
func reservedNote(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more are reserved by calls that have not ended", n)
}

// Count counts items that were claimed, in the room reserved for them under the
// license.
type Count struct {
	ItemIDs   []uuid.UUID
	LicenseID string
}

func (c Count) Decide(t Total) ([]domain.Event, error) {
	if len(c.ItemIDs) == 0 {
		return nil, nil
	}
	return []domain.Event{Counted{t.change(c.ItemIDs, c.LicenseID, -len(c.ItemIDs), len(c.ItemIDs))}}, nil
}

// Release releases the room that was reserved for items under the license.
type Release struct {
	ItemIDs   []uuid.UUID
	LicenseID string
}

func (c Release) Decide(t Total) ([]domain.Event, error) {
	if len(c.ItemIDs) == 0 {
		return nil, nil
	}
	return []domain.Event{Released{t.change(c.ItemIDs, c.LicenseID, -len(c.ItemIDs), 0)}}, nil
}

// change returns the event's data with the given changes to reserved and used under the
// license. Reserved counts and counts per license never become negative.
func (t Total) change(itemIDs []uuid.UUID, license string, reserved, used int) Change {
	add := func(to map[string]int, n int) map[string]int {
		after := maps.Clone(to)
		if after == nil {
			after = map[string]int{}
		}
		if after[license] = max(0, after[license]+n); after[license] == 0 {
			delete(after, license)
		}
		return after
	}
	return Change{itemIDs, license, Total{
		Used: t.Used + used, ByLicense: add(t.ByLicense, used),
		Reserved: max(0, t.Reserved+reserved), ReservedByLicense: add(t.ReservedByLicense, reserved),
	}}
}
