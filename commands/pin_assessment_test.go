package commands_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/projections"
)

// A pin shows in the reads of the account at once and only there, keeps nothing from being deleted, and is recorded
// once however often it is set.
//
// proves: decisions/13/idempotent decisions/13/deleted decisions/13/listed
func TestPin(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	ana, olaf := s.Ana(account.Team), s.Person("other", "olaf", account.Team)
	first := s.assessed(t, ana, retail, model(0), "one")
	s.Clock.Advance(time.Minute)
	second := s.assessed(t, ana, retail, model(0), "two")
	s.assessed(t, ana, retail, model(1), "one")
	s.assessed(t, olaf, retail, model(0), "one")
	pin := func(id uuid.UUID, pinned bool) {
		t.Helper()
		if got, err := s.Assessments.Pin(t.Context(), ana, retail, model(0), id.String(), pinned); got != id || err != nil {
			t.Fatal(got, err)
		}
	}
	lists := func(pinned *bool, want ...uuid.UUID) {
		t.Helper()
		all, err := s.Views.Assessments(t.Context(), projections.AssessmentsQuery{
			AccountID: "contoso", WorkspaceID: retail, ModelID: model(0), Pinned: pinned, Limit: 100,
		})
		check(t, err)
		if len(all) != len(want) {
			t.Fatalf("got %d assessments, want %d", len(all), len(want))
		}
		for i, a := range all {
			if a.AssessmentID != want[i] || pinned != nil && a.Pinned != *pinned {
				t.Errorf("%d: got %s, pinned %v, want %s", i, a.AssessmentID, a.Pinned, want[i])
			}
		}
	}
	lists(new(true))
	pin(first.AssessmentID, true)
	lists(nil, second.AssessmentID, first.AssessmentID)
	lists(new(true), first.AssessmentID)
	lists(new(false), second.AssessmentID)

	before := s.Left(t)
	pin(first.AssessmentID, true)
	pin(second.AssessmentID, false)
	s.Unchanged(t, before)

	pin(second.AssessmentID, true)
	lists(new(true), second.AssessmentID, first.AssessmentID)
	pin(first.AssessmentID, false)
	lists(new(true), second.AssessmentID)

	if n, err := s.Assessments.DeleteResults(t.Context(), ana, retail, model(0)); n != 2 || err != nil {
		t.Fatalf("deleted %d, %v", n, err)
	}
	lists(nil)
	if s.kept(t, second.DocumentHash) {
		t.Error("the document of a deleted assessment is kept because it was pinned")
	}
	if _, err := s.Assessments.Pin(t.Context(), ana, retail, model(0), second.AssessmentID.String(), true); !domain.IsRefused(err, domain.AssessmentNotFound) {
		t.Errorf("got %v", err)
	}
}

// A refused pin leaves no trace: of an assessment that is unknown, of another model, account or workspace, and of
// a model that the caller cannot see.
func TestRefusedPin(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	ana, olaf := s.Ana(account.Team), s.Person("other", "olaf", account.Team)
	ours, theirs := s.assessed(t, ana, retail, model(0), "one"), s.assessed(t, olaf, retail, model(0), "one")
	for _, tt := range []struct {
		name             string
		workspace, model uuid.UUID
		assessment       string
		code             domain.Code
	}{
		{"unknown", retail, model(0), uuid.NewString(), domain.AssessmentNotFound},
		{"malformed", retail, model(0), "latest", domain.AssessmentNotFound},
		{"another account's", retail, model(0), theirs.AssessmentID.String(), domain.AssessmentNotFound},
		{"another model's", retail, model(1), ours.AssessmentID.String(), domain.AssessmentNotFound},
		{"of no workspace", uuid.New(), model(0), ours.AssessmentID.String(), domain.WorkspaceNotFound},
		{"of a workspace that ana cannot see", secret, model(901), ours.AssessmentID.String(), domain.WorkspaceNotFound},
		{"of no model", retail, model(77), ours.AssessmentID.String(), domain.ItemNotFound},
	} {
		before := s.Left(t)
		for _, pinned := range []bool{true, false} {
			if _, err := s.Assessments.Pin(t.Context(), ana, tt.workspace, tt.model, tt.assessment, pinned); !domain.IsRefused(err, tt.code) {
				t.Errorf("%s, pinned %v: got %v, want %s", tt.name, pinned, err, tt.code)
			}
		}
		s.Unchanged(t, before)
	}
}
