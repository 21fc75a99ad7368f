package sealed

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// MissingKey is the error of a text that is sealed under a key that is not stored. It is never read as an empty text: only an erased
// account's is.
type MissingKey struct {
	Account string
	ID      string // of the key, as sealed members name it; "" if no member was looked at
}

// Error implements error.
func (m *MissingKey) Error() string {
	key := "the key"
	if m.ID != "" {
		key += " " + m.ID
	}
	return fmt.Sprintf("%s of the texts of account %s is not in the table account_keys, so what its people wrote cannot be read; restore "+
		"that row from a backup, with the service.key of then (docs/operating.md, A missing key of texts)", key, m.Account)
}

// KeySQL returns SQL for the stored key of an account, which the SQL expression names: NULL if it is missing, and empty if the account was
// erased, which the last event of its stream says. An imported log may have no row for it.
func KeySQL(account string) string {
	return `coalesce((SELECT nullif(key, '') FROM account_keys k WHERE k.account_id = ` + account + `),
		(SELECT CASE WHEN last.type = 'account.erased' THEN ''::bytea END FROM events last
			WHERE last.stream = 'account-' || ` + account + ` ORDER BY last.version DESC LIMIT 1))`
}

// EventKeySQL is KeySQL for an event whose data the SQL expression data names: NULL unless the event has sealed members.
func EventKeySQL(account, data string) string {
	return `CASE WHEN strpos(` + data + `::text, '` + sealedMember + `') > 0 THEN ` + KeySQL(account) + ` END`
}

// The index events_sealed_idx has these two expressions: whether an event has sealed members, and the id of the key that sealed them.
const (
	sealedMember = `{"$sealed":1,"key":"`

	holdsSQL = `strpos(data::text, '` + sealedMember + `') > 0`
	idSQL    = `substr(data::text, strpos(data::text, '` + sealedMember + `') + 20, 8)`
)

var storedSQL = `SELECT ` + KeySQL(`$1`)

// namedSQL selects the id of a key that sealed an account's event.
const namedSQL = `SELECT ` + idSQL + ` FROM events WHERE account_id = $1 AND ` + holdsSQL + ` ORDER BY account_id, ` + idSQL + ` LIMIT 1`

// namedKeysSQL selects every key that the log names of an account, or of all for NULL, by one look at the index for each, and the key
// that is
// stored for its account.
var namedKeysSQL = `
WITH RECURSIVE named (account_id, id) AS (
	(SELECT account_id, ` + idSQL + ` FROM events WHERE ` + holdsSQL + ` AND account_id >= coalesce($1, '') ORDER BY 1, 2 LIMIT 1)
	UNION ALL
	SELECT next.account_id, next.id FROM named CROSS JOIN LATERAL (
		SELECT account_id, ` + idSQL + ` AS id FROM events WHERE ` + holdsSQL + ` AND (account_id, ` + idSQL + `) > (named.account_id, named.id)
		ORDER BY 1, 2 LIMIT 1) next
	WHERE named.account_id = $1 OR $1 IS NULL
)
SELECT account_id, id, ` + KeySQL(`named.account_id`) + ` FROM named WHERE account_id = $1 OR $1 IS NULL`

// Named is a key under which texts of the log are sealed.
type Named struct {
	Account, ID string
	// Missing is why texts cannot be opened: a *MissingKey, or ErrOtherKey. Without the key of the service only the former is found, and
	// only where nothing is stored for the account.
	Missing error
}

// lister is a pool or a transaction.
type lister interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}

// Every returns the keys that the log names. k may be nil, for a program that does not have the key of the service.
func (k *Keys) Every(ctx context.Context, db lister) ([]Named, error) { return k.named(ctx, db, nil) }

// named is Every for one account, or for all if account is nil.
func (k *Keys) named(ctx context.Context, db lister, account any) (all []Named, err error) {
	rows, _ := db.Query(ctx, namedKeysSQL, account)
	var n Named
	var stored []byte
	_, err = pgx.ForEachRow(rows, []any{&n.Account, &n.ID, &stored}, func() error {
		n.Missing = k.openable(n, stored)
		all = append(all, n)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sealed: look for the keys that the log names: %w", err)
	}
	return all, nil
}

func (k *Keys) openable(n Named, stored []byte) error {
	if stored == nil {
		return &MissingKey{n.Account, n.ID}
	}
	if k == nil {
		return nil
	}
	key, err := k.Open(n.Account, stored)
	if err == nil && !key.empty && key.id != n.ID {
		err = &MissingKey{n.Account, n.ID}
	}
	return err
}

// Check returns the reason why a text of the log cannot be opened: ErrOtherKey, or a *MissingKey. Of the keys that no text needs it tries
// one.
func (k *Keys) Check(ctx context.Context, db interface {
	database
	lister
}) error {
	all, err := k.Every(ctx, db)
	if err != nil {
		return err
	}
	for _, n := range all {
		if n.Missing != nil {
			return n.Missing
		}
	}
	var account string
	var stored []byte
	err = db.QueryRow(ctx, `SELECT account_id, key FROM account_keys WHERE key IS NOT NULL LIMIT 1`).Scan(&account, &stored)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("sealed: %w", err)
	}
	_, err = k.Open(account, stored)
	return err
}
