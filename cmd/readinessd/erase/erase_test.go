package erase_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/cmd/readinessd/erase"
	"readiness/domain"
	"readiness/eventstore"
	"readiness/internal/bucket"
	"readiness/internal/database"
	"readiness/projections"
	"readiness/storage/documents"
	"readiness/test/pgtest"
	"readiness/test/testlog"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type noted struct {
	Document string `json:"documentHash"`
}

// EventType implements domain.Event.
func (noted) EventType() string { return "note.noted" }

type adds []domain.Event

// Decide implements domain.Command.
func (a adds) Decide(struct{}) ([]domain.Event, error) { return a, nil }

// place is a deployment without views.
type place struct {
	testing.TB
	erase.Deployment
}

func newPlace(t testing.TB) *place {
	t.Helper()
	return newPlaceIn(t, pgtest.Pool(t))
}

func newPlaceIn(t testing.TB, pool *pgxpool.Pool) *place {
	t.Helper()
	p := &place{TB: t}
	p.Pool = pool
	codec, err := eventstore.NewCodec(eventstore.Events(noted{})...)
	p.must(err)
	p.Store = eventstore.New(p.Pool, codec, eventstore.Options{})
	p.Engine, p.Documents, p.Now = projections.NewEngine(p.Pool), documents.New(p.Pool), time.Now
	p.EndSessions = func(context.Context, string) (int64, error) { return 0, nil }
	return p
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// name stores a document and appends an account's event that names it. within runs in the transaction.
func (p *place) name(account, body string, within func(context.Context, pgx.Tx) error) error {
	hash, stored, err := p.Documents.Put(p.Context(), []byte(body))
	p.must(err)
	past := eventstore.Tail("note-" + account)
	return p.Store.Change(p.Context(), eventstore.Metadata{Account: account}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		c.Queue(stored)
		if within != nil {
			c.InTx(within)
		}
		return eventstore.Decide(c, past, adds{noted{hash}})
	})
}

// stored returns which of the documents are stored.
func (p *place) stored(bodies ...string) (are []string) {
	p.Helper()
	for _, body := range bodies {
		if _, err := p.Documents.Get(p.Context(), documents.Hash([]byte(body))); err == nil {
			are = append(are, body)
		}
	}
	return are
}

// The documents of an account are deleted, from the bucket too, except those that another account has.
//
// proves: decisions/23/deleted decisions/23/others
func TestDocumentsOfTwoAccounts(t *testing.T) {
	t.Parallel()
	for name, inBucket := range map[string]bool{"in the database": false, "in a bucket": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			if inBucket {
				b, err := bucket.Open(t.Context(), "file://"+t.TempDir())
				p.must(err)
				t.Cleanup(func() { _ = b.Close() })
				p.Documents.Use(b, true)
			}
			for _, of := range [][2]string{{"acme", "one"}, {"acme", "both"}, {"other", "both"}, {"other", "two"}, {"acme", "three"}} {
				p.must(p.name(of[0], of[1], nil))
			}
			gone, err := erase.Delete(t.Context(), p.Deployment, "acme")
			p.must(err)
			if got := p.stored("one", "both", "two", "three"); !slices.Equal(got, []string{"both", "two"}) || gone.Documents != 2 {
				t.Errorf("%d were deleted, and %v are stored", gone.Documents, got)
			}
			places := [3]int64{}
			places[0], places[1], places[2], err = p.Documents.Places(t.Context())
			p.must(err)
			if want := map[bool][3]int64{false: {2, 0, 0}, true: {0, 2, 0}}[inBucket]; places != want {
				t.Errorf("documents in the database and in the bucket, and objects without: %v, want %v", places, want)
			}
			again, err := erase.Delete(t.Context(), p.Deployment, "acme")
			if again != (erase.Deleted{}) || err != nil {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

// A document that another account is about to name while it is deleted is kept.
//
// proves: decisions/23/others
func TestDocumentIsNamedMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.must(p.name("acme", "both", nil))
	deleted, begun := make(chan error, 1), make(chan struct{})
	err := p.name("other", "both", func(ctx context.Context, _ pgx.Tx) error {
		go func() {
			close(begun)
			_, err := erase.Delete(t.Context(), p.Deployment, "acme")
			deleted <- err
		}()
		<-begun
		for waits := false; !waits; {
			if err := p.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
				AND wait_event_type = 'Lock' AND query LIKE '%FROM documents%FOR UPDATE%')`).Scan(&waits); err != nil {
				return err
			}
		}
		return nil
	})
	p.must(err)
	p.must(<-deleted)
	if got := p.stored("both"); len(got) != 1 {
		t.Error("the other account's document is gone")
	}
}

// A part that PostgreSQL ends because of a deadlock is done again. Another transaction holds the second row and waits for the first, which
// the erasure holds while it waits for the second. Only the erasure's wait looks for a deadlock, so it is the one that is ended.
func TestDeadlockedPartIsRepeated(t *testing.T) {
	t.Parallel()
	pool, err := database.Open(t.Context(), pgtest.URL(t), func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["lock_timeout"] = "0" })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	p := newPlaceIn(t, pool)
	exec := func(on interface {
		Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
	}, sql string) {
		t.Helper()
		_, err := on.Exec(t.Context(), sql)
		p.must(err)
	}
	waits := func(query string) {
		t.Helper()
		for is := false; !is; {
			p.must(pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
				AND wait_event_type = 'Lock' AND query LIKE $1)`, query).Scan(&is))
		}
	}
	for _, sql := range []string{
		`INSERT INTO console_choices SELECT 'acme', gen_random_uuid(), change, 'accepted', 'words', 'p', now(), 1, now() + interval '1 day'
			FROM (VALUES ('first'), ('second')) AS c (change)`,
		`CREATE FUNCTION pauses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN OLD; END $$`,
		`CREATE TRIGGER pauses BEFORE DELETE ON console_choices FOR EACH ROW EXECUTE FUNCTION pauses()`,
	} {
		exec(pool, sql)
	}
	gate, err := pool.Acquire(t.Context())
	p.must(err)
	defer gate.Release()
	exec(gate, `SELECT pg_advisory_lock(7)`)
	other, err := pool.Begin(t.Context())
	p.must(err)
	defer func() { _ = other.Rollback(context.Background()) }()
	exec(other, `SET LOCAL deadlock_timeout = '1h'; SET LOCAL idle_in_transaction_session_timeout = 0`)
	exec(other, `SELECT FROM console_choices WHERE change_key = 'second' FOR UPDATE`)
	erased := make(chan error, 1)
	go func() {
		_, err := erase.Delete(t.Context(), p.Deployment, "acme")
		erased <- err
	}()
	waits(`DELETE FROM console_choices%`) // with the first row
	turned := make(chan error, 1)
	go func() {
		_, err := other.Exec(t.Context(), `UPDATE console_choices SET revision = revision WHERE change_key = 'first'`)
		turned <- err
	}()
	waits(`UPDATE console_choices%`)
	exec(gate, `SELECT pg_advisory_unlock(7)`) // now the erasure waits for the second row
	p.must(<-turned)
	p.must(other.Commit(t.Context()))
	p.must(<-erased)
	var left, deadlocks int
	p.must(pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM console_choices)`).Scan(&left))
	if left != 0 {
		t.Errorf("%d rows are left", left)
	}
	for deadlocks == 0 { // the statistics follow
		p.must(pool.QueryRow(t.Context(), `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&deadlocks))
	}
}

// kept are the tables whose rows of an account stay: the log, what proves it or did (checkpoints, which only earlier programs use), and
// that the account's key is gone.
var kept = []string{"account_keys", "checkpoints", "events", "streams"}

// TestEveryTableIsDecided: rows of a table with an account or an operation are deleted, or the table is in kept. So the author of a new
// table decides.
//
// proves: decisions/23/deleted
func TestEveryTableIsDecided(t *testing.T) {
	t.Parallel()
	pool := testlog.Pool(t)
	rows, err := pool.Query(t.Context(), `SELECT DISTINCT relname::text FROM pg_attribute JOIN pg_class ON oid = attrelid
		WHERE attname IN ('account_id', 'operation_id') AND relkind = 'r' AND relnamespace = 'public'::regnamespace
		AND relname NOT IN (SELECT unnest(tables) FROM view_generations) ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	decided := slices.Sorted(slices.Values(slices.Concat(erase.Tables(), kept)))
	if !slices.Equal(tables, decided) {
		t.Errorf("the tables are\n%s\nand those that are decided\n%s", strings.Join(tables, " "), strings.Join(decided, " "))
	}
	var without []string
	err = pool.QueryRow(t.Context(), `SELECT array_agg(t.name) FROM view_generations g, unnest(g.tables) AS t (name)
		WHERE NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = t.name::regclass AND attname = 'account_id')`).Scan(&without)
	if err != nil || len(without) > 0 {
		t.Errorf("tables of views whose rows belong to no account: %v, %v", without, err)
	}
}
