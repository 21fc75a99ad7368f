package commands_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/domain/readiness"
)

// A refused call changes nothing, whatever the reason for the refusal.
func TestRefusedStartsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	s := newService(t, 8)
	s.has(t, "Retail", "Usage Metrics Report", model(500))
	ctx := context.Background()
	ana := s.Ana(account.Free)
	key := func(caller commands.Caller) commands.Caller {
		caller.Key = &commands.IdempotencyKey{Key: "k-" + strconv.Itoa(int(time.Now().UnixNano())), Fingerprint: "f"}
		return caller
	}
	models := func(n int) []uuid.UUID {
		ids := make([]uuid.UUID, n)
		for i := range ids {
			ids[i] = model(i)
		}
		return ids
	}
	one := func(caller commands.Caller, workspace, id uuid.UUID) func() error {
		return func() error { _, err := s.Assessments.Start(ctx, key(caller), workspace, id); return err }
	}
	many := func(caller commands.Caller, workspace uuid.UUID, ids ...uuid.UUID) func() error {
		return func() error { _, err := s.Assessments.StartBulk(ctx, key(caller), workspace, ids); return err }
	}
	for name, c := range map[string]struct {
		call  func() error
		code  domain.Code
		about []domain.Param
	}{
		"one: no such workspace":        {one(ana, uuid.New(), model(0)), domain.WorkspaceNotFound, nil},
		"one: a workspace not visible":  {one(ana, secret, model(901)), domain.WorkspaceNotFound, nil},
		"one: no such model":            {one(ana, retail, model(77)), domain.ItemNotFound, nil},
		"one: another workspace's":      {one(ana, retail, model(900)), domain.ItemNotFound, nil},
		"one: paused":                   {one(ana, paused, model(900)), domain.CapacityPaused, nil},
		"one: the service's own":        {one(ana, retail, model(500)), domain.OperationNotSupportedForItem, []domain.Param{{Name: "semanticModelId", Value: model(500).String()}}},
		"many: none":                    {many(ana, retail), domain.InvalidRequest, nil},
		"many: 101":                     {many(ana, retail, models(101)...), domain.InvalidRequest, nil},
		"many: a workspace not visible": {many(ana, secret, model(901)), domain.WorkspaceNotFound, nil},
		"many: every id that is not visible is named": {
			many(ana, retail, model(0), model(77), model(1), model(901)), domain.ItemNotFound,
			[]domain.Param{{Name: "semanticModelId", Value: model(77).String()}, {Name: "semanticModelId", Value: model(901).String()}},
		},
		"many: one is the service's own":              {many(ana, retail, model(0), model(500)), domain.OperationNotSupportedForItem, []domain.Param{{Name: "semanticModelId", Value: model(500).String()}}},
		"many: paused":                                {many(ana, paused, model(900)), domain.CapacityPaused, nil},
		"many: one more than the allowance is no one": {many(ana, retail, models(6)...), domain.AssessmentDailyLimitReached, nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.Left(t)
			r, refused := domain.Refused(c.call())
			if !refused || r.Code != c.code {
				t.Fatalf("got %v, want %s", r, c.code)
			}
			for _, p := range c.about {
				if !slices.Contains(r.Params, p) {
					t.Errorf("parameters %v do not name %v", r.Params, p)
				}
			}
			s.Unchanged(t, before)
			if n := s.Used(t, "contoso", account.Assessments, account.Day); n != 0 {
				t.Errorf("%d assessments were spent", n)
			}
		})
	}
}

func TestStartAssessment(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	ctx := context.Background()
	got, err := s.Assessments.Start(ctx, s.Ana(account.Team), retail, model(0))
	check(t, err)
	op, found, err := s.Views.Operation(ctx, "contoso", got.OperationID)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	if op.Status != operation.StatusNotStarted || op.Type != operation.AssessSemanticModel || op.Owner != "ana" || op.Resource.WorkspaceID != retail ||
		*op.Resource.ItemID != model(0) || *op.Impact.Assessments != 1 || !*op.Impact.FirstLook || !op.CreatedAt.Equal(noon) {
		t.Errorf("the operation reads %+v", op)
	}
	if _, found, _ := s.Views.Operation(ctx, "fabrikam", got.OperationID); found {
		t.Error("another account sees the operation")
	}
	// The second assessment of a model is not a first look (docs/decisions.md 5).
	if _, err := s.Assessments.Start(ctx, s.Ana(account.Team), retail, model(0)); err != nil {
		t.Fatal(err)
	}
	if a, f := s.Used(t, "contoso", account.Assessments, account.Day), s.Used(t, "contoso", account.FirstLooks, account.Lifetime); a != 2 || f != 1 {
		t.Errorf("spent %d assessments and %d first looks, want 2 and 1", a, f)
	}
	if l := s.Left(t); l.Jobs != 2 || l.Tokens != 2 || l.Operations != 2 {
		t.Errorf("left %+v, want two jobs, tokens and operations", l)
	}
}

// The acceptance records the regime of every step: the service's own or, if it has none, the current one.
//
// proves: decisions/14/regime
func TestRegimeOfARun(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	s.Agent(t, "Retail", "Analyst", analyst)
	ana := s.Ana(account.Team)
	one, err := s.Assessments.Start(t.Context(), ana, retail, model(0))
	many, err2 := s.Assessments.StartBulk(t.Context(), ana, retail, []uuid.UUID{model(0), model(1)})
	agent, err3 := s.Assessments.StartAgent(t.Context(), ana, retail, analyst)
	check(t, errors.Join(err, err2, err3))
	for _, accepted := range []commands.Accepted{one, many, agent} {
		run, err := s.Views.Run(t.Context(), accepted.OperationID)
		if err != nil || run.RegimeID != readiness.RegimeID || len(run.Models) == 0 {
			t.Errorf("the run reads %+v, %v", run, err)
		}
	}
}

// A bulk run is counted in full. A model named twice counts once, and a model that
// had its first look does not count as one.
func TestStartBulkAssessment(t *testing.T) {
	t.Parallel()
	s := newService(t, 3)
	ctx := context.Background()
	if _, err := s.Assessments.Start(ctx, s.Ana(account.Team), retail, model(0)); err != nil {
		t.Fatal(err)
	}
	got, err := s.Assessments.StartBulk(ctx, s.Ana(account.Team), retail, []uuid.UUID{model(2), model(0), model(2), model(1), model(0)})
	check(t, err)
	run, err := s.Views.Run(ctx, got.OperationID)
	check(t, err)
	var ids []uuid.UUID
	for _, m := range run.Models {
		ids = append(ids, m.ModelID)
		if m.FirstLook == (m.ModelID == model(0)) {
			t.Errorf("%s first look: %v", m.ModelName, m.FirstLook)
		}
	}
	if !slices.Equal(ids, []uuid.UUID{model(2), model(0), model(1)}) {
		t.Errorf("the run's models are %v", ids)
	}
	if a, f := s.Used(t, "contoso", account.Assessments, account.Day), s.Used(t, "contoso", account.FirstLooks, account.Lifetime); a != 4 || f != 3 {
		t.Errorf("spent %d assessments and %d first looks, want 4 and 3", a, f)
	}
	if op, _, _ := s.Views.Operation(ctx, "contoso", got.OperationID); op.Resource.ItemID != nil || op.Impact.FirstLook != nil || *op.Impact.Assessments != 3 {
		t.Errorf("the operation reads %+v", op)
	}
}

// The largest run has 100 models, counted and enqueued at once.
func TestStartLargestRun(t *testing.T) {
	t.Parallel()
	s := newService(t, assessment.MaxModels)
	ids := make([]uuid.UUID, assessment.MaxModels)
	for i := range ids {
		ids[i] = model(i)
	}
	if _, err := s.Assessments.StartBulk(context.Background(), s.Ana(account.Enterprise), retail, ids); err != nil {
		t.Fatal(err)
	}
	if l := s.Left(t); l.Jobs != assessment.MaxModels || l.Operations != 1 {
		t.Errorf("left %+v", l)
	}
	if a := s.Used(t, "contoso", account.Assessments, account.Day); a != assessment.MaxModels {
		t.Errorf("spent %d", a)
	}
}

// Fifty callers race for what is left of an allowance: exactly that much is spent,
// and refused calls store nothing.
//
// proves: 4.4/bulk/1 8/allowance-assessments
func TestRaceForAnAllowance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan   account.Plan
		kind   account.Kind
		period account.Period
		limit  int
		code   domain.Code
		target func(i int) uuid.UUID
	}{
		"assessments of a day": {account.Free, account.Assessments, account.Day, 5, domain.AssessmentDailyLimitReached, func(int) uuid.UUID { return model(0) }},
		"first looks":          {"FewLooks", account.FirstLooks, account.Lifetime, 10, domain.FirstLookLimitReached, model},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, 50)
			few := s.Plans[account.Enterprise]
			few.FirstLooks = s.Plans[account.Free].FirstLooks
			s.Plans["FewLooks"] = few
			accepted := 0
			for _, err := range together(50, func(i int) error {
				_, err := s.Assessments.Start(context.Background(), s.Ana(c.plan), retail, c.target(i))
				return err
			}) {
				switch {
				case err == nil:
					accepted++
				case !domain.IsRefused(err, c.code):
					t.Errorf("got %v, want %s", err, c.code)
				}
			}
			if got := s.Used(t, "contoso", c.kind, c.period); accepted != c.limit || got != c.limit {
				t.Errorf("%d calls were accepted and %d spent, want %d", accepted, got, c.limit)
			}
			if l := s.Left(t); l.Operations != c.limit || l.Jobs != c.limit || l.Tokens != c.limit {
				t.Errorf("left %+v", l)
			}
		})
	}
}

// A daily allowance renews at midnight UTC, not a second earlier.
//
// proves: 8/allowance-assessments
func TestDayBoundary(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	ctx := context.Background()
	start := func() error {
		_, err := s.Assessments.Start(ctx, s.Ana(account.Free), retail, model(0))
		return err
	}
	for range 5 {
		check(t, start())
	}
	s.Clock.Advance(12*time.Hour - time.Second)
	r, refused := domain.Refused(start())
	if !refused || r.Code != domain.AssessmentDailyLimitReached || r.RetryAfter != time.Second {
		t.Fatalf("a second before midnight: %+v", r)
	}
	s.Clock.Advance(time.Second)
	if err := start(); err != nil {
		t.Errorf("at midnight: %v", err)
	}
	if n := s.Used(t, "contoso", account.Assessments, account.Day); n != 1 {
		t.Errorf("the new day has %d spent", n)
	}
}

// proves: decisions/2/idempotency decisions/8/15-refusals
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newService(t, 3)
	ctx := context.Background()
	start := func(caller commands.Caller, key, fingerprint string, id uuid.UUID) (commands.Accepted, error) {
		caller.Key = &commands.IdempotencyKey{Key: key, Fingerprint: fingerprint}
		return s.Assessments.Start(ctx, caller, retail, id)
	}
	ana := s.Ana(account.Team)
	first, err := start(ana, "k", "one", model(0))
	if err != nil || first.Replayed {
		t.Fatal(first, err)
	}
	before := s.Left(t)
	again, err := start(ana, "k", "one", model(0))
	if err != nil || !again.Replayed || again.OperationID != first.OperationID {
		t.Errorf("sent again: %+v, %v", again, err)
	}
	if _, err := start(ana, "k", "another", model(1)); !errors.Is(err, operation.ErrKeyReused) {
		t.Errorf("another call: %v", err)
	}
	s.Unchanged(t, before)

	// The key belongs to the caller: another person's or another account's equal
	// key is a different key.
	for _, caller := range []commands.Caller{s.Person("contoso", "bob", account.Team), s.Person("fabrikam", "ana", account.Team)} {
		other, err := start(caller, "k", "one", model(0))
		if err != nil || other.OperationID == first.OperationID {
			t.Errorf("%s of %s: %+v, %v", caller.Person.ID, caller.Account, other, err)
		}
	}

	// A refusal is not stored.
	if _, err := start(ana, "later", "three", model(9)); !domain.IsRefused(err, domain.ItemNotFound) {
		t.Fatal(err)
	}
	s.has(t, "Retail", "Model 009", model(9))
	if got, err := start(ana, "later", "three", model(9)); err != nil || got.Replayed {
		t.Errorf("after a refusal: %+v, %v", got, err)
	}

	// The answer is stored for 24 hours.
	s.Clock.Advance(24*time.Hour - time.Millisecond)
	if got, err := start(s.Ana(account.Team), "k", "one", model(0)); err != nil || got.OperationID != first.OperationID {
		t.Errorf("just before a day has passed: %+v, %v", got, err)
	}
	s.Clock.Advance(time.Millisecond)
	if got, err := start(s.Ana(account.Team), "k", "one", model(0)); err != nil || got.Replayed {
		t.Errorf("a day later: %+v, %v", got, err)
	}
}

// Twenty handlings of one call at once start one operation. The others get its id,
// or a refusal that it is still being handled.
func TestIdempotencyKeyRace(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	ids := make([]uuid.UUID, 20)
	errs := make([]error, 20)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			caller := s.Ana(account.Team)
			caller.Key = &commands.IdempotencyKey{Key: "k", Fingerprint: "f"}
			got, err := s.Assessments.Start(context.Background(), caller, retail, model(0))
			ids[i], errs[i] = got.OperationID, err
		})
	}
	wg.Wait()
	var first uuid.UUID
	for i, err := range errs {
		switch {
		case err != nil && !domain.IsRefused(err, domain.OperationInProgress):
			t.Errorf("got %v", err)
		case err == nil && first == uuid.Nil:
			first = ids[i]
		case err == nil && ids[i] != first:
			t.Errorf("two operations: %s and %s", first, ids[i])
		}
	}
	if l := s.Left(t); first == uuid.Nil || l.Operations != 1 || l.Jobs != 1 || l.Keys != 1 {
		t.Errorf("left %+v", l)
	}
}

func TestCancelOperation(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	ctx := context.Background()
	got, err := s.Assessments.Start(ctx, s.Ana(account.Team), retail, model(0))
	check(t, err)
	before := s.Left(t)
	if _, err := s.Operations.Cancel(ctx, s.Ana(account.Team), got.OperationID); !domain.IsRefused(err, domain.OperationInProgress) {
		t.Errorf("while it runs: %v", err)
	}
	for name, caller := range map[string]commands.Caller{"another account": s.Person("fabrikam", "ana", account.Team)} {
		if _, err := s.Operations.Cancel(ctx, caller, got.OperationID); !domain.IsRefused(err, domain.OperationNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Operations.Cancel(ctx, s.Ana(account.Team), uuid.New()); !domain.IsRefused(err, domain.OperationNotFound) {
		t.Errorf("no such operation: %v", err)
	}
	s.Unchanged(t, before)
}
