package fabric_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
)

// A model whose parts below Copilot/ are not shown is written only where a probe found that an update keeps them, and
// never there.
func TestWritesWithHiddenParts(t *testing.T) {
	t.Parallel()
	hides := emulator.Layout{DropCopilot: true, KeepsHidden: true}
	description := rewrite.Change{Target: rewrite.Target{Property: rewrite.Description, Table: "Sales"}, Value: "Sold."}
	instructions := rewrite.Change{Target: rewrite.Target{Property: rewrite.Instructions}, Value: "Be brief."}
	for name, c := range map[string]struct {
		layout emulator.Layout
		probed fabric.Answers
		change rewrite.Change
		says   string // "" if it is written
	}{
		"shown":                                 {emulator.Layout{}, fabric.Answers{CopilotShown: true}, description, ""},
		"shown, instructions":                   {emulator.Layout{}, fabric.Answers{CopilotShown: true}, instructions, ""},
		"shown, and nothing known":              {emulator.Layout{}, fabric.Answers{}, description, ""},
		"hidden, and nothing known":             {hides, fabric.Answers{}, description, "might delete what it does not show"},
		"hidden, and known not to be kept":      {hides, fabric.Answers{Passed: true}, description, "might delete"},
		"hidden, and known to be kept":          {hides, fabric.Answers{Passed: true, HiddenKept: true}, description, ""},
		"hidden and kept, but it needs a place": {hides, fabric.Answers{Passed: true, HiddenKept: true}, instructions, "cannot be compared"},
	} {
		w := newWritable(t, func(o *emulator.Options) { o.Layout = c.layout })
		w.probed = c.probed
		it, as := w.retailSales(t), person("ada")
		there, err := w.folder.Definition(t.Context(), as, it)
		if err != nil {
			t.Fatal(err)
		}
		before := w.read(t, as, it)
		after, _, err := rewrite.Write(before, []rewrite.Change{c.change})
		if c.says == "cannot be compared" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: got %v", name, err)
			}
			after, err = definition.New(append(slices.Clone(before.Parts), part("Copilot/Instructions/instructions.md"))...), nil
		}
		if err != nil {
			t.Fatal(err)
		}
		err = w.WriteDefinition(t.Context(), as, it, after, before.Hash())
		if c.says != "" {
			refused(t, err, domain.OperationNotSupportedForItem, c.says)
			if n := w.called(http.MethodPost, "updateDefinition"); n != 0 {
				t.Errorf("%s: %d updates were sent", name, n)
			}
			continue
		}
		if _, err := w.FinishWrite(t.Context(), as, it, sent(t, err)); err != nil {
			t.Fatal(err)
		}
		now, err := w.folder.Definition(t.Context(), as, it)
		if err != nil || len(now.Parts) < len(there.Parts) {
			t.Errorf("%s: of %d parts, %d are left: %v", name, len(there.Parts), len(now.Parts), err)
		}
	}
}

func part(path string) definition.Part { return definition.Part{Path: path, Data: []byte("x")} }
