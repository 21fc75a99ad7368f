// Package vault keeps the platform token of a step of work between the call
// that brought it and the worker that uses it, and that of a schedule's owner from
// slot to slot: encrypted with a key that is never in the database, and deleted
// when the work ends or the token expires (decisions 3). It never logs.
package vault

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// KeySize is the length of a vault's key in bytes (AES-256).
const KeySize = 32

// Vault seals tokens with AES-256-GCM, bound to the operation they are for.
type Vault struct {
	pool *pgxpool.Pool
	aead cipher.AEAD
}

// New returns the vault in pool's database under key.
func New(pool *pgxpool.Pool, key []byte) (*Vault, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("vault: the key has %d bytes, want %d", len(key), KeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	return &Vault{pool, aead}, nil
}

// Put returns the statement that keeps the token for the operation until
// expires. It is meant for the transaction that accepts the operation; a later
// token for the same operation replaces the first.
func (v *Vault) Put(operationID uuid.UUID, token string, expires time.Time) (sql string, args []any) {
	nonce := make([]byte, v.aead.NonceSize(), v.aead.NonceSize()+len(token)+v.aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	sealed := v.aead.Seal(nonce, nonce, []byte(token), operationID[:])
	return `INSERT INTO step_tokens (operation_id, sealed, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (operation_id) DO UPDATE SET sealed = EXCLUDED.sealed, expires_at = EXCLUDED.expires_at`,
		[]any{operationID, sealed, expires}
}

// Forget returns the statement that deletes the operation's token; it goes into
// the transaction that ends the operation.
func (*Vault) Forget(operationID uuid.UUID) (sql string, args []any) {
	return `DELETE FROM step_tokens WHERE operation_id = $1`, []any{operationID}
}

// Token returns the operation's token, or false when there is none or it has
// expired at now.
func (v *Vault) Token(ctx context.Context, operationID uuid.UUID, now time.Time) (string, bool, error) {
	token, _, ok, err := v.Kept(ctx, operationID, now)
	return token, ok, err
}

// ErrSealed: the token was sealed with another key, or is damaged.
var ErrSealed = errors.New("does not open with this key")

// Expires is when the operation's token expires; the zero time when there is none
// or it has at now.
func (v *Vault) Expires(ctx context.Context, operationID uuid.UUID, now time.Time) (expires time.Time, err error) {
	err = v.pool.QueryRow(ctx, `SELECT expires_at FROM step_tokens WHERE operation_id = $1 AND expires_at > $2`, operationID, now).Scan(&expires)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return expires, fmt.Errorf("vault: look for the token of operation %s: %w", operationID, err)
	}
	return expires, nil
}

// Kept is Token with when the token expires.
func (v *Vault) Kept(ctx context.Context, operationID uuid.UUID, now time.Time) (token string, expires time.Time, ok bool, err error) {
	var sealed []byte
	err = v.pool.QueryRow(ctx, `SELECT sealed, expires_at FROM step_tokens WHERE operation_id = $1 AND expires_at > $2`, operationID, now).Scan(&sealed, &expires)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", time.Time{}, false, nil
	}
	if err != nil {
		return "", time.Time{}, false, fmt.Errorf("vault: read the token of operation %s: %w", operationID, err)
	}
	if len(sealed) < v.aead.NonceSize() {
		return "", time.Time{}, false, fmt.Errorf("vault: the token of operation %s is damaged and %w", operationID, ErrSealed)
	}
	nonce, text := sealed[:v.aead.NonceSize()], sealed[v.aead.NonceSize():]
	opened, err := v.aead.Open(nil, nonce, text, operationID[:])
	if err != nil {
		return "", time.Time{}, false, fmt.Errorf("vault: the token of operation %s %w: %w", operationID, ErrSealed, err)
	}
	return string(opened), expires, true, nil
}

// Sweep deletes what has expired at now and says how many tokens that were.
func (v *Vault) Sweep(ctx context.Context, now time.Time) (int64, error) {
	tag, err := v.pool.Exec(ctx, `DELETE FROM step_tokens WHERE expires_at <= $1`, now)
	if err != nil {
		return 0, fmt.Errorf("vault: sweep: %w", err)
	}
	return tag.RowsAffected(), nil
}
