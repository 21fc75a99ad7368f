package commands

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/pixies"
)

// CollectedViews is a message of a process that collects views without the database.
type CollectedViews struct {
	Collector uuid.UUID
	Number    int64 // of the message among those of the collector; rises by one
	Views     []pixies.Viewed
}

// collectorKept is for how long the number of a collector's last message is kept. A collector repeats a message for a day at most.
const collectorKept = 30 * 24 * time.Hour

// CountCollected adds the views of messages to the counts of their hours, all or none. The messages of a collector must be in the order of
// their numbers; a message whose number is not above the last one counted adds nothing, so after any error all may be counted again.
// counted says which of the messages were added.
func (s *Pixies) CountCollected(ctx context.Context, messages []CollectedViews) (counted []bool, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		counted = make([]bool, len(messages))
		last, err := lastNumbers(ctx, tx, messages)
		if err != nil {
			return err
		}
		var views []pixies.Viewed
		var collectors []uuid.UUID
		var numbers []int64
		for i, m := range messages {
			if m.Number <= last[m.Collector] {
				continue
			}
			counted[i], last[m.Collector] = true, m.Number
			views = append(views, m.Views...)
		}
		for id, number := range last {
			collectors, numbers = append(collectors, id), append(numbers, number)
		}
		if err := countViews(ctx, tx, views); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE page_view_collectors c SET number = r.number, counted_at = $3
			FROM unnest($1::uuid[], $2::bigint[]) r (collector, number) WHERE c.collector = r.collector`, collectors, numbers, s.Now())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("commands: count collected views: %w", err)
	}
	return counted, nil
}

// lastNumbers returns the number of each collector's last counted message, and locks the row until the end of the transaction.
func lastNumbers(ctx context.Context, tx pgx.Tx, messages []CollectedViews) (map[uuid.UUID]int64, error) {
	last := map[uuid.UUID]int64{}
	var collectors []uuid.UUID
	for _, m := range messages {
		if _, there := last[m.Collector]; !there {
			last[m.Collector] = 0
			collectors = append(collectors, m.Collector)
		}
	}
	// The lock of a row that is already there is taken by the update, which changes nothing.
	rows, _ := tx.Query(ctx, `INSERT INTO page_view_collectors AS c (collector, number, counted_at)
		SELECT collector, 0, $2 FROM unnest($1::uuid[]) collector ORDER BY 1
		ON CONFLICT (collector) DO UPDATE SET number = c.number RETURNING collector, number`, collectors, time.Unix(0, 0))
	var id uuid.UUID
	var number int64
	_, err := pgx.ForEachRow(rows, []any{&id, &number}, func() error { last[id] = number; return nil })
	return last, err
}

// SweepCollectors forgets collectors that ended long ago.
func (s *Pixies) SweepCollectors(ctx context.Context) error {
	_, err := s.Pool.Exec(ctx, `DELETE FROM page_view_collectors WHERE counted_at < $1`, s.Now().Add(-collectorKept))
	if err != nil {
		return fmt.Errorf("commands: forget collectors: %w", err)
	}
	return nil
}
