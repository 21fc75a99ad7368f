package auditoracles_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/bucket"
	"readiness/internal/database"
	"readiness/storage/documents"
	"readiness/test/pgtest"
)

// TestDocumentsInClouds puts, reads, sweeps and moves documents on third-party servers for the protocols of S3 and Google Cloud Storage.
func TestDocumentsInClouds(t *testing.T) {
	for name, start := range map[string]func(*testing.T) string{"s3": startS3, "gs": startGCS} {
		t.Run(name, func(t *testing.T) { documentsIn(t, start(t)) })
	}
}

// shop is documents in a database and a bucket.
type shop struct {
	*testing.T
	*documents.Store
	pool   *pgxpool.Pool
	bucket *bucket.Bucket
}

func (s *shop) stores(stored database.Statement, err error) {
	s.Helper()
	must(s, err)
	_, err = s.pool.Exec(s.Context(), stored.SQL, stored.Args...)
	must(s, err)
}

// sweep sweeps as if the time of every object had come that no row names.
func (s *shop) sweep() {
	s.Helper()
	_, err := s.pool.Exec(s.Context(), `UPDATE document_objects SET due = now() - interval '1 second'`)
	must(s, err)
	must(s, s.Sweep(s.Context(), time.Now()))
}

// holds compares the objects in the bucket with those that rows name, and counts both and those that no row names.
func (s *shop) holds(what string, named, unnamed int) {
	s.Helper()
	found, next, err := s.bucket.List(s.Context(), bucket.FirstPage, 1000, "documents/", "")
	must(s, err)
	_, inBucket, left, err := s.Places(s.Context())
	must(s, err)
	got, want := [3]int{len(found), int(inBucket), int(left)}, [3]int{named + unnamed, named, unnamed}
	if got != want || len(next) > 0 {
		s.Errorf("%s: %v objects, documents in the bucket and objects without document, want %v", what, got, want)
	}
}

// documentsIn does so with the bucket at an address.
func documentsIn(t *testing.T, address string) {
	t.Helper()
	pool := pgtest.Pool(t)
	b, err := bucket.Open(t.Context(), address)
	must(t, err)
	t.Cleanup(func() { _ = b.Close() })
	s := &shop{T: t, Store: documents.New(pool), pool: pool, bucket: b}
	s.Use(b, true)
	must(t, s.Reach(t.Context()))
	var hashes []string
	bodies := map[string]string{}
	for _, body := range []string{"", `{"a":1}`, string(slices.Repeat([]byte("semantic model "), 100_000))} {
		for range 2 {
			hash, stored, err := s.Put(t.Context(), []byte(body))
			s.stores(stored, err)
			hashes, bodies[hash] = append(hashes, hash), body
		}
	}
	inDatabase := documents.New(pool)
	for i := range 20 {
		body := fmt.Sprintf("document %d", i)
		hash, stored, err := inDatabase.Put(t.Context(), []byte(body))
		s.stores(stored, err)
		hashes, bodies[hash] = append(hashes, hash), body
	}
	all := func(what string) {
		t.Helper()
		found, err := s.GetAll(t.Context(), hashes)
		must(t, err)
		for hash, body := range bodies {
			if one, err := s.Get(t.Context(), hash); err != nil || string(one) != body || string(found[hash]) != body {
				t.Errorf("%s: %s has %d bytes alone, %d among many, %v; want %d", what, hash, len(one), len(found[hash]), err, len(body))
			}
		}
	}
	all("put")
	s.holds("put twice", 3, 3)
	s.sweep()
	s.holds("swept", 3, 0)
	moves := func(want int, move error, got *int) {
		t.Helper()
		must(t, move)
		if *got != want {
			t.Errorf("moved %d, want %d", *got, want)
		}
	}
	n := 0
	moves(20, s.ToBucket(t.Context(), func(i int) { n += i }), &n)
	s.holds("moved to the bucket", 23, 0)
	all("moved to the bucket")
	moves(43, s.ToDatabase(t.Context(), func(i int) { n += i }), &n)
	all("moved back")
	s.sweep()
	s.holds("moved back", 0, 0)
	all("swept")
	must(t, s.Belongs(t.Context()))
	late(s)
}

// late has a document named after a sweep condemned its object, deletes a document, and loses an object.
func late(s *shop) {
	s.Helper()
	_, stored, err := s.Put(s.Context(), []byte("late"))
	must(s, err)
	s.sweep()
	if _, err := s.pool.Exec(s.Context(), stored.SQL, stored.Args...); err == nil {
		s.Error("a swept object was named")
	}
	hash, stored, err := s.Put(s.Context(), []byte("late"))
	s.stores(stored, err)
	must(s, s.Belongs(s.Context()))
	key := stored.Args[1].(string)
	if err := s.bucket.Put(s.Context(), key, []byte("another"), "application/zstd"); !errors.Is(err, bucket.ErrExists) {
		s.Errorf("the object again: %v, want ErrExists", err)
	}
	if body, err := s.Get(s.Context(), hash); err != nil || string(body) != "late" {
		s.Errorf("got %q, %v", body, err)
	}
	must(s, s.bucket.Delete(s.Context(), key))
	must(s, s.bucket.Delete(s.Context(), key)) // a second time it is no error
	if body, err := s.Get(s.Context(), hash); err == nil {
		s.Errorf("a lost object: %q", body)
	}
	if err := s.Belongs(s.Context()); err == nil {
		s.Error("a bucket without the object of a row belongs to it")
	}
	_, err = s.pool.Exec(s.Context(), `DELETE FROM documents WHERE hash = $1`, hash)
	must(s, err)
	s.sweep()
	s.holds("deleted", 0, 0)
}
