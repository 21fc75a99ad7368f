package model

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"readiness/client"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/http/console/page"
	"readiness/internal/indentedjson"
	"readiness/internal/optional"
	text "readiness/offline/show"
	"readiness/offline/show/sarif"
)

// newestOf returns the name of the model and the result of its newest assessment.
func newestOf(v *page.Visit) (name string, report readiness.Result, err error) {
	w, m, err := ids(v)
	if err != nil {
		return "", report, err
	}
	ctx := v.Request.Context()
	history, err := v.API.GetHistoryWithResponse(ctx, w, m, &client.GetHistoryParams{MaxResults: new(1)})
	if err != nil {
		return "", report, err
	}
	if len(history.JSON200.Value) == 0 {
		return "", report, page.NotFound
	}
	got, err := v.API.GetAssessmentWithResponse(ctx, w, m, history.JSON200.Value[0].AssessmentID.String())
	if err != nil {
		return "", report, err
	}
	report, err = reportOf(got.JSON200)
	return optional.Text(got.JSON200.SemanticModelName), report, err
}

// exportMarkdown sends all findings of the newest assessment, by rule, for a ticket or a mail.
func exportMarkdown(v *page.Visit) error {
	name, report, err := newestOf(v)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nScore %s, %d findings.\n", text.MarkdownText(name), text.Number(report.Score), len(report.Findings))
	byRule := map[string][]readiness.Finding{}
	for _, f := range report.Findings {
		rule := explained.Leading(f.RuleIDs)
		byRule[rule] = append(byRule[rule], f)
	}
	for _, t := range explained.Tasks(report, report.Findings) {
		fmt.Fprintf(&b, "\n## %s\n\n%s · %s · %s points · %s\n\n", text.MarkdownText(cmp.Or(t.Fault(), t.Rule)), t.Rule, t.Severity,
			written(t.Points), t.Effort())
		for _, f := range byRule[t.Rule] {
			fmt.Fprintf(&b, "- [ ] %s\n", text.MarkdownText(f.Message))
		}
	}
	return v.File("findings.md", "text/markdown; charset=utf-8", []byte(b.String()))
}

// exportSARIF sends all findings of the newest assessment as a SARIF log, which tools for code review read.
func exportSARIF(v *page.Visit) error {
	name, report, err := newestOf(v)
	if err != nil {
		return err
	}
	run, indexes := sarif.Run{Invocations: []sarif.Invocation{{ExecutionSuccessful: true}}, Results: []sarif.Result{}}, map[string]int{}
	run.Tool.Driver.Rules = []sarif.Rule{}
	for _, f := range report.Findings {
		id := explained.Leading(f.RuleIDs)
		if _, known := indexes[id]; !known {
			rule, _ := readiness.Current().Rule(id)
			if rule.Own = report.OwnRule(id); rule.ID == "" { // a rule of another regime, or of the account
				rule.ID, rule.Dimension, rule.Severity, rule.FixKinds = id, f.Dimension, f.Severity, f.FixKinds
			}
			indexes[id] = len(indexes)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarif.RuleOf(rule))
		}
		run.Results = append(run.Results, sarif.ResultOf(&report, name, f, indexes[id]))
	}
	var b bytes.Buffer
	if err := indentedjson.Write(&b, sarif.NewLog(run, v.Site.Version, report.Regime)); err != nil {
		return err
	}
	return v.File("findings.sarif", "application/sarif+json", b.Bytes())
}

// exportCSV sends all findings of the newest assessment as a table.
func exportCSV(v *page.Visit) error {
	_, report, err := newestOf(v)
	if err != nil {
		return err
	}
	lines := [][]string{{"rules", "severity", "dimension", "table", "object", "message", "evidence", "points", "fix"}}
	for _, f := range report.Findings {
		lines = append(lines, []string{strings.Join(f.RuleIDs, " "), string(f.Severity), f.Dimension, text.InCell(f.Table), text.InCell(f.ObjectName),
			text.InCell(f.Message), text.InCell(f.Evidence), strconv.FormatFloat(f.Impact, 'f', 2, 64), string(f.FixKind)})
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		return err
	}
	return v.File("findings.csv", "text/csv; charset=utf-8", b.Bytes())
}
