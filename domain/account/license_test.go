package account_test

import (
	"testing"

	"readiness/domain"
	"readiness/domain/account"
)

// A license without optional members does not restrict starting work, and neither does
// having no license. When several reasons apply, the first one is reported.
func TestLicenseStarts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		license  account.License
		capacity string
		want     domain.Code // "" when work starts
	}{
		"none":                      {account.License{}, "", ""},
		"an active one":             {account.License{ID: "main", Status: account.LicenseActive}, "", ""},
		"all that refuses nobody":   {account.License{ID: "main", Status: account.LicenseActive, ProvisioningStatus: account.Provisioned, DataResidency: account.InService}, "", ""},
		"a region on its way":       {account.License{ID: "main", Status: account.LicenseActive, ProvisioningStatus: account.Provisioning}, "", domain.RegionNotReady},
		"a region that failed":      {account.License{ID: "main", Status: account.LicenseExpired, ProvisioningStatus: account.ProvisioningFailed}, "", domain.RegionNotReady},
		"suspended":                 {account.License{ID: "main", Status: account.LicenseSuspended, DataResidency: account.InCustomerLake}, "", domain.CapacityUnpaid},
		"expired":                   {account.License{ID: "main", Status: account.LicenseExpired}, "f8", domain.CapacityUnpaid},
		"a lake":                    {account.License{ID: "main", Status: account.LicenseActive, DataResidency: account.InCustomerLake}, "f8", domain.StoreNotConnected},
		"a storage":                 {account.License{ID: "main", Status: account.LicenseActive, DataResidency: account.InCustomerStorage, CapacityRequired: true}, "", domain.StoreNotConnected},
		"a capacity that is needed": {account.License{ID: "main", Status: account.LicenseActive, CapacityRequired: true}, "", domain.CapacityRequired},
		"and one that is there":     {account.License{ID: "main", Status: account.LicenseActive, CapacityRequired: true}, "f8", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tt.license.Starts()
			if err == nil {
				err = tt.license.StartsOn(tt.capacity)
			}
			if tt.want == "" {
				if err != nil {
					t.Errorf("got %v, want work to start", err)
				}
				return
			}
			r, refused := domain.Refused(err)
			if !refused || r.Code != tt.want || len(r.Params) != 1 || r.Params[0] != (domain.Param{Name: "licenseId", Value: "main"}) {
				t.Errorf("got %v, want %s about the license", err, tt.want)
			}
		})
	}
}

// proves: 2.3/settings/definitionCopies
func TestKeepsCopies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		copies  account.Copies
		license account.License
		want    bool
	}{
		{account.CopiesNone, account.License{}, false},
		{account.CopiesKeep30Days, account.License{}, true},
		{account.CopiesKeep30Days, account.License{DataResidency: account.InService}, true},
		{account.CopiesKeep30Days, account.License{DataResidency: account.InCustomerLake}, false},
		{account.CopiesKeep30Days, account.License{DataResidency: account.InCustomerStorage}, false},
	} {
		a := account.Account{
			Settings: account.Settings{DefinitionCopies: test.copies},
			Licenses: map[string]account.License{"own": test.license, "rest": {}},
		}
		if got := a.KeepsCopies(); got != test.want {
			t.Errorf("%s, data in %s: copies are kept: %v", test.copies, test.license.Location(), got)
		}
	}
}
