package eventstore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/bench"
	"readiness/test/pgtest"
)

// logOf appends n events to n/100 streams.
func logOf(b *testing.B, n int) *eventstore.Store {
	b.Helper()
	s, pool := open(b)
	events := make([]domain.Event, 100)
	for i := range events {
		events[i] = spent{Units: i, Total: i * i, By: "somebody with a name"}
	}
	for i := range n / len(events) {
		mustAdd(b, s, fmt.Sprintf("budget-%d", i), events...)
	}
	if _, err := pool.Exec(b.Context(), "ANALYZE events"); err != nil {
		b.Fatal(err)
	}
	return s
}

func perSecond(b *testing.B, n int) {
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}

// appender is a log with the view of operations, and operations to append to, all of them already
// begun.
type appender struct {
	url   string
	pool  *pgxpool.Pool
	log   *eventstore.Store
	trace *bench.Statements
}

// benchOperation returns the id of an operation; whose says who appends to it: the service's callers,
// pgbench, or the append whose statements pgbench repeats.
func benchOperation(whose, n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-0000000%d00%d", whose, n))
}

const ours, pgbenchs, repeated = 1, 2, 3

func newAppender(b *testing.B) appender {
	b.Helper()
	a := appender{url: pgtest.URL(b), trace: &bench.Statements{}}
	config, err := pgxpool.ParseConfig(a.url)
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = bench.Callers
	config.ConnConfig.Tracer = a.trace
	if a.pool, err = pgxpool.NewWithConfig(b.Context(), config); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(a.pool.Close)
	codec, err := eventstore.NewCodec(eventstore.Events(operation.Accepted{}, operation.Progressed{})...)
	if err != nil {
		b.Fatal(err)
	}
	engine := projections.NewEngine(a.pool, projections.Operations)
	if err := engine.Create(b.Context()); err != nil {
		b.Fatal(err)
	}
	a.log = eventstore.New(a.pool, codec, eventstore.Options{Inline: engine.Inline})
	for n := range bench.Callers {
		for _, whose := range []int{ours, pgbenchs, repeated} {
			id := benchOperation(whose, 10+n)
			err := a.append(b.Context(), id, operation.Accepted{
				OperationID: id, AccountID: "acme", Type: operation.AssessSemanticModel, Owner: item.PersonID("ada"),
				Resource: operation.Resource{WorkspaceID: id, ItemID: &id, ItemType: item.SemanticModel}, Impact: operation.Impact{Assessments: new(1)},
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	return a
}

func (a appender) append(ctx context.Context, id uuid.UUID, events ...domain.Event) error {
	past := eventstore.Tail(operation.Stream(id))
	return a.log.Change(ctx, meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, record(events))
	})
}

// BenchmarkAppend loads, decides and appends on 16 connections, each to its own stream, with the view
// of operations. It has pgbench send the same statements as often, from as many clients.
// READINESS_BENCH_EVENTS sets how many events exist before.
func BenchmarkAppend(b *testing.B) {
	past, err := bench.Number("READINESS_BENCH_EVENTS", 0)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 10} {
		a := newAppender(b)
		if err := bench.Fill(b.Context(), a.pool, past, 1); err != nil {
			b.Fatal(err)
		}
		events := slices.Repeat([]domain.Event{operation.Progressed{Percent: 50}}, n)
		if err := a.append(a.trace.Keep(b.Context()), benchOperation(repeated, 10), events...); err != nil {
			b.Fatal(err)
		}
		script := &bench.Script{Statements: a.trace.Kept()}
		script.Argument = bench.AppendArgument(script.Statements)
		script.Replace = []bench.Replacement{{Text: benchOperation(repeated, 10).String(), Expression: "'" + strings.TrimSuffix(benchOperation(pgbenchs, 10).String(), "10") + "' || :client"}}
		b.Run(fmt.Sprintf("%d events", n), func(b *testing.B) {
			before := count(b, a.pool, "events")
			sent := 0
			b.ResetTimer()
			calls, ratio, reason, err := bench.Against(b.N, func(n int) (bench.Calls, error) {
				return bench.Together(bench.Callers, n, func(caller, _ int) error {
					return a.append(b.Context(), benchOperation(ours, 10+caller), events...)
				})
			}, func(n int) (float64, error) {
				sent += bench.Callers * max(1, n/bench.Callers)
				return script.Run(b.Context(), a.url, bench.Callers, n/bench.Callers)
			})
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(n)*calls.PerSecond(), "events/s")
			b.ReportMetric(float64(calls.Quantile(0.5).Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(calls.Quantile(0.99).Microseconds())/1000, "p99-ms")
			if reason != nil {
				b.Log("not compared: ", reason)
				return
			}
			if got, want := count(b, a.pool, "events"), before+n*(b.N+sent); got != want {
				b.Fatalf("there are %d events, want %d: pgbench did not do the same as the store", got, want)
			}
			b.ReportMetric(ratio, "of-pgbench")
		})
	}
}

// BenchmarkLoad loads a stream of 100 events.
func BenchmarkLoad(b *testing.B) {
	s := logOf(b, 10_000)
	i := 0
	for b.Loop() {
		i++
		if err := s.Load(b.Context(), eventstore.Fold(fmt.Sprintf("budget-%d", i%100), evolveBudget)); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b, 100*b.N)
}

// BenchmarkLoadAccount loads an account with that many people, as every operation does at its start:
// from its cached state and, in alternation, from its first event.
func BenchmarkLoadAccount(b *testing.B) {
	for _, people := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprintf("%d people", people), func(b *testing.B) {
			codec, err := eventstore.NewCodec(eventstore.Events(account.PersonSaved{})...)
			if err != nil {
				b.Fatal(err)
			}
			s := eventstore.New(pgtest.Pool(b), codec, eventstore.Options{})
			events := make([]domain.Event, people)
			for i := range events {
				events[i] = account.PersonSaved{Person: account.SavedPerson{
					Person: item.PersonID(benchOperation(ours, 10).String() + "/" + fmt.Sprint(i)), Role: account.Member, License: "main",
				}}
			}
			stream := account.Stream("acme")
			mustAdd(b, s, stream, events...)
			var spent [2]time.Duration
			load := func(of int, p *eventstore.Stream[account.Account]) {
				began := time.Now()
				if err := s.Load(b.Context(), p); err != nil || p.Version != int64(people) {
					b.Fatalf("version %d, %v", p.Version, err)
				}
				spent[of] += time.Since(began)
			}
			load(0, eventstore.FoldCached(stream, account.Evolve)) // stores the cached state
			spent = [2]time.Duration{}
			b.ResetTimer()
			for range b.N {
				load(0, eventstore.FoldCached(stream, account.Evolve))
				load(1, eventstore.Fold(stream, account.Evolve))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(spent[0].Microseconds())/float64(b.N)/1000, "kept-ms")
			b.ReportMetric(float64(spent[1].Microseconds())/float64(b.N)/1000, "afresh-ms")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "afresh/kept")
		})
	}
}

func BenchmarkReadAll(b *testing.B) {
	const n = 200_000
	s := logOf(b, n)
	for b.Loop() {
		got := 0
		for _, err := range s.ReadAll(b.Context(), 0, 0) {
			if err != nil {
				b.Fatal(err)
			}
			got++
		}
		if got != n {
			b.Fatalf("got %d events", got)
		}
	}
	perSecond(b, n*b.N)
}

func BenchmarkVerify(b *testing.B) {
	const n = 200_000
	s := logOf(b, n)
	for b.Loop() {
		v, err := s.Verify(b.Context(), eventstore.VerifyOptions{})
		if err != nil || v.Events != n || v.Mismatches != 0 {
			b.Fatalf("%+v, %v", v, err)
		}
	}
	perSecond(b, n*b.N)
}
