package model

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"

	"readiness/client"
	"readiness/http/console/page"
	text "readiness/offline/show"
)

// export sends all findings of the newest assessment as a file.
func export(v *page.Visit) error {
	w, m, err := ids(v)
	if err != nil {
		return err
	}
	ctx := v.Request.Context()
	history, err := v.API.GetHistoryWithResponse(ctx, w, m, &client.GetHistoryParams{MaxResults: new(1)})
	if err != nil {
		return err
	}
	if len(history.JSON200.Value) == 0 {
		return page.NotFound
	}
	got, err := v.API.GetAssessmentWithResponse(ctx, w, m, history.JSON200.Value[0].AssessmentID.String())
	if err != nil {
		return err
	}
	report, err := reportOf(got.JSON200)
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
