package offline_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/optimization"
	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/report/webpage"
)

// What cannot be understood is a warning with its place, no rule on it passes or fails, and no apply writes over it.
//
// proves: decisions/9/15-unread
func TestWhatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	const lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n"
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
		"prompts":             {"Copilot/examplePrompts.json", "[]", "examplePrompts.json:1:1: ", "", "INS-13"},
		"the settings":        {"Copilot/settings.json", `{"indexingEnabled": false,`, "settings.json:1:26: ", "", "INS-12"},
		"a version":           {"Copilot/version.json", "{\n  oops", "Copilot/version.json:2:3: ", optimization.AIDataSchema, "INS-13"},
		"an answer":           {"Copilot/VerifiedAnswers/definitions/1/definition.json", lfs, "definition.json:1:1: this is a Git LFS pointer", "", "INS-08"},
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

// Every report names the rules that could not judge, and why; a baseline that lacks other rules does not compare.
//
// proves: decisions/14/not-assessable
func TestNotAssessableIsShown(t *testing.T) {
	t.Parallel()
	root := files(t, with(shop, "Shop.SemanticModel/Copilot/examplePrompts.json", "[]"))
	a := assess(t, offline.AssessOptions{}, root)
	for name, write := range map[string]func(io.Writer) error{
		"table":    func(w io.Writer) error { return report.WriteTable(w, a, report.Screen{Width: 200}) },
		"Markdown": func(w io.Writer) error { return report.WriteMarkdown(w, a, report.Listing{}) },
		"HTML":     func(w io.Writer) error { return webpage.Write(w, a, report.Listing{}) },
	} {
		var b strings.Builder
		if err := write(&b); err != nil || !strings.Contains(b.String(), "Not assessable: INS-13. The score lacks this rule, because of") ||
			!strings.Contains(b.String(), "An estimate, not measured.") {
			t.Errorf("%s: %v\n%s", name, err, b.String())
		}
	}
	var b strings.Builder
	if err := offline.WriteJSON(&b, a); err != nil || !strings.Contains(b.String(), `"not_assessable": [`) {
		t.Errorf("JSON: %v\n%s", err, b.String())
	}
	baseline := filepath.Join(t.TempDir(), "baseline.json")
	if err := os.WriteFile(baseline, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := offline.ReadBaseline(baseline)
	if err != nil {
		t.Fatal(err)
	}
	for name, again := range map[string]struct {
		text       string
		comparable bool
	}{"the same": {"[]", true}, "mended": {`{"prompts": []}`, false}} {
		root := files(t, with(shop, "Shop.SemanticModel/Copilot/examplePrompts.json", again.text))
		if since := assess(t, offline.AssessOptions{Baseline: read}, root).Items[0].Since; since.Comparable != again.comparable {
			t.Errorf("%s: got %+v", name, since)
		}
	}
}
