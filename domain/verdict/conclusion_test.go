package verdict

import (
	"strings"
	"testing"
)

// Paraphrases count once, as correct where more than half of their weight is.
func TestClusters(t *testing.T) {
	t.Parallel()
	of := func(id, cluster string, weight float64, a, b Verdict) AskedQuestion {
		q := question(id, a, b)
		q.ClusterID, q.Weight = cluster, weight
		return q
	}
	c := Compare("c", assistant, agent, []AskedQuestion{
		of("1", "x", 1, Correct, Correct), of("2", "x", 1, Incorrect, Correct), of("3", "x", 1, Incorrect, Correct), // A a third, B all
		of("4", "y", 1, Correct, Incorrect), of("5", "y", 1, Incorrect, Correct), // half is not more than half
		of("6", "z", 3, Correct, Incorrect), of("7", "z", 2, Incorrect, Correct), // A by weight
		of("8", "", 1, Correct, Correct), of("9", "", 1, Incorrect, Incorrect),
	})
	if want := (Pairs{Both: 1, OnlyA: 1, OnlyB: 1, Neither: 2}); c.pairs != want {
		t.Errorf("got %+v, want %+v", c.pairs, want)
	}
	g := c.Aggregate
	if g.McNemar.N10 != 1 || g.McNemar.N01 != 1 || *g.Difference.CI.N != 5 || g.Difference.CI.Of != "cluster_verdicts" ||
		g.MinimumDetectable.N != 5 || g.Comparable != 9 || len(g.Improvements) != 4 || len(g.Regressions) != 2 {
		t.Errorf("got %+v", g)
	}
	if ci := c.A.AccuracyCI; *ci.X != 2 || *ci.N != 5 || ci.Of != "cluster_verdicts" || c.A.Questions != 9 {
		t.Errorf("side A: got %+v", ci)
	}
	if c.Agreement.N != 9 {
		t.Errorf("the agreement is over questions: got %+v", c.Agreement)
	}
}

// Intervals by resampling need ten questions that differ.
func TestResampledIntervals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		onlyA, onlyB int
		rates        bool
	}{{4, 5, false}, {5, 5, true}, {0, 10, true}} {
		all := questions(10, tt.onlyA, tt.onlyB, 0)
		g := Compare("c", assistant, agent, all).Aggregate
		if (g.AccuracyDifference.CI != nil) != tt.rates || g.AccuracyDifference.BMinusA == nil {
			t.Errorf("%+v: got %+v", tt, g.AccuracyDifference)
		}
		for i := range all {
			for n := range all[i].B {
				all[i].B[n].DurationMS = all[i].A[n].DurationMS
			}
		}
		for i := range 9 {
			all[i].B[0].DurationMS += 100
		}
		if d := Compare("c", assistant, agent, all).Aggregate.ResponseTimeDifference; d.CI != nil {
			t.Errorf("nine times differ: got %+v", d.CI)
		}
		all[9].B[0].DurationMS += 100
		if d := Compare("c", assistant, agent, all).Aggregate.ResponseTimeDifference; d.CI == nil || d.CI.Method != "paired_bootstrap_2000" {
			t.Errorf("ten times differ: got %+v", d.CI)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	engine := assistant
	engine.Target.Transport = Embedded
	silent := func(all []AskedQuestion, n int) []AskedQuestion {
		for i := range n {
			all = append(all, question("s"+strings.Repeat("x", i), Correct, Errored))
		}
		return all
	}
	for name, tt := range map[string]struct {
		a, b       Side
		all        []AskedQuestion
		setting    Setting
		conclusion Conclusion
		want       string // %s in place of figures
	}{
		"B": {assistant, agent, questions(10, 0, 5, 0), Setting{}, BBetter, "Side B answered more questions correctly: mid-p 0.0312, a difference of +33.3 points, 95 % interval "},
		"A": {assistant, agent, questions(10, 5, 0, 0), Setting{}, ABetter, "Side A answered more questions correctly: mid-p 0.0312, a difference of -33.3 points, 95 % interval "},
		"only the test": {assistant, agent, questions(250, 0, 5, 45), Setting{}, NoDifferenceShown,
			"No difference is shown: the test is significant, and the interval includes 0 (mid-p 0.0312, "},
		"only the interval": {assistant, agent, questions(8, 0, 4, 0), Setting{}, NoDifferenceShown,
			"No difference is shown: the interval excludes 0, and the test is not significant (mid-p 0.0625, "},
		"neither":      {assistant, agent, questions(10, 4, 4, 0), Setting{}, NoDifferenceShown, "No difference is shown: mid-p 1.0000, a difference of +0.0 points"},
		"few differ":   {assistant, agent, questions(40, 2, 2, 0), Setting{}, NoDifferenceShown, "Too few questions differ to tell (4 of 44). A difference of 20 points would probably have shown."},
		"none differs": {assistant, agent, questions(8, 0, 0, 0), Setting{}, NoDifferenceShown, "Too few questions differ to tell (0 of 8). With 40 questions you could see a difference of 20 points."},
		"nothing":      {assistant, agent, nil, Setting{}, Inconclusive, "Nothing is concluded: 0 of 0 questions cannot be compared."},
		"a third":      {assistant, agent, silent(questions(1, 0, 9, 0), 5), Setting{}, BBetter, "Side B answered"},
		"more":         {assistant, agent, silent(questions(0, 0, 9, 0), 5), Setting{}, Inconclusive, "Nothing is concluded: 5 of 14 questions cannot be compared."},
		"other tests":  {assistant, agent, questions(10, 0, 5, 0), Setting{Others: []float64{0.5}}, BBetter, " Over the 2 tests of the last 30 days the adjusted p is 0.0625, which is not significant (Holm)."},
		"other tests that change nothing": {assistant, agent, questions(10, 0, 9, 0), Setting{Others: []float64{0.5}}, BBetter,
			"Side B answered more questions correctly: mid-p 0.0020, a difference of +47.4 points, 95 % interval +21.2 to +68.3."},
		"embedded":  {engine, engine, questions(10, 4, 4, 0), Setting{}, NoDifferenceShown, " The rules engine simulated both sides and no AI was asked: this compares metadata only."},
		"generated": {assistant, agent, questions(10, 4, 4, 0), Setting{Generated: true}, NoDifferenceShown, " All questions were generated; questions that people ask may show something else."},
	} {
		c := Compare("c", tt.a, tt.b, tt.all)
		c.Settle(tt.setting)
		g := c.Aggregate
		if g.Conclusion != tt.conclusion || !strings.Contains(g.Sentence, tt.want) {
			t.Errorf("%s: got %s: %s", name, g.Conclusion, g.Sentence)
		}
		if strings.Contains(g.Sentence, "metadata") != (name == "embedded") || strings.Contains(g.Sentence, "generated") != (name == "generated") ||
			strings.Contains(g.Sentence, "Holm") != (name == "other tests") {
			t.Errorf("%s says too much: %s", name, g.Sentence)
		}
		if g.Holm.Tests != len(tt.setting.Others)+1 || g.Corrections != "holm" {
			t.Errorf("%s: got %+v", name, g.Holm)
		}
	}
	one := Compare("c", engine, agent, questions(10, 4, 4, 0))
	if g := one.Aggregate; g.Holm != nil || g.Corrections != "none" || strings.Contains(g.Sentence, "metadata") {
		t.Errorf("alone: got %+v", g)
	}
}

// The conclusion says what else than the answers differs: the runtimes of data agents, as far as they are known.
//
// proves: decisions/10/runtimes
func TestUnlikeRuntimes(t *testing.T) {
	t.Parallel()
	asked := func(runtime string) Side {
		return Side{Kind: DataAgent, Target: Target{Transport: ByMCP, Runtime: runtime}}
	}
	imported := func(who, runtime string) Side {
		return Side{Kind: Imported, Target: Target{Who: who, Runtime: runtime}}
	}
	for name, tt := range map[string]struct {
		a, b Side
		want string
	}{
		"unlike":            {asked("standard"), asked("preview"), " The runtime differs: standard and preview."},
		"alike":             {asked("preview"), asked("preview"), ""},
		"one is not known":  {asked(""), asked("preview"), " The runtime may differ: unknown and preview."},
		"none is known":     {asked(""), imported("data agent Sales", ""), " Which runtime of the data agent answered is not known."},
		"imported":          {imported("Sales", "standard"), asked("preview"), " The runtime differs: standard and preview."},
		"no agent":          {asked("preview"), imported("Copilot", ""), ""},
		"by a simulation":   {Side{Kind: DataAgent, Target: Target{Transport: Embedded}}, asked("preview"), ""},
		"neither is one":    {assistant, imported("Copilot", ""), ""},
		"simulated by both": {Side{Kind: DataAgent, Target: Target{Transport: Embedded}}, Side{Kind: DataAgent, Target: Target{Transport: Embedded}}, ""},
	} {
		g := Compare("c", tt.a, tt.b, questions(10, 4, 4, 0)).Aggregate
		if strings.Contains(g.Sentence, "untime") != (tt.want != "") || !strings.Contains(g.Sentence, tt.want) {
			t.Errorf("%s: got %s", name, g.Sentence)
		}
	}
}

func TestMinimumDetectable(t *testing.T) {
	t.Parallel()
	last := Compare("c", assistant, agent, questions(40, 2, 6, 2)).Aggregate
	old := Aggregate{Comparable: 50, McNemar: McNemarTest{N10: 2, N01: 6}}
	for name, tt := range map[string]struct {
		n          int
		last       *Aggregate
		discord    float64
		difference float64 // 0 for none
		small      bool
		note       string
	}{
		"four":              {4, nil, 0.3, 0, true, "fewer than five questions can show nothing"},
		"five":              {5, nil, 0.3, 0.9564, true, ""},
		"49":                {49, nil, 0.3, 0.2072, true, ""},
		"50":                {50, nil, 0.3, 0.2053, false, ""},
		"a last run":        {50, &last, 0.1731, 0.1513, false, ""},
		"one without pairs": {50, &old, 0.1731, 0.1513, false, ""},
		"an empty one":      {50, &Aggregate{}, 0.3, 0.2053, false, ""},
	} {
		d := NewDetectable(tt.n, tt.last)
		got := 0.0
		if d.Difference != nil {
			got = round4(float64(*d.Difference))
		}
		if round4(float64(d.Discordance)) != tt.discord || got != tt.difference || d.SmallSample != tt.small || d.Note != tt.note || d.N != tt.n ||
			d.LastRun != (tt.discord != 0.3) {
			t.Errorf("%s: got %+v, difference %v", name, d, got)
		}
	}
}
