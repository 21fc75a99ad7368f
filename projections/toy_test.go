package projections_test

import (
	"context"
	"fmt"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/pgtest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// changed is the event that the toy views project: its Ops are the changes.
type changed struct{ Ops []op }

func (changed) EventType() string { return "toy.changed" }

// op is a change of a row: insert, set, add, ensure or delete ('i', 's', 'a', 'e', 'd'). It changes
// the table things under the stream and the key, or the table sums under the key alone.
type op struct {
	Kind byte
	Key  int
	Name string         `json:",omitempty"`
	N    int            `json:",omitempty"`
	More map[string]int `json:",omitempty"`
}

var things = &projections.Table{
	Name: "things",
	Columns: []projections.Column{{"stream", "text"}, {"key", "int"}, {"name", "text"}, {"n", "bigint"}, {"weight", "double precision"}, {"more", "jsonb"},
		{"at", "timestamptz"}, {"event", "uuid"}},
	Key:     []string{"stream", "key"},
	Indexes: []string{"(name, key)", "(n)"},
}

var sums = &projections.Table{
	Name:    "sums",
	Columns: []projections.Column{{"day", "date"}, {"key", "int"}, {"n", "bigint"}, {"events", "int"}},
	Key:     []string{"day", "key"},
}

// totals sums the things of a stream.
var totals = &projections.Table{
	Name:    "totals",
	Columns: []projections.Column{{"stream", "text"}, {"things", "bigint"}, {"n", "bigint"}},
	Key:     []string{"stream"},
	Indexes: []string{"(n)"},
	Derived: &projections.Derived{By: []string{"stream"}, Rows: func(name func(*projections.Table) string, condition string) string {
		return `SELECT p.stream, count(*), sum(p.n)::bigint FROM ` + name(things) + ` p WHERE ` + condition + ` GROUP BY p.stream`
	}},
}

func project(rows *projections.Rows, r eventstore.Recorded) error {
	for _, o := range r.Event.(changed).Ops {
		key := projections.Key{r.Stream, o.Key}
		switch o.Kind {
		case 'i':
			rows.Insert(things, projections.Row{"stream": r.Stream, "key": o.Key, "name": o.Name, "n": o.N, "more": o.More, "at": r.RecordedAt, "event": r.ID})
		case 's':
			rows.Set(things, key, projections.Row{"name": o.Name, "at": r.RecordedAt})
		case 'n':
			rows.Set(things, key, projections.Row{"n": o.N, "more": o.More})
		case 'a':
			rows.Add(things, key, projections.Row{"n": o.N})
		case 'w':
			rows.Add(things, key, projections.Row{"n": o.N, "weight": float64(o.N) / 4})
		case 'e':
			rows.Ensure(things, key)
		case 'd':
			rows.Delete(things, key)
		}
		rows.Add(sums, projections.Key{r.RecordedAt, o.Key}, projections.Row{"n": o.N, "events": 1})
		rows.Derive(totals, projections.Key{r.Stream})
	}
	return nil
}

// toy returns the view of all tables.
func toy(version int, inline bool) *projections.View {
	return &projections.View{Name: "toy", Version: version, Inline: inline, Tables: []*projections.Table{things, sums, totals}, Project: project}
}

// program is a program with its views, on a log that other programs may share.
type program struct {
	pool   *pgxpool.Pool
	engine *projections.Engine
	log    *eventstore.Store
}

func start(t testing.TB, pool *pgxpool.Pool, views ...*projections.View) program {
	t.Helper()
	if pool == nil {
		pool = pgtest.Pool(t)
	}
	codec, err := eventstore.NewCodec(eventstore.Events(changed{})...)
	if err != nil {
		t.Fatal(err)
	}
	p := program{pool: pool, engine: projections.NewEngine(pool, views...)}
	p.log = eventstore.New(pool, codec, eventstore.Options{Inline: p.engine.Inline})
	if err := p.engine.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

type command []domain.Event

func (c command) Decide(struct{}) ([]domain.Event, error) { return c, nil }

// append appends events, with extra work in the appending transaction.
func (p program) append(ctx context.Context, stream string, extra func(context.Context, pgx.Tx) error, events ...domain.Event) error {
	past := eventstore.Tail(stream)
	return p.log.Change(ctx, eventstore.Metadata{Account: "acme"}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if extra != nil {
			c.InTx(extra)
		}
		return eventstore.Decide(c, past, command(events))
	})
}

func (p program) mustAppend(t testing.TB, stream string, events ...domain.Event) {
	t.Helper()
	if err := p.append(t.Context(), stream, nil, events...); err != nil {
		t.Fatal(err)
	}
}

// fill appends n events that each insert a row and change the previous one.
func (p program) fill(t testing.TB, n int) {
	t.Helper()
	const page = 1000
	for from := 0; from < n; from += page {
		events := make([]domain.Event, 0, page)
		for i := from; i < min(n, from+page); i++ {
			ops := []op{{Kind: 'i', Key: i, Name: "new", N: i}}
			if i > 0 {
				ops = append(ops, op{Kind: 's', Key: i - 1, Name: fmt.Sprint("before ", i)})
			}
			events = append(events, changed{ops})
		}
		p.mustAppend(t, fmt.Sprintf("toy-fill%d", from/(5*page)), events...)
	}
}

func (p program) rebuild(t testing.TB, o projections.RebuildOptions) projections.Report {
	t.Helper()
	report, err := p.engine.Rebuild(t.Context(), p.log, "toy", o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// same rebuilds once more and fails if anything differs.
func (p program) same(t testing.TB) {
	t.Helper()
	if r := p.rebuild(t, projections.RebuildOptions{Diff: true}); r.Diff == nil || !r.Diff.None() {
		t.Errorf("the rows differ from those of a rebuild: %+v", r.Diff)
	}
}

func (p program) count(t testing.TB, from string) (n int64) {
	t.Helper()
	if err := p.pool.QueryRow(t.Context(), "SELECT count(*) FROM "+from).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
