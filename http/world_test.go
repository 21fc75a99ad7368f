package http_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/commands"
	"readiness/definition"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/eventstore/audit"
	readinesshttp "readiness/http"
	"readiness/http/health"
	"readiness/http/rate"
	"readiness/http/routing"
	"readiness/http/token"
	"readiness/internal/database"
	"readiness/test/bench"
	"readiness/test/openapitest"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

var (
	sales   = uuid.MustParse("11111111-1111-4111-8111-111111111111") // a workspace that all people see
	finance = uuid.MustParse("22222222-2222-4222-8222-222222222222") // a workspace that only ada sees
	nowhere = uuid.MustParse("99999999-9999-4999-8999-999999999999")

	modelA  = uuid.MustParse("aaaaaaaa-0000-4000-8000-000000000001")
	modelB  = uuid.MustParse("aaaaaaaa-0000-4000-8000-000000000002")
	modelC  = uuid.MustParse("aaaaaaaa-0000-4000-8000-000000000003")
	kept    = uuid.MustParse("aaaaaaaa-0000-4000-8000-000000000004") // maintained by the service
	reportA = uuid.MustParse("cccccccc-0000-4000-8000-000000000001")
	agent   = uuid.MustParse("bbbbbbbb-0000-4000-8000-000000000001")
)

// cloud is an in-memory platform. It does what a folder cannot: it counts its calls, fails for chosen callers, and has
// an item that the service maintains. Tests of what steps write use onDisk.
type cloud struct {
	mu         sync.Mutex
	workspaces []item.Workspace
	items      []item.Item
	seenBy     map[uuid.UUID]string // the only person who sees the workspace
	fails      func(as item.Caller) error
	calls      int
	reading    func(as item.Caller) // called by each read of a definition
	table      string               // of every semantic model
}

func newCloud() *cloud {
	model := func(id uuid.UUID, name string) item.Item {
		return item.Item{ID: id, Type: item.SemanticModel, WorkspaceID: sales, DisplayName: name}
	}
	c := &cloud{
		workspaces: []item.Workspace{{ID: sales, DisplayName: "Sales"}, {ID: finance, DisplayName: "Finance"}},
		items:      []item.Item{model(modelB, "Budget"), model(modelA, "Actuals"), model(modelC, "Costs"), model(kept, "Usage Metrics"), {ID: agent, Type: item.DataAgent, WorkspaceID: sales, DisplayName: "Analyst", Description: "answers"}, {ID: reportA, Type: item.Report, WorkspaceID: sales, DisplayName: "Overview"}},
		seenBy:     map[uuid.UUID]string{finance: "ada"},
		table:      "table Sales\n\n\tmeasure Revenue = SUM(Sales[Amount])\n\n\tcolumn Region\n\t\tdataType: string\n\n\tcolumn Amount\n\t\tdataType: double\n",
	}
	c.items[3].Maintained = true
	return c
}

func (c *cloud) ask(as item.Caller) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	if c.fails != nil {
		return c.fails(as)
	}
	return nil
}

func (c *cloud) Workspaces(_ context.Context, as item.Caller) ([]item.Workspace, error) {
	if err := c.ask(as); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.workspaces), func(w item.Workspace) bool { return c.seenBy[w.ID] != "" && c.seenBy[w.ID] != as.Person.ID }), nil
}

func (c *cloud) Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error) {
	all, err := c.Workspaces(ctx, as)
	if err != nil {
		return item.Workspace{}, err
	}
	i := slices.IndexFunc(all, func(w item.Workspace) bool { return w.ID == id })
	if i < 0 {
		return item.Workspace{}, domain.Refuse(domain.WorkspaceNotFound, "there is no workspace %s that you can see", id).About("workspaceId", id)
	}
	return all[i], nil
}

func (c *cloud) Items(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error) {
	if _, err := c.Workspace(ctx, as, workspaceID); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.items), func(it item.Item) bool { return it.WorkspaceID != workspaceID || it.Type != t }), nil
}

func (c *cloud) Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	all, err := c.Items(ctx, as, workspaceID, t)
	if err != nil {
		return item.Item{}, err
	}
	i := slices.IndexFunc(all, func(it item.Item) bool { return it.ID == id })
	if i < 0 {
		return item.Item{}, domain.Refuse(domain.ItemNotFound, "there is no %s %s that you can see", t, id)
	}
	return all[i], nil
}

// Reports implements the platform port. All reports are built on modelA; none is paginated.
func (c *cloud) Reports(ctx context.Context, as item.Caller, workspaceID uuid.UUID) (listed []item.WorkspaceReport, err error) {
	all, err := c.Items(ctx, as, workspaceID, item.Report)
	for _, it := range all {
		listed = append(listed, item.WorkspaceReport{Item: it, Model: &item.Item{ID: modelA, Type: item.SemanticModel, WorkspaceID: sales}})
	}
	return listed, err
}

func (c *cloud) Capacity(context.Context, item.Caller, uuid.UUID) (item.CapacityState, error) {
	return item.CapacityActive, nil
}

// Usable refuses nothing.
func (c *cloud) Usable(context.Context, item.Caller, bool, ...item.Item) error { return nil }

// Definition implements the platform port: the same model with one measure for every item.
func (c *cloud) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	if _, err := c.Item(ctx, as, it.WorkspaceID, it.Type, it.ID); err != nil {
		return definition.Definition{}, err
	}
	if c.reading != nil {
		c.reading(as)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return definition.New(definition.Part{Path: "definition/tables/Sales.tmdl", Data: []byte(c.table)}), nil
}

// jobs counts the enqueued steps and passes them on when there is a worker.
type jobs struct {
	steps atomic.Int64
	next  commands.Jobs
}

func (j *jobs) Assess(ctx context.Context, tx pgx.Tx, of commands.Origin, steps []assessment.Step) error {
	j.steps.Add(int64(len(steps)))
	if j.next == nil {
		return nil
	}
	return j.next.Assess(ctx, tx, of, steps)
}

func (j *jobs) Optimize(ctx context.Context, tx pgx.Tx, of commands.Origin, step optimization.Step) error {
	j.steps.Add(1)
	if j.next == nil {
		return nil
	}
	return j.next.Optimize(ctx, tx, of, step)
}

func (j *jobs) ChangePixies(ctx context.Context, tx pgx.Tx, of commands.Origin, steps []pixies.Step) error {
	j.steps.Add(int64(len(steps)))
	if j.next == nil {
		return nil
	}
	return j.next.ChangePixies(ctx, tx, of, steps)
}

func (j *jobs) MakeQuestions(ctx context.Context, tx pgx.Tx, of commands.Origin, step benchmark.QuestionStep) error {
	j.steps.Add(1)
	if j.next == nil {
		return nil
	}
	return j.next.MakeQuestions(ctx, tx, of, step)
}

func (j *jobs) ListView(ctx context.Context, tx pgx.Tx, of commands.Origin) error {
	j.steps.Add(1)
	if j.next == nil {
		return nil
	}
	return j.next.ListView(ctx, tx, of)
}

func (j *jobs) Ask(ctx context.Context, tx pgx.Tx, of commands.Origin, step benchmark.Step) error {
	j.steps.Add(1)
	if j.next == nil {
		return nil
	}
	return j.next.Ask(ctx, tx, of, step)
}

func (j *jobs) Rest(ctx context.Context, of commands.Origin, plan account.Plan) (func(context.Context, pgx.Tx) error, error) {
	if j.next == nil {
		return func(context.Context, pgx.Tx) error { return nil }, nil
	}
	return j.next.Rest(ctx, of, plan)
}

func (j *jobs) count() int { return int(j.steps.Load()) }

// world is a service over real HTTP on a real database, with an in-memory platform and a clock that tests set.
type world struct {
	*testworld.World
	t         testing.TB
	url       string            // of the database
	trace     *bench.Statements // of the pool and of the limiters
	cloud     *cloud
	jobs      *jobs
	issuer    *token.Issuer
	issuerDir string
	provider  *provider
	trusted   []token.Trusted // issuers in addition to the embedded one
	log       *testworld.LogBook
	base      string
	client    *http.Client
	collector readinesshttp.Collector
	checks    []health.Check
	limit     time.Duration // how long calls wait for the database; 0 for the default
}

// ahead sets the clock of the service d ahead of the real time. Rates use the database's clock, which does not change.
func (w *world) ahead(d time.Duration) { w.Clock.Set(time.Now().Add(d).UTC()) }

func newWorld(t testing.TB) *world {
	t.Helper()
	w := openWorld(t, testlog.URL(t), t.TempDir())
	w.accounts()
	w.base, w.client = w.serve(w.limiter(w.url))
	return w
}

// openWorld returns a world on a database, with the embedded issuer of a directory, that does not serve yet.
func openWorld(t testing.TB, url, issuer string) *world {
	t.Helper()
	w := &world{t: t, url: url, cloud: newCloud(), jobs: &jobs{}, issuerDir: issuer, log: &testworld.LogBook{}, provider: startProvider(t), trace: &bench.Statements{}}
	w.trusted = []token.Trusted{{URL: w.provider.url, Audiences: []string{"service"}}}
	pool, err := database.Open(t.Context(), w.url, func(c *pgxpool.Config) { c.ConnConfig.Tracer = w.trace })
	check(t, err)
	t.Cleanup(pool.Close)
	w.World = testworld.New(t, testworld.Options{Pool: pool, Clock: testworld.RunningFrom(time.Now().UTC()), Declared: true})
	w.Platform, w.Accounts.Permissions, w.Jobs = w.cloud, w.Views, w.jobs
	w.issuer, err = token.OpenIssuer(issuer)
	check(t, err)
	return w
}

func (w *world) limiter(url string) *rate.Limiter {
	l, err := rate.Open(w.t.Context(), url, rate.Options{Connections: 1, Timeout: patience, Tracer: w.trace})
	check(w.t, err)
	w.t.Cleanup(l.Close)
	return l
}

// serve starts another instance of the service. Its client checks responses against openapi.yaml.
func (w *world) serve(l *rate.Limiter) (base string, client *http.Client) {
	w.t.Helper()
	server := httptest.NewUnstartedServer(nil)
	base = "http://" + server.Listener.Addr().String()
	server.Config.Handler = w.server(base, l).Handler()
	server.Start()
	w.t.Cleanup(server.Close)
	return base, &http.Client{Transport: openapitest.Transport(w.t, &http.Transport{})}
}

func (w *world) server(base string, l *rate.Limiter) *readinesshttp.Server {
	w.t.Helper()
	verifier, err := token.NewVerifier(token.Options{
		Embedded: w.issuer, Now: w.Now, Log: slog.New(slog.DiscardHandler),
		Issuers: w.trusted,
	})
	check(w.t, err)
	s, err := readinesshttp.New(readinesshttp.Options{
		Commands: w.Commands, Views: w.Views, Audit: w.trees(), Verifier: verifier, Limiter: l, Collector: w.collector,
		BaseURL: base, PortalURL: "https://portal.example.com/consent", TokenKey: bytes.Repeat([]byte("k"), 32),
		Checks:   append([]health.Check{{Name: "database", Run: w.Pool.Ping}}, w.checks...),
		Registry: prometheus.NewRegistry(), Log: slog.New(slog.NewJSONHandler(w.log, nil)), Now: w.Now,
		ReadLimit: w.limit, StartLimit: w.limit,
	})
	check(w.t, err)
	return s
}

// trees returns the trees of the log. Tests seal it themselves.
func (w *world) trees() *audit.Log {
	return audit.New(audit.Options{Pool: w.Pool, Watermark: w.Store.Watermark, Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte("c"), 32)), Now: w.Now})
}

// accounts opens the accounts that tests use.
func (w *world) accounts() {
	w.t.Helper()
	on := account.Settings{AddPixies: true, AIFeatures: true, DefinitionCopies: account.CopiesNone}
	off := on
	off.AIFeatures = false
	bare := on
	bare.AddPixies = false
	people := func(names ...string) (all []account.Person) {
		for _, n := range names {
			all = append(all, account.Person{Person: item.Person{ID: n}, Role: account.Member})
		}
		return all
	}
	plain := people("nora")
	plain[0].Role = account.Admin
	acme := people("ada", "bob", "dora")
	acme[0].Role = account.Admin
	acme[0].Permissions = map[item.Permission]item.Access{item.PermissionUsage: item.Granted}
	acme = append(acme,
		account.Person{Person: item.Person{ID: "uma"}, Role: account.Member, Permissions: map[item.Permission]item.Access{item.PermissionUsage: item.Unavailable}},
		account.Person{Person: item.Person{Issuer: w.provider.url, ID: "tenant/eve"}, Role: account.Member})
	_, err := w.Accounts.Apply(w.t.Context(), []account.Declaration{
		{AccountID: "acme", Plan: account.Enterprise, Status: account.Active, Settings: on, People: acme},
		{AccountID: "tiny", Plan: account.Free, Status: account.Active, Settings: on, People: people("tim")},
		{AccountID: "other", Plan: account.Team, Status: account.Active, Settings: on, People: people("oscar", "dora")},
		{AccountID: "asleep", Plan: account.Team, Status: account.Suspended, Settings: on, People: people("sue")},
		{AccountID: "shut", Plan: account.Team, Status: account.Closed, Settings: on, People: people("carl")},
		{AccountID: "plain", Plan: account.Team, Status: account.Active, Settings: off, People: plain},
		{AccountID: "bare", Plan: account.Team, Status: account.Active, Settings: bare, People: people("quin")},
	})
	check(w.t, err)
}

var check = testworld.Check

// accountOf maps a person to the account that their token names.
var accountOf = map[string]string{"ada": "acme", "bob": "acme", "uma": "acme", "oscar": "other", "tim": "tiny", "sue": "asleep", "carl": "shut", "nora": "plain", "quin": "bare", "gus": "agents", "hal": "agents", "ivy": "agents"}

// as returns a person's token with both scopes, or with the given ones.
func (w *world) as(person string, scopes ...string) string {
	w.t.Helper()
	if scopes == nil {
		scopes = []string{token.ScopeRead, token.ScopeReadWrite}
	}
	t, err := w.issuer.Mint(accountOf[person], person, scopes, w.Now(), time.Hour)
	check(w.t, err)
	return t
}

// reply is a response with its complete body.
type reply struct {
	t      testing.TB
	call   string // its method, path and body
	status int
	header http.Header
	text   []byte
	body   map[string]any
}

// send sends a call. headers are alternating names and values. An empty token sends no Authorization.
func (w *world) send(method, path, tok, body string, headers ...string) reply {
	w.t.Helper()
	address := path
	if strings.HasPrefix(path, "/") {
		address = w.base + path
	}
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, address, reader)
	check(w.t, err)
	if tok != "" {
		r.Header.Set("Authorization", "Bearer "+tok)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
			continue
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	answer, err := w.client.Do(r)
	check(w.t, err)
	defer answer.Body.Close()
	got := reply{t: w.t, call: method + " " + path + " " + body, status: answer.StatusCode, header: answer.Header}
	got.text, err = io.ReadAll(answer.Body)
	check(w.t, err)
	_ = json.Unmarshal(got.text, &got.body)
	return got
}

// get, post, patch and delete send a call. The reply is checked against openapi.yaml; refused, says and ok check it
// further.
func (w *world) get(path, tok string, headers ...string) reply {
	w.t.Helper()
	return w.send(http.MethodGet, path, tok, "", headers...)
}

func (w *world) post(path, tok, body string, headers ...string) reply {
	w.t.Helper()
	return w.send(http.MethodPost, path, tok, body, headers...)
}

func (w *world) patch(path, tok, body string, headers ...string) reply {
	w.t.Helper()
	return w.send(http.MethodPatch, path, tok, body, headers...)
}

func (w *world) delete(path, tok string, headers ...string) reply {
	w.t.Helper()
	return w.send(http.MethodDelete, path, tok, "", headers...)
}

// refused fails unless the reply is the refusal.
func (r reply) refused(status int, code domain.Code) reply {
	r.t.Helper()
	if r.status != status || r.body["errorCode"] != string(code) {
		r.t.Fatalf("%.300s: got %d %s, want %d %s", r.call, r.status, r.text, status, code)
	}
	return r
}

// says fails unless the message contains every part.
func (r reply) says(parts ...string) reply {
	r.t.Helper()
	for _, p := range parts {
		if !strings.Contains(fmt.Sprint(r.body["message"]), p) {
			r.t.Fatalf("%.300s: got message %q, want %q in it", r.call, r.body["message"], p)
		}
	}
	return r
}

// parameter returns the values of a refusal's parameter.
func (r reply) parameter(name string) (values []string) {
	parameters, _ := r.body["parameters"].([]any)
	for _, p := range parameters {
		if p := p.(map[string]any); p["name"] == name {
			values = append(values, p["value"].(string))
		}
	}
	return values
}

// ok fails unless the reply has the status.
func (r reply) ok(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%.300s: got %d %s, want %d", r.call, r.status, r.text, status)
	}
	return r
}

// operation returns the id of the operation that a 202 started.
func (r reply) operation() uuid.UUID {
	r.t.Helper()
	r.ok(http.StatusAccepted)
	return uuid.MustParse(r.body["operationId"].(string))
}

func (r reply) value() []map[string]any {
	r.t.Helper()
	list, ok := r.body["value"].([]any)
	if !ok {
		r.t.Fatalf("got %s, want a list", r.text)
	}
	out := make([]map[string]any, len(list))
	for i, v := range list {
		out[i] = v.(map[string]any)
	}
	return out
}

func modelPath(model uuid.UUID) string {
	return "/v1/workspaces/" + sales.String() + "/semanticModels/" + model.String() + "/aiReadiness"
}

var bulkPath = "/v1/workspaces/" + sales.String() + "/aiReadiness/assess"

// assess starts the assessment of a model as the person and returns the operation's id.
func (w *world) assess(person string, model uuid.UUID) uuid.UUID {
	w.t.Helper()
	return w.post(modelPath(model)+"/assess", w.as(person), "").operation()
}

// events returns the number of events in the log.
func (w *world) events() int {
	w.t.Helper()
	return w.Count(w.t, `SELECT count(*) FROM events`)
}

// counts returns what a person of the embedded issuer is counted under.
func (w *world) counts(person string) string { return w.Views.People.Key(item.Person{ID: person}) }

// blocked fills a person's window of a group.
func (w *world) blocked(g routing.Group, accountID, person string) {
	w.t.Helper()
	_, err := w.Pool.Exec(w.t.Context(), `INSERT INTO rate_windows (key, hits) VALUES ($1, array_fill(clock_timestamp(), ARRAY[$2::int]))`, g.Window(accountID, w.counts(person)), g.Limit)
	check(w.t, err)
}

// uncounted empties all windows.
func (w *world) uncounted() {
	w.t.Helper()
	_, err := w.Pool.Exec(w.t.Context(), `DELETE FROM rate_windows`)
	check(w.t, err)
}

// untouched runs do and fails if it appended an event or enqueued a step.
func (w *world) untouched(do func()) {
	w.t.Helper()
	events, steps := w.events(), w.jobs.count()
	do()
	if got := w.events(); got != events {
		w.t.Errorf("%d events were appended, want none", got-events)
	}
	if got := w.jobs.count(); got != steps {
		w.t.Errorf("%d steps were enqueued, want none", got-steps)
	}
}

// change executes commands on a run, as the worker does.
func (w *world) change(accountID string, id uuid.UUID, cmds ...domain.Command[assessment.Run]) {
	w.t.Helper()
	record(w, accountID, operation.Stream(id), assessment.EvolveRun, cmds...)
}

// assessed completes the assessment of a model, as the worker does, and returns the assessment's id.
func (w *world) assessed(accountID string, id, model uuid.UUID, usage assessment.Usage) uuid.UUID {
	w.t.Helper()
	return w.assessedAs(accountID, id, model, assessment.Assessment{RegimeID: "2026-11", Usage: usage, UsageInScoring: usage.Applied})
}

// assessedAs is assessed with members of the assessment. Without a score in them the score is 52.
func (w *world) assessedAs(accountID string, id, model uuid.UUID, a assessment.Assessment) uuid.UUID {
	w.t.Helper()
	made, score := uuid.Must(uuid.NewV7()), 52
	hash, stored, err := w.Work.Documents.Put(w.t.Context(), []byte(`{"schemaVersion":1,"report":{"overall_score":52,"dimensions":[],"findings":[]}}`))
	check(w.t, err)
	run := eventstore.Fold(operation.Stream(id), assessment.EvolveRun)
	standing := eventstore.FoldLast[assessment.Standing](assessment.Stream(accountID, model))
	check(w.t, w.Store.Change(w.t.Context(), eventstore.Metadata{Account: accountID}, []eventstore.Loadable{run, standing}, func(c *eventstore.Change) error {
		c.Queue(stored)
		found := 7
		if a.Score != nil {
			score = *a.Score
		}
		if err := eventstore.Decide(c, run, assessment.EndModel{Result: assessment.Result{ModelID: model, Outcome: assessment.Assessed, AssessmentID: &made, Score: &score, FindingsCount: &found}}); err != nil {
			return err
		}
		a.AssessmentID, a.OperationID, a.WorkspaceID, a.WorkspaceName, a.ModelID, a.ModelName = made, id, sales, "Sales", model, "Actuals"
		a.AssessedAt, a.Score, a.FindingsCount, a.DocumentHash, a.SchemaVersion = w.Now(), &score, 7, hash, 1
		return eventstore.Decide(c, standing, assessment.Record{Assessment: a})
	}))
	return made
}

// provider is an OpenID Connect provider. One account has a person of it.
type provider struct {
	url string
	key *ecdsa.PrivateKey
}

func startProvider(t testing.TB) *provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	p := &provider{key: key}
	point, err := key.PublicKey.Bytes()
	check(t, err)
	b64 := base64.RawURLEncoding.EncodeToString
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": p.url, "jwks_uri": p.url + "/keys"})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]string{"kty": "EC", "crv": "P-256", "kid": "1", "x": b64(point[1:33]), "y": b64(point[33:])}}})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// token returns eve's token with changed claims.
func (p *provider) token(t testing.TB, changes jwt.MapClaims) string {
	t.Helper()
	c := jwt.MapClaims{"iss": p.url, "aud": "service", "sub": "eve", "tid": "tenant", "oid": "eve", "exp": time.Now().Add(time.Hour).Unix(), "scp": token.ScopeReadWrite}
	maps.Copy(c, changes)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	tok := jwt.NewWithClaims(jwt.SigningMethodES256, c)
	tok.Header["kid"] = "1"
	signed, err := tok.SignedString(p.key)
	check(t, err)
	return signed
}
