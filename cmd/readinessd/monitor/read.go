package monitor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
	"readiness/projections"
)

// tardy is how late a schedule's slot counts as late.
const tardy = 5 * time.Minute

// read reads everything except the sizes of tables. The age of a step is by the database's clock, which dates steps; other ages are by the
// service's, which dates events.
func (m *Monitor) read(ctx context.Context) (n numbers, err error) {
	n.at = m.o.Now()
	if n.last, n.watermark, err = m.o.Store.Positions(ctx); err != nil {
		return n, err
	}
	if n.views, err = m.readViews(ctx, n); err != nil {
		return n, err
	}
	b := &pgx.Batch{}
	b.Queue(`SELECT kind, state::text, count(*), extract(epoch FROM clock_timestamp() - min(created_at))::float8 FROM river_job
		WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled') GROUP BY 1, 2`).Query(func(rows pgx.Rows) (err error) {
		n.queue, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (q queued, err error) {
			err = row.Scan(&q.kind, &q.state, &q.n, &q.oldest)
			return q, err
		})
		return err
	})
	m.o.Views.QueueUnfinished(b, &n.owner, &n.working)
	m.o.Views.QueueLate(b, n.at.Add(-tardy), &n.late)
	b.Queue(`SELECT count(*), min(since) FROM webhook_deliveries WHERE state = 'Waiting'`).QueryRow(func(row pgx.Row) error {
		return row.Scan(&n.messages, &n.due)
	})
	b.Queue(`SELECT max(verified_at) FROM verifications`).QueryRow(func(row pgx.Row) error {
		var at *time.Time
		err := row.Scan(&at)
		if at != nil {
			n.verified = *at
		}
		return err
	})
	b.Queue(`SELECT sealed_at FROM audit_trees WHERE tree = '' ORDER BY epoch DESC LIMIT 1`).Query(func(rows pgx.Rows) (err error) {
		_, err = pgx.ForEachRow(rows, []any{&n.sealed}, func() error { return nil })
		return err
	})
	b.Queue(`SELECT position, (SELECT recorded_at FROM events WHERE position > f.position AND position <= $2 ORDER BY position LIMIT 1)
		FROM followers f WHERE name = $1`, eventstore.Forwarder, n.watermark).Query(func(rows pgx.Rows) (err error) {
		var f forwarded
		_, err = pgx.ForEachRow(rows, []any{&f.position, &f.next}, func() error { n.forwarded = &f; return nil })
		return err
	})
	if err := m.o.Pool.SendBatch(ctx, b).Close(); err != nil {
		return n, fmt.Errorf("monitor: %w", err)
	}
	return n, nil
}

func (m *Monitor) readViews(ctx context.Context, n numbers) (views []view, err error) {
	progress, err := m.o.Engine.Progress(ctx, n.watermark)
	if err != nil {
		return nil, err
	}
	for _, s := range progress {
		v := view{name: s.View, lag: s.Lag, failed: s.Error != "", built: s.State == projections.Live}
		if s.Lag > 0 && v.built {
			var at time.Time
			err := m.o.Pool.QueryRow(ctx, `SELECT recorded_at FROM events WHERE position > $1 AND position <= $2
				ORDER BY position LIMIT 1`, s.Position, n.watermark).Scan(&at)
			switch {
			case errors.Is(err, pgx.ErrNoRows): // only positions of appends that were rolled back
			case err != nil:
				return nil, fmt.Errorf("monitor: %w", err)
			default:
				v.late = max(0, n.at.Sub(at))
			}
		}
		views = append(views, v)
	}
	return views, nil
}

// readSizes reads the size of every table of the service, of earlier generations of views too.
func (m *Monitor) readSizes(ctx context.Context) (sizes, error) {
	s := sizes{at: m.o.Now(), tables: map[string]int64{}}
	rows, _ := m.o.Pool.Query(ctx, `SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_class c
		WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`)
	var name string
	var bytes int64
	_, err := pgx.ForEachRow(rows, []any{&name, &bytes}, func() error {
		s.tables[name] = bytes
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("monitor: sizes of tables: %w", err)
	}
	return s, nil
}
