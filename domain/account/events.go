package account

import "readiness/domain/item"

// Opened records that the account exists.
type Opened struct {
	AccountID string `json:"accountId"`
	// Plan is the account's plan.
	Plan   Plan   `json:"plan"`
	Status Status `json:"status"`
	Region string `json:"region,omitempty"`
	// Settings are the account's settings.
	Settings Settings `json:"settings"`
}

// PlanChanged records the account's new plan. Allowances count against its limits from
// then on.
type PlanChanged struct {
	// Plan is the new plan.
	Plan Plan `json:"plan"`
}

// StatusChanged records that the account became Active, Suspended or Closed.
type StatusChanged struct {
	Status Status `json:"status"`
}

// RegionChanged records the account's new region.
type RegionChanged struct {
	Region string `json:"region"`
}

// SettingsChanged records the account's new settings.
type SettingsChanged struct {
	// Settings are all settings as they are now.
	Settings Settings `json:"settings"`
}

// LicenseSaved records a license that was added or changed.
type LicenseSaved struct {
	// License is the license as it is now.
	License License `json:"license"`
}

// LicenseRemoved records that a license was removed.
type LicenseRemoved struct {
	LicenseID string `json:"licenseId"`
}

// PersonSaved records a person who was added or changed.
type PersonSaved struct {
	// Person is the person as they are now.
	Person SavedPerson `json:"person"`
}

// PersonRemoved records that a person no longer belongs to the account.
type PersonRemoved struct {
	Person item.PersonID `json:"person"`
}

// DocumentSaved records a part of the account that is kept as a JSON document (a
// tracking setup, the AI provider, the rules file). It never holds a key.
type DocumentSaved struct {
	// Name is the part of the account.
	Name string `json:"name"`
	// Text is the part's JSON text.
	Text string `json:"text"`
}

// DocumentRemoved records that such a document was removed.
type DocumentRemoved struct {
	// Name is the part of the account that was removed.
	Name string `json:"name"`
}

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

// Sealed records a head of the account's tree. The event is also an entry of the service's tree, so two auditors cannot be shown
// different heads.
type Sealed struct {
	// Size is the number of entries under the head.
	Size int64 `json:"size"`
	// Root is the hash of the head.
	Root []byte `json:"root"`
}

func (Sealed) EventType() string { return "account.sealed" }
