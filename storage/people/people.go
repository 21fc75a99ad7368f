// Package people knows whose the ids of persons are. Events, views and documents hold
// only the ids (item.PersonID), which are random and differ between accounts. A row of
// this package joins an id to an issuer and the person's id there, sealed under a key
// of the person that is sealed under a key of the service. Deleting the row erases the
// person, and the log stays as it is (docs/adr/0018).
package people

import (
	"bytes"
	"context"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain/item"
	"readiness/eventstore/sealed"
	"readiness/internal/database"
)

// KeySize is the length of the key of New in bytes.
const KeySize = 32

// ErrOtherKey is the error of rows that were sealed under another key of the service,
// or that are damaged.
var ErrOtherKey = errors.New("the database's persons were stored under another service.key than this one; restore that file, " +
	"or erase the persons that `readinessd people list` cannot name")

// People are the persons of a database. They are safe for concurrent use.
type People struct {
	pool  *pgxpool.Pool
	keys  cipher.AEAD // seals the keys of persons
	blind []byte      // the key of both indexes
	newID func(item.Person) item.PersonID
}

// New returns the people in pool's database; key has KeySize bytes.
func New(pool *pgxpool.Pool, key []byte) (*People, error) {
	return WithIDs(pool, key, func(item.Person) item.PersonID { return item.PersonID(uuid.NewString()) })
}

// WithIDs is New, with persons who get the ids that newID returns.
func WithIDs(pool *pgxpool.Pool, key []byte, newID func(item.Person) item.PersonID) (*People, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("people: the key has %d bytes, want %d", len(key), KeySize)
	}
	sealing, err := hkdf.Key(sha256.New, key, nil, "readiness/keys of people", keySize)
	if err != nil {
		return nil, fmt.Errorf("people: %w", err)
	}
	blind, err := hkdf.Key(sha256.New, key, nil, "readiness/index of people", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("people: %w", err)
	}
	return &People{pool, sealed.AEAD(sealing), blind, newID}, nil
}

// Index returns the value by which a person's rows are found. Without the key of New it
// cannot be computed, nor the person from it.
func (p *People) Index(who item.Person) []byte { return p.hash("person", who.Issuer, who.ID) }

// Key returns a short text that stands for the person in keys of what is counted.
func (p *People) Key(who item.Person) string { return hex.EncodeToString(p.Index(who)[:16]) }

func (p *People) hash(parts ...string) []byte {
	h := hmac.New(sha256.New, p.blind)
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0}) // no token and no declaration holds one
	}
	return h.Sum(nil)
}

// Find returns the ids of those persons whom the account knows.
func (p *People) Find(ctx context.Context, accountID string, who []item.Person) (map[item.Person]item.PersonID, error) {
	indexes, by := make([][]byte, len(who)), make(map[string]item.Person, len(who))
	for i, one := range who {
		indexes[i] = p.Index(one)
		by[string(indexes[i])] = one
	}
	found := make(map[item.Person]item.PersonID, len(who))
	rows, err := p.pool.Query(ctx, `SELECT blind_index, person_id FROM people WHERE blind_index = ANY($1) AND account_id = $2`, indexes,
		accountID)
	if err == nil {
		var index []byte
		var id item.PersonID
		_, err = pgx.ForEachRow(rows, []any{&index, &id}, func() error { found[by[string(index)]] = id; return nil })
	}
	if err != nil {
		return nil, fmt.Errorf("people: find the persons of account %s: %w", accountID, err)
	}
	return found, nil
}

// NewID returns an id for a person whom Find does not know. It stores nothing.
func (p *People) NewID(who item.Person) item.PersonID { return p.newID(who) }

// Claim stores persons under the ids, unless the account knows them already, and
// returns the ids that it knows them by. The caller has called Check: under another key
// no person is found, and each would get a second id.
func (p *People) Claim(ctx context.Context, accountID string, ids map[item.Person]item.PersonID) (map[item.Person]item.PersonID, error) {
	// Every claim locks the rows in the same order, so that two cannot deadlock.
	who := slices.SortedFunc(maps.Keys(ids), func(a, b item.Person) int { return bytes.Compare(p.Index(a), p.Index(b)) })
	b := &pgx.Batch{}
	for _, one := range who {
		s := p.Put(accountID, ids[one], one)
		b.Queue(s.SQL+` ON CONFLICT DO NOTHING`, s.Args...)
	}
	if err := p.pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, fmt.Errorf("people: store persons of account %s: %w", accountID, err)
	}
	claimed, err := p.Find(ctx, accountID, who)
	if err == nil && len(claimed) < len(ids) {
		err = fmt.Errorf("people: persons of account %s were erased while they were stored; apply again", accountID)
	}
	return claimed, err
}

// Put returns the statement that stores a person under an id that neither is stored yet.
func (p *People) Put(accountID string, id item.PersonID, who item.Person) database.Statement {
	key, sealed := p.seal(accountID, id, who)
	return database.Statement{SQL: `INSERT INTO people (account_id, person_id, key, sealed, blind_index, name_index)
		VALUES ($1, $2, $3, $4, $5, $6)`, Args: []any{accountID, id, key, sealed, p.Index(who), p.hash("name", who.ID)}}
}

// Check returns ErrOtherKey when a person of the database cannot be opened.
func (p *People) Check(ctx context.Context) error {
	var accountID string
	var id item.PersonID
	var sealed []byte
	err := p.pool.QueryRow(ctx, `SELECT account_id, person_id, key || sealed FROM people LIMIT 1`).Scan(&accountID, &id, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err == nil {
		_, err = p.Open(accountID, id, sealed)
	}
	if err != nil {
		return fmt.Errorf("people: %w", err)
	}
	return nil
}

// Names returns the persons of the ids, without those who were erased.
func (p *People) Names(ctx context.Context, accountID string, ids ...item.PersonID) (map[item.PersonID]item.Person, error) {
	names := make(map[item.PersonID]item.Person, len(ids))
	rows, err := p.pool.Query(ctx, `SELECT person_id, key || sealed FROM people WHERE account_id = $1 AND person_id = ANY($2)`, accountID,
		ids)
	if err == nil {
		var id item.PersonID
		var sealed []byte
		_, err = pgx.ForEachRow(rows, []any{&id, &sealed}, func() (err error) {
			names[id], err = p.Open(accountID, id, sealed)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("people: name persons of account %s: %w", accountID, err)
	}
	return names, nil
}

// Name returns the person of the id; the zero Person when they were erased.
func (p *People) Name(ctx context.Context, accountID string, id item.PersonID) (item.Person, error) {
	names, err := p.Names(ctx, accountID, id)
	return names[id], err
}

// Called returns the ids of the account's persons with the id at their issuer,
// whichever it is.
func (p *People) Called(ctx context.Context, accountID, name string) ([]item.PersonID, error) {
	rows, err := p.pool.Query(ctx, `SELECT person_id FROM people WHERE account_id = $1 AND name_index = $2 ORDER BY person_id`, accountID,
		p.hash("name", name))
	if err != nil {
		return nil, fmt.Errorf("people: find a person of account %s: %w", accountID, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[item.PersonID])
}

// Erase returns the statement that deletes the person. It must run in the transaction
// of the event that records it.
func (*People) Erase(accountID string, id item.PersonID) database.Statement {
	return database.Statement{SQL: `DELETE FROM people WHERE account_id = $1 AND person_id = $2`, Args: []any{accountID, id}}
}
