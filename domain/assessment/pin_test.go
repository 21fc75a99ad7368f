package assessment_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/assessment"
)

// A stored assessment is pinned until it is unpinned or deleted; a repeated call changes nothing. The rest of the
// standing never changes.
//
// proves: decisions/13/idempotent decisions/13/deleted
func TestPin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := assessment.Standing{Accepted: 9, Basis: assessment.Basis{RegimeID: "2026-11"}}
		var stored []assessment.Stored
		model := map[uuid.UUID]bool{} // whether each stored assessment is pinned, as the test counts it
		n := byte(0)
		do := func(c domain.Command[assessment.Standing]) []domain.Event {
			events, err := c.Decide(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				s, stored = e.(domain.Carries[assessment.Standing]).After(), assessment.EvolveStored(stored, e)
			}
			return events
		}
		t.Repeat(map[string]func(*rapid.T){
			"record": func(*rapid.T) {
				n++
				id := uuid.UUID{15: n}
				do(assessment.Record{Assessment: assessment.Assessment{AssessmentID: id, WorkspaceID: workspace, RegimeID: "2026-11"}})
				model[id] = false
			},
			"pin": func(t *rapid.T) {
				id, pinned, before := uuid.UUID{15: rapid.ByteRange(1, 9).Draw(t, "id")}, rapid.Bool().Draw(t, "pinned"), s
				c := assessment.Pin{WorkspaceID: workspace, ModelID: sales, AssessmentID: id, Pinned: pinned, Stored: slices.Clone(stored)}
				was, known := model[id]
				if !known {
					if events, err := c.Decide(s); !domain.IsRefused(err, domain.AssessmentNotFound) || len(events) > 0 {
						t.Fatalf("got %v, %v for an assessment that is not stored", events, err)
					}
					return
				}
				if events := do(c); len(events) > 0 != (was != pinned) || !cmp.Equal(s, before) {
					t.Fatalf("from %v to %v: got %v; the standing was %+v and is %+v", was, pinned, events, before, s)
				}
				model[id] = pinned
			},
			"delete": func(*rapid.T) {
				do(assessment.DeleteResults{ModelID: sales, Stored: slices.Clone(stored)})
				clear(model)
			},
			"": func(t *rapid.T) {
				if len(stored) != len(model) {
					t.Fatalf("%d are stored, want %d", len(stored), len(model))
				}
				for _, a := range stored {
					if want, known := model[a.AssessmentID]; !known || a.Pinned != want {
						t.Fatalf("%s is pinned: %v, want %v (stored: %v)", a.AssessmentID, a.Pinned, want, known)
					}
				}
			},
		})
	})
}

// An assessment that was made in another workspace, and one of another model, are not found.
func TestPinOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	for _, pinned := range []bool{true, false} {
		events, err := assessment.Pin{
			WorkspaceID: workspace, ModelID: sales, AssessmentID: op, Pinned: pinned,
			Stored: []assessment.Stored{{AssessmentID: op, WorkspaceID: other, Pinned: !pinned}, {AssessmentID: other, WorkspaceID: workspace}},
		}.Decide(assessment.Standing{Recorded: 2})
		if !domain.IsRefused(err, domain.AssessmentNotFound) || len(events) > 0 {
			t.Errorf("pinned %v: got %v, %v", pinned, events, err)
		}
	}
}
