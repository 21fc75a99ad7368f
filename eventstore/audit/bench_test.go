package audit_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/eventstore/audit/tree"
	"readiness/projections"
	"readiness/test/bench"
	"readiness/test/pgtest"
)

// appender appends to operations, with their view, as BenchmarkAppend of eventstore does.
type appender struct {
	store *eventstore.Store
	log   *audit.Log
}

func newAppender(b *testing.B) appender {
	b.Helper()
	config, err := pgxpool.ParseConfig(pgtest.URL(b))
	check(b, err)
	config.MaxConns = bench.Callers + 1
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	check(b, err)
	b.Cleanup(pool.Close)
	codec, err := eventstore.NewCodec(eventstore.Events(operation.Accepted{}, operation.Progressed{})...)
	check(b, err)
	engine := projections.NewEngine(pool, projections.Operations)
	check(b, engine.Create(b.Context()))
	a := appender{store: eventstore.New(pool, codec, eventstore.Options{Inline: engine.Inline})}
	a.log = audit.New(audit.Options{Pool: pool, Watermark: a.store.Watermark, Key: key, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	check(b, a.log.Begin(b.Context(), origin))
	for caller := range bench.Callers {
		id := operationOf(caller)
		check(b, a.append(b.Context(), caller, operation.Accepted{
			OperationID: id, AccountID: "acme", Type: operation.AssessSemanticModel, Owner: item.PersonID("ada"),
			Resource: operation.Resource{WorkspaceID: id, ItemID: &id, ItemType: item.SemanticModel}, Impact: operation.Impact{Assessments: new(1)},
		}))
	}
	return a
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func operationOf(caller int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012d", caller))
}

func (a appender) append(ctx context.Context, caller int, event domain.Event) error {
	past := eventstore.Tail(operation.Stream(operationOf(caller)))
	return a.store.Change(ctx, eventstore.Metadata{Account: "acme", Person: "ada"}, []eventstore.Loadable{past},
		func(c *eventstore.Change) error { return eventstore.Decide(c, past, adds{event}) })
}

// turn makes n appends by 16 callers.
func (a appender) turn(b *testing.B, n int) bench.Calls {
	b.Helper()
	calls, err := bench.Together(bench.Callers, n, func(caller, _ int) error {
		return a.append(b.Context(), caller, operation.Progressed{Percent: 50})
	})
	check(b, err)
	return calls
}

// turns is how many turns of each kind BenchmarkSealing takes.
const turns = 21

// BenchmarkSealing alternately appends one event at a time to a log that is sealed and to one that is not. In each turn the sealed
// log seals once, as it does every 10 seconds, what the turn before appended: choose -benchtime so that a turn takes about as long.
func BenchmarkSealing(b *testing.B) {
	sealed, bare := newAppender(b), newAppender(b)
	n := max(1, b.N/turns)
	sealed.turn(b, n)
	bare.turn(b, n)
	var ratios []float64
	var with, without bench.Calls
	one := func() bench.Calls {
		var all sync.WaitGroup
		all.Go(func() {
			if err := sealed.log.Seal(b.Context()); err != nil {
				b.Error(err)
			}
		})
		defer all.Wait()
		return sealed.turn(b, n)
	}
	b.ResetTimer()
	for i := range turns {
		var w, o bench.Calls
		if i%2 == 0 {
			w = one()
			o = bare.turn(b, n)
		} else {
			o = bare.turn(b, n)
			w = one()
		}
		with, without, ratios = with.And(w), without.And(o), append(ratios, w.PerSecond()/o.PerSecond())
	}
	slices.Sort(ratios)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(with.PerSecond(), "sealed/s")
	b.ReportMetric(without.PerSecond(), "bare/s")
	b.ReportMetric(with.Took.Seconds()/turns, "s/turn")
	b.ReportMetric(float64(with.Quantile(0.99).Microseconds())/1000, "sealed-p99-ms")
	b.ReportMetric(float64(without.Quantile(0.99).Microseconds())/1000, "bare-p99-ms")
	b.ReportMetric(ratios[turns/2], "of-bare")
}

// BenchmarkVerify verifies a log and its trees, as events verify does.
func BenchmarkVerify(b *testing.B) {
	const together = 100
	n, err := bench.Number("READINESS_BENCH_EVENTS", 200_000)
	check(b, err)
	w := newWorld(b)
	texts := slices.Repeat([]string{"text of an event that says as much as most of them do, which are of operations and assessments"}, together)
	for i := range n / together {
		w.add(fmt.Sprint("account-", i%20), fmt.Sprint(i), texts...)
	}
	n = n / together * together
	_, err = w.pool.Exec(b.Context(), "VACUUM ANALYZE")
	check(b, err)
	began := time.Now()
	w.seal()
	sealing := time.Since(began)
	var copied, chains, trees time.Duration
	took := func(d *time.Duration, do func()) {
		began := time.Now()
		do()
		*d += time.Since(began)
	}
	verify := func() {
		var all sync.WaitGroup
		defer all.Wait()
		all.Go(func() {
			took(&chains, func() {
				if v, err := w.store.Verify(b.Context(), eventstore.VerifyOptions{}); err != nil || v.Events != int64(n) || v.Mismatches > 0 {
					b.Errorf("%+v, %v", v, err)
				}
			})
		})
		all.Go(func() {
			took(&trees, func() {
				if v, err := w.log.Verify(b.Context(), audit.VerifyOptions{}); err != nil || v.Entries != int64(2*n) || v.Mismatches > 0 {
					b.Errorf("%+v, %v", v, err)
				}
			})
		})
	}
	for b.Loop() {
		b.StopTimer()
		took(&copied, func() { w.copyOut(b) })
		b.StartTimer()
		verify()
	}
	b.ReportMetric(copied.Seconds()/b.Elapsed().Seconds(), "of-COPY-out")
	rate := func(d time.Duration) float64 { return float64(n*b.N) / d.Seconds() }
	b.ReportMetric(rate(chains), "chains-events/s")
	b.ReportMetric(rate(trees), "trees-events/s")
	b.ReportMetric(rate(b.Elapsed()), "events/s")
	b.ReportMetric(float64(n)/sealing.Seconds(), "sealed-events/s")
}

// copyOut has the server send every event with COPY.
func (w *world) copyOut(b *testing.B) {
	b.Helper()
	conn, err := w.pool.Acquire(b.Context())
	check(b, err)
	defer conn.Release()
	_, err = conn.Conn().PgConn().CopyTo(b.Context(), io.Discard, "COPY (SELECT * FROM events ORDER BY position) TO STDOUT")
	check(b, err)
}

// BenchmarkProof proves single events of a tree of ten million entries, or READINESS_BENCH_EVENTS. Its tiles are computed from entries that
// are no events; of a hundred tiles the events are in the log.
func BenchmarkProof(b *testing.B) {
	n, err := bench.Number("READINESS_BENCH_EVENTS", 10_000_000)
	check(b, err)
	w := newWorld(b)
	w.add("acme", "1", "the row of the tree")
	w.seal()
	head := w.grown(b, int64(n))
	var proved []int64
	for i := range int64(100) {
		from := i * (head.Size / tree.Width / 100) * tree.Width
		w.must(w.eventsAt(from, tree.Width))
		proved = append(proved, from+i*37%tree.Width)
	}
	rand.Shuffle(len(proved), func(i, j int) { proved[i], proved[j] = proved[j], proved[i] })
	_, err = w.pool.Exec(b.Context(), "VACUUM ANALYZE")
	check(b, err)
	b.ResetTimer()
	calls, err := bench.Together(1, b.N, func(_, made int) error {
		index := proved[made%len(proved)]
		file, err := w.log.Proof(b.Context(), "acme", eventAt(index))
		if err != nil {
			return err
		}
		b.StopTimer()
		defer b.StartTimer()
		proof, found, _ := parsed(b, file)
		if found != index {
			return fmt.Errorf("the proof proves entry %d, want %d", found, index)
		}
		return tree.Included(proof, head, index, leafAt(index))
	})
	check(b, err)
	b.ReportMetric(float64(calls.Quantile(0.5).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(calls.Quantile(0.99).Microseconds())/1000, "p99-ms")
}

func eventAt(index int64) uuid.UUID { return uuid.NewSHA1(uuid.Nil, fmt.Append(nil, index)) }

func leafAt(index int64) tree.Hash { return tree.Leaf(fmt.Append(nil, index)) }

// positionAt returns the position of the event with an index: every third position belongs to another account.
func positionAt(index int64) int64 { return 2 + index/2*3 + index%2 }

// grown replaces the tree of acme by one of n entries.
func (w *world) grown(b *testing.B, n int64) tree.Head {
	b.Helper()
	_, err := w.pool.Exec(b.Context(), `ALTER TABLE audit_tiles DISABLE TRIGGER audit_tiles_keep; DELETE FROM audit_tiles WHERE tree = 'acme'`)
	check(b, err)
	edge, partial := &tree.Edge{}, map[tree.At]tree.Tile{}
	store := func(tiles []tree.Tile) {
		var rows [][]any
		for _, t := range tiles {
			var first, last *int64
			if t.Level == 0 {
				first = new(positionAt(t.Index * tree.Width))
				last = new(positionAt(t.Index*tree.Width + int64(len(t.Hashes)/sha256.Size) - 1))
			}
			rows = append(rows, []any{"acme", 1, t.Level, t.Index, t.Hashes, first, last})
		}
		_, err := w.pool.CopyFrom(b.Context(), pgx.Identifier{"audit_tiles"},
			[]string{"tree", "epoch", "level", "index", "hashes", "first_position", "last_position"}, pgx.CopyFromRows(rows))
		check(b, err)
	}
	for i := range n {
		edge.Append(leafAt(i))
		if edge.Size()%(64*tree.Width) != 0 && edge.Size() < n {
			continue
		}
		var full []tree.Tile
		for _, t := range edge.Changed() {
			if delete(partial, t.At); len(t.Hashes) == tree.Width*sha256.Size {
				full = append(full, t)
			} else {
				partial[t.At] = t
			}
		}
		store(full)
	}
	store(slices.Collect(maps.Values(partial)))
	head := tree.Head{Size: n, Root: edge.Root()}
	_, err = w.pool.Exec(b.Context(), `UPDATE audit_trees SET size = $1, root = $2, position = $3 WHERE tree = 'acme'`, n, head.Root[:], positionAt(n))
	check(b, err)
	return head
}

// eventsAt adds events with the indexes to the log of acme.
func (w *world) eventsAt(from, n int64) error {
	rows := make([][]any, n)
	for i := range n {
		at := from + i
		rows[i] = []any{positionAt(at), eventAt(at), "acme", fmt.Sprint("past-", at), 1, "note.noted", 1, "{}", "{}", w.now, make([]byte, sha256.Size)}
	}
	_, err := w.pool.CopyFrom(w.Context(), pgx.Identifier{"events"}, []string{"position", "event_id", "account_id", "stream", "version", "type",
		"schema_version", "data", "metadata", "recorded_at", "hash"}, pgx.CopyFromRows(rows))
	return err
}
