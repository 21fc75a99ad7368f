// Package junit writes an assessment as a JUnit report, which build servers read.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

// The elements of a JUnit report: a suite for each item, a case for each rule that applies to it, and one for the score
// if there is a lowest score.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

// Write writes an assessment as test results. A rule fails if it has reported findings, and is skipped if all its
// findings are ignored.
func Write(w io.Writer, a *offline.Assessment, g offline.Gate) error {
	all := junitSuites{Name: "AI readiness"}
	for _, i := range a.Items {
		s := suiteOf(i, g)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
		all.Suites = append(all.Suites, s)
	}
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

func suiteOf(i offline.Assessed, g offline.Gate) junitSuite {
	s := junitSuite{Name: show.XMLText(i.Path)}
	add := func(c junitCase) {
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
	if i.Error != nil {
		add(junitCase{Name: "read", File: show.XMLText(i.At.File), Line: i.At.Line,
			Error: &junitMessage{Message: show.XMLText(i.Error.Error())}})
		return s
	}
	if g.FailUnder != nil {
		c := junitCase{Name: "score"}
		if miss := g.Score(i); miss != "" {
			c.Failure = &junitMessage{Message: miss, Type: "score"}
		}
		add(c)
	}
	for _, d := range i.Result.Dimensions {
		for _, r := range d.Rules {
			if r.Score != nil || r.Ignored > 0 {
				add(caseOf(i, r.ID))
			}
		}
	}
	return s
}

// caseOf returns the test case of an item and a rule.
func caseOf(i offline.Assessed, rule string) junitCase {
	c := junitCase{Name: rule + " " + rulehelp.Requirement(rule)}
	var lines []string
	worst := offline.Finding{}
	for _, f := range i.Findings {
		if !slices.Contains(f.RuleIDs, rule) {
			continue
		}
		if len(lines) == 0 {
			c.File, c.Line = show.XMLText(f.File), f.Line
		}
		if worst.Severity == "" || offline.AtLeast(f.Severity, worst.Severity) {
			worst = f
		}
		lines = append(lines, fmt.Sprintf("%s:%d: %s: %s%s", f.File, f.Line, f.Severity, f.Message, report.Found(f)))
	}
	if len(lines) > 0 {
		c.Failure = &junitMessage{Message: show.Count(len(lines), "finding"), Type: string(worst.Severity),
			Text: show.XMLText("\n" + strings.Join(lines, "\n") + "\n")}
		return c
	}
	var why []string
	for _, f := range i.Ignored {
		if slices.Contains(f.RuleIDs, rule) && !slices.Contains(why, f.Reason) {
			why = append(why, f.Reason)
		}
	}
	if len(why) > 0 {
		c.Skipped = &junitMessage{Message: show.XMLText("ignored: " + strings.Join(why, "; "))}
	}
	return c
}
