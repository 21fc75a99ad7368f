package readiness_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/internal/samples"
)

// dumpedCase is a line of a dump: an input and its result.
type dumpedCase struct {
	Name string `json:"name"`
	// Kind is "model", "as_agent" (an agent that selected every exposed table and has no
	// configuration) or "agent".
	Kind    string        `json:"kind"`
	Model   *dumpedModel  `json:"model,omitempty"`
	Agent   *dumpedAgent  `json:"agent,omitempty"`
	Options dumpedOptions `json:"options"`
	Result  *dumpedResult `json:"result,omitempty"`
}

type dumpedOptions struct {
	Usage  map[string]map[string]int64 `json:"usage"` // null: no usage map
	Ignore []dumpedIgnore              `json:"ignore"`
}

type dumpedIgnore struct {
	Rule       string `json:"rule"`
	Source     string `json:"source_model_id"`
	Table      string `json:"table"`
	ObjectName string `json:"object_name"`
}

// dumpedResult holds numbers without rounding; null where there is none.
type dumpedResult struct {
	ScoreExact      *float64                  `json:"score_exact"`
	ScoreCapped     *float64                  `json:"score_capped"` // null without an exposed table
	UnweightedExact *float64                  `json:"unweighted_exact"`
	Caps            []string                  `json:"caps"`
	Dimensions      []dumpedDimension         `json:"dimensions"`
	Findings        []dumpedFinding           `json:"findings"`
	NotAssessable   []readiness.NotAssessable `json:"not_assessable"`
}

type dumpedDimension struct {
	ID     string       `json:"id"`
	Weight float64      `json:"weight"`
	Score  *float64     `json:"score"`
	Rules  []dumpedRule `json:"rules"`
}

// dumpedRule is a rule with R, null if it does not apply. Over several sources R is the
// mean by their fields.
type dumpedRule struct {
	ID       string   `json:"id"`
	K        float64  `json:"k"`
	Eligible int      `json:"eligible"`
	Failing  int      `json:"failing"`
	Ignored  int      `json:"ignored"`
	R        *float64 `json:"r"`
}

type dumpedFinding struct {
	Dimension  string             `json:"dimension"`
	Source     string             `json:"source_model_id"`
	Table      string             `json:"table"`
	ObjectName string             `json:"object_name"`
	ObjectType finding.ObjectType `json:"object_type"`
	RuleIDs    []string           `json:"rule_ids"`
	Severity   finding.Severity   `json:"severity"`
	Violation  float64            `json:"violation"`
	Impact     float64            `json:"impact"`
	Message    string             `json:"message"`
}

func (o dumpedOptions) options() readiness.Options {
	return readiness.Options{Usage: o.Usage, Ignore: func(id string, k finding.Key) bool {
		return slices.Contains(o.Ignore, dumpedIgnore{id, k.SourceModelID, k.Table, k.ObjectName})
	}}
}

func dumpResult(r readiness.Result, e readiness.ExactScores) *dumpedResult {
	return &dumpedResult{
		ScoreExact: e.Score, ScoreCapped: e.Capped, UnweightedExact: e.Unweighted, Caps: r.Caps, NotAssessable: append([]readiness.NotAssessable{}, r.NotAssessable...),
		Dimensions: mapped(r.Dimensions, func(d readiness.Dimension) dumpedDimension {
			return dumpedDimension{d.ID, d.Weight, e.Dimensions[d.ID], mapped(d.Rules, func(of readiness.Rule) dumpedRule {
				return dumpedRule{of.ID, of.Weight, of.Eligible, of.Failing, of.Ignored, e.Rules[of.ID]}
			})}
		}),
		Findings: mapped(r.Findings, func(f readiness.Finding) dumpedFinding {
			return dumpedFinding{f.Dimension, f.SourceModelID, f.Table, f.ObjectName, f.ObjectType, f.RuleIDs, f.Severity, f.Violation, f.Impact,
				f.Message}
		}),
	}
}

// dumpOf returns the cases of a model and of a data agent.
func dumpOf(t testing.TB, name string, m *semanticmodel.Model, of, asAgent dumpedOptions) []dumpedCase {
	r := regime(t, "2026-12")
	return []dumpedCase{
		{name, "model", dumpModel(m), nil, of, dumpResult(r.Assess(m, of.options()), r.ExactModel(m, of.options(), false))},
		{name, "as_agent", dumpModel(m), nil, asAgent, dumpResult(r.AssessAsAgent(m, asAgent.options()), r.ExactModel(m, asAgent.options(),
			true))},
	}
}

func dumpOfAgent(t testing.TB, name string, a readiness.Agent, sources []readiness.Source, of dumpedOptions) dumpedCase {
	r := regime(t, "2026-12")
	return dumpedCase{name, "agent", nil, dumpAgent(a, sources), of, dumpResult(r.AssessAgent(a, sources, of.options()), r.ExactAgent(a,
		sources, of.options()))}
}

// realModels returns the semantic models of the sample workspaces and of the corpus, by
// name.
func realModels(t *testing.T) (names []string, models map[string]*semanticmodel.Model) {
	t.Helper()
	models = map[string]*semanticmodel.Model{}
	corpus, public := samples.Corpus(t)
	roots := map[string]string{"samples": samples.Workspaces(t)}
	if public {
		roots["corpus"] = corpus
	}
	for _, of := range []string{"samples", "corpus"} {
		if roots[of] == "" {
			continue
		}
		err := filepath.WalkDir(roots[of], func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || !strings.HasSuffix(path, ".SemanticModel") {
				return err
			}
			if m, err := semanticmodel.Read(parts(t, path)); err == nil {
				name := of + filepath.ToSlash(strings.TrimPrefix(path, roots[of]))
				names, models[name] = append(names, name), m
			}
			return fs.SkipDir
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names, models
}

// dumpReal returns the cases of real models: each as a model, as an agent's, and with an
// agent.
func dumpReal(t *testing.T) (cases []dumpedCase) {
	names, models := realModels(t)
	none := dumpedOptions{Ignore: []dumpedIgnore{}}
	for _, name := range names {
		m := models[name]
		var tables []string
		for _, t := range m.Tables {
			tables = append(tables, t.Name)
		}
		agent := readiness.Agent{Instructions: "Answer by [Net Sales] of 'Sales'[Amount], never from Order Lines.",
			Description: "Answers questions about sales."}
		sources := []readiness.Source{selecting("1", m, tables...), {ID: "lake", Name: "Lake"}}
		cases = append(cases, dumpOf(t, name, m, none, none)...)
		cases = append(cases, dumpOfAgent(t, name, agent, sources, none))
	}
	return cases
}

// dumpRandom returns the cases of the random model of a seed.
func dumpRandom(outer testing.TB, seed int) []dumpedCase {
	december := regime(outer, "2026-12")
	return rapid.Custom(func(t *rapid.T) []dumpedCase {
		m, other := wideModel().Draw(t, "model"), wideModel().Draw(t, "other model")
		name := "random " + strconv.Itoa(seed)
		var of dumpedOptions
		of.Usage, of.Ignore = wideOptions(t, december.Assess(m, noOptions).Findings)
		agent, sources := wideAgent(t, m, other)
		var asAgent, ofAgent dumpedOptions
		asAgent.Usage, asAgent.Ignore = wideOptions(t, december.AssessAsAgent(m, noOptions).Findings)
		sources[0].Usage, ofAgent.Ignore = wideOptions(t, december.AssessAgent(agent, sources, noOptions).Findings)
		return append(dumpOf(outer, name, m, of, asAgent), dumpOfAgent(outer, name, agent, sources, ofAgent))
	}).Example(seed)
}

// The dump gives another implementation of 2026-12 what it needs to compare itself:
// inputs as plain JSON, one line each, and the same with results. READINESS_DUMP names
// the folder, READINESS_DUMP_RANDOM the number of random models.
func TestDump(t *testing.T) {
	t.Parallel()
	folder, random := os.Getenv("READINESS_DUMP"), 5
	if folder == "" {
		folder = t.TempDir()
	}
	if n, err := strconv.Atoi(os.Getenv("READINESS_DUMP_RANDOM")); err == nil {
		random = n
	}
	cases := dumpReal(t)
	for seed := range random {
		cases = append(cases, dumpRandom(t, seed)...)
	}
	writeCases(t, filepath.Join(folder, "results.jsonl"), cases)
	for i := range cases {
		cases[i].Result = nil
	}
	writeCases(t, filepath.Join(folder, "inputs.jsonl"), cases)
}

func writeCases(t *testing.T, path string, cases []dumpedCase) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(file)
	for _, c := range cases {
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "%s\n", data)
	}
	if err := w.Flush(); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
