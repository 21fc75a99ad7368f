package trackeditem_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
	// stored is noon with the precision of the database.
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

// Every transition of docs/decisions.md 5, and every command in a state in which it
// does nothing.
//
// proves: 3.4/values
func TestTransitions(t *testing.T) {
	t.Parallel()
	const (
		tracked, removed = trackeditem.Tracked, trackeditem.Removed
		deleted, results = trackeditem.Deleted, trackeditem.ResultsDeleted
	)
	later := noon.Add(time.Hour)
	first, second := uuid.UUID{14: 2, 15: 1}, uuid.UUID{14: 2, 15: 2}
	reserve := trackeditem.Reserve{
		OperationID: first, ItemID: sales, ItemType: item.SemanticModel, WorkspaceID: retail, WorkspaceName: "Retail", DisplayName: "Sales", LicenseID: "main",
	}
	joins := reserve // by another operation, under another license
	joins.OperationID, joins.LicenseID = second, "eu"
	reserved := func(by ...uuid.UUID) trackeditem.Item {
		return trackeditem.Item{
			ItemID: sales, ItemType: item.SemanticModel, WorkspaceID: retail, WorkspaceName: "Retail", DisplayName: "Sales", LicenseID: "main", ReservedBy: by,
		}
	}
	claim := trackeditem.Claim{OperationID: first, Via: trackeditem.ViaAssessment, At: noon}
	late := trackeditem.Claim{OperationID: second, Via: trackeditem.ViaBenchmark, At: later}
	claimed := func(by uuid.UUID, via trackeditem.Via, at time.Time) trackeditem.Item {
		return change(reserved(), func(i *trackeditem.Item) {
			i.Status, i.ClaimedBy, i.ClaimedVia, i.TrackedSince = tracked, by, via, at.Truncate(time.Microsecond)
		})
	}
	reservedReport := change(reserved(first), func(i *trackeditem.Item) { i.ItemType = item.Report })
	claimedReport := change(claimed(first, "", noon), func(i *trackeditem.Item) { i.ItemType = item.Report })
	back := trackeditem.Release{OperationID: first}
	again := trackeditem.TrackAgain{WorkspaceID: retail, WorkspaceName: "Retail", DisplayName: "Sales"}
	moved := trackeditem.TrackAgain{WorkspaceID: other, WorkspaceName: "Other", DisplayName: "Sales 2"}
	elsewhere := func(i *trackeditem.Item) {
		i.WorkspaceID, i.WorkspaceName, i.DisplayName = other, "Other", "Sales 2"
	}
	gone := trackeditem.MarkDeleted{WorkspaceID: retail, At: noon}
	for name, c := range map[string]struct {
		given trackeditem.Item
		when  domain.Command[trackeditem.Item]
		then  domain.Event
	}{
		"reserved":                          {trackeditem.Item{}, reserve, trackeditem.Reserved{Item: reserved(first)}},
		"reserved twice":                    {reserved(first), reserve, nil},
		"reserved by two":                   {reserved(first), joins, trackeditem.Reserved{Item: reserved(first, second)}},
		"reserved, tracked":                 {model(tracked), reserve, nil},
		"reserved, deleted":                 {model(deleted), reserve, nil},
		"a claim":                           {reserved(first), claim, trackeditem.Claimed{Item: claimed(first, trackeditem.ViaAssessment, noon)}},
		"a claim of who came second":        {reserved(first, second), late, trackeditem.Claimed{Item: claimed(second, trackeditem.ViaBenchmark, later)}},
		"a report's claim says of no way":   {reservedReport, trackeditem.Claim{OperationID: first, At: noon}, trackeditem.Claimed{Item: claimedReport}},
		"a claim without room":              {trackeditem.Item{}, claim, nil},
		"a claim after another's":           {claimed(second, trackeditem.ViaBenchmark, later), claim, nil},
		"given back":                        {reserved(first), back, trackeditem.GivenBack{Item: reserved()}},
		"given back, another holds it":      {reserved(first, second), back, trackeditem.GivenBack{Item: reserved(second)}},
		"given back, not held":              {reserved(second), back, nil},
		"given back, tracked":               {model(tracked), back, nil},
		"reserved after it was given back":  {reserved(), joins, trackeditem.Reserved{Item: change(reserved(second), func(i *trackeditem.Item) { i.LicenseID = "eu" })}},
		"worked on as it is":                {model(tracked), again, nil},
		"worked on under another name":      {model(tracked), moved, trackeditem.Renamed{Item: change(model(tracked), elsewhere)}},
		"worked on, never tracked":          {reserved(first), moved, nil},
		"assessed after its results went":   {model(results), again, trackeditem.TrackedAgain{Item: model(tracked)}},
		"assessed after it was deleted":     {model(deleted), again, trackeditem.TrackedAgain{Item: model(tracked)}},
		"… in another workspace":            {model(deleted), moved, trackeditem.TrackedAgain{Item: change(model(tracked), elsewhere)}},
		"added again":                       {report(removed), again, trackeditem.AddedAgain{Item: report(tracked)}},
		"deleted, reserved":                 {reserved(first), gone, nil},
		"renamed, reserved":                 {reserved(first), trackeditem.Rename{DisplayName: "Revenue"}, nil},
		"results deleted, reserved":         {reserved(first), trackeditem.DeleteResults{}, nil},
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

// The plan's cap, then the license's allocation, at the limit and one above it, all or
// nothing for a call. Reserved room counts like used room.
//
// proves: 8/allowance-trackedItems 8/exhausted/TrackedItemLimitReached 8/exhausted/LicenseTrackedItemLimitReached decisions/9/6
func TestReserveRoom(t *testing.T) {
	t.Parallel()
	n := func(i int) *int { return &i }
	seven := trackeditem.Total{Used: 7, ByLicense: map[string]int{"main": 4, "eu": 3}}
	held := trackeditem.Total{Used: 4, ByLicense: map[string]int{"main": 3, "eu": 1}, Reserved: 3, ReservedByLicense: map[string]int{"main": 1, "eu": 2}}
	holds := func(t trackeditem.Total, by map[string]int) trackeditem.Total {
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
		given trackeditem.Total
		new   int
		caps  trackeditem.Caps
		code  domain.Code
		want  trackeditem.Total
	}{
		"none":                         {given: seven, caps: trackeditem.Caps{Limit: n(0), Allocated: n(0)}, want: seven},
		"the first":                    {new: 1, caps: trackeditem.Caps{LicenseID: "main"}, want: holds(trackeditem.Total{}, map[string]int{"main": 1})},
		"of an account of no license":  {new: 2, want: holds(trackeditem.Total{}, map[string]int{"": 2})},
		"up to the cap":                {given: seven, new: 3, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu"}, want: holds(seven, map[string]int{"eu": 3})},
		"up to the cap, some held":     {given: held, new: 3, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu"}, want: holds(held, map[string]int{"main": 1, "eu": 5})},
		"one above the cap":            {given: seven, new: 4, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu"}, code: domain.TrackedItemLimitReached, want: seven},
		"one above the cap, some held": {given: held, new: 4, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu"}, code: domain.TrackedItemLimitReached, want: held},
		"above a cap lowered since":    {given: seven, new: 1, caps: trackeditem.Caps{Limit: n(3)}, code: domain.TrackedItemLimitReached, want: seven},
		"up to the allocation":         {given: seven, new: 2, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, want: holds(seven, map[string]int{"eu": 2})},
		"one above the allocation":     {given: seven, new: 3, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, code: domain.LicenseTrackedItemLimitReached, want: seven},
		"… of what is held":            {given: held, new: 3, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, code: domain.LicenseTrackedItemLimitReached, want: held},
		"above both: the cap is named": {given: seven, new: 9, caps: trackeditem.Caps{Limit: n(10), LicenseID: "eu", Allocated: n(5)}, code: domain.TrackedItemLimitReached, want: seven},
		"an allocation without a cap":  {given: seven, new: 1, caps: trackeditem.Caps{LicenseID: "eu", Allocated: n(3)}, code: domain.LicenseTrackedItemLimitReached, want: seven},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, err := trackeditem.ReserveRoom{ItemIDs: ids(c.new), Caps: c.caps}.Decide(c.given)
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
		caps trackeditem.Caps
		want []domain.Param
		says string
	}{
		{trackeditem.Caps{Limit: n(10)}, []domain.Param{{Name: "allowance", Value: "trackedItems"}, {Name: "used", Value: "7"}, {Name: "limit", Value: "10"}}, "4 of the account's 10 are used, and 3 more are reserved"},
		{trackeditem.Caps{LicenseID: "eu", Allocated: n(3)}, []domain.Param{{Name: "allowance", Value: "trackedItems"}, {Name: "licenseId", Value: "eu"}, {Name: "used", Value: "3"}, {Name: "limit", Value: "3"}}, "license eu has used 1 of the 3 allocated to it, and 2 more are reserved"},
	} {
		_, err := trackeditem.ReserveRoom{ItemIDs: ids(4), Caps: c.caps}.Decide(held)
		r, _ := domain.Refused(err)
		if !slices.Equal(r.Params, c.want) || r.RetryAfter != 0 || !strings.Contains(r.Message, c.says) {
			t.Errorf("%q with parameters %v after %s, want %v", r.Message, r.Params, r.RetryAfter, c.want)
		}
	}
}

func after(t trackeditem.Total, events []domain.Event) trackeditem.Total {
	for _, e := range events {
		t = e.(domain.Carries[trackeditem.Total]).After()
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

// reservations are the operations of an account and their reservations, decided as the
// service decides them: items and count together.
type reservations struct {
	total trackeditem.Total
	items map[uuid.UUID]trackeditem.Item
}

func (r *reservations) item(id uuid.UUID, command domain.Command[trackeditem.Item]) bool {
	events, err := command.Decide(r.items[id])
	if err != nil {
		panic(err)
	}
	for _, e := range events {
		r.items[id] = e.(domain.Carries[trackeditem.Item]).After()
	}
	return len(events) > 0
}

func (r *reservations) count(command domain.Command[trackeditem.Total]) bool {
	events, err := command.Decide(r.total)
	r.total = after(r.total, events)
	return err == nil
}

// reserve makes the operation reserve the items that do not count, all or none.
func (r *reservations) reserve(operationID uuid.UUID, caps trackeditem.Caps, chosen []uuid.UUID) bool {
	var fresh []uuid.UUID
	for _, id := range chosen {
		if i := r.items[id]; !i.Counts() && len(i.ReservedBy) == 0 {
			fresh = append(fresh, id)
		}
	}
	if !r.count(trackeditem.ReserveRoom{ItemIDs: fresh, Caps: caps}) {
		return false
	}
	for _, id := range chosen {
		typ := item.SemanticModel
		if id[15]%2 == 0 {
			typ = item.Report
		}
		r.item(id, trackeditem.Reserve{OperationID: operationID, ItemID: id, ItemType: typ, WorkspaceID: retail, DisplayName: "Sales", LicenseID: caps.LicenseID})
	}
	return true
}

func (r *reservations) claim(operationID, id uuid.UUID, at time.Time) {
	license := r.items[id].LicenseID
	if r.item(id, trackeditem.Claim{OperationID: operationID, At: at}) {
		r.count(trackeditem.Count{ItemIDs: []uuid.UUID{id}, LicenseID: license})
	}
}

func (r *reservations) giveBack(operationID, id uuid.UUID) {
	license := r.items[id].LicenseID
	if r.item(id, trackeditem.Release{OperationID: operationID}) && len(r.items[id].ReservedBy) == 0 {
		r.count(trackeditem.ReleaseRoom{ItemIDs: []uuid.UUID{id}, LicenseID: license})
	}
}

// Operations reserve, claim and end in any order, items change status, and plan and
// allocations change. The count is the number of claimed items, each under one license,
// and never goes down. Room is reserved exactly for the items with reservations. An
// accepted call leaves both within its caps. Once every operation has ended, no room is
// reserved.
//
// proves: 8/allowance-trackedItems 2.6/status decisions/9/6
func TestCountAndReservations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := reservations{items: map[uuid.UUID]trackeditem.Item{}}
		going := map[uuid.UUID][]uuid.UUID{} // by operation, what it may still claim
		at := noon
		operations := ids(20)
		check := func(before trackeditem.Total) {
			t.Helper()
			if r.total.Used < before.Used {
				t.Fatalf("the count fell from %d to %d", before.Used, r.total.Used)
			}
			for l, n := range before.ByLicense {
				if r.total.ByLicense[l] < n {
					t.Fatalf("the count of license %q fell from %d to %d", l, n, r.total.ByLicense[l])
				}
			}
			want := trackeditem.Total{ByLicense: map[string]int{}, ReservedByLicense: map[string]int{}}
			for _, i := range r.items {
				switch {
				case i.Counts() && len(i.ReservedBy) > 0:
					t.Fatalf("%+v counts, and is reserved", i)
				case i.Counts():
					want.Used++
					want.ByLicense[i.LicenseID]++
				case len(i.ReservedBy) > 0:
					want.Reserved++
					want.ReservedByLicense[i.LicenseID]++
				}
			}
			if d := cmp.Diff(want, r.total, cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("the total of %+v (-want +got):\n%s", r.items, d)
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			before, were := r.total, maps.Clone(r.items)
			at = at.Add(time.Minute)
			chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(ids(8)), 1, 4, rapid.ID).Draw(t, "items")
			operationID := rapid.SampledFrom(operations).Draw(t, "operation")
			switch rapid.IntRange(0, 6).Draw(t, "what") {
			case 0, 1, 2:
				caps := trackeditem.Caps{LicenseID: rapid.SampledFrom([]string{"", "main", "eu"}).Draw(t, "license")}
				if rapid.Bool().Draw(t, "capped") {
					caps.Limit = new(rapid.IntRange(0, 8).Draw(t, "limit"))
				}
				if rapid.Bool().Draw(t, "allocated") {
					caps.Allocated = new(rapid.IntRange(0, 8).Draw(t, "allocated to it"))
				}
				if _, known := going[operationID]; known {
					continue
				}
				refused := !r.reserve(operationID, caps, chosen)
				switch held := r.total.Used + r.total.Reserved; {
				case refused && !maps.EqualFunc(were, r.items, func(a, b trackeditem.Item) bool { return cmp.Equal(a, b) }):
					t.Fatal("a call that is refused reserved something")
				case !refused && caps.Limit != nil && held > *caps.Limit && held > before.Used+before.Reserved:
					t.Fatalf("%+v under a cap of %d", r.total, *caps.Limit)
				case !refused:
					going[operationID] = chosen
				}
			case 3, 4: // some items have their outcome
				for _, id := range going[operationID] {
					if rapid.Bool().Draw(t, "claims") {
						r.claim(operationID, id, at)
					}
				}
			case 5: // the operation ends
				for _, id := range going[operationID] {
					r.giveBack(operationID, id)
				}
			case 6:
				for _, id := range chosen {
					command := rapid.SampledFrom([]domain.Command[trackeditem.Item]{
						trackeditem.RemovePixies{}, trackeditem.DeleteResults{}, trackeditem.MarkDeleted{WorkspaceID: retail, At: at},
						trackeditem.Rename{DisplayName: fmt.Sprint(at)}, trackeditem.TrackAgain{WorkspaceID: retail, DisplayName: fmt.Sprint(at)},
					}).Draw(t, "command")
					r.item(id, command)
				}
			}
			for id, was := range were {
				switch now := r.items[id]; {
				case was.Counts() && (!now.Counts() || now.TrackedSince != was.TrackedSince || now.LicenseID != was.LicenseID || now.ItemType != was.ItemType || now.ClaimedBy != was.ClaimedBy):
					t.Fatalf("%+v became %+v", was, now)
				case (now.DeletedAt != nil) != (now.Status == trackeditem.Deleted):
					t.Fatalf("%s since %v", now.Status, now.DeletedAt)
				}
			}
			check(before)
		}
		for operationID, chosen := range going {
			before := r.total
			for _, id := range chosen {
				r.giveBack(operationID, id)
			}
			check(before)
		}
		if r.total.Reserved != 0 || len(r.total.ReservedByLicense) != 0 {
			t.Fatalf("every operation has ended, and %+v", r.total)
		}
	})
}
