package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"readiness/domain/pixies"
)

// ErrNotCounted reports that certainly nothing was counted, so the same views may
// be counted again.
var ErrNotCounted = errors.New("commands: nothing was counted")

// CountViews adds views to the counts of their hours, all or none, in one
// statement. Any error except ErrNotCounted leaves open whether they were counted:
// the connection may have failed after the commit, and views must not count twice.
func (s *Pixies) CountViews(ctx context.Context, views []pixies.Viewed) error {
	err := countViews(ctx, s.Pool, views)
	if err != nil && rolledBack(err) {
		return fmt.Errorf("%w: %w", ErrNotCounted, err)
	}
	return err
}

// execer is a pool or a transaction.
type execer interface {
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
}

// countViews adds views to the counts of their hours.
func countViews(ctx context.Context, to execer, views []pixies.Viewed) error {
	var accounts, pages []string
	var reports []uuid.UUID
	var hours []time.Time
	var counts []int
	for _, v := range mergeViews(views) {
		accounts, reports, hours, pages, counts = append(accounts, v.AccountID), append(reports, v.ReportID), append(hours, v.Hour),
			append(pages, v.Page), append(counts, v.Views)
	}
	_, err := to.Exec(ctx, `INSERT INTO page_view_hours AS h (account_id, report_id, hour, page, views)
		SELECT * FROM unnest($1::text[], $2::uuid[], $3::timestamptz[], $4::text[], $5::bigint[])
		ON CONFLICT (account_id, report_id, hour, page) DO UPDATE SET views = h.views + excluded.views`,
		accounts, reports, hours, pages, counts)
	return err
}

// mergeViews merges views of the same row and sorts them, so that all processes lock
// rows in one order and cannot deadlock.
func mergeViews(views []pixies.Viewed) []pixies.Viewed {
	sorted := slices.SortedFunc(slices.Values(views), compareViewed)
	all := sorted[:0]
	for _, v := range sorted {
		if n := len(all); n > 0 && compareViewed(all[n-1], v) == 0 {
			all[n-1].Views += v.Views
		} else {
			all = append(all, v)
		}
	}
	return all
}

func compareViewed(a, b pixies.Viewed) int {
	return cmp.Or(cmp.Compare(a.AccountID, b.AccountID), slices.Compare(a.ReportID[:], b.ReportID[:]), a.Hour.Compare(b.Hour),
		cmp.Compare(a.Page, b.Page))
}

// rolledBack reports whether a failed statement was certainly not committed: it was
// never sent, or the database reported an error that rolled it back. A lost
// connection may have failed after the commit.
func rolledBack(err error) bool {
	if _, never := errors.AsType[*pgconn.ConnectError](err); never {
		return true
	}
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.SeverityUnlocalized == "ERROR" || pgconn.SafeToRetry(err)
}
