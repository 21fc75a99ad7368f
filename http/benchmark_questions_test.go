package http_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/http/token"
)

func questionsPath(model uuid.UUID) string { return modelPath(model) + "/benchmark/questions" }

// A model without saved questions has an empty set.
//
// proves: decisions/8/17
func TestNoBenchmarkQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.get(questionsPath(modelA), w.as("bob")).ok(http.StatusOK)
	if r.body["count"] != 0. || r.body["canRun"] != 0. || r.body["repeats"] != 1. || r.body["semanticModelId"] != modelA.String() || len(r.value()) != 0 || r.body["questionSetHash"] == "" {
		t.Errorf("got %s", r.text)
	}
	w.get(questionsPath(nowhere), w.as("bob")).refused(http.StatusNotFound, domain.ItemNotFound)
	w.get(strings.Replace(questionsPath(modelA), sales.String(), finance.String(), 1), w.as("bob")).refused(http.StatusNotFound, domain.WorkspaceNotFound)
	w.get(questionsPath(modelA), w.as("nora")).refused(http.StatusForbidden, domain.FeatureTurnedOff)
}

// Invalid calls that generate or save are refused before anything happens, and store nothing.
//
// proves: 7.2/BenchmarkBuildLimitReached 8/exhausted/BenchmarkBuildLimitReached
func TestBenchmarkQuestionsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	generate, save := questionsPath(modelA)+"/generate", questionsPath(modelA)+"/save"
	one := `{"questions":[{"text":"How many?","expected":{"value":"1"}}]}`
	w.untouched(func() {

		for path, body := range map[string]string{generate: `{"count":5}`, save: one} {
			w.post(path, w.as("bob", token.ScopeRead), body).refused(http.StatusForbidden, domain.InsufficientScopes)
			w.post(path, w.as("nora"), body).refused(http.StatusForbidden, domain.FeatureTurnedOff)
			w.post(strings.Replace(path, modelA.String(), nowhere.String(), 1), w.as("bob"), body).refused(http.StatusNotFound, domain.ItemNotFound)
			w.post(strings.Replace(path, sales.String(), finance.String(), 1), w.as("bob"), body).refused(http.StatusNotFound, domain.WorkspaceNotFound)
			r := w.post(strings.Replace(path, modelA.String(), kept.String(), 1), w.as("bob"), body).refused(http.StatusBadRequest, domain.OperationNotSupportedForItem)
			if !slices.Equal(r.parameter("semanticModelId"), []string{kept.String()}) {
				t.Errorf("got %s", r.text)
			}
		}
		for body, member := range map[string]string{
			`{"count":0}`: "count", `{"count":101}`: "count", `{"count":"x"}`: "count", `{"counts":3}`: "the closest documented member is count", `[]`: "the body",
		} {
			w.post(generate, w.as("bob"), body).refused(http.StatusBadRequest, domain.InvalidRequest).says(member)
		}
		question := func(rest string) string { return `{"questions":[{"text":"How many?",` + rest + `}]}` }
		for body, member := range map[string]string{
			``: "questions", `{}`: "questions", `{"questions":[],"repeats":21}`: "repeats", `{"questions":[],"repeats":0}`: "repeats",
			`{"questions":[{"expected":{"value":"1"}}]}`:                                                                                    "text",
			`{"questions":[{"text":"a\nb","expected":{"value":"1"}}]}`:                                                                      "questions[0].text",
			`{"questions":[{"text":"` + strings.Repeat("x", 1001) + `","expected":{"value":"1"}}]}`:                                         "questions[0].text",
			`{"questions":[` + strings.Repeat(`{"text":"a","expected":{"value":"1"}},`, 100) + `{"text":"a","expected":{"value":"1"}}]}`:    "questions",
			`{"questions":[{"questionId":"a","text":"a","expected":{"value":"1"}},{"questionId":"a","text":"b","expected":{"value":"1"}}]}`: "questions[1].questionId",
			question(`"expected":{}`):                                                           "questions[0].expected",
			question(`"expected":{"dax":"SUM(Sales[Amount])"}`):                                 "questions[0].expected.dax",
			question(`"expected":{"dax":"EVALUATE x // ` + strings.Repeat("x", 10_000) + `"}`):  "questions[0].expected.dax",
			question(`"expected":{"value":"` + strings.Repeat("x", 201) + `"}`):                 "questions[0].expected.value",
			question(`"expected":{"value":"1","rows":[]}`):                                      "questions[0].expected.rows",
			question(`"expected":{"fields":[{"role":"sort","name":"x"}]}`):                      "questions[0].expected.fields[0].role",
			question(`"expected":{"fields":[{"role":"grouping","name":"x"}]}`):                  "questions[0].expected.fields[0].table",
			question(`"expected":{"value":"1"},"clusterId":"` + strings.Repeat("x", 101) + `"`): "questions[0].clusterId",
			question(`"expected":{"value":"1"},"source":"Me"`):                                  "questions[0].source",
		} {
			w.post(save, w.as("ada"), body).refused(http.StatusBadRequest, domain.InvalidRequest).says(member)
		}
	})

	// One build more than allowed.
	for range 2 {
		w.post(generate, w.as("tim"), "").operation()
	}
	w.untouched(func() {
		r := w.post(generate, w.as("tim"), `{"count":1}`).refused(http.StatusTooManyRequests, domain.BenchmarkBuildLimitReached)
		if got := fmt.Sprint(r.parameter("allowance"), r.parameter("used"), r.parameter("limit")); got != "[benchmarkBuilds] [2] [2]" || r.body["isRetriable"] != true || r.header.Get("Retry-After") == "" {
			t.Errorf("got %s, %s", got, r.text)
		}
	})
	w.post(save, w.as("tim"), `{"questions":[]}`).operation() // saving needs no build
}

// Repeating a call with its key starts one generation and spends one build.
func TestBenchmarkQuestionsAreIdempotent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, body := range map[string]string{"/generate": `{"count":5}`, "/save": `{"questions":[]}`} {
		send := func(body string) reply {
			return w.post(questionsPath(modelA)+path, w.as("tim"), body, "Idempotency-Key", "once"+path)
		}
		first := send(body).operation()
		w.untouched(func() {
			if again := send(body).operation(); again != first {
				t.Errorf("%s: got %s and then %s", path, first, again)
			}
		})
		send(`{"count":6}`).ok(map[bool]int{true: http.StatusUnprocessableEntity, false: http.StatusBadRequest}[path == "/generate"])
		r := w.get("/v1/operations/"+first.String()+"/result", w.as("tim")).refused(http.StatusConflict, domain.OperationInProgress)
		if r.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
		w.get("/v1/operations/"+first.String(), w.as("oscar")).refused(http.StatusNotFound, domain.OperationNotFound)
		w.post("/v1/operations/"+first.String()+"/cancel", w.as("tim"), "").refused(http.StatusConflict, domain.OperationInProgress)
	}
}

// A set is saved from a file as from JSON. Every faulty cell of a file is named, and then nothing is saved.
func TestBenchmarkQuestionFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := questionsPath(modelA) + "/save"
	send := func(mediaType, file string, headers ...string) reply {
		return w.post(path, w.as("tim"), file, append([]string{"Content-Type", "", "Content-Type", mediaType}, headers...)...)
	}
	table := "\ufeffquestion,expectedValue,weight,tags\r\nHow many?,5,2.5,a; b\r\n"
	lines := `{"question": "How many?", "expectedValue": 5, "weight": 2.5, "tags": ["a", "b"]}`
	first := send("text/csv; charset=UTF-8", table, "Idempotency-Key", "file").operation()
	if again := send("application/x-ndjson", lines, "Idempotency-Key", "file").operation(); again != first {
		t.Errorf("the same set in another format: got operation %s, then %s", first, again)
	}
	w.untouched(func() {
		send("text/csv", strings.ReplaceAll(table, "2.5", "3"), "Idempotency-Key", "file").ok(http.StatusUnprocessableEntity)
		r := send("text/csv", "question,expectedValue,weight\nHow many?,5,x\n,6,1\n").refused(http.StatusBadRequest, domain.InvalidRequest).says("2 faults", "line 2, column 13 (weight)")
		if !slices.Equal(r.parameter("line 2, column 13 (weight)"), []string{`"x" is not a number such as 2 or 0.5`}) || !slices.Equal(r.parameter("line 3, column 1 (question)"), []string{"is empty"}) {
			t.Errorf("got %s", r.text)
		}
		send("application/x-ndjson", table).refused(http.StatusBadRequest, domain.InvalidRequest).says("no JSON object")
		send("text/csv", lines).refused(http.StatusBadRequest, domain.InvalidRequest).says("line 1, column 2", "a quotation mark")
		send("text/csv", table+strings.Repeat("x", 1<<20)).refused(http.StatusRequestEntityTooLarge, domain.PayloadTooLarge)
		send("text/csv; charset=utf-16", table).refused(http.StatusUnsupportedMediaType, domain.InvalidRequest)
		send("text/csv", table, "Content-Encoding", "gzip").refused(http.StatusUnsupportedMediaType, domain.InvalidRequest)
		send("text/tab-separated-values", table).refused(http.StatusUnsupportedMediaType, domain.InvalidRequest).says("text/csv", "application/x-ndjson")
		w.post(questionsPath(modelA)+"/generate", w.as("tim"), table, "Content-Type", "", "Content-Type", "text/csv").refused(http.StatusUnsupportedMediaType, domain.InvalidRequest)
		w.get(questionsPath(modelA)+"?format=xlsx", w.as("bob")).refused(http.StatusBadRequest, domain.InvalidRequest)
	})
	r := w.get(questionsPath(modelA)+"?format=csv", w.as("bob")).ok(http.StatusOK)
	if string(r.text) != "\ufeffquestion,expectedAnswer,expectedValue,dax,cluster,weight,ordered,tags,questionId,source\n" ||
		r.header.Get("Content-Type") != "text/csv; charset=utf-8" || r.header.Get("Content-Disposition") != `attachment; filename="questions.csv"` {
		t.Errorf("an empty set as CSV: got %q, %v", r.text, r.header)
	}
	if r := w.get(questionsPath(modelA)+"?format=jsonl", w.as("bob")).ok(http.StatusOK); len(r.text) != 0 || r.header.Get("Content-Type") != "application/x-ndjson; charset=utf-8" {
		t.Errorf("an empty set as JSON lines: got %q, %v", r.text, r.header)
	}
}
