package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
)

// assessed is the part of an assessment that the demo checks.
type assessed struct {
	AssessmentID string   `json:"assessmentId"`
	Score        *float64 `json:"score"`
	ForAgent     *float64 `json:"scoreDataAgent"`
	Findings     *int     `json:"findingsCount"`
	Usage        struct {
		Applied bool   `json:"applied"`
		Access  string `json:"access"`
	} `json:"usage"`
	Regime struct {
		ID         string `json:"id"`
		Comparable bool   `json:"comparableWithPrevious"`
	} `json:"regime"`
	Stored struct {
		Location string `json:"location"`
	} `json:"stored"`
	Document struct {
		Report struct {
			Score      *float64 `json:"overall_score"`
			Uncapped   *float64 `json:"raw_uncapped"`
			Dimensions []struct {
				Name   string   `json:"name"`
				Score  *float64 `json:"score"`
				Weight float64  `json:"weight"`
			} `json:"dimensions"`
			Findings []struct {
				Dimension  string  `json:"dimension"`
				Table      string  `json:"table"`
				ObjectName string  `json:"object_name"`
				Severity   string  `json:"severity"`
				Impact     float64 `json:"impact"`
				Message    string  `json:"message"`
			} `json:"findings"`
		} `json:"report"`
	} `json:"document"`
}

// check verifies the sums that every assessment promises.
func (a assessed) check() error {
	report := a.Document.Report
	if a.Score == nil || report.Score == nil || report.Uncapped == nil || a.Findings == nil || *a.Score != *report.Score {
		return fmt.Errorf("score, uncapped score or findings are missing, or the document has another score")
	}
	if *a.Findings != len(report.Findings) {
		return fmt.Errorf("findingsCount is %d and the document holds %d", *a.Findings, len(report.Findings))
	}
	lost, weights, weighted := 0.0, 0.0, 0.0
	for _, f := range report.Findings {
		lost += f.Impact
	}
	if math.Abs(lost-(100-*report.Uncapped)) > 1e-3 {
		return fmt.Errorf("the impacts add up to %v, want the %v points lost", lost, 100-*report.Uncapped)
	}
	for _, dim := range report.Dimensions {
		if dim.Score != nil {
			weights, weighted = weights+dim.Weight, weighted+dim.Weight**dim.Score
		}
	}
	if math.Abs(weighted/weights-*report.Uncapped) > 1 {
		return fmt.Errorf("the dimensions average to %v, the score is %v", weighted/weights, *report.Uncapped)
	}
	return nil
}

// result reads an assessment.
func (d *demo) result(ctx context.Context, address string) (assessed, error) {
	var a assessed
	raw, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, address, nil, nil)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(raw.body, &a); err != nil {
		return a, fmt.Errorf("%s: %w", address, err)
	}
	if err := a.check(); err != nil {
		return a, fmt.Errorf("%s: %w", address, err)
	}
	return a, nil
}

const worst = 8

func (d *demo) assessOne(ctx context.Context) error {
	const workspace, name = "Retail Analytics", "Inventory"
	d.screen.step("Assess one semantic model: " + name)
	m, err := d.model(ctx, workspace, name)
	if err != nil {
		return err
	}
	models := "/v1/workspaces/" + d.workspaces[workspace] + "/semanticModels/" + m.ID + "/aiReadiness"
	key := []string{"Idempotency-Key", "demo-" + m.ID}
	first, err := d.ada.start(ctx, models+"/assess", nil, key...)
	if err != nil {
		return err
	}
	d.screen.say("202 Accepted, operation %s", first.OperationID)
	address, err := d.ada.follow(ctx, first, d.screen.progress("assessing"))
	if err != nil {
		return err
	}
	again, err := d.ada.start(ctx, models+"/assess", nil, key...)
	if err != nil {
		return err
	}
	if again != first {
		return fmt.Errorf("the same Idempotency-Key started %v after %v", again, first)
	}
	a, err := d.result(ctx, address)
	if err != nil {
		return err
	}
	if *a.Score <= 50 || *a.Score >= 85 || a.Regime.Comparable || a.Stored.Location != "Service" {
		return fmt.Errorf("%s: got score %v, comparable %v, stored in %q; want a middling first score kept by the service", address,
			*a.Score, a.Regime.Comparable, a.Stored.Location)
	}
	d.screen.say("Score %s of 100, %s as a data agent reads it, %d findings, rules of %s", scoreText(a.Score), scoreText(a.ForAgent),
		*a.Findings, a.Regime.ID)
	var rows []table.Row
	for _, dim := range a.Document.Report.Dimensions {
		rows = append(rows, table.Row{dim.Name, dim.Weight, scoreText(dim.Score)})
	}
	d.screen.table(table.Row{"Dimension", "Weight", "Score"}, rows, "Weight", "Score")
	rows = nil
	for _, f := range a.Document.Report.Findings[:min(worst, len(a.Document.Report.Findings))] {
		rows = append(rows, table.Row{fmt.Sprintf("%.2f", f.Impact), f.Severity, f.Dimension, f.Message})
	}
	d.screen.say("The findings that cost the most points:")
	d.screen.table(table.Row{"Points", "Severity", "Dimension", "What to do"}, rows, "Points")

	// A second assessment is comparable.
	second, err := d.ada.start(ctx, models+"/assess", nil)
	if err != nil {
		return err
	}
	if _, err := d.ada.follow(ctx, second, d.screen.progress("assessing again")); err != nil {
		return err
	}
	if err := d.listAssessments(ctx, models, *a.Score); err != nil {
		return err
	}
	return d.showEvents(ctx, first.OperationID)
}

func (d *demo) listAssessments(ctx context.Context, models string, score float64) error {
	d.screen.step("Its assessments, newest first")
	var list struct {
		Value []struct {
			ID         string    `json:"assessmentId"`
			At         time.Time `json:"assessedAtUtc"`
			Score      *float64  `json:"score"`
			ForAgent   *float64  `json:"scoreDataAgent"`
			Findings   *int      `json:"findingsCount"`
			Regime     string    `json:"regimeId"`
			Usage      *bool     `json:"usageInScoring"`
			Comparable bool      `json:"comparableWithPrevious"`
			Pinned     bool      `json:"pinned"`
			Complete   *bool     `json:"scoreComplete"`
		} `json:"value"`
	}
	if _, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, models+"/assessments", nil, &list); err != nil {
		return err
	}
	var rows []table.Row
	for _, a := range list.Value {
		rows = append(rows, table.Row{a.At.Format(time.DateTime), scoreText(a.Score), *a.Findings, a.Regime, a.Comparable, a.ID})
		full, err := d.result(ctx, models+"/assessments/"+a.ID)
		if err != nil {
			return err
		}
		if full.AssessmentID != a.ID || *full.Score != *a.Score || *a.Score != score {
			return fmt.Errorf("assessment %s differs from its listing, or its score is %v after %v", a.ID, *full.Score, score)
		}
	}
	d.screen.table(table.Row{"Assessed (UTC)", "Score", "Findings", "Rules", "Comparable", "Id"}, rows, "Score", "Findings")
	for _, a := range list.Value {
		if a.Complete == nil || !*a.Complete {
			return fmt.Errorf("assessment %s does not say that its score is complete", a.ID)
		}
	}
	if len(rows) != 2 || !list.Value[0].Comparable || list.Value[1].Comparable || list.Value[0].At.Before(list.Value[1].At) {
		return fmt.Errorf("want two assessments, the newer one first and comparable")
	}
	return nil
}

// bulkAssessed is the result of an assessment of many models.
type bulkAssessed struct {
	WorkspaceID   string `json:"workspaceId"`
	WorkspaceName string `json:"workspaceName"`
	Succeeded     int    `json:"succeeded"`
	Failed        int    `json:"failed"`
	// Across is what differs or repeats across the models, and how many were compared.
	Across struct {
		Compared      int             `json:"compared"`
		Measures      json.RawMessage `json:"measures"`
		Tables        json.RawMessage `json:"tables"`
		NearIdentical json.RawMessage `json:"nearIdentical"`
	} `json:"acrossModels"`
	Value []struct {
		ModelID      string   `json:"semanticModelId"`
		ModelName    string   `json:"semanticModelName"`
		Outcome      string   `json:"outcome"`
		AssessmentID *string  `json:"assessmentId"`
		Score        *float64 `json:"score"`
		ForAgent     *float64 `json:"scoreDataAgent"`
		Complete     *bool    `json:"scoreComplete"`
		Findings     *int     `json:"findingsCount"`
		FirstLook    *bool    `json:"firstLook"`
		TrackedItem  *bool    `json:"trackedItem"`
		Error        *struct {
			ErrorCode string `json:"errorCode"`
			Message   string `json:"message"`
		} `json:"error"`
	} `json:"value"`
}

func (d *demo) assessMany(ctx context.Context) error {
	const workspace = "Corporate Functions"
	d.screen.step("Assess all models of workspace  " + workspace)
	models, err := d.models(ctx, workspace)
	if err != nil {
		return err
	}
	ids := make([]string, len(models))
	for i, m := range models {
		ids[i] = m.ID
	}
	s, err := d.ada.start(ctx, "/v1/workspaces/"+d.workspaces[workspace]+"/aiReadiness/assess", map[string]any{"semanticModelIds": ids})
	if err != nil {
		return err
	}
	address, err := d.ada.follow(ctx, s, d.screen.progress("assessing"))
	if err != nil {
		return err
	}
	var bulk bulkAssessed
	if _, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, address, nil, &bulk); err != nil {
		return err
	}
	var rows []table.Row
	scores := map[string]float64{}
	for _, r := range bulk.Value {
		if r.Outcome == "Assessed" {
			scores[r.ModelName] = *r.Score
			rows = append(rows, table.Row{r.ModelName, r.Outcome, scoreText(r.Score), scoreText(r.ForAgent), *r.Findings, ""})
		} else {
			rows = append(rows, table.Row{r.ModelName, r.Outcome, "", "", "", r.Error.ErrorCode + ": " + r.Error.Message})
		}
	}
	d.screen.table(table.Row{"Semantic model", "Outcome", "Score", "For an agent", "Findings", "What to do"}, rows, "Score", "For an agent",
		"Findings")
	if bulk.Across.Compared != bulk.Succeeded {
		return fmt.Errorf("%d models were compared with each other, of %d assessed", bulk.Across.Compared, bulk.Succeeded)
	}
	if len(bulk.Value) != len(models) || bulk.Succeeded != 4 || bulk.Failed != 1 || len(scores) != 4 {
		return fmt.Errorf("got %d rows, %d succeeded, %d failed; want a row for each of the %d models, and one that cannot be read",
			len(bulk.Value), bulk.Succeeded, bulk.Failed, len(models))
	}
	if scores["Financial Statements"] < 80 || scores["crm_export"] >= 50 {
		return fmt.Errorf("the prepared model must score high and the messy one low, got %v", scores)
	}
	return nil
}

// scoreText formats a score for people; "-" if there is none.
func scoreText(score *float64) string {
	if score == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f", *score)
}
