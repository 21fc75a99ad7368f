package assessment

import (
	"reflect"
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/internal/lists"
)

// Outcome says how a model of a run ended (docs/decisions.md 6, BulkAssessment).
type Outcome string

// The outcomes. NotAssessed: the model could not be read from the platform.
const (
	Assessed    Outcome = "Assessed"
	Failed      Outcome = "Failed"
	NotAssessed Outcome = "NotAssessed"
)

// Model is a model of a run.
type Model struct {
	ModelID   uuid.UUID `json:"semanticModelId"`
	ModelName string    `json:"semanticModelName"`
	// FirstLook says that its assessment counts as a first look.
	FirstLook bool `json:"firstLook"`
	// TrackedItem says whether the assessment made the model a tracked item; nil in
	// runs from before that was recorded.
	TrackedItem *bool `json:"trackedItem,omitempty"`
}

// Result is how a model of a run ended. Error is nil exactly when the Outcome is
// Assessed; otherwise AssessmentID and the figures are nil.
type Result struct {
	ModelID uuid.UUID `json:"semanticModelId"`
	// Outcome is how the model ended.
	Outcome Outcome `json:"outcome"`
	// AssessmentID is the assessment that was stored; absent unless there is one.
	AssessmentID *uuid.UUID `json:"assessmentId,omitempty"`
	// Score is the score, 0 to 100; absent for none.
	Score *int `json:"score,omitempty"`
	// ScoreDataAgent is the score for data agents, 0 to 100; absent for none.
	ScoreDataAgent *int `json:"scoreDataAgent,omitempty"`
	// FindingsCount is how many findings there are; absent unless it was assessed.
	FindingsCount *int               `json:"findingsCount,omitempty"`
	ScoreComplete *bool              `json:"scoreComplete,omitempty"` // as Assessment.ScoreComplete
	Error         *operation.Failure `json:"error,omitempty"`
	// TrackedItem says whether the assessment made the model a tracked item; nil when
	// the acceptance's value stands.
	TrackedItem *bool `json:"trackedItem,omitempty"`
}

// OutcomeOf returns the outcome of a model for the code of its error: Failed when the
// model was read and could not be scored, NotAssessed when it could not be read from
// the platform.
func OutcomeOf(code domain.Code) Outcome {
	switch code {
	case domain.ItemNotReadable, domain.AssessmentFailed, domain.AssessmentTimedOut:
		return Failed
	}
	return NotAssessed
}

// RunAccepted records which models the run covers. It follows operation.Accepted on the
// operation's stream.
type RunAccepted struct {
	WorkspaceID   uuid.UUID `json:"workspaceId"`
	WorkspaceName string    `json:"workspaceName"`
	// Models are the models of the run, in the order in which they were named.
	Models []Model `json:"models"`
	// RegimeID is the scoring regime of every model of the run, whenever its step is
	// carried out; empty in runs from before that was recorded.
	RegimeID string `json:"regimeId,omitempty"`
}

// ModelEnded records the outcome of a model of the run. Each model has exactly one.
type ModelEnded struct {
	Result
}

func (RunAccepted) EventType() string { return "assessment.run-accepted" }
func (ModelEnded) EventType() string  { return "assessment.model-ended" }

// Run is an operation that assesses one or many models, folded from the operation's
// stream.
type Run struct {
	Operation     operation.Operation
	WorkspaceID   uuid.UUID
	WorkspaceName string
	Models        []Model
	RegimeID      string   // as in RunAccepted
	Results       []Result // in the order they ended
}

// EvolveRun returns r after e.
func EvolveRun(r Run, e domain.Event) Run {
	switch e := e.(type) {
	case RunAccepted:
		r.WorkspaceID, r.WorkspaceName, r.Models, r.RegimeID = e.WorkspaceID, e.WorkspaceName, e.Models, e.RegimeID
	case ModelEnded:
		r.Results = append(slices.Clip(r.Results), e.Result)
		if i := r.index(e.ModelID); i >= 0 && e.TrackedItem != nil {
			r.Models = slices.Clone(r.Models)
			r.Models[i].TrackedItem = e.TrackedItem
		}
	default:
		r.Operation = operation.Evolve(r.Operation, e)
	}
	return r
}

// Model returns the run's model with the id, or false when it has none.
func (r Run) Model(id uuid.UUID) (Model, bool) {
	i := r.index(id)
	if i < 0 {
		return Model{}, false
	}
	return r.Models[i], true
}

// ModelIDs returns the ids of the run's items.
func (r Run) ModelIDs() []uuid.UUID {
	return lists.Map(r.Models, func(m Model) uuid.UUID { return m.ModelID })
}

func (r Run) index(id uuid.UUID) int {
	return slices.IndexFunc(r.Models, func(m Model) bool { return m.ModelID == id })
}

// Result returns the model's result, or false when it has not ended.
func (r Run) Result(id uuid.UUID) (Result, bool) {
	i := slices.IndexFunc(r.Results, func(m Result) bool { return m.ModelID == id })
	if i < 0 {
		return Result{}, false
	}
	return r.Results[i], true
}

// Open reports whether the model belongs to the run and has not been assessed yet.
func (r Run) Open(id uuid.UUID) bool {
	_, known := r.Model(id)
	_, ended := r.Result(id)
	return known && !ended && !r.Operation.Status.Ended()
}

// Single reports whether the run is a single assessment, of one model or agent.
func (r Run) Single() bool { return r.Operation.Type != operation.AssessSemanticModels }

// Compares reports whether the models of the run are compared with each other.
func (r Run) Compares() bool { return !r.Single() && len(r.Models) > 1 }

// Begin records that work on the run began; nothing when it has begun already.
type Begin struct{}

func (Begin) Decide(r Run) ([]domain.Event, error) {
	if r.Operation.Status != operation.StatusNotStarted {
		return nil, nil
	}
	if r.Single() {
		return []domain.Event{operation.Started{}}, nil
	}
	none := 0
	return []domain.Event{operation.Started{Percent: &none}}, nil
}

// EndModel records the outcome of a model of the run; the last outcome ends the
// operation. A model keeps its first outcome, so a step that is executed twice counts
// once.
//
// A run over many models succeeds when every model has an outcome, whatever it is. A
// single assessment succeeds when its model was assessed.
type EndModel struct {
	Result Result
	// Standing is the model's standing before the end.
	Standing Standing
}

func (c EndModel) Decide(r Run) ([]domain.Event, error) {
	if !r.Open(c.Result.ModelID) {
		return nil, nil
	}
	ended := ModelEnded{c.Result}
	r = EvolveRun(r, ended)
	done := len(r.Results)
	switch {
	case r.Single() && c.Result.Error != nil:
		return []domain.Event{ended, operation.Failed{Failure: *c.Result.Error, Impact: c.remaining(r)}}, nil
	case done < len(r.Models):
		return []domain.Event{ended, operation.Progressed{Percent: 100 * done / len(r.Models)}}, nil
	}
	impact, made := r.Operation.Impact, Impact(r.Models, r.Single())
	if impact.TrackedItem != nil {
		impact.TrackedItem = made.TrackedItem
	}
	if impact.TrackedItems != nil {
		impact.TrackedItems = made.TrackedItems
	}
	if !reflect.DeepEqual(impact, r.Operation.Impact) {
		return []domain.Event{ended, operation.ImpactCorrected{Impact: impact}, operation.Succeeded{}}, nil
	}
	return []domain.Event{ended, operation.Succeeded{}}, nil
}

// Refunds reports whether a single assessment that failed with the code refunds what it
// spent, because it failed before it did anything for the caller (docs/decisions.md 5).
// A failed row of a bulk run is not refunded (docs/decisions.md 8.5).
func (r Run) Refunds(code domain.Code) bool {
	if !r.Single() {
		return false
	}
	switch code {
	case domain.AssessmentNotStarted, domain.PlatformUnavailable, domain.CapacityPaused, domain.CapacityBusy:
		return true
	}
	return false
}

// remaining returns what a failed single assessment still has spent. A first look stays
// spent while another accepted assessment of the model remains.
func (c EndModel) remaining(r Run) operation.Impact {
	m, _ := r.Model(c.Result.ModelID)
	spent := 1
	if r.Refunds(c.Result.Error.Code) {
		spent = 0
		m.FirstLook = m.FirstLook && !c.Standing.RefundsFirstLook()
	}
	i := Impact([]Model{m}, true)
	i.Assessments = &spent
	return i
}

// Impact returns what a run over the models spends: the number of assessments, and of
// models that it makes tracked items. For a single assessment it says whether the model
// is a first look and whether it became a tracked item.
func Impact(models []Model, single bool) operation.Impact {
	if single {
		one := 1
		return operation.Impact{Assessments: &one, FirstLook: &models[0].FirstLook, TrackedItem: models[0].TrackedItem}
	}
	all, tracked := len(models), 0
	for _, m := range models {
		if m.TrackedItem != nil && *m.TrackedItem {
			tracked++
		}
	}
	return operation.Impact{Assessments: &all, TrackedItems: &tracked}
}
