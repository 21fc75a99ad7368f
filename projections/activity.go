package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
)

var activity = &Table{
	Name:    "activity",
	Columns: []Column{{"account_id", "text"}, {"day", "date"}, {"type", "text"}, {"events", "bigint"}},
	Key:     []string{"account_id", "day", "type"},
	Indexes: []string{"(day DESC, account_id, type)"},
}

// Activity counts each account's events by type and day (UTC). It follows the log: no call waits for
// it.
var Activity = &View{
	Name: "activity", Version: 1,
	Tables:    []*Table{activity},
	Undecoded: true,
	Project: func(rows *Rows, r eventstore.Recorded) error {
		day := r.RecordedAt.UTC().Truncate(24 * time.Hour)
		rows.Add(activity, Key{r.Account, day, r.Type}, Row{"events": 1})
		return nil
	},
}

// ActivityCount is the number of events of a type that an account had on a day.
type ActivityCount struct {
	AccountID string
	Day       time.Time
	Type      string
	Events    int64
}

// ActivitySince returns at most limit counts of the days since day, by day (newest first), account and
// type.
func (v *Views) ActivitySince(ctx context.Context, day time.Time, limit int) ([]ActivityCount, error) {
	rows, err := v.Pool.Query(ctx,
		`SELECT account_id, day, type, events FROM `+live.activity+` WHERE day >= $1
			ORDER BY day DESC, account_id, type LIMIT $2`, day, limit)
	if err != nil {
		return nil, fmt.Errorf("projections: read the activity: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[ActivityCount])
}
