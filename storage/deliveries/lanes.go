package deliveries

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/webhook"
	"readiness/internal/database"
)

// Lane is a webhook with messages that wait.
type Lane struct {
	WebhookID uuid.UUID
	Account   string
	// Failures is how many attempts in a row failed.
	Failures int
}

// free is the condition that no living process sends a lane's messages: $1 is the key of this one, $2 the lanes that it sends.
var free = `(process IS NULL OR process = $1 AND webhook_id <> ALL ($2::uuid[]) OR process <> $1 AND NOT ` + database.Alive("process") + `)`

// seen is how many due lanes a look returns at most, of those that failed and of the others.
const seen = 100

var dueSQL = `SELECT webhook_id, account_id, failures FROM webhook_lanes WHERE due_at <= $3 AND failures %s 0 AND ` + free + `
	ORDER BY due_at LIMIT $4`

// Due returns lanes that are due and that no living process has: those whose last attempt did not fail first, then the others, the longest
// due first. busy are the lanes that this process, with the key, has.
func (r Rows) Due(ctx context.Context, process int32, busy []uuid.UUID, now time.Time) ([]Lane, error) {
	var all []Lane
	for _, with := range []string{"=", ">"} {
		rows, _ := r.Pool.Query(ctx, fmt.Sprintf(dueSQL, with), process, busy, now, seen)
		lanes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Lane])
		if err != nil {
			return nil, fmt.Errorf("deliveries: look for due messages: %w", err)
		}
		all = append(all, lanes...)
	}
	return all, nil
}

// Take gives those of the lanes to the process that are still due and that no living process has.
func (r Rows) Take(ctx context.Context, process int32, busy, lanes []uuid.UUID, now time.Time) ([]Lane, error) {
	rows, _ := r.Pool.Query(ctx, `UPDATE webhook_lanes SET process = $1 WHERE webhook_id = ANY ($4) AND due_at <= $3 AND `+free+`
		RETURNING webhook_id, account_id, failures`, process, busy, now, lanes)
	taken, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Lane])
	if err != nil {
		return nil, fmt.Errorf("deliveries: take lanes: %w", err)
	}
	return taken, nil
}

// Attempt is what an attempt to send a message came to.
type Attempt struct {
	State  webhook.State
	Reason webhook.Reason // empty if it was delivered
	Status int            // 0 for no answer
	// Sent says that the message was sent; without it, there was no attempt.
	Sent bool
	At   time.Time
}

// Record records an attempt.
func (r Rows) Record(ctx context.Context, d Delivery, a Attempt) error {
	_, err := r.Pool.Exec(ctx, `UPDATE webhook_deliveries SET state = $3, reason = nullif($4, ''), status = nullif($5, 0), tried_at = $6,
			attempts = attempts + CASE WHEN $7 THEN 1 ELSE 0 END
		WHERE webhook_id = $1 AND id = $2 AND place = $8`, d.WebhookID, d.ID, a.State, a.Reason, a.Status, a.At, a.Sent, d.Place)
	if err != nil {
		return fmt.Errorf("deliveries: record an attempt: %w", err)
	}
	return nil
}

// End gives a lane back. It is due again after the pause if messages wait.
func (r Rows) End(ctx context.Context, process int32, webhookID uuid.UUID, failures int, at time.Time) error {
	err := pgx.BeginFunc(ctx, r.Pool, func(tx pgx.Tx) error {
		// The next statement must see what whoever held the lock has added.
		if _, err := tx.Exec(ctx, `SELECT FROM webhook_lanes WHERE webhook_id = $1 FOR UPDATE`, webhookID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE webhook_lanes SET process = NULL, failures = $3, due_at = CASE WHEN EXISTS (
			SELECT FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.state = 'Waiting') THEN $4::timestamptz END
			WHERE webhook_id = $1 AND process = $2`, webhookID, process, failures, at)
		return err
	})
	if err != nil {
		return fmt.Errorf("deliveries: give a lane back: %w", err)
	}
	return nil
}

// Drop deletes what is left of a webhook that is deleted.
func (r Rows) Drop(ctx context.Context, webhookID uuid.UUID) error {
	return pgx.BeginFunc(ctx, r.Pool, func(tx pgx.Tx) error {
		for _, s := range Forget(webhookID) {
			if _, err := tx.Exec(ctx, s.SQL, s.Args...); err != nil {
				return fmt.Errorf("deliveries: drop a webhook: %w", err)
			}
		}
		return nil
	})
}
