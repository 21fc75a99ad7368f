package pixies

import (
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/internal/lists"
)

// Verb is what a run does.
type Verb string

// The verbs.
const (
	Adds    Verb = "Add"
	Removes Verb = "Remove"
)

// Outcome says how a report of a run ended (docs/decisions.md 6).
type Outcome string

// The outcomes.
const (
	OutcomeAdded   Outcome = "Added"
	OutcomeUpdated Outcome = "Updated"
	OutcomeRemoved Outcome = "Removed"
	OutcomeFailed  Outcome = "Failed"
)

// Setup is the workspace's tracking setup that a run adds Pixies with. Zero values mean
// the defaults (docs/decisions.md 8.2).
type Setup struct {
	// CollectorBaseURL is the address that Pixies are loaded from.
	CollectorBaseURL string `json:"collectorBaseUrl"`
	// Size is the Pixie's size, in pixels.
	Size int `json:"size,omitempty"`
	// Corner is where on a page the Pixie is.
	Corner string `json:"corner,omitempty"`
	// ExcludePages are patterns of pages without Pixies.
	ExcludePages []string `json:"excludePages,omitempty" pii:"text"`
}

// Named is a report of a run, with its name.
type Named struct {
	ReportID   uuid.UUID `json:"reportId"`
	ReportName string    `json:"reportName"`
}

// RunAccepted records which reports the run covers and what it does to them. It follows
// operation.Accepted on the operation's stream.
type RunAccepted struct {
	// Verb is what the run does.
	Verb          Verb      `json:"verb"`
	WorkspaceID   uuid.UUID `json:"workspaceId"`
	WorkspaceName string    `json:"workspaceName"`
	// Reports are the reports of the run.
	Reports []Named `json:"reports"`
	// Setup is how Pixies are added; absent when they are removed.
	Setup *Setup `json:"setup,omitempty"`
	// Single is true when the call named one report in its address.
	Single bool `json:"single"`
	// License is the license that new tracked items count against. KeepCopies says
	// whether a copy of each definition is kept before it is changed.
	License    string `json:"licenseId,omitempty"`
	KeepCopies bool   `json:"keepCopies,omitempty"`
}

// ChangeIntended records what is about to be written to a report. CopyHash addresses
// the stored copy of the definition.
type ChangeIntended struct {
	ReportID uuid.UUID `json:"reportId"`
	// Outcome is the outcome if the write is made.
	Outcome Outcome    `json:"outcome"`
	ModelID *uuid.UUID `json:"semanticModelId,omitempty"`
	// Placed are the Pixies after it.
	Placed []Placed `json:"placed,omitempty"`
	// Pages is how many pages have Pixies after it.
	Pages int `json:"pages"`
	// Visuals is how many visuals the report has after it.
	Visuals int `json:"visuals"`
	// TrackedItem is true in events from before reservations when this change made the
	// report a tracked item.
	TrackedItem bool `json:"trackedItem"`
	// DefinitionHash is the hash of the definition before the write.
	DefinitionHash string `json:"definitionHash"`
	CopyHash       string `json:"copyHash,omitempty"`
}

// ChangeSent records that the platform has taken the intended write of a report, and how it names the operation that makes
// it; empty if that has already ended.
type ChangeSent struct {
	ReportID uuid.UUID `json:"reportId"`
	// Operation is the platform's name for the operation that makes the write; absent if that has ended.
	Operation string `json:"operation,omitempty"`
}

// ReportEnded records the outcome of a report of the run. Each report has exactly one.
type ReportEnded struct {
	ReportID uuid.UUID `json:"reportId"`
	// Outcome is how the report ended.
	Outcome Outcome `json:"outcome"`
	// Pages is how many pages have Pixies; absent if none was changed.
	Pages *int `json:"pages,omitempty"`
	// Visuals is how many visuals the report has; absent if none was changed.
	Visuals *int               `json:"visuals,omitempty"`
	Error   *operation.Failure `json:"error,omitempty"`
	// TrackedItem is true when the run made the report a tracked item.
	TrackedItem bool `json:"trackedItem,omitempty"`
}

func (RunAccepted) EventType() string    { return "pixies.run-accepted" }
func (ChangeIntended) EventType() string { return "pixies.change-intended" }
func (ChangeSent) EventType() string     { return "pixies.change-sent" }
func (ReportEnded) EventType() string    { return "pixies.report-ended" }

// Run is an operation that adds or removes Pixies, folded from its stream.
type Run struct {
	Operation operation.Operation
	RunAccepted
	Intended map[uuid.UUID]ChangeIntended
	// Sent is what the platform took of the last intent of each report.
	Sent    map[uuid.UUID]ChangeSent
	Results []ReportEnded // in the order they ended
}

// EvolveRun returns r after e.
func EvolveRun(r Run, e domain.Event) Run {
	switch e := e.(type) {
	case RunAccepted:
		r.RunAccepted = e
	case ChangeIntended:
		intended := make(map[uuid.UUID]ChangeIntended, len(r.Intended)+1)
		for id, i := range r.Intended {
			intended[id] = i
		}
		intended[e.ReportID] = e
		r.Intended = intended
		r.Sent = without(r.Sent, e.ReportID)
	case ChangeSent:
		r.Sent = without(r.Sent, e.ReportID)
		r.Sent[e.ReportID] = e
	case ReportEnded:
		r.Results = append(slices.Clip(r.Results), e)
	default:
		r.Operation = operation.Evolve(r.Operation, e)
	}
	return r
}

// without returns a copy that lacks the report.
func without(sent map[uuid.UUID]ChangeSent, id uuid.UUID) map[uuid.UUID]ChangeSent {
	rest := make(map[uuid.UUID]ChangeSent, len(sent)+1)
	for other, s := range sent {
		if other != id {
			rest[other] = s
		}
	}
	return rest
}

// Report returns the run's report with the id, or false when it has none.
func (r Run) Report(id uuid.UUID) (Named, bool) {
	i := slices.IndexFunc(r.Reports, func(n Named) bool { return n.ReportID == id })
	if i < 0 {
		return Named{}, false
	}
	return r.Reports[i], true
}

// Result returns the report's result, or false when it has not ended.
func (r Run) Result(id uuid.UUID) (ReportEnded, bool) {
	i := slices.IndexFunc(r.Results, func(e ReportEnded) bool { return e.ReportID == id })
	if i < 0 {
		return ReportEnded{}, false
	}
	return r.Results[i], true
}

// Open reports whether the report belongs to the run and has no outcome yet.
func (r Run) Open(id uuid.UUID) bool {
	_, known := r.Report(id)
	_, ended := r.Result(id)
	return known && !ended && !r.Operation.Status.Ended()
}

// Begin records that work on the run began; nothing when it has begun already.
type Begin struct{}

func (Begin) Decide(r Run) ([]domain.Event, error) {
	if r.Operation.Status != operation.StatusNotStarted {
		return nil, nil
	}
	if r.Single {
		return []domain.Event{operation.Started{}}, nil
	}
	none := 0
	return []domain.Event{operation.Started{Percent: &none}}, nil
}

// Intend records what is about to be written to a report. A step that is executed again
// after a crash, on a definition that has changed, records it again.
type Intend struct{ Intended ChangeIntended }

func (c Intend) Decide(r Run) ([]domain.Event, error) {
	if !r.Open(c.Intended.ReportID) {
		return nil, nil
	}
	return []domain.Event{c.Intended}, nil
}

// Send records that the platform has taken the write of a report.
type Send struct{ Sent ChangeSent }

func (c Send) Decide(r Run) ([]domain.Event, error) {
	if _, intended := r.Intended[c.Sent.ReportID]; !intended || !r.Open(c.Sent.ReportID) {
		return nil, nil
	}
	return []domain.Event{c.Sent}, nil
}

// EndReport records the outcome of a report of the run; the last outcome ends the
// operation. The operation succeeds when at least one report was changed, and fails
// when none was.
type EndReport struct{ Ended ReportEnded }

func (c EndReport) Decide(r Run) ([]domain.Event, error) {
	if !r.Open(c.Ended.ReportID) {
		return nil, nil
	}
	events := []domain.Event{c.Ended}
	r = EvolveRun(r, c.Ended)
	if len(r.Results) < len(r.Reports) {
		return append(events, operation.Progressed{Percent: 100 * len(r.Results) / len(r.Reports)}), nil
	}
	tracked := r.tracked()
	failed := slices.IndexFunc(r.Results, func(e ReportEnded) bool { return e.Error != nil })
	changed := slices.ContainsFunc(r.Results, func(e ReportEnded) bool { return e.Error == nil })
	if changed {
		if announced := r.Operation.Impact.TrackedItems; announced != nil && *announced != tracked {
			events = append(events, operation.ImpactCorrected{Impact: Impact(r.Single, tracked)})
		}
		return append(events, operation.Succeeded{}), nil
	}
	failure := *r.Results[failed].Error
	if !r.Single {
		failure = operation.Failure{Code: r.Verb.failed(),
			Message: "no report could be changed; the result of each says why: " + failure.Message}
	}
	impact := r.Operation.Impact
	if r.Verb == Adds {
		impact = Impact(r.Single, tracked)
	}
	return append(events, operation.Failed{Failure: failure, Impact: impact}), nil
}

// tracked returns how many reports the run made tracked items.
func (r Run) tracked() int {
	return lists.Count(r.Results, func(e ReportEnded) bool { return e.TrackedItem || r.Intended[e.ReportID].TrackedItem })
}

// Impact returns what a run spends that makes n reports tracked items.
func Impact(single bool, n int) operation.Impact {
	i := operation.Impact{TrackedItems: &n}
	if single {
		made := n > 0
		i.TrackedItem = &made
	}
	return i
}

// failed returns the code of a failed operation with the verb.
func (v Verb) failed() domain.Code {
	if v == Adds {
		return domain.AddPixiesFailed
	}
	return domain.RemovePixiesFailed
}

// OperationCode returns the code that a report fails with for the code of a refusal.
// Codes that an operation's error cannot have become the verb's own.
func (v Verb) OperationCode(c domain.Code) domain.Code {
	switch c {
	case domain.CapacityPaused, domain.CapacityBusy, domain.ItemNotFound, domain.ItemNotReadable, domain.ItemChanged,
		domain.PlatformAccessDenied, domain.PlatformUnavailable, domain.TrackedItemLimitReached:
		return c
	case domain.LicenseTrackedItemLimitReached:
		return domain.TrackedItemLimitReached
	case domain.WorkspaceNotFound:
		return domain.ItemNotFound
	case domain.PlatformConsentRequired:
		return domain.PlatformAccessDenied
	}
	return v.failed()
}
