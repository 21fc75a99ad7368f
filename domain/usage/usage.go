// Package usage measures how often the fields of a semantic model are viewed: each view
// of a report's page counts for the fields that the page queries. Filters of row-level
// security count for none: nobody chose to see their columns, and a viewer's role is personal data.
// Pixies count the views without recording who viewed.
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
	// Days is the number of days over which views are measured.
	Days = 28
	// MaxReports is how many reports on a model are read at most.
	MaxReports = 200
	// Source names the source of the views.
	Source = "pixies"
)

// Window returns the first and the last day measured at an instant. Views are counted
// by UTC day.
func Window(at time.Time) (from, to time.Time) {
	year, month, day := at.UTC().Date()
	to = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return to.AddDate(0, 0, 1-Days), to
}

// Views is the number of views by report and page.
type Views map[uuid.UUID]map[string]int64

// Viewed returns the reports with at least one viewed page, the most viewed first.
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

// Count sums the views of a model's fields over reports.
type Count struct{ lineage *readiness.Lineage }

// NewCount returns an empty count for the model.
func NewCount(m *semanticmodel.Model) Count { return Count{readiness.NewLineage(m)} }

// Add counts a report whose pages were viewed as often as views says, by page name. A
// field that filters the report or a page counts as queried by the page. Pages that the
// report no longer has are ignored.
func (c Count) Add(r report.Report, views map[string]int64) {
	var looks []readiness.Look
	for _, p := range r.Pages {
		if n := views[p.Name]; n > 0 {
			looks = append(looks, readiness.Look{Views: n, Names: []report.References{p.All(), r.References}})
		}
	}
	c.lineage.Count(r.Measures, looks)
}

// Fields returns the views of the viewed fields, in the form of
// readiness.Options.Usage; empty when no field was viewed.
func (c Count) Fields() map[string]map[string]int64 { return c.lineage.Views() }
