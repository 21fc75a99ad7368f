package database

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Ahead returns how far the database's clock is ahead of this machine's, to half of the time of a round trip.
func Ahead(ctx context.Context, q interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (time.Duration, error) {
	var theirs time.Time
	before := time.Now()
	if err := q.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&theirs); err != nil {
		return 0, fmt.Errorf("database: read its clock: %w", err)
	}
	return theirs.Sub(before.Add(time.Since(before) / 2)), nil
}
