package account

import (
	"cmp"

	"readiness/domain/item"
)

// Opened: the account exists from here on.
type Opened struct {
	AccountID string   `json:"accountId"`
	Plan      Plan     `json:"plan"`
	Status    Status   `json:"status"`
	Region    string   `json:"region,omitempty"`
	Settings  Settings `json:"settings"`
}

// PlanChanged: the account has another plan; allowances count against its
// limits from here on.
type PlanChanged struct {
	Plan Plan `json:"plan"`
}

// StatusChanged: the account became Active, Suspended or Closed.
type StatusChanged struct {
	Status Status `json:"status"`
}

// RegionChanged: the account's region is another.
type RegionChanged struct {
	Region string `json:"region"`
}

// SettingsChanged: an administrator chose other settings.
type SettingsChanged struct {
	Settings Settings `json:"settings"`
}

// LicenseSaved: the license was added, or is now as it says.
type LicenseSaved struct {
	License License `json:"license"`
}

// LicenseRemoved: the license is gone.
type LicenseRemoved struct {
	LicenseID string `json:"licenseId"`
}

// PersonSaved: the person was added to the account, or is now as it says.
type PersonSaved struct {
	Person Person `json:"person"`
}

// PersonRemoved: the person is no longer of the account.
type PersonRemoved struct {
	Person item.Person `json:"person"`
}

// DocumentSaved: a part of the account that is kept as a JSON text of its own
// (a tracking setup, the AI provider) is now as it says. It never holds a key.
type DocumentSaved struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// DocumentRemoved: that part is gone.
type DocumentRemoved struct {
	Name string `json:"name"`
}

// EventType implements domain.Event.
func (Opened) EventType() string          { return "account.opened" }
func (PlanChanged) EventType() string     { return "account.plan-changed" }
func (StatusChanged) EventType() string   { return "account.status-changed" }
func (RegionChanged) EventType() string   { return "account.region-changed" }
func (SettingsChanged) EventType() string { return "account.settings-changed" }
func (LicenseSaved) EventType() string    { return "account.license-saved" }
func (LicenseRemoved) EventType() string  { return "account.license-removed" }
func (PersonSaved) EventType() string     { return "account.person-saved" }
func (PersonRemoved) EventType() string   { return "account.person-removed" }
func (DocumentSaved) EventType() string   { return "account.document-saved" }
func (DocumentRemoved) EventType() string { return "account.document-removed" }

func comparePeople(a, b item.Person) int {
	return cmp.Or(cmp.Compare(a.Issuer, b.Issuer), cmp.Compare(a.ID, b.ID))
}
