package optimization

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/operation"
)

// RevertApply puts back what an apply of the account and the model wrote.
type RevertApply struct {
	ApplyID   uuid.UUID
	AccountID string
	ModelID   uuid.UUID
	Now       time.Time
}

// Check refuses an apply that can never be reverted. That the apply has not ended, or
// that a later apply builds on it, is decided together with the model's lock.
func (c RevertApply) Check(apply Work) error {
	if _, err := c.Writes(apply, nil); !domain.IsRefused(err, domain.OperationInProgress) {
		return err
	}
	return nil
}

// Writes returns the writes of the revert. They restore, in the same order, the
// previous value of every object that is still as the apply wrote it according to the
// log. later are the standing applies after it. Writes refuses when the apply is not a
// revertable apply of the model, was reverted already, wrote nothing, or when one of
// later wrote the same object.
func (c RevertApply) Writes(apply Work, later []Work) ([]Write, error) {
	id := apply.Operation.ID
	if apply.Operation.Account != c.AccountID || !apply.IsApply() {
		return nil, NotAnApply(c.ApplyID, c.ModelID)
	}
	if err := revertable(apply.Operation, apply.AppliedAt(), c.ModelID, c.Now); err != nil {
		return nil, err
	}
	left := apply.left()
	switch {
	case apply.RevertedBy != nil:
		return nil, domain.Refuse(domain.InvalidRequest, "apply %s was already reverted, by operation %s", id,
			*apply.RevertedBy).About("operationId", id)
	case len(left) == 0:
		return nil, domain.Refuse(domain.InvalidRequest, "apply %s wrote nothing, so there is nothing to put back", id).About("operationId",
			id)
	}
	ours := make(map[rewrite.Target]Object, len(left))
	for _, o := range left {
		ours[o.Target()] = o.Object
	}
	for _, l := range later {
		for _, o := range l.left() {
			if mine, both := ours[o.Target()]; both {
				return nil, domain.Refuse(domain.ItemChanged, "apply %s wrote %s after this one and still stands; revert that first",
					l.Operation.ID, mine.named()).
					About("operationId", l.Operation.ID).About("key", mine.Key)
			}
		}
	}
	return reversed(apply.Kind, left), nil
}

// revertable refuses an operation that is not an ended apply of the model, or has
// expired.
func revertable(o operation.Operation, appliedAt time.Time, modelID uuid.UUID, now time.Time) error {
	switch {
	case o.Resource.ItemID == nil || *o.Resource.ItemID != modelID:
		return NotAnApply(o.ID, modelID)
	case !o.Status.Ended():
		return domain.Refuse(domain.OperationInProgress, "apply %s has not ended; revert it when it has", o.ID).About("operationId",
			o.ID).After(2 * time.Second)
	case !appliedAt.IsZero() && now.Sub(appliedAt) > RecordLife:
		return domain.Refuse(domain.OperationExpired, "apply %s is older than 30 days, and what it wrote is no longer kept",
			o.ID).About("operationId", o.ID)
	}
	return nil
}

// NotAnApply returns the refusal of an id that no apply of the model has.
func NotAnApply(id any, modelID uuid.UUID) error {
	text := domain.Excerpt(fmt.Sprint(id))
	return domain.Refuse(domain.OperationNotFound, "operation %s is not an apply of semantic model %s by this account", text,
		modelID).About("operationId", text)
}

func reversed(k Kind, left []undoable) []Write {
	var writes []Write
	for _, t := range k.Types() {
		w := Write{Type: t}
		for _, o := range left {
			if o.Type == t {
				back := o.Object
				back.Previous, back.Written = o.Written, o.Previous
				w.Objects = append(w.Objects, back)
			}
		}
		if len(w.Objects) > 0 {
			writes = append(writes, w)
		}
	}
	return writes
}

// Undoing returns, for each of the objects, what restores its bytes from before the
// apply.
func (w Work) Undoing(objects []Object) []rewrite.Undo {
	undo := map[rewrite.Target]rewrite.Undo{}
	for _, o := range w.written() {
		undo[o.Target()] = o.undo
	}
	all := make([]rewrite.Undo, 0, len(objects))
	for _, o := range objects {
		if u, ok := undo[o.Target()]; ok {
			all = append(all, u)
		}
	}
	return all
}

// PutObjectsBack records on the apply's stream which objects its ended revert restored.
type PutObjectsBack struct{ Revert Work }

func (c PutObjectsBack) Decide(apply Work) ([]domain.Event, error) {
	var keys []string
	back := map[string]bool{}
	for _, o := range c.Revert.Applied() {
		if !apply.Restored[o.Key] {
			keys, back[o.Key] = append(keys, o.Key), true
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	complete := true
	for _, o := range apply.left() {
		complete = complete && back[o.Key]
	}
	return Restored{c.Revert.Operation.ID, keys, complete}.events(), nil
}
