package readiness_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// Impacts add up to what is missing from 100, for models and agents, and results are sound.
func TestInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := wideModel().Draw(t, "model")
		agent, sources := wideAgent(t, m, wideModel().Draw(t, "other"))
		o := readiness.Options{Usage: wideUsage(t), Ignore: ignoring().Draw(t, "ignore")}
		checkImpacts(t, readiness.Current(), m, agent, sources, o, func(as string, result readiness.Result) {
			sound(t, result)
			for _, f := range result.Findings {
				if f.Message == "" || f.Evidence == "" || f.Violation <= 0 || f.Violation > 1 || f.Impact < 0 || f.Severity == "" || !slices.IsSorted(f.RuleIDs) {
					t.Fatalf("%s: got %+v", as, f)
				}
			}
		})
	})
}

// checkImpacts scores a model by itself, as an agent sees it, and a data agent: impacts add up to what is missing from 100. check
// checks more of each result.
func checkImpacts(t *rapid.T, r *readiness.Regime, m *semanticmodel.Model, agent readiness.Agent, sources []readiness.Source, o readiness.Options,
	check func(as string, result readiness.Result)) {
	for as, scored := range map[string]struct {
		result readiness.Result
		exact  readiness.ExactScores
	}{
		"model":      {r.Assess(m, o), r.ExactModel(m, o, false)},
		"as agent":   {r.AssessAsAgent(m, o), r.ExactModel(m, o, true)},
		"data agent": {r.AssessAgent(agent, sources, o), r.ExactAgent(agent, sources, o)},
	} {
		lost := sumOfImpacts(scored.result)
		if s := scored.exact.Score; s != nil && math.Abs(100-*s-lost) > 1e-6 || s == nil && lost != 0 {
			t.Fatalf("%s %s: impacts of %v, score %v", r.ID, as, lost, s)
		}
		check(as, scored.result)
	}
}

// A defect never raises a score: without the findings of a defect rule no score is lower.
func TestDefectsNeverRaiseAScore(t *testing.T) {
	t.Parallel()
	current := readiness.Current()
	rapid.Check(t, func(t *rapid.T) {
		m := wideModel().Draw(t, "model")
		agent, sources := wideAgent(t, m)
		for _, id := range []string{"REL-08", "MEA-07", "VIS-07", "AGT-06"} {
			for as, pair := range map[string][2]readiness.ExactScores{
				"model":      {current.ExactModel(m, noOptions, false), current.ExactModel(m, ignoringAll(id), false)},
				"data agent": {current.ExactAgent(agent, sources, noOptions), current.ExactAgent(agent, sources, ignoringAll(id))},
			} {
				with, without := pair[0], pair[1]
				if with.Capped != nil && without.Capped != nil && (*with.Capped > *without.Capped+1e-9 || *with.Score > *without.Score+1e-9) {
					t.Fatalf("%s %s: %v with defects, %v without", as, id, *with.Capped, *without.Capped)
				}
			}
		}
	})
}

// Any finding of any rule can be ignored by the key that it is reported with.
func TestEveryFindingCanBeIgnored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := wideModel().Draw(t, "model")
		r := readiness.Current()
		found := r.Assess(m, noOptions).Findings
		ignored := readiness.Options{Ignore: func(id string, k finding.Key) bool {
			return slices.ContainsFunc(found, func(f readiness.Finding) bool { return f.Key == k && slices.Contains(f.RuleIDs, id) })
		}}
		result := r.Assess(m, ignored)
		if len(result.Findings) > 0 || result.RawUncapped != nil && *result.RawUncapped != 100 {
			t.Fatalf("%s: got %+v", r.ID, result.Findings)
		}
	})
}

// Two relationships between the same columns, which only a broken model has, share a finding, which is the same in either order.
func TestOrderOfNamesakesDoesNotMatter(t *testing.T) {
	t.Parallel()
	current := readiness.Current()
	model := func(filters ...string) *semanticmodel.Model {
		m := &semanticmodel.Model{}
		for _, name := range []string{"Sales", "Date"} {
			m.Tables = append(m.Tables, semanticmodel.Table{Name: name, Columns: []semanticmodel.Column{{Name: "Key"}}})
		}
		for _, f := range filters {
			m.Relationships = append(m.Relationships, semanticmodel.Relationship{FromTable: "Sales", FromColumn: "Key", ToTable: "Date", ToColumn: "Key",
				FromCardinality: "many", ToCardinality: "one", CrossFilteringBehavior: f, IsActive: true})
		}
		return m
	}
	in := current.Assess(model("oneDirection", "bothDirections"), noOptions)
	if !slices.ContainsFunc(in.Findings, func(f readiness.Finding) bool { return strings.Contains(f.Evidence, "; second path") }) {
		t.Fatalf("no finding is shared: %+v", in.Findings)
	}
	if d := cmp.Diff(in, current.Assess(model("bothDirections", "oneDirection"), noOptions)); d != "" {
		t.Error(d)
	}
}

// The order of tables, columns, measures and relationships does not matter.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.OneOf(anyModel(), wideModel()).Draw(t, "model")
		o := readiness.Options{Usage: anyUsage().Draw(t, "usage")}
		shuffled := shuffledModel(m, rapid.Uint64().Draw(t, "seed"))
		same(t, readiness.Current().Assess(m, o), readiness.Current().Assess(shuffled, o))
		same(t, readiness.Current().AssessAsAgent(m, o), readiness.Current().AssessAsAgent(shuffled, o))
	})
}
