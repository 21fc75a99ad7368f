package folder_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
	"readiness/test/samples"
)

// Whatever the files contain, a workspace is either visible or hidden, names have lengths that lists can repeat, a
// leftover journal changes only its item, and every error is a refusal.
func FuzzFolder(f *testing.F) {
	model := platformFile("aaaaaaaa-0000-4000-8000-000000000001", "Sales")
	const pbir = `{"version":"4.0","datasetReference":{"byPath":{"path":"../A.SemanticModel"}}}`
	f.Add("", model, pbir, "")
	for _, settings := range []string{
		`{"id":"11111111-1111-4111-8111-111111111111","displayName":"Sales","capacity":{"id":"c","state":"Paused"},"members":["anna"]}`, `{"members":[]}`, `{"members":["anna",""]}`, `{"MEMBERS":["ben"],"members":null}`, `{"id":"{11111111-1111-4111-8111-111111111111}"}`, "\ufeff{}", "null", "{} {}", `{"displayName":"\u0000"}`,
	} {
		f.Add(settings, "\ufeff"+model, pbir, "[]")
	}
	for _, journal := range []string{
		`[{"Path":"../../keep","Staged":"1","Old":"","New":"x"}]`, `[{"Path":"../keep","Staged":"","Old":"","New":""}]`, `[{"Path":"definition/model.tmdl","Staged":"../../../keep","Old":"a","New":"b"}]`, `[{"Path":"definition/model.tmdl","Staged":"1","Old":"a","New":""}]`, `[{"Path":".platform","Staged":"","New":""}]`, `[{"Path":"a//b"}]`, "null", "{",
	} {
		f.Add("{}", `{"metadata":{"displayName":"`+strings.Repeat("é", 300)+`"}}`, `{"datasetReference":{"byPath":{"path":"../../../../keep"}}}`, journal)
	}
	for _, settings := range samples.Texts(f, samples.Ending("workspace.json")) {
		f.Add(string(settings), model, pbir, "")
	}
	for _, said := range samples.Texts(f, samples.Ending(".platform")) {
		f.Add("{}", string(said), pbir, "")
	}
	for _, said := range samples.Texts(f, samples.Ending("definition.pbir")) {
		f.Add("{}", model, string(said), "")
	}
	f.Fuzz(func(t *testing.T, settings, said, pbir, journal string) {
		tree := map[string]string{
			"keep": "kept", "ws/keep": "kept", "ws/A.SemanticModel/.platform": said, "ws/A.SemanticModel/definition/model.tmdl": "model Model\n",
			"ws/B.Report/.platform": said, "ws/B.Report/definition.pbir": pbir,
		}
		if settings != "" {
			tree["ws/workspace.json"] = settings
		}
		if journal != "" {
			tree["ws/A.SemanticModel/"+folder.Journal+"/commit.json"] = journal
			tree["ws/A.SemanticModel/"+folder.Journal+"/1"] = "model Model\n\tculture: en-US\n"
		}
		root := files(t, tree)
		p := open(t, root)
		refusal := func(err error) {
			if refused, ok := domain.Refused(err); err != nil && (!ok || len(refused.Message) > 2000) {
				t.Fatalf("got %v", err)
			}
		}
		seen, err := p.Workspaces(t.Context(), anna)
		refusal(err)
		if len(seen) > 1 || len(seen) == 1 && settings != "" && !json.Valid([]byte(strings.TrimPrefix(settings, "\ufeff"))) {
			t.Fatalf("%q lets anna see %v", settings, seen)
		}
		for _, w := range seen {
			bounded(t, w.DisplayName, 256)
			for _, kind := range []item.Type{item.SemanticModel, item.Report} {
				for _, it := range items(t, p, w.ID, kind) {
					bounded(t, it.DisplayName, 256)
					if utf8.RuneCountInString(it.Description) > 4096 {
						t.Fatalf("a description has %d characters", utf8.RuneCountInString(it.Description))
					}
					if kind == item.Report {
						_, _, err := p.ModelOf(t.Context(), anna, it)
						refusal(err)
						continue
					}
					d, err := p.Definition(t.Context(), anna, it)
					refusal(err)
					if err == nil && len(d.Parts) == 0 {
						t.Fatal("the model has no parts")
					}
				}
			}
			_, err := p.Reports(t.Context(), anna, w.ID)
			refusal(err)
		}
		for _, kept := range []string{"keep", "ws/keep", "ws/B.Report/definition.pbir"} {
			if text, err := os.ReadFile(filepath.Join(root, kept)); err != nil || string(text) != tree[kept] {
				t.Fatalf("%s holds %q, %v", kept, text, err)
			}
		}
	})
}

// bounded fails the test if a name is too long for lists.
func bounded(t *testing.T, name string, most int) {
	t.Helper()
	if n := utf8.RuneCountInString(name); n == 0 || n > most {
		t.Fatalf("a name has %d characters", n)
	}
}
