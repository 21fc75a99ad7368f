package pixies

import (
	"time"

	"github.com/google/uuid"
)

// Seen: pages of a report were looked at so often on one day (UTC). It says
// nothing of who did.
type Seen struct {
	ReportID uuid.UUID      `json:"reportId"`
	Day      string         `json:"day"` // 2026-11-21
	Views    map[string]int `json:"views"`
}

// EventType implements domain.Event.
func (Seen) EventType() string { return "pixies.seen" }

// SeenStream is the stream of a report's views, cut by month so that none grows
// for ever.
func SeenStream(accountID string, reportID uuid.UUID, day time.Time) string {
	return "pixieviews-" + accountID + "-" + reportID.String() + "-" + day.UTC().Format("2006-01")
}
