package http_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/item"
)

// proves: decisions/17/view
func TestAIView(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, path := w.as("ada"), modelPath(modelA)+"/view"
	var got reply
	w.untouched(func() { got = w.get(path, ada).ok(200) })
	if diff := cmp.Diff(map[string]any{"semanticModelId": modelA.String(), "semanticModelName": "Actuals", "objects": []any{
		map[string]any{"type": "table", "table": "Sales"},
		map[string]any{"type": "column", "table": "Sales", "name": "Amount"},
		map[string]any{"type": "column", "table": "Sales", "name": "Region"},
		map[string]any{"type": "measure", "table": "Sales", "name": "Revenue"},
	}}, got.body); diff != "" {
		t.Errorf("view (-want +got):\n%s", diff)
	}
	w.get(modelPath(nowhere)+"/view", ada).refused(404, domain.ItemNotFound)
	w.get(strings.Replace(path, sales.String(), finance.String(), 1), w.as("bob")).refused(404, domain.WorkspaceNotFound)
	w.get(path, w.as("nora")).refused(403, domain.FeatureTurnedOff)
	w.cloud.table = "table\n"
	if r := w.get(path, ada); !strings.Contains(string(r.refused(400, domain.InvalidRequest).text), "Sales.tmdl") {
		t.Errorf("the refusal does not name the file: %s", r.text)
	}
	w.cloud.fails = func(item.Caller) error { return domain.Refuse(domain.PlatformUnavailable, "not now") }
	w.get(path, ada).refused(502, domain.PlatformUnavailable)
}
