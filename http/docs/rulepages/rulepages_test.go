package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readiness/domain/readiness/explained"
)

// The pages are those that the generator writes, and there are no others.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	pages, err := write()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		text, err := os.ReadFile(filepath.Join(root, folder, name))
		if err != nil || string(text) != pages[name] {
			t.Errorf("%s/%s is not what domain/readiness says (error %v); run make generate", folder, name, err)
		}
	}
	stale, err := others(root, pages)
	if err != nil || len(stale) > 0 {
		t.Errorf("%s has %q, which no rule needs, error %v", folder, stale, err)
	}
}

// A run writes each page once more and removes what no rule needs.
func TestRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{folder + "/OLD-01.md": "old"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(root); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(root, folder))
	if err != nil || len(files) != len(explained.Rules())+3 {
		t.Errorf("%d files, want one for each rule, the list, and own rules with their examples, error %v", len(files), err)
	}
}

// A page shows the finding of the failing example, and how to ignore it.
func TestPage(t *testing.T) {
	t.Parallel()
	page := func(id string) string {
		p, err := newRulePage(id)
		if err != nil {
			t.Fatal(err)
		}
		return p.String()
	}
	for id, wants := range map[string][]string{
		"DSC-01": {"| medium | 2 | 14 | 14 | minutes | `descriptions` |",
			"> Table 'Sales': describe", "```yaml\nignore:\n  - rule: DSC-01\n    table: Sales\n    object: \"\"\n", "annotation readiness.ignore = DSC-01: ", "rules:\n  DSC-01: off\n"},
		"REL-02": {`    object: "Sales[Region] -> Budget[Region]"`},
		"VIS-05": {"26 times, with {n} from 1 to 26:"},
		"VIS-06": {"Views in reports: Sales[Revenue] 40; other fields have none."},
		"INS-03": {"`Copilot/Instructions/instructions.md`:\n\n```markdown\n", `    object: "#"`},
		"AGT-04": {"| – | 5 |", `    object: Sales`},
	} {
		text := page(id)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", id, want)
			}
		}
	}
	if text := page("INS-08"); strings.Contains(text, "annotation") {
		t.Error("INS-08 offers an annotation, which verified answers do not have")
	}
	if _, err := newRulePage("XYZ-01"); err == nil {
		t.Error("there is a page of a rule that does not exist")
	}
}
