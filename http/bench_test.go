package http_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/http/rate"
	"readiness/http/routing"
	"readiness/http/token"
	"readiness/projections"
	"readiness/test/bench"
	"readiness/test/pgtest"
	"readiness/test/testworld"
	"readiness/work"
)

// crowd is a service as it runs for many people: a pool of 20 connections, a folder of four models, steps that are
// enqueued but not executed, and accounts whose people take turns.
type crowd struct {
	*onDisk
	people int               // per account
	tokens map[string]string // by person
	client *http.Client
}

// accountNamed returns the id of an account. n has at least two digits.
func accountNamed(n int) string { return fmt.Sprint("acct-", n) }

// personNamed returns the id of a person who is only in that account.
func personNamed(account string, n int) string { return fmt.Sprint(account, "-p-", n) }

func withConnections(b *testing.B, address string, n int) string {
	b.Helper()
	u, err := url.Parse(address)
	check(b, err)
	q := u.Query()
	q.Set("pool_max_conns", fmt.Sprint(n))
	u.RawQuery = q.Encode()
	return u.String()
}

// newCrowd returns a crowd with accounts of people each. Account numbers start at 10.
func newCrowd(b *testing.B, accounts, people int) (c *crowd, address string) {
	b.Helper()
	address = pgtest.URL(b)
	c = &crowd{people: people, onDisk: &onDisk{openWorld(b, withConnections(b, address, 20), b.TempDir())}, tokens: map[string]string{}}
	c.Workspace(b, testworld.Workspace{ID: sales, Name: "Sales"})
	for i, id := range []uuid.UUID{modelA, modelB, modelC, kept} {
		c.model("Sales", fmt.Sprint("Model ", i), id, shop())
	}
	c.Platform, c.Accounts.Permissions = c.Folder, c.Folder
	c.Work.Log, c.log.Blank = slog.New(slog.DiscardHandler), true
	queue, err := work.NewQueue(c.Work)
	check(b, err)
	c.Jobs = queue
	declared := make([]account.Declaration, accounts)
	for i := range declared {
		people := make([]account.Person, people)
		for p := range people {
			people[p] = account.Person{Person: item.Person{ID: personNamed(accountNamed(10+i), p)}, Role: account.Member}
		}
		declared[i] = account.Declaration{
			AccountID: accountNamed(10 + i), Plan: account.Enterprise, Status: account.Active,
			Settings: account.Settings{AddPixies: true, AIFeatures: true, DefinitionCopies: account.CopiesNone}, People: people,
		}
	}
	_, err = c.Accounts.Apply(b.Context(), declared)
	check(b, err)
	_, err = c.Pool.Exec(b.Context(), "VACUUM ANALYZE accounts_v2_g1, members_v2_g1") // before any plan is cached for empty tables
	check(b, err)
	// As many connections as the program has; tests have one.
	limiter, err := rate.Open(b.Context(), address, rate.Options{Timeout: patience, Tracer: c.trace, Statements: projections.CallStatements()})
	check(b, err)
	b.Cleanup(limiter.Close)
	c.base, _ = c.serve(limiter)
	c.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: bench.Callers}}
	return c, address
}

// token returns a token of a person of an account.
func (c *crowd) token(b *testing.B, accountID, person string) string {
	b.Helper()
	if c.tokens[person] == "" {
		minted, err := c.issuer.Mint(accountID, person, []string{token.ScopeRead, token.ScopeReadWrite}, c.Now(), time.Hour)
		check(b, err)
		c.tokens[person] = minted
	}
	return c.tokens[person]
}

// tokensOf returns the tokens of all people of an account.
func (c *crowd) tokensOf(b *testing.B, account int) []string {
	b.Helper()
	tokens := make([]string, c.people)
	for p := range tokens {
		tokens[p] = c.token(b, accountNamed(account), personNamed(accountNamed(account), p))
	}
	return tokens
}

// answers makes a call and returns an error unless it has the status.
func answers(client *http.Client, method, address, token string, status int) (http.Header, error) {
	r, err := http.NewRequest(method, address, nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != status {
		err = fmt.Errorf("%s %s: got %d %s, want %d", method, address, answer.StatusCode, text, status)
	}
	return answer.Header, err
}

func report(b *testing.B, calls bench.Calls) {
	b.ReportMetric(calls.PerSecond(), "calls/s")
	b.ReportMetric(float64(calls.Quantile(0.5).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(calls.Quantile(0.99).Microseconds())/1000, "p99-ms")
}

// readers is the number of people per account who only read: enough that none reaches the rate limit.
const readers = 64

// BenchmarkGetOperation reads operations from 16 callers. For comparison, the same callers use a net/http handler
// that selects the row by its key and writes it as JSON.
func BenchmarkGetOperation(b *testing.B) {
	c, address := newCrowd(b, bench.Callers, readers)
	operations, tokens := make([]string, bench.Callers), make([][]string, bench.Callers)
	for n := range operations {
		tokens[n] = c.tokensOf(b, 10+n)
		header, err := answers(c.client, http.MethodPost, c.base+modelPath(modelA)+"/assess", tokens[n][0], http.StatusAccepted)
		check(b, err)
		operations[n] = header.Get("X-Ms-Operation-Id")
		for _, token := range tokens[n] { // so that their signatures are cached
			_, err := answers(c.client, http.MethodGet, c.base+"/v1/operations/"+operations[n], token, http.StatusOK)
			check(b, err)
		}
	}
	pool, err := pgxpool.New(b.Context(), withConnections(b, address, 20))
	check(b, err)
	defer pool.Close()
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var id uuid.UUID
		var status string
		var created, updated time.Time
		err := pool.QueryRow(r.Context(), `SELECT id, status, created_at, updated_at FROM operations_v6_g1 WHERE id = $1`, strings.TrimPrefix(r.URL.Path, "/")).Scan(&id, &status, &created, &updated)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":%q,"status":%q,"created":%q,"updated":%q}`, id, status, created, updated)
	}))
	defer bare.Close()
	b.Run("16 callers", func(b *testing.B) {
		calls, ratio, _, err := bench.Against(b.N, func(n int) (bench.Calls, error) {
			return bench.Together(bench.Callers, n, func(caller, made int) error {
				_, err := answers(c.client, http.MethodGet, c.base+"/v1/operations/"+operations[caller], tokens[caller][made%c.people], http.StatusOK)
				return err
			})
		}, func(n int) (float64, error) {
			alone, err := bench.Together(bench.Callers, n, func(caller, _ int) error {
				_, err := answers(c.client, http.MethodGet, bare.URL+"/"+operations[caller], "", http.StatusOK)
				return err
			})
			return alone.PerSecond(), err
		})
		check(b, err)
		report(b, calls)
		b.ReportMetric(ratio, "of-bare")
	})
}

// starters is the number of people per account who start work, which reads the account's stream.
const starters = 4

// BenchmarkPostAssessment starts assessments from 16 callers, each in its own account. For comparison, pgbench sends
// the same statements as often from as many clients. Then all callers are of one account, and start the assessments of four
// models. Every call is counted, against a limit that it does not reach.
func BenchmarkPostAssessment(b *testing.B) {
	const pgbenchs, ours, repeated, one = 10, 30, 50, 51 // account numbers
	limit := routing.Start.Limit
	routing.Start.Limit = 1 << 20
	b.Cleanup(func() { routing.Start.Limit = limit })
	c, address := newCrowd(b, one-9, starters)
	assessOf := func(token string, model uuid.UUID) error {
		_, err := answers(c.client, http.MethodPost, c.base+modelPath(model)+"/assess", token, http.StatusAccepted)
		return err
	}
	assess := func(token string) error { return assessOf(token, modelA) }
	tokens := make([][]string, bench.Callers)
	var first []string // one person of every account that pgbench continues or repeats
	for n := range tokens {
		tokens[n] = c.tokensOf(b, ours+n)
		first = append(first, c.tokensOf(b, pgbenchs+n)[0])
	}
	first = append(first, c.tokensOf(b, repeated)[0])
	for _, token := range first { // the first assessment of a model does more work
		check(b, errors.Join(assess(token), assess(token)))
	}
	for n := range tokens {
		check(b, errors.Join(assess(tokens[n][0]), assess(tokens[n][0])))
	}
	script := c.assessmentAsStatements(b, first[len(first)-1], accountNamed(repeated))
	b.Run("16 callers", func(b *testing.B) {
		events := 0
		calls, ratio, reason, err := bench.Against(b.N, func(n int) (bench.Calls, error) {
			return bench.Together(bench.Callers, n, func(caller, made int) error { return assess(tokens[caller][made%c.people]) })
		}, func(n int) (float64, error) {
			events = c.events()
			return script.Run(b.Context(), address, bench.Callers, n/bench.Callers)
		})
		check(b, err)
		report(b, calls)
		if reason != nil {
			b.Log("not compared: ", reason)
			return
		}
		if c.events() == events {
			b.Fatal("pgbench appended nothing")
		}
		b.ReportMetric(ratio, "of-pgbench")
	})
	models, people := []uuid.UUID{modelA, modelB, modelC, kept}, c.tokensOf(b, one)
	for _, id := range models {
		check(b, errors.Join(assessOf(people[0], id), assessOf(people[0], id)))
	}
	b.Run("one account", func(b *testing.B) {
		calls, err := bench.Together(bench.Callers, b.N, func(caller, made int) error {
			return assessOf(people[caller%len(people)], models[made%len(models)])
		})
		check(b, err)
		report(b, calls)
	})
}

// assessmentAsStatements returns a pgbench script with the statements of one more assessment by the first person of
// an account.
func (c *crowd) assessmentAsStatements(b *testing.B, token, accountID string) *bench.Script {
	b.Helper()
	r := httptest.NewRequestWithContext(c.trace.Keep(b.Context()), http.MethodPost, modelPath(modelA)+"/assess", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	answer := httptest.NewRecorder()
	c.server(c.base, c.limiter(c.url)).Handler().ServeHTTP(answer, r)
	if answer.Code != http.StatusAccepted {
		b.Fatalf("got %d %s", answer.Code, answer.Body)
	}
	// The queue notifies the workers at most once in ten milliseconds, so the script leaves that out.
	s := &bench.Script{Statements: slices.DeleteFunc(c.trace.Kept(), func(one bench.Statement) bool { return strings.Contains(one.SQL, "PGNotifyMany") })}
	appended := bench.AppendArgument(s.Statements)
	s.Argument = func(one bench.Statement, n int) string {
		if strings.Contains(one.SQL, "INTO rate_windows") && n == 0 { // the people of the account take turns
			return fmt.Sprintf(`ARRAY['start "acct-' || :client || '" "" "acct-' || :client || '-p-' || (:made::int %% %d) || '"']`, c.people)
		}
		return appended(one, n)
	}
	s.Replace = []bench.Replacement{
		{Text: answer.Header().Get("X-Ms-Operation-Id"), Expression: "'00000000-0000-4000-8000-' || :n"},
		{Text: accountID, Expression: "'acct-' || :client"},
	}
	return s
}

// BenchmarkRoutes calls every route from 16 callers. Each write has its own target, and there are only as many as can
// be prepared quickly. So the figures are for readsOfRoute or writesOfRoute calls, whatever b.N is.
func BenchmarkRoutes(b *testing.B) {
	const readsOfRoute, writesOfRoute = 480, 48
	for _, g := range []*routing.Group{&routing.Start, &routing.Read, &routing.Operations, &routing.Pixies} {
		limit := g.Limit
		g.Limit = 1 << 20
		b.Cleanup(func() { g.Limit = limit })
	}
	for n, route := range routing.Table() {
		b.Run(route.Method+" "+strings.ReplaceAll(route.Path, "/", "|"), func(b *testing.B) {
			c := newCalling(b)
			_, calls := c.callsOfRoutes(b)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: bench.Callers}}
			many := writesOfRoute
			if route.Method == http.MethodGet {
				many = bench.Callers
			}
			prepared := make([]routed, many)
			for i := range prepared {
				c.memory.uncounted()
				c.disk.uncounted()
				prepared[i] = calls[n](i)
			}
			c.memory.uncounted()
			c.disk.uncounted()
			if route.Method == http.MethodGet {
				many = readsOfRoute
			}
			var next atomic.Int64
			tokens := map[*world]string{c.memory: c.memory.as("ada"), c.disk.world: c.disk.as("ada")}
			made, err := bench.Together(bench.Callers, many, func(int, int) error {
				call := prepared[int(next.Add(1)-1)%len(prepared)]
				answer, err := client.Do(call.request(b, route.Method, tokens[call.of]))
				if err != nil {
					return err
				}
				defer answer.Body.Close()
				text, err := io.ReadAll(answer.Body)
				if err == nil && answer.StatusCode != call.status {
					err = fmt.Errorf("%s %s: got %d %s, want %d", route.Method, call.path, answer.StatusCode, text, call.status)
				}
				return err
			})
			check(b, err)
			report(b, made)
			b.ReportMetric(0, "ns/op")
		})
	}
}
