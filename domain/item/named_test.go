package item_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

func TestFindNamed(t *testing.T) {
	t.Parallel()
	workspace, one, two, three := uuid.UUID{15: 9}, uuid.UUID{15: 1}, uuid.UUID{15: 2}, uuid.UUID{15: 3}
	listed := []item.Item{{ID: one}, {ID: two}}
	for name, c := range map[string]struct {
		listed  []item.Item
		ids     []uuid.UUID
		want    []item.Item
		missing []uuid.UUID
	}{
		"none":              {listed, nil, []item.Item{}, nil},
		"all, in the order": {listed, []uuid.UUID{two, one}, []item.Item{{ID: two}, {ID: one}}, nil},
		"one":               {listed, []uuid.UUID{one}, []item.Item{{ID: one}}, nil},
		"one that is not":   {listed, []uuid.UUID{one, three}, nil, []uuid.UUID{three}},
		"an empty listing":  {nil, []uuid.UUID{two, one}, nil, []uuid.UUID{two, one}},
	} {
		for of, id := range map[item.Type]string{item.SemanticModel: "semanticModelId", item.Report: "reportId",
			item.DataAgent: "dataAgentId"} {
			got, err := item.FindNamed(c.listed, workspace, of, c.ids)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s: (-want +got):\n%s", name, d)
			}
			if c.missing == nil {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			var params []domain.Param
			for _, m := range c.missing {
				params = append(params, domain.Param{Name: id, Value: m.String()})
			}
			r, refused := domain.Refused(err)
			if !refused || r.Code != domain.ItemNotFound || !cmp.Equal(r.Params, params) {
				t.Errorf("%s: got %+v", name, err)
			}
		}
	}
}

func TestPausedCapacityStartsNothing(t *testing.T) {
	t.Parallel()
	workspace := uuid.UUID{15: 9}
	for _, state := range []item.CapacityState{item.CapacityActive, item.CapacityUnknown, ""} {
		if err := state.CheckStart(workspace); err != nil {
			t.Errorf("%q: %v", state, err)
		}
	}
	r, refused := domain.Refused(item.CapacityPaused.CheckStart(workspace))
	if !refused || r.Code != domain.CapacityPaused ||
		!cmp.Equal(r.Params, []domain.Param{{Name: "workspaceId", Value: workspace.String()}}) {
		t.Errorf("paused: got %+v", r)
	}
}
