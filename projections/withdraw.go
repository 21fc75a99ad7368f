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
			live, err := e.liveOf(ctx, tx, name)
			if err != nil {
				return err
			}
			for _, r := range live {
				if err := r.drop(ctx, tx, name); err != nil {
					return err
				}
			}
			ended = len(live)
			_, err = tx.Exec(ctx,
				`UPDATE view_generations SET state = 'retired', updated_at = clock_timestamp() WHERE view = $1 AND state = 'live'`, name)
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
