package rulesengine_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"readiness/ai/rules"
	"readiness/ai/rulesengine"
	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/test/samples"
)

// optimized returns the definition with all proposals of the embedded rules of a kind.
func optimized(t *testing.T, d definition.Definition, kind optimization.Kind) definition.Definition {
	t.Helper()
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	p := optimization.Preview{Kind: kind}
	err = p.Compose(d, m, optimization.Asking{
		Targets: optimization.TargetsOf(kind, readiness.Assess(m, readiness.Options{}).Findings),
		Propose: func(ask proposal.Ask) (proposal.Answer, error) { return rules.Propose(ask), nil },
	})
	if err != nil {
		return d
	}
	var all []rewrite.Change
	for _, c := range p.Changes {
		all = append(all, rewrite.Change{Target: c.Target(), Value: c.Proposed})
	}
	written, _, err := rewrite.Write(d, all)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

// Questions in words that only the definition of a measure has, not its name, are answered once the proposed AI instructions
// or descriptions have these words.
func TestOptimizedExplains(t *testing.T) {
	t.Parallel()
	path := filepath.Join(samples.Workspaces(t), "Corporate Functions", "Support Tickets.SemanticModel")
	before := rulesengine.New(catalogOf(modelIn(t, path)))
	for _, kind := range []optimization.Kind{optimization.AIInstructions, optimization.Descriptions} {
		written, err := semanticmodel.Read(optimized(t, definition.New(parts(t, path)...), kind))
		if err != nil {
			t.Fatal(err)
		}
		after := rulesengine.New(catalogOf(written))
		for question, want := range map[string]string{
			"What is the average satisfaction score by team?":         "This shows [CSAT] by 'Agents'[Team].",
			"average resolution minutes by channel":                   "This shows [Avg Resolution] by 'Tickets'[Channel].",
			"Which agent has the highest average satisfaction score?": "This shows [CSAT] by 'Agents'[Agent], the 1 highest by [CSAT].",
			"Which team has the lowest average resolution minutes?":   "This shows [Avg Resolution] by 'Agents'[Team], the 1 lowest by [Avg Resolution].",
		} {
			if got := before.Answer(question); got.Text == want {
				t.Errorf("%q is answered before", question)
			}
			if got := after.Answer(question).Text; got != want {
				t.Errorf("%s: %q is answered with %q, want %q", kind, question, got, want)
			}
		}
	}
}

// With the proposed AI instructions or descriptions, every sample answers at least the questions that
// it answered before.
func TestOptimizedSamples(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(samples.Workspaces(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		m := modelIn(t, path)
		if m == nil {
			return nil
		}
		const count = 40
		queries, err := benchmark.Generate(m, benchmark.Wanted{Year: 2025, Count: count})
		if err != nil {
			return fs.SkipDir // no questions
		}
		texts := rules.Questions(m, queries, count)
		before := rulesengine.New(catalogOf(m))
		for _, kind := range []optimization.Kind{optimization.AIInstructions, optimization.Descriptions} {
			written, err := semanticmodel.Read(optimized(t, definition.New(parts(t, path)...), kind))
			if err != nil {
				return err
			}
			after := rulesengine.New(catalogOf(written))
			for i, text := range texts {
				correct := func(e *rulesengine.Engine) bool {
					return text != "" && e.Answer(text).Query == queries[i].DAX()
				}
				if correct(before) && !correct(after) {
					t.Errorf("%s of %s: %q is answered with %q", kind, path, text, after.Answer(text).Text)
				}
			}
		}
		return fs.SkipDir
	})
	if err != nil {
		t.Fatal(err)
	}
}

// With the proposed AI instructions, the exact name of a measure still asks for that measure.
func TestInstructionsKeepExactNames(t *testing.T) {
	t.Parallel()
	root, _ := samples.Corpus(t)
	names := 0
	for _, root := range []string{root, samples.Workspaces(t)} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			m := modelIn(t, path)
			if m == nil {
				return nil
			}
			written := *m
			for _, p := range rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m}).Proposals {
				written.Copilot.Instructions = &p.Value
			}
			before, after := rulesengine.New(catalogOf(m)), rulesengine.New(catalogOf(&written))
			for _, table := range readiness.Expose(m).Tables {
				for _, x := range table.Measures {
					question := "What is " + x.Name + "?"
					was, is := before.Answer(question), after.Answer(question)
					if was.Query != "" && was.Query != is.Query {
						t.Errorf("%s: %q is answered with %q, before with %q", path, question, is.Text, was.Text)
					}
					names++
				}
			}
			return fs.SkipDir
		})
		if err != nil {
			t.Error(err)
		}
	}
	if names < 50 {
		t.Errorf("only %d measures", names)
	}
}
