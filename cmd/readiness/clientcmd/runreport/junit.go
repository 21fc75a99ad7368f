package runreport

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"readiness/domain/verdict"
	"readiness/offline/show"
)

type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Suite    junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr,omitempty"` // seconds
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

// WriteJUnit writes the run as test results: a case for each question, which fails unless
// most of its answers are correct, and one for each part of the gate that is set. A
// question without an answer is an error.
func (r *Report) WriteJUnit(w io.Writer, g Gate) error {
	now := r.Now()
	s := junitSuite{Name: show.XMLText(r.Title), Properties: []junitProperty{
		{"answeredBy", show.XMLText(now.Answered)}, {"questionSetHash", show.XMLText(r.SetHash)},
	}}
	if g.FailUnder != nil {
		s.add(junitCase{Name: "score", Failure: message(r.scoreMiss(g), "score", "")})
	}
	if g.FailOnRegression {
		c := junitCase{Name: "regressions"}
		var lines []string
		for _, q := range r.Regressed() {
			lines = append(lines, q.Text)
		}
		if len(lines) > 0 {
			c.Failure = message(show.Count(len(lines), "question")+" regressed", "regression", strings.Join(lines, "\n"))
		}
		if r.before < 0 {
			c.Skipped = message("no earlier run to compare with", "", "")
		}
		s.add(c)
	}
	for _, q := range r.Questions {
		t, asked := now.Tally(q.ID)
		s.add(caseOf(q, t, asked))
	}
	all := junitSuites{Name: "AI answers", Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Suite: s}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase) {
	c.Class = s.Name
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// message returns nil for an empty text.
func message(text, kind, more string) *junitMessage {
	if text == "" {
		return nil
	}
	m := &junitMessage{Message: show.XMLText(text), Type: kind}
	if more != "" {
		m.Text = "\n" + show.XMLText(more) + "\n"
	}
	return m
}

func caseOf(q Question, t verdict.Tally, asked bool) junitCase {
	c := junitCase{Name: show.XMLText(q.Text)}
	if !asked || len(t.Asks) == 0 {
		c.Skipped = message("not asked", "", "")
		return c
	}
	took := time.Duration(0)
	var lines []string
	for _, a := range t.Asks {
		took += time.Duration(a.DurationMS) * time.Millisecond
		lines = append(lines, fmt.Sprintf("%d: %s: %s\n   %s", a.N, a.Verdict, answerOf(a), a.Reason))
	}
	c.Time = fmt.Sprintf("%.3f", took.Seconds())
	more := "expected: " + q.Expected + "\n" + strings.Join(lines, "\n")
	switch {
	case mostlyCorrect(t):
	case t.Answered == 0:
		c.Error = message("no answer", "error", more)
	default:
		c.Failure = message(shownVerdict(t, true), string(t.Verdict), more)
	}
	return c
}
