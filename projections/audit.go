package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
)

// AuditCursor is the place after which a page of events begins.
type AuditCursor struct{ Position int64 }

// AuditQuery asks for a page of the events of an account in the order of their
// positions, up to the watermark. A zero member asks for all.
type AuditQuery struct {
	AccountID   string
	Stream      string
	Type        string
	Person      string
	OperationID *uuid.UUID
	Since       *time.Time   // recorded then or later
	Until       *time.Time   // recorded before
	After       *AuditCursor // nil for the first page
	Limit       int
}

// AuditEvent is an event as it is stored.
type AuditEvent struct {
	Position      int64
	ID            uuid.UUID
	Stream        string
	Version       int64
	Type          string
	SchemaVersion int
	RecordedAt    time.Time
	Person        string
	RequestID     string
	OperationID   string
	Data          json.RawMessage
	Hash          []byte
}

// AuditEvents returns a page of an account's events.
func (v *Views) AuditEvents(ctx context.Context, q AuditQuery) ([]AuditEvent, error) {
	upTo, err := v.Store.Watermark(ctx)
	if err != nil {
		return nil, err
	}
	sql, args := q.sql(upTo)
	// Planned with the values: which of them is the rarest differs.
	rows, err := v.Pool.Query(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("projections: read the history of an account: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e AuditEvent, err error) {
		err = row.Scan(&e.Position, (*[16]byte)(&e.ID), &e.Stream, &e.Version, &e.Type, &e.SchemaVersion, &e.RecordedAt, &e.Person, &e.RequestID, &e.OperationID, (*[]byte)(&e.Data), &e.Hash)
		e.RecordedAt = e.RecordedAt.UTC()
		return e, err
	})
}

func (q AuditQuery) sql(upTo int64) (sql string, args []any) {
	var after int64
	if q.After != nil {
		after = q.After.Position
	}
	args = []any{q.AccountID, after, upTo}
	where := []string{"account_id = $1", "position > $2", "position <= $3"}
	add := func(condition string, arg any) {
		args = append(args, arg)
		where = append(where, fmt.Sprintf(condition, len(args)))
	}
	order := "position"
	if q.Stream != "" {
		order = "version" // which is the same in a stream, and the order of its index
		add("stream = $%d", q.Stream)
	}
	if q.Type != "" {
		add("type = $%d", q.Type)
	}
	if q.Person != "" {
		add("metadata ->> 'person' = $%d", q.Person)
	}
	if q.OperationID != nil {
		add("metadata ->> 'operationId' = $%d", q.OperationID.String())
	}
	if q.Since != nil {
		add("recorded_at >= $%d", *q.Since)
	}
	if q.Until != nil {
		add("recorded_at < $%d", *q.Until)
	}
	args = append(args, q.Limit)
	return fmt.Sprintf(`SELECT position, event_id, stream, version, type, schema_version, recorded_at,
		coalesce(metadata ->> 'person', ''), coalesce(metadata ->> 'requestId', ''), coalesce(metadata ->> 'operationId', ''), data, hash
		FROM events WHERE %s ORDER BY %s LIMIT $%d`, strings.Join(where, " AND "), order, len(args)), args
}

// Checkpoint returns what all events of the account come to.
func (v *Views) Checkpoint(ctx context.Context, accountID string) (eventstore.Checkpoint, error) {
	return v.Store.Checkpoint(ctx, accountID)
}
