// Package pixies holds how Pixies are added to reports and removed again: a report's
// status, which operation works on it, and how a run over one or many reports goes
// (docs/specification.md 2.10, 3.3 and 4.7). Package definition/pixie holds what a
// Pixie consists of.
package pixies

import (
	"cmp"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Status is the Pixies status of a report.
type Status string

// The statuses. NeverAdded is the status of a report whose stream has none.
const (
	StatusNeverAdded    Status = "NeverAdded"
	StatusHasPixies     Status = "HasPixies"
	StatusPixiesRemoved Status = "PixiesRemoved"
	StatusReportDeleted Status = "ReportDeleted"
)

// Placed is a Pixie in a report: its page, and the id that its address ends in.
type Placed struct {
	// Page is the name of the page.
	Page string `json:"page"`
	// ID is the id by which the Pixie of the page counts.
	ID string `json:"id"`
}

// Report is the state of a report in an account. Every event of its stream carries the
// report after it, so the last event alone is the state.
type Report struct {
	ReportID    uuid.UUID `json:"reportId"`
	WorkspaceID uuid.UUID `json:"workspaceId"`
	ReportName  string    `json:"reportName"`
	// ModelID is the semantic model that the report is built on; nil when unknown.
	ModelID *uuid.UUID `json:"semanticModelId,omitempty"`
	// Status is the report's Pixies status.
	Status Status `json:"status"`
	// Pages and Visuals are the counts when Pixies were last added or updated; nil in a report
	// without any.
	Pages   *int `json:"pages,omitempty"`
	Visuals *int `json:"visuals,omitempty"`
	// Placed are the report's Pixies.
	Placed []Placed `json:"placed,omitempty"`
	// ChangedAt is when Pixies were last added, updated or removed, or the report deleted.
	ChangedAt *time.Time `json:"changedAtUtc,omitempty"`
	// Holder is the operation that works on the report now; LastOperation is the newest
	// that did.
	Holder        *uuid.UUID `json:"holder,omitempty"`
	LastOperation *uuid.UUID `json:"lastOperation,omitempty"`
}

// Known returns the ids of the report's Pixies, by page.
func (r Report) Known() map[string]string {
	known := make(map[string]string, len(r.Placed))
	for _, p := range r.Placed {
		known[p.Page] = p.ID
	}
	return known
}

// Stream returns the name of a report's stream in an account.
func Stream(accountID string, reportID uuid.UUID) string {
	return "pixies-" + accountID + "-" + reportID.String()
}

// Locked records that an operation works on the report.
type Locked struct{ Report }

// Added records that Pixies were added, or the existing ones updated.
type Added struct{ Report }

// Removed records that the report's Pixies were removed, or that it had none.
type Removed struct{ Report }

// Unchanged records that an operation ended without changing the report.
type Unchanged struct{ Report }

// ReportDeleted records that the platform no longer has the report.
type ReportDeleted struct{ Report }

func (Locked) EventType() string        { return "pixies.locked" }
func (Added) EventType() string         { return "pixies.added" }
func (Removed) EventType() string       { return "pixies.removed" }
func (Unchanged) EventType() string     { return "pixies.unchanged" }
func (ReportDeleted) EventType() string { return "pixies.report-deleted" }

// After makes each event that embeds the report carry it.
func (r Report) After() Report { return r }

// Hold locks a report for an operation. It refuses with OperationInProgress, naming the
// operation that holds the report (4.7/add/5).
type Hold struct {
	OperationID uuid.UUID
	ReportID    uuid.UUID
	WorkspaceID uuid.UUID
	ReportName  string
}

func (c Hold) Decide(r Report) ([]domain.Event, error) {
	if r.Holder != nil {
		return nil, domain.Refuse(domain.OperationInProgress, "report %s is being worked on by operation %s; wait until that has ended",
			c.ReportID, *r.Holder).
			About("operationId", *r.Holder).About("reportId", c.ReportID).After(2 * time.Second)
	}
	r.Status = cmp.Or(r.Status, StatusNeverAdded)
	r.ReportID, r.WorkspaceID, r.ReportName = c.ReportID, c.WorkspaceID, c.ReportName
	r.Holder, r.LastOperation = &c.OperationID, &c.OperationID
	return []domain.Event{Locked{r}}, nil
}

// Add records that the report contains the Pixies and releases it.
type Add struct {
	OperationID    uuid.UUID
	ModelID        *uuid.UUID
	Pages, Visuals int
	Placed         []Placed
	At             time.Time
}

func (c Add) Decide(r Report) ([]domain.Event, error) {
	if !r.heldBy(c.OperationID) {
		return nil, nil
	}
	r = r.changed(c.At)
	r.Status, r.ModelID, r.Pages, r.Visuals, r.Placed, r.Holder = StatusHasPixies, c.ModelID, &c.Pages, &c.Visuals, c.Placed, nil
	return []domain.Event{Added{r}}, nil
}

// Remove records that the report contains no Pixies and releases it. A report that had
// none keeps its status (docs/decisions.md 8.7). A report that was marked deleted
// becomes PixiesRemoved, because it evidently exists.
type Remove struct {
	OperationID uuid.UUID
	At          time.Time
}

func (c Remove) Decide(r Report) ([]domain.Event, error) {
	if !r.heldBy(c.OperationID) {
		return nil, nil
	}
	if r.Status == StatusHasPixies || r.Status == StatusReportDeleted {
		r = r.changed(c.At)
		r.Status = StatusPixiesRemoved
	}
	r.Pages, r.Visuals, r.Placed, r.Holder = nil, nil, nil, nil
	return []domain.Event{Removed{r}}, nil
}

// Release releases a report that the operation did not change.
type Release struct{ OperationID uuid.UUID }

func (c Release) Decide(r Report) ([]domain.Event, error) {
	if !r.heldBy(c.OperationID) {
		return nil, nil
	}
	r.Holder = nil
	return []domain.Event{Unchanged{r}}, nil
}

// MarkDeleted records that the report is missing from the complete listing of a
// workspace that the person can see (docs/decisions.md 8.8). It changes only reports
// with Pixies. An operation that works on the report keeps holding it.
type MarkDeleted struct {
	WorkspaceID uuid.UUID
	At          time.Time
}

func (c MarkDeleted) Decide(r Report) ([]domain.Event, error) {
	if r.WorkspaceID != c.WorkspaceID || r.Status != StatusHasPixies {
		return nil, nil
	}
	r = r.changed(c.At)
	r.Status, r.Pages, r.Visuals = StatusReportDeleted, nil, nil
	return []domain.Event{ReportDeleted{r}}, nil
}

func (r Report) heldBy(operationID uuid.UUID) bool {
	return r.Holder != nil && *r.Holder == operationID
}

func (r Report) changed(at time.Time) Report {
	at = at.UTC().Truncate(time.Microsecond)
	r.ChangedAt = &at
	return r
}
