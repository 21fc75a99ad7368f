package definition_test

import (
	"testing"

	"readiness/definition"
)

// Names that differ only in letter case are equal, as on Windows. If there are
// several, the exact name is preferred, and new parts go into existing folders.
//
// proves: decisions/9/15-letter-case
func TestNamesInAnyLetterCase(t *testing.T) {
	t.Parallel()
	d := definition.New()
	for _, path := range []string{"Definition/Model.tmdl", "MODEL.BIM", "Model.bim", "copilot/schema.json", "copilot/instructions/INSTRUCTIONS.md", "copilotx/Instructions/x"} {
		d.Parts = append(d.Parts, definition.Part{Path: path, Data: []byte(path)})
	}
	d = definition.New(d.Parts...)
	for _, c := range []struct{ path, named, spelled string }{
		{"Definition/Model.tmdl", "Definition/Model.tmdl", "Definition/Model.tmdl"},
		{"definition/model.tmdl", "Definition/Model.tmdl", "Definition/Model.tmdl"},
		{"Model.bim", "Model.bim", "Model.bim"},
		{"model.bim", "MODEL.BIM", "MODEL.BIM"},
		{"Copilot/Instructions/instructions.md", "copilot/instructions/INSTRUCTIONS.md", "copilot/instructions/INSTRUCTIONS.md"},
		{"Copilot/Instructions/version.json", "", "copilot/instructions/version.json"},
		{"Copilot/version.json", "", "copilot/version.json"},
		{"Copilot/A/B/c", "", "copilot/A/B/c"},
		{"Files/x", "", "Files/x"},
		{"definition", "", "definition"},
	} {
		p, ok := d.Named(c.path)
		if p.Path != c.named || ok != (c.named != "") || string(p.Data) != c.named {
			t.Errorf("%s is %q, %v", c.path, p.Path, ok)
		}
		if got := d.Spelled(c.path); got != c.spelled {
			t.Errorf("%s is spelled %q, want %q", c.path, got, c.spelled)
		}
	}
	exact := definition.New(definition.Part{Path: "COPILOT/a/b"}, definition.Part{Path: "Copilot/a/b"})
	if got := exact.Spelled("Copilot/a/c"); got != "Copilot/a/c" {
		t.Errorf("next to the folder with the exact name: %q", got)
	}
	if (definition.Definition{}).Spelled("a/b") != "a/b" {
		t.Error("a definition without parts spells otherwise")
	}
}
