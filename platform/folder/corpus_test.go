package folder_test

import (
	"os"
	"testing"

	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/test/samples"
)

// In real projects every item is found and read, and writing back what was read changes nothing.
func TestCorpus(t *testing.T) {
	t.Parallel()
	corpus, _ := samples.Corpus(t)
	root := files(t, nil)
	if err := os.CopyFS(root+"/all", os.DirFS(corpus)); err != nil {
		t.Fatal(err)
	}
	before := tree(t, root)
	p := open(t, root)
	w := only(t, p)
	models, broken, reports := 0, 0, 0
	for _, kind := range []item.Type{item.SemanticModel, item.Report} {
		for _, it := range items(t, p, w.ID, kind) {
			d, err := p.Definition(t.Context(), anna, it)
			if err != nil {
				t.Logf("%s %s: %v", kind, it.DisplayName, err)
				broken++
				continue
			}
			if kind == item.Report {
				reports++
				if _, err := report.Read(d); err != nil {
					t.Errorf("report %s: %v", it.DisplayName, err)
				}
				if _, _, err := p.ModelOf(t.Context(), anna, it); err != nil {
					t.Errorf("the model of report %s: %v", it.DisplayName, err)
				}
			} else {
				models++
				if _, err := semanticmodel.Read(d); err != nil {
					t.Logf("model %s: %v", it.DisplayName, err)
					broken++
				}
			}
			if err := p.WriteDefinition(t.Context(), anna, it, d, d.Hash()); err != nil {
				t.Errorf("%s %s written back: %v", kind, it.DisplayName, err)
			}
		}
	}
	t.Logf("%d models, %d reports, %d not readable", models, reports, broken)
	if models < 10 || reports < 10 || broken > 10 {
		t.Errorf("got %d models, %d reports, %d not readable", models, reports, broken)
	}
	for name, text := range tree(t, root) {
		if before[name] != text {
			t.Errorf("%s changed", name)
		}
	}
}
