package erase_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/documents"
	"readiness/domain"
	"readiness/erase"
	"readiness/eventstore"
	"readiness/internal/bucket"
	"readiness/internal/pgtest"
	"readiness/internal/testlog"
	"readiness/projections"
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
	p := &place{TB: t}
	p.Pool = pgtest.Pool(t)
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

// kept are the tables whose rows of an account stay: the log, what proves it, and that the account's key is gone.
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
