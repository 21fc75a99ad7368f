package http_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"readiness/http/routing"
	"readiness/test/bench"
)

// BenchmarkGrowth measures reading an operation, listing operations and starting an assessment from 16 callers, by
// the number of events in the log and by the number of accounts that they and the callers are spread over.
// READINESS_BENCH_EVENTS and READINESS_BENCH_ACCOUNTS set other numbers, for example ten million events.
func BenchmarkGrowth(b *testing.B) {
	routing.Start.Limit, routing.Operations.Limit = 1<<20, 1<<20
	b.Cleanup(func() { routing.Start.Limit, routing.Operations.Limit = 30, 500 })
	// No start ends here, so each model's list of the operations that reserved room for it grows with every start.
	models := []uuid.UUID{modelA, modelB, modelC, kept}
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
					path         func(caller, made int) string
					status       int
				}{
					{"read", http.MethodGet, func(caller, _ int) string { return operations[caller] }, http.StatusOK},
					{"list", http.MethodGet, func(int, int) string { return "/v1/operations" }, http.StatusOK},
					{"start", http.MethodPost, func(_, made int) string { return modelPath(models[made%len(models)]) + "/assess" }, http.StatusAccepted},
				} {
					b.Run(call.name, func(b *testing.B) {
						calls, err := bench.Together(bench.Callers, b.N, func(caller, made int) error {
							_, err := answers(c.client, call.method, c.base+call.path(caller, made), tokens[caller], call.status)
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
	n, err := bench.Number(env, 0)
	check(b, err)
	if n > 0 {
		return []int{n}
	}
	return otherwise
}

// grow fills the log and the views with earlier events, spread over the number of accounts, starting with those of
// the crowd.
func (c *crowd) grow(b *testing.B, events, accounts int) {
	b.Helper()
	for _, sql := range []string{
		`INSERT INTO accounts_v2 (account_id, plan, status, settings) SELECT 'acct-' || 10 + i, 'Enterprise', 'Active', '{"aiFeatures":true}' FROM generate_series(0, $1::int - 1) i ON CONFLICT DO NOTHING`,
		`INSERT INTO members_v2 (account_id, person, member) SELECT 'acct-' || 10 + i, 'past-' || i, '{}' FROM generate_series(0, $1::int - 1) i`,
	} {
		_, err := c.Pool.Exec(b.Context(), sql, accounts)
		check(b, err)
	}
	check(b, bench.Fill(b.Context(), c.Pool, events, accounts))
}
