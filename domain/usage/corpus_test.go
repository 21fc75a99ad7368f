package usage_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/test/samples"
)

// Every field that real reports name is found in the models next to them.
func TestCorpus(t *testing.T) {
	t.Parallel()
	root, _ := samples.Corpus(t)
	reports, named := 0, 0
	err := filepath.WalkDir(root, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.Name() != "definition.pbir" {
			return err
		}
		r, err := report.Read(parts(t, filepath.Dir(name)))
		if err != nil || r.Model.Path == "" || len(r.Pages) == 0 {
			return err
		}
		m := model(t, path.Join(filepath.ToSlash(filepath.Dir(name)), r.Model.Path))
		if m == nil {
			return nil
		}
		views := map[string]int64{}
		for _, p := range r.Pages {
			views[p.Name]++
		}
		got := count(m, seen{r, views})
		reports++
		own := map[report.Field]bool{}
		for _, m := range r.Measures {
			own[report.Field{Table: m.Table, Name: m.Name}] = true
		}
		for _, f := range r.All().Fields {
			if named++; !own[f] && got[f.Table][f.Name] == 0 {
				t.Errorf("%s names %s[%s], which is not found in its model", name, f.Table, f.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d reports name %d fields", reports, named); reports < 5 || named < 20 {
		t.Errorf("got %d reports that name %d fields; the corpus has more", reports, named)
	}
}

// model returns the model in a folder; nil when there is none that can be read.
func model(t *testing.T, folder string) *semanticmodel.Model {
	t.Helper()
	if _, err := os.Stat(folder); err != nil {
		return nil
	}
	m, err := semanticmodel.Read(parts(t, folder))
	if err != nil {
		t.Logf("%s: %v", folder, err)
	}
	return m
}

// parts returns all parts of an item on disk.
func parts(t *testing.T, folder string) definition.Definition {
	t.Helper()
	var all []definition.Part
	err := filepath.WalkDir(folder, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		all = append(all, definition.Part{Path: strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(folder)+"/"), Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return definition.New(all...)
}
