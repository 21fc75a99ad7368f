//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// settleLimit is how long everything that was accepted may take to end.
const settleLimit = 30 * time.Minute

// sum is the outcome of the load in the end.
type sum struct {
	outcomes map[string]int64 // of views
	took     time.Duration    // until everything had ended
}

// settled waits until everything that was accepted has ended, every view has an outcome, and the views are at the end of the log.
func (s *system) settled(ctx context.Context, l *load) (done sum, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	for {
		state, err := s.state(ctx)
		if err != nil {
			return done, err
		}
		if done.outcomes, err = s.outcomes(ctx); err != nil {
			return done, err
		}
		all := int64(0)
		for _, n := range done.outcomes {
			all += n
		}
		if done.took = time.Since(began); state.steps == 0 && state.lag == 0 && all >= l.counts[views].answered.Load() {
			return done, nil
		}
		select {
		case <-time.After(time.Second / 2):
		case <-ctx.Done():
			return done, fmt.Errorf("%d steps and %d positions are left, and %d of %d views have an outcome: %w", state.steps, state.lag,
				all, l.counts[views].answered.Load(), ctx.Err())
		}
	}
}

// verify compares what was acknowledged with the log.
func (s *system) verify(ctx context.Context, l *load) error {
	outcomes, err := s.outcomes(ctx)
	if err != nil {
		return err
	}
	stored, err := s.stored(ctx)
	if err != nil {
		return err
	}
	ended, err := s.ends(ctx, l)
	err = errors.Join(err, ended, compareViews(l, outcomes, stored))
	err = errors.Join(err, s.command(ctx, "events", "verify"), s.command(ctx, "projections", "rebuild", "--diff"))
	if err == nil {
		fmt.Fprintln(l.say, "Nothing acknowledged is missing, nothing is there twice, the log is unchanged, and the views agree with it")
	}
	return err
}

// ends returns an error unless every acknowledged operation was accepted once and ended once in the log.
func (s *system) ends(ctx context.Context, l *load) (wrong, err error) {
	streams := make([]string, len(l.accepted))
	for i, o := range l.accepted {
		streams[i] = "operation-" + o.id.String()
	}
	var accepted, ended, streamsFound int
	err = s.pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE type = 'operation.accepted'),
		count(*) FILTER (WHERE type IN ('operation.succeeded', 'operation.failed', 'operation.cancelled')), count(DISTINCT stream)
		FROM events WHERE stream = ANY($1)`, streams).Scan(&accepted, &ended, &streamsFound)
	if n := len(streams); err == nil && (accepted != n || ended != n || streamsFound != n) {
		wrong = fmt.Errorf("%d operations were acknowledged; the log has %d of them, accepted %d times and ended %d times", n, streamsFound,
			accepted, ended)
	}
	return wrong, err
}

// stored is how often each Pixie was viewed, by events and by counters of hours that have no event yet.
func (s *system) stored(ctx context.Context) (map[place]int64, error) {
	rows, err := s.pool.Query(ctx, `SELECT report_id, page, sum(views)::bigint FROM (
		SELECT (data ->> 'reportId')::uuid report_id, key page, value::bigint views FROM events, json_each_text(data -> 'views')
			WHERE type = 'pixies.seen'
		UNION ALL SELECT report_id, page, views FROM page_view_hours) seen GROUP BY 1, 2`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[place]int64{}
	for rows.Next() {
		var at place
		var n int64
		if err := rows.Scan(&at.report, &at.page, &n); err != nil {
			return nil, err
		}
		found[at] = n
	}
	return found, rows.Err()
}

// place is where a Pixie is.
type place struct {
	report uuid.UUID
	page   string
}

// compareViews returns an error unless the views in the database are those that were answered. A view without an answer may be there or
// not, and one that the collector dropped, which it counts, is not there.
func compareViews(l *load, outcomes map[string]int64, stored map[place]int64) (wrong error) {
	var answered, unsure, all, there, dropped int64
	for outcome, n := range outcomes {
		all += n
		if outcome != "recorded" {
			dropped += n
		}
	}
	for n := range l.seen {
		at := place{idOf("report", n/pages), fmt.Sprintf("p%d", n%pages)}
		seen, may, is := l.seen[n].Load(), l.unsure[n].Load(), stored[at]
		answered, unsure, there = answered+seen, unsure+may, there+is
		if is > seen+may || dropped == 0 && is < seen {
			wrong = fmt.Errorf("page %s of report %s was viewed %d times for certain and %d times perhaps, and is counted %d times",
				at.page, at.report, seen, may, is)
		}
	}
	if all < answered || all > answered+unsure {
		wrong = errors.Join(wrong, fmt.Errorf("%d views were answered and %d perhaps, and %d have an outcome", answered, unsure, all))
	}
	if there != outcomes["recorded"] {
		wrong = errors.Join(wrong, fmt.Errorf("%d views were counted, and the database has %d", outcomes["recorded"], there))
	}
	return wrong
}
