package offline_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/optimization"
)

// AI instructions and synonyms are proposed, written and reverted like the other changes of their
// kinds. The setting of Q&A stays as it is.
//
// proves: decisions/6/synonyms-proposed decisions/6/synonyms-written decisions/6/qna
func TestApplyAndRevertInstructionsAndSynonyms(t *testing.T) {
	t.Parallel()
	prepared := with(telling, "Shop.SemanticModel/definition.pbism", "\ufeff{\r\n\t\"version\": \"4.2\",\r\n\t\"settings\": {}\r\n}\r\n",
		"Shop.SemanticModel/definition/cultures/de-DE.tmdl", "cultureInfo de-DE\n\n\ttranslations\n\t\tmodel Model\n\n\t\t\ttable Sales\n\t\t\t\tcaption: Verkäufe\n\n"+
			"\t\t\t\tmeasure 'Net Sales'\n\t\t\t\t\tcaption: Nettoumsatz\n\n\t\t\t\tcolumn Amount\n\t\t\t\t\tcaption: label\n")
	for _, kinds := range [][]optimization.Kind{nil, {optimization.AIInstructions}, {optimization.AIDataSchema}} {
		root := files(t, prepared)
		p := propose(t, embedded(kinds...), root)[0]
		for kind, keys := range map[optimization.Kind][]string{
			optimization.AIInstructions: {"aiInstructions"}, optimization.AIDataSchema: {"Sales|Net Sales|synonyms", "Sales||synonyms"},
		} {
			if len(kinds) > 0 && kinds[0] != kind {
				continue
			}
			got := keysOf(t, p, kind)
			if kind == optimization.AIInstructions && len(got) != 1 {
				t.Errorf("the AI instructions are the changes %q", got)
			}
			for _, key := range keys {
				if !slices.Contains(got, key) {
					t.Errorf("%s: the keys are %q, without %q", kind, got, key)
				}
			}
			if slices.Contains(got, "Sales|Amount|synonyms") {
				t.Errorf("%s: a word that another column bears is proposed", kind)
			}
		}
		if n := thereAndBack(t, root, embedded(kinds...)); n != 1 {
			t.Errorf("%d models were written", n)
		}
	}
	o := embedded(optimization.AIDataSchema)
	o.Keys = []string{"Sales|Net Sales|synonyms"}
	root := files(t, prepared)
	write(t, propose(t, o, root))
	schema := tree(t, root)["Shop.SemanticModel/Copilot/schema.json"]
	if !strings.Contains(schema, `"Nettoumsatz"`) || strings.Contains(schema, "visibility") {
		t.Errorf("the AI data schema is %s", schema)
	}
}

// A measure whose missing synonyms are ignored gets none.
func TestNoSynonymsForAnIgnoredFinding(t *testing.T) {
	t.Parallel()
	root := files(t, with(shop, "Shop.SemanticModel/definition/cultures/de-DE.tmdl",
		"cultureInfo de-DE\n\ttranslations\n\t\tmodel Model\n\t\t\ttable Sales\n\t\t\t\tmeasure 'Net Sales'\n\t\t\t\t\tcaption: Nettoumsatz\n"))
	const key = "Sales|Net Sales|synonyms"
	for entry, want := range map[string]bool{"{rule: SYN-01, table: Sales, object: Net Sales, reason: r}": false, "{rule: DSC-01, table: Sales, object: Net Sales, reason: r}": true} {
		read, err := ignores(t, "ignore:\n  - "+entry+"\n")
		if err != nil {
			t.Fatal(err)
		}
		o := embedded(optimization.AIDataSchema)
		o.Ignores = read
		if got := keysOf(t, propose(t, o, root)[0], optimization.AIDataSchema); slices.Contains(got, key) != want {
			t.Errorf("%s: the keys are %q", entry, got)
		}
	}
}

// A record of an earlier version, which turned Q&A on and had a type of change for synonyms, is reverted byte for byte.
//
// proves: decisions/6/qna
func TestRevertOfAnEarlierVersionsRecord(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/qna_record.json")
	if err != nil {
		t.Fatal(err)
	}
	var was struct {
		Before, After map[string]string
		Record        json.RawMessage
	}
	if err := json.Unmarshal(text, &was); err != nil {
		t.Fatal(err)
	}
	root, record := files(t, was.After), filepath.Join(t.TempDir(), "record.json")
	if err := os.WriteFile(record, was.Record, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, a := range putBack(t, reversed(t, root, record)) {
		if a.Error != nil {
			t.Error(a.Error)
		}
	}
	if diff := cmp.Diff(was.Before, tree(t, root)); diff != "" {
		t.Errorf("the revert leaves (-want +got):\n%s", diff)
	}
}
