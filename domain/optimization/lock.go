package optimization

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Stream is the name of the stream of a model's optimizations in an account:
// who holds the model's write lock, and which applies stand.
func Stream(accountID string, modelID uuid.UUID) string {
	return "optimization-" + accountID + "-" + modelID.String()
}

// Standing is what the rules must know of a model's optimizations in an account.
// Every event of the stream carries the standing after it, so the last one alone
// is the state.
type Standing struct {
	// Holder is the apply or revert that writes the model now.
	Holder *uuid.UUID `json:"holder,omitempty"`
	// Count and LastAt are of applies that wrote; reverts leave them (spec 4.5,
	// revert rule 3).
	Count  int        `json:"count"`
	LastAt *time.Time `json:"lastAtUtc,omitempty"`
	// Applies are those of the last 30 days that wrote and are not wholly put
	// back, the oldest first.
	Applies []Standed `json:"applies,omitempty"`
}

// Standed is an apply that stands.
type Standed struct {
	OperationID uuid.UUID `json:"operationId"`
	At          time.Time `json:"at"`
}

// LockTaken: the operation holds the model's write lock.
type LockTaken struct {
	OperationID uuid.UUID `json:"operationId"`
	Standing    Standing  `json:"standing"`
}

// LockReleased: the operation has ended; Wrote says whether it changed the model.
type LockReleased struct {
	OperationID uuid.UUID `json:"operationId"`
	Wrote       bool      `json:"wrote"`
	Standing    Standing  `json:"standing"`
}

// EventType implements domain.Event.
func (LockTaken) EventType() string    { return "optimization.lock-taken" }
func (LockReleased) EventType() string { return "optimization.lock-released" }

// After implements domain.Carries.
func (e LockTaken) After() Standing { return e.Standing }

// After implements domain.Carries.
func (e LockReleased) After() Standing { return e.Standing }

// TakeLock takes the model's write lock for an apply or a revert, or refuses
// with OperationInProgress naming who holds it (spec 4.5, apply rule 8).
type TakeLock struct{ OperationID, ModelID uuid.UUID }

// Decide implements domain.Command.
func (c TakeLock) Decide(s Standing) ([]domain.Event, error) {
	if s.Holder != nil {
		return nil, domain.Refuse(domain.OperationInProgress, "semantic model %s is being written by operation %s; wait until that has ended", c.ModelID, *s.Holder).
			About("operationId", *s.Holder).After(2 * time.Second)
	}
	s.Holder = &c.OperationID
	return []domain.Event{LockTaken{c.OperationID, s}}, nil
}

// maxStanding bounds the applies that are remembered as standing, the oldest are
// let go: a revert of one of those finds by the model's values alone what a later
// apply has changed.
const maxStanding = 500

// ReleaseLock gives the lock back when an apply or a revert ends, and says what
// that leaves standing. One that does not hold it changes nothing.
type ReleaseLock struct {
	OperationID uuid.UUID
	// Wrote: the operation is an apply that changed the model.
	Wrote bool
	// Undone is the apply that the operation, a revert, wholly put back.
	Undone *uuid.UUID
	At     time.Time
}

// Decide implements domain.Command.
func (c ReleaseLock) Decide(s Standing) ([]domain.Event, error) {
	if s.Holder == nil || *s.Holder != c.OperationID {
		return nil, nil
	}
	at := c.At.UTC().Truncate(time.Microsecond)
	s.Holder = nil
	s.Applies = slices.DeleteFunc(slices.Clone(s.Applies), func(a Standed) bool {
		return at.Sub(a.At) > RecordLife || c.Undone != nil && a.OperationID == *c.Undone
	})
	if c.Wrote {
		s.Count++
		s.LastAt = &at
		s.Applies = append(s.Applies, Standed{c.OperationID, at})
		s.Applies = s.Applies[max(0, len(s.Applies)-maxStanding):]
	}
	return []domain.Event{LockReleased{c.OperationID, c.Wrote, s}}, nil
}

// After returns the applies that came after the one with the id and still stand.
func (s Standing) After(applyID uuid.UUID) []uuid.UUID {
	i := slices.IndexFunc(s.Applies, func(a Standed) bool { return a.OperationID == applyID })
	if i < 0 {
		return nil
	}
	var later []uuid.UUID
	for _, a := range s.Applies[i+1:] {
		later = append(later, a.OperationID)
	}
	return later
}
