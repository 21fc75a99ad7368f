// Package documents keeps large results (assessment documents, previews,
// comparisons) apart from the log: compressed, and addressed by the SHA-256 of
// their bytes, so that writing one twice writes it once and what an event
// refers to can be checked. It never changes or interprets a document.
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
)

// MaxSize bounds a document, uncompressed, in bytes.
const MaxSize = 256 << 20

// ErrNotFound: no document has the hash.
var ErrNotFound = errors.New("documents: no document has this hash")

// ErrUnavailable: the store could not answer.
var ErrUnavailable = errors.New("documents: the store could not answer")

// Hash is the address of a document: "sha256:" and the hex digest of its bytes.
func Hash(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Both may be used by any number of goroutines. A document that would unpack to
// more than MaxSize is refused before it does.
var (
	encoder = must(zstd.NewWriter(nil))
	decoder = must(zstd.NewReader(nil, zstd.WithDecoderMaxMemory(MaxSize)))
)

// must is for options of ours that are in order.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Put returns the statement that stores body, for the transaction of the event
// that refers to it, and body's hash. A document already stored stays, for as
// long as the longest of those who store it asks, and who would delete it waits
// for that transaction.
func Put(body []byte) (hash, sql string, args []any, err error) {
	return put(body, nil)
}

// PutUntil is Put of a document that Sweep deletes once expires has passed.
func PutUntil(body []byte, expires time.Time) (hash, sql string, args []any, err error) {
	return put(body, &expires)
}

func put(body []byte, expires *time.Time) (hash, sql string, args []any, err error) {
	if len(body) > MaxSize {
		return "", "", nil, fmt.Errorf("documents: %d bytes are more than the %d a document may have", len(body), MaxSize)
	}
	hash = Hash(body)
	return hash, `INSERT INTO documents AS d (hash, body, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (hash) DO UPDATE SET expires_at = nullif(greatest(coalesce(d.expires_at, 'infinity'), coalesce(EXCLUDED.expires_at, 'infinity')), 'infinity')`, []any{hash, encoder.EncodeAll(body, nil), expires}, nil
}

// Sweep deletes the documents whose end has passed at now.
func Sweep(ctx context.Context, pool *pgxpool.Pool, now time.Time) error {
	if _, err := pool.Exec(ctx, `DELETE FROM documents WHERE expires_at < $1`, now); err != nil {
		return fmt.Errorf("documents: sweep: %w", err)
	}
	return nil
}

// Get returns the document with the hash, checked against it, or ErrNotFound.
func Get(ctx context.Context, pool *pgxpool.Pool, hash string) ([]byte, error) {
	var packed []byte
	err := pool.QueryRow(ctx, `SELECT body FROM documents WHERE hash = $1`, hash).Scan(&packed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("%w: read %s: %w", ErrUnavailable, hash, err)
	}
	return unpack(hash, packed)
}

// unpack opens the body of a document and checks it against its hash.
func unpack(hash string, packed []byte) ([]byte, error) {
	body, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("documents: open %s: %w", hash, err)
	}
	if Hash(body) != hash {
		return nil, fmt.Errorf("documents: the bytes stored as %s have another hash; restore them from a backup", hash)
	}
	return body, nil
}
