package projections

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/pixies"
	"readiness/eventstore"
)

var pageViews = &Table{
	Name:    "page_views",
	Columns: []Column{{"account_id", "text"}, {"report_id", "uuid"}, {"page", "text"}, {"day", "date"}, {"views", "bigint"}},
	Key:     []string{"account_id", "report_id", "day", "page"},
}

var reportViews = &Table{
	Name:    "report_views",
	Columns: []Column{{"account_id", "text"}, {"report_id", "uuid"}, {"day", "date"}, {"views", "bigint"}},
	Key:     []string{"account_id", "report_id", "day"},
}

// PageViews counts the views of each page of a report by day (UTC), and in report_views those of all its pages. It follows the log.
var PageViews = &View{
	Name: "page_views", Version: 2,
	Tables: []*Table{pageViews, reportViews},
	Of:     []domain.Event{pixies.Seen{}},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		seen, ours := r.Event.(pixies.Seen)
		if !ours {
			return nil
		}
		day, err := time.Parse(time.DateOnly, seen.Day)
		if err != nil {
			return err
		}
		all := 0
		for page, views := range seen.Views {
			rows.Add(pageViews, Key{r.Account, seen.ReportID, day, page}, Row{"views": views})
			all += views
		}
		rows.Add(reportViews, Key{r.Account, seen.ReportID, day}, Row{"views": all})
		return nil
	},
}

// pageViewsFrom returns SQL for the views of the account $1 by report, page, day and source, of the reports that
// a subquery selects and of the days between two parameters, both included. It reads the view's rows, the
// events that the view has not reached, and the counters of hours that have no event yet. One statement
// sees all three as of one instant, so each page view is counted once: an hour's event and the removal of
// its counters are one transaction, as are the view's rows and its position. The event's members are those
// of schema version 1.
func pageViewsFrom(reports, from, to string) string {
	return viewsFrom(`page, day, views`, live.pageViews, ``, reports, from, to)
}

// reportViewsFrom is pageViewsFrom with one row of the days and pages that the view has of each report.
func reportViewsFrom(reports, from, to string) string {
	return viewsFrom(`NULL, NULL::date, sum(views)::bigint AS views`, live.reportViews, ` GROUP BY report_id`, reports, from, to)
}

func viewsFrom(columns, table, grouped, reports, from, to string) string {
	return `
	SELECT report_id, ` + columns + ` FROM ` + table + `
	WHERE account_id = $1 AND report_id ` + reports + ` AND day BETWEEN ` + from + `::date AND ` + to + `::date` + grouped + `
	UNION ALL
	SELECT (data ->> 'reportId')::uuid, page.key, (data ->> 'day')::date,
		page.value::bigint FROM events CROSS JOIN LATERAL json_each_text(data -> 'views') page
	WHERE account_id = $1 AND position > coalesce((
		SELECT position FROM followers WHERE name = '` + PageViews.follower() + `'), 9223372036854775807)
		AND type = 'pixies.seen' AND (data ->> 'reportId')::uuid ` + reports + `
		AND data ->> 'day' BETWEEN to_char(` + from + `::date, 'YYYY-MM-DD') AND to_char(` + to + `::date, 'YYYY-MM-DD')
	UNION ALL
	SELECT report_id, page, (hour AT TIME ZONE 'UTC')::date, views FROM page_view_hours
	WHERE account_id = $1 AND report_id ` + reports + ` AND hour >= ` + from + `::date::timestamp AT TIME ZONE 'UTC'
		AND hour < (` + to + `::date + 1)::timestamp AT TIME ZONE 'UTC'`
}

var pageViewsSQL = `SELECT report_id, page, sum(views)::bigint FROM (` + pageViewsFrom(`= ANY($2::uuid[])`, `$3`, `$4`) + `
) seen GROUP BY report_id, page`

// PageViews returns the number of views of the reports' pages from one day to another, both included,
// by report and page.
func (v *Views) PageViews(ctx context.Context, accountID string, reportIDs []uuid.UUID, from, to time.Time) (map[uuid.UUID]map[string]int64,
	error) {
	rows, err := v.Pool.Query(ctx, pageViewsSQL, accountID, reportIDs, from.UTC(), to.UTC())
	if err != nil {
		return nil, fmt.Errorf("projections: read the views of pages: %w", err)
	}
	byReport := map[uuid.UUID]map[string]int64{}
	var reportID uuid.UUID
	var page string
	var views int64
	_, err = pgx.ForEachRow(rows, []any{&reportID, &page, &views}, func() error {
		if byReport[reportID] == nil {
			byReport[reportID] = map[string]int64{}
		}
		byReport[reportID][page] = views
		return nil
	})
	return byReport, err
}

// PageDays are the views of a page by day.
type PageDays struct {
	Page string
	// Views are by day, the first day first.
	Views []int64
}

// Total returns the views of all days.
func (p PageDays) Total() (sum int64) {
	for _, n := range p.Views {
		sum += n
	}
	return sum
}

var pageDaysSQL = `SELECT page, (day - $3::date)::int, sum(views)::bigint FROM (` + pageViewsFrom(`= $2`, `$3`, `$4`) + `
) seen GROUP BY page, day ORDER BY page, day`

// PageDays returns the views of a report's pages by day from one day to another, both included, the most viewed page first.
func (v *Views) PageDays(ctx context.Context, accountID string, reportID uuid.UUID, from, to time.Time) ([]PageDays, error) {
	rows, err := v.Pool.Query(ctx, pageDaysSQL, accountID, reportID, from.UTC(), to.UTC())
	if err != nil {
		return nil, fmt.Errorf("projections: read the views of pages by day: %w", err)
	}
	days := int(to.Sub(from)/(24*time.Hour)) + 1
	var pages []PageDays
	var page string
	var day int
	var views int64
	_, err = pgx.ForEachRow(rows, []any{&page, &day, &views}, func() error {
		if len(pages) == 0 || pages[len(pages)-1].Page != page {
			pages = append(pages, PageDays{page, make([]int64, days)})
		}
		pages[len(pages)-1].Views[day] += views
		return nil
	})
	slices.SortStableFunc(pages, func(a, b PageDays) int { return cmp.Compare(b.Total(), a.Total()) })
	return pages, err
}
