package offline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/optimization"
	"readiness/offline"
	"readiness/test/samples"
)

// windows holds projects whose letter case differs from the disk's.
var windows = map[string]string{
	"P/Sales.Report/definition.pbir":                        `{"datasetReference":{"byPath":{"path":"../sales.semanticmodel"}}}`,
	"P/Sales.pbip":                                          `{"artifacts":[{"report":{"path":"SALES.report"}}]}`,
	"P/Upper.PBIP":                                          `{"artifacts":[{"report":{"path":"sales.Report"}}]}`,
	"P/Sales.SemanticModel/Definition/Model.TMDL":           shop["Shop.SemanticModel/definition/model.tmdl"],
	"P/Sales.SemanticModel/Definition/tables/Sales.tmdl":    telling["Shop.SemanticModel/definition/tables/Sales.tmdl"],
	"P/Sales.SemanticModel/Definition/tables/Products.tmdl": telling["Shop.SemanticModel/definition/tables/Products.tmdl"],
	"P/Sales.SemanticModel/copilot/version.json":            "{}",
	// Two names that differ only in letter case.
	"T/Twin.Report/Definition.PBIR":    `{"datasetReference":{"byPath":{"path":"..\\Twin.SemanticModel"}}}`,
	"T/Other.Report/definition.pbir":   `{"datasetReference":{"byPath":{"path":"../twin.semanticmodel"}}}`,
	"T/Gone.Report/definition.pbir":    `{"datasetReference":{"byPath":{"path":"../gone.SemanticModel"}}}`,
	"T/Twin.SemanticModel/model.bim":   "{}",
	"T/TWIN.SemanticModel/model.bim":   "{}",
	"T/Exact.pbip":                     `{"artifacts":[{"report":{"path":"twin.report"}}]}`,
	"T/Either.pbip":                    `{"artifacts":[{"report":{"path":"other.report"}}]}`,
	"T/Gone.pbip":                      `{"artifacts":[{"report":{"path":"Gone.Report"}}]}`,
	"T/deep/Up.pbip":                   `{"artifacts":[{"report":{"path":"..\\TWIN.REPORT\\"}}]}`,
	"D/report/definition.pbir":         `{"datasetReference":{"byPath":{"path":"../report.DUMMY"}}}`,
	"D/report.dummy/definition.pbism":  "{}",
	"D/report.dummy/definition/m.tmdl": "model Model\n",
	"D/D.pbip":                         `{"artifacts":[{"report":{"path":"Report"}}]}`,
}

// proves: decisions/9/15-letter-case
func TestProjectsInAnotherLetterCase(t *testing.T) {
	t.Parallel()
	root := files(t, windows)
	for project, c := range map[string]struct{ want, err string }{
		"P/Sales.pbip":   {"P/Sales.SemanticModel", ""},
		"P/Upper.PBIP":   {"P/Sales.SemanticModel", ""},
		"T/Exact.pbip":   {"T/Twin.SemanticModel", ""},
		"T/deep/Up.pbip": {"T/Twin.SemanticModel", ""},
		"T/Either.pbip":  {"", `"twin.semanticmodel" matches TWIN.SemanticModel or Twin.SemanticModel, which differ only in letter case`},
		"T/Gone.pbip":    {"", "gone.SemanticModel does not exist; get the folders of the project, too, which its .pbip file only names"},
		"D/D.pbip":       {"D/report.dummy", ""},
	} {
		items, _, err := offline.Find(t.Context(), root, []string{root + "/" + project})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got error %v, want %q", project, err, c.err)
			}
			continue
		}
		if err != nil || len(items) != 1 || items[0].Shown != c.want {
			t.Errorf("%s: got %v, %v, want %s", project, items, err, c.want)
		}
	}
	// Existing files are written under their own names, new ones next to them.
	before := tree(t, root)
	all := propose(t, embedded(), root, root+"/P/Sales.pbip")
	record, n := write(t, all)
	if n != 1 || all[0].Error != nil {
		t.Fatalf("%d models were written, %v", n, all[0].Error)
	}
	var changed []string
	for name, text := range tree(t, root) {
		if before[name] != text {
			changed = append(changed, strings.TrimPrefix(name, "P/Sales.SemanticModel/"))
		}
	}
	slices.Sort(changed)
	want := []string{"Definition/tables/Products.tmdl", "Definition/tables/Sales.tmdl", "copilot/Instructions/instructions.md", "copilot/Instructions/version.json"}
	if len(changed) < len(want) || !cmp.Equal(want, changed[:len(want)]) {
		t.Errorf("got %v", changed)
	}
	for _, name := range changed {
		if strings.HasPrefix(name, "Copilot/") || strings.HasPrefix(name, "definition/") {
			t.Errorf("%s was created next to an existing file", name)
		}
	}
	putBack(t, reversed(t, root, record))
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("the original bytes (-want +got):\n%s", diff)
	}
}

// proves: decisions/9/15-dot-folders
func TestFoldersWithADot(t *testing.T) {
	t.Parallel()
	root := files(t, with(shop,
		".hidden/a/H.SemanticModel/model.bim", `{"model":{}}`, ".hidden/.in/h.bim", `{"model":{}}`, ".venv/x.py", "", "a/.alone/m.bim", `{"model":{}}`, ".git/G.SemanticModel/model.bim", "{}", "b/x.txt", "",
	))
	paths := func(items []offline.Item) (all []string) {
		for _, i := range items {
			all = append(all, i.Shown)
		}
		return all
	}
	for name, c := range map[string]struct{ named, want, warned []string }{
		"a search passes them": {[]string{"."}, []string{"Shop.SemanticModel"}, []string{".hidden", "a/.alone"}},
		"one is named":         {[]string{".hidden"}, []string{".hidden/a/H.SemanticModel"}, []string{".hidden/.in"}},
		"one in one is named":  {[]string{".hidden/.in/"}, []string{".hidden/.in/h.bim"}, nil},
		"both":                 {[]string{".", ".hidden"}, []string{".hidden/a/H.SemanticModel", "Shop.SemanticModel"}, []string{".hidden/.in", "a/.alone"}},
		"Git's own is named":   {[]string{".git"}, []string{".git/G.SemanticModel"}, nil},
	} {
		var named []string
		for _, p := range c.named {
			named = append(named, root+"/"+p)
		}
		items, warnings, err := offline.Find(t.Context(), root, named)
		if err != nil {
			t.Fatal(err)
		}
		var warned []string
		for _, w := range warnings {
			warned = append(warned, w.File)
			if !strings.Contains(w.Message, "its name begins with a dot") || !strings.Contains(w.Message, "item") {
				t.Errorf("%s: %s", name, w)
			}
		}
		if !slices.Equal(c.want, paths(items)) || !slices.Equal(c.warned, warned) {
			t.Errorf("%s: got %v, warned of %v", name, paths(items), warned)
		}
	}
	deep := strings.Repeat("d/", 40)
	_, warnings, err := offline.Find(t.Context(), root, []string{files(t, with(shop, deep+"m.bim", "{}"))})
	if err != nil || len(warnings) != 1 || !strings.HasSuffix(warnings[0].File, strings.Repeat("d/", 32)+"d") || !strings.Contains(warnings[0].Message, "nested more than 32 folders deep") {
		t.Errorf("too deep: %v, %v", warnings, err)
	}
	if _, _, err := offline.Find(t.Context(), root, []string{root + "/a"}); err == nil || !strings.Contains(err.Error(), "such as .alone") {
		t.Errorf("models only in hidden folders: %v", err)
	}
	if _, _, err := offline.Find(t.Context(), root, []string{root + "/b"}); err == nil || !strings.Contains(err.Error(), "it contains no semantic model; name") {
		t.Errorf("no model: %v", err)
	}
}

// loosened returns the samples of every kind without item folders: TMDL files alone, and .bim files.
func loosened(t testing.TB) string {
	t.Helper()
	from, root := copied(t, makes...), t.TempDir()
	for n, name := range makes {
		model := filepath.Join(from, name)
		if _, err := os.Stat(model + "/model.bim"); err == nil {
			if err := os.Rename(model+"/model.bim", fmt.Sprintf("%s/Head count %d.bim", root, n)); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Rename(model+"/definition", fmt.Sprintf("%s/loose %d", root, n)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Models without an item folder are assessed like others, and a revert restores every byte.
//
// proves: decisions/9/15-loose
func TestApplyAndRevertLoose(t *testing.T) {
	t.Parallel()
	root := loosened(t)
	inFolders, a := assess(t, offline.AssessOptions{}, copied(t, makes...)), assess(t, offline.AssessOptions{}, root)
	scores := func(a *offline.Assessment) map[string]string {
		byTables := map[string]string{}
		for _, i := range a.Items {
			if i.Error != nil {
				t.Fatalf("%s: %v", i.Path, i.Error)
			}
			for _, d := range i.Result.Dimensions {
				if d.ID == "descriptions" || d.ID == "naming" || d.ID == "relationships" {
					if d.Score != nil {
						byTables[fmt.Sprint(i.Result.Model)+d.ID] = fmt.Sprint(*d.Score)
					}
				}
			}
		}
		return byTables
	}
	withoutCopilot := func(a *offline.Assessment) *offline.Assessment { // a loose model has none
		kept := *a
		kept.Items = slices.DeleteFunc(slices.Clone(a.Items), func(i offline.Assessed) bool { return strings.Contains(i.Path, "Retail Sales") })
		return &kept
	}
	got := scores(a)
	for model, score := range scores(withoutCopilot(inFolders)) {
		if got[model] != score {
			t.Errorf("%s: score %s, in an item folder %s", model, got[model], score)
		}
	}
	before := tree(t, root)
	for _, i := range a.Items {
		for _, f := range i.Findings {
			if _, there := before[f.File]; !there {
				t.Fatalf("%s: a finding is in %s, which is not a file", i.Path, f.File)
			}
		}
	}
	for name, writeTo := range formats {
		text := string(written(t, func(b *bytes.Buffer) error { return writeTo(b, a) }))
		file := "Head count 1.bim"
		if name == "sarif" {
			validSARIF(t, sarifSchema(t), []byte(text))
			file = "Head%20count%201.bim"
		}
		if !strings.Contains(text, file) || strings.Contains(text, "bim/model.bim") {
			t.Errorf("%s does not name the file", name)
		}
	}
	for _, kinds := range [][]optimization.Kind{nil, {optimization.Descriptions}, {optimization.Properties}} {
		if n := thereAndBack(t, root, embedded(kinds...)); n < 2 {
			t.Errorf("%v: only %d models were written", kinds, n)
		}
	}
}

// Kinds that a loose model cannot hold are skipped with a warning, rejected if requested, and written if a linguistic
// schema holds them.
//
// proves: decisions/9/15-loose
func TestWhatLooseModelsHaveNoPlaceFor(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{"a b/Sales.bim": `{"model":{"tables":[{"name":"T","columns":[{"name":"C","dataType":"double","summarizeBy":"sum"}]}]}}`})
	before := tree(t, root)
	all, warnings, err := offline.Propose(t.Context(), find(t, root, root), embedded())
	if err != nil || all[0].Error != nil || all[0].Name != "Sales" {
		t.Fatal(err, all[0].Error, all[0].Name)
	}
	if len(warnings) != 1 || warnings[0].File != "a b/Sales.bim" || !strings.HasPrefix(warnings[0].Message, "aiInstructions and aiDataSchema skipped: it needs a folder Copilot") {
		t.Errorf("got %v", warnings)
	}
	for _, p := range all[0].Previews {
		if needs := p.Kind == optimization.AIInstructions || p.Kind == optimization.AIDataSchema; needs != (p.NothingToDo != nil && strings.Contains(*p.NothingToDo, "a folder Copilot")) || needs && len(p.Changes) > 0 {
			t.Errorf("%s: %+v", p.Kind, p)
		}
	}
	for _, kind := range []optimization.Kind{optimization.AIInstructions, optimization.AIDataSchema} {
		p := propose(t, embedded(kind), root)[0]
		if p.Error == nil || !strings.Contains(p.Error.Error(), string(kind)+" cannot be written: it needs a folder Copilot") || p.Changes() != 0 {
			t.Errorf("%s: got %v", kind, p.Error)
		}
		applied, record, err := offline.Write(t.Context(), []offline.Proposal{p}, filepath.Join(root, "r.json"), at)
		if err != nil || record != "" || len(applied) != 0 {
			t.Errorf("%s: %v, %q, %v", kind, applied, record, err)
		}
	}
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("something was written (-want +got):\n%s", diff)
	}
	spoken := files(t, map[string]string{"S.bim": `{"model":{"culture":"en-US","tables":[{"name":"Sales","columns":[{"name":"Order Date","dataType":"dateTime"},{"name":"Ship Date","dataType":"dateTime"}],
   "measures":[{"name":"Net","expression":"CALCULATE(COUNTROWS(Sales), NOT ISBLANK(Sales[Ship Date]))"}]}],
  "cultures":[{"name":"en-US","linguisticMetadata":{"content":{"CustomInstructions":"Be brief."}}}]}}`})
	if n := thereAndBack(t, spoken, embedded(optimization.AIInstructions)); n != 1 {
		t.Errorf("%d models were written", n)
	}
}

// Paths to single files and folders of loose models, and to others.
//
// proves: decisions/9/15-loose
func TestFindLooseModels(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"m/definition/model.tmdl": "model Model\n", "m/definition/tables/T.tmdl": "table T\n", "m/definition/readme.md": "",
		"x/Sales.bim": `{"model":{}}`, "x/notes.txt": "", "stray/a.tmdl": "createOrReplace\n", "p/definition.pbism": "{}", "p/definition/tables/T.tmdl": "table T\n", "p/Copilot/version.json": "{}",
	})
	if err := os.Symlink("Sales.bim", root+"/x/link.bim"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ want, err string }{
		"m":                          {"m/definition", ""},
		"m/definition":               {"m/definition", ""},
		"m/definition/model.tmdl":    {"m/definition", ""},
		"m/definition/tables":        {"m/definition", ""},
		"m/definition/tables/T.tmdl": {"m/definition", ""},
		"m/definition/readme.md":     {"", "it does not belong to a semantic model"},
		"x":                          {"x/Sales.bim", ""},
		"x/Sales.bim":                {"x/Sales.bim", ""},
		"x/link.bim":                 {"", "it is a link, and links are not followed"},
		"x/notes.txt":                {"", "it does not belong to a semantic model"},
		"stray":                      {"", "it holds .tmdl files but no model"},
		"stray/a.tmdl":               {"", "it is a TMDL file that belongs to no model"},
		"p":                          {"p", ""},
		"p/definition/tables/T.tmdl": {"p", ""},
		"p/Copilot":                  {"p", ""},
	} {
		items, _, err := offline.Find(t.Context(), root, []string{root + "/" + name})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got error %v, want %q", name, err, c.err)
			}
		case err != nil || len(items) != 1 || items[0].Shown != c.want:
			t.Errorf("%s: got %v, %v, want %s", name, items, err, c.want)
		}
	}
}

// A record of a loose model is compared with what is on disk.
func TestRecordsOfLooseModels(t *testing.T) {
	t.Parallel()
	root := loosened(t)
	record, n := write(t, propose(t, embedded(optimization.Descriptions), root))
	text, err := os.ReadFile(record)
	if err != nil || n < 2 {
		t.Fatal(n, err)
	}
	var r offline.Record
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{}
	for _, m := range r.Models {
		forms[m.Path] = m.Form
	}
	if forms["Head count 1.bim"] != "bim" || forms["loose 0"] != "tmdl" {
		t.Errorf("got %v", forms)
	}
	for name, change := range map[string][2]string{
		"a form that there is not": {`"form": "bim"`, `"form": "zip"`}, "a file of another kind": {"Head count 1.bim\"", "Head count 1.txt\""},
		"out of the root": {`"path": "loose 0"`, `"path": "../loose 0"`}, "an item's": {`"path": "loose 0"`, `"path": "loose 0.Report"`},
	} {
		file := filepath.Join(t.TempDir(), "r.json")
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if err := os.WriteFile(file, []byte(changed), 0o600); err != nil || changed == string(text) {
			t.Fatal(name, err)
		}
		if _, err := offline.ReadRecord(file); err == nil || !strings.Contains(err.Error(), "not a semantic model or report below the root") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	// The folder has become an item's folder since.
	written := tree(t, root)
	if err := os.WriteFile(root+"/loose 0/definition.pbism", []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(root+"/loose 0/definition", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, v := range reversed(t, root, record) {
		if v.Path == "loose 0" && (v.Error == nil || !strings.Contains(v.Error.Error(), "in another form")) {
			t.Errorf("got %v", v.Error)
		}
	}
	now := tree(t, root)
	maps.DeleteFunc(now, func(name, _ string) bool { return name == "loose 0/definition.pbism" })
	if diff := cmp.Diff(written, now); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The models of real projects, without item folders.
func TestLooseCorpus(t *testing.T) {
	t.Parallel()
	corpus, _ := samples.Corpus(t)
	root, models := t.TempDir(), 0
	for _, i := range find(t, corpus, corpus) {
		definition := filepath.Join(corpus, i.Path, "definition")
		if !slices.ContainsFunc([]string{"model.tmdl", "database.tmdl"}, func(name string) bool { _, err := os.Stat(filepath.Join(definition, name)); return err == nil }) {
			continue // other TMDL files alone are not a model
		}
		models++
		if err := os.CopyFS(fmt.Sprintf("%s/Model %d/definition", root, models), os.DirFS(definition)); err != nil {
			t.Fatal(err)
		}
	}
	a := assess(t, offline.AssessOptions{}, root)
	if len(a.Items) != models || a.Unreadable() > 4 {
		t.Errorf("%d of %d models are found, %d cannot be read", len(a.Items), models, a.Unreadable())
	}
	if n := thereAndBack(t, root, embedded()); n < 6 {
		t.Errorf("only %d models were written", n)
	}
}
