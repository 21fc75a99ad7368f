package account

import (
	"cmp"

	"readiness/domain"
)

// License is a license of an account. Allocated is nil when the license has no
// allocation. ProvisioningStatus, DataResidency and CapacityRequired restrict nothing
// when empty.
type License struct {
	ID string `json:"licenseId"`
	// Label is what the account calls the license.
	Label string `json:"label,omitempty"`
	// Default says that persons without a license of their own count against this one.
	Default   bool   `json:"default,omitempty"`
	Allocated *int   `json:"allocated,omitempty"`
	Region    string `json:"region,omitempty"`
	// Status is the license's state, as the operator declares it.
	Status string `json:"status"`
	// ProvisioningStatus is the state of its region; see Provisioning.
	ProvisioningStatus string `json:"provisioningStatus,omitempty"`
	// DataResidency is where its results must be stored; see Location.
	DataResidency Location `json:"dataResidency,omitempty"`
	// CapacityRequired is true when its work runs only in workspaces on a capacity.
	CapacityRequired bool `json:"capacityRequired,omitempty"`
}

// The statuses of a license and the provisioning states of its region
// (docs/decisions.md 4).
const (
	LicenseActive    = "Active"
	LicenseSuspended = "Suspended"
	LicenseExpired   = "Expired"

	Provisioning       = "Provisioning"
	Provisioned        = "Provisioned"
	ProvisioningFailed = "Failed"
)

// Location is where the results of a license are stored.
type Location string

// The locations an operator can declare.
const (
	InService         Location = "Service"
	InCustomerLake    Location = "CustomerLake"
	InCustomerStorage Location = "CustomerStorage"
)

// Provisioning returns the state of the license's region, Provisioned by default.
func (l License) Provisioning() string { return cmp.Or(l.ProvisioningStatus, Provisioned) }

// Location returns where the license's results must be stored, InService by default.
func (l License) Location() Location { return cmp.Or(l.DataResidency, InService) }

// Starts refuses to start work under a license that does not allow it now
// (docs/decisions.md 5): its region is not ready, it is suspended or expired, or its
// results belong in a store that this version cannot connect to. The zero License, of a
// person without one, refuses nothing.
func (l License) Starts() error {
	var r *domain.Refusal
	switch status := l.Provisioning(); {
	case status != Provisioned:
		r = domain.Refuse(domain.RegionNotReady, "the region of license %s is not ready (%s); work starts once it is Provisioned", l.ID,
			status)
	case l.Status == LicenseSuspended || l.Status == LicenseExpired:
		r = domain.Refuse(domain.CapacityUnpaid, "license %s is %s, so nothing it pays for is started; an administrator of the account "+
			"can renew it", l.ID, l.Status)
	case l.Location() != InService:
		r = domain.Refuse(domain.StoreNotConnected, "the results of license %s must be stored in %s, and no such store is connected; the "+
			"service does not store them elsewhere", l.ID, l.Location())
	default:
		return nil
	}
	return r.About("licenseId", l.ID)
}

// StartsOn refuses to start work in a workspace without a capacity when the license
// requires one. capacity is the workspace's capacity, "" for the shared one.
func (l License) StartsOn(capacity string) error {
	if l.CapacityRequired && capacity == "" {
		return domain.Refuse(domain.CapacityRequired, "the work of license %s runs on a capacity, and the workspace is on none; assign "+
			"the workspace to one", l.ID).About("licenseId", l.ID)
	}
	return nil
}

// KeepsCopies reports whether copies of definitions are kept: support turned them on,
// and every license keeps its results with the service, not in the customer's own
// tenant.
func (a Account) KeepsCopies() bool {
	for _, l := range a.Licenses {
		if l.Location() != InService {
			return false
		}
	}
	return a.Settings.DefinitionCopies == CopiesKeep30Days
}
