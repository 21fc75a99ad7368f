package trackeditem_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/trackeditem"
)

var (
	retail = uuid.UUID{15: 1}
	other  = uuid.UUID{15: 2}
	sales  = uuid.UUID{15: 3}
	noon   = time.Date(2026, 11, 21, 12, 0, 0, 123456789, time.UTC)
	// stored is noon as a database keeps it.
	stored = noon.Truncate(time.Microsecond)
)

func model(status trackeditem.Status) trackeditem.Item {
	i := trackeditem.Item{
		ItemID: sales, ItemType: item.SemanticModel, WorkspaceID: retail, WorkspaceName: "Retail", DisplayName: "Sales",
		Status: status, TrackedSince: stored, LicenseID: "main", ClaimedVia: trackeditem.ViaAssessment,
	}
	if status == trackeditem.Deleted {
		i.DeletedAt = &stored
	}
	return i
}

func report(status trackeditem.Status) trackeditem.Item {
	i := model(status)
	i.ItemType, i.ClaimedVia = item.Report, ""
	return i
}

func change(i trackeditem.Item, with func(*trackeditem.Item)) trackeditem.Item {
	with(&i)
	return i
}

// Every transition of decisions 5, and every command where it does nothing.
//
// proves: 3.4/values
func TestTransitions(t *testing.T) {
	t.Parallel()
	const (
		tracked, removed = trackeditem.Tracked, trackeditem.Removed
		deleted, results = trackeditem.Deleted, trackeditem.ResultsDeleted
	)
	later := noon.Add(time.Hour)
	claim := trackeditem.Claim{
		ItemID: sales, ItemType: item.SemanticModel, WorkspaceID: retail, WorkspaceName: "Retail", DisplayName: "Sales",
		LicenseID: "main", Via: trackeditem.ViaAssessment, At: noon,
	}
	again := claim // by another license, an hour later: the first claim stands
	again.LicenseID, again.Via, again.At = "eu", trackeditem.ViaBenchmark, later
	add := claim
	add.ItemType, add.Via = item.Report, ""
	moved := again
	moved.WorkspaceID, moved.WorkspaceName, moved.DisplayName = other, "Other", "Sales 2"
	elsewhere := func(i *trackeditem.Item) {
		i.WorkspaceID, i.WorkspaceName, i.DisplayName = other, "Other", "Sales 2"
	}
	gone := trackeditem.MarkDeleted{WorkspaceID: retail, At: noon}
	for name, c := range map[string]struct {
		given trackeditem.Item
		when  domain.Command[trackeditem.Item]
		then  domain.Event
	}{
		"a claim":                           {trackeditem.Item{}, claim, trackeditem.Claimed{Item: model(tracked)}},
		"a report's claim says of no way":   {trackeditem.Item{}, add, trackeditem.Claimed{Item: report(tracked)}},
		"a second claim changes nothing":    {model(tracked), again, nil},
		"a claim under another name":        {model(tracked), moved, trackeditem.Renamed{Item: change(model(tracked), elsewhere)}},
		"assessed after its results went":   {model(results), again, trackeditem.TrackedAgain{Item: model(tracked)}},
		"assessed after it was deleted":     {model(deleted), again, trackeditem.TrackedAgain{Item: model(tracked)}},
		"… in another workspace":            {model(deleted), moved, trackeditem.TrackedAgain{Item: change(model(tracked), elsewhere)}},
		"added again":                       {report(removed), add, trackeditem.AddedAgain{Item: report(tracked)}},
		"Pixies removed":                    {report(tracked), trackeditem.RemovePixies{}, trackeditem.PixiesRemoved{Item: report(removed)}},
		"Pixies removed twice":              {report(removed), trackeditem.RemovePixies{}, nil},
		"Pixies removed, never tracked":     {trackeditem.Item{}, trackeditem.RemovePixies{}, nil},
		"Pixies removed from a model":       {model(tracked), trackeditem.RemovePixies{}, nil},
		"a tracked item deleted":            {model(tracked), gone, trackeditem.Gone{Item: model(deleted)}},
		"a removed report deleted":          {report(removed), gone, trackeditem.Gone{Item: report(deleted)}},
		"deleted twice":                     {model(deleted), gone, nil},
		"deleted, its results already gone": {model(results), gone, nil},
		"deleted, never tracked":            {trackeditem.Item{}, gone, nil},
		"not in a workspace it has left":    {model(tracked), trackeditem.MarkDeleted{WorkspaceID: other, At: noon}, nil},
		"results deleted":                   {model(tracked), trackeditem.DeleteResults{}, trackeditem.ResultsGone{Item: model(results)}},
		"results deleted twice":             {model(results), trackeditem.DeleteResults{}, nil},
		"results of a deleted model":        {model(deleted), trackeditem.DeleteResults{}, nil},
		"results of a report":               {report(tracked), trackeditem.DeleteResults{}, nil},
		"renamed":                           {model(tracked), trackeditem.Rename{DisplayName: "Revenue"}, trackeditem.Renamed{Item: change(model(tracked), func(i *trackeditem.Item) { i.DisplayName = "Revenue" })}},
		"renamed to what it is":             {model(tracked), trackeditem.Rename{DisplayName: "Sales"}, nil},
		"renamed, never tracked":            {trackeditem.Item{}, trackeditem.Rename{DisplayName: "Revenue"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, err := c.when.Decide(c.given)
			var want []domain.Event
			if c.then != nil {
				want = []domain.Event{c.then}
			}
			if err != nil || !cmp.Equal(events, want) {
				t.Errorf("got %v (%v)\n%s", events, err, cmp.Diff(want, events))
			}
			after := c.given
			for _, e := range events {
				after = e.(domain.Carries[trackeditem.Item]).After()
			}
			if again, _ := c.when.Decide(after); len(again) > 0 {
				t.Errorf("a second time: %v", again)
			}
		})
	}
}

func ids(n int) []uuid.UUID {
	all := make([]uuid.UUID, n)
	for i := range all {
		all[i] = uuid.UUID{14: 1, 15: byte(i)}
	}
	return all
}

// The plan's cap, then the license's allocation; at the limit and one above it,
// and whole for a call (spec 8).
//
// proves: 8/allowance-trackedItems 8/exhausted/TrackedItemLimitReached 8/exhausted/LicenseTrackedItemLimitReached
func TestCount(t *testing.T) {
	t.Parallel()
	n := func(i int) *int { return &i }
	seven := trackeditem.Total{Used: 7, ByLicense: map[string]int{"main": 4, "eu": 3}}
	for name, c := range map[string]struct {
		given trackeditem.Total
		new   int
		caps  trackeditem.Caps
		code  domain.Code
		want  trackeditem.Total
	}{
		"none":                         {given: seven, caps: trackeditem.Caps{Limit: n(0), Allocated: n(0)}, want: seven},
		"the first":                    {new: 1, caps: trackeditem.Caps{LicenseID: "main"}, want: trackeditem.Total{Used: 1, ByLicense: map[string]int{"main": 1}}},
		"of an account of no license":  {new: 2, want: trackeditem.Total{Used: 2, ByLicense: map[string]int{"": 2}}},
		"up to the cap":                {given: seven, new: 3, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu"}, want: trackeditem.Total{Used: 10, ByLicense: map[string]int{"main": 4, "eu": 6}}},
		"one above the cap":            {given: seven, new: 4, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu"}, code: domain.TrackedItemLimitReached, want: seven},
		"above a cap lowered since":    {given: seven, new: 1, caps: trackeditem.Caps{Limit: n(3)}, code: domain.TrackedItemLimitReached, want: seven},
		"up to the allocation":         {given: seven, new: 2, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, want: trackeditem.Total{Used: 9, ByLicense: map[string]int{"main": 4, "eu": 5}}},
		"one above the allocation":     {given: seven, new: 3, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, code: domain.LicenseTrackedItemLimitReached, want: seven},
		"above both: the cap is named": {given: seven, new: 9, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, code: domain.TrackedItemLimitReached, want: seven},
		"an allocation without a cap":  {given: seven, new: 1, caps: trackeditem.Caps{LicenseID: "eu", Allocated: n(3)}, code: domain.LicenseTrackedItemLimitReached, want: seven},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, err := trackeditem.Count{ItemIDs: ids(c.new), Caps: c.caps}.Decide(c.given)
			if c.code == "" && err != nil || c.code != "" && !domain.IsRefused(err, c.code) {
				t.Errorf("got %v, want %q", err, c.code)
			}
			got := c.given
			for _, e := range events {
				got = e.(domain.Carries[trackeditem.Total]).After()
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("total (-want +got):\n%s", d)
			}
		})
	}
	if d := cmp.Diff(map[string]int{"main": 4, "eu": 3}, seven.ByLicense); d != "" {
		t.Errorf("a total handed out has changed:\n%s", d)
	}
	_, err := trackeditem.Count{ItemIDs: ids(4), Caps: trackeditem.Caps{Limit: n(10)}}.Decide(seven)
	r, _ := domain.Refused(err)
	if want := []domain.Param{{Name: "allowance", Value: "trackedItems"}, {Name: "used", Value: "7"}, {Name: "limit", Value: "10"}}; !slices.Equal(r.Params, want) || r.RetryAfter != 0 {
		t.Errorf("parameters %v after %s, want %v", r.Params, r.RetryAfter, want)
	}
	_, err = trackeditem.Count{ItemIDs: ids(1), Caps: trackeditem.Caps{LicenseID: "eu", Allocated: n(3)}}.Decide(seven)
	r, _ = domain.Refused(err)
	if want := []domain.Param{{Name: "allowance", Value: "trackedItems"}, {Name: "licenseId", Value: "eu"}, {Name: "used", Value: "3"}, {Name: "limit", Value: "3"}}; !slices.Equal(r.Params, want) {
		t.Errorf("parameters %v, want %v", r.Params, want)
	}
}

// The license is the person's, else the account's default, and its allocation
// counts only beside another license (spec 4.7, add rule 4).
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
		want    trackeditem.Caps
	}{
		"no license":                        {account.Account{}, "", trackeditem.Caps{Limit: n(9)}},
		"a license the account has not":     {account.Account{}, "eu", trackeditem.Caps{Limit: n(9)}},
		"the only one: no allocation":       {licenses(main), "main", trackeditem.Caps{Limit: n(9), LicenseID: "main"}},
		"the person's":                      {licenses(main, eu), "eu", trackeditem.Caps{Limit: n(9), LicenseID: "eu", Allocated: n(3)}},
		"the default of a person without":   {licenses(main, eu), "", trackeditem.Caps{Limit: n(9), LicenseID: "main", Allocated: n(5)}},
		"the default of one since removed":  {licenses(main, eu), "us", trackeditem.Caps{Limit: n(9), LicenseID: "main", Allocated: n(5)}},
		"no default":                        {licenses(eu, free), "", trackeditem.Caps{Limit: n(9)}},
		"one without an allocation, of two": {licenses(main, free), "free", trackeditem.Caps{Limit: n(9), LicenseID: "free"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, trackeditem.CapsOf(c.account, c.license, account.Allowance{Limit: n(9)})); d != "" {
				t.Errorf("caps (-want +got):\n%s", d)
			}
		})
	}
}

// Whatever happens to the items, and however the plan and the allocations
// change, the count is how many were ever claimed, each under one license, and
// never goes down.
//
// proves: 8/allowance-trackedItems 2.6/status
func TestCountNeverGoesDown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		items := map[uuid.UUID]trackeditem.Item{}
		licenseOf := map[uuid.UUID]string{}
		var total trackeditem.Total
		at := noon
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			before := total
			at = at.Add(time.Minute)
			chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(ids(8)), 1, 4, rapid.ID).Draw(t, "items")
			var command func(id uuid.UUID) domain.Command[trackeditem.Item]
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0, 1:
				caps := trackeditem.Caps{LicenseID: rapid.SampledFrom([]string{"", "main", "eu"}).Draw(t, "license")}
				if rapid.Bool().Draw(t, "capped") {
					caps.Limit = new(rapid.IntRange(0, 8).Draw(t, "limit"))
				}
				if rapid.Bool().Draw(t, "allocated") {
					caps.Allocated = new(rapid.IntRange(0, 8).Draw(t, "allocated to it"))
				}
				var fresh []uuid.UUID
				for _, id := range chosen {
					if !items[id].Counts() {
						fresh = append(fresh, id)
					}
				}
				events, err := trackeditem.Count{ItemIDs: fresh, Caps: caps}.Decide(total)
				if err != nil {
					continue // refused whole
				}
				for _, e := range events {
					total = e.(domain.Carries[trackeditem.Total]).After()
				}
				for _, id := range fresh {
					licenseOf[id] = caps.LicenseID
				}
				command = func(id uuid.UUID) domain.Command[trackeditem.Item] {
					typ := item.SemanticModel
					if id[15]%2 == 0 {
						typ = item.Report
					}
					return trackeditem.Claim{ItemID: id, ItemType: typ, WorkspaceID: retail, DisplayName: fmt.Sprint(at), LicenseID: caps.LicenseID, At: at}
				}
			case 2:
				command = func(uuid.UUID) domain.Command[trackeditem.Item] { return trackeditem.RemovePixies{} }
			case 3:
				command = func(uuid.UUID) domain.Command[trackeditem.Item] { return trackeditem.DeleteResults{} }
			case 4:
				command = func(uuid.UUID) domain.Command[trackeditem.Item] {
					return trackeditem.MarkDeleted{WorkspaceID: retail, At: at}
				}
			case 5:
				command = func(uuid.UUID) domain.Command[trackeditem.Item] {
					return trackeditem.Rename{DisplayName: fmt.Sprint(at)}
				}
			}
			for _, id := range chosen {
				was := items[id]
				events, err := command(id).Decide(was)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					items[id] = e.(domain.Carries[trackeditem.Item]).After()
				}
				switch now := items[id]; {
				case was.Counts() && (!now.Counts() || now.TrackedSince != was.TrackedSince || now.LicenseID != was.LicenseID || now.ItemType != was.ItemType):
					t.Fatalf("%+v became %+v", was, now)
				case (now.DeletedAt != nil) != (now.Status == trackeditem.Deleted):
					t.Fatalf("%s since %v", now.Status, now.DeletedAt)
				}
			}
			if total.Used < before.Used {
				t.Fatalf("the count fell from %d to %d", before.Used, total.Used)
			}
			for l, n := range before.ByLicense {
				if total.ByLicense[l] < n {
					t.Fatalf("the count of license %q fell from %d to %d", l, n, total.ByLicense[l])
				}
			}
			claimed, by := 0, map[string]int{}
			for id, i := range items {
				if i.Counts() {
					claimed++
					by[licenseOf[id]]++
				}
			}
			if total.Used != claimed || !maps.Equal(by, total.ByLicense) {
				t.Fatalf("%+v for %d claimed items of %v", total, claimed, by)
			}
		}
	})
}
