// Package vault stores platform tokens: the token of a call until the worker uses
// it, and that of a schedule's owner between slots. Tokens are encrypted with a key
// that is never in the database, and deleted when the work ends or the token
// expires (docs/decisions.md 3). The package never logs.
package vault

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
)

// KeySize is the length of a vault's key in bytes (AES-256).
const KeySize = 32

// Vault seals tokens with AES-256-GCM, bound to their operation.
type Vault struct {
	pool *pgxpool.Pool
	aead cipher.AEAD
}

// New returns the vault in pool's database. key must have KeySize bytes.
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

// newFor is New with a key for the purpose, derived from key, so that what is sealed for one purpose cannot be decrypted as another.
func newFor(pool *pgxpool.Pool, key []byte, purpose string) (*Vault, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("vault: the key has %d bytes, want %d", len(key), KeySize)
	}
	own, err := hkdf.Key(sha256.New, key, nil, purpose, KeySize)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	return New(pool, own)
}

// Put returns the statement that stores the token for the operation until expires,
// replacing an earlier one. It must run in the transaction that accepts the
// operation.
func (v *Vault) Put(operationID uuid.UUID, token string, expires time.Time) database.Statement {
	nonce := make([]byte, v.aead.NonceSize(), v.aead.NonceSize()+len(token)+v.aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	sealed := v.aead.Seal(nonce, nonce, []byte(token), operationID[:])
	return database.Statement{SQL: `INSERT INTO step_tokens (operation_id, sealed, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (operation_id) DO UPDATE SET sealed = EXCLUDED.sealed, expires_at = EXCLUDED.expires_at`,
		Args: []any{operationID, sealed, expires}}
}

// Forget returns the statement that deletes the operation's token. It must run in
// the transaction that ends the operation.
func (*Vault) Forget(operationID uuid.UUID) database.Statement {
	return database.Statement{SQL: `DELETE FROM step_tokens WHERE operation_id = $1`, Args: []any{operationID}}
}

// Token returns the operation's token, or false when there is none or it has
// expired at now.
func (v *Vault) Token(ctx context.Context, operationID uuid.UUID, now time.Time) (string, bool, error) {
	token, _, ok, err := v.Kept(ctx, operationID, now)
	return token, ok, err
}

// ErrSealed is the error of a token that was sealed with another key, or that is
// damaged.
var ErrSealed = errors.New("cannot be decrypted with this key")

// Expires returns when the operation's token expires, or the zero time when there
// is no token or it has expired at now.
func (v *Vault) Expires(ctx context.Context, operationID uuid.UUID, now time.Time) (expires time.Time, err error) {
	err = v.pool.QueryRow(ctx, `SELECT expires_at FROM step_tokens WHERE operation_id = $1 AND expires_at > $2`, operationID,
		now).Scan(&expires)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return expires, fmt.Errorf("vault: look for the token of operation %s: %w", operationID, err)
	}
	return expires, nil
}

// Kept is Token, and also returns when the token expires.
func (v *Vault) Kept(ctx context.Context, operationID uuid.UUID, now time.Time) (token string, expires time.Time, ok bool, err error) {
	var sealed []byte
	err = v.pool.QueryRow(ctx, `SELECT sealed, expires_at FROM step_tokens WHERE operation_id = $1 AND expires_at > $2`, operationID,
		now).Scan(&sealed, &expires)
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

// Sweep deletes the tokens that have expired at now and returns how many.
func (v *Vault) Sweep(ctx context.Context, now time.Time) (int64, error) {
	tag, err := v.pool.Exec(ctx, `DELETE FROM step_tokens WHERE expires_at <= $1`, now)
	if err != nil {
		return 0, fmt.Errorf("vault: sweep: %w", err)
	}
	return tag.RowsAffected(), nil
}
