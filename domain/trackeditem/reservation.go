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

// Reserve has the operation hold room for an item that is not a tracked item.
// Whether there is room for another is decided by HoldRoom. Who comes after the
// first shares its room, under its license.
type Reserve struct {
	OperationID   uuid.UUID
	ItemID        uuid.UUID
	ItemType      item.Type
	WorkspaceID   uuid.UUID
	WorkspaceName string
	DisplayName   string
	LicenseID     string
}

// Decide implements domain.Command.
func (c Reserve) Decide(i Item) ([]domain.Event, error) {
	if i.Counts() || i.Holds(c.OperationID) {
		return nil, nil
	}
	if len(i.ReservedBy) == 0 {
		i.LicenseID = c.LicenseID
	}
	i.ItemID, i.ItemType = c.ItemID, c.ItemType
	i.WorkspaceID, i.WorkspaceName, i.DisplayName = c.WorkspaceID, c.WorkspaceName, c.DisplayName
	i.ReservedBy = append(slices.Clone(i.ReservedBy), c.OperationID)
	return []domain.Event{Reserved{i}}, nil
}

// Claim makes an item that the operation holds room for a tracked item, under the
// license that the room is held under. Who else holds room for it holds none any
// more.
type Claim struct {
	OperationID uuid.UUID
	Via         Via // "" for a report
	At          time.Time
}

// Decide implements domain.Command.
func (c Claim) Decide(i Item) ([]domain.Event, error) {
	if !i.Holds(c.OperationID) {
		return nil, nil
	}
	i.Status, i.ClaimedVia, i.ClaimedBy, i.ReservedBy = Tracked, c.Via, c.OperationID, nil
	i.TrackedSince = c.At.UTC().Truncate(time.Microsecond)
	return []domain.Event{Claimed{i}}, nil
}

// GiveBack says that the operation, which has ended, holds no room for the item.
type GiveBack struct{ OperationID uuid.UUID }

// Decide implements domain.Command.
func (c GiveBack) Decide(i Item) ([]domain.Event, error) {
	if !i.Holds(c.OperationID) {
		return nil, nil
	}
	i.ReservedBy = slices.DeleteFunc(slices.Clone(i.ReservedBy), func(id uuid.UUID) bool { return id == c.OperationID })
	if len(i.ReservedBy) == 0 {
		i.ReservedBy = nil
	}
	return []domain.Event{GivenBack{i}}, nil
}
