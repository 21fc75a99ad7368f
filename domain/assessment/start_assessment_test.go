package assessment_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
)

func TestCheckCount(t *testing.T) {
	t.Parallel()
	for models, ok := range map[int]bool{0: false, 1: true, assessment.MaxModels: true, assessment.MaxModels + 1: false} {
		if err := assessment.CheckCount(models); (err == nil) != ok || err != nil && !domain.IsRefused(err, domain.InvalidRequest) {
			t.Errorf("%d models: got %v", models, err)
		}
	}
}

func TestMaintainedModelsAreNotAssessed(t *testing.T) {
	t.Parallel()
	own, two, three := item.Item{ID: uuid.UUID{15: 1}}, item.Item{ID: uuid.UUID{15: 2}, Maintained: true}, item.Item{ID: uuid.UUID{15: 3},
		Maintained: true}
	if err := assessment.CheckAssessable(own, own); err != nil {
		t.Error(err)
	}
	r, refused := domain.Refused(assessment.CheckAssessable(two, own, three))
	want := []domain.Param{{Name: "semanticModelId", Value: two.ID.String()}, {Name: "semanticModelId", Value: three.ID.String()}}
	if !refused || r.Code != domain.OperationNotSupportedForItem || !cmp.Equal(r.Params, want) {
		t.Errorf("got %+v", r)
	}
}

// The first assessment of a model is a look at it; any later one tracks it.
func TestStandingTracks(t *testing.T) {
	t.Parallel()
	for accepted, want := range []bool{false, false, true, true} {
		if got := (assessment.Standing{Accepted: accepted}).Tracks(); got != want {
			t.Errorf("after %d accepted assessments it tracks: %t", accepted, got)
		}
	}
}
