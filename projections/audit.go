package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain/abtest"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/modelnotes"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/domain/schedule"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
	"readiness/internal/database"
	"readiness/internal/lists"
)

// The number of positions in a block of the log. Blocks that are searched for events of a type, a
// person or an operation are small. Blocks that only give the first and the last position of a span of
// time are large. To change a size, give the view a new version.
const (
	auditBlock = 256
	auditSpan  = 4096
)

// auditBlocks records in which blocks of the log an account has events of a type, a person or an
// operation. A key is a hash, so a block that is found may have no such event: queries compare the
// events again.
var auditBlocks = &Table{
	Name:    "audit_blocks",
	Columns: []Column{{"account_id", "text"}, {"key", "bigint"}, {"block", "bigint"}},
	Key:     []string{"account_id", "key", "block"},
}

// auditHours records in which blocks of the log an account has events that were recorded in an hour.
var auditHours = &Table{
	Name:    "audit_hours",
	Columns: []Column{{"account_id", "text"}, {"hour", "timestamptz"}, {"block", "bigint"}},
	Key:     []string{"account_id", "hour", "block"},
}

// Audit is the view that finds events of an account's history. It follows the log; events that it has
// not reached yet are read from the log itself.
var Audit = &View{
	Name: "audit", Version: 1,
	Tables:    []*Table{auditBlocks, auditHours},
	Undecoded: true,
	Project: func(rows *Rows, r eventstore.Recorded) error {
		block := r.Position / auditBlock
		rows.Ensure(auditBlocks, Key{r.Account, auditKey("type", r.Type), block})
		if r.Metadata.Person != "" {
			rows.Ensure(auditBlocks, Key{r.Account, auditKey("person", r.Metadata.Person), block})
		}
		if r.Metadata.OperationID != "" {
			rows.Ensure(auditBlocks, Key{r.Account, auditKey("operation", r.Metadata.OperationID), block})
		}
		rows.Ensure(auditHours, Key{r.Account, r.RecordedAt.UTC().Truncate(time.Hour), r.Position / auditSpan})
		return nil
	},
}

// auditKey returns the key of a value of a kind.
func auditKey(kind, value string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(kind + "\x00" + value)) // never fails
	return int64(h.Sum64())                       //nolint:gosec // all 64 bits are the key
}

// AuditCursor is the place after which a page of events starts, in the order of the list.
type AuditCursor struct{ Position int64 }

// AuditQuery selects a page of the events of an account in the order of their positions, up to the
// watermark. A zero field does not restrict the selection.
type AuditQuery struct {
	AccountID   string
	Stream      string
	Item        *uuid.UUID // in whose streams, or those of operations on it, it was recorded
	Type        string
	Person      string // as people call them, or a PersonID
	OperationID *uuid.UUID
	Since       *time.Time   // recorded at this time or later
	Until       *time.Time   // recorded before this time
	Newest      bool         // whether the newest comes first
	After       *AuditCursor // nil for the first page
	Limit       int
}

// itemStreams returns the names of the streams that an item can have, whatever it is.
func (q AuditQuery) itemStreams() (names []string) {
	for _, of := range []func(string, uuid.UUID) string{assessment.Stream, trackeditem.Stream, optimization.Stream, schedule.Stream,
		modelnotes.Stream, benchmark.QuestionsStream, abtest.FamilyStream, pixies.Stream} {
		names = append(names, of(q.AccountID, *q.Item))
	}
	return names
}

// AuditEvent is an event as stored.
type AuditEvent struct {
	Position      int64
	ID            uuid.UUID
	Stream        string
	Version       int64
	Type          string
	SchemaVersion int
	RecordedAt    time.Time
	PersonID      item.PersonID // as stored, which before there were ids was the person's name
	Person        string        // as people call them; "" for one who was erased
	RequestID     string
	OperationID   string
	Data          json.RawMessage
	Opened        json.RawMessage // Data with the texts of persons, null if the account was erased
	Metadata      json.RawMessage
	Hash          []byte
}

// Line returns the event of an account as a line of an export.
func (e AuditEvent) Line(account string) ([]byte, error) {
	r := eventstore.Recorded{Position: e.Position, ID: e.ID, Account: account, Stream: e.Stream, Version: e.Version, Type: e.Type,
		SchemaVersion: e.SchemaVersion, Data: e.Data, RawMetadata: e.Metadata, RecordedAt: e.RecordedAt, Hash: e.Hash}
	return r.Line()
}

// AuditEvents returns a page of an account's events. It is complete up to the watermark even if the
// view lags behind. What a standby has of it comes from there, and the events after that from the primary, so the answer is the same.
func (v *Views) AuditEvents(ctx context.Context, q AuditQuery) ([]AuditEvent, error) {
	of, err := v.personsOf(ctx, q)
	if err != nil {
		return nil, err
	}
	var page []AuditEvent
	reached := q.After
	if !q.Newest { // what is newest, the primary has
		page, reached, err = v.settledEvents(ctx, q, of)
	}
	if err != nil || len(page) == q.Limit {
		return page, err
	}
	upTo, err := v.Store.Watermark(ctx)
	if err != nil {
		return nil, err
	}
	q.After, q.Limit = reached, q.Limit-len(page)
	rest, err := v.auditEventsUpTo(ctx, v.Pool, q, of, upTo)
	if err != nil {
		return nil, fmt.Errorf("projections: read the history of an account: %w", err)
	}
	return append(page, rest...), nil
}

// settledEvents returns the beginning of the page, as far as a standby has it, and after what to read the rest. The names of persons come
// from the primary, which knows who was erased.
func (v *Views) settledEvents(ctx context.Context, q AuditQuery, of []string) (page []AuditEvent, reached *AuditCursor, err error) {
	reached = q.After
	v.Standby.Try(ctx, func(ctx context.Context, pool *pgxpool.Pool, upTo int64) (bool, error) {
		if q.After != nil && q.After.Position >= upTo {
			return false, nil
		}
		found, err := v.auditEventsUpTo(ctx, pool, q, of, upTo)
		if err == nil {
			page, reached = found, &AuditCursor{upTo}
		}
		return err == nil, err
	})
	if len(page) == 0 {
		return nil, reached, nil
	}
	ids := lists.Map(page, func(e AuditEvent) item.PersonID { return e.PersonID })
	names, err := v.People.Names(ctx, q.AccountID, ids...)
	for i, e := range page {
		if e.PersonID.Valid() {
			page[i].Person = names[e.PersonID].ID
		}
	}
	return page, reached, err
}

// auditEventsUpTo returns the page up to a position from a database.
func (v *Views) auditEventsUpTo(ctx context.Context, pool *pgxpool.Pool, q AuditQuery, of []string, upTo int64) ([]AuditEvent, error) {
	found, err := v.auditEvents(ctx, pool, q.AccountID, q.statement(upTo, of, true))
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "42P01" { // undefined_table: the view was not built yet
		found, err = v.auditEvents(ctx, pool, q.AccountID, q.statement(upTo, of, false))
	}
	return found, err
}

// personsOf returns what events store for the person of the query: the ids of the account's persons who are called so,
// and what the query says if there are none, or if the ids are from before, when events stored names.
func (v *Views) personsOf(ctx context.Context, q AuditQuery) ([]string, error) {
	if q.Person == "" {
		return nil, nil
	}
	ids, err := v.People.Called(ctx, q.AccountID, q.Person)
	if err != nil {
		return nil, err
	}
	of, former := make([]string, len(ids)), len(ids) == 0
	for i, id := range ids {
		of[i], former = string(id), former || id.Former()
	}
	if former {
		of = append(of, q.Person)
	}
	return of, nil
}

func (v *Views) auditEvents(ctx context.Context, pool *pgxpool.Pool, accountID string, s database.Statement) ([]AuditEvent, error) {
	// Planned with the values: which of them selects the fewest events varies.
	rows, err := pool.Query(ctx, s.SQL, append([]any{pgx.QueryExecModeCacheDescribe}, s.Args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e AuditEvent, err error) {
		var named, key []byte
		err = row.Scan(&e.Position, (*[16]byte)(&e.ID), &e.Stream, &e.Version, &e.Type, &e.SchemaVersion, &e.RecordedAt, &e.PersonID,
			&e.RequestID, &e.OperationID, (*[]byte)(&e.Data), (*[]byte)(&e.Metadata), &e.Hash, &named, &key)
		if err == nil {
			e.Opened, err = v.Store.OpenTexts(accountID, e.Type, e.Data, key)
		}
		e.RecordedAt = e.RecordedAt.UTC()
		if err == nil {
			e.Person, err = v.People.Shown(accountID, e.PersonID, named)
		}
		if !e.PersonID.Valid() {
			e.Person = string(e.PersonID)
		}
		return e, err
	})
}

// auditSQL collects the parts of a query's statement. $1 is the account, $2 the position after which
// to read, $3 the last position to read, $4 the limit.
type auditSQL struct {
	args  []any
	order string // "", or that of the newest first
	view  bool   // whether to use the view
	// where has the conditions on events, in addition to account and positions.
	where []string
	// keys has the conditions on the keys to find. With several, a block can be found more than once.
	keys    []string
	several bool
	// hours has the conditions on the hours.
	hours []string
}

// statement returns the statement of a page up to a position. persons is what events store for the query's person. With
// view it may use the view.
func (q AuditQuery) statement(upTo int64, persons []string, view bool) database.Statement {
	var after int64
	order := ""
	switch {
	case q.Newest:
		order = " DESC"
		if q.After != nil {
			upTo = min(upTo, q.After.Position-1)
		}
	case q.After != nil:
		after = q.After.Position
	}
	a := &auditSQL{args: []any{q.AccountID, after, upTo, q.Limit}, order: order, view: view && q.Stream == "" && q.Item == nil} // streams have an index
	if q.Stream != "" {
		a.where = append(a.where, "stream = "+a.argument(q.Stream))
	}
	if q.Item != nil {
		a.where = append(a.where, "stream = ANY("+a.argument(q.itemStreams())+"::text[] || ARRAY(SELECT '"+operation.StreamPrefix+"' || o.id FROM "+
			live.operations+" o WHERE o.account_id = $1 AND o.item_id = "+a.argument(*q.Item)+"))")
	}
	if q.Type != "" {
		a.find("type", "type", q.Type)
	}
	if q.Person != "" {
		a.find("metadata ->> 'person'", "person", persons...)
	}
	if q.OperationID != nil {
		a.find("metadata ->> 'operationId'", "operation", q.OperationID.String())
	}
	if q.Since != nil {
		a.where = append(a.where, "recorded_at >= "+a.argument(*q.Since))
		a.hour("hour >= ", *q.Since)
	}
	if q.Until != nil {
		a.where = append(a.where, "recorded_at < "+a.argument(*q.Until))
		a.hour("hour < ", *q.Until)
	}
	var sql string
	switch {
	case q.Stream != "":
		// In a stream, the order of versions is the order of positions, and the index has versions in order.
		sql = a.events() + ` ORDER BY version` + order + ` LIMIT $4`
	case q.Item != nil:
		sql = `SELECT * FROM (` + a.events() + ` OFFSET 0) e ORDER BY position` + order + ` LIMIT $4` // OFFSET 0 keeps the planner from the index on positions
	case len(a.keys)+len(a.hours) > 0:
		sql = a.found()
	default:
		sql = a.events() + ` ORDER BY position` + order + ` LIMIT $4`
	}
	sql = `SELECT e.*, w.key || w.sealed, ` + sealed.KeySQL(`$1`) + `
		FROM (` + sql + `) e LEFT JOIN people w ON w.account_id = $1 AND w.person_id = e.person
		ORDER BY e.position` + order
	return database.Statement{SQL: sql, Args: a.args}
}

func (a *auditSQL) argument(value any) string {
	a.args = append(a.args, value)
	return fmt.Sprintf("$%d", len(a.args))
}

// find selects the events whose expression has one of the values. Mostly there is one.
func (a *auditSQL) find(expression, kind string, values ...string) {
	if len(values) == 1 {
		a.where = append(a.where, expression+" = "+a.argument(values[0]))
		if a.view {
			a.keys = append(a.keys, "= "+a.argument(auditKey(kind, values[0])))
		}
		return
	}
	a.where = append(a.where, expression+" = ANY("+a.argument(values)+")")
	if a.view {
		keys := lists.Map(values, func(value string) int64 { return auditKey(kind, value) })
		a.keys, a.several = append(a.keys, "= ANY("+a.argument(keys)+")"), true
	}
}

func (a *auditSQL) hour(compared string, at time.Time) {
	if a.view {
		if compared == "hour >= " {
			at = at.UTC().Truncate(time.Hour)
		}
		a.hours = append(a.hours, compared+a.argument(at))
	}
}

const auditColumns = `position, event_id, stream, version, type, schema_version, recorded_at,
	coalesce(metadata ->> 'person', '') AS person, coalesce(metadata ->> 'requestId', '') AS request,
		coalesce(metadata ->> 'operationId', '') AS operation, data, metadata, hash`

// events returns SQL for the events at the positions that match where.
func (a *auditSQL) events(positions ...string) string {
	conditions := append([]string{"account_id = $1", "position > $2", "position <= $3"}, positions...)
	return fmt.Sprintf(`SELECT %s FROM events WHERE %s`, auditColumns, strings.Join(append(conditions, a.where...), " AND "))
}

// found returns SQL that finds events by the view up to the position that the view has reached, and
// reads the log alone after it. One statement sees the view's rows and position as of one instant.
func (a *auditSQL) found() string {
	reached := `(SELECT coalesce((SELECT position FROM followers WHERE name = '` + Audit.follower() + `'), 0))`
	within := []string{"position <= " + reached}
	blocks := []string{"b0.account_id = $1", fmt.Sprintf("b0.block BETWEEN $2::bigint / %d AND $3::bigint / %[1]d", auditBlock)}
	if len(a.hours) > 0 {
		end := func(of string) string {
			return fmt.Sprintf(`(SELECT %s(block) FROM `+live.auditHours+` WHERE account_id = $1 AND %s)`, of,
				strings.Join(a.hours, " AND "))
		}
		first, last := fmt.Sprintf("%s * %d", end("min"), auditSpan), fmt.Sprintf("%s * %d + %d", end("max"), auditSpan, auditSpan-1)
		within = append(within, "position BETWEEN "+first+" AND "+last)
		blocks = append(blocks, fmt.Sprintf("b0.block BETWEEN %s / %d AND (%s) / %[2]d", first, auditBlock, last))
	}
	var found string
	if len(a.keys) == 0 {
		found = a.events(within...) + ` ORDER BY position` + a.order + ` LIMIT $4`
	} else {
		from := live.auditBlocks + " b0"
		for i, key := range a.keys {
			blocks = append(blocks, fmt.Sprintf("b%d.key %s", i, key))
			if i > 0 {
				from += fmt.Sprintf(" JOIN %s b%d ON b%[2]d.account_id = b0.account_id AND b%[2]d.block = b0.block", live.auditBlocks, i)
			}
		}
		within = append(within, fmt.Sprintf("position BETWEEN b.block * %d AND b.block * %[1]d + %d", auditBlock, auditBlock-1))
		// Blocks are read in their order, a few at a time; OFFSET 0 keeps the planner from reading all
		// of the account's events instead.
		distinct := ""
		if a.several {
			distinct = "DISTINCT "
		}
		found = fmt.Sprintf(`SELECT e.* FROM (SELECT %sb0.block FROM %s WHERE %s) b CROSS JOIN LATERAL (%s OFFSET 0) e
			ORDER BY b.block%[5]s, e.position%[5]s LIMIT $4`,
			distinct, from, strings.Join(blocks, " AND "), a.events(within...), a.order)
	}
	return fmt.Sprintf("(%s)\nUNION ALL\n(%s ORDER BY position%[3]s LIMIT $4)\nORDER BY position%[3]s LIMIT $4", found,
		a.events("position > "+reached), a.order)
}
