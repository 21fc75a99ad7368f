package account

import (
	"cmp"

	"readiness/domain"
)

// License is a license of the account (spec 2.5). Allocated is nil when the
// plan sets no allocation. What is left out of the last three keeps nobody from
// starting work.
type License struct {
	ID        string `json:"licenseId"`
	Label     string `json:"label,omitempty"`
	Default   bool   `json:"default,omitempty"`
	Allocated *int   `json:"allocated,omitempty"`
	Region    string `json:"region,omitempty"`
	Status    string `json:"status"`
	// ProvisioningStatus is how far its region is; see Provisioning.
	ProvisioningStatus string `json:"provisioningStatus,omitempty"`
	// DataResidency is where its results are to be kept; see Location.
	DataResidency Location `json:"dataResidency,omitempty"`
	// CapacityRequired: its work runs only in workspaces that are on a capacity.
	CapacityRequired bool `json:"capacityRequired,omitempty"`
}

// The statuses of a license, and how far its region is (decisions 4).
const (
	LicenseActive    = "Active"
	LicenseSuspended = "Suspended"
	LicenseExpired   = "Expired"

	Provisioning       = "Provisioning"
	Provisioned        = "Provisioned"
	ProvisioningFailed = "Failed"
)

// Location is where the results of a license are kept (spec 2.5,
// dataResidency.location).
type Location string

// The locations an operator can declare.
const (
	InService         Location = "Service"
	InCustomerLake    Location = "CustomerLake"
	InCustomerStorage Location = "CustomerStorage"
)

// Provisioning is how far the license's region is, Provisioned unless declared
// otherwise.
func (l License) Provisioning() string { return cmp.Or(l.ProvisioningStatus, Provisioned) }

// Location is where the license's results are to be kept, with the service
// unless declared otherwise.
func (l License) Location() Location { return cmp.Or(l.DataResidency, InService) }

// Starts refuses to start work under a license that cannot carry it now
// (decisions 5): its region is not there, it is suspended or expired, or its
// results belong into a store that this version has no connection to. The zero
// License, of who has none, refuses nothing.
func (l License) Starts() error {
	var r *domain.Refusal
	switch status := l.Provisioning(); {
	case status != Provisioned:
		r = domain.Refuse(domain.RegionNotReady, "the region of license %s is not ready (%s); work starts once it is Provisioned", l.ID, status)
	case l.Status == LicenseSuspended || l.Status == LicenseExpired:
		r = domain.Refuse(domain.CapacityUnpaid, "license %s is %s, so nothing it pays for is started; an administrator of the account can renew it", l.ID, l.Status)
	case l.Location() != InService:
		r = domain.Refuse(domain.StoreNotConnected, "the results of license %s belong into %s, and no such store is connected; nothing is made that would have to be kept elsewhere", l.ID, l.Location())
	default:
		return nil
	}
	return r.About("licenseId", l.ID)
}

// StartsOn refuses to start work in a workspace on the named capacity, "" for
// the shared one, under a license whose work needs a capacity.
func (l License) StartsOn(capacity string) error {
	if l.CapacityRequired && capacity == "" {
		return domain.Refuse(domain.CapacityRequired, "the work of license %s runs on a capacity, and the workspace is on none; assign the workspace to one", l.ID).About("licenseId", l.ID)
	}
	return nil
}

// KeepsCopies reports whether copies of definitions are kept: support turned them
// on, and none of the account's data stays in the customer's own tenant (spec 2.3,
// settings.definitionCopies).
func (a Account) KeepsCopies() bool {
	for _, l := range a.Licenses {
		if l.Location() != InService {
			return false
		}
	}
	return a.Settings.DefinitionCopies == CopiesKeep30Days
}
