package projections

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"readiness/domain/account"
	"readiness/eventstore"
	"readiness/internal/database"
)

// A view has no row of an account that was erased: account.Erased, which is the account's last event, deletes them all, whatever the view
// projects. Folds, followers and separate views do so when they reach the event. Rows of inline views may be many, and an append must be
// short: Purge deletes them after it.

// ends reports whether the event deletes all rows of its account.
func (*View) ends(r eventstore.Recorded) bool { return r.Type == account.Erased{}.EventType() }

// ofAccounts returns the tables whose rows belong to accounts.
func (v *View) ofAccounts() []*Table {
	return slices.DeleteFunc(slices.Clone(v.Tables), func(t *Table) bool { return t.typeOf("account_id") == "" })
}

// purge returns the SQL that deletes all rows of the accounts $1 from a relation.
func (*Table) purge(relation string) string {
	return `DELETE FROM ` + relation + ` WHERE account_id = ANY($1)`
}

// purge deletes the rows of the accounts that ended in the fold. None of them has a later event, so that it comes last.
func (f *fold) purge(ctx context.Context, tx pgx.Tx, generation int) error {
	if len(f.ended) == 0 {
		return nil
	}
	for _, t := range f.view.ofAccounts() {
		if _, err := tx.Exec(ctx, t.purge(f.view.physical(t, generation)), f.ended); err != nil {
			return fmt.Errorf("projections: view %s: rows of accounts that were erased: %w", f.view.Name, err)
		}
	}
	return nil
}

// Purge deletes the rows of an account that was erased from all generations of all views, those kept by a rebuild too, in small
// transactions. It returns how many it deleted.
func (e *Engine) Purge(ctx context.Context, accountID string) (deleted int64, err error) {
	rows, err := e.pool.Query(ctx, `SELECT DISTINCT t.name FROM view_generations g, unnest(g.tables) AS t (name)
		JOIN pg_attribute a ON a.attrelid = to_regclass(t.name) AND a.attname = 'account_id' ORDER BY 1`)
	if err != nil {
		return 0, fmt.Errorf("projections: purge: %w", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("projections: purge: %w", err)
	}
	for _, table := range tables {
		n, err := database.DeleteAll(ctx, e.pool, table, `account_id = $1`, accountID)
		deleted += n
		if err != nil {
			return deleted, fmt.Errorf("projections: purge: %w", err)
		}
	}
	return deleted, nil
}
