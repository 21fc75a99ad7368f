package desk

import (
	"encoding/csv"
	"encoding/json"
	"maps"
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
		"Sales.Report/definition/pages/p/page.json":                      `{"name": "p", "displayName": "Ask"}`,
		"Sales.Report/definition/bookmarks/one.bookmark.json":            `{"explorationState": {"visual": {"visualType": "qnaVisual"}}}`,
		"Old.Report/definition.pbir":                                     `{"version": "1.0", "datasetReference": {"byPath": {"path": "../Sales.SemanticModel"}}}`,
		"Old.Report/report.json":                                         `{"config": "{}", "sections": [{"name": "t", "displayName": "Tip", "config": "{\"type\":1}", "visualContainers": [{"config": "{\"name\":\"a\",\"singleVisual\":{\"visualType\":\"qnaVisual\"}}"}]}]}`,
		"Ruined.Report/definition.pbir":                                  `{"version": "4.0", "datasetReference": {"byPath": {"path": "../Sales.SemanticModel"}}}`,
		"Ruined.Report/definition/pages/p/page.json":                     `{"name":`,
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
		"Sales.SemanticModel\n  form: linguistic; 1 synonym, 1 suggested one, 0 hidden objects, 1 phrasing, 0 suggested questions, AI instructions\n",
		"carries over 1 synonym, 0 hidden objects, 0 questions and 15 characters of instructions; loses 2 things\n",
		"lost: 1 suggested synonym of 'Sales'[Revenue]: nobody accepted them; --suggested carries them over\n",
		"lost: a phrasing of mine: the new form has no phrasings",
		"breaks: 1 Q&A visual of Old.Report (Tip)\n    breaks: 1 Q&A visual and 1 bookmark of Sales.Report (Ask)\n",
		"Bare.SemanticModel\n  form: none; 0 synonyms, 0 suggested ones, 0 hidden objects, 0 phrasings, 0 suggested questions\n  nothing to upgrade\n",
		"not upgraded: its linguistic schema cannot be read: definition/cultures/en-US.tmdl:3: ",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the output lacks %q\n%s", want, got.stdout)
		}
	}
	if !strings.Contains(got.stderr, "Nothing was written") || !strings.Contains(got.stderr, "Ruined.Report/definition/pages/p/page.json") {
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
			"- 1 Q&A visual of Old.Report (Tip): an error is shown there once Q&A is off\n" +
			"- 1 Q&A visual and 1 bookmark of Sales.Report (Ask): an error is shown there once Q&A is off\n",
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

// assess counts what leaves with Q&A, and searches the reports beside a model that has a linguistic schema. It says nothing of the reports of
// others, and not that they have no Q&A visual.
func TestAssessLeavingQnA(t *testing.T) {
	t.Parallel()
	dir := linguistic(t)
	got := run(t.Context(), "assess", dir, "--root", dir, "--format", "json")
	var d struct {
		Items []struct {
			Name    string
			Leaving map[string]any `json:"leaving_qna"`
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil || got.code != 0 {
		t.Fatal(err, got.code, got.stderr)
	}
	holds := func(format string, more map[string]any) map[string]any {
		all := map[string]any{"ai_format": format, "linguistic_synonyms": 0.0, "suggested_synonyms": 0.0, "generated_synonyms": 0.0, "deleted_synonyms": 0.0,
			"linguistic_entities": 0.0, "hidden_objects": 0.0, "linguistic_relationships": 0.0, "phrasings": 0.0, "suggested_questions": 0.0, "ai_instructions": false}
		maps.Copy(all, more)
		return all
	}
	want := map[string]map[string]any{"Bare": holds("none", nil), "Broken": holds("none", nil),
		"Sales": holds("linguistic", map[string]any{"linguistic_synonyms": 1.0, "suggested_synonyms": 1.0, "linguistic_entities": 1.0,
			"linguistic_relationships": 1.0, "phrasings": 1.0, "ai_instructions": true, "losses": 2.0, "reports_unread": 1.0, "qna_reports": []any{
				map[string]any{"path": "Old.Report", "visuals": 1.0, "bookmarks": 0.0, "pages": []any{"Tip"}},
				map[string]any{"path": "Sales.Report", "visuals": 1.0, "bookmarks": 1.0, "pages": []any{"Ask"}}}})}
	for _, i := range d.Items {
		if i.Name == "Broken" {
			if invalid, _ := i.Leaving["invalid_linguistic_schema"].(string); !strings.HasPrefix(invalid, "definition/cultures/en-US.tmdl:3: ") {
				t.Errorf("%q does not say where the schema cannot be read", invalid)
			}
			delete(i.Leaving, "invalid_linguistic_schema")
		}
		if diff := cmp.Diff(want[i.Name], i.Leaving); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", i.Name, diff)
		}
		delete(want, i.Name)
	}
	if len(want) > 0 || !strings.Contains(got.stderr, "no Q&A visual is looked for in this report") {
		t.Errorf("missing are %v; %s", want, got.stderr)
	}
	for _, format := range []string{"table", "markdown"} {
		text := strings.Join(strings.Fields(strings.ReplaceAll(run(t.Context(), "assess", dir, "--root", dir, "--format", format).stdout, `\`, "")), " ")
		for _, line := range []string{"1 synonym, 1 suggested one, 0 hidden objects, 1 phrasing, 0 suggested questions, AI instructions; an upgrade loses 2 things; " +
			"2 Q&A visuals in 2 reports beside it; 1 report beside it not read.", "a linguistic schema cannot be read, which stops an upgrade: definition/cultures/en-US.tmdl:3: "} {
			if !strings.Contains(strings.ReplaceAll(text, "&amp;", "&"), line) {
				t.Errorf("%s lacks %q: %s", format, line, text)
			}
		}
		if n := strings.Count(text, "Leaving Q"); n != 2 {
			t.Errorf("%s: %d models leave Q&A, want 2 of 3", format, n)
		}
	}
}

// The formats have what the table has.
func TestUpgradeAIFormats(t *testing.T) {
	t.Parallel()
	dir := linguistic(t)
	lines, err := csv.NewReader(strings.NewReader(must(t, "upgrade-ai", dir, "--root", dir, "--format", "csv").stdout)).ReadAll()
	if err != nil || len(lines) != 4 || lines[3][1] != "Sales" || lines[3][2] != "linguistic" || lines[3][9] != "2" || lines[3][18] != "1" {
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
