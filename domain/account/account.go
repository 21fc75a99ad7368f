// Package account holds what is true of a customer's account: its plan, status,
// settings, licenses and people, and the allowances its calls spend.
package account

import (
	"maps"

	"readiness/domain"
	"readiness/domain/item"
)

// Status of an account (decisions 4). Only an Active account starts work.
type Status string

// The statuses of an account.
const (
	Active    Status = "Active"
	Suspended Status = "Suspended"
	Closed    Status = "Closed"
)

// Role of a person in an account (spec 2.3, api.role).
type Role string

// The roles.
const (
	Admin  Role = "admin"
	Member Role = "member"
)

// Copies says whether definitions are copied before Pixies change them
// (spec 2.3, settings.definitionCopies).
type Copies string

// The values of Copies.
const (
	CopiesNone       Copies = "None"
	CopiesKeep30Days Copies = "Keep30Days"
)

// Settings are what an account administrator chose (spec 2.3).
type Settings struct {
	AddPixies        bool   `json:"addPixies"`
	CapacityDetails  bool   `json:"capacityDetails"`
	AIFeatures       bool   `json:"aiFeatures"`
	DefinitionCopies Copies `json:"definitionCopies"`
}

// Person is a person of the account with their role, license and the access
// they have to each platform permission.
type Person struct {
	Person      item.Person                     `json:"person"`
	Role        Role                            `json:"role"`
	License     string                          `json:"license,omitempty"`
	Permissions map[item.Permission]item.Access `json:"permissions,omitempty"`
}

// Access returns how p stands to a permission; what nobody said is Granted for
// the platform permission and ConsentRequired for the optional ones.
func (p Person) Access(permission item.Permission) item.Access {
	if a, ok := p.Permissions[permission]; ok {
		return a
	}
	if permission == item.PermissionPlatform {
		return item.Granted
	}
	return item.ConsentRequired
}

// AccessToEach returns how p stands to each of the four permissions.
func (p Person) AccessToEach() map[item.Permission]item.Access {
	access := make(map[item.Permission]item.Access, len(permissions))
	for _, of := range permissions {
		access[of.Name] = p.Access(of.Name)
	}
	return access
}

// Account is what the rules must know of an account's past. The zero Account
// has never been opened.
type Account struct {
	ID       string
	Opened   bool
	Plan     Plan
	Status   Status
	Region   string
	Settings Settings
	Licenses map[string]License
	People   People
	// Saved holds the parts of the account that are kept as documents of their
	// own (tracking setups, the AI provider), by name, as JSON text.
	Saved map[string]string
}

// Stream is the name of the account's own stream.
func Stream(accountID string) string { return "account-" + accountID }

// Evolve returns a after e. It alters nothing of a.
func Evolve(a Account, e domain.Event) Account {
	switch e := e.(type) {
	case Opened:
		a.ID, a.Opened, a.Plan, a.Status, a.Region, a.Settings = e.AccountID, true, e.Plan, e.Status, e.Region, e.Settings
	case PlanChanged:
		a.Plan = e.Plan
	case StatusChanged:
		a.Status = e.Status
	case RegionChanged:
		a.Region = e.Region
	case SettingsChanged:
		a.Settings = e.Settings
	case LicenseSaved:
		a.Licenses = with(a.Licenses, e.License.ID, e.License)
	case LicenseRemoved:
		a.Licenses = without(a.Licenses, e.LicenseID)
	case PersonSaved:
		a.People = a.People.with(e.Person.Person, &e.Person)
	case PersonRemoved:
		a.People = a.People.with(e.Person, nil)
	case DocumentSaved:
		a.Saved = with(a.Saved, e.Name, e.Text)
	case DocumentRemoved:
		a.Saved = without(a.Saved, e.Name)
	}
	return a
}

// with and without copy the map: a state handed out never changes later.
func with[K comparable, V any](m map[K]V, k K, v V) map[K]V {
	m = maps.Clone(m)
	if m == nil {
		m = map[K]V{}
	}
	m[k] = v
	return m
}

func without[K comparable, V any](m map[K]V, k K) map[K]V {
	m = maps.Clone(m)
	delete(m, k)
	return m
}
