package evaluation

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"readiness/domain/benchmark"
	"readiness/domain/benchmark/answerset"
	"readiness/domain/verdict"
	"readiness/domain/verdict/statistics"
)

// Comparison is how two who answered the same questions differ.
type Comparison struct {
	// A and B say who answered. A is the baseline, or else who answered first.
	A string `json:"a"`
	B string `json:"b"`
	// Baseline is true if A is of the baseline.
	Baseline bool `json:"baseline,omitempty"`
	// Sentence says for people what is shown.
	Sentence string `json:"sentence"`
	// Again is true if both are the same answerer: what differs then is noise.
	Again     bool              `json:"sameAnswerer,omitempty"`
	Aggregate verdict.Aggregate `json:"aggregate"`
	Agreement verdict.Agreement `json:"agreement"`
	// Kinds are the tests of the questions with a tag, adjusted for each other by Holm's method; none for fewer than two tags.
	Kinds []KindTest `json:"kinds,omitempty"`
	// Unlike says what else differs between the sides.
	Unlike []string `json:"notComparable,omitempty"`
}

// KindTest is the paired test of the questions of a kind.
type KindTest struct {
	Kind string `json:"kind"`
	// N questions have the tag; OnlyA and OnlyB are right on one side alone.
	N     int     `json:"n"`
	OnlyA int     `json:"onlyA"`
	OnlyB int     `json:"onlyB"`
	MidP  float64 `json:"midP"`
	Holm  float64 `json:"holm"`
}

// compare compares each run with the one of the baseline of the same answerer, or else with the baseline's last; without a baseline, each
// with the first.
func (e *Evaluation) compare(baseline *answerset.File) (all []Comparison) {
	for i, b := range e.Runs {
		switch {
		case baseline != nil && len(e.Baseline) > 0:
			a := e.Baseline[len(e.Baseline)-1]
			for _, of := range e.Baseline {
				if of.Who == b.Who {
					a = of
				}
			}
			c := e.compared(a, b, true)
			if baseline.Model != "" && baseline.Model != e.Model.Hash {
				c.Unlike = append(c.Unlike, "The model was changed in between. An AI sees that only after a refresh of the model.")
			}
			if baseline.Judging != "" && baseline.Judging != JudgeVersion {
				c.Unlike = append(c.Unlike, fmt.Sprintf("The verdicts of the baseline are of another way of judging (%s, not %s): judge its answers again "+
					"with --answers.", baseline.Judging, JudgeVersion))
			}
			if a.Methods[string(verdict.ByJudge)] > 0 && e.Judge != nil && (baseline.Judge == nil || baseline.Judge.Model != e.Judge.Model ||
				baseline.Judge.PromptVersion != e.Judge.PromptVersion) {
				c.Unlike = append(c.Unlike, "Another judge than the baseline's gave verdicts that nothing computes.")
			}
			all = append(all, c)
		case baseline == nil && i > 0:
			all = append(all, e.compared(e.Runs[0], b, false))
		}
	}
	return all
}

func (e *Evaluation) compared(a, b Run, baseline bool) Comparison {
	asked := make([]verdict.AskedQuestion, len(b.Questions))
	for i, q := range b.Questions {
		asked[i] = verdict.AskedQuestion{QuestionID: q.QuestionID, Text: q.Text, Expected: q.Expected.Text(), ClusterID: q.ClusterID,
			Weight: q.Weighed(), A: a.Questions[i].asks(), B: q.asks()}
	}
	// A question that neither side was asked says nothing about how comparable they are.
	asked = slices.DeleteFunc(asked, func(q verdict.AskedQuestion) bool { return len(q.A)+len(q.B) == 0 })
	made := verdict.Compare("evaluate", a.Summary.Side, b.Summary.Side, asked)
	c := Comparison{A: a.By.String(), B: b.By.String(), Baseline: baseline, Aggregate: made.Aggregate, Agreement: made.Agreement}
	if a.Summary.ResponseTime == nil || b.Summary.ResponseTime == nil {
		c.Aggregate.ResponseTimes, c.Aggregate.ResponseTimeDifference = verdict.ResponseTimes{}, nil
	}
	c.Again = a.Named && b.Named && a.By == b.By
	c.Unlike = unlike(a, b, made)
	c.Kinds = kinds(b, made)
	c.Sentence = c.sentence(a, b, baseline)
	return c
}

// sentence says who is better, in the words of people, and what is known of the noise.
func (c Comparison) sentence(a, b Run, baseline bool) string {
	g := c.Aggregate
	nameA, nameB := a.Who, b.Who
	if a.Who == b.Who {
		nameA, nameB = a.By.String(), b.By.String()
	}
	if baseline {
		nameA += " (baseline)"
	}
	rightA, rightB := c.Agreement.BothCorrect+c.Agreement.OnlyA, c.Agreement.BothCorrect+c.Agreement.OnlyB
	text := ""
	better := func(first, second string, right, of int, sign float64) string {
		low, high := sign*float64(g.Difference.CI.Low), sign*float64(g.Difference.CI.High)
		return fmt.Sprintf("%s is better than %s: %d and %d of %d questions right, a difference of %.0f points (95 %% interval %.0f to %.0f; mid-p %.4f).",
			first, second, right, of, c.Agreement.N, 100*sign*float64(*g.Difference.BMinusA), 100*min(low, high), 100*max(low, high), *g.McNemar.MidP)
	}
	switch g.Conclusion {
	case verdict.ABetter:
		text = better(nameA, nameB, rightA, rightB, -1)
	case verdict.BBetter:
		text = better(nameB, nameA, rightB, rightA, 1)
	case verdict.NoDifferenceShown:
		text = fmt.Sprintf("%s and %s: %d and %d of %d questions right. %s", nameA, nameB, rightA, rightB, c.Agreement.N, g.Sentence)
	case verdict.Inconclusive:
		text = fmt.Sprintf("%s and %s: %s", nameA, nameB, g.Sentence)
	}
	if c.Again && c.Agreement.N > 0 {
		differing := c.Agreement.OnlyA + c.Agreement.OnlyB
		text += fmt.Sprintf(" A/A: as far as the files say, the same answerer was asked twice, and the verdict changed on %d of %d questions "+
			"(%.0f %%). Take a difference of that size for noise.", differing, c.Agreement.N, 100*float64(differing)/float64(c.Agreement.N))
	}
	return text
}

// unlike says what differs between two runs apart from their answers.
func unlike(a, b Run, made verdict.Comparison) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if runtimes := verdict.UnlikeRuntimes(a.side(), b.side()); runtimes != "" {
		all = append(all, runtimes)
	}
	if a.Stage != b.Stage && a.Stage != "" && b.Stage != "" {
		say("The stage differs: %s and %s.", a.Stage, b.Stage)
	}
	if a.Definition != b.Definition && a.Definition != "" && b.Definition != "" {
		say("The definition of the answerer differs: %s and %s. If the model was changed too, ask only after its refresh.", a.Definition, b.Definition)
	}
	if a.Cached+b.Cached > 0 {
		say("Answers came from a cache: %d and %d. They may be older than the definition.", a.Cached, b.Cached)
	}
	if a.Last != nil && b.Last != nil && a.Last.Format(time.DateOnly) != b.Last.Format(time.DateOnly) {
		say("They were asked on different days, %s and %s: the platform may have changed the language model in between.",
			a.Last.Format(time.DateOnly), b.Last.Format(time.DateOnly))
	}
	onlyA, onlyB, same, methods := 0, 0, len(made.Questions) > 0, 0
	for _, q := range made.Questions {
		switch {
		case len(q.A.Asks) == 0:
			onlyB++
		case len(q.B.Asks) == 0:
			onlyA++
		case q.A.Asks[0].Method != q.B.Asks[0].Method && q.A.Answered > 0 && q.B.Answered > 0:
			methods++
		}
		same = same && sameAnswers(q.A.Asks, q.B.Asks)
	}
	if onlyA+onlyB > 0 {
		say("Questions that only one side was asked: %d and %d. They are not compared.", onlyA, onlyB)
	}
	if methods > 0 {
		say("On %s the verdicts were reached in different ways, such as by rows and by the text.", counted(methods, "question"))
	}
	if same {
		say("All answers are the same, word for word: is it the same file?")
	}
	return all
}

func sameAnswers(a, b []verdict.Ask) bool {
	return slices.EqualFunc(a, b, func(x, y verdict.Ask) bool { return x.Text == y.Text && x.Query == y.Query })
}

// kinds tests the questions of each tag.
func kinds(b Run, made verdict.Comparison) (all []KindTest) {
	tests, of := map[string]*KindTest{}, map[string]benchmark.Question{}
	for _, q := range b.Questions {
		of[q.QuestionID] = q.Question
	}
	for _, q := range made.Questions {
		if q.Change == verdict.NotComparable {
			continue
		}
		for _, tag := range of[q.QuestionID].Tags {
			t := tests[tag]
			if t == nil {
				t = &KindTest{Kind: tag}
				tests[tag] = t
			}
			t.N++
			if q.Change == verdict.Regressed {
				t.OnlyA++
			}
			if q.Change == verdict.Improved {
				t.OnlyB++
			}
		}
	}
	if len(tests) < 2 {
		return nil
	}
	var family []float64
	for _, tag := range slices.Sorted(maps.Keys(tests)) {
		t := tests[tag]
		t.MidP = statistics.McNemarMidP(t.OnlyA, t.OnlyB)
		all, family = append(all, *t), append(family, t.MidP)
	}
	for i, p := range statistics.HolmOfAll(family) {
		all[i].Holm = p
	}
	return all
}
