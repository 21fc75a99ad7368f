package rules_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readiness/ai/rules"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/test/samples"
)

// Applying the proposals raises the score of every sample that has a finding to fix, and lowers no
// score.
//
// proves: 1/does/optimize
func TestSamples(t *testing.T) {
	t.Parallel()
	improves(t, samples.Workspaces(t), 9)
	if corpus, public := samples.Corpus(t); public {
		improves(t, corpus, 11)
	}
}

func improves(t *testing.T, root string, least int) {
	t.Helper()
	models := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		parts := read(t, path)
		// A folder without a readable model has no proposals.
		if m, err := semanticmodel.Read(definition.New(parts...)); err == nil && len(m.Tables) > 0 {
			models++
			compare(t, strings.TrimPrefix(path, root), m)
			return fs.SkipDir
		}
		return nil
	})
	if err != nil || models < least {
		t.Errorf("%d models below %s, want %d: %v", models, root, least, err)
	}
}

func compare(t *testing.T, name string, m *semanticmodel.Model) {
	t.Helper()
	before := readiness.Current().Assess(m, readiness.Options{})
	if before.Raw == nil {
		return
	}
	fixes := slices.ContainsFunc(before.Findings, func(f readiness.Finding) bool {
		return slices.ContainsFunc(f.FixKinds, func(k finding.FixKind) bool { return k != "" && k != finding.Properties })
	})
	check := func(how string, after *semanticmodel.Model, more bool) {
		r := readiness.Current().Assess(after, readiness.Options{})
		if r.RawUncapped == nil || *r.Raw < *before.Raw || *r.RawUncapped < *before.RawUncapped || more && *r.RawUncapped <= *before.RawUncapped {
			t.Errorf("%s: %s takes the score from %v to %v", name, how, *before.RawUncapped, r.RawUncapped)
			return
		}
		t.Logf("%5.1f to %5.1f with %s: %s", *before.RawUncapped, *r.RawUncapped, how, name)
	}
	proposed := 0
	for _, ask := range asks(m) {
		a := rules.Propose(ask)
		if ask.Type != proposal.DisplayFolder {
			proposed += len(a.Proposals)
		}
		check(string(ask.Type), applied(m, ask.Type, a.Proposals), false)
	}
	check("all", optimized(m, false), fixes && proposed > 0)
	check("all that is recommended", optimized(m, true), fixes && proposed > 0)
}

func read(t *testing.T, folder string) []definition.Part {
	t.Helper()
	var parts []definition.Part
	if _, err := os.Stat(filepath.Join(folder, "definition")); err != nil {
		if _, err := os.Stat(filepath.Join(folder, "model.bim")); err != nil {
			return nil
		}
	}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(folder, path)
		parts = append(parts, definition.Part{Path: filepath.ToSlash(rel), Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return parts
}
