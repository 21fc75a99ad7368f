package assessment_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/assessment"
)

// Exactly the stored results are deleted, in events of bounded size. A running
// assessment prevents it, and the next assessment is compared with nothing.
//
// proves: decisions/8/17
func TestDeleteResults(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s assessment.Standing
		var stored []assessment.Stored
		var model []uuid.UUID // the stored results, as the test counts them
		running, n := 0, byte(0)
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
			"accept": func(*rapid.T) {
				do(assessment.Accept{OperationID: op, WorkspaceID: workspace, ModelID: sales})
				running++
			},
			"end": func(t *rapid.T) {
				if running == 0 {
					return
				}
				running--
				switch rapid.IntRange(0, 2).Draw(t, "how") {
				case 0:
					n++
					id := uuid.UUID{15: n}
					made := do(assessment.Record{Assessment: assessment.Assessment{AssessmentID: id, RegimeID: "2026-11", DocumentHash: id.String()}})[0].(assessment.Recorded)
					if made.ComparableWithPrevious != (len(model) > 0) {
						t.Fatalf("comparable is %v with %d before it", made.ComparableWithPrevious, len(model))
					}
					model = append(model, id)
				case 1:
					do(assessment.Refund{OperationID: op})
				case 2:
					do(assessment.End{OperationID: op})
				}
			},
			"delete": func(t *rapid.T) {
				accepted := s.Accepted
				c := assessment.DeleteResults{ModelID: sales, Stored: slices.Clone(stored)}
				if running > 0 {
					if events, err := c.Decide(s); !domain.IsRefused(err, domain.OperationInProgress) || len(events) > 0 {
						t.Fatalf("got %v, %v while %d run", events, err, running)
					}
					return
				}
				var deleted []uuid.UUID
				for _, e := range do(c) {
					deleted = append(deleted, e.(assessment.ResultsDeleted).AssessmentIDs...)
				}
				if !slices.Equal(deleted, model) || s.Accepted != accepted || s.Recorded != 0 || s.RegimeID != "" {
					t.Fatalf("deleted %v of %v; the standing is %+v", deleted, model, s)
				}
				model = nil
			},
			"": func(t *rapid.T) {
				if s.Running != running || s.Recorded != len(model) || len(stored) != len(model) {
					t.Fatalf("the standing is %+v with %d stored; %d run and %d are stored", s, len(stored), running, len(model))
				}
			},
		})
	})
}

func TestManyResultsAreDeletedInTurn(t *testing.T) {
	t.Parallel()
	all := make([]assessment.Stored, 2*assessment.MaxDeleted+1)
	events, err := assessment.DeleteResults{ModelID: sales, Stored: all}.Decide(assessment.Standing{Accepted: 7, Recorded: len(all), Basis: assessment.Basis{RegimeID: "2026-11"}})
	if err != nil || len(events) != 3 {
		t.Fatalf("got %d events, %v, want 3", len(events), err)
	}
	left := len(all)
	for _, e := range events {
		e := e.(assessment.ResultsDeleted)
		left -= len(e.AssessmentIDs)
		if len(e.AssessmentIDs) > assessment.MaxDeleted || e.Standing.Recorded != left || (e.Standing.RegimeID == "") != (left == 0) || e.Standing.Accepted != 7 {
			t.Errorf("got %d ids and %+v, %d are left", len(e.AssessmentIDs), e.Standing, left)
		}
	}
	if left != 0 {
		t.Errorf("%d are left", left)
	}
}
