package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/pixies"
	"readiness/eventstore"
)

// hoursBatchSize is how many reports' hours one transaction records at most.
const hoursBatchSize = 100

// errViewsChanged reports that views of an hour were counted, or recorded by another
// process, while they were being recorded.
var errViewsChanged = errors.New("commands: the views of an hour changed while they were recorded")

// reportHour identifies the views that one event records.
type reportHour struct {
	Account string    `db:"account_id"`
	Report  uuid.UUID `db:"report_id"`
	Hour    time.Time `db:"hour"`
}

// RecordViews turns the views of past hours into events, one per report and hour.
// Each event is appended and its rows deleted in one transaction, so no view counts
// twice or is lost, even if processes die or several do this at once.
func (s *Pixies) RecordViews(ctx context.Context) error {
	until := pixies.RecordedUntil(s.Now())
	var after reportHour // in the order in which hours are recorded
	var failed []error   // one failure must not stop the others
	for {
		rows, _ := s.Pool.Query(ctx, `SELECT account_id, report_id, hour FROM page_view_hours
			WHERE hour < $1 AND (hour, account_id, report_id) > ($2, $3, $4) GROUP BY 3, 1, 2 ORDER BY 3, 1, 2 LIMIT $5`,
			until, after.Hour, after.Account, after.Report, hoursBatchSize)
		over, err := pgx.CollectRows(rows, pgx.RowToStructByName[reportHour])
		if err != nil {
			return fmt.Errorf("commands: read unrecorded views: %w", err)
		}
		if len(over) == 0 {
			return errors.Join(failed...)
		}
		after = over[len(over)-1]
		for len(over) > 0 {
			account := over[0].Account
			end := slices.IndexFunc(over, func(o reportHour) bool { return o.Account != account })
			if end < 0 {
				end = len(over)
			}
			// The next call records what changed meanwhile.
			err := s.recordHours(ctx, account, over[:end])
			if _, erased := errors.AsType[eventstore.AccountErased](err); erased { // a process counted them that still knew their report
				_, err = s.Pool.Exec(ctx, `DELETE FROM page_view_hours WHERE account_id = $1`, account)
			}
			if err != nil && !errors.Is(err, errViewsChanged) {
				failed = append(failed, err)
			}
			over = over[end:]
		}
	}
}

// recordHours records the views of an account's reports in hours.
func (s *Pixies) recordHours(ctx context.Context, account string, over []reportHour) error {
	var reports []uuid.UUID
	var hours []time.Time
	for _, o := range over {
		reports, hours = append(reports, o.Report), append(hours, o.Hour)
	}
	const of = `account_id = $1 AND (report_id, hour) IN (SELECT * FROM unnest($2::uuid[], $3::timestamptz[]))`
	rows, _ := s.Pool.Query(ctx, `SELECT account_id, report_id, hour, page, views FROM page_view_hours WHERE `+of, account, reports,
		hours)
	views, err := pgx.CollectRows(rows, pgx.RowToStructByPos[pixies.Viewed])
	if err != nil {
		return fmt.Errorf("commands: read unrecorded views: %w", err)
	}
	if len(views) == 0 {
		return nil // another process was faster
	}
	byHour := map[reportHour]pixies.RecordHour{}
	for _, v := range mergeViews(views) {
		at := reportHour{Report: v.ReportID, Hour: v.Hour.UTC()}
		byHour[at] = append(byHour[at], v)
	}
	pasts := make([]eventstore.Loadable, 0, len(over))
	streams := map[string]*eventstore.Stream[struct{}]{}
	for at := range byHour {
		name := pixies.SeenStream(account, at.Report, at.Hour)
		if streams[name] == nil {
			streams[name] = eventstore.Tail(name)
			pasts = append(pasts, streams[name])
		}
	}
	return s.Store.Change(ctx, eventstore.Metadata{Account: account, Causation: "collector"}, pasts, func(c *eventstore.Change) error {
		for at, hour := range byHour {
			if err := eventstore.Decide(c, streams[pixies.SeenStream(account, at.Report, at.Hour)], hour); err != nil {
				return err
			}
		}
		c.InTx(func(ctx context.Context, tx pgx.Tx) error { return s.deleteHours(ctx, tx, views) })
		return nil
	})
}

// deleteHours deletes the recorded rows if they have not changed. It locks rows in
// the order in which CountViews does.
func (s *Pixies) deleteHours(ctx context.Context, tx pgx.Tx, views []pixies.Viewed) error {
	var reports []uuid.UUID
	var hours []time.Time
	var pages []string
	var counts []int
	for _, v := range views {
		reports, hours, pages, counts = append(reports, v.ReportID), append(hours, v.Hour), append(pages, v.Page), append(counts, v.Views)
	}
	const of = `FROM page_view_hours h JOIN unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::bigint[]) r (report_id, hour, page, views)
		ON h.account_id = $1 AND h.report_id = r.report_id AND h.hour = r.hour AND h.page = r.page AND h.views = r.views`
	account := views[0].AccountID
	if _, err := tx.Exec(ctx, `SELECT `+of+` ORDER BY h.account_id COLLATE "C", h.report_id, h.hour, h.page COLLATE "C" FOR UPDATE OF h`,
		account, reports, hours, pages, counts); err != nil {
		return err
	}
	gone, err := tx.Exec(ctx, `DELETE FROM page_view_hours USING (SELECT h.ctid AS at `+of+`) held WHERE ctid = held.at`, account, reports,
		hours, pages, counts)
	if err != nil {
		return err
	}
	if int(gone.RowsAffected()) != len(views) {
		return errViewsChanged
	}
	return nil
}
