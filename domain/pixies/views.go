package pixies

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Viewed is how often a page of a report was viewed in an hour.
type Viewed struct {
	AccountID string
	ReportID  uuid.UUID
	Hour      time.Time // the start of the hour
	Page      string
	Views     int
}

// Seen records how often pages of a report were viewed in one hour (UTC), and nothing
// about who viewed them. A report has more than one such event for an hour only when
// views arrived after the first; they add up.
type Seen struct {
	ReportID uuid.UUID `json:"reportId"`
	Day      string    `json:"day"`            // 2026-11-21
	Hour     *int      `json:"hour,omitempty"` // 0 to 23; nil in events from when views were counted by the day
	// Views are the numbers of views, by page.
	Views map[string]int `json:"views"`
}

func (Seen) EventType() string { return "pixies.seen" }

// RecordHour records the views of one report in one hour. The caller must pass each
// view only once.
type RecordHour []Viewed

func (c RecordHour) Decide(struct{}) ([]domain.Event, error) {
	if len(c) == 0 {
		return nil, nil
	}
	at := c[0].Hour.UTC()
	hour := at.Hour()
	seen := Seen{ReportID: c[0].ReportID, Day: at.Format(time.DateOnly), Hour: &hour, Views: map[string]int{}}
	for _, v := range c {
		seen.Views[v.Page] += v.Views
	}
	return []domain.Event{seen}, nil
}

// settling is how long to wait after the end of an hour before recording it. Processes
// still hold views then, which would otherwise need a second event.
const settling = time.Minute

// RecordedUntil returns the start of the first hour that is not recorded yet at now.
func RecordedUntil(now time.Time) time.Time { return now.Add(-settling).UTC().Truncate(time.Hour) }

// SeenStream returns the name of the stream of a report's views. There is a stream per
// month, to keep streams short.
func SeenStream(accountID string, reportID uuid.UUID, at time.Time) string {
	return "pixieviews-" + accountID + "-" + reportID.String() + "-" + at.UTC().Format("2006-01")
}
