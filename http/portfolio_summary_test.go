package http_test

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
)

const summaryPath = portfolioPath + "/summary"

// counted is what a summary says of the models, recounted from the pages of the list.
func (w *world) counted(tok, query string) map[string]any {
	w.t.Helper()
	out := map[string]any{"models": 0.0, "scored": 0.0, "higher": 0.0, "lower": 0.0, "same": 0.0}
	bands, findings := make([]any, 10), map[string]any{"high": 0.0, "medium": 0.0, "low": 0.0}
	for i := range bands {
		bands[i] = 0.0
	}
	sum := 0.0
	for address := w.base + portfolioPath + query; address != ""; {
		page := w.get(address, tok).ok(200)
		for _, m := range page.value() {
			out["models"] = out["models"].(float64) + 1
			if of, ok := m["findingsBySeverity"].(map[string]any); ok {
				for severity, n := range of {
					findings[severity] = findings[severity].(float64) + n.(float64)
				}
			}
			if score, ok := m["score"].(float64); ok {
				out["scored"] = out["scored"].(float64) + 1
				band := min(int(score)/10, 9)
				bands[band] = bands[band].(float64) + 1
				sum += score
			}
			if earlier, ok := m["earlier"].(map[string]any); ok {
				change := earlier["change"].(float64)
				name := map[bool]string{true: "higher", false: "lower"}[change > 0]
				if change == 0 {
					name = "same"
				}
				out[name] = out[name].(float64) + 1
			}
		}
		address, _ = page.body["continuationUri"].(string)
	}
	out["scores"], out["findings"] = bands, findings
	if scored := out["scored"].(float64); scored > 0 {
		out["mean"] = math.Round(sum/scored*100) / 100
	}
	return out
}

// summarized is what the summary says of the same.
func (w *world) summarized(tok, query string) map[string]any {
	w.t.Helper()
	body := w.get(summaryPath+query, tok).ok(200).body
	out := map[string]any{"models": body["models"], "scored": body["scored"], "scores": body["scores"], "findings": body["findingsBySeverity"]}
	for name, n := range body["changes"].(map[string]any) {
		out[name] = n
	}
	if mean, ok := body["mean"]; ok {
		out["mean"] = mean
	}
	return out
}

// The summary counts the models that the list has, with each of the filters, of the caller's account only.
//
// proves: decisions/17/summary
func TestPortfolioSummary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	got := w.get(summaryPath, ada).ok(200)
	if got.body["models"] != 0.0 || got.body["mean"] != nil || !strings.Contains(string(got.text), `"workspaces":[]`) || !strings.Contains(string(got.text), `"dimensions":[]`) {
		t.Errorf("without a model: got %s", got.text)
	}
	w.scored("ada", modelA, 45, 70, "2026-12")
	w.scored("ada", modelA, 2, 60, "2026-12")
	w.scored("ada", modelB, 31, 30, "2026-12")
	w.scored("ada", modelB, 1, 100, "2026-12")
	w.scored("ada", modelC, 40, 9, "2026-11")
	w.scored("oscar", modelA, 1, 5, "2026-12") // of another account
	since := url.QueryEscape(w.Now().Add(-36 * time.Hour).Format(time.RFC3339))
	for query, models := range map[string]float64{
		"": 3, "?scoreBelow=60": 1, "?scoreBelow=61": 2, "?q=SALES": 3, "?q=nothing": 0, "?q=%25": 0, "?workspaceId=" + sales.String(): 3,
		"?workspaceId=" + finance.String(): 0, "?workspaceId=" + nowhere.String(): 0, "?notAssessedSince=" + since: 2, "?q=sales&scoreBelow=61": 2,
	} {
		got := w.summarized(ada, query)
		if diff := cmp.Diff(w.counted(ada, query), got); diff != "" || got["models"] != models {
			t.Errorf("%q: got %v, want %v models (-list +summary):\n%s", query, got["models"], models, diff)
		}
	}
	got = w.get(summaryPath, ada).ok(200)
	bands := []any{1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0}
	if diff := cmp.Diff(map[string]any{
		"models": 3.0, "scored": 3.0, "notAssessedFor30Days": 1.0, "outdated": 3.0, "mean": 56.33, "scores": bands, "findingsBySeverity": map[string]any{"high": 3.0, "medium": 6.0, "low": 12.0},
		"dimensions":      []any{map[string]any{"dimension": "naming", "mean": 56.33, "models": 3.0}}, // time has no score
		"changes":         map[string]any{"higher": 1.0, "lower": 1.0, "same": 1.0},                   // that of 40 days ago is compared with itself
		"workspacesCount": 1.0,
		"workspaces":      []any{map[string]any{"workspaceId": sales.String(), "workspaceName": "Sales", "models": 3.0, "scored": 3.0, "mean": 56.33, "scores": bands}},
	}, got.body); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := w.get(summaryPath, w.as("oscar")).ok(200).body; got["models"] != 1.0 || got["mean"] != 5.0 {
		t.Errorf("another account: got %v", got)
	}
	// One whose results are deleted does not count, and one from before severities were recorded has none.
	w.assessedAs("acme", w.assess("ada", modelB), modelB, assessment.Assessment{RegimeID: "2026-12", Score: new(52)})
	w.delete(modelPath(modelC)+"/assessments", ada).ok(200)
	got = w.get(summaryPath, w.as("ada")).ok(200)
	if got.body["models"] != 2.0 || got.body["mean"] != 56.0 || got.body["notAssessedFor30Days"] != 0.0 || !cmp.Equal(got.body["findingsBySeverity"], map[string]any{"high": 1.0, "medium": 2.0, "low": 4.0}) {
		t.Errorf("after the deletion: got %s", got.text)
	}
}

// The summary asks the platform once for the workspaces, and counts none that the caller does not see.
//
// proves: decisions/17/summary-visible
func TestPortfolioSummaryCountsWhatTheCallerSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.scored("ada", modelA, 0, 60, "2026-12")
	asked := func() int {
		w.cloud.mu.Lock()
		defer w.cloud.mu.Unlock()
		return w.cloud.calls
	}
	before := asked()
	for range 3 {
		if got := w.get(summaryPath, w.as("bob")).ok(200).body; got["models"] != 1.0 {
			t.Errorf("got %v", got)
		}
	}
	if n := asked() - before; n != 1 {
		t.Errorf("the platform was asked %d times, want once", n)
	}
	w.cloud.mu.Lock()
	w.cloud.seenBy[sales] = "ada"
	w.cloud.mu.Unlock()
	w.ahead(5 * time.Minute)
	got := w.get(summaryPath, w.as("bob")).ok(200)
	if got.body["models"] != 0.0 || got.body["workspacesCount"] != 0.0 || strings.Contains(string(got.text), sales.String()) || strings.Contains(string(got.text), "Sales") {
		t.Errorf("a workspace that bob cannot see: got %s", got.text)
	}
	w.ahead(20 * time.Minute)
	w.cloud.mu.Lock()
	w.cloud.fails = func(item.Caller) error {
		return domain.Refuse(domain.PlatformUnavailable, "the platform did not answer")
	}
	w.cloud.mu.Unlock()
	w.get(summaryPath, w.as("ada")).refused(502, domain.PlatformUnavailable)
	for _, query := range []string{"scoreBelow=0", "scoreBelow=101", "scoreBelow=x", "notAssessedSince=yesterday", "workspaceId=x", "q=" + strings.Repeat("x", 201)} {
		w.get(summaryPath+"?"+query, w.as("ada")).refused(400, domain.InvalidRequest)
	}
}

// The summary counts all models of an account, however many, and the changes of at most 10,000.
//
// proves: decisions/17/summary-bounds
func TestPortfolioSummaryOfManyModels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.Pool.Exec(t.Context(), `INSERT INTO portfolio_scores_v6 (account_id, model_id, workspace_id, rank, assessed_at, high, dimension_time)
		SELECT 'acme', md5(i::text)::uuid, CASE WHEN i % 4 = 0 THEN $1::uuid ELSE $2::uuid END, i % 102, $3::timestamptz, i % 3, nullif(i % 5, 0) FROM generate_series(0, 101999) i`, finance, sales, w.Now())
	check(t, err)
	got := w.get(summaryPath, w.as("ada")).ok(200).body
	bands := slices.Repeat([]any{10000.0}, 10)
	bands[9] = 11000.0
	if got["models"] != 102000.0 || got["scored"] != 101000.0 || got["mean"] != 50.0 || !cmp.Equal(got["scores"], bands) || got["findingsBySeverity"].(map[string]any)["high"] != 102000.0 ||
		!cmp.Equal(got["dimensions"], []any{map[string]any{"dimension": "time", "mean": 2.5, "models": 81600.0}}) || got["changes"] != nil || got["workspacesCount"] != 2.0 {
		t.Errorf("got %v", got)
	}
	first, second := got["workspaces"].([]any)[0].(map[string]any), got["workspaces"].([]any)[1].(map[string]any)
	if first["models"].(float64)+second["models"].(float64) != 102000 || first["mean"].(float64) > second["mean"].(float64) {
		t.Errorf("got %v and %v", first, second)
	}
	for below, want := range map[int]bool{10: true, 11: false} { // 10,000 and 11,000 models
		if got := w.get(fmt.Sprintf("%s?scoreBelow=%d", summaryPath, below), w.as("ada")).ok(200).body; (got["changes"] != nil) != want {
			t.Errorf("below %d: got %v", below, got)
		}
	}
}
