package move_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"readiness/cmd/readinessd/move"
	"readiness/internal/bucket"
	"readiness/storage/documents"
)

// withBucket lets the deployment keep its documents in a folder, which it returns.
func (s *site) withBucket() *site {
	s.Helper()
	b, err := bucket.Open(s.Context(), "file://"+s.TempDir())
	s.must(err)
	s.Cleanup(func() { _ = b.Close() })
	s.Documents.Use(b, true)
	return s
}

// places are how many documents are in the database and in the bucket, and objects that no document names.
func (s *site) places() (n [3]int64) {
	s.Helper()
	var err error
	n[0], n[1], n[2], err = s.Documents.Places(s.Context())
	s.must(err)
	return n
}

// Documents in a bucket move to a target with or without one, and those of a database into a bucket.
//
// proves: decisions/22/complete
func TestMoveDocumentsOfABucket(t *testing.T) {
	t.Parallel()
	hash := documents.Hash([]byte("a result of acme"))
	for name, row := range map[string]struct {
		from, to bool
		places   [3]int64
	}{
		"bucket to database": {true, false, [3]int64{1, 0, 0}},
		"bucket to bucket":   {true, true, [3]int64{0, 1, 0}},
		"database to bucket": {false, true, [3]int64{0, 1, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := newSite(t, 1), newSite(t, 2)
			if row.from {
				from.withBucket()
			}
			if row.to {
				to.withBucket()
			}
			from.fill()
			file := from.export(to)
			to.must(to.imports(file))
			if got := to.places(); got != row.places {
				t.Errorf("documents in the database and in the bucket, and objects without: %v, want %v", got, row.places)
			}
			body, err := to.Documents.Get(t.Context(), hash)
			if string(body) != "a result of acme" || err != nil {
				t.Errorf("the document is %q, %v", body, err)
			}
			if until, err := to.Documents.Expiry(t.Context(), hash); until == nil || err != nil {
				t.Errorf("it is kept until %v, %v", until, err)
			}
		})
	}
}

// A source that cannot read its bucket is not exported without its documents. An import that fails after a put leaves an object without a
// document, which a sweep removes, and can be repeated.
//
// proves: decisions/22/strict
func TestMoveFailsWithABucket(t *testing.T) {
	t.Parallel()
	from, to := newSite(t, 1).withBucket(), newSite(t, 2).withBucket()
	from.fill()
	file := from.export(to)
	blind := from.Deployment
	blind.Documents = documents.New(from.Pool)
	if _, err := move.Export(t.Context(), blind, "acme", to.by.Public(), io.Discard); !errors.Is(err, documents.ErrUnavailable) ||
		!strings.Contains(err.Error(), "--documents") {
		t.Errorf("without its bucket: %v", err)
	}
	_, err := move.Import(t.Context(), to.Deployment, to.by, bytes.NewReader(file), func(context.Context, pgx.Tx) error { return io.ErrClosedPipe })
	if got := to.places(); !errors.Is(err, io.ErrClosedPipe) || to.count(left) != 0 || got != [3]int64{0, 0, 1} {
		t.Errorf("a failure: %v, %d rows, places %v", err, to.count(left), got)
	}
	to.must(to.imports(file))
	if got := to.places(); got != [3]int64{0, 1, 1} {
		t.Errorf("repeated: %v", got)
	}
}
