package room_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/trackeditem/room"
)

func ids(n int) []uuid.UUID {
	all := make([]uuid.UUID, n)
	for i := range all {
		all[i] = uuid.UUID{14: 1, 15: byte(i)}
	}
	return all
}

// The plan's cap, then the license's allocation, at the limit and one above it, all or
// nothing for a call. Reserved room counts like used room.
//
// proves: 8/allowance-trackedItems 8/exhausted/TrackedItemLimitReached 8/exhausted/LicenseTrackedItemLimitReached decisions/9/6
func TestReserve(t *testing.T) {
	t.Parallel()
	n := func(i int) *int { return &i }
	seven := room.Total{Used: 7, ByLicense: map[string]int{"main": 4, "eu": 3}}
	held := room.Total{Used: 4, ByLicense: map[string]int{"main": 3, "eu": 1}, Reserved: 3, ReservedByLicense: map[string]int{"main": 1, "eu": 2}}
	holds := func(t room.Total, by map[string]int) room.Total {
		t.Reserved, t.ReservedByLicense = 0, by
		for _, n := range by {
			t.Reserved += n
		}
		if t.ByLicense == nil {
			t.ByLicense = map[string]int{}
		}
		return t
	}
	for name, c := range map[string]struct {
		given room.Total
		new   int
		caps  room.Caps
		code  domain.Code
		want  room.Total
	}{
		"none":                         {given: seven, caps: room.Caps{Limit: n(0), Allocated: n(0)}, want: seven},
		"the first":                    {new: 1, caps: room.Caps{LicenseID: "main"}, want: holds(room.Total{}, map[string]int{"main": 1})},
		"of an account of no license":  {new: 2, want: holds(room.Total{}, map[string]int{"": 2})},
		"up to the cap":                {given: seven, new: 3, caps: room.Caps{Limit: n(10), LicenseID: "eu"}, want: holds(seven, map[string]int{"eu": 3})},
		"up to the cap, some held":     {given: held, new: 3, caps: room.Caps{Limit: n(10), LicenseID: "eu"}, want: holds(held, map[string]int{"main": 1, "eu": 5})},
		"one above the cap":            {given: seven, new: 4, caps: room.Caps{Limit: n(10), LicenseID: "eu"}, code: domain.TrackedItemLimitReached, want: seven},
		"one above the cap, some held": {given: held, new: 4, caps: room.Caps{Limit: n(10), LicenseID: "eu"}, code: domain.TrackedItemLimitReached, want: held},
		"above a cap lowered since":    {given: seven, new: 1, caps: room.Caps{Limit: n(3)}, code: domain.TrackedItemLimitReached, want: seven},
		"up to the allocation":         {given: seven, new: 2, caps: room.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, want: holds(seven, map[string]int{"eu": 2})},
		"one above the allocation":     {given: seven, new: 3, caps: room.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, code: domain.LicenseTrackedItemLimitReached, want: seven},
		"… of what is held":            {given: held, new: 3, caps: room.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, code: domain.LicenseTrackedItemLimitReached, want: held},
		"above both: the cap is named": {given: seven, new: 9, caps: room.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, code: domain.TrackedItemLimitReached, want: seven},
		"an allocation without a cap":  {given: seven, new: 1, caps: room.Caps{LicenseID: "eu", Allocated: n(3)}, code: domain.LicenseTrackedItemLimitReached, want: seven},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, err := room.Reserve{ItemIDs: ids(c.new), Caps: c.caps}.Decide(c.given)
			if c.code == "" && err != nil || c.code != "" && !domain.IsRefused(err, c.code) {
				t.Errorf("got %v, want %q", err, c.code)
			}
			if d := cmp.Diff(c.want, after(c.given, events)); d != "" {
				t.Errorf("total (-want +got):\n%s", d)
			}
		})
	}
	if d := cmp.Diff([]map[string]int{{"main": 4, "eu": 3}, {"main": 1, "eu": 2}}, []map[string]int{seven.ByLicense, held.ReservedByLicense}); d != "" {
		t.Errorf("a total that was returned has changed:\n%s", d)
	}
	for _, c := range []struct {
		caps room.Caps
		want []domain.Param
		says string
	}{
		{room.Caps{Limit: n(10)}, []domain.Param{{Name: "allowance", Value: "trackedItems"}, {Name: "used", Value: "7"}, {Name: "limit", Value: "10"}}, "4 of the account's 10 are used, and 3 more are reserved"},
		{room.Caps{LicenseID: "eu", Allocated: n(3)}, []domain.Param{{Name: "allowance", Value: "trackedItems"}, {Name: "licenseId", Value: "eu"}, {Name: "used", Value: "3"}, {Name: "limit", Value: "3"}}, "license eu has used 1 of the 3 allocated to it, and 2 more are reserved"},
	} {
		_, err := room.Reserve{ItemIDs: ids(4), Caps: c.caps}.Decide(held)
		r, _ := domain.Refused(err)
		if !slices.Equal(r.Params, c.want) || r.RetryAfter != 0 || !strings.Contains(r.Message, c.says) {
			t.Errorf("%q with parameters %v after %s, want %v", r.Message, r.Params, r.RetryAfter, c.want)
		}
	}
}

func after(t room.Total, events []domain.Event) room.Total {
	for _, e := range events {
		t = e.(domain.Carries[room.Total]).After()
	}
	return t
}

// The license is the person's, else the account's default. Its allocation counts only
// in an account with another license.
func TestCapsOf(t *testing.T) {
	t.Parallel()
	n := func(i int) *int { return &i }
	licenses := func(all ...account.License) account.Account {
		a := account.Account{Licenses: map[string]account.License{}}
		for _, l := range all {
			a.Licenses[l.ID] = l
		}
		return a
	}
	main, eu := account.License{ID: "main", Default: true, Allocated: n(5)}, account.License{ID: "eu", Allocated: n(3)}
	free := account.License{ID: "free"}
	for name, c := range map[string]struct {
		account account.Account
		license string
		want    room.Caps
	}{
		"no license":                        {account.Account{}, "", room.Caps{Limit: n(9)}},
		"a license the account has not":     {account.Account{}, "eu", room.Caps{Limit: n(9)}},
		"the only one: no allocation":       {licenses(main), "main", room.Caps{Limit: n(9), LicenseID: "main"}},
		"the person's":                      {licenses(main, eu), "eu", room.Caps{Limit: n(9), LicenseID: "eu", Allocated: n(3)}},
		"the default of a person without":   {licenses(main, eu), "", room.Caps{Limit: n(9), LicenseID: "main", Allocated: n(5)}},
		"the default of one since removed":  {licenses(main, eu), "us", room.Caps{Limit: n(9), LicenseID: "main", Allocated: n(5)}},
		"no default":                        {licenses(eu, free), "", room.Caps{Limit: n(9)}},
		"one without an allocation, of two": {licenses(main, free), "free", room.Caps{Limit: n(9), LicenseID: "free"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, room.CapsOf(c.account, c.license, account.Allowance{Limit: n(9)})); d != "" {
				t.Errorf("caps (-want +got):\n%s", d)
			}
		})
	}
}
