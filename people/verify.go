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
