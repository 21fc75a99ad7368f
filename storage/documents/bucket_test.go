package documents_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/bucket"
	"readiness/internal/database"
	"readiness/storage/documents"
	"readiness/test/pgtest"
)

// shop is documents in a database and a folder as the bucket.
type shop struct {
	*testing.T
	*documents.Store
	pool   *pgxpool.Pool
	folder string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{T: t, pool: pgtest.Pool(t), folder: t.TempDir()}
	s.Store = s.process(true)
	return s
}

// process returns the documents as another process has them.
func (s *shop) process(puts bool) *documents.Store {
	s.Helper()
	b, err := bucket.Open(s.Context(), "file://"+s.folder)
	s.must(err)
	s.Cleanup(func() { _ = b.Close() })
	store := documents.New(s.pool)
	store.Use(b, puts)
	return store
}

func (s *shop) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// put puts a document without naming it.
func (s *shop) put(body string) (hash string, stored database.Statement) {
	s.Helper()
	hash, stored, err := s.Put(s.Context(), []byte(body))
	s.must(err)
	return hash, stored
}

// name runs the statement of a document as a transaction that names it.
func (s *shop) name(stored database.Statement) error {
	_, err := s.pool.Exec(s.Context(), stored.SQL, stored.Args...)
	return err
}

func (s *shop) exec(sql string, args ...any) {
	s.Helper()
	_, err := s.pool.Exec(s.Context(), sql, args...)
	s.must(err)
}

func (s *shop) sweep() {
	s.Helper()
	s.must(s.Sweep(s.Context(), time.Now()))
}

// overdue makes every object that no document names due for removal.
func (s *shop) overdue() { s.exec(`UPDATE document_objects SET due = now() - interval '1 second'`) }

// files counts the objects in the bucket.
func (s *shop) files() (n int) {
	s.Helper()
	s.must(filepath.WalkDir(s.folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	}))
	return n
}

// holds compares what is stored: objects in the bucket, rows without body, and registered objects that no row names.
func (s *shop) holds(what string, files, named, unnamed int) {
	s.Helper()
	_, inBucket, left, err := s.Places(s.Context())
	s.must(err)
	if got, want := [3]int{s.files(), int(inBucket), int(left)}, [3]int{files, named, unnamed}; got != want {
		s.Errorf("%s: %v objects, documents in the bucket and objects without document, want %v", what, got, want)
	}
}

func (s *shop) reads(from *documents.Store, hash, want string) {
	s.Helper()
	got, err := from.Get(s.Context(), hash)
	if err != nil || string(got) != want {
		s.Errorf("got %q, %v; want %q", got, err, want)
	}
	if all, err := from.GetAll(s.Context(), []string{hash}); err != nil || string(all[hash]) != want {
		s.Errorf("of many: %q, %v; want %q", all, err, want)
	}
}

// A document in a bucket is read as it was put. One that is put again has one object after the sweep.
//
// proves: decisions/24/own-object decisions/24/grace
func TestBucket(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	large := string(bytes.Repeat([]byte("semantic model "), 100_000))
	for _, body := range []string{"", `{"a":1}`, large} {
		for range 2 {
			hash, stored := s.put(body)
			s.must(s.name(stored))
			s.reads(s.Store, hash, body)
			s.reads(s.process(false), hash, body)
		}
	}
	s.holds("put twice", 6, 3, 3)
	s.sweep() // of those that the second ones replaced
	s.holds("swept", 3, 3, 0)
	s.reads(s.Store, documents.Hash([]byte(large)), large)
	if _, err := s.Get(t.Context(), "sha256:0"); !errors.Is(err, documents.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if _, err := s.GetAll(t.Context(), []string{documents.Hash(nil), "sha256:0"}); !errors.Is(err, documents.ErrNotFound) {
		t.Errorf("of many: got %v, want ErrNotFound", err)
	}
	if _, err := documents.New(s.pool).Get(t.Context(), documents.Hash(nil)); !errors.Is(err, documents.ErrUnavailable) {
		t.Errorf("without the bucket: %v, want ErrUnavailable", err)
	}
}

// An object that a process put before it died is removed, and a document whose object was condemned before its event is not stored: the
// transaction of the event fails.
//
// proves: decisions/24/first decisions/24/sweep
func TestPutThenSweptThenNamed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, stored := s.put("late")
	s.overdue()
	s.exec(`UPDATE document_objects SET condemned = true`) // a sweep that has deleted nothing yet
	refused := func(when string) {
		t.Helper()
		said, ok := errors.AsType[*pgconn.PgError](s.name(stored))
		if !ok || said.ConstraintName != "documents_body_or_object" {
			t.Errorf("%s it was named: %v", when, said)
		}
	}
	refused("condemned,")
	s.sweep()
	refused("deleted,")
	s.holds("after the sweep", 0, 0, 0)
	hash, stored := s.put("late") // as the step does when it is repeated
	s.must(s.name(stored))
	s.reads(s.Store, hash, "late")
}

// What a process left that was killed while it put an object into a folder is removed with the object, and nothing of another object is.
//
// proves: decisions/24/grace
func TestKilledWhilePutting(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	hash, stored := s.put("kept")
	s.must(s.name(stored))
	half := func(stored database.Statement) string {
		return filepath.Join(s.folder, filepath.FromSlash(stored.Args[1].(string))) + ".18a0b1c2d3e4f5a6.tmp"
	}
	s.must(os.WriteFile(half(stored), []byte("ke"), 0o600)) // by the first try of two
	_, stored = s.put("given up")
	s.must(os.WriteFile(half(stored), []byte("giv"), 0o600))
	_, stored = s.put("half put")
	s.must(os.Rename(strings.TrimSuffix(half(stored), ".18a0b1c2d3e4f5a6.tmp"), half(stored)))
	s.overdue()
	s.sweep()
	s.holds("of the killed processes", 2, 1, 0)
	s.reads(s.Store, hash, "kept")
	s.exec(`DELETE FROM documents`)
	s.sweep()
	s.holds("at the end", 0, 0, 0)
}

// A sweep does not take an object that a transaction is naming, however late.
//
// proves: decisions/24/sweep decisions/24/row
func TestNamedWhileSwept(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	hash, stored := s.put("named")
	naming, err := s.pool.Begin(t.Context())
	s.must(err)
	_, err = naming.Exec(t.Context(), stored.SQL, stored.Args...)
	s.must(err)
	other, err := s.pool.Begin(t.Context()) // the other document is given up
	s.must(err)
	_, given := s.put("given up")
	_, err = other.Exec(t.Context(), given.SQL, given.Args...)
	s.must(err)
	s.must(other.Rollback(t.Context()))
	s.exec(`UPDATE document_objects SET due = now() - interval '1 second' WHERE key <> ALL ($1)`, []string{stored.Args[1].(string)})
	s.sweep()
	s.must(naming.Commit(t.Context()))
	s.overdue()
	s.sweep()
	s.holds("after both", 1, 1, 0)
	s.reads(s.Store, hash, "named")
}

// The other order: naming waits for the sweep that condemns the object, and fails.
//
// proves: decisions/24/sweep
func TestCondemnedWhileNamed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, stored := s.put("condemned")
	condemning, err := s.pool.Begin(t.Context())
	s.must(err)
	_, err = condemning.Exec(t.Context(), `UPDATE document_objects SET condemned = true`)
	s.must(err)
	named := make(chan error, 1)
	go func() { named <- s.name(stored) }()
	for waits := false; !waits; { // ends with the test's time
		select {
		case err := <-named:
			t.Fatalf("naming did not wait: %v", err)
		default:
		}
		s.must(s.pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)`).Scan(&waits))
	}
	s.must(condemning.Commit(t.Context()))
	if err := <-named; err == nil {
		t.Error("a condemned object was named")
	}
	s.holds("nothing", 1, 0, 1)
}

// Deleting a document deletes its object, also if the process dies between the two, and keeps the object if the deletion is undone.
//
// proves: decisions/24/row
func TestDeletedFromTheBucket(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	hash, stored, err := s.PutUntil(t.Context(), []byte("expires"), noon)
	s.must(err)
	s.must(s.name(stored))
	kept, stored := s.put("kept")
	s.must(s.name(stored))
	deleting, err := s.pool.Begin(t.Context())
	s.must(err)
	_, err = deleting.Exec(t.Context(), `DELETE FROM documents`)
	s.must(err)
	s.must(deleting.Rollback(t.Context()))
	s.must(s.Sweep(t.Context(), noon))
	s.holds("at its expiry", 2, 2, 0)
	s.exec(`DELETE FROM documents WHERE expires_at < $1`, noon.Add(time.Second)) // and the process dies
	s.holds("without a sweep", 2, 1, 1)
	s.sweep()
	s.holds("swept", 1, 1, 0)
	s.reads(s.Store, kept, "kept")
	if _, err := s.Get(t.Context(), hash); !errors.Is(err, documents.ErrNotFound) {
		t.Errorf("the deleted document: %v", err)
	}
}

// A bucket that lost or changed an object is an error that names the object, not a document that never was.
//
// proves: decisions/24/checked
func TestBucketIsChecked(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	hash, stored := s.put(`{"score":52}`)
	s.must(s.name(stored))
	other, more := s.put(`{"score":99}`)
	s.must(s.name(more))
	path := func(stored database.Statement) string {
		return filepath.Join(s.folder, filepath.FromSlash(stored.Args[1].(string)))
	}
	body, err := os.ReadFile(path(more))
	s.must(err)
	s.must(os.WriteFile(path(stored), body, 0o600))
	if got, err := s.Get(t.Context(), hash); err == nil || errors.Is(err, documents.ErrUnavailable) {
		t.Errorf("another document's bytes: %s, %v", got, err)
	}
	s.must(os.Remove(path(more)))
	if _, err := s.Get(t.Context(), other); err == nil || errors.Is(err, documents.ErrNotFound) || errors.Is(err, documents.ErrUnavailable) {
		t.Errorf("a lost object: %v", err)
	}
	s.must(os.Rename(s.folder, s.folder+".away")) // the disk is not mounted
	if _, err := s.Get(t.Context(), other); !errors.Is(err, documents.ErrUnavailable) {
		t.Errorf("a lost bucket: %v", err)
	}
	if _, _, err := s.Put(t.Context(), []byte("new")); !errors.Is(err, documents.ErrUnavailable) {
		t.Errorf("put into a lost bucket: %v", err)
	}
	s.must(os.Rename(s.folder+".away", s.folder))
}

// A process without the bucket, or with another one, is refused as soon as a document is in a bucket.
//
// proves: decisions/24/checked
func TestBelongs(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	other := &shop{T: t, pool: s.pool, folder: t.TempDir()}
	belongs := func(want bool) {
		t.Helper()
		for name, store := range map[string]*documents.Store{"none": documents.New(s.pool), "another": other.process(true)} {
			if err := store.Belongs(t.Context()); (err == nil) != want {
				t.Errorf("%s: %v, want it accepted: %v", name, err, want)
			}
		}
		s.must(s.Belongs(t.Context()))
	}
	belongs(true)
	_, stored := s.put("first")
	s.must(s.name(stored))
	belongs(false)
	s.must(s.ToDatabase(t.Context(), func(int) {}))
	belongs(true)
}

// Documents move to the bucket and back, and every process can read them.
//
// proves: decisions/24/move
func TestMove(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	inDatabase := s.process(false)
	var hashes []string
	for i := range 20 {
		hash, stored, err := inDatabase.Put(t.Context(), fmt.Appendf(nil, "document %d", i))
		s.must(err)
		s.must(s.name(stored))
		hashes = append(hashes, hash)
	}
	all := func(what string) {
		t.Helper()
		found, err := s.GetAll(t.Context(), hashes)
		s.must(err)
		for i, hash := range hashes {
			if string(found[hash]) != fmt.Sprintf("document %d", i) {
				t.Errorf("%s: document %d is %q", what, i, found[hash])
			}
		}
	}
	s.holds("before", 0, 0, 0)
	all("before")
	stop, cancel := context.WithCancel(t.Context())
	moved := 0
	cancel()
	if err := s.ToBucket(stop, func(n int) { moved += n }); err == nil || moved != 0 {
		t.Errorf("a move that was stopped moved %d: %v", moved, err)
	}
	s.exec(`DELETE FROM document_objects`)
	s.must(s.ToBucket(t.Context(), func(n int) { moved += n }))
	if moved != 20 {
		t.Errorf("moved %d of 20", moved)
	}
	s.holds("in the bucket", 20, 20, 0)
	all("in the bucket")
	s.must(s.ToBucket(t.Context(), func(n int) { moved += n }))
	s.must(s.ToDatabase(t.Context(), func(n int) { moved += n }))
	if moved != 40 {
		t.Errorf("moved %d, want 40", moved)
	}
	all("in the database again")
	s.sweep()
	s.holds("in the database again", 0, 0, 0)
	all("after the sweep")
}
