package optimization

import (
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
)

// Form says what a bundle does with its kinds.
type Form string

// The forms.
const (
	// Previewing makes a preview of each kind, to be reviewed.
	Previewing Form = "Previewing"
	// Unattended makes the previews, then writes them one after another.
	Unattended Form = "Unattended"
	// Applying writes the previews of a bundle preview, one after another.
	Applying Form = "Applying"
	// Reverting reverts the writes of a bundle apply, one kind after another.
	Reverting Form = "Reverting"
)

// ChildStanding is the state of one kind of a bundle (docs/decisions.md 6).
type ChildStanding string

// The standings. Only previews are Succeeded.
const (
	ChildNotStarted  ChildStanding = "NotStarted"
	ChildRunning     ChildStanding = "Running"
	ChildSucceeded   ChildStanding = "Succeeded"
	ChildApplied     ChildStanding = "Applied"
	ChildNothingToDo ChildStanding = "NothingToDo"
	ChildFailed      ChildStanding = "Failed"
	ChildRefused     ChildStanding = "Refused"
	ChildSkipped     ChildStanding = "Skipped"
	ChildReverted    ChildStanding = "Reverted"
)

// Child is one kind of a bundle: the operation that the kind's own route would start.
type Child struct {
	Kind Kind `json:"kind"`
	// PreviewID is the preview that the kind's apply writes. PreviewStanding is its
	// state in a bundle that makes the previews itself.
	PreviewID       *uuid.UUID    `json:"previewId,omitempty"`
	PreviewStanding ChildStanding `json:"previewStanding,omitempty"`
	// ExpiresAt is when the preview expires and can no longer be applied.
	ExpiresAt *time.Time `json:"expiresAtUtc,omitempty"`
	// OperationID is the kind's apply or revert, once started.
	OperationID *uuid.UUID `json:"operationId,omitempty"`
	// Reverts is the apply that the kind's revert reverts.
	Reverts *uuid.UUID `json:"reverts,omitempty"`
	// Standing is the state of the kind.
	Standing ChildStanding `json:"standing"`
	Code     domain.Code   `json:"errorCode,omitempty"`
	Message  string        `json:"message,omitempty"`
}

// BundleAccepted records the children of a bundle, in the order in which they run. It
// follows operation.Accepted on the bundle's stream.
type BundleAccepted struct {
	// Form is what the bundle does.
	Form Form `json:"form"`
	// AcceptedAt is when the bundle was accepted.
	AcceptedAt    time.Time `json:"acceptedAtUtc"`
	ModelName     string    `json:"semanticModelName"`
	WorkspaceName string    `json:"workspaceName"`
	// Of is the bundle preview that is applied, or the bundle apply that is reverted.
	Of *uuid.UUID `json:"of,omitempty"`
	// Children are the kinds, in the order in which they run.
	Children []Child `json:"children"`
}

// ChildChanged records the new state of a kind of the bundle.
type ChildChanged struct{ Child }

// BundleUsed records that an apply used the bundle preview, which only one can, or that a
// revert of the bundle apply began.
type BundleUsed struct {
	// By is the bundle that applies or reverts this one.
	By uuid.UUID `json:"by"`
}

func (BundleAccepted) EventType() string { return "optimization.bundle-accepted" }
func (ChildChanged) EventType() string   { return "optimization.child-changed" }
func (BundleUsed) EventType() string     { return "optimization.bundle-used" }

// Bundle is an operation made of one operation per kind, folded from its stream.
type Bundle struct {
	Operation operation.Operation
	BundleAccepted
	UsedBy *uuid.UUID
}

// EvolveBundle returns b after e.
func EvolveBundle(b Bundle, e domain.Event) Bundle {
	switch e := e.(type) {
	case BundleAccepted:
		b.BundleAccepted = e
	case ChildChanged:
		b.Children = slices.Clone(b.Children)
		if i := b.index(e.Kind); i >= 0 {
			b.Children[i] = e.Child
		}
	case BundleUsed:
		b.UsedBy = &e.By
	default:
		b.Operation = operation.Evolve(b.Operation, e)
	}
	return b
}

func (b Bundle) index(k Kind) int {
	return slices.IndexFunc(b.Children, func(c Child) bool { return c.Kind == k })
}

// Child returns the bundle's child of the kind, or false when it has none.
func (b Bundle) Child(k Kind) (Child, bool) {
	if i := b.index(k); i >= 0 {
		return b.Children[i], true
	}
	return Child{}, false
}

// Running returns the child whose apply or revert is running, or false when there is
// none.
func (b Bundle) Running() (Child, bool) {
	i := slices.IndexFunc(b.Children, func(c Child) bool { return c.Standing == ChildRunning && c.OperationID != nil })
	if i < 0 {
		return Child{}, false
	}
	return b.Children[i], true
}

// Next returns the child whose apply or revert should start next, or false when there
// is none.
func (b Bundle) Next() (Child, bool) {
	if b.Form == Previewing || b.Operation.Status.Ended() || slices.ContainsFunc(b.Children, func(c Child) bool {
		return c.Standing == ChildRunning || c.PreviewStanding == ChildRunning
	}) {
		return Child{}, false
	}
	i := slices.IndexFunc(b.Children, func(c Child) bool { return c.Standing == ChildNotStarted })
	if i < 0 {
		return Child{}, false
	}
	return b.Children[i], true
}

// Standing returns the standing of a bundle apply or of its revert. It is Reverted when
// every kind that was applied has been reverted.
func (b Bundle) Standing() RecordStanding {
	back := false
	for _, c := range b.Children {
		if c.Standing == ChildApplied || b.Form == Reverting && c.Standing != ChildReverted {
			return Applied
		}
		back = back || c.Standing == ChildReverted
	}
	if back {
		return Reverted
	}
	return Applied
}

// AcceptBundle records a new bundle. Its previews start with the call. So does its
// first apply or revert, whose child is Running already.
type AcceptBundle struct {
	Operation operation.Accepted
	Bundle    BundleAccepted
}

func (c AcceptBundle) Decide(Bundle) ([]domain.Event, error) {
	events := []domain.Event{c.Operation, c.Bundle, operation.Started{}}
	return append(events, EvolveBundle(Bundle{}, c.Bundle).outcome()...), nil
}

// ChangeChild records the new state of a child. The bundle then ends after its last
// child, or waits for its owner's next read.
//
// A child of an ended bundle may still change, because its apply can be reverted by its
// own route.
type ChangeChild struct{ Child Child }

func (c ChangeChild) Decide(b Bundle) ([]domain.Event, error) {
	before, ok := b.Child(c.Child.Kind)
	if !ok || reflect.DeepEqual(before, c.Child) {
		return nil, nil
	}
	changed := ChildChanged{c.Child}
	events := []domain.Event{changed}
	if b.Operation.Status.Ended() {
		return events, nil
	}
	return append(events, EvolveBundle(b, changed).outcome()...), nil
}

// outcome returns the events that follow from the children's states.
func (b Bundle) outcome() []domain.Event {
	var events []domain.Event
	if b.Operation.Waiting != nil {
		events = append(events, operation.Resumed{})
	}
	if slices.ContainsFunc(b.Children, func(c Child) bool {
		return c.Standing == ChildRunning || c.PreviewStanding == ChildRunning
	}) {
		return events
	}
	if _, more := b.Next(); more {
		if b.Operation.Waiting != nil {
			return nil
		}
		return []domain.Event{operation.WaitingForOwner{}}
	}
	return append(events, b.end())
}

// end returns how a bundle ends once no child runs: it succeeds when at least one child
// did what the bundle is for, or when no child had anything to do.
func (b Bundle) end() domain.Event {
	done, idle := false, true
	var failed *Child
	for i, c := range b.Children {
		switch c.Standing {
		case ChildSucceeded, ChildApplied, ChildReverted:
			done = true
		case ChildFailed, ChildRefused:
			idle = false
			if failed == nil {
				failed = &b.Children[i]
			}
		case ChildNotStarted, ChildRunning, ChildNothingToDo, ChildSkipped:
		}
	}
	if done || idle {
		return operation.Succeeded{}
	}
	return operation.Failed{Failure: operation.Failure{Code: OperationCode(failed.Code), Message: failed.Message},
		Impact: b.Operation.Impact}
}

// WaitForOwner records that a child of the bundle waits for the owner's next read.
type WaitForOwner struct{}

func (WaitForOwner) Decide(b Bundle) ([]domain.Event, error) {
	if b.Operation.Status.Ended() || b.Operation.Waiting != nil {
		return nil, nil
	}
	return []domain.Event{operation.WaitingForOwner{}}, nil
}

// Resume records that the child for which the bundle waited has resumed.
type Resume struct{}

func (Resume) Decide(b Bundle) ([]domain.Event, error) {
	if b.Operation.Waiting == nil {
		return nil, nil
	}
	return []domain.Event{operation.Resumed{}}, nil
}

// FinishInPart ends a bundle whose next child can no longer start (Lapsed).
type FinishInPart struct{}

func (FinishInPart) Decide(b Bundle) ([]domain.Event, error) {
	if _, more := b.Next(); !more {
		return nil, nil
	}
	var events []domain.Event
	if b.Operation.Waiting != nil {
		events = append(events, operation.Resumed{})
	}
	for _, child := range b.Children {
		if child.Standing == ChildNotStarted {
			child.Standing, child.Code = ChildRefused, domain.OperationExpired
			child.Message = "the bundle waited too long for its owner; start the kinds again that it had not begun"
			events = append(events, ChildChanged{child})
			b = EvolveBundle(b, ChildChanged{child})
		}
	}
	return append(events, b.end()), nil
}

// GiveUp ends a bundle that does not continue: the kinds that have not begun are refused, and those that seem to run, but whose
// operations have no end that the bundle knows of, fail. Message says why.
type GiveUp struct{ Message string }

func (c GiveUp) Decide(b Bundle) ([]domain.Event, error) {
	if b.Operation.Status.Ended() {
		return nil, nil
	}
	var events []domain.Event
	if b.Operation.Waiting != nil {
		events = append(events, operation.Resumed{})
	}
	for _, child := range b.Children {
		switch {
		case child.Standing == ChildRunning || child.PreviewStanding == ChildRunning:
			child.Standing = ChildFailed
		case child.Standing == ChildNotStarted:
			child.Standing = ChildRefused
		default:
			continue
		}
		if child.PreviewStanding == ChildRunning {
			child.PreviewStanding = ChildFailed
		}
		child.Code, child.Message = domain.OptimizationFailed, c.Message
		events = append(events, ChildChanged{child})
		b = EvolveBundle(b, ChildChanged{child})
	}
	return append(events, b.end()), nil
}

// Use marks a bundle preview as used by its only apply. It refuses with InvalidPreview
// when an apply has used it already.
type Use struct{ By uuid.UUID }

func (c Use) Decide(b Bundle) ([]domain.Event, error) {
	if b.UsedBy != nil {
		return nil, domain.Refuse(domain.InvalidPreview, "bundle preview %s was already applied, by operation %s; make a new preview",
			b.Operation.ID, *b.UsedBy).
			About("previewId", b.Operation.ID).About("operationId", *b.UsedBy)
	}
	return []domain.Event{BundleUsed(c)}, nil
}

// ExpiresAt returns when the first of the bundle's previews expires; nil when it has
// none.
func (b Bundle) ExpiresAt() *time.Time {
	var first *time.Time
	for _, c := range b.Children {
		if c.ExpiresAt != nil && (first == nil || c.ExpiresAt.Before(*first)) {
			first = c.ExpiresAt
		}
	}
	return first
}

// Lapsed reports whether the bundle's next child can no longer start: a preview is past
// its 24 hours, or the operation is past its 7 days.
func (b Bundle) Lapsed(now time.Time) bool {
	expires := b.ExpiresAt()
	return now.After(b.AcceptedAt.Add(BundleLife)) || expires != nil && now.After(*expires)
}

// OperationCode returns the code that an operation fails with for the code of a
// refusal. A code that an operation's error cannot have becomes the nearest one that it
// can.
func OperationCode(c domain.Code) domain.Code {
	switch c {
	case domain.CapacityPaused, domain.CapacityBusy, domain.ItemNotFound, domain.ItemNotReadable, domain.ItemChanged,
		domain.PlatformAccessDenied, domain.PlatformUnavailable, domain.TrackedItemLimitReached:
		return c
	case domain.WorkspaceNotFound:
		return domain.ItemNotFound
	case domain.PlatformConsentRequired:
		return domain.PlatformAccessDenied
	}
	return domain.OptimizationFailed
}
