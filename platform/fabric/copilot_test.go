package fabric_test

import (
	"slices"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
)

// A model without any part that prepares it for AI may have some that the platform keeps back; one with any shows all.
func TestNotVisibleIsNotNone(t *testing.T) {
	t.Parallel()
	kept := newWorld(t, nil)
	dropped := newWorld(t, func(o *emulator.Options) { o.Layout = emulator.Layout{DropCopilot: true} })
	models, err := kept.folder.Items(t.Context(), person("ada"), retail, item.SemanticModel)
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, it := range models {
		for name, w := range map[string]*world{"kept": kept, "dropped": dropped} {
			d, err := w.Definition(t.Context(), person("ada"), it)
			if err != nil {
				t.Fatal(err)
			}
			m, err := semanticmodel.Read(d)
			if err != nil {
				t.Fatal(err)
			}
			shown := slices.ContainsFunc(d.Parts, func(p definition.Part) bool { return strings.HasPrefix(p.Path, "Copilot/") })
			if m.Copilot.NotVisible == shown {
				t.Errorf("%s, %s: not visible is %t, and there are parts below Copilot: %t", it.DisplayName, name, m.Copilot.NotVisible, shown)
			}
			if name == "kept" && shown {
				lost++
			}
		}
	}
	if lost == 0 {
		t.Error("no model has parts below Copilot")
	}
}
