package reads

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
	"readiness/platform/fabric"
)

// Exports implements fabric.Exports. Its tables hold definitions until the step that reads them has its outcome, for at most an
// hour. It is safe for concurrent use, within and across processes.
type Exports struct {
	Pool *pgxpool.Pool
	// Life is that of the process; what it did for an export is free when it dies. Without one, when the lease is over.
	Life *database.Life
}

const (
	// lease is how long one caller alone acts for an export, unless its process dies: longer than a step of work.
	lease = 90 * time.Second
	// look is how often others look whether it is ready.
	look = 2 * time.Second
	// exportLife is how long an export is kept.
	exportLife = time.Hour
	// batch is how many bytes of parts are stored at once.
	batch = 4 << 20
)

// free is the condition that no caller acts for a row of exports now.
var free = `(exports.next <= clock_timestamp() OR exports.process IS NOT NULL AND NOT ` + database.Alive("exports.process") + `)`

const exportKey = `operation_id = $1 AND issuer = $2 AND person = $3 AND workspace_id = $4`

// keyOf returns the arguments of exportKey. issuer is empty since persons have ids.
func keyOf(e fabric.Export, more ...any) []any {
	return append([]any{e.Operation, "", e.Person, e.Workspace}, more...)
}

// Claim implements fabric.Exports.
func (x Exports) Claim(ctx context.Context, e fabric.Export) (first bool, err error) {
	process, err := x.process(ctx)
	if err != nil {
		return false, err
	}
	t, err := x.Pool.Exec(ctx, `INSERT INTO exports (operation_id, issuer, person, workspace_id, next, process)
		VALUES ($1, $2, $3, $4, clock_timestamp() + $5::interval, $6)
		ON CONFLICT (operation_id, issuer, person, workspace_id) DO UPDATE SET next = excluded.next, process = excluded.process
			WHERE exports.state = 'begun' AND exports.remote = '' AND `+free,
		keyOf(e, lease, process)...)
	return t.RowsAffected() == 1, wrapped(err)
}

// process returns the key of the process, which others can then see to be alive; nil without a Life.
func (x Exports) process(ctx context.Context) (*int32, error) {
	if x.Life == nil {
		return nil, nil
	}
	return new(x.Life.Key()), wrapped(x.Life.Take(ctx))
}

// Release implements fabric.Exports.
func (x Exports) Release(ctx context.Context, e fabric.Export) error {
	_, err := x.Pool.Exec(ctx, `DELETE FROM exports WHERE `+exportKey, keyOf(e)...)
	return wrapped(err)
}

// Begun implements fabric.Exports.
func (x Exports) Begun(ctx context.Context, e fabric.Export, operation string, next time.Duration) error {
	_, err := x.Pool.Exec(ctx, `UPDATE exports SET remote = $5, next = clock_timestamp() + $6::interval, process = NULL WHERE `+exportKey,
		keyOf(e, operation, next)...)
	return wrapped(err)
}

// Postpone implements fabric.Exports.
func (x Exports) Postpone(ctx context.Context, e fabric.Export, next time.Duration) error {
	_, err := x.Pool.Exec(ctx, `UPDATE exports SET next = clock_timestamp() + $5::interval, process = NULL WHERE `+exportKey,
		keyOf(e, next)...)
	return wrapped(err)
}

// Fail implements fabric.Exports.
func (x Exports) Fail(ctx context.Context, e fabric.Export) error {
	_, err := x.Pool.Exec(ctx, `WITH failed AS (UPDATE exports SET state = 'failed' WHERE `+exportKey+` RETURNING id)
		DELETE FROM exported_parts WHERE export_id IN (SELECT id FROM failed)`, keyOf(e)...)
	return wrapped(err)
}

// Turn implements fabric.Exports.
func (x Exports) Turn(ctx context.Context, e fabric.Export) (fabric.Turn, error) {
	var state, remote string
	var begun time.Time
	var wait time.Duration
	var mine bool
	// The snapshot of the outer query is from before the update, so it reads what the update found.
	process, err := x.process(ctx)
	if err != nil {
		return fabric.Turn{}, err
	}
	err = x.Pool.QueryRow(ctx, `WITH mine AS (
			UPDATE exports SET next = clock_timestamp() + $5::interval, process = $6 WHERE `+exportKey+` AND state = 'begun'
				AND `+free+`
			RETURNING id)
		SELECT state, remote, begun, greatest(next - clock_timestamp(), interval '0'), EXISTS (SELECT FROM mine)
		FROM exports WHERE `+exportKey,
		keyOf(e, lease, process)...).Scan(&state, &remote, &begun, &wait, &mine)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fabric.Turn{State: fabric.Single}, nil
	case err != nil:
		return fabric.Turn{}, wrapped(err)
	case state == "ready":
		return fabric.Turn{State: fabric.Ready}, nil
	case state == "begun" && !mine:
		return fabric.Turn{State: fabric.Waiting, After: min(max(wait, time.Second), look)}, nil
	case state == "begun" && remote != "":
		return fabric.Turn{State: fabric.Polling, Operation: remote, Begun: begun}, nil
	case state == "begun": // the caller that claimed it died before the platform answered
		return fabric.Turn{State: fabric.Single}, x.Fail(ctx, e)
	}
	return fabric.Turn{State: fabric.Single}, nil
}

// Fill implements fabric.Exports.
func (x Exports) Fill(ctx context.Context, e fabric.Export, read func(index func(uuid.UUID, string) error,
	part func(string, []byte) error) error) error {
	var id int64
	err := x.Pool.QueryRow(ctx, `WITH this AS (SELECT id FROM exports WHERE `+exportKey+`),
		parts AS (DELETE FROM exported_parts WHERE export_id IN (SELECT id FROM this)),
		items AS (DELETE FROM exported_items WHERE export_id IN (SELECT id FROM this))
		SELECT id FROM this`, keyOf(e)...).Scan(&id)
	if err != nil {
		return wrapped(err)
	}
	f := filling{pool: x.Pool, export: id}
	err = read(func(itemID uuid.UUID, root string) error {
		f.items = append(f.items, []any{id, itemID, root})
		return nil
	}, func(path string, data []byte) error { return f.add(ctx, path, data) })
	if err == nil {
		err = f.flush(ctx)
	}
	if err == nil {
		_, err = x.Pool.CopyFrom(ctx, pgx.Identifier{"exported_items"}, []string{"export_id", "item_id", "root"}, pgx.CopyFromRows(f.items))
	}
	if err == nil { // what belongs to no item is not kept
		_, err = x.Pool.Exec(ctx, `WITH ready AS (UPDATE exports SET state = 'ready' WHERE id = $1)
			DELETE FROM exported_parts p WHERE export_id = $1
				AND NOT EXISTS (SELECT FROM exported_items o WHERE o.export_id = $1 AND starts_with(p.path, o.root || '/'))`, id)
	}
	return wrapped(err)
}

// filling stores the parts of an export in batches.
type filling struct {
	pool   *pgxpool.Pool
	export int64
	items  [][]any
	parts  [][]any
	bytes  int
}

func (f *filling) add(ctx context.Context, path string, data []byte) error {
	f.parts = append(f.parts, []any{f.export, path, data})
	if f.bytes += len(path) + len(data); f.bytes < batch {
		return nil
	}
	return f.flush(ctx)
}

func (f *filling) flush(ctx context.Context) error {
	_, err := f.pool.CopyFrom(ctx, pgx.Identifier{"exported_parts"}, []string{"export_id", "path", "data"}, pgx.CopyFromRows(f.parts))
	f.parts, f.bytes = nil, 0
	return err
}

// The parts p of an item t of an export. A part belongs to the item with the longest root before it.
const (
	exportedItem = `WITH this AS (SELECT i.export_id, i.root FROM exports e JOIN exported_items i ON i.export_id = e.id
			WHERE ` + exportKey + ` AND i.item_id = $5)`
	ofExportedItem = ` WHERE p.export_id = t.export_id AND p.path > t.root || '/' AND p.path < t.root || '0'
			AND NOT EXISTS (SELECT FROM exported_items o WHERE o.export_id = t.export_id AND length(o.root) > length(t.root)
				AND starts_with(p.path, o.root || '/'))`
)

// Drop implements fabric.Exports.
func (x Exports) Drop(ctx context.Context, e fabric.Export, id uuid.UUID) error {
	_, err := x.Pool.Exec(ctx, exportedItem+` DELETE FROM exported_parts p USING this t`+ofExportedItem, keyOf(e, id)...)
	return wrapped(err)
}

// Take implements fabric.Exports.
func (x Exports) Take(ctx context.Context, e fabric.Export, id uuid.UUID, take func(path string, data []byte) error) error {
	rows, _ := x.Pool.Query(ctx, exportedItem+` SELECT substr(p.path, length(t.root) + 2), p.data FROM exported_parts p, this t`+
		ofExportedItem, keyOf(e, id)...)
	var path string
	var data []byte
	_, err := pgx.ForEachRow(rows, []any{&path, &data}, func() error {
		defer func() { data = nil }()
		return take(path, data)
	})
	return wrapped(err)
}

// Sweep deletes old exports with what was not read of them.
func (x Exports) Sweep(ctx context.Context) error {
	if _, err := x.Pool.Exec(ctx, `DELETE FROM exports WHERE begun < now() - $1::interval`, exportLife); err != nil {
		return fmt.Errorf("reads: delete old exports: %w", err)
	}
	return nil
}
