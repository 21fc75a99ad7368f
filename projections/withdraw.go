package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
)

// Withdraw ends the live generations of a view, which need not be one of this program's: the way back from a version that added it or
// changed it. Until a Rebuild makes it live again, programs that have the view cannot append, and those that do not can. It returns how
// many generations it ended; their tables stay until Retire.
func (e *Engine) Withdraw(ctx context.Context, name string) (ended int, err error) {
	err = e.betweenAppends(ctx, "withdraw "+name, func() error {
		return pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
			if err := e.waitBriefly(ctx, tx); err != nil {
				return err
			}
			if err := eventstore.HoldAppends(ctx, tx); err != nil {
				return err
			}
			ended, err = e.end(ctx, tx, name)
			return err
		})
	})
	if err == nil && ended == 0 {
		err = fmt.Errorf("no generation of a view %q is live", name)
	}
	if err != nil {
		return 0, fmt.Errorf("projections: withdraw %s: %w", name, err)
	}
	return ended, nil
}

// end ends the live generations of a view.
func (e *Engine) end(ctx context.Context, tx pgx.Tx, name string) (ended int, err error) {
	live, err := e.liveOf(ctx, tx, name)
	if err != nil {
		return 0, err
	}
	for _, r := range live {
		if err := r.drop(ctx, tx, name); err != nil {
			return 0, err
		}
	}
	_, err = tx.Exec(ctx,
		`UPDATE view_generations SET state = 'retired', updated_at = clock_timestamp() WHERE view = $1 AND state = 'live'`, name)
	return len(live), err
}

// WithdrawAll ends the live generations of every view, in the transaction that imports a log into an empty database: they do not have its
// events. Until each view is built by Rebuild, Check refuses to serve.
func (e *Engine) WithdrawAll(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT DISTINCT view FROM view_generations WHERE state = 'live'`)
	if err != nil {
		return fmt.Errorf("projections: withdraw all: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, name := range names {
		if err == nil {
			_, err = e.end(ctx, tx, name)
		}
	}
	if err != nil {
		return fmt.Errorf("projections: withdraw all: %w", err)
	}
	return nil
}
