package people

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"readiness/domain/item"
)

// Verify opens every row, and calls damaged with each that is not of the person by whom it is found: its key or text was replaced, or the
// ids or indexes of two persons were exchanged. It returns how many rows it read.
func (p *People) Verify(ctx context.Context, damaged func(accountID string, id item.PersonID)) (n int, err error) {
	rows, err := p.pool.Query(ctx, `SELECT account_id, person_id, key || sealed, blind_index, name_index FROM people
		ORDER BY account_id, person_id`)
	if err != nil {
		return 0, fmt.Errorf("people: verify: %w", err)
	}
	var accountID string
	var id item.PersonID
	var sealed, index, name []byte
	_, err = pgx.ForEachRow(rows, []any{&accountID, &id, &sealed, &index, &name}, func() error {
		n++
		who, err := p.Open(accountID, id, sealed)
		if err != nil || !bytes.Equal(index, p.Index(who)) || !bytes.Equal(name, p.hash("name", who.ID)) {
			damaged(accountID, id)
		}
		return nil
	})
	return n, err
}

// Lost returns the ids of people whom the log names, of whom no row is stored, and whom no event says to be erased. Those of accounts that
// were erased are not among them, nor ids that stand for people from before there were ids.
func (p *People) Lost(ctx context.Context) (ids []string, err error) {
	rows, err := p.pool.Query(ctx, `SELECT DISTINCT e.account_id || ' ' || (e.metadata->>'person') FROM events e
		WHERE e.metadata->>'person' ~ '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$'
		AND NOT EXISTS (SELECT FROM people p WHERE p.account_id = e.account_id AND p.person_id = e.metadata->>'person')
		AND NOT EXISTS (SELECT FROM events x WHERE x.account_id = e.account_id AND x.type = 'person.erased'
			AND x.data->>'personId' = e.metadata->>'person')
		AND NOT EXISTS (SELECT FROM events x WHERE x.stream = 'account-' || e.account_id AND x.type = 'account.erased')
		ORDER BY 1`)
	if err == nil {
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		return nil, fmt.Errorf("people: look for those without a row: %w", err)
	}
	return ids, nil
}
