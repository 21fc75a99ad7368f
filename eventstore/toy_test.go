package eventstore_test

import (
	"context"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/test/pgtest"

	"github.com/jackc/pgx/v5/pgxpool"
)

// spent is the event of the tests: units are spent from a budget. Each event carries the running
// total, so folding the last one is enough.
type spent struct {
	Units int    `json:"units"`
	Total int    `json:"total"`
	By    string `json:"by,omitempty"`
}

func (spent) EventType() string { return "budget.spent" }
func (e spent) After() budget   { return budget{e.Total, 1} }

type noted struct {
	Text string `json:"text"`
}

func (noted) EventType() string { return "note.noted" }

type budget struct{ Total, Events int }

func evolveBudget(b budget, e domain.Event) budget {
	if e, ok := e.(spent); ok {
		b.Total, b.Events = e.Total, b.Events+1
	}
	return b
}

// spend takes units from a budget of limit units; 0 means no limit.
type spend struct {
	units, limit int
	by           string
}

func (c spend) Decide(b budget) ([]domain.Event, error) {
	if c.limit > 0 && b.Total+c.units > c.limit {
		return nil, domain.Refuse(domain.AssessmentDailyLimitReached, "Only %d of %d are left.", c.limit-b.Total, c.limit)
	}
	return []domain.Event{spent{Units: c.units, Total: b.Total + c.units, By: c.by}}, nil
}

// record is a command that records its events regardless of the past.
type record []domain.Event

func (r record) Decide(struct{}) ([]domain.Event, error) { return r, nil }

func evolveEvents(past []domain.Event, e domain.Event) []domain.Event { return append(past, e) }

func codec(t testing.TB) *eventstore.Codec {
	t.Helper()
	c, err := eventstore.NewCodec(eventstore.Events(spent{}, noted{})...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func open(t testing.TB) (*eventstore.Store, *pgxpool.Pool) {
	t.Helper()
	pool := pgtest.Pool(t)
	return eventstore.New(pool, codec(t), eventstore.Options{}), pool
}

var meta = eventstore.Metadata{Account: "acme", Person: "ann", RequestID: "r-1"}

// add appends events to a stream.
func add(ctx context.Context, s *eventstore.Store, stream string, events ...domain.Event) error {
	past := eventstore.Tail(stream)
	return s.Change(ctx, meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, record(events))
	})
}

func mustAdd(t testing.TB, s *eventstore.Store, stream string, events ...domain.Event) {
	t.Helper()
	if err := add(t.Context(), s, stream, events...); err != nil {
		t.Fatal(err)
	}
}

// count returns the number of rows that SELECT count(*) FROM from finds.
func count(t testing.TB, pool *pgxpool.Pool, from string) (n int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM "+from).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
