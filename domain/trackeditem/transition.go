package trackeditem

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// TrackAgain records work on a tracked item, with the names that the platform shows
// now. An item in another status becomes Tracked again.
type TrackAgain struct {
	WorkspaceID   uuid.UUID
	WorkspaceName string
	DisplayName   string
}

func (c TrackAgain) Decide(i Item) ([]domain.Event, error) {
	if !i.Counts() {
		return nil, nil
	}
	named := i.WorkspaceID == c.WorkspaceID && i.WorkspaceName == c.WorkspaceName && i.DisplayName == c.DisplayName
	i.WorkspaceID, i.WorkspaceName, i.DisplayName = c.WorkspaceID, c.WorkspaceName, c.DisplayName
	switch {
	case i.Status != StatusTracked && i.ItemType == item.Report:
		i.Status, i.DeletedAt = StatusTracked, nil
		return []domain.Event{AddedAgain{i}}, nil
	case i.Status != StatusTracked:
		i.Status, i.DeletedAt = StatusTracked, nil
		return []domain.Event{TrackedAgain{i}}, nil
	case !named:
		return []domain.Event{Renamed{i}}, nil
	}
	return nil, nil
}

// RemovePixies records that a report's Pixies were removed. The item stays counted. An
// item that was marked Deleted becomes Removed, because it evidently exists.
type RemovePixies struct{}

func (RemovePixies) Decide(i Item) ([]domain.Event, error) {
	if i.Status != StatusTracked && i.Status != StatusDeleted || i.ItemType != item.Report {
		return nil, nil
	}
	i.Status, i.DeletedAt = StatusRemoved, nil
	return []domain.Event{Removed{i}}, nil
}

// DeleteResults records that the results of a model or agent were deleted.
type DeleteResults struct{}

func (DeleteResults) Decide(i Item) ([]domain.Event, error) {
	if i.Status != StatusTracked || i.ItemType == item.Report {
		return nil, nil
	}
	i.Status = StatusResultsDeleted
	return []domain.Event{ResultsDeleted{i}}, nil
}

// MarkDeleted records that the item is missing from the complete listing of a workspace
// that the person can see. It does nothing for an item that was last seen in another
// workspace.
type MarkDeleted struct {
	WorkspaceID uuid.UUID
	At          time.Time
}

func (c MarkDeleted) Decide(i Item) ([]domain.Event, error) {
	if i.WorkspaceID != c.WorkspaceID || i.Status != StatusTracked && i.Status != StatusRemoved {
		return nil, nil
	}
	at := c.At.UTC().Truncate(time.Microsecond)
	i.Status, i.DeletedAt = StatusDeleted, &at
	return []domain.Event{Deleted{i}}, nil
}

// Rename records the item's name on the platform.
type Rename struct{ DisplayName string }

func (c Rename) Decide(i Item) ([]domain.Event, error) {
	if !i.Counts() || i.DisplayName == c.DisplayName {
		return nil, nil
	}
	i.DisplayName = c.DisplayName
	return []domain.Event{Renamed{i}}, nil
}
