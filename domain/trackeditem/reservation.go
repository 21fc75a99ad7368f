package trackeditem

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Holds reports whether the operation holds room for the item.
func (i Item) Holds(operationID uuid.UUID) bool { return slices.Contains(i.ReservedBy, operationID) }

// Reserve makes the operation hold room for an item that is not tracked. ReserveRoom
// decides whether there is room. Later operations share the room of the first, under
// its license.
type Reserve struct {
	OperationID   uuid.UUID
	ItemID        uuid.UUID
	ItemType      item.Type
	WorkspaceID   uuid.UUID
	WorkspaceName string
	DisplayName   string
	LicenseID     string
}

func (c Reserve) Decide(i Item) ([]domain.Event, error) {
	if i.Counts() || i.Holds(c.OperationID) {
		return nil, nil
	}
	if len(i.ReservedBy) > 0 {
		return []domain.Event{Joined{c.ItemID, c.OperationID}}, nil
	}
	i.LicenseID = c.LicenseID
	i.ItemID, i.ItemType = c.ItemID, c.ItemType
	i.WorkspaceID, i.WorkspaceName, i.DisplayName = c.WorkspaceID, c.WorkspaceName, c.DisplayName
	i.ReservedBy = []uuid.UUID{c.OperationID}
	return []domain.Event{Reserved{i}}, nil
}

// Claim makes an item tracked that the operation holds room for, under the license of
// that room. Other operations no longer hold room for the item.
type Claim struct {
	OperationID uuid.UUID
	Via         Via // "" for a report
	At          time.Time
}

func (c Claim) Decide(i Item) ([]domain.Event, error) {
	if !i.Holds(c.OperationID) {
		return nil, nil
	}
	i.Status, i.ClaimedVia, i.ClaimedBy, i.ReservedBy = StatusTracked, c.Via, c.OperationID, nil
	i.TrackedSince = c.At.UTC().Truncate(time.Microsecond)
	return []domain.Event{Claimed{i}}, nil
}

// Release ends the operation's reservation of the item.
type Release struct{ OperationID uuid.UUID }

func (c Release) Decide(i Item) ([]domain.Event, error) {
	if !i.Holds(c.OperationID) {
		return nil, nil
	}
	if len(i.ReservedBy) > 1 {
		return []domain.Event{Left{i.ItemID, c.OperationID}}, nil
	}
	i.ReservedBy = nil
	return []domain.Event{Released{i}}, nil
}

// without returns the operations that hold room without one of them.
func (i Item) without(operationID uuid.UUID) []uuid.UUID {
	return slices.DeleteFunc(slices.Clone(i.ReservedBy), func(id uuid.UUID) bool { return id == operationID })
}
