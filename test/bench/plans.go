package bench

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Plans returns the database's plans for the statement: one with its values and,
// unless it is always planned with values, the generic plan, which the database may
// use after a few executions.
func (s Statement) Plans(ctx context.Context, conn *pgx.Conn) (plans []string, err error) {
	with, err := lines(ctx, conn, "EXPLAIN "+s.SQL, append([]any{pgx.QueryExecModeDescribeExec}, s.Args...)...)
	if err != nil || s.Fresh {
		return []string{with}, err
	}
	execute := "EXPLAIN EXECUTE planned"
	if len(s.Args) > 0 {
		execute += "(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(s.Args)), ", ") + ")"
	}
	for _, sql := range []string{"SET plan_cache_mode = force_generic_plan", "PREPARE planned AS " + s.SQL} {
		if _, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	without, err := lines(ctx, conn, execute, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, "DEALLOCATE planned; RESET plan_cache_mode", pgx.QueryExecModeSimpleProtocol)
	return []string{with, without}, err
}

func lines(ctx context.Context, conn *pgx.Conn, sql string, args ...any) (string, error) {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return "", fmt.Errorf("%s: %w", sql, err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", fmt.Errorf("%s: %w", sql, err)
	}
	return strings.Join(all, "\n"), nil
}
