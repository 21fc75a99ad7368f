// Package trackeditem holds what a tracked item is, how it becomes one and what
// becomes of it, and how the account's tracked items are counted against its
// plan and licenses (spec 2.6, 3.4; decisions 5, 9.6). The count never goes down.
//
// A call that may claim an item reserves it when it is accepted: there is room
// for one more. What the call comes to makes the item a tracked item, or gives
// the room back. Several operations may hold one item; it takes the room of one.
package trackeditem

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
)

// Status is what became of a tracked item (spec 3.4). Every status counts.
type Status string

// The statuses.
const (
	// Tracked: tracked today; the only status that is active (decisions 8.9).
	Tracked Status = "Tracked"
	// Removed: a report whose Pixies were removed.
	Removed Status = "Removed"
	// Deleted: the platform no longer has the item.
	Deleted Status = "Deleted"
	// ResultsDeleted: a model or agent whose results were deleted.
	ResultsDeleted Status = "ResultsDeleted"
)

// Via says what claimed a model or agent (spec 2.6, claimedVia); empty for a
// report.
type Via string

// The values of Via.
const (
	ViaReadiness       Via = "readiness"
	ViaAssessment      Via = "assessment"
	ViaAgentAssessment Via = "agent_assessment"
	ViaBenchmark       Via = "benchmark"
)

// Item is a tracked item of an account. Every event of its stream carries the
// item after it, so the last one alone is the state however long the stream
// grows. The zero Item was never tracked, nor is one that is only reserved.
type Item struct {
	ItemID        uuid.UUID `json:"itemId"`
	ItemType      item.Type `json:"itemType"`
	WorkspaceID   uuid.UUID `json:"workspaceId"`
	WorkspaceName string    `json:"workspaceName"`
	DisplayName   string    `json:"displayName"`
	Status        Status    `json:"status,omitempty"`
	// TrackedSince is when the item was claimed, to the microsecond. It never
	// changes.
	TrackedSince time.Time `json:"trackedSinceUtc,omitzero"`
	// DeletedAt is when the platform was found not to have the item any more;
	// nil unless it is Deleted.
	DeletedAt *time.Time `json:"deletedAtUtc,omitempty"`
	// LicenseID is the license the item counts against, or is reserved under;
	// empty in an account without licenses.
	LicenseID  string `json:"licenseId,omitempty"`
	ClaimedVia Via    `json:"claimedVia,omitempty"`
	// ClaimedBy is the operation that claimed it; zero for claims of before
	// items were reserved.
	ClaimedBy uuid.UUID `json:"claimedBy,omitzero"`
	// ReservedBy are the operations that hold room for the item, in the order in
	// which they came; none once it counts.
	ReservedBy []uuid.UUID `json:"reservedBy,omitempty"`
}

// Counts reports whether the item is a unit of the account's count: it is from
// its claim on, whatever becomes of it.
func (i Item) Counts() bool { return i.Status != "" }

// Stream is the name of a tracked item's stream.
func Stream(accountID string, itemID uuid.UUID) string {
	return "trackeditem-" + accountID + "-" + itemID.String()
}

// Reserved: an operation holds room for the item.
type Reserved struct{ Item }

// GivenBack: an operation ended that held room for the item and did not claim it.
type GivenBack struct{ Item }

// Claimed: the item became a tracked item of the account.
type Claimed struct{ Item }

// PixiesRemoved: the report's Pixies were removed.
type PixiesRemoved struct{ Item }

// AddedAgain: the report got Pixies again.
type AddedAgain struct{ Item }

// Gone: the platform no longer has the item.
type Gone struct{ Item }

// ResultsGone: the results of the model or agent were deleted.
type ResultsGone struct{ Item }

// TrackedAgain: the model or agent is worked on again after its results were
// deleted, or after the platform had not shown it.
type TrackedAgain struct{ Item }

// Renamed: the platform shows the item, or its workspace, under another name.
type Renamed struct{ Item }

// EventType implements domain.Event.
func (Reserved) EventType() string      { return "trackeditem.reserved" }
func (GivenBack) EventType() string     { return "trackeditem.given-back" }
func (Claimed) EventType() string       { return "trackeditem.claimed" }
func (PixiesRemoved) EventType() string { return "trackeditem.removed" }
func (AddedAgain) EventType() string    { return "trackeditem.added-again" }
func (Gone) EventType() string          { return "trackeditem.deleted" }
func (ResultsGone) EventType() string   { return "trackeditem.results-deleted" }
func (TrackedAgain) EventType() string  { return "trackeditem.tracked-again" }
func (Renamed) EventType() string       { return "trackeditem.renamed" }

// After implements domain.Carries.
func (e Reserved) After() Item { return e.Item }

// After implements domain.Carries.
func (e GivenBack) After() Item { return e.Item }

// After implements domain.Carries.
func (e Claimed) After() Item { return e.Item }

// After implements domain.Carries.
func (e PixiesRemoved) After() Item { return e.Item }

// After implements domain.Carries.
func (e AddedAgain) After() Item { return e.Item }

// After implements domain.Carries.
func (e Gone) After() Item { return e.Item }

// After implements domain.Carries.
func (e ResultsGone) After() Item { return e.Item }

// After implements domain.Carries.
func (e TrackedAgain) After() Item { return e.Item }

// After implements domain.Carries.
func (e Renamed) After() Item { return e.Item }
