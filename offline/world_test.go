package offline_test

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/ai/rules"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/offline"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The root and the workspaces of the samples.
const (
	samplesRoot = "../samples"
	workspaces  = samplesRoot + "/workspaces"
)

// files writes files by path to a new folder and returns the folder.
func files(t testing.TB, byPath map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range byPath {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// tree returns every file below a folder by path.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		all[filepath.ToSlash(below)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// copied copies folders of the sample workspaces, by default all, and returns the copy.
func copied(t testing.TB, folders ...string) string {
	t.Helper()
	root := t.TempDir()
	if len(folders) == 0 {
		folders = []string{"."}
	}
	for _, f := range folders {
		if err := os.CopyFS(filepath.Join(root, f), os.DirFS(workspaces+"/"+f)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// makes lists models of every kind: with CRLF line ends and without Copilot parts, in TMSL, with AI instructions in the
// linguistic schema, and with Copilot parts.
var makes = []string{
	"Retail Analytics/Supply Chain/Inventory.SemanticModel", "Corporate Functions/People/Headcount.SemanticModel",
	"Corporate Functions/Financial Statements.SemanticModel", "Retail Analytics/Retail Sales.SemanticModel",
}

func find(t testing.TB, root string, paths ...string) []offline.Item {
	t.Helper()
	items, _, err := offline.Find(t.Context(), root, paths)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func assess(t testing.TB, o offline.AssessOptions, root string, paths ...string) *offline.Assessment {
	t.Helper()
	if len(paths) == 0 {
		paths = []string{root}
	}
	a, err := offline.Assess(t.Context(), find(t, root, paths...), o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// item returns the assessed item whose path has the suffix.
func item(t testing.TB, a *offline.Assessment, suffix string) offline.Assessed {
	t.Helper()
	i := slices.IndexFunc(a.Items, func(i offline.Assessed) bool { return strings.HasSuffix(i.Path, suffix) })
	if i < 0 {
		t.Fatalf("there is no %s", suffix)
	}
	return a.Items[i]
}

// reported returns the findings of all items, as rule and object.
func reported(a *offline.Assessment) []string {
	var all []string
	for _, i := range a.Items {
		for _, f := range i.Findings {
			for _, rule := range f.RuleIDs {
				all = append(all, rule+" "+f.Table+"|"+f.ObjectName)
			}
		}
	}
	slices.Sort(all)
	return all
}

// golden compares the output with a file, which does not repeat the stylesheet; the hash of it is in the output.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	style, err := os.ReadFile("report/webpage/report.css")
	if err != nil {
		t.Fatal(err)
	}
	got = bytes.Replace(got, style, []byte("…"), 1)
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; rewrite with -update):\n%s", name, diff)
	}
}

// written returns the output of a writer.
func written(t testing.TB, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// embedded returns options that propose by the embedded rules.
func embedded(kinds ...optimization.Kind) offline.ProposeOptions {
	return offline.ProposeOptions{Kinds: kinds, Propose: func(_ context.Context, ask proposal.Ask) (proposal.Answer, error) { return rules.Propose(ask), nil }}
}

func propose(t testing.TB, o offline.ProposeOptions, root string, paths ...string) []offline.Proposal {
	t.Helper()
	if len(paths) == 0 {
		paths = []string{root}
	}
	all, _, err := offline.Propose(t.Context(), find(t, root, paths...), o)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// shop is a small model in TMDL: two tables with findings.
var shop = map[string]string{
	"Shop.SemanticModel/definition.pbism":         `{"version":"4.2"}`,
	"Shop.SemanticModel/definition/model.tmdl":    "model Model\n\tculture: en-US\n\nref table Sales\nref table Products\n",
	"Shop.SemanticModel/definition/database.tmdl": "database\n\tcompatibilityLevel: 1601\n",
	"Shop.SemanticModel/definition/tables/Sales.tmdl": "/// One row for each line of a receipt, as the tills report it.\ntable Sales\n\n" +
		"\tmeasure 'Net Sales' = SUM(Sales[Amount])\n\t\tformatString: #,0\n\n" +
		"\tcolumn Amount = IF(Sales[Product Key] < 1000, 5, 8)\n\t\tformatString: #,0 €\n\t\tdataType: double\n\t\tsummarizeBy: sum\n\n" +
		"\tcolumn 'Product Key'\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n",
	"Shop.SemanticModel/definition/tables/Products.tmdl": "table Products\n\n" +
		"\tcolumn 'Article Key'\n\t\tdataType: int64\n\t\tisKey\n\t\tsummarizeBy: none\n\n\tcolumn Label\n\t\tdataType: string\n\t\tsummarizeBy: none\n",
	"Shop.SemanticModel/definition/relationships.tmdl": "relationship r1\n\tfromColumn: Sales.'Product Key'\n\ttoColumn: Products.'Article Key'\n",
}

// telling is shop with what an instruction and a description of a table can say.
var telling = with(shop,
	"Shop.SemanticModel/definition/tables/Sales.tmdl", shop["Shop.SemanticModel/definition/tables/Sales.tmdl"]+
		"\n\tmeasure 'Share of Net Sales' = DIVIDE([Net Sales], CALCULATE([Net Sales], ALL(Products)))\n\t\tformatString: 0%\n",
	"Shop.SemanticModel/definition/tables/Products.tmdl", shop["Shop.SemanticModel/definition/tables/Products.tmdl"]+
		"\n\tcolumn Shelf\n\t\tdataType: string\n\t\tisDefaultLabel\n\t\tsummarizeBy: none\n\t\tsourceColumn: [Shelf]\n"+
		"\n\tpartition Products = calculated\n\t\tmode: import\n\t\tsource = DATATABLE(\"Shelf\", STRING, {{\"Tea\"}, {\"Milk\"}})\n")

// shops holds the model three times.
func shops() map[string]string {
	all := map[string]string{}
	for name, text := range shop {
		for _, folder := range []string{"", "a/", "b/"} {
			all[folder+name] = text
		}
	}
	return all
}

// with returns a copy of files with others added.
func with(byPath map[string]string, more ...string) map[string]string {
	all := maps.Clone(byPath)
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}
