package verdict

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// anyQuestions draws questions with some asks of each side.
func anyQuestions() *rapid.Generator[[]AskedQuestion] {
	return rapid.Custom(func(t *rapid.T) []AskedQuestion {
		side := func() []Ask {
			all := asks(rapid.SliceOfN(rapid.SampledFrom([]Verdict{Correct, Correct, Incorrect, Unclear, Refused, Errored}), 0, 4).Draw(t, "verdicts")...)
			for i := range all {
				all[i].DurationMS = rapid.Int64Range(0, 20).Draw(t, "ms")
				all[i].Text = rapid.SampledFrom([]string{"5", "5.2", "6", "Bikes", "It is 5.", ""}).Draw(t, "answer")
			}
			return all
		}
		var all []AskedQuestion
		for i := range rapid.IntRange(0, 12).Draw(t, "questions") {
			all = append(all, AskedQuestion{
				QuestionID: fmt.Sprintf("q%02d", i), ClusterID: rapid.SampledFrom([]string{"", "", "x", "y"}).Draw(t, "cluster"),
				Weight: rapid.SampledFrom([]float64{0, 1, 2.5}).Draw(t, "weight"), A: side(), B: side(),
				Judged: rapid.SampledFrom([]Likeness{"", Equal, Different}).Draw(t, "judged"),
			})
		}
		return all
	})
}

func written(t *rapid.T, c any) string {
	b, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The same answers give the same comparison, byte for byte, in whatever order the
// questions are listed.
func TestOrderOfQuestionsDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := anyQuestions().Draw(t, "questions")
		id := rapid.String().Draw(t, "id")
		c := Compare(id, assistant, agent, all)
		if diff := cmp.Diff(written(t, c), written(t, Compare(id, assistant, agent, all))); diff != "" {
			t.Fatalf("again: %s", diff)
		}
		shuffled := Compare(id, assistant, agent, rapid.Permutation(all).Draw(t, "shuffled"))
		for _, x := range []*Comparison{&c, &shuffled} { // lists keep the order of the questions
			slices.SortFunc(x.Questions, func(a, b ComparedQuestion) int { return strings.Compare(a.QuestionID, b.QuestionID) })
			slices.SortFunc(x.Excluded, func(a, b ExcludedQuestion) int { return strings.Compare(a.QuestionID, b.QuestionID) })
			slices.Sort(x.Aggregate.Improvements)
			slices.Sort(x.Aggregate.Regressions)
		}
		if diff := cmp.Diff(written(t, c), written(t, shuffled)); diff != "" {
			t.Fatalf("-as asked +shuffled\n%s", diff)
		}
	})
}

// With the sides swapped, every difference is the opposite.
func TestSidesSwap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := anyQuestions().Draw(t, "questions")
		id := rapid.String().Draw(t, "id")
		swapped := slices.Clone(all)
		for i := range swapped {
			swapped[i].A, swapped[i].B = swapped[i].B, swapped[i].A
		}
		c, s := Compare(id, assistant, agent, all), Compare(id, agent, assistant, swapped)
		s.A.Name, s.B.Name = s.B.Name, s.A.Name
		if got, want := written(t, []ComparisonSide{s.B, s.A}), written(t, []ComparisonSide{c.A, c.B}); got != want {
			t.Fatalf("sides: %s", cmp.Diff(want, got))
		}
		g := &s.Agreement
		g.OnlyA, g.OnlyB = g.OnlyB, g.OnlyA
		if got, want := written(t, s.Agreement), written(t, c.Agreement); got != want {
			t.Fatalf("agreement: %s", cmp.Diff(want, got))
		}
		c.Aggregate.Sentence = ""
		if got, want := written(t, opposite(s.Aggregate)), written(t, c.Aggregate); got != want {
			t.Fatalf("aggregate: %s", cmp.Diff(want, got))
		}
	})
}

func opposite(g Aggregate) Aggregate {
	g.Scores.A, g.Scores.B = g.Scores.B, g.Scores.A
	g.ResponseTimes.A, g.ResponseTimes.B = g.ResponseTimes.B, g.ResponseTimes.A
	g.McNemar.N10, g.McNemar.N01 = g.McNemar.N01, g.McNemar.N10
	g.Improvements, g.Regressions = g.Regressions, g.Improvements
	if d := g.Difference; d != nil {
		*d.BMinusA = -*d.BMinusA
		d.CI.Low, d.CI.High = -d.CI.High, -d.CI.Low
	}
	if d := &g.AccuracyDifference; d.BMinusA != nil {
		*d.BMinusA = -*d.BMinusA
		if d.CI != nil {
			d.CI.Low, d.CI.High = -d.CI.High, -d.CI.Low
		}
	}
	if d := g.ResponseTimeDifference; d != nil {
		d.MedianBMinusA, d.MeanBMinusA = -d.MedianBMinusA, -d.MeanBMinusA
		if d.CI != nil {
			d.CI.Low, d.CI.High = -d.CI.High, -d.CI.Low
		}
	}
	g.Conclusion = map[Conclusion]Conclusion{ABetter: BBetter, BBetter: ABetter, NoDifferenceShown: NoDifferenceShown,
		Inconclusive: Inconclusive}[g.Conclusion]
	g.Sentence = "" // it names sides and signs
	return g
}

// Counts add up, and shares are between 0 and 1.
func TestBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := anyQuestions().Draw(t, "questions")
		c := Compare("c", assistant, agent, all)
		n := c.Aggregate.Comparable
		g, x := c.Agreement, c.Agreement.AnswerAgreement
		if n+len(c.Excluded) != len(all) || len(c.Questions) != len(all) || g.N != n || g.BothCorrect+g.OnlyA+g.OnlyB+g.Neither != n || x.N != n || x.Equal+x.Different+x.Undecided != n {
			t.Fatalf("got %+v of %d questions", c, len(all))
		}
		for _, s := range []ComparisonSide{c.A, c.B} {
			v := s.Verdicts
			if s.Questions != n || v.Correct+v.Incorrect+v.Unclear+v.Refused+v.Error != s.Asks {
				t.Fatalf("got %+v", s)
			}
			if n == 0 {
				continue
			}
			inOrder := []Rate{0, *s.PassAll, *s.PassAny, 1}
			if !slices.IsSorted(inOrder) || *s.Accuracy < 0 || *s.Accuracy > 1+1e-12 || *s.Score < 0 || *s.Score > 100 || *s.MeanStability <= 0 || *s.MeanStability > 1 {
				t.Fatalf("got %+v", s)
			}
			r := s.ResponseTime
			if r.N+r.Errors != s.Asks || !slices.IsSorted([]int64{0, r.MinMS, r.MedianMS, r.P90MS, r.P95MS, r.MaxMS}) || r.MeanMS < r.MinMS || r.MeanMS > r.MaxMS {
				t.Fatalf("got %+v", r)
			}
		}
		if n == 0 {
			return
		}
		d := c.Aggregate.AccuracyDifference
		v := c.Aggregate.Difference
		for _, ci := range []*Interval{d.CI, &v.CI} {
			if ci != nil && (ci.Low > ci.High || ci.Low < -1-1e-12 || ci.High > 1+1e-12) {
				t.Fatalf("got %+v", ci)
			}
		}
		if *d.BMinusA < -1 || *d.BMinusA > 1 || *v.BMinusA < v.CI.Low || *v.BMinusA > v.CI.High {
			t.Fatalf("got %+v, %+v", d, v)
		}
		if d := float64(*d.BMinusA - (*c.B.Accuracy - *c.A.Accuracy)); d < -1e-9 || d > 1e-9 {
			t.Fatalf("the difference is off by %v", d)
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	verdicts := []Verdict{Correct, Correct, Incorrect, Correct, Refused}
	var all []AskedQuestion
	for i := range 1000 {
		q := AskedQuestion{QuestionID: fmt.Sprintf("q%04d", i), ClusterID: fmt.Sprint(i / 2)}
		for n := range 5 {
			say := func(v Verdict, amount int) Ask {
				return Ask{N: n + 1, Decision: Decision{Verdict: v}, Answer: Answer{Text: fmt.Sprintf("In the fiscal year 2024, total sales of product %d came to $%d,%03d.", i%7, amount%900+1, amount%1000)}, DurationMS: int64(amount*37%9000 + 500)}
			}
			q.A, q.B = append(q.A, say(verdicts[(i+n)%5], i)), append(q.B, say(verdicts[(i*3+n)%5], i+n/4))
		}
		all = append(all, q)
	}
	for b.Loop() {
		Compare("benchmark", assistant, agent, all)
	}
}
