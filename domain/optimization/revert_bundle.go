package optimization

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
)

// RevertBundle puts back what a bundle apply wrote, one kind after the other, the last
// first. ApplyID is the text that the call gave, and Earlier the revert that began last,
// if there was one.
type RevertBundle struct {
	ApplyID   string
	AccountID string
	ModelID   uuid.UUID
	Earlier   Bundle
	Now       time.Time
}

// ID returns the id of the bundle apply.
func (c RevertBundle) ID() (uuid.UUID, error) {
	id, ok := domain.ParseID(c.ApplyID)
	if !ok {
		return id, c.none()
	}
	return id, nil
}

func (c RevertBundle) none() error {
	return domain.Refuse(domain.OperationNotFound, "operation %s is not a bundle apply of semantic model %s by this account",
		domain.ExcerptID(c.ApplyID), c.ModelID).About("operationId", domain.ExcerptID(c.ApplyID))
}

// CheckApply refuses what is not a bundle apply of the account and the model, and one
// that still runs or is being reverted, has nothing left to put back, or is older than
// RecordLife.
func (c RevertBundle) CheckApply(b Bundle) error {
	id, wrote := b.Operation.ID, 0
	for _, child := range b.Children {
		if child.Standing == ChildApplied || child.Standing == ChildReverted {
			wrote++
		}
	}
	reverting := b.CheckNoRevert(c.Earlier, c.Now)
	switch {
	case b.Operation.Account != c.AccountID || b.Operation.Type != operation.ApplyOptimizations ||
		*b.Operation.Resource.ItemID != c.ModelID:
		return c.none()
	case !b.Operation.Status.Ended():
		return domain.Refuse(domain.OperationInProgress, "bundle apply %s has not ended; revert it when it has", id).About("operationId",
			id).After(2 * time.Second)
	case reverting != nil:
		return reverting
	case wrote == 0:
		return domain.Refuse(domain.InvalidRequest, "bundle apply %s wrote nothing, so there is nothing to put back",
			id).About("operationId", id)
	case len(c.Children(b)) == 0:
		return domain.Refuse(domain.InvalidRequest, "bundle apply %s was already reverted", id).About("operationId", id)
	case c.Now.After(b.AcceptedAt.Add(RecordLife)):
		return domain.Refuse(domain.OperationExpired, "bundle apply %s is older than 30 days, and what it wrote is no longer kept",
			id).About("operationId", id)
	}
	return nil
}

// Children returns the kinds to put back, in the order of the reverts.
func (c RevertBundle) Children(applied Bundle) []Child {
	var children []Child
	for _, done := range slices.Backward(applied.Children) {
		if done.Standing == ChildApplied {
			children = append(children, Child{Kind: done.Kind, Reverts: done.OperationID, Standing: ChildNotStarted})
		}
	}
	return children
}

// CheckNoRevert refuses to revert a bundle apply, or one of its kinds, while a revert of it
// puts kinds back. earlier is the revert that began last, as it was read before. A later
// one has just begun.
func (b Bundle) CheckNoRevert(earlier Bundle, now time.Time) error {
	if b.Form == Previewing || b.UsedBy == nil {
		return nil
	}
	if earlier.Operation.ID == *b.UsedBy && (earlier.Operation.Status.Ended() || earlier.Lapsed(now)) {
		return nil
	}
	return domain.Refuse(domain.OperationInProgress, "bundle apply %s is being reverted by operation %s; wait until that has ended",
		b.Operation.ID, *b.UsedBy).About("operationId", *b.UsedBy).After(2 * time.Second)
}

// BeginRevert records that a revert of the bundle apply began. Earlier and Now are as in
// CheckNoRevert.
type BeginRevert struct {
	By      uuid.UUID
	Earlier Bundle
	Now     time.Time
}

func (c BeginRevert) Decide(b Bundle) ([]domain.Event, error) {
	if err := b.CheckNoRevert(c.Earlier, c.Now); err != nil {
		return nil, err
	}
	return []domain.Event{BundleUsed{By: c.By}}, nil
}
