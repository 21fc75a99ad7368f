package database

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// deletedAtOnce is how many rows a transaction of DeleteAll deletes at most.
const deletedAtOnce = 5000

// DeleteAll deletes the rows of a table that a condition finds, in transactions of a bounded size. What an interrupted call has deleted
// stays deleted. It returns how many rows it deleted.
func DeleteAll(ctx context.Context, pool *pgxpool.Pool, table, where string, args ...any) (deleted int64, err error) {
	sql := fmt.Sprintf(`DELETE FROM %[1]s WHERE ctid = ANY(ARRAY(SELECT ctid FROM %[1]s WHERE %[2]s LIMIT %[3]d))`, table, where,
		deletedAtOnce)
	for {
		tag, err := pool.Exec(ctx, sql, args...)
		deleted += tag.RowsAffected()
		if err != nil {
			return deleted, fmt.Errorf("delete from %s: %w", table, err)
		}
		if tag.RowsAffected() == 0 {
			return deleted, nil
		}
	}
}
