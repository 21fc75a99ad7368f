// Package sealed encrypts the members of events that hold what a person wrote, under a key of the
// account. An event's hash covers the encrypted form. Deleting the key erases the texts, and the log
// stays as it is (docs/adr/0030). Members are marked in the Go types of events by the tag pii:"text".
package sealed

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"
)

const (
	// KeySize is the length in bytes of the key of New, and of the keys of accounts.
	KeySize = 32
	// maxKeys bounds how many keys of accounts a process keeps in memory.
	maxKeys = 4096
)

// ErrOtherKey is the error of keys that were stored under another key of the service, or that are damaged.
var ErrOtherKey = errors.New("the keys of accounts in the database were stored under another service.key; restore that file in the " +
	"data directory")

// Key is the key of an account. It is safe for concurrent use.
type Key struct {
	account string
	id      string // identifies the key in the members that it sealed
	stored  []byte
	aead    cipher.AEAD
}

// Stored returns the key as the table account_keys holds it.
func (k *Key) Stored() []byte { return k.stored }

// Keys opens the keys of accounts. It is safe for concurrent use.
type Keys struct {
	service cipher.AEAD
	opened  *lru.Cache[string, *Key] // by account and stored form
	current *lru.Cache[string, *Key] // by account
}

// New returns the keys that are stored under a key of the service, which has KeySize bytes.
func New(service []byte) (*Keys, error) {
	if len(service) != KeySize {
		return nil, fmt.Errorf("sealed: the key of the service has %d bytes; it needs %d", len(service), KeySize)
	}
	derived, err := hkdf.Key(sha256.New, service, nil, "readiness/keys of accounts", KeySize)
	if err != nil {
		return nil, fmt.Errorf("sealed: %w", err)
	}
	k := &Keys{service: AEAD(derived)}
	if k.opened, err = lru.New[string, *Key](maxKeys); err == nil {
		k.current, err = lru.New[string, *Key](maxKeys)
	}
	return k, err
}

// AEAD returns AES-256-GCM with random nonces under a key of KeySize bytes.
func AEAD(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // every key has KeySize bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return aead
}

// Make returns a new key of the account. It stores nothing.
func (k *Keys) Make(account string) *Key {
	own := make([]byte, KeySize)
	_, _ = rand.Read(own) // never fails
	return newKey(account, own, k.service.Seal(nil, nil, own, []byte(account)))
}

func newKey(account string, own, stored []byte) *Key {
	id := sha256.Sum256(own)
	return &Key{account, hex.EncodeToString(id[:4]), stored, AEAD(own)}
}

// Open returns the account's key from its stored form. It returns nil if stored is nil, and ErrOtherKey if stored cannot be opened.
func (k *Keys) Open(account string, stored []byte) (*Key, error) {
	if stored == nil {
		return nil, nil
	}
	of := account + "\x00" + string(stored)
	if key, ok := k.opened.Get(of); ok {
		return key, nil
	}
	own, err := k.Own(account, stored)
	if err != nil {
		return nil, err
	}
	key := newKey(account, own, append([]byte(nil), stored...))
	k.opened.Add(of, key)
	return key, nil
}

// database is a pool or a transaction.
type database interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}

// Current returns the key that the account's next events are sealed under. It stores a new key before it returns it; processes that do so
// at once get the same key. It returns nil for an erased account, which it looks up each time. If again is true, Current reads the key
// even if it is in memory. An append must compare the key with the stored one, which may have changed since.
func (k *Keys) Current(ctx context.Context, db database, account string, again bool) (*Key, error) {
	if key, ok := k.current.Get(account); ok && !again {
		return key, nil
	}
	var stored []byte
	err := db.QueryRow(ctx, `SELECT key FROM account_keys WHERE account_id = $1`, account).Scan(&stored)
	if errors.Is(err, pgx.ErrNoRows) {
		err = db.QueryRow(ctx, `INSERT INTO account_keys AS k (account_id, key) VALUES ($1, $2)
			ON CONFLICT (account_id) DO UPDATE SET key = k.key RETURNING key`, account, k.Make(account).stored).Scan(&stored)
	}
	if err != nil {
		return nil, fmt.Errorf("sealed: read the key of account %q: %w", account, err)
	}
	key, err := k.Open(account, stored)
	if err != nil {
		return nil, err
	}
	if key == nil {
		k.current.Remove(account)
		return nil, nil
	}
	k.current.Add(account, key)
	return key, nil
}

// Check returns ErrOtherKey if a key of the database cannot be opened. It tries one key.
func (k *Keys) Check(ctx context.Context, db database) error {
	var account string
	var stored []byte
	err := db.QueryRow(ctx, `SELECT account_id, key FROM account_keys LIMIT 1`).Scan(&account, &stored)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("sealed: %w", err)
	}
	_, err = k.Open(account, stored)
	return err
}

// Own returns the bytes of an account's key from its stored form. Another deployment stores them under its own service.key with Put.
func (k *Keys) Own(account string, stored []byte) ([]byte, error) {
	own, err := k.service.Open(nil, nil, stored, []byte(account))
	if err != nil || len(own) != KeySize {
		return nil, fmt.Errorf("sealed: %w", ErrOtherKey)
	}
	return own, nil
}

// Forget returns the statement that deletes an account's key for good: its row stays, so that no other key is made. It must run in the
// transaction of the event that records it.
func (*Keys) Forget(account string) (sql string, args []any) {
	return `INSERT INTO account_keys (account_id, key) VALUES ($1, NULL) ON CONFLICT (account_id) DO UPDATE SET key = NULL`, []any{account}
}

// Put returns the statement that stores a key that Own returned. The statement fails if the account already has a key.
func (k *Keys) Put(account string, own []byte) (sql string, args []any) {
	return `INSERT INTO account_keys (account_id, key) VALUES ($1, $2)`, []any{account, k.service.Seal(nil, nil, own, []byte(account))}
}
