package offline_test

import (
	"slices"
	"strings"
	"testing"

	"readiness/domain/optimization"
)

// Q&A and synonyms are proposed, written and reverted like the other changes of their
// kinds.
//
// proves: 2.12/preview/qna 2.12/apply/qna 2.12/preview/synonyms 2.12/apply/synonyms
func TestApplyAndRevertQnAAndSynonyms(t *testing.T) {
	t.Parallel()
	prepared := with(shop, "Shop.SemanticModel/definition.pbism", "\ufeff{\r\n\t\"version\": \"4.2\",\r\n\t\"settings\": {}\r\n}\r\n",
		"Shop.SemanticModel/definition/cultures/de-DE.tmdl", "cultureInfo de-DE\n\n\ttranslations\n\t\tmodel Model\n\n\t\t\ttable Sales\n\t\t\t\tcaption: Verkäufe\n\n"+
			"\t\t\t\tmeasure 'Net Sales'\n\t\t\t\t\tcaption: Nettoumsatz\n\n\t\t\t\tcolumn Amount\n\t\t\t\t\tcaption: label\n")
	for _, kinds := range [][]optimization.Kind{nil, {optimization.AIInstructions}, {optimization.AIDataSchema}} {
		root := files(t, prepared)
		p := propose(t, embedded(kinds...), root)[0]
		for kind, keys := range map[optimization.Kind][]string{
			optimization.AIInstructions: {"aiInstructions", "qnaEnabled"}, optimization.AIDataSchema: {"Sales|Net Sales|synonyms", "Sales||synonyms"},
		} {
			if len(kinds) > 0 && kinds[0] != kind {
				continue
			}
			got := keysOf(t, p, kind)
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
