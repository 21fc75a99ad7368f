package assessment

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"readiness/definition/report"
	"readiness/definition/upgrade"
	"readiness/domain"
)

// LeavingQnA is what of a semantic model, and of the reports on it, leaves with Q&A.
type LeavingQnA struct {
	upgrade.Inventory
	// Reports are those of the model's workspace that need Q&A, those with most visuals first.
	Reports []QnAReport `json:"reports,omitempty"`
	// ReportsRead counts the reports on the model that were searched; absent if they were not looked for, or could not be listed.
	ReportsRead *int `json:"reportsRead,omitempty"`
	// ReportsUnread counts those that could not be read, or not in time; ReportsUnlisted says that the reports could not be listed.
	ReportsUnread   int  `json:"reportsUnread,omitempty"`
	ReportsUnlisted bool `json:"reportsUnlisted,omitempty"`
}

// QnAReport is a report that needs Q&A.
type QnAReport struct {
	// ReportID is the id of the report.
	ReportID uuid.UUID `json:"reportId"`
	// ReportName is its name.
	ReportName string `json:"reportName"`
	// Visuals counts its Q&A visuals, and Bookmarks the bookmarks that keep the state of one.
	Visuals   int `json:"visuals"`
	Bookmarks int `json:"bookmarks,omitempty"`
	// Pages are the names of the first pages with such a visual.
	Pages []string `json:"pages,omitempty"`
}

// How many pages of a report are named, how long a name may be, and how long a reason.
const (
	maxQnAPages  = 10
	maxQnAName   = 200
	maxQnAReason = 500
)

// TakeQnA returns what of a model leaves, as it was counted.
func TakeQnA(i upgrade.Inventory) LeavingQnA {
	i.Invalid = domain.Shortened(i.Invalid, maxQnAReason)
	return LeavingQnA{Inventory: i}
}

// Add adds a report that was searched.
func (l *LeavingQnA) Add(id uuid.UUID, name string, q report.QnA) {
	if q.Visuals == 0 && q.Bookmarks == 0 {
		return
	}
	r := QnAReport{ReportID: id, ReportName: name, Visuals: q.Visuals, Bookmarks: q.Bookmarks}
	for _, page := range q.Pages[:min(len(q.Pages), maxQnAPages)] {
		r.Pages = append(r.Pages, domain.Shortened(page, maxQnAName))
	}
	l.Reports = append(l.Reports, r)
	slices.SortStableFunc(l.Reports, func(a, b QnAReport) int { return cmp.Compare(b.Visuals, a.Visuals) })
}
