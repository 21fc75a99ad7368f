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

// ErrNotCounted says that for certain nothing was counted, so that the same may
// be counted again.
var ErrNotCounted = errors.New("commands: nothing was counted")

// CountViews adds views to those of their hours, all of them or none, in one
// statement. Any error but ErrNotCounted leaves open whether it did: the
// connection may have broken behind the commit, and views must not count twice.
func (s *Service) CountViews(ctx context.Context, views []pixies.Viewed) error {
	var accounts, pages []string
	var reports []uuid.UUID
	var hours []time.Time
	var counts []int
	for _, v := range inOrder(views) {
		accounts, reports, hours, pages, counts = append(accounts, v.AccountID), append(reports, v.ReportID), append(hours, v.Hour), append(pages, v.Page), append(counts, v.Views)
	}
	_, err := s.Pool.Exec(ctx, `INSERT INTO page_view_hours AS h (account_id, report_id, hour, page, views)
		SELECT * FROM unnest($1::text[], $2::uuid[], $3::timestamptz[], $4::text[], $5::bigint[])
		ON CONFLICT (account_id, report_id, hour, page) DO UPDATE SET views = h.views + excluded.views`, accounts, reports, hours, pages, counts)
	if err != nil && undone(err) {
		return fmt.Errorf("%w: %w", ErrNotCounted, err)
	}
	return err
}

// inOrder are the views in the order in which everybody takes their rows: each
// row once, and nobody waits for another who waits for him.
func inOrder(views []pixies.Viewed) []pixies.Viewed {
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
	return cmp.Or(cmp.Compare(a.AccountID, b.AccountID), slices.Compare(a.ReportID[:], b.ReportID[:]), a.Hour.Compare(b.Hour), cmp.Compare(a.Page, b.Page))
}

// undone reports whether a statement that failed was certainly not committed: it
// was never sent, or the database itself says what it undid it for. What ends a
// connection may come behind the commit.
func undone(err error) bool {
	if _, never := errors.AsType[*pgconn.ConnectError](err); never {
		return true
	}
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.SeverityUnlocalized == "ERROR" || pgconn.SafeToRetry(err)
}
