package documents_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
	"readiness/storage/documents"
	"readiness/test/pgtest"
)

func put(t *testing.T, pool *pgxpool.Pool, body []byte) string {
	t.Helper()
	hash, stored, err := documents.New(pool).Put(context.Background(), body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(context.Background(), stored.SQL, stored.Args...); err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pool := pgtest.Pool(t)
	for _, body := range [][]byte{{}, []byte(`{"a":1}`), bytes.Repeat([]byte("semantic model "), 100_000)} {
		hash := put(t, pool, body)
		if again := put(t, pool, body); again != hash || hash != documents.Hash(body) {
			t.Errorf("the same document has the addresses %s and %s", hash, again)
		}
		got, err := documents.New(pool).Get(ctx, hash)
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("got %d bytes, %v; want the %d put", len(got), err, len(body))
		}
	}
	var rows int
	if err := pool.QueryRow(ctx, `SELECT count(*) FROM documents`).Scan(&rows); err != nil || rows != 3 {
		t.Errorf("%d rows, %v; want each document once", rows, err)
	}
	if _, err := documents.New(pool).Get(ctx, "sha256:0"); !errors.Is(err, documents.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

// A row whose bytes were changed or damaged is an error, never another document.
func TestDocumentsAreChecked(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pool := pgtest.Pool(t)
	hash, other := put(t, pool, []byte(`{"score":52}`)), put(t, pool, []byte(`{"score":99}`))
	if _, err := pool.Exec(ctx, `UPDATE documents d SET body = o.body FROM documents o WHERE d.hash = $1 AND o.hash = $2`, hash, other); err != nil {
		t.Fatal(err)
	}
	if got, err := documents.New(pool).Get(ctx, hash); err == nil {
		t.Errorf("another document's bytes were read as %s", got)
	}
	if _, err := pool.Exec(ctx, `UPDATE documents SET body = 'damaged' WHERE hash = $1`, hash); err != nil {
		t.Fatal(err)
	}
	if got, err := documents.New(pool).Get(ctx, hash); err == nil {
		t.Errorf("damaged bytes were read as %s", got)
	}
}

// A document with an expiry exists until then, and only that document is deleted.
func TestDocumentsExpire(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pool := pgtest.Pool(t)
	kept := put(t, pool, []byte(`{"kept":true}`))
	end := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	hash, stored, err := documents.New(pool).PutUntil(ctx, []byte(`{"kept":false}`), end)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, stored.SQL, stored.Args...); err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{end, end.Add(time.Microsecond)} {
		if err := documents.New(pool).Sweep(ctx, at); err != nil {
			t.Fatal(err)
		}
		if _, err := documents.New(pool).Get(ctx, hash); errors.Is(err, documents.ErrNotFound) != at.After(end) {
			t.Errorf("at %v: %v", at, err)
		}
	}
	if _, err := documents.New(pool).Get(ctx, kept); err != nil {
		t.Error(err)
	}
}

// A document that is stored several times keeps the latest expiry.
func TestDocumentStoredTwiceIsKeptTheLongest(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pool := pgtest.Pool(t)
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		ends []time.Time // zero: none
		want bool        // kept after an hour
	}{
		"a shorter and a longer": {[]time.Time{noon, noon.Add(2 * time.Hour)}, true},
		"a longer and a shorter": {[]time.Time{noon.Add(2 * time.Hour), noon}, true},
		"one and none":           {[]time.Time{noon, {}}, true},
		"none and one":           {[]time.Time{{}, noon}, true},
		"both short":             {[]time.Time{noon, noon}, false},
	} {
		var hash string
		for _, end := range tt.ends {
			store := func() (string, database.Statement, error) {
				return documents.New(pool).PutUntil(ctx, []byte(name), end)
			}
			if end.IsZero() {
				store = func() (string, database.Statement, error) { return documents.New(pool).Put(ctx, []byte(name)) }
			}
			h, stored, err := store()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pool.Exec(ctx, stored.SQL, stored.Args...); err != nil {
				t.Fatal(err)
			}
			hash = h
		}
		if err := documents.New(pool).Sweep(ctx, noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, err := documents.New(pool).Get(ctx, hash); (err == nil) != tt.want {
			t.Errorf("%s: %v, want it kept: %v", name, err, tt.want)
		}
	}
}
