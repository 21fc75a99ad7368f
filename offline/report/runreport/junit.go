package runreport

import (
	"fmt"
	"io"
	"strings"
	"time"

	"readiness/domain/verdict"
	"readiness/internal/lists"
	"readiness/offline/report/junit"
	"readiness/offline/show"
)

// WriteJUnit writes the run as test results: a case for each question, which fails unless
// most of its answers are correct, and one for each part of the gate that is set. A
// question without an answer is an error.
func (r *Report) WriteJUnit(w io.Writer, g Gate) error {
	var suites []junit.Suite
	for _, c := range r.judged() {
		suites = append(suites, r.suite(g, c))
	}
	return junit.WriteSuites(w, "AI answers", suites...)
}

func (r *Report) suite(g Gate, of Column) junit.Suite {
	name := r.Title
	if len(r.scored) > 1 {
		name += ": " + of.Name
	}
	s := junit.Suite{Name: show.XMLText(name), Properties: &junit.Properties{All: []junit.Property{
		{Name: "answeredBy", Value: show.XMLText(of.Answered)}, {Name: "questionSetHash", Value: show.XMLText(r.SetHash)},
	}}}
	if g.FailUnder != nil {
		s.Add(junit.Case{Name: "score", Failure: junit.Because(r.scoreMiss(g, of), "score", "")})
	}
	if g.FailOnRegression && of.Name == r.Now().Name {
		c := junit.Case{Name: "regressions"}
		lines := lists.Map(r.Regressed(), func(q Question) string { return q.Text })
		if len(lines) > 0 {
			c.Failure = junit.Because(show.Count(len(lines), "question")+" regressed", "regression", strings.Join(lines, "\n"))
		}
		if r.before < 0 {
			c.Skipped = junit.Because("no earlier run to compare with", "", "")
		}
		s.Add(c)
	}
	for _, q := range r.Questions {
		t, asked := of.Tally(q.ID)
		s.Add(caseOf(q, of, t, asked))
	}
	return s
}

func caseOf(q Question, of Column, t verdict.Tally, asked bool) junit.Case {
	c := junit.Case{Name: show.XMLText(q.Text)}
	if !asked || len(t.Asks) == 0 {
		c.Skipped = junit.Because("not asked", "", "")
		return c
	}
	took := time.Duration(0)
	var lines []string
	for _, a := range t.Asks {
		took += time.Duration(a.DurationMS) * time.Millisecond
		line := fmt.Sprintf("%d: %s: %s\n   %s", a.N, a.Verdict, answerOf(a), a.Reason)
		if a.Query != "" {
			line += "\n   " + a.Query
		}
		lines = append(lines, line)
	}
	if !of.untimed {
		c.Time = fmt.Sprintf("%.3f", took.Seconds())
	}
	more := "expected: " + q.Expected + "\n" + strings.Join(lines, "\n")
	switch {
	case mostlyCorrect(t):
	case t.Answered == 0:
		c.Error = junit.Because("no answer", "error", more)
	default:
		c.Failure = junit.Because(shownVerdict(t, true), string(t.Verdict), more)
	}
	return c
}
