package vault

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
)

// ErrNotOpened is the error of a key that was sealed under another key of the
// service, or that is damaged.
var ErrNotOpened = errors.New("vault: a key of an AI provider or the secret of a webhook cannot be decrypted")

// Credentials stores the keys of the AI providers that accounts saved, and the addresses and secrets of
// webhooks, under the webhook's id; sealed with AES-256-GCM and bound to their account and provider, until
// they are deleted.
type Credentials struct {
	pool *pgxpool.Pool
	aead cipher.AEAD
}

// NewCredentials returns the credentials in pool's database. Their encryption key
// is derived from key, so that credentials and tokens of the vault cannot be
// decrypted as each other.
func NewCredentials(pool *pgxpool.Pool, key []byte) (*Credentials, error) {
	v, err := newFor(pool, key, "readiness/ai credentials")
	if err != nil {
		return nil, err
	}
	return &Credentials{pool, v.aead}, nil
}

// bound returns the additional data for which a key is sealed. The pair is
// unambiguous, because provider ids have a fixed length.
func bound(accountID string, providerID uuid.UUID) []byte {
	return append(providerID[:], accountID...)
}

// Put returns the statement that stores the provider's key, replacing an earlier
// one. It must run in the transaction of the event that records the key.
func (c *Credentials) Put(accountID string, providerID uuid.UUID, key string) database.Statement {
	nonce := make([]byte, c.aead.NonceSize(), c.aead.NonceSize()+len(key)+c.aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	sealed := c.aead.Seal(nonce, nonce, []byte(key), bound(accountID, providerID))
	return database.Statement{SQL: `INSERT INTO ai_credentials (account_id, provider_id, sealed) VALUES ($1, $2, $3)
		ON CONFLICT (account_id, provider_id) DO UPDATE SET sealed = EXCLUDED.sealed`,
		Args: []any{accountID, providerID, sealed}}
}

// Forget returns the statement that deletes the provider's key. It must run in the
// transaction that removes the key or the provider.
func (*Credentials) Forget(accountID string, providerID uuid.UUID) database.Statement {
	return database.Statement{SQL: `DELETE FROM ai_credentials WHERE account_id = $1 AND provider_id = $2`,
		Args: []any{accountID, providerID}}
}

// Key returns the provider's key, or false when there is none. A key that cannot be
// decrypted is ErrNotOpened.
func (c *Credentials) Key(ctx context.Context, accountID string, providerID uuid.UUID) (string, bool, error) {
	var sealed []byte
	err := c.pool.QueryRow(ctx, `SELECT sealed FROM ai_credentials WHERE account_id = $1 AND provider_id = $2`, accountID,
		providerID).Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("vault: read the key of AI provider %s: %w", providerID, err)
	}
	key, err := c.opened(accountID, providerID, sealed)
	return key, err == nil, err
}

func (c *Credentials) opened(accountID string, providerID uuid.UUID, sealed []byte) (string, error) {
	if len(sealed) < c.aead.NonceSize() {
		return "", ErrNotOpened
	}
	nonce, text := sealed[:c.aead.NonceSize()], sealed[c.aead.NonceSize():]
	key, err := c.aead.Open(nil, nonce, text, bound(accountID, providerID))
	if err != nil {
		return "", ErrNotOpened
	}
	return string(key), nil
}

// All calls each with every provider of the account that has a key, and its key.
func (c *Credentials) All(ctx context.Context, accountID string, each func(providerID uuid.UUID, key string) error) error {
	rows, err := c.pool.Query(ctx, `SELECT provider_id, sealed FROM ai_credentials WHERE account_id = $1 ORDER BY provider_id`, accountID)
	if err != nil {
		return fmt.Errorf("vault: read the keys of AI providers: %w", err)
	}
	var id uuid.UUID
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &sealed}, func() error {
		key, err := c.opened(accountID, id, sealed)
		if err != nil {
			return fmt.Errorf("%w: provider %s", err, id)
		}
		return each(id, key)
	})
	return err
}
