// Package pixies holds how Pixies come into reports and go from them again: what
// a report's status is, who works on it, how a run over one report or many goes
// (spec 2.10, 3.3, 4.7). What a Pixie is made of, definition/pixie says.
package pixies

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Status of a report (spec 3.3).
type Status string

// The statuses. NeverAdded is that of the zero Report.
const (
	NeverAdded    Status = "NeverAdded"
	HasPixies     Status = "HasPixies"
	PixiesRemoved Status = "PixiesRemoved"
	ReportDeleted Status = "ReportDeleted"
)

// Placed is a Pixie: the page it is on, and the id that its address ends in.
type Placed struct {
	Page string `json:"page"`
	ID   string `json:"id"`
}

// Report is what the account knows of a report. Every event of its stream carries
// the report after it, so the last one alone is the state.
type Report struct {
	ReportID    uuid.UUID `json:"reportId"`
	WorkspaceID uuid.UUID `json:"workspaceId"`
	ReportName  string    `json:"reportName"`
	// ModelID is the semantic model that the report is built on; nil when it
	// cannot be told.
	ModelID *uuid.UUID `json:"semanticModelId,omitempty"`
	Status  Status     `json:"status"`
	// Pages and Visuals are as counted when Pixies were last added; nil in a
	// report without any.
	Pages   *int     `json:"pages,omitempty"`
	Visuals *int     `json:"visuals,omitempty"`
	Placed  []Placed `json:"placed,omitempty"`
	// ChangedAt is when Pixies were last added or removed, or the report deleted.
	ChangedAt *time.Time `json:"changedAtUtc,omitempty"`
	// Holder is the operation that works on the report now; LastOperation the
	// newest that did.
	Holder        *uuid.UUID `json:"holder,omitempty"`
	LastOperation *uuid.UUID `json:"lastOperation,omitempty"`
}

// Known returns the ids of the Pixies that are placed, by page.
func (r Report) Known() map[string]string {
	known := make(map[string]string, len(r.Placed))
	for _, p := range r.Placed {
		known[p.Page] = p.ID
	}
	return known
}

// Stream is the name of a report's stream in an account.
func Stream(accountID string, reportID uuid.UUID) string {
	return "pixies-" + accountID + "-" + reportID.String()
}

// Held: an operation works on the report.
type Held struct{ Report }

// Added: Pixies were added, or those present updated.
type Added struct{ Report }

// Removed: Pixies were removed, or there were none.
type Removed struct{ Report }

// LeftAsItWas: an operation ended without changing the report.
type LeftAsItWas struct{ Report }

// Gone: the platform no longer has the report.
type Gone struct{ Report }

// EventType implements domain.Event.
func (Held) EventType() string        { return "pixies.held" }
func (Added) EventType() string       { return "pixies.added" }
func (Removed) EventType() string     { return "pixies.removed" }
func (LeftAsItWas) EventType() string { return "pixies.left-as-it-was" }
func (Gone) EventType() string        { return "pixies.report-deleted" }

// After implements domain.Carries.
func (e Held) After() Report { return e.Report }

// After implements domain.Carries.
func (e Added) After() Report { return e.Report }

// After implements domain.Carries.
func (e Removed) After() Report { return e.Report }

// After implements domain.Carries.
func (e LeftAsItWas) After() Report { return e.Report }

// After implements domain.Carries.
func (e Gone) After() Report { return e.Report }

// Hold takes a report for an operation, or refuses with OperationInProgress
// naming the one that holds it (spec 4.7, add rule 5).
type Hold struct {
	OperationID uuid.UUID
	ReportID    uuid.UUID
	WorkspaceID uuid.UUID
	ReportName  string
}

// Decide implements domain.Command.
func (c Hold) Decide(r Report) ([]domain.Event, error) {
	if r.Holder != nil {
		return nil, domain.Refuse(domain.OperationInProgress, "report %s is being worked on by operation %s; wait until that has ended", c.ReportID, *r.Holder).
			About("operationId", *r.Holder).About("reportId", c.ReportID).After(2 * time.Second)
	}
	if r.Status == "" {
		r.Status = NeverAdded
	}
	r.ReportID, r.WorkspaceID, r.ReportName = c.ReportID, c.WorkspaceID, c.ReportName
	r.Holder, r.LastOperation = &c.OperationID, &c.OperationID
	return []domain.Event{Held{r}}, nil
}

// Add says that Pixies are in the report.
type Add struct {
	OperationID    uuid.UUID
	ModelID        *uuid.UUID
	Pages, Visuals int
	Placed         []Placed
	At             time.Time
}

// Decide implements domain.Command.
func (c Add) Decide(r Report) ([]domain.Event, error) {
	if !r.heldBy(c.OperationID) {
		return nil, nil
	}
	r = r.changed(c.At)
	r.Status, r.ModelID, r.Pages, r.Visuals, r.Placed, r.Holder = HasPixies, c.ModelID, &c.Pages, &c.Visuals, c.Placed, nil
	return []domain.Event{Added{r}}, nil
}

// Remove says that no Pixies are in the report any more. A report that had none
// keeps its status (decisions 8.7); one that was taken for deleted is there.
type Remove struct {
	OperationID uuid.UUID
	At          time.Time
}

// Decide implements domain.Command.
func (c Remove) Decide(r Report) ([]domain.Event, error) {
	if !r.heldBy(c.OperationID) {
		return nil, nil
	}
	if r.Status == HasPixies || r.Status == ReportDeleted {
		r = r.changed(c.At)
		r.Status = PixiesRemoved
	}
	r.Pages, r.Visuals, r.Placed, r.Holder = nil, nil, nil, nil
	return []domain.Event{Removed{r}}, nil
}

// Release lets a report go that an operation could not change.
type Release struct{ OperationID uuid.UUID }

// Decide implements domain.Command.
func (c Release) Decide(r Report) ([]domain.Event, error) {
	if !r.heldBy(c.OperationID) {
		return nil, nil
	}
	r.Holder = nil
	return []domain.Event{LeftAsItWas{r}}, nil
}

// MarkDeleted says that the complete listing of the workspace, which the person
// could see, lacks the report (decisions 8.8). One without Pixies keeps its
// status, and one that an operation works on is held until that ends.
type MarkDeleted struct {
	WorkspaceID uuid.UUID
	At          time.Time
}

// Decide implements domain.Command.
func (c MarkDeleted) Decide(r Report) ([]domain.Event, error) {
	if r.WorkspaceID != c.WorkspaceID || r.Status != HasPixies {
		return nil, nil
	}
	r = r.changed(c.At)
	r.Status, r.Pages, r.Visuals = ReportDeleted, nil, nil
	return []domain.Event{Gone{r}}, nil
}

func (r Report) heldBy(operationID uuid.UUID) bool {
	return r.Holder != nil && *r.Holder == operationID
}

func (r Report) changed(at time.Time) Report {
	at = at.UTC().Truncate(time.Microsecond)
	r.ChangedAt = &at
	return r
}
