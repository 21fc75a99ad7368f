package trackeditem

import (
	"maps"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
)

// CountStream is the name of the stream that counts an account's tracked items.
func CountStream(accountID string) string { return "trackeditems-" + accountID }

// Counted: the items became tracked items under the license. Used and ByLicense
// are the totals with them, so the last event alone says how many there are.
type Counted struct {
	ItemIDs   []uuid.UUID    `json:"itemIds"`
	LicenseID string         `json:"licenseId,omitempty"`
	Used      int            `json:"used"`
	ByLicense map[string]int `json:"byLicense"`
}

// EventType implements domain.Event.
func (Counted) EventType() string { return "trackeditems.counted" }

// Total is how many tracked items an account has, and of them each license;
// those of no license are under "". It never goes down.
type Total struct {
	Used      int
	ByLicense map[string]int
}

// After implements domain.Carries.
func (e Counted) After() Total { return Total{e.Used, e.ByLicense} }

// Caps are what new tracked items are held against. Limit is the plan's cap and
// Allocated the license's allocation; nil sets none.
type Caps struct {
	Limit     *int
	LicenseID string
	Allocated *int
}

// CapsOf are the caps for what a person with the license claims in the account:
// the license is the person's, else the account's default. An allocation counts
// only on an account with more than one license (spec 4.7, add rule 4).
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

// LicenseOf returns the license of a person of the account: the one named, else
// the account's default; false when the account has neither.
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

// Count counts items that are claimed by one call, all of them or none. Items
// that count already must not be among them. No items count nothing.
type Count struct {
	ItemIDs []uuid.UUID
	Caps    Caps
}

// Decide implements domain.Command. It refuses with TrackedItemLimitReached or
// LicenseTrackedItemLimitReached.
func (c Count) Decide(t Total) ([]domain.Event, error) {
	n := len(c.ItemIDs)
	if n == 0 {
		return nil, nil
	}
	if l := c.Caps.Limit; l != nil && t.Used+n > *l {
		return nil, domain.Refuse(domain.TrackedItemLimitReached, "this call makes %d new tracked items, and %d of the account's %d are used; a larger plan has room for more", n, t.Used, *l).
			About("allowance", "trackedItems").About("used", t.Used).About("limit", *l)
	}
	held := t.ByLicense[c.Caps.LicenseID]
	if l := c.Caps.Allocated; l != nil && held+n > *l {
		return nil, domain.Refuse(domain.LicenseTrackedItemLimitReached, "this call makes %d new tracked items, and license %s holds %d of the %d allocated to it; an administrator can allocate more to it", n, c.Caps.LicenseID, held, *l).
			About("allowance", "trackedItems").About("licenseId", c.Caps.LicenseID).About("used", held).About("limit", *l)
	}
	totals := maps.Clone(t.ByLicense)
	if totals == nil {
		totals = map[string]int{}
	}
	totals[c.Caps.LicenseID] = held + n
	return []domain.Event{Counted{c.ItemIDs, c.Caps.LicenseID, t.Used + n, totals}}, nil
}
