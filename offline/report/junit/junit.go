// Package junit writes JUnit reports, which build servers read: one of an assessment, and what those of other results need.
package junit

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"readiness/domain/readiness/explained"
	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

// Write writes an assessment as test results: a suite for each item, a case for each rule that applies to it, and one for the score if there
// is a lowest score. A rule fails if it has reported findings, and is skipped if all its findings are ignored.
func Write(w io.Writer, a *offline.Assessment, g offline.Gate) error {
	var suites []Suite
	for _, i := range a.All() {
		suites = append(suites, suiteOf(i, g))
	}
	return WriteSuites(w, "AI readiness", suites...)
}

func suiteOf(i offline.Assessed, g offline.Gate) Suite {
	s := Suite{Name: show.Printable(i.Path)}
	if i.Error != nil {
		s.Add(Case{Name: "read", File: show.Printable(i.At.File), Line: i.At.Line, Error: Because(show.Printable(i.Error.Error()), "", "")})
		return s
	}
	if g.FailUnder != nil {
		s.Add(Case{Name: "score", Failure: Because(g.Score(i), "score", "")})
	}
	for _, d := range i.Result.Dimensions {
		for _, r := range d.Rules {
			if r.Score != nil || r.Ignored > 0 {
				s.Add(caseOf(i, r.ID))
			}
		}
	}
	for _, o := range i.Result.Own {
		switch {
		case o.LeftOut != "":
			s.Add(Case{Name: show.Printable(o.ID + " " + o.Title), File: o.File, Line: o.Line, Error: Because(show.Printable("left out: "+o.LeftOut), "", "")})
		case o.Dimension == "" && o.Eligible+o.Ignored > 0:
			s.Add(caseOf(i, o.ID))
		}
	}
	return s
}

// caseOf returns the test case of an item and a rule.
func caseOf(i offline.Assessed, rule string) Case {
	c := Case{Name: rule + " " + rulehelp.Requirement(rule)}
	if own := i.Result.OwnRule(rule); own != nil {
		c.Name = show.Printable(rule + " " + own.Title)
	}
	var lines []string
	worst := offline.Finding{}
	for _, f := range i.Findings {
		if !slices.Contains(f.RuleIDs, rule) {
			continue
		}
		if len(lines) == 0 {
			c.File, c.Line = show.Printable(f.File), f.Line
		}
		if worst.Severity == "" || offline.AtLeast(f.Severity, worst.Severity) {
			worst = f
		}
		lines = append(lines, show.Printable(fmt.Sprintf("%s:%d: %s: %s%s", f.File, f.Line, f.Severity, f.Message, report.Found(f))))
	}
	if len(lines) > 0 {
		c.Failure = Because(cmp.Or(faultOf(i, rule, len(lines)), show.Count(len(lines), "finding")), string(worst.Severity), strings.Join(lines, "\n"))
		return c
	}
	var why []string
	for _, f := range i.Ignored {
		if slices.Contains(f.RuleIDs, rule) && !slices.Contains(why, f.Reason) {
			why = append(why, show.Printable(f.Reason))
		}
	}
	if len(why) > 0 {
		c.Skipped = Because("ignored: "+strings.Join(why, "; "), "", "")
	}
	return c
}

// faultOf returns what is wrong where n objects fail a rule.
func faultOf(i offline.Assessed, rule string, n int) string {
	t := explained.NewTask(rule, i.Result)
	t.Count = n
	return t.Fault()
}
