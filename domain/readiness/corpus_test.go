package readiness_test

import (
	"io/fs"
	"maps"
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
	root, public := samples.Corpus(t)
	sanity := map[string]crude{}
	if public {
		sanity = maps.Clone(sanityRun)
	}
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
		r := november.Assess(m, readiness.Options{})
		if lost := sumOfImpacts(r); ok && math.Abs(100-exact-lost) > 1e-6 {
			t.Errorf("%s: impacts of %v, want %v", name, lost, 100-exact)
		}
		agent := november.AssessAsAgent(m, readiness.Options{})
		if agent.RawUncapped != nil && math.Abs(100-*agent.RawUncapped-sumOfImpacts(agent)) > 1e-4 {
			t.Errorf("%s as an agent: impacts of %v, want %v", name, sumOfImpacts(agent), 100-*agent.RawUncapped)
		}
		if (r.Score == nil) != (r.Model.ExposedTables == 0) {
			t.Errorf("%s: %d tables, score %v", name, r.Model.ExposedTables, r.Score)
		}
		show := func(id string) float64 {
			if d := dimensionOf(t, r, id); d.Raw != nil {
				return *d.Raw
			}
			return math.NaN()
		}
		if want, ok := sanity[strings.TrimSuffix(filepath.Base(path), ".SemanticModel")]; ok {
			delete(sanity, strings.TrimSuffix(filepath.Base(path), ".SemanticModel"))
			got := crude{r.Model.ExposedTables, r.Model.ExposedColumns, r.Model.ExposedMeasures,
				subset(t, r, "DSC-01", "DSC-02", "DSC-03", "DSC-04", "DSC-05", "DSC-06"), subset(t, r, "NAM-01", "NAM-02", "NAM-03"), subset(t, r, "TYP-02") / 100}
			t.Logf("%s: got %+v, crude %+v", name, got, want)
			if got.tables != want.tables || got.columns != want.columns || got.measures != want.measures ||
				math.Abs(got.descriptions-want.descriptions) > 0.2 || math.Abs(got.naming-want.naming) > 0.2 || math.Abs(got.identifiers-want.identifiers) > 0.01 {
				t.Errorf("%s: got %+v, want about %+v", name, got, want)
			}
		}
		if r.Score != nil && agent.Score != nil {
			t.Logf("%3d %3d as agent, %d/%d/%d, %d findings, descriptions %.1f naming %.1f types %.1f, caps %v: %s", *r.Score, *agent.Score,
				r.Model.ExposedTables, r.Model.ExposedColumns, r.Model.ExposedMeasures, len(r.Findings), show("descriptions"), show("naming"), show("types"), r.Caps, name)
		}
		return fs.SkipDir
	})
	for name := range sanity {
		t.Errorf("%s was not assessed", name)
	}
	if err != nil || assessed == 0 {
		t.Errorf("%d models assessed: %v", assessed, err)
	}
}

// crude is a row of the sanity run of docs/regime.md C.8: the exposed objects, the scores of
// descriptions and naming, and the share of columns that pass TYP-02.
type crude struct {
	tables, columns, measures int
	descriptions, naming      float64
	identifiers               float64
}

// sanityRun was computed by a simpler parser that kept keys and omitted several rules, so
// its numbers are only approximate.
var sanityRun = map[string]crude{
	"good_star":       {5, 7, 1, 98.8, 93.4, 1},
	"bad_snowflake":   {7, 18, 1, 0, 30.8, 0.82},
	"FUAM_Core_SM":    {44, 560, 270, 1.6, 73.1, 0.36},
	"FCA_Core_SM":     {10, 105, 41, 39.7, 71.3, 0.21},
	"SparkMonitoring": {40, 101, 0, 0, 65.5, 0},
}

// subset returns the score of a dimension computed from these rules only.
func subset(t *testing.T, r readiness.Result, ids ...string) float64 {
	k, sum := 0.0, 0.0
	for _, id := range ids {
		if rule := ruleOf(t, r, id); rule.Score != nil {
			k += rule.Weight
			sum += rule.Weight * *rule.Score
		}
	}
	if k == 0 {
		return 0
	}
	return 100 * sum / k
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
