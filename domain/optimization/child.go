package optimization

import (
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
)

// Writes returns what a bundle's apply writes of the preview; nothing if the preview
// has nothing to write. An unattended apply writes what no person must review.
func (f Form) Writes(p Preview) ([]Write, error) {
	id := p.PreviewID.String()
	if f == Unattended {
		p, _ = p.Unattended()
	}
	if len(p.Changes) == 0 {
		return nil, nil
	}
	return ApplyPreview{PreviewID: &id}.Select(p)
}

// PreviewedBy returns the operation that made the preview of a kind in a bundle of the form:
// what a kind has that was previewed and not written. It is nil in a bundle that made no
// previews.
func (c Child) PreviewedBy(f Form) *uuid.UUID {
	if f != Unattended {
		return nil
	}
	return c.PreviewID
}

// RefusedInCall returns the child after a refusal of its start in the call that starts
// the bundle; false if the call is refused, because it names a preview that cannot be
// applied.
func (c Child) RefusedInCall(r *domain.Refusal) (Child, bool) {
	return c.With(ChildRefused, r), r.Code != domain.InvalidPreview
}

// RefusedLater returns the child after a refusal of its start in a read of the bundle;
// false if the next read tries again, because the platform was not available.
func (c Child) RefusedLater(r *domain.Refusal) (Child, bool) {
	return c.With(ChildRefused, r), r.Code != domain.PlatformUnavailable
}

// After returns the child after its preview, apply or revert has ended.
func (c Child) After(w Work, form Form) Child {
	failed := w.Operation.Status == operation.StatusFailed
	if w.Operation.Type == operation.PreviewOptimization {
		return c.previewed(w, form, failed)
	}
	switch {
	case failed:
		c.Standing, c.Code, c.Message = ChildFailed, w.Operation.Failure.Code, w.Operation.Failure.Message
	case w.Reverts != nil:
		c.Standing = ChildReverted
		if left := w.LeftOut(); len(left) > 0 { // the apply still stands
			c.Standing, c.Code, c.Message = ChildApplied, domain.Code(left[0].Reason), left[0].Message
		}
	case len(w.Applied()) == 0:
		c.Standing = ChildNothingToDo
	default:
		c.Standing = ChildApplied
	}
	return c
}

// previewed returns the child after its preview has ended. In a bundle that also
// writes, the apply comes next unless there is nothing to write.
func (c Child) previewed(w Work, form Form, failed bool) Child {
	preview := ChildSucceeded
	if failed {
		preview = ChildFailed
		c.Code, c.Message = w.Operation.Failure.Code, w.Operation.Failure.Message
	} else {
		expires := w.ExpiresAt
		c.ExpiresAt = &expires
	}
	if form == Previewing {
		c.Standing = preview
		return c
	}
	c.PreviewStanding = preview
	switch {
	case c.Standing == ChildSkipped: // only previewed
	case failed:
		c.Standing = ChildFailed
	case w.Changes == 0:
		c.Standing = ChildNothingToDo
	}
	return c
}
