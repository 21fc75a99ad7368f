package http_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/ai"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/http/token"
	"readiness/test/openapitest"
)

// fuzzedCalls is how many calls each route gets; FUZZREQUESTS overrides it (make fuzz/http).
const fuzzedCalls = 24

// leaks matches what no response may reveal: code locations, file paths, SQL and secrets.
var leaks = regexp.MustCompile(`(?i)goroutine \d|\.go:\d|sqlstate|select .+ from |insert into|\bpgx?\b|postgres|runtime error|nil pointer|/(work|root|tmp|home|usr|var)/|json: (cannot|unknown|unsupported)|openapi3|\*api\.|strconv\.|eyJhbGci|` + fuzzedSecret)

// fuzzed records the results of the calls so far.
type fuzzed struct {
	t        *testing.T
	calling  *calling
	client   *http.Client
	mu       sync.Mutex
	accepted map[string]bool   // by x-ms-request-id
	refused  map[string]string // by x-ms-request-id: the name of the call
	statuses map[string]int
	never    map[string]bool // operations without an accepted call so far
	empty    map[string]bool // operations whose lists were empty so far
	sent     int
}

// Every response to a fuzzed call matches openapi.yaml, never reports a failure of the service and reveals nothing
// internal. Refused calls leave no event. Calls are generated from the description and from calls that are accepted;
// some are not valid HTTP.
//
// proves: 1/5 2.2/requestId decisions/1/nothing-internal decisions/2/headers
func TestFuzzedRoutes(t *testing.T) {
	t.Parallel()
	calls := fuzzedCalls
	if n := os.Getenv("FUZZREQUESTS"); n != "" {
		var err error
		calls, err = strconv.Atoi(n)
		check(t, err)
	}
	f := &fuzzed{t: t, calling: newCalling(t), accepted: map[string]bool{}, refused: map[string]string{}, statuses: map[string]int{}, never: map[string]bool{}, empty: map[string]bool{}}
	worlds := []*world{f.calling.memory, f.calling.disk.world}
	f.calling.memory.redirectProviders(f.calling.llm)
	known := f.calling.memory.furnished(f.calling.llm)
	tokens := map[*world][]string{}
	before := map[*world]int64{}
	for _, w := range worlds {
		w.unlimitedRates()
		tokens[w] = w.strangeTokens()
		w.client.Transport = accepts{f, w.client.Transport}
		var last int64
		check(t, w.Pool.QueryRow(t.Context(), `SELECT coalesce(max(position), 0) FROM events`).Scan(&last))
		before[w] = last
	}
	f.client = &http.Client{
		Transport:     openapitest.Transport(t, &http.Transport{MaxIdleConnsPerHost: 16}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	doc := description(t)
	accepted := f.calling.calls()
	number := 0
	// Delete routes come last.
	for _, last := range []bool{false, true} {
		t.Run(fmt.Sprint("deleting ", last), func(t *testing.T) {
			for n, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
				item := doc.Paths.Value(path)
				operations := item.Operations()
				for _, method := range slices.Sorted(maps.Keys(operations)) {
					op := operations[method]
					if (method == http.MethodDelete) != last {
						continue
					}
					c := &caller{
						Rand:   rand.New(rand.NewPCG(uint64(n), uint64(len(method)))),
						method: method, path: path, op: op, parameters: slices.Concat(item.Parameters, op.Parameters), known: maps.Clone(known), tokens: tokens, deletes: item.Delete != nil,
					}
					f.never[op.OperationID] = true
					route := fuzzedRoute{f, c, accepted[method+" "+path], number}
					number++
					t.Run(op.OperationID, func(t *testing.T) {
						t.Parallel()
						route.sends(t, calls)
					})
				}
			}
		})
	}
	for _, w := range worlds {
		f.checkEvents(w, before[w])
		f.logged(w)
	}
	t.Logf("%d accepted calls, %d refused; answers by status: %v", len(f.accepted), len(f.refused), f.statuses)
	if len(f.never) > 0 {
		t.Errorf("no call was accepted of %v", slices.Sorted(maps.Keys(f.never)))
	}
	delete(f.empty, "getPageViews") // no page is viewed here; TestPageViews of the console reads its elements
	maps.DeleteFunc(f.empty, func(_ string, empty bool) bool { return !empty })
	if len(f.empty) > 0 { // their elements were not checked
		t.Errorf("the lists of %v were always empty", slices.Sorted(maps.Keys(f.empty)))
	}
	if all := len(f.accepted) + len(f.refused); len(f.accepted) < all/50 || len(f.refused) < all/4 {
		t.Errorf("%d calls were accepted and %d refused; want more of both", len(f.accepted), len(f.refused))
	}
}

// Regressions found by fuzzing: the character NUL, which PostgreSQL cannot store in text, in parameters and tokens;
// and a long id repeated completely in a message.
func TestRegressionsFoundByFuzzing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	w.untouched(func() {
		for _, nul := range []string{"%00", "a%00b", "%ff"} {
			w.get("/v1/trackedItems?licenseId="+nul, ada).refused(http.StatusBadRequest, domain.InvalidRequest).says("licenseId", "UTF-8")
			w.get(abTestsPath+"?q="+nul, ada).refused(http.StatusBadRequest, domain.InvalidRequest).says("q is")
		}
		w.get("/v1/account", w.provider.token(t, jwt.MapClaims{"oid": "eve\x00"})).refused(http.StatusUnauthorized, domain.Unauthorized).says("malformed")
		w.get("/v1/account", w.in("acme\x00", "ada")).refused(http.StatusUnauthorized, domain.Unauthorized).says("malformed")
		long := strings.Repeat("é", 65_536)
		got := w.post(modelPath(modelA)+"/revert", ada, fmt.Sprintf(`{"operationId":%q}`, long)).refused(http.StatusNotFound, domain.OperationNotFound).says("éé…")
		if len(got.text) > 1000 {
			t.Errorf("the refusal has %d bytes", len(got.text))
		}
	})
}

// redirectProviders sends all requests to AI providers to m, whatever their address.
func (w *world) redirectProviders(m *llm) {
	w.Providers.Tester = ai.New(ai.Options{
		PrivateAddresses: true, Wait: func(context.Context, time.Duration) error { return nil },
		Client: &http.Client{Transport: toHost{strings.TrimPrefix(m.URL, "http://")}},
	})
}

// toHost sends every request to one host.
type toHost struct{ host string }

// RoundTrip implements http.RoundTripper.
func (h toHost) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", h.host
	return http.DefaultTransport.RoundTrip(r)
}

// unlimitedRates makes windows keep only the last call, so that no caller reaches the rate limit.
func (w *world) unlimitedRates() {
	w.t.Helper()
	_, err := w.Pool.Exec(w.t.Context(), `
		CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.hits := NEW.hits[cardinality(NEW.hits):]; RETURN NEW; END $$;
		CREATE TRIGGER forget BEFORE INSERT OR UPDATE ON rate_windows FOR EACH ROW EXECUTE FUNCTION forget();
		CREATE RULE keep AS ON DELETE TO rate_windows DO INSTEAD NOTHING`)
	check(w.t, err)
}

// strangeTokens returns the tokens that calls are sent with: a valid one first, then tokens of others and manipulated
// ones.
func (w *world) strangeTokens() []string {
	good, b64 := w.as("ada"), base64.RawURLEncoding
	header, claims, signature := parts(good)
	_, others, _ := parts(w.as("bob"))
	under := func(header string) string {
		return b64.EncodeToString([]byte(header)) + "." + claims + "." + signature
	}
	changed := func(from, to string) string {
		text, err := b64.DecodeString(claims)
		check(w.t, err)
		return header + "." + b64.EncodeToString(bytes.Replace(text, []byte(from), []byte(to), 1)) + "." + signature
	}
	secret := jwt.New(jwt.SigningMethodHS256)
	secret.Claims = jwt.MapClaims{"iss": "readiness:embedded", "aud": "readiness", "sub": "ada", "exp": w.Now().Add(time.Hour).Unix(), "scp": token.ScopeReadWrite}
	confused, err := secret.SignedString([]byte("1"))
	check(w.t, err)
	tokens := []string{
		good, w.as("ada", token.ScopeRead), w.as("bob"), w.as("oscar"), w.as("tim"), w.as("nora"), w.as("sue"), w.as("mallory"), w.provider.token(w.t, nil),
		"", "x", "a.b.c", good[:100], good + "A", good + "=", good + "." + signature, strings.Repeat("a", 17<<10), w.provider.token(w.t, jwt.MapClaims{"exp": 1}), w.provider.token(w.t, jwt.MapClaims{"nbf": 1 << 40}),
		w.provider.token(w.t, jwt.MapClaims{"aud": "another"}), w.provider.token(w.t, jwt.MapClaims{"account": "acme"}), w.provider.token(w.t, jwt.MapClaims{"iss": "readiness:embedded"}), w.provider.token(w.t, jwt.MapClaims{"exp": "soon"}),
		header + "." + claims + ".", header + "." + claims, header + "." + others + "." + signature, changed(`"ada"`, `"bob"`), changed("acme", "other"), changed("exp", "Exp"), confused,
		strings.ToUpper(good), strings.Replace(good, ".", ". ", 1), "\t" + good + " " + good,
	}
	for _, header := range []string{
		`{"alg":"none"}`, `{"alg":"None","typ":"JWT"}`, `{"alg":"HS256"}`, `{"alg":"ES256"}`, `{"alg":"ES256","kid":"1"}`, `{"alg":"ES256","kid":"../../../../dev/null"}`, `{"alg":"ES256","kid":{"a":1}}`, `{"alg":["ES256"]}`, `{}`, `[]`, `null`, `{"alg":"ES256","crit":["exp"]}`,
		`{"alg":"ES256","jku":"` + w.provider.url + `/keys","kid":"1"}`, `{"alg":"ES256","jwk":{"kty":"oct","k":"AAAA"}}`, `{"alg":"RS256","x5u":"file:///etc/passwd"}`, `{"alg":"ES256","kid":"` + strings.Repeat("k", 9000) + `"}`,
	} {
		tokens = append(tokens, under(header))
	}
	return tokens
}

// parts splits a token.
func parts(token string) (header, claims, signature string) {
	all := strings.SplitN(token, ".", 3)
	return all[0], all[1], all[2]
}

// furnished adds one resource of each kind to the world and returns the values that calls can use, by the names of
// parameters and members.
func (w *world) furnished(m *llm) map[string][]string {
	w.t.Helper()
	record(w, "acme", account.Stream("acme"), account.Evolve, domain.Command[account.Account](licensed{}))
	theirs := w.assess("oscar", modelB)
	done := w.assess("ada", modelA)
	made := w.assessed("acme", done, modelA, assessment.Usage{})
	running := w.assess("ada", modelB)
	w.tracks("acme", modelB, w.assess("ada", modelB))
	schedule := strings.TrimPrefix(w.plan("ada", modelC), schedulesPath+"/")
	noted := path.Base(w.note("ada", modelA))
	w.post(modelPath(modelA)+"/owner", w.as("ada"), `{}`).ok(200)
	provider, _ := w.saves(m, "Local", "")
	test := w.abTest("acme", abtest.Words{Name: "Before and after"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	w.sideA(test)
	test = w.ownerReads(test)
	w.compared(test, 3)
	byAgent := benchmark.AnsweredBy{Kind: verdict.DataAgent, DataAgentID: &agent, DataAgentName: "Analyst", DataAgentWorkspaceID: &sales, DataAgentWorkspaceName: "Sales"}
	w.abTest("acme", abtest.Words{Name: "Of an agent"}, sideOf(modelA, "Actuals", assistant), sideOf(modelA, "Actuals", byAgent), abtest.Source{Kind: abtest.FromQuestions})
	strangers := w.abTest("other", abtest.Words{Name: "Theirs"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	alone := w.benchmark("acme", modelA)
	w.hasQuestions("acme", modelA)
	w.Pixies.CollectorURL = w.base
	_, agents := w.agentAssessed("ada", assessment.Draft, assessment.Usage{})
	ids := func(all ...uuid.UUID) (texts []string) {
		for _, id := range all {
			texts = append(texts, id.String())
		}
		return texts
	}
	hooked := strings.TrimPrefix(w.hookPath(), "/v1/webhooks/")
	kinds := []string{"descriptions", "displayFolders", "aiDataSchema", "aiInstructions", "Descriptions", ""}
	return map[string][]string{
		"workspaceId": ids(sales, finance, nowhere), "semanticModelId": ids(modelA, modelB, modelC, kept, nowhere, reportA), "semanticModelIds": ids(modelC, modelA, modelB, kept, nowhere),
		"dataAgentId": ids(agent, modelA, nowhere), "reportId": ids(reportA, modelA, nowhere), "reportIds": ids(reportA, modelA, nowhere),
		"operationId": ids(done, running, theirs, test.run, nowhere), "assessmentId": ids(made, agents, nowhere), "scheduleId": {schedule, nowhere.String()}, "noteId": {noted, nowhere.String()},
		"webhookId": {hooked, nowhere.String()}, "deliveryId": ids(nowhere), "address": {"https://hooks.example/", "https://user:" + fuzzedSecret + "@127.0.0.1/", "http://x"},
		"providerId": {path.Base(provider), "embedded", "rules", nowhere.String()},
		"abTestId":   ids(test.test, strangers.test, nowhere), "runId": ids(test.run, test.runA, test.runB, alone, strangers.run, nowhere), "reuseRunId": ids(test.runA, alone, strangers.runA),
		"path kind": kinds, "kind": {"PlatformAssistant", "DataAgent", "ServiceTestAgent", "GenericAgent", "Run", "Questions", "A", "Same", "descriptions"}, "kinds": kinds,
		"source kind": {"Questions", "Run", "questions"}, "sideB semanticModelId": ids(modelB, modelA, nowhere),
		"approval": {"none", "required", "None"}, "previewId": ids(done, nowhere), "correctAnswers": {"Preserve", "Update"}, "questionSet": {"Frozen", "Current"},
		"baseUrl": {m.URL + "/v1", "https://127.0.0.1:1/v1", "http://127.0.0.1:1", "ftp://127.0.0.1", "https://", "//x", "https://user:" + fuzzedSecret + "@127.0.0.1:1/"}, "timeUtc": {"06:00", "23:59", "00:00"},
		"status": {"Running", "Succeeded"}, "person": {"ada", "bob", "oscar"}, "owner": {"me", "none", "bob", "oscar"}, "text": {"One.", " ", "Two\nlines"}, "sort": {"name", "newest", "createdAt"}, "since": {"2026-01-01T00:00:00Z"}, "until": {"2027-01-01T00:00:00Z"},
		"continuationToken": {"AAAAAAAAAAAAAAAAAAAAAA", "eyJhIjoxfQ"}, "id": {"x", strings.Repeat("a", 26)}, "If-Match": {`"1"`, "*"}, "Idempotency-Key": {"one", "two", "three"},
	}
}

// licensed is a command that gives an account a license.
type licensed struct{}

// Decide implements domain.Command.
func (licensed) Decide(account.Account) ([]domain.Event, error) {
	return []domain.Event{account.LicenseSaved{License: account.License{ID: "main", Label: "Main", Default: true, Status: account.LicenseActive}}}, nil
}

// hasQuestions saves a question of a model, as the worker does.
func (w *world) hasQuestions(accountID string, model uuid.UUID) {
	w.t.Helper()
	fields := []verdict.Field{{Role: verdict.MeasureField, Table: "Sales", Name: "Revenue"}}
	set := benchmark.Set{Repeats: 1, Questions: []benchmark.Question{{QuestionID: "q", Text: "What is the revenue?", Expected: benchmark.Expected{Fields: fields}, Source: benchmark.Customer}}}
	body, err := json.Marshal(set)
	check(w.t, err)
	saved := benchmark.SavedSet{DocumentHash: w.keep(body), QuestionSetHash: set.Hash(), Count: 1, Repeats: 1}
	past := eventstore.FoldLast[benchmark.SavedQuestions](benchmark.QuestionsStream(accountID, model))
	check(w.t, w.Store.Change(w.t.Context(), eventstore.Metadata{Account: accountID}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, benchmark.AcceptSave{}); err != nil {
			return err
		}
		saved.Number = past.State.Accepted
		return eventstore.Decide(c, past, benchmark.SaveSet{Set: saved})
	}))
}

// answered is a response; its status is 0 when the service did not respond.
type answered struct {
	status int
	header http.Header
	text   []byte
}

// send sends a call and checks the response. It stops work that an accepted call started in the in-memory world, so
// that the next call finds the same state.
func (f *fuzzed) send(t *testing.T, name string, call fuzzedCall) answered {
	answer := f.answer(t, call)
	for again := 0; answer.status == http.StatusServiceUnavailable && again < 20; again++ {
		answer = f.answer(t, call) // a database on a busy machine is allowed to be late; the answer says to call again
	}
	if answer.status == 0 {
		return answer
	}
	id := answer.header.Get("X-Ms-Request-Id")
	f.mu.Lock()
	f.statuses[strconv.Itoa(answer.status)]++
	if answer.status < 400 {
		f.accepted[id] = true
	} else {
		f.refused[id] = name
	}
	f.sent++
	look := f.sent%2000 == 0
	if f.sent%50_000 == 0 {
		f.t.Logf("%d calls were sent", f.sent)
	}
	f.mu.Unlock()
	if look { // the log of many calls is long
		f.logged(call.of)
	}
	switch refused := answer.status >= 400; {
	case answer.status >= 500:
		t.Errorf("%v\nanswered %d %s", call, answer.status, answer.text)
	case id == "":
		t.Errorf("%v\nanswered %d without x-ms-request-id", call, answer.status)
	case refused && len(answer.text) > 4000:
		t.Errorf("%v\nis refused with %d bytes: %.200s…", call, len(answer.text), answer.text)
	case refused && leaks.Match(answer.text), bytes.Contains(answer.text, []byte(fuzzedSecret)):
		t.Errorf("%v\nreveals %q: %s", call, leaks.Find(answer.text), answer.text)
	}
	if answer.status == http.StatusAccepted && call.of == f.calling.memory {
		f.stop(t, call, answer.header.Get("X-Ms-Operation-Id"))
	}
	return answer
}

// answer sends a call and returns the response.
func (f *fuzzed) answer(t *testing.T, call fuzzedCall) answered {
	if call.wire != nil {
		return f.wired(t, call)
	}
	address := call.of.base + call.path
	if call.query != "" {
		address += "?" + call.query
	}
	r, err := http.NewRequestWithContext(t.Context(), call.method, address, bytes.NewReader(call.body))
	if err != nil {
		t.Fatalf("%v: %v", call, err)
	}
	r.Header = call.header
	answer, err := f.client.Do(r)
	if err != nil {
		t.Errorf("%v: no response: %v", call, err)
		return answered{}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Errorf("%v: the response ends early: %v", call, err)
	}
	return answered{answer.StatusCode, answer.Header, text}
}

// stop cancels what a call started.
func (f *fuzzed) stop(t *testing.T, call fuzzedCall, id string) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, call.of.base+"/v1/operations/"+url.PathEscape(id)+"/cancel", http.NoBody)
	check(t, err)
	r.Header.Set("Authorization", call.header.Get("Authorization"))
	answer, err := f.client.Do(r)
	check(t, err)
	check(t, answer.Body.Close())
	if answer.StatusCode != http.StatusAccepted && answer.StatusCode != http.StatusConflict { // it has ended
		t.Errorf("%v\nstarted %s, which cannot be cancelled: %d", call, id, answer.StatusCode)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.accepted[answer.Header.Get("X-Ms-Request-Id")] = true
}

// accepts records the requests that prepare other calls as accepted.
type accepts struct {
	f    *fuzzed
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (a accepts) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := a.next.RoundTrip(r)
	if err == nil {
		a.f.mu.Lock()
		a.f.accepted[answer.Header.Get("X-Ms-Request-Id")] = true
		a.f.mu.Unlock()
	}
	return answer, err
}

// logged checks that the log entries since the last check contain no token and no key.
func (f *fuzzed) logged(w *world) {
	log := w.log.Take()
	for _, secret := range []string{"eyJhbGci", fuzzedSecret} {
		if strings.Contains(log, secret) {
			f.t.Errorf("a token or a key was logged: %s", secret)
		}
	}
}

// checkEvents checks that every event since before names the accepted call that caused it. It skips events that tests
// write directly, whose metadata name only the account.
func (f *fuzzed) checkEvents(w *world, before int64) {
	f.t.Helper()
	rows, err := w.Pool.Query(f.t.Context(), `
		SELECT type, coalesce(metadata::json->>'requestId', '') FROM events
		WHERE position > $1 AND metadata::jsonb - 'account' <> '{}' ORDER BY position`, before)
	check(f.t, err)
	var kind, id string
	events := 0
	_, err = pgx.ForEachRow(rows, []any{&kind, &id}, func() error {
		events++
		if call, was := f.refused[id]; was {
			f.t.Errorf("call %s was refused, and %s was appended", call, kind)
		} else if !f.accepted[id] {
			f.t.Errorf("%s was appended for the request %q, which was not accepted", kind, id)
		}
		return nil
	})
	check(f.t, err)
	if events == 0 {
		f.t.Error("no call appended an event")
	}
	var pending int
	check(f.t, w.Pool.QueryRow(f.t.Context(), `SELECT count(*) FROM idempotency_keys WHERE operation_id IS NULL`).Scan(&pending))
	if pending > 0 {
		f.t.Errorf("%d keys are still held by finished calls", pending)
	}
}
