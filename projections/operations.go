package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
)

var operations = &Table{
	Name: "operations",
	Columns: []Column{
		{"id", "uuid"}, {"account_id", "text"}, {"person", "text"},
		{"type", "text"}, {"status", "text"}, {"created_at", "timestamptz"}, {"updated_at", "timestamptz"}, {"percent", "int"},
		{"workspace_id", "uuid"}, {"item_id", "uuid"}, {"item_type", "text"}, {"impact", "jsonb"}, {"error_code", "text"},
		{"error_message", "text"},
		{"waits", "boolean"}, {"waits_until", "timestamptz"},
		{"assessed", "int"}, {"unreadable", "int"}, {"unassessed", "int"},
	},
	Key: []string{"id"},
	Indexes: []string{
		"(account_id, created_at DESC, id DESC)",
		"(account_id, status, created_at DESC, id DESC)",
		"(waits_until) WHERE waits_until IS NOT NULL",
		"(id) WHERE status IN ('NotStarted', 'Running')",
		"(account_id, item_id) WHERE item_id IS NOT NULL",
		"(account_id, item_id, updated_at) WHERE status = 'Succeeded' AND type IN ('ApplyOptimization', 'RevertOptimization')",
	},
}

// Operations is the view behind GET /v1/operations and the routes below it: one row per operation, fed
// by the operation's stream alone.
var Operations = &View{
	Name: "operations", Version: 6, Inline: true,
	Tables: []*Table{operations},
	Of: []domain.Event{
		operation.Accepted{}, operation.Started{}, operation.Progressed{}, operation.WaitingForOwner{}, operation.SignInNeeded{},
		operation.Resumed{}, operation.ImpactCorrected{},
		operation.Succeeded{}, operation.Failed{}, operation.Cancelled{}, assessment.ModelEnded{},
	},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		id, ours := uuid.UUID{}, false
		switch r.Event.(type) {
		case operation.Accepted, operation.Started, operation.Progressed, operation.WaitingForOwner, operation.SignInNeeded,
			operation.Resumed, operation.ImpactCorrected, operation.Succeeded, operation.Failed, operation.Cancelled, assessment.ModelEnded:
			id, ours = operation.StreamID(r.Stream)
		}
		if !ours {
			return nil
		}
		switch e := r.Event.(type) {
		case operation.Accepted:
			rows.Insert(operations, Row{
				"id": id, "account_id": r.Account, "person": string(e.Owner),
				"type": string(e.Type), "status": string(operation.StatusNotStarted),
				"created_at": r.RecordedAt, "updated_at": r.RecordedAt,
				"workspace_id": e.Resource.WorkspaceID, "item_id": e.Resource.ItemID, "item_type": string(e.Resource.ItemType),
				"impact": e.Impact, "waits": false, "waits_until": nil,
				"percent": nil, "error_code": nil, "error_message": nil,
				"assessed": 0, "unreadable": 0, "unassessed": 0,
			})
		case assessment.ModelEnded:
			column := "assessed"
			switch {
			case e.Error != nil && e.Error.Code == domain.ItemNotReadable:
				column = "unreadable"
			case e.Error != nil:
				column = "unassessed"
			}
			rows.Add(operations, Key{id}, Row{column: 1})
		case operation.Started:
			rows.Set(operations, Key{id}, Row{"status": string(operation.StatusRunning), "percent": e.Percent, "updated_at": r.RecordedAt})
		case operation.Progressed:
			rows.Set(operations, Key{id}, Row{"percent": e.Percent, "updated_at": r.RecordedAt})
		case operation.WaitingForOwner:
			rows.Set(operations, Key{id}, Row{"waits": true, "waits_until": e.Until, "updated_at": r.RecordedAt})
		case operation.SignInNeeded:
			rows.Set(operations, Key{id}, Row{"waits": true, "waits_until": e.Until, "updated_at": r.RecordedAt,
				"error_code": string(e.Code), "error_message": e.Message})
		case operation.Resumed:
			rows.Set(operations, Key{id}, Row{"waits": false, "waits_until": nil, "error_code": nil, "error_message": nil,
				"updated_at": r.RecordedAt})
		case operation.ImpactCorrected:
			rows.Set(operations, Key{id}, Row{"impact": e.Impact, "updated_at": r.RecordedAt})
		case operation.Succeeded:
			rows.Set(operations, Key{id}, Row{"status": string(operation.StatusSucceeded), "percent": 100, "updated_at": r.RecordedAt,
				"waits": false, "waits_until": nil, "error_code": nil, "error_message": nil})
		case operation.Failed:
			rows.Set(operations, Key{id}, Row{
				"status": string(operation.StatusFailed), "impact": e.Impact, "updated_at": r.RecordedAt,
				"error_code": string(e.Failure.Code), "error_message": e.Failure.Message, "waits": false, "waits_until": nil,
			})
		case operation.Cancelled:
			rows.Set(operations, Key{id}, Row{"status": string(operation.StatusCancelled), "updated_at": r.RecordedAt, "waits": false,
				"waits_until": nil, "error_code": nil, "error_message": nil})
		}
		return nil
	},
}

// Operation is an operation as last recorded.
type Operation struct {
	ID        uuid.UUID
	AccountID string
	Owner     item.PersonID
	Type      operation.Type
	Status    operation.Status
	CreatedAt time.Time
	UpdatedAt time.Time
	Percent   *int
	Resource  operation.Resource
	Impact    operation.Impact
	// Failure is why the operation failed or, if Waits is true, why it waits for its owner to sign in.
	Failure *operation.Failure
	// Waits reports that the operation resumes when its owner reads it.
	Waits bool
	// Assessed, Unreadable and Unassessed count the models that an assessment of several has ended with.
	Assessed, Unreadable, Unassessed int
}

// OperationCursor is the place after which a page of operations starts.
type OperationCursor struct {
	CreatedAt time.Time
	ID        uuid.UUID
}

// OperationsQuery selects a page of an account's operations, newest first.
type OperationsQuery struct {
	AccountID string
	Status    operation.Status // "" means every status
	Since     time.Time        // the earliest creation time to list
	Before    *OperationCursor // nil for the first page
	Limit     int
}

const operationColumns = `id, account_id, person, type, status, created_at, updated_at, percent, workspace_id, item_id, ` +
	`item_type, impact, error_code, error_message, waits, assessed, unreadable, unassessed`

var impactOf = newDecoder[operation.Impact](1024)

func scanOperation(row pgx.CollectableRow) (o Operation, err error) {
	var impact []byte
	var code, message *string
	var itemID *[16]byte // scanned as bytes: pgx would scan a uuid.UUID from its text
	if err := row.Scan((*[16]byte)(&o.ID), &o.AccountID, &o.Owner, &o.Type, &o.Status, &o.CreatedAt, &o.UpdatedAt,
		&o.Percent,
		(*[16]byte)(&o.Resource.WorkspaceID), &itemID, &o.Resource.ItemType, &impact, &code, &message, &o.Waits,
		&o.Assessed, &o.Unreadable, &o.Unassessed); err != nil {
		return o, err
	}
	o.Resource.ItemID = (*uuid.UUID)(itemID)
	o.CreatedAt, o.UpdatedAt = o.CreatedAt.UTC(), o.UpdatedAt.UTC()
	if code != nil {
		o.Failure = &operation.Failure{Code: domain.Code(*code), Message: *message}
	}
	o.Impact, err = impactOf.decode(impact)
	return o, err
}

// Operation returns an operation of the account.
func (v *Views) Operation(ctx context.Context, accountID string, id uuid.UUID) (o Operation, known bool, err error) {
	b := &pgx.Batch{}
	v.QueueOperations(b, []uuid.UUID{id}, func(found map[uuid.UUID]Operation) { o, known = found[id] })
	if err := v.Pool.SendBatch(ctx, b).Close(); err != nil {
		return o, false, fmt.Errorf("projections: read operation %s: %w", id, err)
	}
	if o.AccountID != accountID {
		return Operation{}, false, nil
	}
	return o, known, nil
}

// SELECT $1 keeps the planner from counting the ids, which would make it plan the statement again each
// time.
var operationsByID = `SELECT ` + operationColumns + ` FROM ` + live.operations + ` WHERE id = ANY ((SELECT $1::uuid[])::uuid[])`

// QueueOperations queues a query for operations of any account. found receives those that exist.
func (v *Views) QueueOperations(b *pgx.Batch, ids []uuid.UUID, found func(map[uuid.UUID]Operation)) {
	keys := make([][16]byte, len(ids)) // as bytes: pgx would send a uuid.UUID as text
	for i, id := range ids {
		keys[i] = id
	}
	b.Queue(operationsByID, keys).Query(func(rows pgx.Rows) error {
		byID := make(map[uuid.UUID]Operation, len(ids))
		for rows.Next() {
			o, err := scanOperation(rows)
			if err != nil {
				return err
			}
			byID[o.ID] = o
		}
		if err := rows.Err(); err != nil {
			return err
		}
		found(byID)
		return nil
	})
}

// Operations returns a page of the account's operations.
func (v *Views) Operations(ctx context.Context, q OperationsQuery) ([]Operation, error) {
	sql := `SELECT ` + operationColumns + ` FROM ` + live.operations + ` WHERE account_id = $1 AND created_at >= $2`
	args := []any{q.AccountID, q.Since}
	if q.Status != "" {
		args = append(args, string(q.Status))
		sql += fmt.Sprintf(` AND status = $%d`, len(args))
	}
	if q.Before != nil {
		args = append(args, q.Before.CreatedAt, q.Before.ID)
		sql += fmt.Sprintf(` AND (created_at, id) < ($%d, $%d)`, len(args)-1, len(args))
	}
	args = append(args, q.Limit)
	sql += fmt.Sprintf(` ORDER BY created_at DESC, id DESC LIMIT $%d`, len(args))
	return collect(ctx, v, "list operations", scanOperation, sql, args...)
}

// Overdue returns operations, of any account, that should have been resumed by their owner before now:
// at most limit, the longest waiting first.
func (v *Views) Overdue(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error) {
	return collect(ctx, v, "look for operations that wait", pgx.RowTo[uuid.UUID],
		`SELECT id FROM `+live.operations+` WHERE waits_until < $1 ORDER BY waits_until LIMIT $2`, now, limit)
}

// Unfinished returns operations, of any account, that have not ended, do not wait for their owner, and
// have had no event since before: at most limit, in the order of their ids, starting after the id
// after.
func (v *Views) Unfinished(ctx context.Context, before time.Time, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	return collect(ctx, v, "look for operations that have not ended", pgx.RowTo[uuid.UUID], `
		SELECT id FROM `+live.operations+` WHERE status IN ('NotStarted', 'Running') AND NOT waits AND updated_at < $1 AND id > $2
			ORDER BY id LIMIT $3`, before, after, limit)
}

// UnfinishedOf returns how many operations of an account have not ended.
func (v *Views) UnfinishedOf(ctx context.Context, accountID string) (n int, err error) {
	if err = v.Pool.QueryRow(ctx, `SELECT count(*) FROM `+live.operations+` WHERE account_id = $1 AND status IN ('NotStarted', 'Running')`,
		accountID).Scan(&n); err != nil {
		err = fmt.Errorf("projections: count the operations of an account that have not ended: %w", err)
	}
	return n, err
}

// UnfinishedUpTo returns operations, of any account, that were accepted up to a position and have not ended, waiting or not: at most
// limit, in the order of their ids, starting after the id after.
func (v *Views) UnfinishedUpTo(ctx context.Context, position int64, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	return collect(ctx, v, "look for operations that have not ended", pgx.RowTo[uuid.UUID], `
		SELECT o.id FROM `+live.operations+` o JOIN events e ON e.stream = 'operation-' || o.id AND e.version = 1
		WHERE o.status IN ('NotStarted', 'Running') AND o.id > $2 AND e.position <= $1
		ORDER BY o.id LIMIT $3`, position, after, limit)
}

// Run folds a run of assessments from its operation's stream: a run has at most
// assessment.MaxModels models, so the stream stays short.
func (v *Views) Run(ctx context.Context, operationID uuid.UUID) (assessment.Run, error) {
	run := eventstore.Fold(operation.Stream(operationID), assessment.EvolveRun)
	err := v.Store.Load(ctx, run)
	return run.State, err
}

// QueueUnfinished queues a query for the number of operations of all accounts that have not ended: those that wait for
// their owner, and the others.
func (v *Views) QueueUnfinished(b *pgx.Batch, owner, others *int64) {
	b.Queue(`SELECT count(*) FILTER (WHERE waits), count(*) FILTER (WHERE NOT waits) FROM ` + live.operations + `
		WHERE status IN ('NotStarted', 'Running')`).QueryRow(func(row pgx.Row) error { return row.Scan(owner, others) })
}
