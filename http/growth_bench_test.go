package http_test

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"testing"

	readinesshttp "readiness/http"
	"readiness/internal/bench"
)

// BenchmarkGrowth is what reading an operation, listing operations and starting an assessment take from 16 callers, by how many
// events the log has and by over how many accounts they and the callers are spread. READINESS_BENCH_EVENTS and
// READINESS_BENCH_ACCOUNTS say other numbers, ten million events say.
func BenchmarkGrowth(b *testing.B) {
	readinesshttp.Start.Limit, readinesshttp.Operations.Limit = 1<<20, 1<<20
	b.Cleanup(func() { readinesshttp.Start.Limit, readinesshttp.Operations.Limit = 30, 500 })
	for _, events := range numbers(b, "READINESS_BENCH_EVENTS", 1_000, 100_000) {
		for _, accounts := range numbers(b, "READINESS_BENCH_ACCOUNTS", 1, 100, 10_000) {
			b.Run(fmt.Sprintf("%d events of %d accounts", events, accounts), func(b *testing.B) {
				callers := min(accounts, bench.Callers) // accounts that call
				c, _ := newCrowd(b, callers, bench.Callers)
				c.grow(b, events, accounts)
				tokens, operations := make([]string, bench.Callers), make([]string, bench.Callers)
				for n := range tokens {
					account := accountNamed(10 + n%callers)
					tokens[n] = c.token(b, account, personNamed(account, n))
					header, err := answers(c.client, http.MethodPost, c.base+modelPath(modelA)+"/assess", tokens[n], http.StatusAccepted)
					check(b, err)
					operations[n] = "/v1/operations/" + header.Get("X-Ms-Operation-Id")
				}
				for _, call := range []struct {
					name, method string
					path         func(caller int) string
					status       int
				}{
					{"read", http.MethodGet, func(caller int) string { return operations[caller] }, http.StatusOK},
					{"list", http.MethodGet, func(int) string { return "/v1/operations" }, http.StatusOK},
					{"start", http.MethodPost, func(int) string { return modelPath(modelA) + "/assess" }, http.StatusAccepted},
				} {
					b.Run(call.name, func(b *testing.B) {
						calls, err := bench.Together(bench.Callers, b.N, func(caller, _ int) error {
							_, err := answers(c.client, call.method, c.base+call.path(caller), tokens[caller], call.status)
							return err
						})
						check(b, err)
						report(b, calls)
					})
				}
			})
		}
	}
}

func numbers(b *testing.B, env string, otherwise ...int) []int {
	b.Helper()
	text := os.Getenv(env)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	check(b, err)
	return []int{n}
}

// grow fills the log, five events a stream, and the views of operations and of accounts with what was there before, spread over as
// many accounts, the first of which are those of the crowd. Nobody hashes it.
func (c *crowd) grow(b *testing.B, events, accounts int) {
	b.Helper()
	for _, sql := range []string{
		`INSERT INTO accounts_v1 (account_id, plan, status, settings) SELECT 'acct-' || 10 + i, 'Enterprise', 'Active', '{"aiFeatures":true}' FROM generate_series(0, $2::int - 1) i WHERE $1::int > 0 ON CONFLICT DO NOTHING`,
		`INSERT INTO members_v1 (account_id, issuer, person, member) SELECT 'acct-' || 10 + i, '', 'past-' || i, '{}' FROM generate_series(0, $2::int - 1) i WHERE $1::int > 0`,
		`INSERT INTO streams (stream, account_id, type, version, chain) SELECT 'past-' || i, 'acct-' || 10 + i % $2::int, 'past', 5, sha256('') FROM generate_series(1, $1::int / 5) i`,
		`INSERT INTO events (event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash)
			SELECT md5(i || '-' || v)::uuid, 'acct-' || 10 + i % $2::int, 'past-' || i, v, 'past.happened', 1, '{}', json_build_object('account', 'acct-' || 10 + i % $2::int, 'person', 'past-' || i % 50, 'operationId', md5('o' || i)), now() - interval '1 day', sha256('')
			FROM generate_series(1, $1::int / 5) i, generate_series(1, 5) v`,
		`INSERT INTO operations_v2 (id, account_id, issuer, person, type, status, created_at, updated_at, workspace_id, item_type, impact, waits)
			SELECT md5('o' || i)::uuid, 'acct-' || 10 + i % $2::int, '', 'past-' || i % 50, 'AssessSemanticModel', 'Succeeded', now() - i * interval '1 second', now(), md5('w')::uuid, 'SemanticModel', '{}', false
			FROM generate_series(1, $1::int / 5) i`,
	} {
		_, err := c.pool.Exec(b.Context(), sql, events, accounts)
		check(b, err)
	}
	_, err := c.pool.Exec(b.Context(), "VACUUM ANALYZE")
	check(b, err)
}
