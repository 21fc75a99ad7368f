package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
	"readiness/test/bench"
	"readiness/test/pgtest"
)

var scanned = regexp.MustCompile(`Seq Scan on (\w+)`)

// Every way to load, append, read and follow uses an index, whether or not the database knows the
// values when it plans. Verify reads the entire log and is exempt.
func TestEveryStatementOfTheLogIsByIndex(t *testing.T) {
	t.Parallel()
	sent := &bench.Statements{All: true}
	config, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.Tracer = sent
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	s := eventstore.New(pool, codec(t), eventstore.Options{})
	fill(t, pool, 0, 20_000)
	table(t, pool)
	all := func(stored func(func(eventstore.Recorded, error) bool)) {
		t.Helper()
		for _, err := range stored {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	wants := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ways := map[string]func(){
		"Change": func() {
			mustAdd(t, s, "budget-new", spent{})
			// A change that another writer overtakes locks the rows in the next attempt.
			past, overtaken := eventstore.FoldLast[budget]("budget-new"), false
			if err := s.Change(t.Context(), meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
				if !overtaken {
					overtaken = true
					mustAdd(t, s, "budget-new", spent{})
				}
				return eventstore.Decide(c, past, spend{units: 1})
			}); err != nil {
				t.Fatal(err)
			}
		},
		"Load": func() {
			if err := s.Load(t.Context(), eventstore.Fold("budget-7", evolveBudget), eventstore.FoldLast[budget]("budget-8")); err != nil {
				t.Fatal(err)
			}
		},
		"ReadStream": func() { all(s.ReadStream(t.Context(), "budget-7", 1)) },
		"ReadAll":    func() { all(s.ReadAll(t.Context(), 19_000, 0)) },
		"Replay": func() {
			all(s.Replay(t.Context(), eventstore.Selection{After: 19_000, UpTo: 20_000}, nil, false))
			all(s.Replay(t.Context(), eventstore.Selection{After: 19_000, UpTo: 20_000}, []string{"budget.spent"}, true))
		},
		"ReadVisible": func() {
			if err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { all(s.ReadVisible(t.Context(), tx, 19_000, 20_000, false)); return nil }); err != nil {
				t.Fatal(err)
			}
		},
		"ReadStored": func() {
			for _, sel := range []eventstore.Selection{{Account: "account7"}, {Account: "account7", After: 10_000}, {Stream: "budget-7"}, {Stream: "budget-7", Account: "account7"}} {
				all(s.ReadStored(t.Context(), sel))
			}
		},
		"Watermark": func() {
			if _, err := s.Watermark(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"Follow": func() {
			if _, err := pool.Exec(t.Context(), `INSERT INTO followers (name, position) VALUES ('near', 19990)`); err != nil {
				t.Fatal(err)
			}
			stop := follow(t, s, "near", func(context.Context, pgx.Tx, eventstore.Recorded) error { return nil })
			caughtUp(t, pool, "near")
			stop()
		},
		"Positions": func() {
			if _, _, err := s.Positions(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"Verified": func() {
			if err := s.Verified(t.Context(), eventstore.Verification{Events: 7}); err != nil {
				t.Fatal(err)
			}
		},
		"Grown": func() {
			if _, err := s.Grown(t.Context(), 19_000, time.Minute); err != nil {
				t.Fatal(err)
			}
		},
		"Holds": func() {
			if held, err := s.Holds(t.Context(), 7, []byte("another")); err != nil || held {
				t.Fatal(held, err)
			}
		},
		"Unsettled": func() {
			if _, err := s.Unsettled(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"Settle":           func() { wants(s.Settle(t.Context(), 7)) },
		"Forwarded":        func() { wants(s.Forwarded(t.Context(), 7)) },
		"ForwardFailed":    func() { wants(s.ForwardFailed(t.Context(), errors.New("boom"))) },
		"ForgetForwarding": func() { wants(s.ForgetForwarding(t.Context())) },
		"Followers": func() {
			if _, err := s.Followers(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"Standby": func() {
			standby, err := s.Standby(t.Context(), config.ConnString(), func(c *pgxpool.Config) { c.ConnConfig.Tracer = sent })
			wants(err)
			defer standby.Close()
			if err, not := standby.Check(t.Context()), (*eventstore.NotStandby)(nil); !errors.As(err, &not) || !not.Writes {
				t.Fatal(err)
			}
		},
	}
	readsAll := []string{"Verify", "Export", "Import"} // of the log, or what ReadStored reads; Import, into an empty log only, turns scans off
	quiet := []string{"Wake"}                          // it only listens
	value := reflect.TypeOf(s)
	for i := range value.NumMethod() {
		if name := value.Method(i).Name; ways[name] == nil && !slices.Contains(readsAll, name) && !slices.Contains(quiet, name) && usesDatabase(value.Method(i)) {
			t.Errorf("no plan of %s is checked", name)
		}
	}
	sent.Kept()
	statements, of := map[string]bench.Statement{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		ways[name]()
		for _, one := range sent.Kept() {
			statements[one.SQL], of[one.SQL] = one, name
		}
	}
	conn, err := pgx.Connect(t.Context(), pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	looked := 0
	for _, sql := range slices.Sorted(maps.Keys(statements)) {
		if verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(sql)), " "); !slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, verb) {
			continue
		}
		plans, err := statements[sql].Plans(t.Context(), conn)
		if err != nil {
			t.Errorf("%s: %v", of[sql], err)
			continue
		}
		looked++
		for _, plan := range plans {
			if found := scanned.FindStringSubmatch(plan); found != nil && (found[1] == "events" || found[1] == "streams") {
				t.Errorf("%s reads all of %s:\n%s\n%s", of[sql], found[1], sql, plan)
			}
		}
	}
	if looked < 15 {
		t.Errorf("only %d statements were checked", looked)
	}
}

// usesDatabase reports whether a method takes a context, as every method does that queries the
// database.
func usesDatabase(m reflect.Method) bool {
	for i := range m.Type.NumIn() {
		if m.Type.In(i) == reflect.TypeFor[context.Context]() {
			return true
		}
	}
	return false
}

// fill appends n events without hashes, two to each stream and spread over a hundred accounts,
// starting with stream number from, as fast as the database can.
func fill(t testing.TB, pool *pgxpool.Pool, from, n int) {
	t.Helper()
	for _, sql := range []string{
		`INSERT INTO streams (stream, account_id, type, version, chain) SELECT 'budget-' || i, 'account' || i % 100, 'budget', 2, sha256('') FROM generate_series($1::int, $1::int + $2::int / 2 - 1) i`,
		`INSERT INTO events (event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash)
			SELECT md5('e' || (i * 2 + v))::uuid, 'account' || i % 100, 'budget-' || i, v, 'budget.spent', 1, '{"units":1,"total":1}', json_build_object('account', 'account' || i % 100, 'person', 'ann' || i % 50), now(), sha256('')
			FROM generate_series($1::int, $1::int + $2::int / 2 - 1) i, generate_series(1, 2) v`,
	} {
		if _, err := pool.Exec(t.Context(), sql, from, n); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", sql, err))
		}
	}
	if _, err := pool.Exec(t.Context(), "VACUUM ANALYZE events, streams"); err != nil {
		t.Fatal(err)
	}
}
