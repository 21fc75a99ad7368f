package vault

import (
	"context"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNotOpened is the error of a key that was sealed under another key of the
// service, or was damaged since.
var ErrNotOpened = errors.New("vault: the key of the AI provider does not open")

// Credentials seals the keys of the AI providers that accounts saved with
// AES-256-GCM, each bound to its account and provider. They stay until they are
// forgotten.
type Credentials struct {
	pool *pgxpool.Pool
	aead cipher.AEAD
}

// NewCredentials returns the credentials in pool's database. Their own key is
// derived from the vault's, so that nothing sealed as the one opens as the other.
func NewCredentials(pool *pgxpool.Pool, key []byte) (*Credentials, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("vault: the key has %d bytes, want %d", len(key), KeySize)
	}
	own, err := hkdf.Key(sha256.New, key, nil, "readiness/ai credentials", KeySize)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	v, err := New(pool, own)
	if err != nil {
		return nil, err
	}
	return &Credentials{pool, v.aead}, nil
}

// bound is what a key is sealed for: no account id with a provider id reads as
// another pair, as the latter has one length.
func bound(accountID string, providerID uuid.UUID) []byte {
	return append(providerID[:], accountID...)
}

// Put returns the statement that keeps the provider's key; it replaces one that
// was kept before. It goes into the transaction of the event that says so.
func (c *Credentials) Put(accountID string, providerID uuid.UUID, key string) (sql string, args []any) {
	nonce := make([]byte, c.aead.NonceSize(), c.aead.NonceSize()+len(key)+c.aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	sealed := c.aead.Seal(nonce, nonce, []byte(key), bound(accountID, providerID))
	return `INSERT INTO ai_credentials (account_id, provider_id, sealed) VALUES ($1, $2, $3)
		ON CONFLICT (account_id, provider_id) DO UPDATE SET sealed = EXCLUDED.sealed`,
		[]any{accountID, providerID, sealed}
}

// Forget returns the statement that deletes the provider's key; it goes into the
// transaction that removes it or the provider.
func (*Credentials) Forget(accountID string, providerID uuid.UUID) (sql string, args []any) {
	return `DELETE FROM ai_credentials WHERE account_id = $1 AND provider_id = $2`, []any{accountID, providerID}
}

// Key returns the provider's key, or false when there is none. One that does not
// open is ErrNotOpened.
func (c *Credentials) Key(ctx context.Context, accountID string, providerID uuid.UUID) (string, bool, error) {
	var sealed []byte
	err := c.pool.QueryRow(ctx, `SELECT sealed FROM ai_credentials WHERE account_id = $1 AND provider_id = $2`, accountID, providerID).Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("vault: read the key of AI provider %s: %w", providerID, err)
	}
	if len(sealed) < c.aead.NonceSize() {
		return "", false, ErrNotOpened
	}
	nonce, text := sealed[:c.aead.NonceSize()], sealed[c.aead.NonceSize():]
	key, err := c.aead.Open(nil, nonce, text, bound(accountID, providerID))
	if err != nil {
		return "", false, ErrNotOpened
	}
	return string(key), true, nil
}
