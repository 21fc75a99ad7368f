package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
)

// demo runs the parts of the demo, with the state that they share.
type demo struct {
	screen  *screen
	program *program
	base    string
	answers int

	ada, linus client
	workspaces map[string]string // id by name
}

// story runs the parts in order and stops at the first wrong answer.
func (d *demo) story(ctx context.Context) error {
	for _, part := range []func(context.Context) error{
		d.signIn, d.lists, d.assessOne, d.refusals, d.assessMany, d.optimize, d.bundle, d.pixies, d.providers, d.abTest,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) signIn(ctx context.Context) error {
	d.screen.step("Tokens: ada is an administrator of account contoso, linus a member")
	for person, c := range map[string]*client{"ada": &d.ada, "linus": &d.linus} {
		token, err := d.program.command(ctx, "token", "--account", "contoso", "--person", person)
		if err != nil {
			return err
		}
		token = strings.TrimSuffix(token, "\n")
		if strings.Count(token, ".") != 2 || strings.ContainsAny(token, " \n") {
			return fmt.Errorf("readiness token printed %d bytes that are not just a token", len(token))
		}
		*c = client{d.base, token, &d.answers}
	}
	d.screen.say("$ TOKEN=$(readiness token --account contoso --person ada)")
	return nil
}

type workspace struct {
	ID   string `json:"workspaceId"`
	Name string `json:"workspaceName"`
}

type model struct {
	ID          string  `json:"semanticModelId"`
	Name        string  `json:"semanticModelName"`
	WorkspaceID string  `json:"workspaceId"`
	Description *string `json:"description"`
	Maintained  bool    `json:"maintainedByService"`
}

func (d *demo) lists(ctx context.Context) error {
	d.screen.step("GET /v1/workspaces, and the semantic models of each")
	var list struct {
		Value []workspace `json:"value"`
	}
	if _, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, "/v1/workspaces", nil, &list); err != nil {
		return err
	}
	d.workspaces = map[string]string{}
	var rows []table.Row
	for _, w := range list.Value {
		d.workspaces[w.Name] = w.ID
		models, err := d.models(ctx, w.Name)
		if err != nil {
			return err
		}
		for _, m := range models {
			rows = append(rows, table.Row{w.Name, m.Name, m.ID})
		}
	}
	d.screen.table(table.Row{"Workspace", "Semantic model", "Id"}, rows)
	if len(d.workspaces) != 3 || len(rows) != 10 {
		return fmt.Errorf("got %d workspaces and %d models, want the 3 and 10 of the samples", len(d.workspaces), len(rows))
	}
	return nil
}

// models lists the models of a workspace, two at a time to test paging.
func (d *demo) models(ctx context.Context, workspace string) ([]model, error) {
	var all []model
	next := "/v1/workspaces/" + d.workspaces[workspace] + "/semanticModels?maxResults=2"
	for next != "" {
		var page struct {
			Value []model `json:"value"`
			Token *string `json:"continuationToken"`
			URI   *string `json:"continuationUri"`
		}
		if _, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, next, nil, &page); err != nil {
			return nil, err
		}
		if (page.Token == nil) != (page.URI == nil) || len(page.Value) > 2 {
			return nil, fmt.Errorf("%s: a page holds at most 2 and both paging members or none", next)
		}
		all, next = append(all, page.Value...), ""
		if page.URI != nil {
			next = *page.URI
		}
	}
	if !slices.IsSortedFunc(all, func(a, b model) int { return strings.Compare(a.Name, b.Name) }) {
		return nil, fmt.Errorf("the models of %s are not listed by name", workspace)
	}
	return all, nil
}

func (d *demo) model(ctx context.Context, workspace, name string) (model, error) {
	models, err := d.models(ctx, workspace)
	if err != nil {
		return model{}, err
	}
	i := slices.IndexFunc(models, func(m model) bool { return m.Name == name })
	if i < 0 {
		return model{}, fmt.Errorf("workspace %s lists no model %s", workspace, name)
	}
	return models[i], nil
}

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
		return fmt.Errorf("%s: got score %v, comparable %v, stored in %q; want a middling first score kept by the service", address, *a.Score, a.Regime.Comparable, a.Stored.Location)
	}
	d.screen.say("Score %s of 100, %s as a data agent reads it, %d findings, rules of %s", shown(a.Score), shown(a.ForAgent), *a.Findings, a.Regime.ID)
	var rows []table.Row
	for _, dim := range a.Document.Report.Dimensions {
		rows = append(rows, table.Row{dim.Name, dim.Weight, shown(dim.Score)})
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
		} `json:"value"`
	}
	if _, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, models+"/assessments", nil, &list); err != nil {
		return err
	}
	var rows []table.Row
	for _, a := range list.Value {
		rows = append(rows, table.Row{a.At.Format(time.DateTime), shown(a.Score), *a.Findings, a.Regime, a.Comparable, a.ID})
		full, err := d.result(ctx, models+"/assessments/"+a.ID)
		if err != nil {
			return err
		}
		if full.AssessmentID != a.ID || *full.Score != *a.Score || *a.Score != score {
			return fmt.Errorf("assessment %s differs from its listing, or its score is %v after %v", a.ID, *full.Score, score)
		}
	}
	d.screen.table(table.Row{"Assessed (UTC)", "Score", "Findings", "Rules", "Comparable", "Id"}, rows, "Score", "Findings")
	if len(rows) != 2 || !list.Value[0].Comparable || list.Value[1].Comparable || list.Value[0].At.Before(list.Value[1].At) {
		return fmt.Errorf("want two assessments, the newer one first and comparable")
	}
	return nil
}

func (d *demo) showEvents(ctx context.Context, operationID string) error {
	d.screen.step("The events behind the first operation")
	d.screen.say("$ readiness events list --stream operation-%s", operationID)
	out, err := d.program.command(ctx, "events", "list", "--stream", "operation-"+operationID)
	if err != nil {
		return err
	}
	var rows []table.Row
	var types []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[0] == "POSITION" {
			continue
		}
		rows = append(rows, table.Row{fields[0], fields[1], fields[3], fields[4]})
		types = append(types, fields[4])
	}
	d.screen.table(table.Row{"Position", "Recorded", "Version", "Event"}, rows, "Position", "Version")
	want := []string{"operation.accepted", "assessment.run-accepted", "operation.started", "assessment.model-ended", "operation.succeeded"}
	if !slices.Equal(types, want) {
		return fmt.Errorf("got the events %v, want %v", types, want)
	}
	out, err = d.program.command(ctx, "events", "verify")
	if err != nil {
		return err
	}
	d.screen.say("$ readiness events verify\n%s", strings.TrimSpace(out))
	return nil
}

func (d *demo) refusals(ctx context.Context) error {
	d.screen.step("What is refused changes nothing and spends nothing")
	paused, err := d.model(ctx, "Seasonal Campaigns", "Holiday Campaign")
	if err != nil {
		return err
	}
	corporate := "/v1/workspaces/" + d.workspaces["Corporate Functions"]
	var rows []table.Row
	for _, r := range []struct {
		as           client
		status       int
		code, method string
		path         string
		body         any
		why          string
	}{
		{d.ada, 409, "CapacityPaused", "POST", "/v1/workspaces/" + d.workspaces["Seasonal Campaigns"] + "/semanticModels/" + paused.ID + "/aiReadiness/assess", nil, "the workspace's capacity is paused"},
		{d.linus, 404, "WorkspaceNotFound", "GET", corporate + "/semanticModels", nil, "linus cannot see the workspace"},
		{d.ada, 400, "InvalidRequest", "POST", corporate + "/aiReadiness/assess", map[string]any{"semanticModelId": []string{paused.ID}}, "a member is misspelt"},
		{d.ada, 404, "ItemNotFound", "POST", corporate + "/aiReadiness/assess", map[string]any{"semanticModelIds": []string{paused.ID}}, "the model is in another workspace"},
		{client{d.base, d.ada.token + "x", &d.answers}, 401, "Unauthorized", "GET", "/v1/workspaces", nil, "the token is not as it was signed"},
	} {
		e, err := r.as.refused(ctx, r.status, r.code, r.method, r.path, r.body)
		if err != nil {
			return err
		}
		rows = append(rows, table.Row{r.status, e.ErrorCode, r.why, e.Message})
	}
	d.screen.table(table.Row{"Status", "Code", "Why", "What to do"}, rows)
	return nil
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
	var bulk struct {
		WorkspaceID   string `json:"workspaceId"`
		WorkspaceName string `json:"workspaceName"`
		Succeeded     int    `json:"succeeded"`
		Failed        int    `json:"failed"`
		Value         []struct {
			ModelID      string   `json:"semanticModelId"`
			ModelName    string   `json:"semanticModelName"`
			Outcome      string   `json:"outcome"`
			AssessmentID *string  `json:"assessmentId"`
			Score        *float64 `json:"score"`
			ForAgent     *float64 `json:"scoreDataAgent"`
			Findings     *int     `json:"findingsCount"`
			FirstLook    *bool    `json:"firstLook"`
			TrackedItem  *bool    `json:"trackedItem"`
			Error        *struct {
				ErrorCode string `json:"errorCode"`
				Message   string `json:"message"`
			} `json:"error"`
		} `json:"value"`
	}
	if _, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, address, nil, &bulk); err != nil {
		return err
	}
	var rows []table.Row
	scores := map[string]float64{}
	for _, r := range bulk.Value {
		if r.Outcome == "Assessed" {
			scores[r.ModelName] = *r.Score
			rows = append(rows, table.Row{r.ModelName, r.Outcome, shown(r.Score), shown(r.ForAgent), *r.Findings, ""})
		} else {
			rows = append(rows, table.Row{r.ModelName, r.Outcome, "", "", "", r.Error.ErrorCode + ": " + r.Error.Message})
		}
	}
	d.screen.table(table.Row{"Semantic model", "Outcome", "Score", "For an agent", "Findings", "What to do"}, rows, "Score", "For an agent", "Findings")
	if len(bulk.Value) != len(models) || bulk.Succeeded != 4 || bulk.Failed != 1 || len(scores) != 4 {
		return fmt.Errorf("got %d rows, %d succeeded, %d failed; want a row for each of the %d models, and one that cannot be read", len(bulk.Value), bulk.Succeeded, bulk.Failed, len(models))
	}
	if scores["Financial Statements"] < 80 || scores["crm_export"] >= 50 {
		return fmt.Errorf("the prepared model must score high and the messy one low, got %v", scores)
	}
	return nil
}

// shown formats a score for people; "-" if there is none.
func shown(score *float64) string {
	if score == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f", *score)
}
