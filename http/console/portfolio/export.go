package portfolio

import (
	"bytes"
	"encoding/csv"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/page"
	"readiness/internal/optional"
	text "readiness/offline/show"
)

const (
	// maxExported bounds the models of a file.
	maxExported = 10000
	// exported is how many models one call of the interface returns.
	exported = 500
)

// export sends the entire list as a file.
func export(v *page.Visit) error {
	q := queryOf(v.Request.URL.Query())
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	lines := [][]string{{"workspace", "model", "score", "change30Days", "findings", "high", "medium", "low", "views28Days", "assessedAtUtc",
		"workspaceId", "semanticModelId", "rules", "outdated", "measured", "measuredLow", "measuredHigh", "measuredQuestions", "measuredOutdated",
		"owner", "failure"}}
	failed := map[uuid.UUID]client.FailedAssessment{}
	for n := 0; n < maxExported; {
		got, err := v.API.GetPortfolioWithResponse(v.Request.Context(), q.params(time.Now(), exported))
		if err != nil {
			return err
		}
		for _, f := range got.JSON200.Failures { // of the first page
			failed[f.SemanticModelID] = f
		}
		for _, m := range got.JSON200.Value {
			if q.Failed {
				break
			}
			lines = append(lines, append(line(m), text.InCell(failed[m.SemanticModelID].Error.Message)))
			delete(failed, m.SemanticModelID)
		}
		if n += len(got.JSON200.Value); got.JSON200.ContinuationToken == nil {
			break
		}
		q.Token = *got.JSON200.ContinuationToken
	}
	for _, f := range slices.SortedFunc(maps.Values(failed), func(a, b client.FailedAssessment) int { return b.FailedAtUtc.Compare(a.FailedAtUtc) }) {
		row := make([]string, len(lines[0]))
		row[0], row[1], row[len(row)-1] = text.InCell(f.WorkspaceName), text.InCell(f.SemanticModelName), text.InCell(f.Error.Message)
		row[10], row[11] = f.WorkspaceID.String(), f.SemanticModelID.String()
		lines = append(lines, row)
	}
	if err := w.WriteAll(lines); err != nil {
		return err
	}
	return v.File("portfolio.csv", "text/csv; charset=utf-8", b.Bytes())
}

// line returns the row of a model.
func line(m client.PortfolioModel) []string {
	out := []string{text.InCell(m.WorkspaceName), text.InCell(m.SemanticModelName), "", "", strconv.Itoa(m.FindingsCount), "", "", "",
		strconv.FormatInt(m.Views, 10), m.AssessedAtUtc.UTC().Format(time.RFC3339), m.WorkspaceID.String(), m.SemanticModelID.String(),
		m.RegimeID, strconv.FormatBool(m.Outdated)}
	if e := m.Evidence; e != nil {
		out = append(out, strconv.Itoa(e.Score), strconv.Itoa(e.Low), strconv.Itoa(e.High), strconv.Itoa(e.Questions), strconv.FormatBool(e.Outdated))
	} else {
		out = append(out, "", "", "", "", "")
	}
	out = append(out, text.InCell(optional.Text(optional.Value(m.Owner).Person)))
	if m.Score != nil {
		out[2] = strconv.Itoa(*m.Score)
	}
	if m.Earlier != nil {
		out[3] = strconv.Itoa(m.Earlier.Change)
	}
	if s := m.FindingsBySeverity; s != nil {
		out[5], out[6], out[7] = strconv.Itoa(s.High), strconv.Itoa(s.Medium), strconv.Itoa(s.Low)
	}
	return out
}
