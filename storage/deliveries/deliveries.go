// Package deliveries stores the messages to webhooks until they are delivered or parked, and for some time after (docs/decisions.md 25).
// A webhook is a lane: one process at a time sends its messages, one after the other. The package knows nothing of what is sent, or how.
package deliveries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain/webhook"
	"readiness/internal/database"
)

// Kept is how long a delivery is kept after its last attempt.
const Kept = 30 * 24 * time.Hour

// Delivery is a message to a webhook.
type Delivery struct {
	WebhookID, ID uuid.UUID
	Account       string
	Message       webhook.Message
	MadeAt        time.Time
	State         webhook.State
	Attempts      int
	TriedAt       *time.Time
	Status        *int
	Reason        webhook.Reason
	// NextAt is when it is sent next; nil unless it is the oldest that waits.
	NextAt *time.Time
	// Since is when it was first due, and Place where it is in the order of the webhook's messages.
	Since time.Time
	Place int64
}

// Add returns the statements that add a message, unless the webhook has it, and make its lane due.
func Add(b *pgx.Batch, account string, webhookID, id uuid.UUID, m webhook.Message, now time.Time) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("deliveries: %w", err)
	}
	b.Queue(`INSERT INTO webhook_deliveries (account_id, webhook_id, id, message, made_at, since, state) VALUES ($1, $2, $3, $4, $5, $5, 'Waiting')
		ON CONFLICT DO NOTHING`, account, webhookID, id, text, now)
	b.Queue(due, webhookID, account, now)
	return nil
}

// due makes a lane due that has nothing to send. It locks the lane's row, as End does, so that one of both sees what the other has done.
const due = `INSERT INTO webhook_lanes AS l (webhook_id, account_id, due_at) VALUES ($1, $2, $3)
	ON CONFLICT (webhook_id) DO UPDATE SET due_at = coalesce(l.due_at, EXCLUDED.due_at)`

// Forget returns the statements that delete everything of a webhook.
func Forget(webhookID uuid.UUID) []database.Statement {
	return []database.Statement{
		{SQL: `DELETE FROM webhook_deliveries WHERE webhook_id = $1`, Args: []any{webhookID}},
		{SQL: `DELETE FROM webhook_lanes WHERE webhook_id = $1`, Args: []any{webhookID}},
	}
}

// Erase queues the deletion of everything of an account.
func Erase(b *pgx.Batch, account string) {
	b.Queue(`DELETE FROM webhook_deliveries WHERE account_id = $1`, account)
	b.Queue(`DELETE FROM webhook_lanes WHERE account_id = $1`, account)
}

// Retry returns the statement that makes a webhook's waiting messages due at once, because it was changed.
func Retry(webhookID uuid.UUID, now time.Time) database.Statement {
	return database.Statement{SQL: `UPDATE webhook_lanes SET failures = 0, due_at = least(due_at, $2) WHERE webhook_id = $1 AND due_at IS NOT NULL`,
		Args: []any{webhookID, now}}
}

// Rows are the rows in a pool's database.
type Rows struct{ Pool *pgxpool.Pool }

// columns has next_at only of the oldest message that waits.
const columns = `webhook_id, id, account_id, message, made_at, state, attempts, tried_at, status, coalesce(reason, ''), since, place,
	CASE WHEN state = 'Waiting' AND place = (SELECT place FROM webhook_deliveries o WHERE o.webhook_id = d.webhook_id AND state = 'Waiting'
		ORDER BY place LIMIT 1) THEN (SELECT due_at FROM webhook_lanes l WHERE l.webhook_id = d.webhook_id) END
	FROM webhook_deliveries d`

func scan(row pgx.CollectableRow) (d Delivery, err error) {
	var message []byte
	if err = row.Scan(&d.WebhookID, &d.ID, &d.Account, &message, &d.MadeAt, &d.State, &d.Attempts, &d.TriedAt, &d.Status, &d.Reason, &d.Since,
		&d.Place, &d.NextAt); err != nil {
		return d, err
	}
	return d, json.Unmarshal(message, &d.Message)
}

// List returns a page of a webhook's deliveries, the newest first, those before a place; 0 for the first page.
func (r Rows) List(ctx context.Context, account string, webhookID uuid.UUID, before int64, limit int) ([]Delivery, error) {
	rows, _ := r.Pool.Query(ctx, `SELECT `+columns+` WHERE account_id = $1 AND webhook_id = $2 AND ($3 = 0 OR place < $3)
		ORDER BY place DESC LIMIT $4`, account, webhookID, before, limit)
	all, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("deliveries: read: %w", err)
	}
	return all, nil
}

// Get returns a delivery of a webhook; false if there is none.
func (r Rows) Get(ctx context.Context, account string, webhookID, id uuid.UUID) (Delivery, bool, error) {
	return r.one(ctx, `account_id = $1 AND webhook_id = $2 AND id = $3`, account, webhookID, id)
}

// Next returns the oldest message of a webhook that waits; false if none does.
func (r Rows) Next(ctx context.Context, webhookID uuid.UUID) (Delivery, bool, error) {
	return r.one(ctx, `webhook_id = $1 AND state = 'Waiting' ORDER BY place LIMIT 1`, webhookID)
}

func (r Rows) one(ctx context.Context, where string, args ...any) (Delivery, bool, error) {
	rows, _ := r.Pool.Query(ctx, `SELECT `+columns+` WHERE `+where, args...)
	d, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, false, nil
	}
	if err != nil {
		return d, false, fmt.Errorf("deliveries: read a message: %w", err)
	}
	return d, true, nil
}

// Put adds a message, as Add does.
func (r Rows) Put(ctx context.Context, account string, webhookID, id uuid.UUID, m webhook.Message, now time.Time) error {
	b := &pgx.Batch{}
	if err := Add(b, account, webhookID, id, m, now); err != nil {
		return err
	}
	return r.Pool.SendBatch(ctx, b).Close() // one transaction
}

// Again lets a message that was delivered or parked be sent again, behind those that wait, and makes the webhook due at once. It is false
// if there is no such message.
func (r Rows) Again(ctx context.Context, account string, webhookID, id uuid.UUID, now time.Time) (found bool, err error) {
	b := &pgx.Batch{}
	b.Queue(`UPDATE webhook_deliveries SET state = 'Waiting', since = $4, place = DEFAULT
		WHERE account_id = $1 AND webhook_id = $2 AND id = $3 AND state <> 'Waiting'`, account, webhookID, id, now)
	b.Queue(due, webhookID, account, now)
	retry := Retry(webhookID, now)
	b.Queue(retry.SQL, retry.Args...)
	b.Queue(`SELECT EXISTS (SELECT FROM webhook_deliveries WHERE account_id = $1 AND webhook_id = $2 AND id = $3)`, account, webhookID, id).
		QueryRow(func(row pgx.Row) error { return row.Scan(&found) })
	if err := r.Pool.SendBatch(ctx, b).Close(); err != nil {
		return false, fmt.Errorf("deliveries: send again: %w", err)
	}
	return found, nil
}

// Sweep deletes deliveries that ended long before now.
func (r Rows) Sweep(ctx context.Context, now time.Time) error {
	_, err := database.DeleteAll(ctx, r.Pool, "webhook_deliveries", `state <> 'Waiting' AND since < $1 AND coalesce(tried_at, since) < $1`,
		now.Add(-Kept))
	return err
}
