package database

import "context"

// EndedWith simulates a wait of ctx that ended with err.
func EndedWith(ctx context.Context, err error) { end(begin(ctx), err) }

// Setting returns a setting of the session that holds the lock.
func (l *Life) Setting(ctx context.Context, name string) (value string) {
	_ = l.conn.QueryRow(ctx, `SELECT current_setting($1)`, name).Scan(&value)
	return value
}
