package people

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

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

// Lost is a person whom the log names, of whom no row is stored, and whom no event says to be erased. They read as erased.
type Lost struct {
	AccountID string
	ID        item.PersonID
	// Imported says that the log was imported, and none of the persons whom the account's imported events name has a row: an export has no
	// persons.
	Imported bool
}

// FindLost returns the lost persons: who acted, who belongs to an account, and who owns work. Those of erased accounts are not among them,
// nor ids that stand for people from before there were ids.
func FindLost(ctx context.Context, pool *pgxpool.Pool) (lost []Lost, err error) {
	rows, err := pool.Query(ctx, `WITH named AS MATERIALIZED (
		SELECT e.account_id, who.person_id, min(e.position) <= (SELECT coalesce(max(position), 0) FROM imports) AS imported
		FROM events e CROSS JOIN LATERAL (VALUES (e.metadata->>'person'), (CASE
			WHEN e.type = 'account.person-saved' THEN e.data#>>'{person,person}'
			WHEN e.type = 'operation.accepted' OR e.type LIKE 'schedule.%' THEN e.data->>'owner' END)) who (person_id)
		WHERE who.person_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$' GROUP BY 1, 2
	)
		SELECT n.account_id, n.person_id, n.imported AND NOT EXISTS (SELECT FROM named o JOIN people p USING (account_id, person_id)
			WHERE o.account_id = n.account_id AND o.imported) FROM named n
		WHERE NOT EXISTS (SELECT FROM people p WHERE p.account_id = n.account_id AND p.person_id = n.person_id)
		AND NOT EXISTS (SELECT FROM events x WHERE x.account_id = n.account_id AND x.type = 'person.erased'
			AND x.data->>'personId' = n.person_id)
		AND NOT EXISTS (SELECT FROM events x WHERE x.stream = 'account-' || n.account_id AND x.type = 'account.erased')
		ORDER BY 1, 2`)
	if err == nil {
		lost, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Lost])
	}
	if err != nil {
		return nil, fmt.Errorf("people: look for those without a row: %w", err)
	}
	return lost, nil
}
