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
	aead    cipher.AEAD // nil if there is no key
	empty   bool        // whether sealed members read as null: there is no key, and shall be none
}

// LeftOut stands for the key of any account where texts of persons are left out on purpose: sealed members read as null.
var LeftOut = &Key{empty: true}

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
	return &Key{account: account, id: hex.EncodeToString(id[:4]), stored: stored, aead: AEAD(own)}
}

// Open returns the account's key as KeySQL selects it: of an erased account one that opens members as null, and if the key is missing one
// that opens none, which is an error only once there is a member to open. It returns ErrOtherKey if stored cannot be opened.
func (k *Keys) Open(account string, stored []byte) (*Key, error) {
	if len(stored) == 0 {
		return &Key{account: account, empty: stored != nil}, nil
	}
	of := account + "\x00" + string(stored)
	if key, ok := k.opened.Get(of); ok {
		return key, nil
	}
	own, err := k.own(account, stored)
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

// Current returns the key that the account's next events are sealed under. For an account without sealed events it makes one, and stores
// it before it returns it; processes that do so at once get the same key. It returns nil for an erased account, which it looks up each
// time, and a *MissingKey if the log has texts under a key that is not stored. If again is true, Current reads the key even if it is in
// memory. An append must compare the key with the stored one, which may have changed since.
func (k *Keys) Current(ctx context.Context, db database, account string, again bool) (*Key, error) {
	if key, ok := k.current.Get(account); ok && !again {
		return key, nil
	}
	k.current.Remove(account)
	var stored []byte
	err := db.QueryRow(ctx, storedSQL, account).Scan(&stored)
	if err == nil && stored == nil {
		err = k.makeFirst(ctx, db, account)
		_, missing := errors.AsType[*MissingKey](err)
		if err == nil || missing { // another process may have stored the key, and used it, since it was first looked up
			if failed := db.QueryRow(ctx, storedSQL, account).Scan(&stored); failed != nil || stored != nil {
				err = failed
			}
		}
	}
	if _, missing := errors.AsType[*MissingKey](err); missing {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("sealed: read the key of account %q: %w", account, err)
	}
	key, err := k.Open(account, stored)
	switch {
	case err != nil:
		return nil, err
	case key.empty:
		return nil, nil
	case key.aead == nil:
		return nil, &MissingKey{Account: account}
	}
	k.current.Add(account, key)
	return key, nil
}

// makeFirst stores a key of an account that has none, unless a sealed event says that it had one.
func (k *Keys) makeFirst(ctx context.Context, db database, account string) error {
	var id string
	switch err := db.QueryRow(ctx, namedSQL, account).Scan(&id); {
	case err == nil:
		return &MissingKey{account, id}
	case !errors.Is(err, pgx.ErrNoRows):
		return err
	}
	err := db.QueryRow(ctx, `INSERT INTO account_keys (account_id, key) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING account_id`, account,
		k.Make(account).stored).Scan(&account)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // another process was first
	}
	return err
}

// Stored returns the key that is stored for the account; nil if there is none, and for an erased account.
func (k *Keys) Stored(ctx context.Context, db database, account string) (*Key, error) {
	var stored []byte
	if err := db.QueryRow(ctx, storedSQL, account).Scan(&stored); err != nil {
		return nil, fmt.Errorf("sealed: read the key of account %q: %w", account, err)
	}
	if len(stored) == 0 {
		return nil, nil
	}
	return k.Open(account, stored)
}

// Export returns the bytes of the account's key. Another deployment stores them under its own service.key with Put. It returns nil for an
// account without sealed events that has no key.
func (k *Keys) Export(ctx context.Context, db interface {
	database
	lister
}, account string) ([]byte, error) {
	var stored []byte
	if err := db.QueryRow(ctx, storedSQL, account).Scan(&stored); err != nil {
		return nil, fmt.Errorf("sealed: read the key of account %q: %w", account, err)
	}
	all, err := k.named(ctx, db, account)
	if err != nil {
		return nil, err
	}
	for _, n := range all {
		if n.Missing != nil {
			return nil, n.Missing
		}
	}
	if len(stored) == 0 {
		return nil, nil
	}
	return k.own(account, stored)
}

func (k *Keys) own(account string, stored []byte) ([]byte, error) {
	own, err := k.service.Open(nil, nil, stored, []byte(account))
	if err != nil || len(own) != KeySize {
		return nil, fmt.Errorf("sealed: %w", ErrOtherKey)
	}
	return own, nil
}

// Forget returns the statement that deletes an account's key for good: its row stays, so that no other key is made. It must run in the
// transaction of the event account.erased, after it; the database refuses it without that event.
func (*Keys) Forget(account string) (sql string, args []any) {
	return `SELECT erase_account_key($1)`, []any{account}
}

// Put returns the statement that stores a key that Export returned. The statement fails if the account already has a key.
func (k *Keys) Put(account string, own []byte) (sql string, args []any) {
	return `INSERT INTO account_keys (account_id, key) VALUES ($1, $2)`, []any{account, k.service.Seal(nil, nil, own, []byte(account))}
}
