// Package erase deletes what an erased account has outside of the log: rows, stored documents, jobs, tokens. It decides nothing:
// account.erased is in the log, the key of the account's texts is gone, and nothing is appended for the account any more
// (docs/decisions.md 23). Each transaction is small, and everything can be repeated: what a killed call left the next one deletes.
package erase

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/schedule"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/projections"
	"readiness/storage/documents"
)

// Deployment is where an account was erased.
type Deployment struct {
	Pool      *pgxpool.Pool
	Store     *eventstore.Store
	Engine    *projections.Engine
	Documents *documents.Store
	// EndSessions ends the sessions of people who signed in to the account.
	EndSessions func(ctx context.Context, account string) (int64, error)
	Now         func() time.Time
}

// Deleted counts what was deleted.
type Deleted struct{ Rows, Documents, Jobs, Sessions int64 }

// rowTables are the tables whose rows name the account, except those that the log and its proofs consist of (streams,
// audit trees), the row that says that the key is gone (account_keys), and the views.
var rowTables = []string{"people", "ai_credentials", "idempotency_keys", "page_view_hours", "console_choices", "console_applies",
	"webhook_deliveries", "webhook_lanes"}

// operationTables are the tables whose rows name an operation of the account.
var operationTables = []string{"step_tokens", "pending_reads", "exports"}

const (
	// operationsAtOnce and documentsAtOnce bound a transaction.
	operationsAtOnce = 500
	documentsAtOnce  = 200
)

// Delete deletes everything that the account has outside of the log.
func Delete(ctx context.Context, d Deployment, account string) (gone Deleted, err error) {
	for _, part := range []func(context.Context, Deployment, string, *Deleted) error{rows, views, jobs, named, sessions} {
		err := part(ctx, d, account, &gone)
		// A follower or a call may lock the same rows in another order. The server ended one of both, whose transaction can be repeated.
		for n := 1; deadlocked(err) && n < attempts; n++ {
			err = part(ctx, d, account, &gone)
		}
		if err != nil {
			return gone, fmt.Errorf("erase: account %s: %w", account, err)
		}
	}
	return gone, nil
}

// attempts is how often a part is tried that the server ends because of a deadlock.
const attempts = 10

func deadlocked(err error) bool {
	refused, is := errors.AsType[*pgconn.PgError](err)
	return is && refused.Code == "40P01"
}

func views(ctx context.Context, d Deployment, account string, gone *Deleted) error {
	n, err := d.Engine.Purge(ctx, account)
	gone.Rows += n
	return err
}

func rows(ctx context.Context, d Deployment, account string, gone *Deleted) error {
	for _, table := range rowTables {
		n, err := database.DeleteAll(ctx, d.Pool, table, `account_id = $1`, account)
		gone.Rows += n
		if err != nil {
			return err
		}
	}
	return nil
}

// jobs deletes the account's jobs. A step that is running meanwhile can record nothing.
func jobs(ctx context.Context, d Deployment, account string, gone *Deleted) (err error) {
	gone.Jobs, err = database.DeleteAll(ctx, d.Pool, "river_job", `args @> jsonb_build_object('accountId', $1::text)`, account)
	return err
}

// named deletes what only the account's events lead to: the tokens and reads of its operations, the tokens of its schedules, and documents.
func named(ctx context.Context, d Deployment, account string, gone *Deleted) error {
	upTo, err := d.Store.Watermark(ctx)
	if err != nil {
		return err
	}
	operations, found := map[uuid.UUID]bool{}, hashes{}
	for r, err := range d.Store.Replay(ctx, eventstore.Selection{Account: account, UpTo: upTo}, nil, false) {
		if err != nil {
			return err
		}
		if id, ok := operation.StreamID(r.Stream); ok {
			operations[id] = true
		}
		if s, ok := domain.After[schedule.Schedule](r.Event); ok {
			operations[s.TokenID()] = true
		}
		found.add(r.Data)
		if len(operations) >= operationsAtOnce {
			if err := ofOperations(ctx, d, operations, gone); err != nil {
				return err
			}
		}
		if len(found) >= maxHashes {
			if err := found.delete(ctx, d, account, upTo, gone); err != nil {
				return err
			}
		}
	}
	if err := ofOperations(ctx, d, operations, gone); err != nil {
		return err
	}
	if err := found.delete(ctx, d, account, upTo, gone); err != nil {
		return err
	}
	return d.Documents.Sweep(ctx, d.Now())
}

// ofOperations deletes what is stored for the operations, and empties the set.
func ofOperations(ctx context.Context, d Deployment, operations map[uuid.UUID]bool, gone *Deleted) error {
	ids := make([]uuid.UUID, 0, len(operations))
	for id := range operations {
		ids = append(ids, id)
	}
	clear(operations)
	return pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
		for _, table := range operationTables {
			tag, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE operation_id = ANY($1)`, ids)
			if err != nil {
				return err
			}
			gone.Rows += tag.RowsAffected()
		}
		return nil
	})
}

func sessions(ctx context.Context, d Deployment, account string, gone *Deleted) (err error) {
	gone.Sessions, err = d.EndSessions(ctx, account)
	return err
}
