package projections_test

import (
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/projections"
)

// Every dimension of a model's score, in every published regime, has its column. A regime with another one needs another version of the
// view.
func TestDimensionsAreThoseOfTheRegimes(t *testing.T) {
	t.Parallel()
	r := readiness.Current()
	var ids []string
	for _, d := range r.Assess(&semanticmodel.Model{}, readiness.Options{}).Dimensions {
		ids = append(ids, d.ID)
	}
	if len(ids) != len(projections.Dimensions) {
		t.Fatalf("%s has the dimensions %q", r.ID, ids)
	}
	for i, id := range ids {
		if id != projections.Dimensions[i] {
			t.Errorf("%s: dimension %d is %s, and its column is that of %s", r.ID, i, id, projections.Dimensions[i])
		}
	}
}
