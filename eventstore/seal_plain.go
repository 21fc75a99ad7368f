package eventstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore/sealed"
)

// PlainSealer seals the texts of persons that events of an import hold in plain form. Make one with Store.PlainSealer for each import.
type PlainSealer struct {
	store *Store
	keys  map[string]*sealed.Key
	// made are the keys that were made here, which Keep stores.
	made map[string]*sealed.Key
}

// PlainSealer returns a PlainSealer for an import into the log.
func (s *Store) PlainSealer() *PlainSealer {
	return &PlainSealer{store: s, keys: map[string]*sealed.Key{}, made: map[string]*sealed.Key{}}
}

// Seal seals the texts of the event that are plain, under the account's stored key or one that it makes, and returns how many they were.
func (s *PlainSealer) Seal(ctx context.Context, tx pgx.Tx, r *Recorded) (n int, err error) {
	plan := s.store.codec.byName[r.Type].plan
	if n, err = plan.Plain(r.Data); err != nil || n == 0 {
		return n, err
	}
	key := s.keys[r.Account]
	if key == nil {
		if key, err = s.store.Keys.Stored(ctx, tx, r.Account); err != nil {
			return 0, err
		}
		if key == nil {
			key = s.store.Keys.Make(r.Account)
			s.made[r.Account] = key
		}
		s.keys[r.Account] = key
	}
	r.Data, err = plan.Seal(r.Data, key, r.Type)
	return n, err
}

// Keep stores the keys that were made, except those of accounts that the imported log says are erased: no one can read their texts then. It
// refuses a log with texts under keys that are not stored.
func (s *PlainSealer) Keep(ctx context.Context, tx pgx.Tx) error {
	for account, key := range s.made {
		if _, err := tx.Exec(ctx, `INSERT INTO account_keys (account_id, key) SELECT $1, CASE WHEN (SELECT type FROM events
			WHERE stream = 'account-' || $1 ORDER BY version DESC LIMIT 1) IS DISTINCT FROM 'account.erased' THEN $2::bytea END
			ON CONFLICT DO NOTHING`, account, key.Stored()); err != nil {
			return fmt.Errorf("eventstore: store a key of texts: %w", err)
		}
	}
	if err := s.store.Keys.Check(ctx, tx); err != nil {
		return fmt.Errorf("%w; copy the table account_keys of the exported log before the import", err)
	}
	return nil
}

// Encode changes the event's data to those that this program stores of what it says. The event must be without sealed texts.
func (s *Store) Encode(r *Recorded) error {
	e, err := s.codec.Decode(r.Type, r.SchemaVersion, r.Data, nil)
	if err == nil {
		_, r.SchemaVersion, r.Data, err = s.codec.Encode(e, nil)
	}
	return err
}
