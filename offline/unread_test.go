package offline_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/optimization"
	"readiness/offline"
)

// What cannot be understood is a warning with its place, no rule on it passes or fails, and no apply writes over it.
//
// proves: decisions/9/15-unread
func TestWhatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	linguistic := "cultureInfo en-US\n\n\tlinguisticMetadata =\n\t\t\t{\n\t\t\t  \"Version\": \"1.0.0\"\n\t\t\t  \"CustomInstructions\": \"Use [Net Sales].\"\n\t\t\t}\n\t\tcontentType: json\n"
	for name, c := range map[string]struct {
		path, text string
		at         string            // of the warning
		kind       optimization.Kind // that is not written
		lacks      string            // a rule that is not assessable
	}{
		"the AI data schema":  {"Copilot/schema.json", `{"tables":[ {"id":"x" ]}`, "Copilot/schema.json:1:23: ", optimization.AIDataSchema, "VIS-01"},
		"the AI instructions": {"Copilot/Instructions/instructions.md", "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n", "instructions.md:2:1: this is an unsolved merge", optimization.AIInstructions, "INS-01"},
		"a linguistic schema": {"definition/cultures/en-US.tmdl", linguistic, "en-US.tmdl:6:6: ", optimization.AIInstructions, "INS-01"},
		"behind it":           {"definition/cultures/en-US.tmdl", linguistic, "en-US.tmdl:6:6: ", optimization.AIDataSchema, "SYN-01"},
		"the properties":      {"definition.pbism", `{"version":`, "definition.pbism:1:", "", "INS-10"},
		"prompts":             {"Copilot/examplePrompts.json", "[]", "examplePrompts.json:1:1: ", "", ""},
		"the item's file":     {".platform", `{"metadata":`, ".platform:1:", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := files(t, with(shop, "Shop.SemanticModel/"+c.path, c.text))
			before := tree(t, root)
			a := assess(t, offline.AssessOptions{}, root)
			warned := func(all []offline.Warning) bool {
				return slices.ContainsFunc(all, func(w offline.Warning) bool { return strings.Contains(w.String(), c.at) })
			}
			if len(a.Items) != 1 || a.Items[0].Error != nil || !warned(a.Warnings) {
				t.Fatalf("got %v, want one at %s", a.Warnings, c.at)
			}
			lacking, err := json.Marshal(a.Items[0].Result.NotAssessable)
			if err != nil || c.lacks != "" && !strings.Contains(string(lacking), c.lacks) {
				t.Errorf("not assessable is %s, want %s", lacking, c.lacks)
			}
			for _, f := range a.Items[0].Findings {
				if slices.Contains(f.RuleIDs, c.lacks) {
					t.Errorf("%s judges: %s", c.lacks, f.Message)
				}
			}
			all, warnings, err := offline.Propose(t.Context(), find(t, root, root), embedded())
			if err != nil || all[0].Error != nil || !warned(warnings) {
				t.Fatalf("got %v, %v, warnings %v", err, all[0].Error, warnings)
			}
			for _, p := range all[0].Previews {
				if p.Kind == c.kind && (len(p.Changes) > 0 || p.NothingToDo == nil || !strings.Contains(*p.NothingToDo, c.at)) {
					t.Errorf("%s has %d changes, and says %v", p.Kind, len(p.Changes), p.NothingToDo)
				}
			}
			if all[0].Changes() == 0 {
				t.Fatal("nothing else is written")
			}
			write(t, all)
			after := tree(t, root)
			at := "Shop.SemanticModel/" + c.path
			if diff := cmp.Diff(before[at], after[at]); diff != "" || after[at] == "" {
				t.Errorf("it was changed (-before +after)\n%s", diff)
			}
		})
	}
}
