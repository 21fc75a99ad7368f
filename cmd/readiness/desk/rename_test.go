package desk

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reported writes a folder with a model, a report on it, and a report on another model that has a field of the same name.
func reported(t *testing.T) string {
	t.Helper()
	const measure = `{"visual":{"query":{"Measure":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Net"}}}}`
	return folderOf(t, map[string]string{
		"Shop.SemanticModel/definition.pbism":                     `{"version": "4.0", "settings": {}}`,
		"Shop.SemanticModel/definition/model.tmdl":                "model Model\n",
		"Shop.SemanticModel/definition/tables/Sales.tmdl":         "\ufefftable Sales\r\n\r\n\tmeasure Net = SUM ( Sales[Amt] )\r\n\r\n\tmeasure Share = DIVIDE ( [Net], 2 )\r\n\r\n\tcolumn Amt\r\n\t\tdataType: double\r\n",
		"Shop.SemanticModel/definition/tables/Store.tmdl":         "table 'Store One'\n\n\tcolumn Key\n\t\tdataType: string\n\n\tcolumn Amt\n\t\tdataType: double\n",
		"Shop.Report/definition.pbir":                             `{"version": "4.0", "datasetReference": {"byPath": {"path": "../Shop.SemanticModel"}}}`,
		"Shop.Report/definition/report.json":                      "{}",
		"Shop.Report/definition/pages/p/page.json":                `{"name": "p"}`,
		"Shop.Report/definition/pages/p/visuals/v/visual.json":    measure,
		"Unused.Report/definition.pbir":                           `{"version": "4.0", "datasetReference": {"byPath": {"path": "../Shop.SemanticModel"}}}`,
		"Unused.Report/definition/report.json":                    "{}",
		"Other.SemanticModel/definition.pbism":                    `{"version": "4.0", "settings": {}}`,
		"Other.SemanticModel/definition/model.tmdl":               "model Model\n",
		"Other.SemanticModel/definition/tables/Sales.tmdl":        "table Sales\n\n\tmeasure Net = 1\n",
		"Other.Report/definition.pbir":                            `{"version": "4.0", "datasetReference": {"byPath": {"path": "../Other.SemanticModel"}}}`,
		"Other.Report/definition/report.json":                     "{}",
		"Other.Report/definition/pages/p/visuals/v/visual.json":   measure,
		"Other.Report/definition/pages/p/page.json":               `{"name": "p"}`,
		"Shop.SemanticModel/Copilot/Instructions/instructions.md": "Net is without taxes.\n",
	})
}

// A renaming is shown before, recorded, and undone to the byte in the model and in the reports.
func TestRename(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		field, to string
		changed   map[string]string // by file: what it has then
	}{
		"a measure": {"[net]", "Net Revenue", map[string]string{
			"Shop.SemanticModel/definition/tables/Sales.tmdl":      "\ufefftable Sales\r\n\r\n\tmeasure 'Net Revenue' = SUM ( Sales[Amt] )\r\n\r\n\tmeasure Share = DIVIDE ( [Net Revenue], 2 )\r\n",
			"Shop.Report/definition/pages/p/visuals/v/visual.json": `"Property":"Net Revenue"`,
		}},
		"a column": {"Sales[Amt]", "Amount", map[string]string{
			"Shop.SemanticModel/definition/tables/Sales.tmdl": "\tmeasure Net = SUM ( Sales[Amount] )\r\n\r\n\tmeasure Share = DIVIDE ( [Net], 2 )\r\n\r\n\tcolumn Amount\r\n",
		}},
		"a column of a quoted table": {"'Store One'[Amt]", "Amount", map[string]string{
			"Shop.SemanticModel/definition/tables/Store.tmdl": "\tcolumn Amount\n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := reported(t)
			before := contents(t, dir)
			model := filepath.Join(dir, "Shop.SemanticModel")
			shown := must(t, "rename", model, tt.field, tt.to, "--root", dir)
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Fatalf("it wrote without --write\n%s", diff)
			}
			if !strings.Contains(shown.stderr, "Nothing was written") {
				t.Error(shown.stderr)
			}
			record := filepath.Join(t.TempDir(), "record.json")
			wrote := must(t, "rename", model, tt.field, tt.to, "--root", dir, "--write", "--record", record)
			if wrote.stdout != shown.stdout || !strings.Contains(wrote.stderr, "To undo: readiness revert ") {
				t.Errorf("shown before:\n%s\nshown when written:\n%s%s", shown.stdout, wrote.stdout, wrote.stderr)
			}
			after := contents(t, dir)
			for file, text := range after {
				want, changes := tt.changed[file]
				if changes != (text != before[file]) || !strings.Contains(text, want) {
					t.Errorf("%s is %q", file, text)
				}
				if changes != strings.Contains(shown.stdout, "+++ b/"+file) {
					t.Errorf("the preview shows %s: %t\n%s", file, !changes, shown.stdout)
				}
			}
			if again := run(t.Context(), "rename", model, tt.field, tt.to, "--root", dir, "--write", "--record", record+"2"); again.code != 1 {
				t.Errorf("renamed twice: %+v", again)
			}
			must(t, "revert", record, "--root", dir)
			if diff := cmp.Diff(after, contents(t, dir)); diff != "" {
				t.Fatalf("revert wrote without --write\n%s", diff)
			}
			must(t, "revert", record, "--root", dir, "--write")
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("not as before\n%s", diff)
			}
		})
	}
}

// What is not safe, or not one field of one model, is refused and writes neither a file nor a record.
func TestRefusedRename(t *testing.T) {
	t.Parallel()
	dir := reported(t)
	before := contents(t, dir)
	model := filepath.Join(dir, "Shop.SemanticModel")
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no field":           {[]string{model, "[Gross]", "X"}, 1, "the model has no measure or column [Gross]"},
		"two fields":         {[]string{model, "Amt", "X"}, 1, "[Amt] may be of Sales or Store One; write its table, as in 'Sales'[Amt]"},
		"another table's":    {[]string{model, "Sales[Key]", "X"}, 1, "the model has no measure or column Sales[Key]"},
		"a taken name":       {[]string{model, "[Net]", "share"}, 1, "Sales has a field Share already"},
		"two models":         {[]string{dir, "[Net]", "X"}, 2, "holds 2"},
		"no name":            {[]string{model, "[Net]"}, 2, "the new name"},
		"outside the root":   {[]string{model, "[Net]", "X", "--root", model}, 1, "is not below the root"},
		"record, no --write": {[]string{model, "[Net]", "X", "--record", "r.json"}, 2, "--record needs --write"},
	} {
		args := append([]string{"rename"}, tt.args...)
		if !slices.Contains(args, "--record") {
			args = append(args, "--write", "--record", filepath.Join(dir, "record.json"))
		}
		if got := run(t.Context(), args...); got.code != tt.code || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("something was written\n%s", diff)
	}
}

// If a file was changed since, neither the model nor the report is reverted; what else changed stays.
func TestRevertRenameTogether(t *testing.T) {
	t.Parallel()
	const visual, page = "Shop.Report/definition/pages/p/visuals/v/visual.json", "Shop.Report/definition/pages/p/page.json"
	dir := reported(t)
	before := contents(t, dir)
	record := filepath.Join(t.TempDir(), "record.json")
	must(t, "rename", filepath.Join(dir, "Shop.SemanticModel"), "[Net]", "Revenue", "--root", dir, "--write", "--record", record)
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(file)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	renamed := contents(t, dir)[visual]
	write(visual, renamed+" ")
	after := contents(t, dir)
	refused := run(t.Context(), "revert", record, "--root", dir, "--write")
	if refused.code != 4 || !strings.Contains(refused.stdout, "visual.json was changed since") || !strings.Contains(refused.stdout, "Shop.SemanticModel: not reverted: ") {
		t.Errorf("%+v", refused)
	}
	if diff := cmp.Diff(after, contents(t, dir)); diff != "" {
		t.Errorf("a part was reverted\n%s", diff)
	}
	write(visual, renamed)
	write(page, `{"name": "p", "displayName": "P"}`)
	must(t, "revert", record, "--root", dir, "--write")
	want := maps.Clone(before)
	want[page] = `{"name": "p", "displayName": "P"}`
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("not as before\n%s", diff)
	}
}
