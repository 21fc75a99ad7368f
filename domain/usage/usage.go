// Package usage measures how often the fields of a semantic model are looked at:
// the views of a page of a report weigh the fields that the page queries (regime
// C.5). Views are those that Pixies count; whose they are, nobody knows.
package usage

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/domain/pixies"
	"readiness/domain/readiness"
)

const (
	// Days is how many days of views are measured.
	Days = 28
	// MaxReports is how many reports on a model are read for it.
	MaxReports = 200
	// Source names where views come from.
	Source = "pixies"
)

// Window returns the first and the last day of what is measured at an instant:
// views are counted by day (UTC).
func Window(at time.Time) (from, to time.Time) {
	year, month, day := at.UTC().Date()
	to = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return to.AddDate(0, 0, 1-Days), to
}

// Views is how often each page of some reports was viewed: report, page, views.
type Views map[uuid.UUID]map[string]int64

// Viewed returns those of the reports of which a page was viewed, the most
// viewed first.
func (v Views) Viewed(reports []pixies.Report) []pixies.Report {
	sums := make(map[uuid.UUID]int64, len(reports))
	for _, r := range reports {
		for _, n := range v[r.ReportID] {
			sums[r.ReportID] += max(n, 0)
		}
	}
	viewed := slices.DeleteFunc(slices.Clone(reports), func(r pixies.Report) bool { return sums[r.ReportID] == 0 })
	slices.SortFunc(viewed, func(a, b pixies.Report) int {
		return cmp.Or(cmp.Compare(sums[b.ReportID], sums[a.ReportID]), cmp.Compare(a.ReportID.String(), b.ReportID.String()))
	})
	return viewed
}

// Count counts the views of the fields of a model, report by report.
type Count struct{ lineage *readiness.Lineage }

// NewCount begins to count.
func NewCount(m *semanticmodel.Model) Count { return Count{readiness.NewLineage(m)} }

// Add counts a report of whose pages so many views were seen, by the names of the
// pages. What filters the report or a page is queried by the page; pages that the
// report no longer has count for nothing.
func (c Count) Add(r report.Report, views map[string]int64) {
	var looks []readiness.Look
	for _, p := range r.Pages {
		if n := views[p.Name]; n > 0 {
			looks = append(looks, readiness.Look{Views: n, Names: []report.References{p.All(), r.References}})
		}
	}
	c.lineage.Count(r.Measures, looks)
}

// Fields are the views of the fields that were looked at, as
// readiness.Options.Usage; empty when none was.
func (c Count) Fields() map[string]map[string]int64 { return c.lineage.Views() }
