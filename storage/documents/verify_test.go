package documents_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"readiness/storage/documents"
	"readiness/test/pgtest"
)

// damages returns the hashes that Verify finds damaged, and how many documents it reads.
func damages(t *testing.T, s *documents.Store, after string) (found []string, read int) {
	t.Helper()
	err := s.Verify(t.Context(), documents.VerifyOptions{After: after, Damaged: func(hash string, why error) {
		if !errors.Is(why, documents.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", hash, why)
		}
		found = append(found, hash)
	}, Read: func(n int, _ string) { read = n }})
	if err != nil {
		t.Fatal(err)
	}
	return found, read
}

// Verify finds each document whose bytes are not those that were stored, changes nothing, and continues behind a hash. Storing the same
// content again repairs it.
func TestVerify(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	s := documents.New(pool)
	var hashes []string
	for i := range 40 { // more than a page
		hashes = append(hashes, put(t, pool, fmt.Appendf(nil, `{"score":%d}`, i)))
	}
	if found, read := damages(t, s, ""); len(found) > 0 || read != 40 {
		t.Errorf("found %v of %d, want nothing of 40", found, read)
	}
	changed, other, cut := hashes[3], hashes[4], hashes[5]
	for _, sql := range []string{
		`UPDATE documents d SET body = o.body FROM documents o WHERE d.hash = '` + changed + `' AND o.hash = '` + other + `'`,
		`UPDATE documents SET body = substr(body, 1, 5) WHERE hash = '` + cut + `'`,
	} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{changed, cut}
	slices.Sort(want)
	for range 2 {
		if found, _ := damages(t, s, ""); !slices.Equal(found, want) {
			t.Errorf("found %v, want %v", found, want)
		}
	}
	slices.Sort(hashes)
	if found, read := damages(t, s, want[0]); !slices.Equal(found, want[1:]) || read != 39-slices.Index(hashes, want[0]) {
		t.Errorf("behind the first: found %v of %d", found, read)
	}
	if put(t, pool, []byte(`{"score":3}`)) != changed || put(t, pool, []byte(`{"score":5}`)) != cut {
		t.Error("the same content has another hash")
	}
	if found, _ := damages(t, s, ""); len(found) > 0 {
		t.Errorf("after they were stored again: found %v", found)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := s.Verify(ended, documents.VerifyOptions{Rate: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended verification: %v", err)
	}
}

// In a bucket, too, a changed or lost object is found, and put again.
func TestVerifyBucket(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	changed, stored := s.put("one")
	s.must(s.name(stored))
	lost, stored := s.put("two")
	s.must(s.name(stored))
	var objects []string
	for _, hash := range []string{changed, lost} {
		var key string
		s.must(s.pool.QueryRow(t.Context(), `SELECT object FROM documents WHERE hash = $1`, hash).Scan(&key))
		objects = append(objects, filepath.Join(s.folder, filepath.FromSlash(key)))
	}
	s.must(os.WriteFile(objects[0], []byte("three"), 0o600))
	s.must(os.Remove(objects[1]))
	want := []string{changed, lost}
	slices.Sort(want)
	if found, _ := damages(t, s.Store, ""); !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	for _, text := range []string{"one", "two"} {
		hash, stored := s.put(text)
		s.must(s.name(stored))
		s.reads(s.Store, hash, text)
	}
	if found, _ := damages(t, s.Store, ""); len(found) > 0 {
		t.Errorf("after they were put again: found %v", found)
	}
}
