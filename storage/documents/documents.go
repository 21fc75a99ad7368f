// Package documents stores large results (assessment documents, previews,
// comparisons) outside the log. Documents are compressed and addressed by the
// SHA-256 of their bytes, so writing one twice stores it once, and a reference in
// an event can be verified. The package never changes or interprets a document.
//
// Each document has a row, which events name by the hash. The row has the body, or the key of an object in a bucket that has it. A body is
// put into the bucket before the transaction of the event that names it, so no transaction waits for a bucket.
package documents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/klauspost/compress/zstd"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/internal/bucket"
	"readiness/internal/database"
)

// MaxSize bounds a document, in bytes before compression. maxPacked bounds it after compression; no document reaches it.
const (
	MaxSize   = 256 << 20
	maxPacked = MaxSize + MaxSize/8
)

// ErrNotFound reports that no document has the hash.
var ErrNotFound = errors.New("documents: no document has this hash")

// ErrUnavailable reports that the store could not answer.
var ErrUnavailable = errors.New("documents: the store could not answer")

// Hash returns the address of a document: "sha256:" and the hex digest of its
// bytes.
func Hash(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// encoder and decoder are safe for concurrent use. decoder refuses a document that
// would unpack to more than MaxSize. No document is packed as no bytes, which stand for a body in a bucket.
var (
	encoder = must(zstd.NewWriter(nil, zstd.WithZeroFrames(true)))
	decoder = must(zstd.NewReader(nil, zstd.WithDecoderMaxMemory(MaxSize)))
)

// must panics on an error, which only invalid options cause.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Store is the documents of a database. It is safe for concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	objects *objects // nil without a bucket
	puts    bool     // new documents go to the bucket
	metrics *metrics
}

// New returns the documents in pool's database.
func New(pool *pgxpool.Pool) *Store { return &Store{pool: pool, metrics: newMetrics()} }

// Use lets the store read the bodies in a bucket and, with puts, put those of new documents there. It must be called before the store
// is used.
func (s *Store) Use(b *bucket.Bucket, puts bool) { s.objects, s.puts = newObjects(b, s.metrics), puts }

// Metrics returns the metrics of the calls to the bucket.
func (s *Store) Metrics() []prometheus.Collector {
	return []prometheus.Collector{s.metrics.seconds, s.metrics.bytes}
}

// Check returns ErrUnavailable while the bucket does not answer. It makes no call. Callers use it before expensive work whose result they
// would have to put.
func (s *Store) Check() error {
	if s.objects != nil && s.puts && s.objects.silent(time.Now()) {
		return fmt.Errorf("%w: %w", ErrUnavailable, errSilent)
	}
	return nil
}

// Put returns body's hash and the statement that stores body. The statement must
// run in the transaction of the event that refers to the document. A document that
// is already stored keeps the latest expiry of all that store it, and is repaired if it
// was damaged. A concurrent
// deletion waits for the transaction. With a bucket, Put puts the body there; it must
// not be called in a transaction, and the statement fails an hour later.
func (s *Store) Put(ctx context.Context, body []byte) (hash string, stored database.Statement, err error) {
	return s.put(ctx, body, nil)
}

// PutUntil is Put for a document that Sweep deletes after expires.
func (s *Store) PutUntil(ctx context.Context, body []byte, expires time.Time) (hash string, stored database.Statement,
	err error) {
	return s.put(ctx, body, &expires)
}

// latest is the later one of the expiries of a stored row and of one that is stored again.
const latest = `nullif(greatest(coalesce(d.expires_at, 'infinity'), coalesce(EXCLUDED.expires_at, 'infinity')), 'infinity')`

// repaired is the body of a row that is stored again: a row in a bucket keeps its object, and any other gets the bytes that are right.
const repaired = `CASE WHEN d.object IS NOT NULL OR d.body = EXCLUDED.body THEN d.body ELSE EXCLUDED.body END`

func (s *Store) put(ctx context.Context, body []byte, expires *time.Time) (hash string, stored database.Statement, err error) {
	if len(body) > MaxSize {
		return "", stored, fmt.Errorf("documents: the document has %d bytes; at most %d can be stored", len(body), MaxSize)
	}
	hash = Hash(body)
	packed := encoder.EncodeAll(body, nil)
	if s.objects == nil || !s.puts {
		return hash, database.Statement{SQL: `INSERT INTO documents AS d (hash, body, expires_at) VALUES ($1, $2, $3)
			ON CONFLICT (hash) DO UPDATE SET body = ` + repaired + `, expires_at = ` + latest, Args: []any{hash, packed, expires}}, nil
	}
	key, err := s.putNew(ctx, hash, packed)
	return hash, name(hash, key, expires), err
}

// Get returns the document with the hash, verified against it, or ErrNotFound.
func (s *Store) Get(ctx context.Context, hash string) ([]byte, error) {
	var r Row
	err := s.pool.QueryRow(ctx, `SELECT hash, body, object FROM documents WHERE hash = $1`, hash).Scan(&r.Hash, &r.Body, &r.Object)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("%w: read %s: %w", ErrUnavailable, hash, err)
	}
	return s.open(ctx, r)
}

// unpack returns a document, decompressed and verified against its hash.
func unpack(hash string, packed []byte) ([]byte, error) {
	body, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: open %s: %w", ErrDamaged, hash, err)
	}
	if Hash(body) != hash {
		return nil, fmt.Errorf("%w: the bytes stored as %s have another hash; restore them from a backup", ErrDamaged, hash)
	}
	return body, nil
}
