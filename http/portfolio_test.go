package http_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition/semanticmodel"
	"readiness/definition/upgrade"
	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/domain/readiness"
)

const portfolioPath = "/v1/aiReadiness/portfolio"

// scored stores an assessment of the model with the score, made that many days ago, and returns its id.
func (w *world) scored(person string, model uuid.UUID, daysAgo, score int, regime string) uuid.UUID {
	w.t.Helper()
	id := w.assess(person, model)
	w.ahead(-time.Duration(daysAgo) * 24 * time.Hour)
	defer w.ahead(0)
	return w.assessedAs(accountOf[person], id, model, assessment.Assessment{
		RegimeID: regime, Score: &score, Severities: &assessment.Severities{High: 1, Medium: 2, Low: 4}, Dimensions: map[string]*int{"naming": &score, "time": nil},
	})
}

// happened is a command that records events as they are.
type happened []domain.Event

func (h happened) Decide(struct{}) ([]domain.Event, error) { return h, nil }

// happened appends events to a stream of the account.
func (w *world) happened(accountID, stream string, events ...domain.Event) {
	w.t.Helper()
	record(w, accountID, stream, func(s struct{}, _ domain.Event) struct{} { return s }, domain.Command[struct{}](happened(events)))
}

// An assessment of an earlier regime is outdated until the model is assessed anew, which says that it does not compare.
//
// proves: decisions/17/outdated decisions/14/earlier-results
func TestOutdated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	old := w.scored("ada", modelA, 2, 60, "2026-12")
	w.scored("ada", modelB, 2, 70, "2026-11")
	w.scored("ada", modelC, 2, 80, readiness.RegimeID)
	outdated := func() (ids []string, counted any, filtered any) {
		return w.models(ada, "?sort=name&outdated=true&maxResults=1"), w.get(summaryPath, ada).ok(200).body["outdated"],
			w.get(summaryPath+"?outdated=true", ada).ok(200).body["models"]
	}
	want := slices.Sorted(slices.Values([]string{modelA.String(), modelB.String()}))
	if ids, counted, filtered := outdated(); !slices.Equal(ids, want) || counted != 2.0 || filtered != 2.0 {
		t.Errorf("got %v, %v and %v; want %v", ids, counted, filtered, want)
	}
	regime := func(id uuid.UUID) any {
		return w.get(modelPath(modelA)+"/assessments/"+id.String(), ada).ok(200).body["regime"]
	}
	is := func(id string, outdated, comparable bool) map[string]any {
		return map[string]any{"id": id, "usageInScoring": false, "comparableWithPrevious": comparable, "outdated": outdated}
	}
	if diff := cmp.Diff(is("2026-12", true, false), regime(old)); diff != "" {
		t.Errorf("an earlier result (-want +got):\n%s", diff)
	}
	for i, comparable := range []bool{false, true} {
		anew := w.scored("ada", modelA, 1-i, 50, readiness.RegimeID)
		if diff := cmp.Diff(is(readiness.RegimeID, false, comparable), regime(anew)); diff != "" {
			t.Errorf("assessed anew (-want +got):\n%s", diff)
		}
	}
	if ids, counted, filtered := outdated(); !slices.Equal(ids, []string{modelB.String()}) || counted != 1.0 || filtered != 1.0 {
		t.Errorf("assessed anew: got %v, %v and %v", ids, counted, filtered)
	}
}

// models returns the models of all pages of the portfolio, in their order.
func (w *world) models(tok, query string) (ids []string) {
	w.t.Helper()
	for address := w.base + portfolioPath + query; address != ""; {
		page := w.get(address, tok).ok(200)
		for _, m := range page.value() {
			ids = append(ids, m["semanticModelId"].(string))
		}
		address, _ = page.body["continuationUri"].(string)
	}
	return ids
}

// The portfolio has the newest assessment of each model, in the order and with the filters of the call, on any number
// of pages, and compares it with a comparable one of 30 days ago.
//
// proves: decisions/17/portfolio decisions/17/earlier decisions/17/sorts decisions/17/filters
func TestPortfolio(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	if got := w.get(portfolioPath, ada).ok(200); len(got.value()) != 0 || !strings.Contains(string(got.text), `"value":[]`) {
		t.Errorf("got %s, want an empty list", got.text)
	}
	earlier := w.scored("ada", modelA, 45, 70, "2026-12")
	w.scored("ada", modelA, 40, 10, "2026-11") // not comparable
	w.scored("ada", modelA, 29, 20, "2026-12") // not old enough
	newest := w.scored("ada", modelA, 2, 60, "2026-12")
	w.scored("ada", modelB, 31, 30, "2026-12")
	w.scored("ada", modelB, 1, 40, "2026-12")
	w.scored("ada", modelC, 9, 80, "2026-12")
	w.scored("oscar", modelA, 1, 5, "2026-12") // of another account
	running := w.assess("ada", modelC)

	report := uuid.New()
	w.happened("acme", pixies.Stream("acme", report),
		pixies.Added{Report: pixies.Report{ReportID: report, WorkspaceID: sales, ReportName: "Overview", ModelID: new(modelB), Status: pixies.StatusHasPixies}})
	_, err := w.Pool.Exec(t.Context(), `INSERT INTO page_view_hours (account_id, report_id, hour, page, views) VALUES ('acme', $1, $2, 'a', 5), ('acme', $1, $2, 'b', 2)`,
		report, w.Now().Truncate(time.Hour))
	check(t, err)

	a, b, c := modelA.String(), modelB.String(), modelC.String()
	since := url.QueryEscape(w.Now().Add(-36 * time.Hour).Format(time.RFC3339))
	for query, want := range map[string][]string{
		"":                                 {b, a, c},
		"?sort=score":                      {b, a, c},
		"?sort=change":                     {a, b, c}, // -10, +10, none
		"?sort=views":                      {b, c, a},
		"?sort=name":                       {a, b, c},
		"?scoreBelow=60":                   {b},
		"?scoreBelow=61":                   {b, a},
		"?q=actual":                        {a, b, c}, // all are stored under this name
		"?q=SALES":                         {b, a, c},
		"?q=%25":                           nil,
		"?workspaceId=" + sales.String():   {b, a, c},
		"?workspaceId=" + finance.String(): nil,
		"?workspaceId=" + nowhere.String(): nil,
		"?notAssessedSince=" + since:       {a, c},
		"?outdated=true":                   {b, a, c}, // none was scored by the rules of now
		"?outdated=false":                  {b, a, c},
	} {
		if query == "?q=actual" || query == "?sort=name" { // equal names: by id
			want = slices.Sorted(slices.Values([]string{a, b, c}))
		}
		if query == "?q=actual" {
			query += "&sort=name"
		}
		if query == "?sort=views" { // equal views: by id, descending
			want = append([]string{b}, slices.Sorted(slices.Values([]string{a, c}))...)
			slices.Reverse(want[1:])
		}
		for _, size := range []string{"", "maxResults=1", "maxResults=2"} {
			if size != "" {
				size = map[bool]string{true: "?", false: "&"}[query == ""] + size
			}
			if diff := cmp.Diff(want, w.models(ada, query+size)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", query+size, diff)
			}
		}
	}

	rows := map[string]map[string]any{}
	for _, m := range w.get(portfolioPath, ada).ok(200).value() {
		rows[m["semanticModelId"].(string)] = m
	}
	got := rows[a]
	if diff := cmp.Diff(map[string]any{"assessmentId": earlier.String(), "score": 70.0, "change": -10.0, "assessedAtUtc": got["earlier"].(map[string]any)["assessedAtUtc"]}, got["earlier"]); diff != "" {
		t.Errorf("earlier (-want +got):\n%s", diff)
	}
	if d := cmp.Diff([]any{70.0, 20.0, 60.0}, got["scores"]); d != "" { // without the one that is not comparable
		t.Errorf("scores (-want +got):\n%s", d)
	}
	if got["assessmentId"] != newest.String() || got["score"] != 60.0 || got["regimeId"] != "2026-12" || got["outdated"] != true || got["workspaceName"] != "Sales" || got["findingsCount"] != 7.0 ||
		!cmp.Equal(got["findingsBySeverity"], map[string]any{"high": 1.0, "medium": 2.0, "low": 4.0}) || !cmp.Equal(got["dimensions"], map[string]any{"naming": 60.0, "time": nil}) ||
		got["views"] != 0.0 || got["trackedReports"] != 0.0 || got["running"] != nil {
		t.Errorf("got %v", got)
	}
	if got := rows[b]; got["views"] != 7.0 || got["trackedReports"] != 1.0 || got["viewsWindowDays"] != 28.0 {
		t.Errorf("views: got %v", got)
	}
	if got := rows[c]; got["earlier"] != nil || !cmp.Equal(got["running"], map[string]any{"operationId": running.String(), "operationType": string(operation.AssessSemanticModel)}) {
		t.Errorf("running: got %v", got)
	}
	// Later, it is compared with what is 30 days old then.
	w.ahead(48 * time.Hour)
	if got := w.get(portfolioPath+"?q=Actuals&maxResults=2", w.as("ada")).ok(200).value()[1]; got["earlier"].(map[string]any)["score"] != 20.0 {
		t.Errorf("two days later: got %v", got)
	}
	w.ahead(0)
	// Once its results are deleted, the model is no longer in it.
	w.change("acme", running, assessment.EndModel{Result: assessment.Result{ModelID: modelC, Outcome: assessment.NotAssessed, Error: &operation.Failure{Code: domain.PlatformUnavailable}}})
	w.delete(modelPath(modelB)+"/assessments", ada).ok(200)
	if got := w.models(ada, ""); slices.Contains(got, b) || len(got) != 2 {
		t.Errorf("after the deletion: got %v", got)
	}
}

// People see only the models that the platform shows them. It is asked once for the workspaces and once for each
// workspace of the page, and its answers are used for five minutes.
//
// proves: decisions/17/visible
func TestPortfolioShowsWhatTheCallerSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.scored("ada", modelA, 0, 60, "2026-12")
	w.scored("ada", modelB, 0, 40, "2026-12")
	ada, bob := w.as("ada"), w.as("bob")
	asked := func(do func()) int {
		w.cloud.mu.Lock()
		before := w.cloud.calls
		w.cloud.mu.Unlock()
		do()
		w.cloud.mu.Lock()
		defer w.cloud.mu.Unlock()
		return w.cloud.calls - before
	}
	both := []string{modelB.String(), modelA.String()}
	for i, tt := range []struct {
		tok   string
		calls int
	}{{ada, 2}, {ada, 0}, {bob, 2}, {bob, 0}} {
		if calls := asked(func() {
			if diff := cmp.Diff(both, w.models(tt.tok, "?maxResults=1")); diff != "" {
				t.Errorf("%d (-want +got):\n%s", i, diff)
			}
		}); calls != tt.calls {
			t.Errorf("%d: the platform was asked %d times, want %d", i, calls, tt.calls)
		}
	}
	// A deleted model, and a workspace that is now someone else's, disappear within five minutes.
	w.cloud.mu.Lock()
	w.cloud.items = slices.DeleteFunc(w.cloud.items, func(it item.Item) bool { return it.ID == modelB })
	w.cloud.mu.Unlock()
	if got := w.models(ada, ""); !cmp.Equal(got, both) {
		t.Errorf("within five minutes: got %v", got)
	}
	w.ahead(5 * time.Minute)
	if got := w.models(w.as("ada"), ""); !cmp.Equal(got, both[1:]) {
		t.Errorf("a deleted model: got %v", got)
	}
	w.cloud.mu.Lock()
	w.cloud.seenBy[sales] = "ada"
	w.cloud.mu.Unlock()
	w.ahead(10 * time.Minute)
	if got := w.models(w.as("bob"), ""); got != nil {
		t.Errorf("a workspace that bob cannot see: got %v", got)
	}
	// A failure of the platform is one of the call, and is not cached.
	w.ahead(20 * time.Minute)
	w.cloud.mu.Lock()
	w.cloud.fails = func(item.Caller) error {
		return domain.Refuse(domain.PlatformUnavailable, "the platform did not answer")
	}
	w.cloud.mu.Unlock()
	w.get(portfolioPath, w.as("ada")).refused(502, domain.PlatformUnavailable)
	w.cloud.mu.Lock()
	w.cloud.fails = nil
	w.cloud.mu.Unlock()
	if got := w.models(w.as("ada"), ""); !cmp.Equal(got, both[1:]) {
		t.Errorf("after the failure: got %v", got)
	}
}

// A page is full although the caller does not see most of the models before it.
func TestPortfolioFillsItsPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var want []string
	for i := range 12 {
		id := uuid.MustParse(fmt.Sprintf("dddddddd-0000-4000-8000-%012d", i))
		w.cloud.items = append(w.cloud.items, item.Item{ID: id, Type: item.SemanticModel, WorkspaceID: sales, DisplayName: "Many"})
		w.scored("ada", id, 0, i, "2026-12")
		if i >= 9 {
			want = append(want, id.String())
		}
	}
	w.cloud.items = slices.DeleteFunc(w.cloud.items, func(it item.Item) bool { return it.DisplayName == "Many" && !slices.Contains(want, it.ID.String()) })
	ada := w.as("ada")
	first := w.get(portfolioPath+"?maxResults=2", ada).ok(200)
	if len(first.value()) != 2 || first.body["continuationUri"] == nil {
		t.Errorf("the first page is %s", first.text)
	}
	if diff := cmp.Diff(want, w.models(ada, "?maxResults=2")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A model whose newest assessment failed is among the failures, with why, also if none is stored; until one is, and for those who see it.
//
// proves: decisions/17/failures
func TestPortfolioFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.as("ada"), w.as("bob")
	why := operation.Failure{Code: domain.ItemNotReadable, Message: "the definition cannot be read: tables/Sales.tmdl:3: a name is missing"}
	fails := func(model uuid.UUID) (run uuid.UUID) {
		run = w.assess("ada", model)
		w.change("acme", run, assessment.EndModel{Result: assessment.Result{ModelID: model, Outcome: assessment.Failed, Error: &why}})
		w.happened("acme", assessment.Stream("acme", model), assessment.Ended{OperationID: run})
		return run
	}
	failures := func(tok, query string) (ids []string) {
		t.Helper()
		all, _ := w.get(portfolioPath+query, tok).ok(200).body["failures"].([]any)
		for _, f := range all {
			ids = append(ids, f.(map[string]any)["semanticModelId"].(string))
		}
		return ids
	}
	w.scored("ada", modelA, 2, 60, "2026-12")
	fails(modelA)
	run := fails(modelB)
	a, b := modelA.String(), modelB.String()
	first := w.get(portfolioPath+"?maxResults=1", ada).ok(200)
	got := first.body["failures"].([]any)[0].(map[string]any)
	if at, err := time.Parse(time.RFC3339, got["failedAtUtc"].(string)); err != nil || time.Since(at).Abs() > time.Hour {
		t.Errorf("it failed at %v, %v", got["failedAtUtc"], err)
	}
	delete(got, "failedAtUtc")
	if diff := cmp.Diff(map[string]any{"workspaceId": sales.String(), "workspaceName": "Sales", "semanticModelId": b, "semanticModelName": got["semanticModelName"],
		"operationId": run.String(), "error": map[string]any{"errorCode": string(why.Code), "message": why.Message}}, got); diff != "" {
		t.Errorf("the failure (-want +got):\n%s", diff)
	}
	if got := w.get(modelPath(modelB)+"/history", ada).ok(200); len(got.value()) != 0 || got.body["failure"].(map[string]any)["operationId"] != run.String() {
		t.Errorf("the history of a model without an assessment: %s", got.text)
	}
	for query, want := range map[string][]string{
		"": {b, a}, "?q=sales": {b, a}, "?q=nothing": nil, "?q=" + url.QueryEscape(got["semanticModelName"].(string)) + "&sort=name": {b},
		"?workspaceId=" + sales.String(): {b, a}, "?workspaceId=" + finance.String(): nil, "?scoreBelow=100": nil, "?outdated=true": nil,
		"?notAssessedSince=" + url.QueryEscape(w.Now().Format(time.RFC3339)): nil,
	} {
		if diff := cmp.Diff(want, failures(ada, query)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
	if got := failures(w.as("oscar"), ""); got != nil {
		t.Errorf("another account: got %v", got)
	}
	w.cloud.mu.Lock()
	w.cloud.seenBy[sales] = "ada"
	w.cloud.mu.Unlock()
	if got := failures(bob, ""); got != nil {
		t.Errorf("a workspace that bob cannot see: got %v", got)
	}
	w.scored("ada", modelB, 0, 40, "2026-12")
	if got := failures(ada, ""); !slices.Equal(got, []string{a}) {
		t.Errorf("once it is assessed: got %v", got)
	}
	if got := w.get(modelPath(modelB)+"/history", ada).ok(200); got.body["failure"] != nil {
		t.Errorf("the history of an assessed model: %s", got.text)
	}
	w.cloud.mu.Lock()
	w.cloud.items = slices.DeleteFunc(w.cloud.items, func(it item.Item) bool { return it.ID == modelA })
	w.cloud.mu.Unlock()
	w.ahead(5 * time.Minute)
	if got := failures(w.as("ada"), ""); got != nil {
		t.Errorf("a deleted model: got %v", got)
	}
}

// Malformed filters are refused, and a continuation token belongs to its filters.
func TestPortfolioRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	for _, query := range []string{
		"scoreBelow=0", "scoreBelow=101", "scoreBelow=x", "notAssessedSince=yesterday", "sort=latest", "workspaceId=x", "q=" + strings.Repeat("x", 201), "maxResults=0", "continuationToken=x",
	} {
		w.get(portfolioPath+"?"+query, ada).refused(400, domain.InvalidRequest)
	}
	w.scored("ada", modelA, 0, 60, "2026-12")
	w.scored("ada", modelB, 0, 40, "2026-12")
	token := w.get(portfolioPath+"?maxResults=1", ada).ok(200).body["continuationToken"].(string)
	for _, other := range []string{"sort=name", "q=x", "scoreBelow=70", "workspaceId=" + sales.String(), "notAssessedSince=" + url.QueryEscape(w.Now().Format(time.RFC3339))} {
		w.get(portfolioPath+"?"+other+"&continuationToken="+token, ada).refused(400, domain.InvalidRequest)
	}
	w.get(portfolioPath+"?continuationToken="+token, w.as("oscar")).refused(400, domain.InvalidRequest)
}

// The portfolio says in which format the newest assessment found what a model tells an AI, and what of it leaves with Q&A.
//
// proves: decisions/17/ai-format decisions/17/leaving-qna
func TestAIFormat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for model, format := range map[uuid.UUID]semanticmodel.AIFormat{modelA: semanticmodel.LinguisticFormat, modelB: semanticmodel.NoAIFormat, modelC: ""} {
		found := readiness.Result{AIFormat: format}
		found.Regime = readiness.RegimeID
		a := assessment.Assessment{}
		a.SetResult(found)
		switch model {
		case modelB:
			a.LeavingQnA = &assessment.LeavingQnA{}
		case modelA:
			a.LeavingQnA = &assessment.LeavingQnA{Inventory: upgrade.Inventory{Synonyms: 2, Invalid: "broken"}, ReportsRead: new(3), ReportsUnread: 1,
				Reports: []assessment.QnAReport{{ReportID: reportA, ReportName: "Overview", Visuals: 2, Pages: []string{"One"}}}}
		}
		w.assessedAs("acme", w.assess("ada", model), model, a)
	}
	got, leaving := map[string]any{}, map[string]any{}
	for _, m := range w.get(portfolioPath, w.as("ada")).ok(200).value() {
		got[m["semanticModelId"].(string)] = m["aiFormat"]
		if m["leavingQnA"] != nil {
			leaving[m["semanticModelId"].(string)] = m["leavingQnA"]
		}
	}
	counts := func(synonyms float64, more map[string]any) map[string]any {
		all := map[string]any{"synonyms": synonyms, "suggestedSynonyms": 0.0, "generatedSynonyms": 0.0, "deletedSynonyms": 0.0, "entities": 0.0,
			"hiddenObjects": 0.0, "relationships": 0.0, "phrasings": 0.0, "suggestedQuestions": 0.0, "instructions": false}
		maps.Copy(all, more)
		return all
	}
	want := map[string]any{modelA.String(): counts(2, map[string]any{"invalid": "broken", "reportsRead": 3.0, "reportsUnread": 1.0, "reports": []any{
		map[string]any{"reportId": reportA.String(), "reportName": "Overview", "visuals": 2.0, "bookmarks": 0.0, "pages": []any{"One"}}}}),
		modelB.String(): counts(0, nil)} // its reports were not looked for, and nothing says 0 of them
	if d := cmp.Diff(want, leaving); d != "" {
		t.Errorf("what leaves: -want +got:\n%s", d)
	}
	if d := cmp.Diff(map[string]any{modelA.String(): "linguistic", modelB.String(): "none", modelC.String(): nil}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
