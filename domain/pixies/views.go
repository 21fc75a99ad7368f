package pixies

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Viewed is how often a page of a report was looked at in an hour.
type Viewed struct {
	AccountID string
	ReportID  uuid.UUID
	Hour      time.Time // when it began
	Page      string
	Views     int
}

// Seen: pages of a report were looked at so often in one hour (UTC). It says
// nothing of who did. A report has more than one such event of an hour only when
// views came after the first; they add up.
type Seen struct {
	ReportID uuid.UUID      `json:"reportId"`
	Day      string         `json:"day"`            // 2026-11-21
	Hour     *int           `json:"hour,omitempty"` // 0 to 23; none in events from before views were added up by the hour
	Views    map[string]int `json:"views"`
}

// EventType implements domain.Event.
func (Seen) EventType() string { return "pixies.seen" }

// RecordHour records the views of one report in one hour. Whether they have been
// recorded before, whoever hands them over makes sure.
type RecordHour []Viewed

// Decide implements domain.Command.
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

// settling is for how long an hour is waited for after its end: views that
// processes still hold then cost no second event.
const settling = time.Minute

// RecordedUntil is the hour before which hours are recorded.
func RecordedUntil(now time.Time) time.Time { return now.Add(-settling).UTC().Truncate(time.Hour) }

// SeenStream is the stream of a report's views, cut by month so that none grows
// for ever.
func SeenStream(accountID string, reportID uuid.UUID, at time.Time) string {
	return "pixieviews-" + accountID + "-" + reportID.String() + "-" + at.UTC().Format("2006-01")
}
