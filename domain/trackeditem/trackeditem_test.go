package trackeditem_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
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
	if status == trackeditem.StatusDeleted {
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
		tracked, removed = trackeditem.StatusTracked, trackeditem.StatusRemoved
		deleted, results = trackeditem.StatusDeleted, trackeditem.StatusResultsDeleted
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
		"reserved by two":                   {reserved(first), joins, trackeditem.Joined{ItemID: sales, OperationID: second}},
		"reserved, tracked":                 {model(tracked), reserve, nil},
		"reserved, deleted":                 {model(deleted), reserve, nil},
		"a claim":                           {reserved(first), claim, trackeditem.Claimed{Item: claimed(first, trackeditem.ViaAssessment, noon)}},
		"a claim of who came second":        {reserved(first, second), late, trackeditem.Claimed{Item: claimed(second, trackeditem.ViaBenchmark, later)}},
		"a report's claim says of no way":   {reservedReport, trackeditem.Claim{OperationID: first, At: noon}, trackeditem.Claimed{Item: claimedReport}},
		"a claim without room":              {trackeditem.Item{}, claim, nil},
		"a claim after another's":           {claimed(second, trackeditem.ViaBenchmark, later), claim, nil},
		"given back":                        {reserved(first), back, trackeditem.Released{Item: reserved()}},
		"given back, another holds it":      {reserved(first, second), back, trackeditem.Left{ItemID: sales, OperationID: first}},
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
		"Pixies removed":                    {report(tracked), trackeditem.RemovePixies{}, trackeditem.Removed{Item: report(removed)}},
		"Pixies removed twice":              {report(removed), trackeditem.RemovePixies{}, nil},
		"Pixies removed, never tracked":     {trackeditem.Item{}, trackeditem.RemovePixies{}, nil},
		"Pixies removed from a model":       {model(tracked), trackeditem.RemovePixies{}, nil},
		"a tracked item deleted":            {model(tracked), gone, trackeditem.Deleted{Item: model(deleted)}},
		"a removed report deleted":          {report(removed), gone, trackeditem.Deleted{Item: report(deleted)}},
		"deleted twice":                     {model(deleted), gone, nil},
		"deleted, its results already gone": {model(results), gone, nil},
		"deleted, never tracked":            {trackeditem.Item{}, gone, nil},
		"not in a workspace it has left":    {model(tracked), trackeditem.MarkDeleted{WorkspaceID: other, At: noon}, nil},
		"results deleted":                   {model(tracked), trackeditem.DeleteResults{}, trackeditem.ResultsDeleted{Item: model(results)}},
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
				after = trackeditem.Evolve(after, e)
			}
			if again, _ := c.when.Decide(after); len(again) > 0 {
				t.Errorf("a second time: %v", again)
			}
		})
	}
}

// Operations that join and leave change only the list of those that hold room, and no list that another state has.
func TestJoinedAndLeft(t *testing.T) {
	t.Parallel()
	a, b, c := uuid.UUID{15: 1}, uuid.UUID{15: 2}, uuid.UUID{15: 3}
	one := trackeditem.Evolve(trackeditem.Item{}, trackeditem.Reserved{Item: trackeditem.Item{DisplayName: "Sales", ReservedBy: []uuid.UUID{a}}})
	three := trackeditem.Evolve(trackeditem.Evolve(one, trackeditem.Joined{OperationID: b}), trackeditem.Joined{OperationID: c})
	two := trackeditem.Evolve(three, trackeditem.Left{OperationID: a})
	for want, got := range map[string]trackeditem.Item{fmt.Sprint([]uuid.UUID{a}): one, fmt.Sprint([]uuid.UUID{a, b, c}): three, fmt.Sprint([]uuid.UUID{b, c}): two} {
		if fmt.Sprint(got.ReservedBy) != want || got.DisplayName != "Sales" {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
	if last := trackeditem.Evolve(two, trackeditem.Claimed{Item: trackeditem.Item{Status: trackeditem.StatusTracked}}); len(last.ReservedBy) > 0 || !last.Counts() {
		t.Errorf("claimed: %+v", last)
	}
}

func ids(n int) []uuid.UUID {
	all := make([]uuid.UUID, n)
	for i := range all {
		all[i] = uuid.UUID{14: 1, 15: byte(i)}
	}
	return all
}

func after(t room.Total, events []domain.Event) room.Total {
	for _, e := range events {
		t = e.(domain.Carries[room.Total]).After()
	}
	return t
}

// reservations are the operations of an account and their reservations, decided as the
// service decides them: items and count together.
type reservations struct {
	total room.Total
	items map[uuid.UUID]trackeditem.Item
}

func (r *reservations) item(id uuid.UUID, command domain.Command[trackeditem.Item]) bool {
	events, err := command.Decide(r.items[id])
	if err != nil {
		panic(err)
	}
	for _, e := range events {
		r.items[id] = trackeditem.Evolve(r.items[id], e)
	}
	return len(events) > 0
}

func (r *reservations) count(command domain.Command[room.Total]) bool {
	events, err := command.Decide(r.total)
	r.total = after(r.total, events)
	return err == nil
}

// reserve makes the operation reserve the items that do not count, all or none.
func (r *reservations) reserve(operationID uuid.UUID, caps room.Caps, chosen []uuid.UUID) bool {
	var fresh []uuid.UUID
	for _, id := range chosen {
		if i := r.items[id]; !i.Counts() && len(i.ReservedBy) == 0 {
			fresh = append(fresh, id)
		}
	}
	if !r.count(room.Reserve{ItemIDs: fresh, Caps: caps}) {
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
		r.count(room.Count{ItemIDs: []uuid.UUID{id}, LicenseID: license})
	}
}

func (r *reservations) giveBack(operationID, id uuid.UUID) {
	license := r.items[id].LicenseID
	if r.item(id, trackeditem.Release{OperationID: operationID}) && len(r.items[id].ReservedBy) == 0 {
		r.count(room.Release{ItemIDs: []uuid.UUID{id}, LicenseID: license})
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
		check := func(before room.Total) {
			t.Helper()
			if r.total.Used < before.Used {
				t.Fatalf("the count fell from %d to %d", before.Used, r.total.Used)
			}
			for l, n := range before.ByLicense {
				if r.total.ByLicense[l] < n {
					t.Fatalf("the count of license %q fell from %d to %d", l, n, r.total.ByLicense[l])
				}
			}
			want := room.Total{ByLicense: map[string]int{}, ReservedByLicense: map[string]int{}}
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
				caps := room.Caps{LicenseID: rapid.SampledFrom([]string{"", "main", "eu"}).Draw(t, "license")}
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
				case (now.DeletedAt != nil) != (now.Status == trackeditem.StatusDeleted):
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
