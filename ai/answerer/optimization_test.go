package answerer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"readiness/ai/rules"
	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/domain/verdict"
	"readiness/domain/verdict/normalform"
	"readiness/platform/folder"
)

// sample is a copy of a sample's semantic model, with a data agent that selected all its tables.
type sample struct {
	*world
	model item.Item
	dir   string
}

func newSample(t *testing.T, workspace, name string) sample {
	t.Helper()
	w := newWorld(t)
	dir := filepath.Join(w.root, "Sample", filepath.Base(name)+".SemanticModel")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("../../samples/workspaces", workspace, filepath.FromSlash(name)+".SemanticModel"))); err != nil {
		t.Fatal(err)
	}
	w.remove(t, "Retail")
	w.put(t, "Sample/workspace.json", fmt.Sprintf(`{"id": %q, "displayName": "Sample"}`, retail))
	platform, err := folder.Open(w.root, folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	models, err := platform.Items(t.Context(), ana, retail, item.SemanticModel)
	if err != nil || len(models) != 1 {
		t.Fatalf("models %v, error %v", models, err)
	}
	s := sample{w, models[0], dir}
	_, m := s.definition(t)
	elements := ""
	for i, table := range m.Tables {
		if i > 0 {
			elements += ","
		}
		elements += fmt.Sprintf(`{"display_name": %q, "type": "semantic_model.table", "is_selected": true}`, table.Name)
	}
	w.put(t, "Sample/Analyst.DataAgent/.platform", fmt.Sprintf(`{"metadata": {"type": "DataAgent", "displayName": "Analyst"}, "config": {"logicalId": %q}}`, analyst))
	w.put(t, "Sample/Analyst.DataAgent/Files/Config/data_agent.json", "{}")
	for _, stage := range []string{"draft", "published"} {
		w.put(t, "Sample/Analyst.DataAgent/Files/Config/"+stage+"/stage_config.json", "{}")
		w.put(t, "Sample/Analyst.DataAgent/Files/Config/"+stage+"/model/datasource.json",
			fmt.Sprintf(`{"artifactId": %q, "displayName": "Model", "type": "semantic_model", "elements": [%s]}`, s.model.ID, elements))
	}
	return s
}

func (s sample) definition(t *testing.T) (definition.Definition, *semanticmodel.Model) {
	t.Helper()
	d, err := s.Definitions(t.Context(), ana, s.model)
	if err != nil {
		t.Fatal(err)
	}
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	return d, m
}

// correct returns how many of the questions a kind answers as expected.
func (s sample) correct(t *testing.T, kind verdict.AgentKind, questions []benchmark.Question) (n int, about verdict.Target) {
	t.Helper()
	of := side(kind, "embedded")
	of.SemanticModelID = s.model.ID
	about, ask := s.open(t, of)
	_, m := s.definition(t)
	read, now := normalform.NewModel(m), time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for _, q := range questions {
		r := reply(t, ask, q.Text)
		r.Answer.Read(read, now)
		if q.Known(m, read, now).Decide(r.Answer, r.Failure, nil).Verdict == verdict.Correct {
			n++
		}
	}
	return n, about
}

// optimize applies every proposal of the embedded rules of a kind.
func (s sample) optimize(t *testing.T, kind optimization.Kind) (changes int) {
	t.Helper()
	d, m := s.definition(t)
	p := optimization.Preview{Kind: kind}
	err := p.Compose(d, m, optimization.Asking{
		Targets: optimization.TargetsOf(kind, readiness.Assess(m, readiness.Options{}).Findings),
		Propose: func(ask proposal.Ask) (proposal.Answer, error) { return rules.Propose(ask), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []rewrite.Change
	for _, c := range p.Changes {
		if c.Recommended {
			all = append(all, rewrite.Change{Target: c.Target(), Value: c.Proposed})
		}
	}
	written, _, err := rewrite.Write(d, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range written.Parts {
		path := filepath.Join(s.dir, filepath.FromSlash(part.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, part.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return len(all)
}

// worded are questions in words that only the definitions of the measures have.
var worded = []benchmark.Question{
	{QuestionID: "team", Text: "What is the average satisfaction score by team?",
		Expected: benchmark.Expected{DAX: `EVALUATE SUMMARIZECOLUMNS('Agents'[Team], "CSAT", [CSAT])`}},
	{QuestionID: "channel", Text: "average resolution minutes by channel",
		Expected: benchmark.Expected{DAX: `EVALUATE SUMMARIZECOLUMNS('Tickets'[Channel], "Minutes", [Avg Resolution])`}},
	{QuestionID: "year", Text: "What was the average satisfaction score in 2025?",
		Expected: benchmark.Expected{DAX: `EVALUATE ROW("CSAT", CALCULATE([CSAT], 'Calendar'[Year] = 2025))`}},
}

// The same questions are asked before and after an optimization, and every kind of AI answers more of
// them as expected: the questions use words that the model lacks at first. A kind that does
// not get the new texts answers as before.
func TestAnAppliedOptimizationRaisesAccuracy(t *testing.T) {
	t.Parallel()
	kinds := []verdict.AgentKind{verdict.PlatformAssistant, verdict.DataAgent, verdict.ServiceTestAgent, verdict.GenericAgent}
	for _, name := range []string{"Support Tickets"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSample(t, "Corporate Functions", name)
			_, m := s.definition(t)
			const count = 50
			queries, err := benchmark.Generate(m, benchmark.Wanted{Year: 2025, Count: count})
			if err != nil {
				t.Fatal(err)
			}
			questions := append(benchmark.GeneratedSet(queries, rules.Questions(m, queries, count), count).Questions, worded...)
			before := map[verdict.AgentKind]int{}
			given := map[verdict.AgentKind]string{}
			for _, k := range kinds {
				n, about := s.correct(t, k, questions)
				before[k], given[k] = n, about.ConfigHash
				if n == 0 || n == len(questions) {
					t.Fatalf("%s answers %d of %d before the optimization, which leaves no room for improvement", k, n, len(questions))
				}
			}
			if s.optimize(t, optimization.AIInstructions) > 0 {
				if n, about := s.correct(t, verdict.GenericAgent, questions); n != before[verdict.GenericAgent] || about.ConfigHash != given[verdict.GenericAgent] {
					t.Errorf("the kind without the AI instructions answers %d of %d with them, %d without", n, len(questions), before[verdict.GenericAgent])
				}
			}
			if s.optimize(t, optimization.Descriptions) == 0 {
				t.Fatal("there is nothing to describe")
			}
			for _, k := range kinds {
				n, about := s.correct(t, k, questions)
				if n <= before[k] || about.ConfigHash == given[k] {
					t.Errorf("%s answers %d of %d after the optimization, %d before", k, n, len(questions), before[k])
				}
			}
		})
	}
}
