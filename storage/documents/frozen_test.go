//go:build unix

package documents_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"readiness/storage/documents"
)

// A bucket that does not answer fails calls within their limit, then at once, and never holds a connection to the database. When it answers
// again, so do the calls.
//
// proves: decisions/24/frozen decisions/24/first
func TestFrozenBucket(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	hash, stored := s.put("frozen")
	s.must(s.name(stored))
	inDatabase, row, err := s.process(false).Put(t.Context(), []byte("in the database"))
	s.must(err)
	s.must(s.name(row))
	documents.Impatient(s.Store)
	path := filepath.Join(s.folder, filepath.FromSlash(stored.Args[1].(string)))
	s.must(os.Rename(path, path+".away"))
	s.must(syscall.Mkfifo(path, 0o600)) // opening it waits for a writer
	for range 5 {
		if _, err := s.Get(t.Context(), hash); !errors.Is(err, documents.ErrUnavailable) {
			t.Fatalf("a frozen bucket: %v", err)
		}
		if got, err := s.Get(t.Context(), inDatabase); err != nil || string(got) != "in the database" {
			t.Fatalf("what is in the database: %q, %v", got, err)
		}
	}
	for s.Check() == nil { // ends with the test's time
		_, _ = s.Get(t.Context(), hash)
	}
	if n := s.pool.Stat().AcquiredConns(); n != 0 {
		t.Errorf("%d connections are held", n)
	}
	for { // those that wait for the pipe get an end, which is no document
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			break
		}
		s.must(f.Close())
	}
	s.must(os.Rename(path+".away", path))
	for { // ends with the test's time
		got, err := s.Get(t.Context(), hash)
		if err == nil && string(got) == "frozen" {
			break
		}
		if !errors.Is(err, documents.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	s.must(s.Check())
}
