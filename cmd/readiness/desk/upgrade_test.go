package desk

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// linguistic writes a folder with a model in the old form, a report with a Q&A visual on it, and a model without anything for an AI.
func linguistic(t *testing.T) string {
	t.Helper()
	const schema = `{"Version":"4.2.0","Language":"en-US","CustomInstructions":"Revenue is net.","Entities":{"r":{"Definition":{"Binding":` +
		`{"ConceptualEntity":"Sales","ConceptualProperty":"Revenue"}},"Terms":["turnover",{"deals":{"State":"Suggested"}}]}},"Relationships":{"mine":{}}}`
	return folderOf(t, map[string]string{
		"Sales.SemanticModel/definition.pbism":                           "{\r\n  \"version\": \"4.0\",\r\n  \"settings\": {}\r\n}",
		"Sales.SemanticModel/definition/model.tmdl":                      "model Model\n\tculture: en-US\n",
		"Sales.SemanticModel/definition/tables/Sales.tmdl":               "table Sales\n\n\tmeasure Revenue = 1\n",
		"Sales.SemanticModel/definition/cultures/en-US.tmdl":             "cultureInfo en-US\n\n\tlinguisticMetadata = " + schema + "\n\t\tcontentType: json\n\n",
		"Sales.Report/definition.pbir":                                   `{"version": "4.0", "datasetReference": {"byPath": {"path": "../Sales.SemanticModel"}}}`,
		"Sales.Report/definition/pages/p/visuals/ask/visual.json":        `{"name": "ask", "visual": {"visualType": "qnaVisual"}}`,
		"Sales.Report/definition/pages/p/visuals/other/visual.json":      `{"name": "other", "visual": {"visualType": "card"}}`,
		"Bare.SemanticModel/definition.pbism":                            `{"version": "4.0", "settings": {}}`,
		"Bare.SemanticModel/definition/model.tmdl":                       "model Model\n",
		"Broken.SemanticModel/definition.pbism":                          `{"version": "4.0", "settings": {}}`,
		"Broken.SemanticModel/definition/model.tmdl":                     "model Model\n",
		"Broken.SemanticModel/definition/cultures/en-US.tmdl":            "cultureInfo en-US\n\n\tlinguisticMetadata = {\"Entities\":\n\t\tcontentType: json\n",
		"Elsewhere.Report/definition.pbir":                               `{"version": "4.0", "datasetReference": {"byPath": {"path": "../Bare.SemanticModel"}}}`,
		"Elsewhere.Report/definition/pages/p/visuals/none/visual.json":   `{"name": "none", "visual": {"visualType": "card"}}`,
		"Sales.Report/StaticResources/RegisteredResources/pretend.json1": `qnaVisual`,
	})
}

// upgrade-ai lists what there is and writes nothing; with --write it makes the folder Copilot, and revert restores every byte.
func TestUpgradeAI(t *testing.T) {
	t.Parallel()
	dir := linguistic(t)
	before := contents(t, dir)
	got := must(t, "upgrade-ai", dir, "--root", dir)
	for _, want := range []string{
		"Sales.SemanticModel\n  form: linguistic; 1 synonym, 1 suggested one, 0 hidden objects, 1 phrasing, AI instructions\n",
		"carries over 1 synonym, 0 hidden objects, 0 questions and 15 characters of instructions; loses 2 things\n",
		"lost: 1 suggested synonym of 'Sales'[Revenue]: nobody accepted them; --suggested carries them over\n",
		"lost: a phrasing of mine: the new form has no phrasings",
		"breaks: the Q&A visual of Sales.Report/definition/pages/p/visuals/ask/visual.json\n",
		"Bare.SemanticModel\n  form: none; 0 synonyms, 0 suggested ones, 0 hidden objects, 0 phrasings\n  nothing to upgrade\n",
		"not upgraded: its linguistic schema cannot be read: definition/cultures/en-US.tmdl:3: ",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the output lacks %q\n%s", want, got.stdout)
		}
	}
	if !strings.Contains(got.stderr, "Nothing was written") {
		t.Error(got.stderr)
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Fatalf("it wrote without --write\n%s", diff)
	}

	record := filepath.Join(t.TempDir(), "record.json")
	if got = must(t, "upgrade-ai", dir, "--root", dir, "--write", "--record", record); !strings.Contains(got.stderr, "To undo: readiness revert ") {
		t.Error(got.stderr)
	}
	after := contents(t, dir)
	for name, want := range map[string]string{
		"Sales.SemanticModel/Copilot/Instructions/instructions.md": "Revenue is net.",
		"Sales.SemanticModel/definition.pbism":                     "{\r\n  \"version\": \"5.0\",\r\n  \"settings\": {\r\n    \"qnaEnabled\": false\r\n  },\r\n  \"$schema\": \"https://developer.microsoft.com/json-schemas/fabric/item/semanticModel/definitionProperties/1.0.0/schema.json\"\r\n}",
		"Bare.SemanticModel/definition.pbism":                      before["Bare.SemanticModel/definition.pbism"],
		"Sales.upgrade-ai.md": "# What the upgrade of Sales does not carry over\n\n- 1 suggested synonym of 'Sales'[Revenue]: nobody accepted them; " +
			"--suggested carries them over\n- a phrasing of mine: the new form has no phrasings; say in the AI instructions what it means\n" +
			"- the Q&A visual of Sales.Report/definition/pages/p/visuals/ask/visual.json: it shows an error once Q&A is off\n",
	} {
		if after[name] != want {
			t.Errorf("%s is %q, want %q", name, after[name], want)
		}
	}
	if again := must(t, "upgrade-ai", dir, "--root", dir, "--write"); !strings.Contains(again.stdout, "it has a folder Copilot already") ||
		strings.Contains(again.stderr, "To undo") {
		t.Errorf("again: %s%s", again.stdout, again.stderr)
	}
	if diff := cmp.Diff(after, contents(t, dir)); diff != "" {
		t.Errorf("a second upgrade wrote\n%s", diff)
	}

	// What was changed since is not reverted, and nothing of the model is.
	prompts := filepath.Join(dir, "Sales.SemanticModel", "Copilot", "settings.json")
	written := after["Sales.SemanticModel/Copilot/settings.json"]
	if err := os.WriteFile(prompts, []byte(`{"mine": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := run(t.Context(), "revert", record, "--root", dir, "--write")
	if refused.code != 1 && refused.code != 4 || !strings.Contains(refused.stdout+refused.stderr, "Copilot/settings.json was changed since; nothing of it is reverted") {
		t.Errorf("%d %s%s", refused.code, refused.stdout, refused.stderr)
	}
	if now := contents(t, dir); now["Sales.SemanticModel/definition.pbism"] != after["Sales.SemanticModel/definition.pbism"] {
		t.Error("a refused revert wrote")
	}
	if err := os.WriteFile(prompts, []byte(written), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := must(t, "revert", record, "--root", dir, "--write"); !strings.Contains(got.stdout, "files restored") {
		t.Error(got.stdout)
	}
	now := contents(t, dir)
	delete(now, "Sales.upgrade-ai.md")
	if diff := cmp.Diff(before, now); diff != "" {
		t.Errorf("not as before (-before +after)\n%s", diff)
	}
	if got := must(t, "revert", record, "--root", dir, "--write"); !strings.Contains(got.stdout, "already as before") {
		t.Error(got.stdout)
	}
}

// The formats have what the table has.
func TestUpgradeAIFormats(t *testing.T) {
	t.Parallel()
	dir := linguistic(t)
	lines, err := csv.NewReader(strings.NewReader(must(t, "upgrade-ai", dir, "--root", dir, "--format", "csv").stdout)).ReadAll()
	if err != nil || len(lines) != 4 || lines[3][1] != "Sales" || lines[3][2] != "linguistic" || lines[3][9] != "1" {
		t.Errorf("%v, %v", lines, err)
	}
	var d struct {
		Models []struct {
			Name, Outcome string
			Format        string `json:"ai_format"`
			Upgrade       *struct {
				Synonyms int
				Lost     []struct{ What string }
			}
		}
	}
	if err := json.Unmarshal([]byte(must(t, "upgrade-ai", dir, "--root", dir, "--format", "json").stdout), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Models) != 3 || d.Models[0].Upgrade != nil || d.Models[2].Upgrade == nil || d.Models[2].Upgrade.Synonyms != 1 || len(d.Models[2].Upgrade.Lost) != 2 {
		t.Errorf("%+v", d)
	}
	for _, args := range [][]string{{"upgrade-ai"}, {"upgrade-ai", dir, "--format", "xml"}, {"upgrade-ai", dir, "--record", "x"},
		{"upgrade-ai", dir, "--schema", filepath.Join(dir, "Sales.Report", "definition.pbir")}} {
		if got := run(t.Context(), args...); got.code != 2 {
			t.Errorf("%v: %d %s", args, got.code, got.stderr)
		}
	}
}
