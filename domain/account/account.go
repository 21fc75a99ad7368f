// Package account holds the state of a customer's account: its plan, status, settings,
// licenses and people, and the allowances that its calls spend (docs/specification.md
// 2.3 to 2.5).
package account

import (
	"maps"
	"slices"

	"readiness/domain"
	"readiness/domain/item"
)

// Status is the status of an account (docs/decisions.md 4). Only an Active account
// starts work.
type Status string

// The statuses of an account.
const (
	Active    Status = "Active"
	Suspended Status = "Suspended"
	Closed    Status = "Closed"
)

// Role is a person's role in an account.
type Role string

// The roles.
const (
	Admin  Role = "admin"
	Member Role = "member"
)

// Copies says whether definitions are copied before Pixies change them.
type Copies string

// The values of Copies.
const (
	CopiesNone       Copies = "None"
	CopiesKeep30Days Copies = "Keep30Days"
)

// Settings are the choices of an account's administrator.
type Settings struct {
	// AddPixies offers adding Pixies.
	AddPixies bool `json:"addPixies"`
	// CapacityDetails lets the service read capacities, to check for a paused one.
	CapacityDetails bool `json:"capacityDetails"`
	// AIFeatures offers assessments, optimizations, benchmarks and A/B tests.
	AIFeatures bool `json:"aiFeatures"`
	// DefinitionCopies says which copies of definitions are kept before they are changed.
	DefinitionCopies Copies `json:"definitionCopies"`
	// FabricWrites lets people of the account write to Microsoft Fabric; the operator decides it.
	FabricWrites bool `json:"fabricWrites,omitempty"`
	// Rules is what the account's rules file adds to the id of the published regime, from the plus sign: "+" if it changes no score;
	// absent without a file.
	Rules string `json:"rules,omitempty"`
}

// SavedPerson is a person of an account, with role, license and access to each platform
// permission.
type SavedPerson struct {
	Person item.PersonID `json:"person"`
	// Role is the person's role in the account.
	Role Role `json:"role"`
	// License is the license that the person's tracked items count against; absent for the account's default.
	License string `json:"license,omitempty"`
	// Permissions are what the person may do, as far as it was declared.
	Permissions map[item.Permission]item.Access `json:"permissions,omitempty"`
}

// Access returns p's access to a permission. Without a declaration it is Granted for
// the platform permission and ConsentRequired for the optional ones.
func (p SavedPerson) Access(permission item.Permission) item.Access {
	if a, ok := p.Permissions[permission]; ok {
		return a
	}
	if permission == item.PermissionPlatform {
		return item.Granted
	}
	return item.ConsentRequired
}

// AccessToEach returns p's access to each of the four permissions.
func (p SavedPerson) AccessToEach() map[item.Permission]item.Access {
	access := make(map[item.Permission]item.Access, len(permissions))
	for _, of := range permissions {
		access[of.Name] = p.Access(of.Name)
	}
	return access
}

// Account is the state of an account that the rules need. The zero Account was never
// opened.
type Account struct {
	ID       string
	Opened   bool
	Plan     Plan
	Status   Status
	Region   string
	Settings Settings
	Licenses map[string]License
	People   People
	// Saved holds the parts of the account that are kept as JSON documents (tracking
	// setups, the AI provider), by name.
	Saved map[string]string
	// SealedSize is the size of the account's tree in the last Sealed.
	SealedSize int64
	// Erased says that the account was closed for good.
	Erased bool
}

// Stream returns the name of the account's own stream.
func Stream(accountID string) string { return "account-" + accountID }

// Evolve returns the account after e. It does not modify a.
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
	case Sealed:
		a.SealedSize = e.Size
	case Erased:
		a = Account{ID: a.ID, Opened: a.Opened, Plan: a.Plan, Status: a.Status, Region: a.Region, Settings: a.Settings,
			SealedSize: a.SealedSize, Erased: true}
	}
	return a
}

// with and without copy the map, because a state that was returned must not change
// later.
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

// maxPastRules bounds how many earlier rules files of an account work that began before can still be carried out by.
const maxPastRules = 20

// EvolveRules returns the account's rules documents after e, the newest last; "" stands for none. It does not modify past.
func EvolveRules(past []string, e domain.Event) []string {
	switch e := e.(type) {
	case Opened:
		return []string{""}
	case DocumentSaved:
		if e.Name == RulesDocument {
			return append(slices.Clone(past[max(0, len(past)-maxPastRules+1):]), e.Text)
		}
	case DocumentRemoved:
		if e.Name == RulesDocument {
			return append(slices.Clone(past[max(0, len(past)-maxPastRules+1):]), "")
		}
	case Erased:
		return nil
	}
	return past
}
