package documents_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"readiness/internal/database"
)

// path returns the file of a document's object.
func (s *shop) path(stored database.Statement) string {
	return filepath.Join(s.folder, filepath.FromSlash(stored.Args[1].(string)))
}

// strays returns the strays that are older than old.
func (s *shop) strays(old time.Time, remove bool) (found []string) {
	s.Helper()
	s.must(s.Strays(s.Context(), old, remove, func(key string) { found = append(found, key) }))
	return found
}

// An object that neither a row nor a registration names is a stray: the late end of a put whose registration was swept, and what a killed
// one left. Others are none, nor is a file that no put has written, nor one that is not old enough. Only removing removes.
//
// proves: decisions/24/strays
func TestStrays(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	later := time.Now().Add(time.Hour)
	if err := s.Strays(t.Context(), later, true, func(string) {}); err == nil || !strings.Contains(err.Error(), "nothing shows that this bucket is its own") {
		t.Errorf("in a bucket that no document is in: %v", err)
	}
	_, late := s.put("late")
	s.must(os.Rename(s.path(late), filepath.Join(s.folder, "on its way")))
	_, half := s.put("half")
	s.must(os.Rename(s.path(half), filepath.Join(s.folder, "half on its way")))
	s.overdue()
	s.sweep()
	s.must(os.Rename(filepath.Join(s.folder, "on its way"), s.path(late)))
	s.must(os.Rename(filepath.Join(s.folder, "half on its way"), s.path(half)+".18a0b1c2d3e4f5a6.tmp"))
	named, stored := s.put("named")
	s.must(s.name(stored))
	s.must(os.WriteFile(s.path(stored)+".18a0b1c2d3e4f5a6.tmp", nil, 0o600))
	s.put("registered")
	s.must(os.WriteFile(filepath.Join(s.folder, "documents", "README"), nil, 0o600))
	if found := s.strays(time.Now().Add(-time.Hour), true); found != nil {
		t.Errorf("of an hour ago: %v", found)
	}
	want := []string{late.Args[1].(string), half.Args[1].(string)}
	slices.Sort(want)
	for _, remove := range []bool{false, true} {
		if found := s.strays(later, remove); !slices.Equal(found, want) {
			t.Errorf("removed: %t: found %v, want %v", remove, found, want)
		}
	}
	if found := s.strays(later, true); found != nil {
		t.Errorf("after they were removed: %v", found)
	}
	s.holds("at the end", 4, 1, 1)
	s.reads(s.Store, named, "named")
	page := filepath.Join(s.folder, "documents", "00")
	s.must(os.MkdirAll(page, 0o700))
	for i := range 1001 { // more than two pages
		s.must(os.WriteFile(filepath.Join(page, fmt.Sprintf("%064d-%036d", i, i)), nil, 0o600))
	}
	if found := s.strays(later, true); len(found) != 1001 {
		t.Errorf("found %d of 1001", len(found))
	}
	s.holds("after many", 4, 1, 1)
}

// A document is named and deleted again and again, and another's transaction is not at its end, while strays are removed whatever their age:
// their objects are never taken for strays.
//
// proves: decisions/24/strays
func TestStraysWhileNamed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, kept := s.put("kept")
	s.must(s.name(kept))
	waiting, other := s.put("waiting")
	naming, err := s.pool.Begin(t.Context())
	s.must(err)
	_, err = naming.Exec(t.Context(), other.SQL, other.Args...)
	s.must(err)
	hash, stored := s.put("to and fro")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			if err := s.name(stored); err != nil {
				ended <- err
				return
			}
			if _, err := s.pool.Exec(t.Context(), `DELETE FROM documents WHERE hash = $1`, hash); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	for range 300 {
		if found := s.strays(time.Now().Add(time.Hour), true); found != nil {
			t.Errorf("%v was removed", found)
			break
		}
	}
	stop()
	s.must(<-ended)
	s.must(naming.Commit(t.Context()))
	s.must(s.name(stored))
	s.reads(s.Store, hash, "to and fro")
	s.reads(s.Store, waiting, "waiting")
}
