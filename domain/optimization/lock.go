package optimization

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Stream returns the name of the stream of a model's optimizations in an account: who
// holds the model's write lock, and which applies stand.
func Stream(accountID string, modelID uuid.UUID) string {
	return "optimization-" + accountID + "-" + modelID.String()
}

// Standing is the state of a model's optimizations in an account that the rules need.
// Every event of the stream carries the standing after it, so the last event alone is
// the state.
type Standing struct {
	// Holder is the apply or revert that writes the model now.
	Holder *uuid.UUID `json:"holder,omitempty"`
	// Count and LastAt cover applies that wrote something; reverts do not change them.
	Count  int        `json:"count"`
	LastAt *time.Time `json:"lastAtUtc,omitempty"`
	// Applies are the applies of the last 30 days that wrote something and are not
	// completely reverted, oldest first.
	Applies []StandingApply `json:"applies,omitempty"`
}

// StandingApply is an apply that stands: it wrote something and is not completely
// reverted.
type StandingApply struct {
	// OperationID is the apply.
	OperationID uuid.UUID `json:"operationId"`
	// At is when it ended, after its last write.
	At time.Time `json:"at"`
}

// LockTaken records that the operation holds the model's write lock.
type LockTaken struct {
	OperationID uuid.UUID `json:"operationId"`
	Standing    Standing  `json:"standing"`
}

// LockReleased records that the operation has ended. Wrote says whether it is an apply that changed the model.
type LockReleased struct {
	OperationID uuid.UUID `json:"operationId"`
	Wrote       bool      `json:"wrote"`
	Standing    Standing  `json:"standing"`
}

func (LockTaken) EventType() string    { return "optimization.lock-taken" }
func (LockReleased) EventType() string { return "optimization.lock-released" }

func (e LockTaken) After() Standing    { return e.Standing }
func (e LockReleased) After() Standing { return e.Standing }

// TakeLock takes the model's write lock for an apply or a revert. It refuses with
// OperationInProgress, naming the holder, while another operation holds the lock.
type TakeLock struct{ OperationID, ModelID uuid.UUID }

func (c TakeLock) Decide(s Standing) ([]domain.Event, error) {
	if s.Holder != nil {
		return nil, domain.Refuse(domain.OperationInProgress,
			"semantic model %s is being written by operation %s; wait until that has ended", c.ModelID, *s.Holder).
			About("operationId", *s.Holder).After(2 * time.Second)
	}
	s.Holder = &c.OperationID
	return []domain.Event{LockTaken{c.OperationID, s}}, nil
}

// maxStanding is how many standing applies are remembered; the oldest are dropped. A
// revert of a dropped apply detects later changes only by comparing the model's values.
const maxStanding = 500

// ReleaseLock releases the lock when an apply or a revert ends, and updates the
// standing applies. It does nothing for an operation that does not hold the lock.
type ReleaseLock struct {
	OperationID uuid.UUID
	// Wrote is true when the operation is an apply that changed the model.
	Wrote bool
	// Undone is the apply that the operation, a revert, reverted completely.
	Undone *uuid.UUID
	At     time.Time
}

func (c ReleaseLock) Decide(s Standing) ([]domain.Event, error) {
	if s.Holder == nil || *s.Holder != c.OperationID {
		return nil, nil
	}
	at := c.At.UTC().Truncate(time.Microsecond)
	s.Holder = nil
	s.Applies = slices.DeleteFunc(slices.Clone(s.Applies), func(a StandingApply) bool {
		return at.Sub(a.At) > RecordLife || c.Undone != nil && a.OperationID == *c.Undone
	})
	if c.Wrote {
		s.Count++
		s.LastAt = &at
		s.Applies = append(s.Applies, StandingApply{c.OperationID, at})
		s.Applies = s.Applies[max(0, len(s.Applies)-maxStanding):]
	}
	return []domain.Event{LockReleased{c.OperationID, c.Wrote, s}}, nil
}

// After returns the applies after the one with the id that still stand.
func (s Standing) After(applyID uuid.UUID) []uuid.UUID {
	i := slices.IndexFunc(s.Applies, func(a StandingApply) bool { return a.OperationID == applyID })
	if i < 0 {
		return nil
	}
	var later []uuid.UUID
	for _, a := range s.Applies[i+1:] {
		later = append(later, a.OperationID)
	}
	return later
}
