package commands_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/testworld"
)

// claims turns the items that the operation reserved into tracked items, as its end
// does.
func (s *service) claims(t *testing.T, accountID string, via trackeditem.Via, operationID uuid.UUID, ids ...uuid.UUID) {
	t.Helper()
	tracking := commands.Track(accountID, ids...)
	err := s.Store.Change(t.Context(), eventstore.Metadata{Account: accountID}, tracking.Pasts(), func(c *eventstore.Change) error {
		for _, id := range ids {
			if err := tracking.Claim(c, operationID, id, via, s.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	check(t, err)
}

// assess starts an assessment of the n-th model, or of several in one run, claims
// what it reserved and returns its announced impact.
func (s *service) assess(t *testing.T, caller commands.Caller, models ...int) operation.Impact {
	t.Helper()
	ids := make([]uuid.UUID, len(models))
	for i, n := range models {
		ids[i] = model(n)
	}
	start := func() (commands.Accepted, error) {
		if len(ids) == 1 {
			return s.Assessments.Start(t.Context(), caller, retail, ids[0])
		}
		return s.Assessments.StartBulk(t.Context(), caller, retail, ids)
	}
	got, err := start()
	check(t, err)
	op, found, err := s.Views.Operation(t.Context(), caller.Account, got.OperationID)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	s.claims(t, caller.Account, trackeditem.ViaAssessment, got.OperationID, ids...)
	return op.Impact
}

// tracked returns the account's tracked items by id.
func (s *service) tracked(t *testing.T, accountID string) map[uuid.UUID]trackeditem.Item {
	t.Helper()
	all, err := s.Views.TrackedItems(t.Context(), projections.TrackedItemsQuery{AccountID: accountID, Limit: 1000})
	check(t, err)
	byID := map[uuid.UUID]trackeditem.Item{}
	for _, i := range all {
		i.ClaimedBy = uuid.Nil
		byID[i.ItemID] = i
	}
	return byID
}

// total returns the account's count.
func (s *service) total(t *testing.T, accountID string) room.Total {
	t.Helper()
	p := eventstore.FoldLast[room.Total](room.Stream(accountID))
	check(t, s.Store.Load(t.Context(), p))
	return p.State
}

// limited is a plan without limits except the number of tracked items.
func (s *service) limited(items int) account.Plan {
	l := s.Plans[account.Enterprise]
	l.TrackedItems.Limit = &items
	s.Plans["Limited"] = l
	return "Limited"
}

// The second accepted assessment of a model makes it a tracked item permanently:
// one claim, counted once (docs/decisions.md 5).
//
// proves: 3.5/second-assessment-tracks 2.13/AllowanceImpact-tracked 2.6/id 2.6/itemType 2.6/workspaceId-displayName-workspaceName 2.6/status 2.6/trackedSinceUtc 2.6/deletedAtUtc 2.6/licenseId 2.6/claimedVia
func TestSecondAssessmentTracks(t *testing.T) {
	t.Parallel()
	s := newService(t, 3)
	ana := s.Ana(account.Team)
	no, yes, none, two := false, true, 0, 2
	claims := func(got operation.Impact, single *bool, many *int) {
		t.Helper()
		if d := cmp.Diff([]any{single, many}, []any{got.TrackedItem, got.TrackedItems}); d != "" {
			t.Errorf("new tracked items (-want +got):\n%s", d)
		}
	}
	claims(s.assess(t, ana, 0), &no, nil)
	claims(s.assess(t, ana, 1, 2), nil, &none)
	if all := s.tracked(t, "contoso"); len(all) != 0 || s.total(t, "contoso").Used != 0 {
		t.Fatalf("first looks are tracked: %v", all)
	}
	claims(s.assess(t, ana, 0), &yes, nil)
	claims(s.assess(t, ana, 0), &no, nil)
	s.Clock.Advance(time.Hour)
	claims(s.assess(t, ana, 2, 0, 1), nil, &two)
	claims(s.assess(t, s.Person("fabrikam", "ana", account.Team), 0), &no, nil)

	one := func(n int, name string, since time.Time) trackeditem.Item {
		return trackeditem.Item{
			ItemID: model(n), ItemType: item.SemanticModel, WorkspaceID: retail, WorkspaceName: "Retail", DisplayName: name,
			Status: trackeditem.StatusTracked, TrackedSince: since, ClaimedVia: trackeditem.ViaAssessment,
		}
	}
	want := map[uuid.UUID]trackeditem.Item{
		model(0): one(0, "Model 000", noon), model(1): one(1, "Model 001", noon.Add(time.Hour)), model(2): one(2, "Model 002", noon.Add(time.Hour)),
	}
	if d := cmp.Diff(want, s.tracked(t, "contoso")); d != "" {
		t.Errorf("tracked items (-want +got):\n%s", d)
	}
	if d := cmp.Diff(room.Total{Used: 3, ByLicense: map[string]int{"": 3}}, s.total(t, "contoso"), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("count (-want +got):\n%s", d)
	}
	if all := s.tracked(t, "fabrikam"); len(all) != 0 {
		t.Errorf("the other account tracks %v", all)
	}
}

// A model whose results were deleted is tracked again by its next assessment and
// not counted a second time (docs/decisions.md 5).
func TestTrackedAgain(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	plan := s.limited(1)
	s.assess(t, s.Ana(plan), 0)
	s.assess(t, s.Ana(plan), 0)
	past := eventstore.FoldLast[trackeditem.Item](trackeditem.Stream("contoso", model(0)))
	testworld.Record(t, s.World, "contoso", past, domain.Command[trackeditem.Item](trackeditem.DeleteResults{}))
	if got := s.tracked(t, "contoso")[model(0)].Status; got != trackeditem.StatusResultsDeleted {
		t.Fatal(got)
	}
	if impact := s.assess(t, s.Ana(plan), 0); *impact.TrackedItem {
		t.Error("it became a tracked item a second time")
	}
	if got := s.tracked(t, "contoso")[model(0)].Status; got != trackeditem.StatusTracked || s.total(t, "contoso").Used != 1 {
		t.Errorf("%s, and the count is %+v", got, s.total(t, "contoso"))
	}
}

// The plan's cap and the license's allocation refuse a call as a unit, before
// anything is queued or spent, and after the allowances.
//
// proves: 7.2/TrackedItemLimitReached 7.2/LicenseTrackedItemLimitReached 8/allowance-trackedItems decisions/1/order-allowance-caps
func TestTrackedItemCaps(t *testing.T) {
	t.Parallel()
	two, one, many := 2, 1, 100
	licenses := func(all ...account.License) *account.Declaration {
		for i := range all {
			all[i].Status = account.LicenseActive
		}
		return &account.Declaration{AccountID: "contoso", Plan: account.Enterprise, Status: account.Active, Settings: account.Settings{DefinitionCopies: account.CopiesNone}, Licenses: all, People: []account.Person{{Person: item.Person{ID: "ana"}, Role: account.Admin}}}
	}
	main, eu := account.License{ID: "main", Default: true, Allocated: &two}, account.License{ID: "eu", Allocated: &one}
	for name, c := range map[string]struct {
		account *account.Declaration // nil: no licenses
		plan    *int
		license string
		takes   int // tracked items there is room for
		code    domain.Code
		by      string // the license that is counted
	}{
		"the plan's cap":                       {plan: &two, takes: 2, code: domain.TrackedItemLimitReached},
		"a cap of none":                        {plan: new(int), code: domain.TrackedItemLimitReached},
		"the person's license":                 {account: licenses(main, eu), license: "eu", takes: 1, code: domain.LicenseTrackedItemLimitReached, by: "eu"},
		"the default license":                  {account: licenses(main, eu), takes: 2, code: domain.LicenseTrackedItemLimitReached, by: "main"},
		"the plan's before the license's":      {account: licenses(main, eu), plan: &one, takes: 1, code: domain.TrackedItemLimitReached, by: "main"},
		"the license's before the plan's":      {account: licenses(main, eu), plan: &many, license: "eu", takes: 1, code: domain.LicenseTrackedItemLimitReached, by: "eu"},
		"the only license has no allocation":   {account: licenses(main), takes: 4, by: "main"},
		"the account has none of that license": {account: licenses(main, eu), license: "gone", takes: 2, code: domain.LicenseTrackedItemLimitReached, by: "main"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, 4)
			if c.account != nil {
				if _, err := s.Accounts.Apply(t.Context(), []account.Declaration{*c.account}); err != nil {
					t.Fatal(err)
				}
			}
			limits := s.Plans[account.Enterprise]
			limits.TrackedItems.Limit = c.plan
			s.Plans["Limited"] = limits
			limits.Assessments.Limit = new(5)
			s.Plans["FewAssessments"] = limits
			ana := s.Ana("Limited")
			ana.License = c.license
			s.assess(t, ana, 0, 1, 2, 3)
			for n := range c.takes {
				s.assess(t, ana, n)
			}
			if got := s.total(t, "contoso"); got.Used != c.takes || got.ByLicense[c.by] != c.takes {
				t.Fatalf("the count is %+v, want %d", got, c.takes)
			}
			for _, i := range s.tracked(t, "contoso") {
				if i.LicenseID != c.by {
					t.Errorf("%s counts against license %q, want %q", i.DisplayName, i.LicenseID, c.by)
				}
			}
			if c.code == "" {
				return
			}
			before, used := s.Left(t), s.Used(t, "contoso", account.Assessments, account.Day)
			refused := func(code domain.Code, err error) {
				t.Helper()
				if !domain.IsRefused(err, code) {
					t.Errorf("got %v, want %s", err, code)
				}
			}
			_, err := s.Assessments.Start(t.Context(), ana, retail, model(3))
			refused(c.code, err)
			_, err = s.Assessments.StartBulk(t.Context(), ana, retail, []uuid.UUID{model(0), model(3)})
			refused(c.code, err)
			poor := ana
			poor.Plan = "FewAssessments"
			_, err = s.Assessments.StartBulk(t.Context(), poor, retail, []uuid.UUID{model(0), model(3)})
			refused(domain.AssessmentDailyLimitReached, err)
			s.Unchanged(t, before)
			if n := s.Used(t, "contoso", account.Assessments, account.Day); n != used {
				t.Errorf("the refused calls spent %d assessments", n-used)
			}
			if c.takes > 0 { // items that are already tracked need no room
				s.assess(t, ana, 0)
			}
		})
	}
}

// A bulk run is counted in full: if one of its items does not fit, none is tracked.
func TestTrackedItemCapOfBulk(t *testing.T) {
	t.Parallel()
	s := newService(t, 4)
	plan := s.limited(3)
	ana := s.Ana(plan)
	s.assess(t, ana, 0, 1, 2, 3)
	before := s.Left(t)
	_, err := s.Assessments.StartBulk(t.Context(), ana, retail, []uuid.UUID{model(0), model(1), model(2), model(3)})
	r, _ := domain.Refused(err)
	if !domain.IsRefused(err, domain.TrackedItemLimitReached) || !cmp.Equal(r.Params, []domain.Param{{Name: "allowance", Value: "trackedItems"}, {Name: "used", Value: "0"}, {Name: "limit", Value: "3"}}) {
		t.Errorf("got %v about %v", err, r.Params)
	}
	s.Unchanged(t, before)
	if got := *s.assess(t, ana, 0, 1, 2).TrackedItems; got != 3 {
		t.Errorf("the count is %d, want 3", got)
	}
}

// Fifty callers race for the last ten tracked items: ten models are reserved.
//
// proves: 8/allowance-trackedItems decisions/9/6
func TestRaceForTrackedItems(t *testing.T) {
	t.Parallel()
	s := newService(t, 50)
	ana := s.Ana(s.limited(10))
	all := make([]int, 50)
	for i := range all {
		all[i] = i
	}
	s.assess(t, ana, all...)
	before := s.Left(t)
	errs := make([]error, 50)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = s.Assessments.Start(context.Background(), ana, retail, model(i)) })
	}
	wg.Wait()
	accepted := 0
	for _, err := range errs {
		if err == nil {
			accepted++
		} else if !domain.IsRefused(err, domain.TrackedItemLimitReached) {
			t.Errorf("got %v", err)
		}
	}
	if n, total := len(s.tracked(t, "contoso")), s.total(t, "contoso"); accepted != 10 || n != 0 || total.Used != 0 || total.Reserved != 10 || s.Left(t).Jobs != before.Jobs+10 {
		t.Errorf("%d calls were accepted, %d items are tracked and %+v counted", accepted, n, total)
	}
}

// An item that a listing of a visible workspace lacks was deleted; one with another
// name was renamed. A plain listing and that of a bulk assessment record it, once
// (decisions/8/8).
func TestListingNoticesTrackedItems(t *testing.T) {
	t.Parallel()
	s := newService(t, 4)
	bob := s.Person("contoso", "bob", account.Team)
	s.assess(t, bob, 0, 1, 2, 3)
	s.assess(t, bob, 0, 1, 2, 3)
	s.Clock.Advance(time.Hour)
	list := func(caller commands.Caller, workspace uuid.UUID, kind item.Type) error {
		_, err := s.Workspaces.Items(t.Context(), caller, workspace, kind)
		return err
	}
	remove := func(n string) {
		t.Helper()
		s.Remove(t, "Retail", n+".SemanticModel")
	}
	events := func() int { return s.Left(t).Events }

	before := events()
	if err := list(bob, retail, item.SemanticModel); err != nil || events() != before {
		t.Errorf("a listing without news wrote %d events (%v)", events()-before, err)
	}
	remove("Model 000")
	remove("Model 001")
	s.has(t, "Retail", "Renamed", model(1))
	for name, c := range map[string]struct {
		call error
		code domain.Code
	}{
		"items of another type":     {call: list(bob, retail, item.Report)},
		"another account's listing": {call: list(s.Person("fabrikam", "bob", account.Team), retail, item.SemanticModel)},
		"another workspace":         {call: list(bob, secret, item.SemanticModel)},
		"a workspace not visible":   {call: list(s.Ana(account.Team), secret, item.SemanticModel), code: domain.WorkspaceNotFound},
	} {
		if c.code == "" && c.call != nil || c.code != "" && !domain.IsRefused(c.call, c.code) {
			t.Errorf("%s: %v", name, c.call)
		}
	}
	// A refused call changes nothing, though it has read the listing.
	_, err := s.Assessments.StartBulk(t.Context(), bob, retail, []uuid.UUID{model(0), model(1)})
	if !domain.IsRefused(err, domain.ItemNotFound) || events() != before {
		t.Fatalf("%v, and %d events were written", err, events()-before)
	}

	for range 2 {
		if err := list(s.Ana(account.Team), retail, item.SemanticModel); err != nil || events() != before+2 {
			t.Fatalf("%d events were written (%v), want 2", events()-before, err)
		}
	}
	all := s.tracked(t, "contoso")
	at := noon.Add(time.Hour)
	if i := all[model(0)]; i.Status != trackeditem.StatusDeleted || !cmp.Equal(i.DeletedAt, &at) || i.DisplayName != "Model 000" || !i.TrackedSince.Equal(noon) {
		t.Errorf("the deleted one reads %+v", i)
	}
	if i := all[model(1)]; i.Status != trackeditem.StatusTracked || i.DisplayName != "Renamed" {
		t.Errorf("the renamed one reads %+v", i)
	}

	remove("Model 002")
	remove("Model 003")
	s.has(t, "Retail", "Renamed too", model(3))
	if _, err := s.Assessments.StartBulk(t.Context(), bob, retail, []uuid.UUID{model(3)}); err != nil {
		t.Fatal(err)
	}
	all = s.tracked(t, "contoso")
	if a, b := all[model(2)], all[model(3)]; a.Status != trackeditem.StatusDeleted || b.Status != trackeditem.StatusTracked || b.DisplayName != "Renamed too" {
		t.Errorf("after a bulk assessment they read %+v and %+v", a, b)
	}
	if got := s.total(t, "contoso"); got.Used != 4 {
		t.Errorf("the count is %+v", got)
	}
}
