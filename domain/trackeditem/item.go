// Package trackeditem holds how an item becomes a tracked item, and its later states
// (docs/specification.md 2.6 and 3.4; docs/decisions.md 5 and 9). Package room counts the
// tracked items of an account.
//
// A call that may claim an item reserves room for it when it is accepted. The outcome
// of the call either makes the item a tracked item or releases the room. Several
// operations may reserve the same item; together they take the room of one.
package trackeditem

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Status is the state of a tracked item. Items in every status count.
type Status string

// The statuses.
const (
	// StatusTracked means that the item is tracked today. No other status is active (docs/decisions.md
	// 8.9).
	StatusTracked Status = "Tracked"
	// StatusRemoved means that the report's Pixies were removed.
	StatusRemoved Status = "Removed"
	// StatusDeleted means that the platform no longer has the item.
	StatusDeleted Status = "Deleted"
	// StatusResultsDeleted means that the results of the model or agent were deleted.
	StatusResultsDeleted Status = "ResultsDeleted"
)

// Via says what claimed a model or agent; empty for a report.
type Via string

// The values of Via.
const (
	ViaReadiness       Via = "readiness"
	ViaAssessment      Via = "assessment"
	ViaAgentAssessment Via = "agent_assessment"
	ViaBenchmark       Via = "benchmark"
)

// Item is a tracked item of an account. An item that is zero or only reserved was never tracked.
type Item struct {
	ItemID        uuid.UUID `json:"itemId"`
	ItemType      item.Type `json:"itemType"`
	WorkspaceID   uuid.UUID `json:"workspaceId"`
	WorkspaceName string    `json:"workspaceName"`
	// DisplayName is the item's name on the platform.
	DisplayName string `json:"displayName"`
	// Status is the item's state; absent until it is a tracked item.
	Status Status `json:"status,omitempty"`
	// TrackedSince is when the item was claimed, to the microsecond. It never
	// changes.
	TrackedSince time.Time `json:"trackedSinceUtc,omitzero"`
	// DeletedAt is when the platform was found to no longer have the item; nil unless
	// Status is Deleted.
	DeletedAt *time.Time `json:"deletedAtUtc,omitempty"`
	// LicenseID is the license the item counts against, or is reserved under;
	// empty in an account without licenses.
	LicenseID string `json:"licenseId,omitempty"`
	// ClaimedVia is what claimed a model or a data agent; absent for a report.
	ClaimedVia Via `json:"claimedVia,omitempty"`
	// ClaimedBy is the operation that claimed the item; zero for claims made before
	// reservations existed.
	ClaimedBy uuid.UUID `json:"claimedBy,omitzero"`
	// ReservedBy are the operations that hold room for the item, in the order of their
	// reservations; empty once the item is tracked.
	ReservedBy []uuid.UUID `json:"reservedBy,omitempty"`
}

// Counts reports whether the item counts as one of the account's tracked items. It does
// from its claim on, whatever its status.
func (i Item) Counts() bool { return i.Status != "" }

// Stream returns the name of a tracked item's stream.
func Stream(accountID string, itemID uuid.UUID) string {
	return "trackeditem-" + accountID + "-" + itemID.String()
}

// Reserved records that an operation holds room for the item.
type Reserved struct{ Item }

// Released records that the last operation which held room for the item ended without
// claiming it.
type Released struct{ Item }

// Joined records that one more operation holds room for the item, and Left that one of several ended without
// claiming it. They do not carry the item, whose list of operations grows with what is running.
type (
	Joined struct {
		ItemID      uuid.UUID `json:"itemId"`
		OperationID uuid.UUID `json:"operationId"`
	}
	Left struct {
		ItemID      uuid.UUID `json:"itemId"`
		OperationID uuid.UUID `json:"operationId"`
	}
)

// Claimed records that the item became a tracked item of the account.
type Claimed struct{ Item }

// Removed records that the report's Pixies were removed.
type Removed struct{ Item }

// AddedAgain records that the report got Pixies again.
type AddedAgain struct{ Item }

// Deleted records that the platform no longer has the item.
type Deleted struct{ Item }

// ResultsDeleted records that the results of the model or agent were deleted.
type ResultsDeleted struct{ Item }

// TrackedAgain records new work on a model or agent whose results were deleted or which
// the platform had not listed.
type TrackedAgain struct{ Item }

// Renamed records that the item or its workspace has a new name on the platform.
type Renamed struct{ Item }

func (Reserved) EventType() string       { return "trackeditem.reserved" }
func (Released) EventType() string       { return "trackeditem.released" }
func (Joined) EventType() string         { return "trackeditem.joined" }
func (Left) EventType() string           { return "trackeditem.left" }
func (Claimed) EventType() string        { return "trackeditem.claimed" }
func (Removed) EventType() string        { return "trackeditem.removed" }
func (AddedAgain) EventType() string     { return "trackeditem.added-again" }
func (Deleted) EventType() string        { return "trackeditem.deleted" }
func (ResultsDeleted) EventType() string { return "trackeditem.results-deleted" }
func (TrackedAgain) EventType() string   { return "trackeditem.tracked-again" }
func (Renamed) EventType() string        { return "trackeditem.renamed" }

// After makes each event that embeds the item carry it.
func (i Item) After() Item { return i }

// Evolve returns the item after an event of its stream.
func Evolve(i Item, e domain.Event) Item {
	switch e := e.(type) {
	case Joined:
		i.ReservedBy = append(slices.Clone(i.ReservedBy), e.OperationID)
	case Left:
		i.ReservedBy = i.without(e.OperationID)
	default:
		i, _ = domain.After[Item](e)
	}
	return i
}
