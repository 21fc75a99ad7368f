// Package documents stores large results (assessment documents, previews,
// comparisons) outside the log. Documents are compressed and addressed by the
// SHA-256 of their bytes, so writing one twice stores it once, and a reference in
// an event can be verified. The package never changes or interprets a document.
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

	"readiness/internal/database"
)

// MaxSize bounds a document, in bytes before compression.
const MaxSize = 256 << 20

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
// would unpack to more than MaxSize.
var (
	encoder = must(zstd.NewWriter(nil))
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
type Store struct{ pool *pgxpool.Pool }

// New returns the documents in pool's database.
func New(pool *pgxpool.Pool) *Store { return &Store{pool: pool} }

// Put returns body's hash and the statement that stores body. The statement must
// run in the transaction of the event that refers to the document. A document that
// is already stored keeps the latest expiry of all that store it. A concurrent
// deletion waits for the transaction.
func (s *Store) Put(ctx context.Context, body []byte) (hash string, stored database.Statement, err error) {
	return s.put(ctx, body, nil)
}

// PutUntil is Put for a document that Sweep deletes after expires.
func (s *Store) PutUntil(ctx context.Context, body []byte, expires time.Time) (hash string, stored database.Statement,
	err error) {
	return s.put(ctx, body, &expires)
}

func (s *Store) put(_ context.Context, body []byte, expires *time.Time) (hash string, stored database.Statement, err error) {
	if len(body) > MaxSize {
		return "", stored, fmt.Errorf("documents: %d bytes are more than the %d a document may have", len(body), MaxSize)
	}
	hash = Hash(body)
	return hash, database.Statement{SQL: `INSERT INTO documents AS d (hash, body, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (hash) DO UPDATE SET expires_at = nullif(greatest(
			coalesce(d.expires_at, 'infinity'), coalesce(EXCLUDED.expires_at, 'infinity')), 'infinity')`,
		Args: []any{hash, encoder.EncodeAll(body, nil), expires}}, nil
}

// Sweep deletes the documents whose expiry is before now.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM documents WHERE expires_at < $1`, now); err != nil {
		return fmt.Errorf("documents: sweep: %w", err)
	}
	return nil
}

// Get returns the document with the hash, verified against it, or ErrNotFound.
func (s *Store) Get(ctx context.Context, hash string) ([]byte, error) {
	var packed []byte
	err := s.pool.QueryRow(ctx, `SELECT body FROM documents WHERE hash = $1`, hash).Scan(&packed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("%w: read %s: %w", ErrUnavailable, hash, err)
	}
	return Unpack(hash, packed)
}

// Unpack returns the document of a row, decompressed and verified against its hash.
func Unpack(hash string, packed []byte) ([]byte, error) {
	body, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("documents: open %s: %w", hash, err)
	}
	if Hash(body) != hash {
		return nil, fmt.Errorf("documents: the bytes stored as %s have another hash; restore them from a backup", hash)
	}
	return body, nil
}
