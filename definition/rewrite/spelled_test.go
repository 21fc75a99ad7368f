package rewrite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
)

// there writes the changes, restores them and returns the definition in between.
func there(t *testing.T, before definition.Definition, changes ...rewrite.Change) definition.Definition {
	t.Helper()
	after, undo, err := rewrite.Write(before, changes)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := rewrite.Restore(after, undo); err != nil || back.Hash() != before.Hash() || back.Loose != before.Loose {
		t.Errorf("it does not come back: %v\n%s", err, strings.Join(changedLines(before, back), "\n"))
	}
	return after
}

// Parts in another letter case are written in place, and new parts go next to them.
//
// proves: decisions/9/15-letter-case
func TestPartsInAnotherLetterCase(t *testing.T) {
	t.Parallel()
	const bim = `{"model":{"tables":[{"name":"T","columns":[{"name":"C"}]}]}}`
	all := []rewrite.Change{
		change(rewrite.Instructions, "", "", "Be brief."), change(rewrite.Visibility, "T", "C", "Hidden"), change(rewrite.Description, "T", "", "Tickets"),
	}
	for name, c := range map[string]struct {
		before definition.Definition
		want   []string
	}{
		"TMDL": {model("Definition/Model.TMDL", "model Model\n", "Definition/Tables/T.Tmdl", "table T\n\tcolumn C\n", "copilot/schema.JSON", `{"tables":[]}`),
			[]string{"Definition/Model.TMDL", "Definition/Tables/T.Tmdl", "copilot/Instructions/instructions.md", "copilot/Instructions/version.json", "copilot/schema.JSON", "copilot/version.json"}},
		"TMSL": {model("Model.BIM", bim, "COPILOT/instructions/Instructions.MD", "Be long."),
			[]string{"COPILOT/instructions/Instructions.MD", "COPILOT/schema.json", "COPILOT/version.json", "Model.BIM"}},
	} {
		after := there(t, c.before, all...)
		if diff := cmp.Diff(c.want, paths(after)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		m, err := semanticmodel.Read(after)
		if err != nil || m.Copilot.Instructions == nil || *m.Copilot.Instructions != "Be brief." || len(m.Copilot.Schema.Tables) != 1 || m.Tables[0].Description != "Tickets" {
			t.Errorf("%s: got %+v, %v", name, m, err)
		}
	}
	// Folders that Windows takes for one are read as one.
	split := model("definition/model.tmdl", "model Model\n", "Definition/tables/T.tmdl", "table T\n\tcolumn C\n")
	if after := there(t, split, all[2]); len(changedLines(split, after)) == 0 || !slices.Equal(paths(after), paths(split)) {
		t.Errorf("a folder in two spellings: %v", paths(after))
	}
	if _, err := semanticmodel.Read(model("Model.bim", bim, "MODEL.bim", bim)); err == nil || !strings.Contains(err.Error(), "both MODEL.bim and Model.bim") {
		t.Errorf("two that could be meant: %v", err)
	}
	if m, err := semanticmodel.Read(model("Model.bim", "{}", "model.bim", bim)); err != nil || len(m.Tables) != 1 {
		t.Errorf("the very name is meant: %v", err)
	}
}

// A loose model is written in its own files. A change that needs other files is
// refused, unless a linguistic schema contains the property.
//
// proves: decisions/9/15-loose
func TestLooseModels(t *testing.T) {
	t.Parallel()
	loose := func(d definition.Definition) definition.Definition { d.Loose = true; return d }
	const (
		plain  = `{"model":{"tables":[{"name":"T","columns":[{"name":"C"}]}]}}`
		spoken = `{"model":{"culture":"en-US","tables":[{"name":"T","columns":[{"name":"C"}]}],"cultures":[{"name":"en-US","linguisticMetadata":{"content":{"CustomInstructions":"Be long.","Entities":{"t":{"Definition":{"Binding":{"ConceptualEntity":"T"}},"Visibility":{"Value":"Hidden","State":"Authored"}}}}}}]}}`
	)
	for name, c := range map[string]struct {
		d     definition.Definition
		holds bool
	}{
		"a .bim file":                          {loose(model("Sales 2026.bim", plain)), false},
		"a .bim file with a linguistic schema": {loose(model("Sales 2026.BIM", spoken)), true},
		"TMDL":                                 {loose(model("model.tmdl", "model Model\n", "tables/T.tmdl", "table T\n\tcolumn C\n")), false},
	} {
		after := there(t, c.d, change(rewrite.Description, "T", "C", "One"), change(rewrite.SummarizeBy, "T", "C", "none"), change(rewrite.DisplayFolder, "T", "C", "F"))
		if !slices.Equal(paths(c.d), paths(after)) || !after.Loose {
			t.Errorf("%s: got %v", name, paths(after))
		}
		m, err := semanticmodel.Read(c.d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, one := range []rewrite.Change{change(rewrite.Instructions, "", "", "Be brief."), change(rewrite.Visibility, "T", "", "Visible")} {
			kept := rewrite.Kept(c.d, m, one.Property)
			if (kept == nil) != c.holds {
				t.Errorf("%s: %s: got %v", name, one.Property, kept)
			}
			if c.holds {
				there(t, c.d, one)
				continue
			}
			if _, _, err := rewrite.Write(c.d, []rewrite.Change{one}); err == nil || !strings.Contains(err.Error(), "a folder that ends in .SemanticModel") {
				t.Errorf("%s: %s: got %v", name, one.Property, err)
			}
		}
		if rewrite.Kept(c.d, m, rewrite.Description) != nil {
			t.Errorf("%s has no place for descriptions", name)
		}
	}
	if _, err := semanticmodel.Read(loose(model("a.txt", ""))); err == nil || !strings.Contains(err.Error(), "neither a .tmdl nor a .bim file") {
		t.Errorf("got %v", err)
	}
	if _, err := semanticmodel.Read(loose(model("tables/T.tmdl", "table T\n\tmeasure C = 1\n\tcolumn C\n"))); err == nil || !strings.Contains(err.Error(), "tables/T.tmdl:2") {
		t.Errorf("the file is not named: %v", err)
	}
}
