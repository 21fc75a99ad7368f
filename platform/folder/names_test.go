package folder_test

import (
	"strings"
	"testing"

	"readiness/domain/item"
)

// Lists and events repeat the names of workspaces and items, so names are truncated to the platform's limit.
func TestLongNamesAreCut(t *testing.T) {
	t.Parallel()
	most, long := strings.Repeat("é", 256), strings.Repeat("é", 100_000)
	root := files(t, map[string]string{
		"a/workspace.json":            `{"displayName":"` + long + `"}`,
		"a/A.SemanticModel/.platform": `{"metadata":{"displayName":"` + long + `","description":"` + long + `"}}`,
		"b/workspace.json":            `{"displayName":"` + most + `"}`,
	})
	p := open(t, root)
	workspaces, err := p.Workspaces(t.Context(), anna)
	if err != nil || len(workspaces) != 2 || workspaces[0].DisplayName != most || workspaces[1].DisplayName != most {
		t.Fatalf("got %d workspaces, %v; want two with names of 256 characters", len(workspaces), err)
	}
	for _, w := range workspaces {
		items, err := p.Items(t.Context(), anna, w.ID, item.SemanticModel)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			if it.DisplayName != most || len([]rune(it.Description)) != 4096 {
				t.Errorf("the name has %d bytes, the description %d", len(it.DisplayName), len(it.Description))
			}
		}
	}
}
