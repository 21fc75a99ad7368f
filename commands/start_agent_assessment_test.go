package commands_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
)

var analyst = uuid.MustParse("cccccccc-0000-0000-0000-000000000001")

// Refused assessments of data agents leave no trace.
func TestRefusedAgentAssessmentsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	hidden, asleep := uuid.UUID{15: 1}, uuid.UUID{15: 2}
	s.Agent(t, "Retail", "Analyst", analyst)
	s.Agent(t, "Secret", "Spy", hidden)
	s.Agent(t, "Paused", "Nap", asleep)
	none := s.Plans[account.Free]
	none.Assessments.Limit = new(0)
	s.Plans["None"] = none
	looked := s.Plans[account.Free]
	looked.FirstLooks.Limit = new(0)
	s.Plans["Looked"] = looked
	for name, c := range map[string]struct {
		plan            account.Plan
		workspace, item uuid.UUID
		code            domain.Code
	}{
		"a workspace not visible": {account.Team, secret, hidden, domain.WorkspaceNotFound},
		"no such agent":           {account.Team, retail, uuid.UUID{15: 9}, domain.ItemNotFound},
		"another workspace's":     {account.Team, retail, asleep, domain.ItemNotFound},
		"a semantic model":        {account.Team, retail, model(0), domain.ItemNotFound},
		"paused":                  {account.Team, paused, asleep, domain.CapacityPaused},
		"no assessment is left":   {"None", retail, analyst, domain.AssessmentDailyLimitReached},
		"no first look is left":   {"Looked", retail, analyst, domain.FirstLookLimitReached},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.Left(t)
			caller := s.Ana(c.plan)
			caller.Key = &commands.IdempotencyKey{Key: name, Fingerprint: "f"}
			if _, err := s.Assessments.StartAgent(t.Context(), caller, c.workspace, c.item); !domain.IsRefused(err, c.code) {
				t.Errorf("got %v, want %s", err, c.code)
			}
			s.Unchanged(t, before)
		})
	}
	if _, err := s.Assessments.Start(t.Context(), s.Ana(account.Team), retail, analyst); !domain.IsRefused(err, domain.ItemNotFound) {
		t.Errorf("an agent as a model: got %v", err)
	}
}

// The first assessment of a data agent is a first look; the second makes it a
// tracked item, claimed by the assessment (docs/decisions.md 5). It counts together
// with the account's models.
//
// proves: 2.6/claimedVia 2.6/itemType 2.7/operationType/AssessDataAgent 2.13/AllowanceImpact-tracked
func TestSecondAgentAssessmentTracks(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	s.Agent(t, "Retail", "Analyst", analyst)
	ana := s.Ana(s.limited(2))
	assess := func() operation.Impact {
		t.Helper()
		got, err := s.Assessments.StartAgent(t.Context(), ana, retail, analyst)
		check(t, err)
		op, found, err := s.Views.Operation(t.Context(), "contoso", got.OperationID)
		if err != nil || !found {
			t.Fatal(found, err)
		}
		if op.Type != operation.AssessDataAgent || op.Resource.ItemType != item.DataAgent || *op.Resource.ItemID != analyst || op.Resource.WorkspaceID != retail {
			t.Errorf("the operation reads %+v", op)
		}
		s.claims(t, "contoso", trackeditem.ViaAgentAssessment, got.OperationID, analyst)
		return op.Impact
	}
	one, yes, no := 1, true, false
	for i, want := range []operation.Impact{
		{Assessments: &one, FirstLook: &yes, TrackedItem: &no},
		{Assessments: &one, FirstLook: &no, TrackedItem: &yes},
		{Assessments: &one, FirstLook: &no, TrackedItem: &no},
	} {
		if d := cmp.Diff(want, assess()); d != "" {
			t.Errorf("assessment %d (-want +got):\n%s", i+1, d)
		}
	}
	want := map[uuid.UUID]trackeditem.Item{analyst: {
		ItemID: analyst, ItemType: item.DataAgent, WorkspaceID: retail, WorkspaceName: "Retail", DisplayName: "Analyst",
		Status: trackeditem.StatusTracked, TrackedSince: noon, ClaimedVia: trackeditem.ViaAgentAssessment,
	}}
	if d := cmp.Diff(want, s.tracked(t, "contoso")); d != "" {
		t.Errorf("tracked items (-want +got):\n%s", d)
	}
	if a, f := s.Used(t, "contoso", account.Assessments, account.Day), s.Used(t, "contoso", account.FirstLooks, account.Lifetime); a != 3 || f != 1 {
		t.Errorf("spent %d assessments and %d first looks, want 3 and 1", a, f)
	}

	// Models and agents share one cap.
	s.assess(t, ana, 0)
	s.assess(t, ana, 0)
	other := uuid.UUID{15: 1}
	s.Agent(t, "Retail", "Other", other)
	if _, err := s.Assessments.StartAgent(t.Context(), ana, retail, other); err != nil {
		t.Fatal(err)
	}
	before := s.Left(t)
	if _, err := s.Assessments.StartAgent(t.Context(), ana, retail, other); !domain.IsRefused(err, domain.TrackedItemLimitReached) {
		t.Errorf("beyond the cap: %v", err)
	}
	s.Unchanged(t, before)

	// Listing the workspace records that the agent was deleted.
	s.Clock.Advance(time.Hour)
	s.Remove(t, "Retail", "Analyst.DataAgent")
	if _, err := s.Workspaces.Items(t.Context(), ana, retail, item.DataAgent); err != nil {
		t.Fatal(err)
	}
	if got := s.tracked(t, "contoso")[analyst]; got.Status != trackeditem.StatusDeleted {
		t.Errorf("after its deletion it is %s", got.Status)
	}
}

// A repeated call under an idempotency key gets the first call's operation.
func TestIdempotencyKeyOfAnAgentAssessment(t *testing.T) {
	t.Parallel()
	s := newService(t, 0)
	s.Agent(t, "Retail", "Analyst", analyst)
	ana := s.Ana(account.Team)
	ana.Key = &commands.IdempotencyKey{Key: "once", Fingerprint: "f"}
	first, err := s.Assessments.StartAgent(t.Context(), ana, retail, analyst)
	if err != nil || first.Replayed {
		t.Fatal(first, err)
	}
	before := s.Left(t)
	if again, err := s.Assessments.StartAgent(t.Context(), ana, retail, analyst); err != nil || !again.Replayed || again.OperationID != first.OperationID {
		t.Errorf("got %+v, %v", again, err)
	}
	s.Unchanged(t, before)
}
