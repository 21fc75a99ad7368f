package assessment

import (
	"reflect"
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
)

// MaxModels is how many semantic models one bulk assessment may name (spec 8).
const MaxModels = 100

// Outcome says how a model of a run ended (decisions 6, BulkAssessment).
type Outcome string

// The outcomes. NotAssessed: the model could not be looked at at all.
const (
	Assessed    Outcome = "Assessed"
	Failed      Outcome = "Failed"
	NotAssessed Outcome = "NotAssessed"
)

// Model is a model of a run with, once it has one, its outcome.
type Model struct {
	ModelID   uuid.UUID `json:"semanticModelId"`
	ModelName string    `json:"semanticModelName"`
	FirstLook bool      `json:"firstLook"`
	// TrackedItem says that the assessment made the model a tracked item; nil in
	// runs of before that was counted.
	TrackedItem *bool `json:"trackedItem,omitempty"`
}

// Result is how a model of a run ended. Error is nil exactly when it was
// Assessed; AssessmentID and the figures are zero unless it was.
type Result struct {
	ModelID        uuid.UUID          `json:"semanticModelId"`
	Outcome        Outcome            `json:"outcome"`
	AssessmentID   *uuid.UUID         `json:"assessmentId,omitempty"`
	Score          *int               `json:"score,omitempty"`
	ScoreDataAgent *int               `json:"scoreDataAgent,omitempty"`
	FindingsCount  *int               `json:"findingsCount,omitempty"`
	Error          *operation.Failure `json:"error,omitempty"`
	// TrackedItem says whether the assessment made the model a tracked item, when
	// that is not what its acceptance said.
	TrackedItem *bool `json:"trackedItem,omitempty"`
}

// OutcomeOf is the outcome of a model that met the code: what could not be read
// from the platform was not assessed, what was read and made no score failed.
func OutcomeOf(code domain.Code) Outcome {
	switch code {
	case domain.ItemNotReadable, domain.AssessmentFailed, domain.AssessmentTimedOut:
		return Failed
	}
	return NotAssessed
}

// RunAccepted follows operation.Accepted on the operation's stream: which
// models the run is over.
type RunAccepted struct {
	WorkspaceID   uuid.UUID `json:"workspaceId"`
	WorkspaceName string    `json:"workspaceName"`
	Models        []Model   `json:"models"`
}

// ModelEnded: one model of the run has its outcome. Each model has exactly one.
type ModelEnded struct {
	Result
}

// EventType implements domain.Event.
func (RunAccepted) EventType() string { return "assessment.run-accepted" }
func (ModelEnded) EventType() string  { return "assessment.model-ended" }

// Run is an operation that assesses one model or many, folded from the
// operation's stream.
type Run struct {
	Operation     operation.Operation
	WorkspaceID   uuid.UUID
	WorkspaceName string
	Models        []Model
	Results       []Result // in the order they ended
}

// EvolveRun returns r after e.
func EvolveRun(r Run, e domain.Event) Run {
	switch e := e.(type) {
	case RunAccepted:
		r.WorkspaceID, r.WorkspaceName, r.Models = e.WorkspaceID, e.WorkspaceName, e.Models
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

// Model returns the run's model with the id.
func (r Run) Model(id uuid.UUID) (Model, bool) {
	i := r.index(id)
	if i < 0 {
		return Model{}, false
	}
	return r.Models[i], true
}

func (r Run) index(id uuid.UUID) int {
	return slices.IndexFunc(r.Models, func(m Model) bool { return m.ModelID == id })
}

// Result returns how the model ended, if it has.
func (r Run) Result(id uuid.UUID) (Result, bool) {
	i := slices.IndexFunc(r.Results, func(m Result) bool { return m.ModelID == id })
	if i < 0 {
		return Result{}, false
	}
	return r.Results[i], true
}

// Open reports whether work on the model is still to be done.
func (r Run) Open(id uuid.UUID) bool {
	_, known := r.Model(id)
	_, ended := r.Result(id)
	return known && !ended && !r.Operation.Status.Ended()
}

// Single reports whether the run is a single assessment, of one model or agent.
func (r Run) Single() bool { return r.Operation.Type != operation.AssessSemanticModels }

// AcceptRun puts a run in the log as an operation.
type AcceptRun struct {
	Operation operation.Accepted
	Run       RunAccepted
}

// Decide implements domain.Command.
func (c AcceptRun) Decide(Run) ([]domain.Event, error) {
	return []domain.Event{c.Operation, c.Run}, nil
}

// Begin says that work on the run begins. It says so once.
type Begin struct{}

// Decide implements domain.Command.
func (Begin) Decide(r Run) ([]domain.Event, error) {
	if r.Operation.Status != operation.NotStarted {
		return nil, nil
	}
	if r.Single() {
		return []domain.Event{operation.Started{}}, nil
	}
	none := 0
	return []domain.Event{operation.Started{Percent: &none}}, nil
}

// EndModel gives a model of the run its outcome; the last one ends the
// operation. A model that has its outcome already keeps it, so a step that is
// carried out twice counts once.
//
// A run over many models succeeds when every model has an outcome, whatever it
// is (spec 3.1). A single assessment succeeds when its model was assessed.
type EndModel struct {
	Result Result
	// Standing is the model's before the end.
	Standing Standing
}

// Decide implements domain.Command.
func (c EndModel) Decide(r Run) ([]domain.Event, error) {
	if !r.Open(c.Result.ModelID) {
		return nil, nil
	}
	ended := ModelEnded{c.Result}
	r = EvolveRun(r, ended)
	done := len(r.Results)
	switch {
	case r.Single() && c.Result.Error != nil:
		return []domain.Event{ended, operation.Broken{Failure: *c.Result.Error, Impact: c.remaining(r)}}, nil
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
		return []domain.Event{ended, operation.ImpactCorrected{Impact: impact}, operation.Completed{}}, nil
	}
	return []domain.Event{ended, operation.Completed{}}, nil
}

// GivesBack reports whether a single assessment that failed with the code gives
// back what it spent: it failed before it did anything for the caller
// (decisions 5). A failed row of a bulk run is not given back (decisions 8.5).
func (r Run) GivesBack(code domain.Code) bool {
	if !r.Single() {
		return false
	}
	switch code {
	case domain.AssessmentNotStarted, domain.PlatformUnavailable, domain.CapacityPaused, domain.CapacityBusy:
		return true
	}
	return false
}

// remaining is what a failed single assessment still has spent. A first look
// that another assessment of the model stands on stays spent.
func (c EndModel) remaining(r Run) operation.Impact {
	m, _ := r.Model(c.Result.ModelID)
	spent := 1
	if r.GivesBack(c.Result.Error.Code) {
		spent = 0
		m.FirstLook = m.FirstLook && !c.Standing.GivesBackFirstLook()
	}
	i := Impact([]Model{m}, true)
	i.Assessments = &spent
	return i
}

// Impact is what a run over the models spends: how many assessments, and how
// many models it makes tracked items. A single assessment says of its one model
// whether it is a first look and whether it became a tracked item.
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
