// Package operation holds the states of an operation and the transitions between them.
// The package of its work records what an operation does (docs/specification.md 2.7 and
// 3.1).
package operation

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Type names what an operation does.
type Type string

// The types of operations. A plural type is a bundle, or an assessment of several
// models.
const (
	AssessSemanticModel  Type = "AssessSemanticModel"
	AssessSemanticModels Type = "AssessSemanticModels"
	AssessDataAgent      Type = "AssessDataAgent"
	PreviewOptimization  Type = "PreviewOptimization"
	ApplyOptimization    Type = "ApplyOptimization"
	RevertOptimization   Type = "RevertOptimization"
	PreviewOptimizations Type = "PreviewOptimizations"
	ApplyOptimizations   Type = "ApplyOptimizations"
	RevertOptimizations  Type = "RevertOptimizations"
	AddPixies            Type = "AddPixies"
	RemovePixies         Type = "RemovePixies"

	GenerateBenchmarkQuestions Type = "GenerateBenchmarkQuestions"
	SaveBenchmarkQuestions     Type = "SaveBenchmarkQuestions"
	RunBenchmark               Type = "RunBenchmark"
	RunAbTest                  Type = "RunAbTest"

	ListViewAsOf Type = "ListViewAsOf"
)

// Life is how long an operation can be read after it was created.
const Life = 7 * 24 * time.Hour

// Status is an operation's state.
type Status string

// The statuses.
const (
	StatusNotStarted Status = "NotStarted"
	StatusRunning    Status = "Running"
	StatusSucceeded  Status = "Succeeded"
	StatusFailed     Status = "Failed"
	StatusCancelled  Status = "Cancelled"
)

// Ended reports whether s is a final status.
func (s Status) Ended() bool {
	return s == StatusSucceeded || s == StatusFailed || s == StatusCancelled
}

// Resource is what an operation works on. ItemID is nil for an entire workspace.
type Resource struct {
	WorkspaceID uuid.UUID  `json:"workspaceId"`
	ItemID      *uuid.UUID `json:"itemId,omitempty"`
	// ItemType is the item's type.
	ItemType item.Type `json:"itemType,omitempty"`
}

// Impact is what an operation spent from allowances (docs/decisions.md 6). A member is
// nil when unknown.
type Impact struct {
	// Assessments is how many assessments were spent.
	Assessments *int `json:"assessments,omitempty"`
	// FirstLook says that a first look was spent.
	FirstLook *bool `json:"firstLook,omitempty"`
	// TrackedItem says that the operation makes its one item a tracked item.
	TrackedItem *bool `json:"trackedItem,omitempty"`
	// TrackedItems is how many items the operation makes tracked items.
	TrackedItems *int `json:"trackedItems,omitempty"`
	// OptimizationApplies is how many applies were spent.
	OptimizationApplies *int `json:"optimizationApplies,omitempty"`
	// BenchmarkRuns is how many benchmark runs were spent.
	BenchmarkRuns *int `json:"benchmarkRuns,omitempty"`
	// BenchmarkBuilds is how many generations of questions were spent.
	BenchmarkBuilds *int `json:"benchmarkBuilds,omitempty"`
}

// Failure says why an accepted operation failed.
type Failure struct {
	Code    domain.Code `json:"errorCode"`
	Message string      `json:"message"`
}

// Operation is the state of an operation that the rules need.
type Operation struct {
	ID       uuid.UUID
	Account  string
	Type     Type
	Status   Status
	Owner    item.PersonID
	Resource Resource
	Impact   Impact
	// Failure is why it failed; nil unless Status is Failed.
	Failure *Failure
	Percent int
	// Waiting is not nil while the work resumes only when the owner reads the
	// operation.
	Waiting *WaitingForOwner
	// SignIn is not nil while the work resumes only when the owner has signed in again.
	SignIn *SignInNeeded
	// Resumed is how often a wait for the owner has ended.
	Resumed int
}

// Rests reports whether no step of the work runs until the owner does something.
func (o Operation) Rests() bool { return o.Waiting != nil || o.SignIn != nil }

// WaitsFor reports whether a read of the operation by p resumes its work.
func (o Operation) WaitsFor(p item.PersonID) bool { return o.Waiting != nil && o.Owner == p }

// Stream returns the name of an operation's stream.
func Stream(id uuid.UUID) string { return StreamPrefix + id.String() }

// StreamPrefix begins the names of operations' streams.
const StreamPrefix = "operation-"

// Accepted records that the call was accepted. The operation waits for its work to
// begin.
type Accepted struct {
	OperationID uuid.UUID `json:"operationId"`
	AccountID   string    `json:"accountId"`
	// Type is what the operation does.
	Type Type `json:"type"`
	// Owner is the person whose call it was.
	Owner item.PersonID `json:"owner"`
	// Resource is what the operation works on.
	Resource Resource `json:"resource"`
	// Impact is what was spent when the call was accepted.
	Impact Impact `json:"impact"`
}

// Started records that work began. Percent is nil for work that reports no progress.
type Started struct {
	Percent *int `json:"percent,omitempty"`
}

// Progressed records how much of the work is done, in integer percent.
type Progressed struct {
	// Percent is how much is done, 0 to 100.
	Percent int `json:"percent"`
}

// WaitingForOwner records that the work resumes when the operation's owner reads it, with that
// read's token, and no longer once Until has passed. A nil Until sets no deadline.
type WaitingForOwner struct {
	// Until is when a read no longer resumes the work; absent for no limit.
	Until *time.Time `json:"until,omitempty"`
}

// Resumed records that the wait for the owner is over.
type Resumed struct{}

// ImpactCorrected records what the work really spent, where that differs from what was
// counted when it was accepted.
type ImpactCorrected struct {
	// Impact replaces the one before.
	Impact Impact `json:"impact"`
}

// Succeeded records that the work ended with a result (status Succeeded).
type Succeeded struct{}

// Failed records that the work failed (status Failed). Impact is what stays spent.
type Failed struct {
	Failure Failure `json:"failure"`
	Impact  Impact  `json:"impact"`
}

// Cancelled records that the operation was cancelled (status Cancelled).
type Cancelled struct{}

func (Accepted) EventType() string        { return "operation.accepted" }
func (Started) EventType() string         { return "operation.started" }
func (Progressed) EventType() string      { return "operation.progressed" }
func (WaitingForOwner) EventType() string { return "operation.waiting-for-owner" }
func (Resumed) EventType() string         { return "operation.resumed" }
func (ImpactCorrected) EventType() string { return "operation.impact-corrected" }
func (Succeeded) EventType() string       { return "operation.succeeded" }
func (Failed) EventType() string          { return "operation.failed" }
func (Cancelled) EventType() string       { return "operation.cancelled" }

// Evolve returns o after e. It ignores events of the work that share the stream.
func Evolve(o Operation, e domain.Event) Operation {
	switch e := e.(type) {
	case Accepted:
		o.ID, o.Account, o.Type, o.Status = e.OperationID, e.AccountID, e.Type, StatusNotStarted
		o.Owner, o.Resource, o.Impact = e.Owner, e.Resource, e.Impact
	case Started:
		o.Status = StatusRunning
	case Progressed:
		o.Percent = e.Percent
	case WaitingForOwner:
		o.Waiting = &e
	case SignInNeeded:
		o.SignIn = &e
	case Resumed:
		o.Waiting, o.SignIn = nil, nil
		o.Resumed++
	case ImpactCorrected:
		o.Impact = e.Impact
	case Succeeded:
		o.Status, o.Percent, o.Waiting, o.SignIn = StatusSucceeded, 100, nil, nil
	case Failed:
		o.Status, o.Impact, o.Failure, o.Waiting, o.SignIn = StatusFailed, e.Impact, &e.Failure, nil, nil
	case Cancelled:
		o.Status, o.Waiting, o.SignIn = StatusCancelled, nil, nil
	}
	return o
}

// StreamID returns the id of the operation whose stream has the name, or false when it
// is another kind of stream.
func StreamID(stream string) (uuid.UUID, bool) {
	text, ok := strings.CutPrefix(stream, StreamPrefix)
	if !ok {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}
