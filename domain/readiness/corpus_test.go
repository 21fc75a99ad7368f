package readiness_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/test/samples"
)

// Every real semantic model that can be read is assessed, as a model and as an agent,
// and the impacts add up.
func TestCorpus(t *testing.T) {
	t.Parallel()
	root, _ := samples.Corpus(t)
	assessed := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || !strings.HasSuffix(path, ".SemanticModel") {
			return err
		}
		m, err := semanticmodel.Read(parts(t, path))
		if err != nil {
			t.Logf("%s: %v", path, err)
			return fs.SkipDir
		}
		assessed++
		name := strings.TrimPrefix(path, root)
		exact, ok := readiness.Exact(m, readiness.Options{})
		r := readiness.Current().Assess(m, readiness.Options{})
		if lost := sumOfImpacts(r); ok && math.Abs(100-exact-lost) > 1e-6 {
			t.Errorf("%s: impacts of %v, want %v", name, lost, 100-exact)
		}
		agent := readiness.Current().AssessAsAgent(m, readiness.Options{})
		if agent.RawUncapped != nil && math.Abs(100-*agent.RawUncapped-sumOfImpacts(agent)) > 1e-4 {
			t.Errorf("%s as an agent: impacts of %v, want %v", name, sumOfImpacts(agent), 100-*agent.RawUncapped)
		}
		if (r.Score == nil) != (r.Model.ExposedTables == 0) {
			t.Errorf("%s: %d tables, score %v", name, r.Model.ExposedTables, r.Score)
		}
		return fs.SkipDir
	})
	if err != nil || assessed == 0 {
		t.Errorf("%d models assessed: %v", assessed, err)
	}
}

func parts(t *testing.T, folder string) definition.Definition {
	t.Helper()
	var all []definition.Part
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(folder, path)
		all = append(all, definition.Part{Path: filepath.ToSlash(rel), Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return definition.New(all...)
}
