package http_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

// everyTest reads all pages of a list of tests, and calls between after each page.
func (w *world) everyTest(tok string, query url.Values, between func()) (all []map[string]any) {
	w.t.Helper()
	for address := w.base + abTestsPath + "?" + query.Encode(); address != ""; {
		page := w.get(address, tok).ok(200)
		all = append(all, page.value()...)
		if len(all) > 1000 {
			w.t.Fatal("the list does not end")
		}
		address, _ = page.body["continuationUri"].(string)
		between()
	}
	return all
}

// The list of tests in every order and with every filter, in pages between which tests are created. It contains each
// test once, and none of another account. Reads spend nothing and make no request to the platform.
//
// proves: 2.1/paged-abTests 4.6/list 4.6/list/q 4.6/list/workspaceId 4.6/list/sort 4.6/list/spends-nothing decisions/2/paging-stable decisions/2/paging-tokens
func TestAbTestsList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	elsewhere := sideOf(modelB, "Budget", byAgent(agent, "The Analyst 100%"))
	elsewhere.WorkspaceID, elsewhere.WorkspaceName = finance, "Finance"
	plain := sideOf(modelA, "Actuals", assistant)
	made := map[string]abTested{}
	for _, m := range []struct {
		name string
		a, b benchmark.Side
	}{
		{"beta", plain, plain}, {"Alpha", plain, elsewhere}, {"gamma_1", elsewhere, plain}, {"Épsilon", plain, plain}, {"delta", plain, sideOf(modelC, "Costs\nand more", assistant)},
	} {
		made[m.name] = w.abTest("acme", abtest.Words{Name: m.name}, m.a, m.b, abtest.Source{Kind: abtest.FromQuestions})
		w.Clock.Advance(time.Minute)
	}
	w.abTest("other", abtest.Words{Name: "theirs"}, plain, plain, abtest.Source{Kind: abtest.FromQuestions})
	// The newest run of beta ends after all others have started; the newest run of Alpha is deleted.
	w.onRun("acme", made["beta"].run, abtest.Stop{})
	w.endRun(made["beta"], abtest.RunEnded{Status: operation.StatusCancelled})
	w.onTest("acme", made["Alpha"].test, abtest.RemoveRun{RunID: made["Alpha"].run})
	w.onRun("acme", made["Alpha"].run, abtest.Erase{})
	latest := []string{"beta", "delta", "Épsilon", "gamma_1", "Alpha"}
	byName := []string{"Alpha", "beta", "delta", "gamma_1", "Épsilon"}
	reversed := func(list []string) []string { list = slices.Clone(list); slices.Reverse(list); return list }
	w.ahead(0)

	w.spendsNothing(func() {
		calls := w.cloud.calls
		for name, tt := range map[string]struct {
			query url.Values
			want  []string
		}{
			"as it is":              {nil, latest},
			"latest":                {url.Values{"sort": {"latest"}}, latest},
			"earliest":              {url.Values{"sort": {"earliest"}}, reversed(latest)},
			"by name":               {url.Values{"sort": {"name"}}, byName},
			"by name, backwards":    {url.Values{"sort": {"nameDesc"}}, reversed(byName)},
			"a name":                {url.Values{"q": {"ALPHA"}}, []string{"Alpha"}},
			"within names":          {url.Values{"q": {"ta"}}, []string{"beta", "delta"}},
			"of another script":     {url.Values{"q": {"éPS"}}, []string{"Épsilon"}},
			"a model":               {url.Values{"q": {"budget"}}, []string{"gamma_1", "Alpha"}},
			"a model of two lines":  {url.Values{"q": {"costs\nAND"}}, []string{"delta"}},
			"an agent":              {url.Values{"q": {"the analyst"}, "sort": {"earliest"}}, []string{"Alpha", "gamma_1"}},
			"across two names":      {url.Values{"q": {"100%actuals"}}, nil},
			"what LIKE has for one": {url.Values{"q": {"gamma_"}}, []string{"gamma_1"}},
			"any one":               {url.Values{"q": {"_eta"}}, nil},
			"any":                   {url.Values{"q": {"%"}}, []string{"gamma_1", "Alpha"}},
			"an escape":             {url.Values{"q": {`\`}}, nil},
			"nothing":               {url.Values{"q": {""}}, latest},
			"a workspace":           {url.Values{"workspaceId": {strings.ToUpper(finance.String())}}, []string{"gamma_1", "Alpha"}},
			"a workspace by name":   {url.Values{"workspaceId": {finance.String()}, "sort": {"name"}}, []string{"Alpha", "gamma_1"}},
			"no workspace":          {url.Values{"workspaceId": {nowhere.String()}}, nil},
			"all at once":           {url.Values{"workspaceId": {sales.String()}, "q": {"a"}, "sort": {"nameDesc"}}, []string{"Épsilon", "gamma_1", "delta", "beta", "Alpha"}},
		} {
			if diff := cmp.Diff(tt.want, names(w.everyTest(ada, tt.query, func() {})), cmp.Comparer(slices.Equal[[]string])); diff != "" {
				t.Errorf("%s: in one page (-want +got):\n%s", name, diff)
			}
			tt.query = url.Values(http.Header(tt.query).Clone())
			if tt.query == nil {
				tt.query = url.Values{}
			}
			tt.query.Set("maxResults", "1")
			if diff := cmp.Diff(tt.want, names(w.everyTest(w.as("bob"), tt.query, func() {})), cmp.Comparer(slices.Equal[[]string])); diff != "" {
				t.Errorf("%s: in pages of one (-want +got):\n%s", name, diff)
			}
			w.uncounted()
		}
		page := w.get(abTestsPath+"?maxResults=1&q=a", ada).ok(200).body["continuationToken"].(string)
		for _, query := range []string{
			"sort=newest", "sort=", "workspaceId=x", "maxResults=0", "maxResults=501", "q=a&q=b", "q=" + strings.Repeat("x", 201), "continuationToken=x",
			"continuationToken=" + page, "q=b&continuationToken=" + page, "q=a&sort=name&continuationToken=" + page,
		} {
			w.get(abTestsPath+"?"+query, ada).refused(400, domain.InvalidRequest)
		}
		w.get(abTestsPath+"?q=a&sort=latest&continuationToken="+page, ada).ok(200) // the default sort order, named explicitly
		if w.cloud.calls != calls {
			t.Errorf("the platform was asked %d times, want never", w.cloud.calls-calls)
		}
	})
	if got := names(w.everyTest(w.as("oscar"), nil, func() {})); !slices.Equal(got, []string{"theirs"}) {
		t.Errorf("another account lists %v", got)
	}

	// A test created between two pages neither repeats nor hides another test.
	w.Clock.Advance(time.Hour)
	n := 0
	for sort, want := range map[string][]string{"latest": latest, "name": byName} {
		got := names(w.everyTest(w.as("ada"), url.Values{"sort": {sort}, "maxResults": {"2"}}, func() {
			n++
			w.abTest("acme", abtest.Words{Name: fmt.Sprint("AAA new ", n)}, plain, plain, abtest.Source{Kind: abtest.FromQuestions})
		}))
		got = slices.DeleteFunc(got, func(name string) bool { return strings.HasPrefix(name, "AAA") })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s while tests are made (-want +got):\n%s", sort, diff)
		}
	}
}

// The tests of a model and of a data agent on either side: newest first, without paging, and an empty list where
// there are none.
//
// proves: 2.1/unpaged-abTests-of-an-item 4.6/of-model 4.6/of-agent
func TestAbTestsOfAnItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	ofModel := "/v1/workspaces/" + sales.String() + "/semanticModels/" + modelA.String() + "/abTests"
	ofAgent := "/v1/workspaces/" + finance.String() + "/dataAgents/" + agent.String() + "/abTests"
	for _, path := range []string{ofModel, ofAgent} {
		if got := w.get(path, ada).ok(200); !strings.Contains(string(got.text), `"value":[]`) {
			t.Errorf("%s: got %s, want an empty list", path, got.text)
		}
	}
	a, b, c := sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), sideOf(modelC, "Costs", byAgent(agent, "Analyst"))
	moved := a
	moved.WorkspaceID = finance
	for name, sides := range map[string][2]benchmark.Side{"1 a-b": {a, b}, "2 b-a": {b, a}, "3 c-b": {c, b}, "4 a-c": {a, c}, "5 elsewhere": {moved, b}} {
		w.ahead(time.Duration(name[0]) * time.Minute)
		w.abTest("acme", abtest.Words{Name: name}, sides[0], sides[1], abtest.Source{Kind: abtest.FromQuestions})
	}
	w.ahead(0)
	w.abTest("other", abtest.Words{Name: "theirs"}, a, c, abtest.Source{Kind: abtest.FromQuestions})
	calls := w.cloud.calls
	for path, want := range map[string][]string{
		ofModel: {"4 a-c", "2 b-a", "1 a-b"},
		ofAgent: {"4 a-c", "3 c-b"},
		ofModel + "?maxResults=1&continuationToken=x":                  {"4 a-c", "2 b-a", "1 a-b"}, // no paging
		strings.Replace(ofModel, sales.String(), finance.String(), 1):  {"5 elsewhere"},
		strings.Replace(ofAgent, finance.String(), sales.String(), 1):  {},
		strings.Replace(ofModel, modelA.String(), nowhere.String(), 1): {},
	} {
		got := w.get(path, ada).ok(200)
		if diff := cmp.Diff(want, names(got.value())); diff != "" || got.body["continuationToken"] != nil {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if diff := cmp.Diff(w.get(abTestsPath+"?q=4", ada).value()[0], w.get(ofModel, ada).value()[0]); diff != "" {
		t.Errorf("the test differs in the lists (-all +model's):\n%s", diff)
	}
	if w.cloud.calls != calls {
		t.Errorf("the platform was asked %d times, want never", w.cloud.calls-calls)
	}
	w.get(strings.Replace(ofModel, modelA.String(), "x", 1), ada).refused(400, domain.InvalidRequest)
}

// A PATCH changes the members that it names: absent members stay, null or an empty string clears one, anything else
// is refused and changes nothing.
//
// proves: 4.6/patch 4.6/patch/members 4.6/patch/spends-nothing 2.11/side/label 2.11/side/description 2.11/test/hypothesis
func TestAbTestIsReworded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	of := w.abTest("acme", abtest.Words{Name: "One"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	path := abTestPath(of.test)
	words := func(body map[string]any) map[string]any {
		a, b := body["sideA"].(map[string]any), body["sideB"].(map[string]any)
		out := map[string]any{"name": body["name"], "description": body["description"], "hypothesis": body["hypothesis"], "A": a["label"], "a": a["description"], "B": b["label"], "b": b["description"]}
		for name, value := range out {
			if value == nil {
				delete(out, name)
			}
		}
		return out
	}
	calls := w.cloud.calls
	for _, tt := range []struct {
		body string
		want map[string]any
	}{
		{`{"description":" why ","sideA":{"label":"before","description":"as it was"}}`, map[string]any{"name": "One", "description": "why", "A": "before", "a": "as it was"}},
		{`{"name":"Two","hypothesis":{"text":"B wins","kind":"B"}}`, map[string]any{"name": "Two", "description": "why", "hypothesis": map[string]any{"text": "B wins", "kind": "B"}, "A": "before", "a": "as it was"}},
		{`{}`, map[string]any{"name": "Two", "description": "why", "hypothesis": map[string]any{"text": "B wins", "kind": "B"}, "A": "before", "a": "as it was"}},
		{`{"sideA":{},"sideB":{"label":"after"},"hypothesis":{"text":"mine","kind":null}}`, map[string]any{"name": "Two", "description": "why", "hypothesis": map[string]any{"text": "mine", "kind": nil}, "A": "before", "a": "as it was", "B": "after"}},
		{`{"description":null,"sideA":{"label":""},"hypothesis":null}`, map[string]any{"name": "Two", "a": "as it was", "B": "after"}},
		{`{"description":"again","sideA":null,"sideB":{"label":null,"description":"b"}}`, map[string]any{"name": "Two", "description": "again", "b": "b"}},
		{`{"description":"  ","sideB":{"description":null}}`, map[string]any{"name": "Two"}},
	} {
		steps := w.jobs.count()
		got := w.patch(path, ada, tt.body).ok(200)
		if diff := cmp.Diff(tt.want, words(got.body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.body, diff)
		}
		if _, with := got.body["runs"]; with || w.jobs.count() != steps {
			t.Errorf("%s: got %s", tt.body, got.text)
		}
		read := w.get(path, ada).ok(200)
		delete(read.body, "runs")
		if diff := cmp.Diff(read.body, got.body); diff != "" {
			t.Errorf("%s: the response differs from the test (-test +response):\n%s", tt.body, diff)
		}
		if read.header.Get("ETag") != got.header.Get("ETag") {
			t.Errorf("%s: got ETag %s, and %s of the test", tt.body, got.header.Get("ETag"), read.header.Get("ETag"))
		}
	}
	w.untouched(func() {
		long := strings.Repeat("é", 2001)
		for body, says := range map[string]string{
			``: "name", `[]`: "the body", `null`: "the body", `{"name":""}`: "name", `{"name":"  "}`: "name", `{"name":null}`: "name", `{"name":1}`: "name",
			`{"title":"x"}`: "title", `{"repeats":3}`: "repeats", `{"sideA":{"semanticModelId":"` + modelB.String() + `"}}`: "sideA.semanticModelId", `{"runs":[]}`: "runs",
			`{"hypothesis":{}}`: "hypothesis", `{"hypothesis":{"text":""}}`: "hypothesis.text", `{"hypothesis":{"text":"x","kind":"C"}}`: "hypothesis.kind", `{"hypothesis":"x"}`: "hypothesis",
			`{"name":"` + long[:402] + `"}`: "201", `{"description":"` + long + `"}`: "2001", `{"sideB":{"label":"` + long[:202] + `"}}`: "sideB.label", `{"sideA":{"label":2}}`: "sideA.label",
		} {
			w.patch(path, ada, body).refused(400, domain.InvalidRequest).says(says)
			w.patch(abTestPath(nowhere), ada, body).refused(400, domain.InvalidRequest) // the form is checked first
			w.uncounted()
		}
		w.patch(path, ada, `{"name":"Two"}`).ok(200) // unchanged
	})
	if w.cloud.calls != calls {
		t.Errorf("the platform was asked %d times, want never", w.cloud.calls-calls)
	}
}

// A test is sent again only when it has changed, and a PATCH with If-Match changes only the version that was read.
//
// proves: decisions/2/etag-abtest
func TestAbTestTag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	of := w.abTest("acme", abtest.Words{Name: "One"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	path := abTestPath(of.test)
	tag := w.get(path, ada).ok(200).header.Get("ETag")
	for _, field := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		if got := w.get(path, ada, "If-None-Match", field).ok(304); len(got.text) != 0 || got.header.Get("ETag") != tag {
			t.Errorf("%s: got %v %q", field, got.header, got.text)
		}
	}
	w.get(path, ada, "If-None-Match", `"x"`).ok(200)
	// The progress of a run changes the tag but not the test's version.
	w.onRun("acme", of.run, abtest.BeginSide{Side: abtest.A})
	w.ask("acme", of.runA, 1)
	if moved := w.get(path, ada, "If-None-Match", tag).ok(200).header.Get("ETag"); moved == tag {
		t.Error("a run made progress and the test has the same ETag")
	}
	w.untouched(func() {
		for _, field := range []string{`"x"`, "W/" + tag, strings.Trim(tag, `"`), `"99-x"`, "nonsense"} {
			w.patch(path, ada, `{"name":"Two"}`, "If-Match", field).refused(412, domain.InvalidRequest).says("ETag")
		}
	})
	changed := w.patch(path, ada, `{"name":"Two"}`, "If-Match", tag).ok(200)
	w.untouched(func() {
		w.patch(path, ada, `{"name":"Three"}`, "If-Match", tag).refused(412, domain.InvalidRequest)
	})
	w.patch(path, ada, `{"name":"Three"}`, "If-Match", tag+", "+changed.header.Get("ETag")).ok(200)
	w.patch(path, ada, `{"name":"Four"}`, "If-Match", "*").ok(200)
	w.patch(path, ada, `{"name":"Five"}`).ok(200)
	if got := w.read(path)["name"]; got != "Five" {
		t.Errorf("got name %v", got)
	}
}

// creation returns the body that creates a test, with replacements.
func creation(replacements ...string) string {
	body := fmt.Sprintf(`{"name":"One","sideA":{"semanticModelId":"%s","workspaceId":"%s","answeredBy":{"kind":"PlatformAssistant"}},`+
		`"sideB":{"semanticModelId":"%s","workspaceId":"%s","answeredBy":{"kind":"PlatformAssistant"}},"source":{"kind":"Questions"}}`, modelA, sales, modelB, sales)
	return strings.NewReplacer(replacements...).Replace(body)
}

// Malformed calls that create a test are refused before anything is looked up, counted or recorded.
//
// proves: 4.6/create/name 4.6/create/sides 4.6/create/answeredBy.kind 4.6/create/answeredBy.dataAgentId 4.6/create/answeredBy.providerId 4.6/create/source 4.6/create/correctAnswers 4.6/create/reuseSideA 4.6/create/hypothesis 4.6/create/3 7.2/BenchmarkQuestionsMissing 7.3/400-BenchmarkQuestionsMissing 7.2/RunNotFound
func TestMalformedAbTests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	source, kind, end := `{"kind":"Questions"}`, `{"kind":"PlatformAssistant"}`, `"source":`
	w.untouched(func() {
		calls := w.cloud.calls
		for _, tt := range []struct{ body, says string }{
			{"", "name"},
			{"{}", "name"},
			{creation(`"One"`, `" "`), "name"},
			{creation(`"One"`, `null`), "name"},
			{creation(`"name":"One",`, ``), "name"},
			{creation(modelA.String(), "x"), "sideA.semanticModelId"},
			{creation(`"sideB"`, `"sideC"`), "sideC"},
			{creation(source, `{"kind":"Elsewhere"}`), "source.kind"},
			{creation(source, `{"kind":"Run"}`), "source.runId"},
			{creation(source, `{"kind":"Questions","runId":"`+nowhere.String()+`"}`), "source.runId"},
			{creation(source, `{"kind":"Questions","questions":["x"]}`), "source.questions"},
			{creation(end, `"questions":["x"],"source":`), "questions"},
			{creation(end, `"correctAnswers":"Never","source":`), "correctAnswers"},
			{creation(source, `{"kind":"Run","runId":"`+nowhere.String()+`"}`, end, `"correctAnswers":"Update","source":`), "correctAnswers"},
			{creation(end, `"reuseSideA":true,"source":`), "reuseSideA"},
			{creation(end, `"repeats":0,"source":`), "repeats"},
			{creation(end, `"repeats":21,"source":`), "repeats"},
			{creation(end, `"hypothesis":{"kind":"A"},"source":`), "hypothesis.text"},
			{creation(end, `"hypothesis":{"text":"x","kind":"a"},"source":`), "hypothesis.kind"},
			{creation(kind, `{"kind":"Oracle"}`), "answeredBy.kind"},
			{creation(kind, `{"kind":"DataAgent"}`), "answeredBy.dataAgentId"},
			{creation(kind, `{"kind":"ServiceTestAgent","providerId":"x","dataAgentId":"`+agent.String()+`"}`), "providerId"},
			{creation(kind, `{"kind":"GenericAgent"}`), "answeredBy.providerId"},
			{creation(kind, `{"kind":"PlatformAssistant","dataAgentId":"`+agent.String()+`"}`), "dataAgentId"},
		} {
			w.post(abTestsPath, ada, tt.body).refused(400, domain.InvalidRequest).says(tt.says)
			w.uncounted()
		}
		for _, tt := range []struct{ body, says string }{{`{"questionSet":"Old"}`, "questionSet"}, {`{"reuseRunId":"x"}`, "reuseRunId"}, {`{"questionSet":"Current","reuseRunId":"` + nowhere.String() + `"}`, "reuseRunId"}, {`{"name":"x"}`, "name"}, {`null`, "the body"}} {
			w.post(abTestPath(nowhere)+"/runs", ada, tt.body).refused(400, domain.InvalidRequest).says(tt.says)
		}
		if w.cloud.calls != calls {
			t.Errorf("the platform was asked %d times for malformed calls", w.cloud.calls-calls)
		}
		w.post(abTestsPath, ada, creation()).refused(400, domain.BenchmarkQuestionsMissing)
		w.post(abTestsPath, ada, creation(source, `{"kind":"Run","runId":"`+nowhere.String()+`"}`)).refused(404, domain.RunNotFound)
	})
}

// A test can run again only after it has frozen its questions, and only while the stored run that they come from
// exists.
//
// proves: 4.6/run-again/nothing-frozen 4.6/run-again/source-deleted 7.3/409-ResultNotReady 7.3/404-RunNotFound
func TestAbTestCannotRunAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	of := w.abTest("acme", abtest.Words{Name: "One"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	stored := w.benchmark("acme", modelA)
	w.complete("acme", stored)
	replays := w.abTest("acme", abtest.Words{Name: "Two"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromRun, RunID: &stored})
	w.onBenchmark("acme", stored, benchmark.DeleteRun{})
	w.untouched(func() {
		if got := w.post(abTestPath(of.test)+"/runs", ada, "").refused(409, domain.ResultNotReady); got.body["isRetriable"] != true {
			t.Errorf("got %s", got.text)
		}
		w.post(abTestPath(of.test)+"/runs", ada, `{"questionSet":"Current"}`).refused(400, domain.BenchmarkQuestionsMissing)
		w.post(abTestPath(replays.test)+"/runs", ada, "").refused(404, domain.RunNotFound)
	})
	w.sideA(of)
	w.post(abTestPath(of.test)+"/runs", ada, "").ok(202)
}

// A test from a stored run starts, and runs again without a body or with an empty one.
//
// proves: 1/does/abtests 4.6/create 4.6/create/1 4.6/create/description 4.6/create/hypothesis 4.6/run-again 4.6/create/answeredBy.workspaceId
func TestAbTestIsCreatedAndRunAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	stored := w.benchmark("acme", modelA)
	w.complete("acme", stored)
	body := creation(`{"kind":"Questions"}`, `{"kind":"Run","runId":"`+stored.String()+`"}`, `{"kind":"PlatformAssistant"}`, `{"kind":"DataAgent","dataAgentId":"`+agent.String()+`"}`,
		`"name":"One"`, `"name":" One ","description":"why","hypothesis":{"text":"same","kind":"Same"},"repeats":1`)
	started := w.post(abTestsPath, ada, body, "Idempotency-Key", "k").ok(202)
	run := started.operation()
	if started.header.Get("Location") != w.base+operationPath(run) || started.header.Get("x-ms-operation-id") != run.String() || started.header.Get("Retry-After") != "1" {
		t.Errorf("got headers %v", started.header)
	}
	if again := w.post(abTestsPath, ada, body, "Idempotency-Key", "k"); again.operation() != run {
		t.Errorf("got %s, want the first 202", again.text)
	}
	if o := w.read(operationPath(run)); o["operationType"] != "RunAbTest" {
		t.Errorf("the operation reads %v", o)
	}
	tests := w.read(abTestsPath)["value"].([]any)
	if len(tests) != 1 {
		t.Fatalf("got %v, want one test", tests)
	}
	test := tests[0].(map[string]any)
	id := uuid.MustParse(test["abTestId"].(string))
	if test["name"] != "One" || test["description"] != "why" || test["repeats"] != 1.0 || test["latestRun"].(map[string]any)["runId"] != run.String() || test["questions"].(map[string]any)["questionSetHash"] != "sha256:set" {
		t.Errorf("the test reads %v", test)
	}
	by := test["sideB"].(map[string]any)["answeredBy"].(map[string]any)
	if by["kind"] != string(verdict.DataAgent) || by["dataAgentId"] != agent.String() || by["dataAgentName"] != "Analyst" || by["dataAgentWorkspaceId"] != sales.String() || by["dataAgentWorkspaceName"] != "Sales" {
		t.Errorf("answeredBy reads %v", by)
	}
	if effect := w.read(abTestPath(id))["minimumDetectableEffect"].(map[string]any); effect["n"] != 1.0 {
		t.Errorf("two paraphrases of a stored run: got %v", effect)
	}
	for i, send := range []func() reply{
		func() reply { return w.post(abTestPath(id)+"/runs", ada, "") },
		func() reply {
			return w.post(abTestPath(id)+"/runs", ada, "", "Content-Type", "application/json")
		},
		func() reply { return w.post(abTestPath(id)+"/runs", ada, "{}") },
		func() reply { return w.post(abTestPath(id)+"/runs", ada, `{"questionSet":"Frozen"}`) },
	} {
		again := send().ok(202)
		got := w.read(abRunPath(id, again.operation()))
		if got["status"] != "Running" || w.read(abTestPath(id))["runCount"] != float64(i+2) || again.header.Get("Location") != w.base+operationPath(again.operation()) {
			t.Errorf("run again: got %s, the run reads %v", again.text, got)
		}
	}
	if got := w.patch(abTestPath(id), ada, `{"name":"Renamed"}`).ok(200); got.body["name"] != "Renamed" {
		t.Errorf("got %s", got.text)
	}
	w.post(abTestPath(id)+"/runs", ada, "x").refused(400, domain.InvalidRequest)
	w.post(abTestPath(id)+"/runs", ada, "{}", "Content-Type", "").refused(415, domain.InvalidRequest)
	if got := w.delete(abTestPath(id), ada).ok(200); got.body["deletedRuns"] != 5.0 {
		t.Errorf("got %s", got.text)
	}
}
