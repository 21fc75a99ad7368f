package benchmark

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
)

// What a generation makes unless the call says otherwise, and how long results stay.
const (
	// DefaultGenerated is how many are generated when the call does not say.
	DefaultGenerated = 20
	// ResultLife is how long the result of a generation or a saving is kept.
	ResultLife = 7 * 24 * time.Hour
)

// QuestionStep is the one step of a generation or a saving of questions; which it
// is, the operation's stream says. It holds no token; the vault does.
type QuestionStep struct {
	AccountID   string      `json:"accountId"`
	OperationID uuid.UUID   `json:"operationId"`
	WorkspaceID uuid.UUID   `json:"workspaceId"`
	ModelID     uuid.UUID   `json:"semanticModelId"`
	Person      item.Person `json:"person"`
	RequestID   string      `json:"requestId,omitempty"`
	Trace       string      `json:"trace,omitempty"`
}

// GenerationAccepted follows operation.Accepted on the stream of a generation.
type GenerationAccepted struct {
	ModelName string `json:"semanticModelName"`
	Count     int    `json:"count"` // of questions asked for
	// Allowance is the stream on which the build was counted.
	Allowance string `json:"allowance"`
}

// SavingAccepted follows operation.Accepted on the stream of a saving.
type SavingAccepted struct {
	ModelName string `json:"semanticModelName"`
	// DocumentHash addresses the Set as the call had it.
	DocumentHash string `json:"documentHash"`
	Number       int    `json:"number"` // of the SaveAccepted
}

// QuestionsMade: the questions were generated, or saved. The document is the
// QuestionsResult; texts are never in the log.
type QuestionsMade struct {
	DocumentHash    string `json:"documentHash"`
	QuestionSetHash string `json:"questionSetHash"`
	Count           int    `json:"count"`
	CanRun          int    `json:"canRun"`
}

// EventType implements domain.Event.
func (GenerationAccepted) EventType() string { return "benchmark.generation-accepted" }
func (SavingAccepted) EventType() string     { return "benchmark.saving-accepted" }
func (QuestionsMade) EventType() string      { return "benchmark.questions-made" }

// QuestionWork is a generation or a saving of questions, folded from its
// operation's stream.
type QuestionWork struct {
	Operation operation.Operation
	ModelName string
	Count     int    // of a generation
	Allowance string // of a generation
	Given     string // of a saving: the document of the set as the call had it
	Number    int    // of a saving
	Made      *QuestionsMade
}

// EvolveQuestionWork returns w after e.
func EvolveQuestionWork(w QuestionWork, e domain.Event) QuestionWork {
	switch e := e.(type) {
	case GenerationAccepted:
		w.ModelName, w.Count, w.Allowance = e.ModelName, e.Count, e.Allowance
	case SavingAccepted:
		w.ModelName, w.Given, w.Number = e.ModelName, e.DocumentHash, e.Number
	case QuestionsMade:
		w.Made = &e
	default:
		w.Operation = operation.Evolve(w.Operation, e)
	}
	return w
}

// AcceptGeneration puts a generation in the log as an operation.
type AcceptGeneration struct {
	Operation  operation.Accepted
	Generation GenerationAccepted
}

// Decide implements domain.Command.
func (c AcceptGeneration) Decide(QuestionWork) ([]domain.Event, error) {
	return []domain.Event{c.Operation, c.Generation}, nil
}

// AcceptSaving puts a saving in the log as an operation.
type AcceptSaving struct {
	Operation operation.Accepted
	Saving    SavingAccepted
}

// Decide implements domain.Command.
func (c AcceptSaving) Decide(QuestionWork) ([]domain.Event, error) {
	return []domain.Event{c.Operation, c.Saving}, nil
}

// BeginQuestions says that work begins. It says so once.
type BeginQuestions struct{}

// Decide implements domain.Command.
func (BeginQuestions) Decide(w QuestionWork) ([]domain.Event, error) {
	if w.Operation.Status != operation.NotStarted {
		return nil, nil
	}
	return []domain.Event{operation.Started{}}, nil
}

// EndQuestions records what was made; a step that is carried out twice records it
// once.
type EndQuestions struct{ Made QuestionsMade }

// Decide implements domain.Command.
func (c EndQuestions) Decide(w QuestionWork) ([]domain.Event, error) {
	if w.Operation.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{c.Made, operation.Completed{}}, nil
}

// FailQuestions ends the operation without a result. NotBegun says that a
// generation's work never began, so that its build is given back whatever the code.
type FailQuestions struct {
	Failure  operation.Failure
	NotBegun bool
}

// Decide implements domain.Command.
func (c FailQuestions) Decide(w QuestionWork) ([]domain.Event, error) {
	if w.Operation.Status.Ended() {
		return nil, nil
	}
	impact := w.Operation.Impact
	if w.Allowance != "" && c.givesBack() {
		impact.BenchmarkBuilds = new(0)
	}
	return []domain.Event{operation.Broken{Failure: c.Failure, Impact: impact}}, nil
}

// givesBack reports whether the failure came before anything was done for the
// caller (decisions 5).
func (c FailQuestions) givesBack() bool {
	switch c.Failure.Code {
	case domain.PlatformUnavailable, domain.CapacityPaused, domain.CapacityBusy:
		return true
	}
	return c.NotBegun
}

// Builds is how many benchmark builds the work has spent.
func (w QuestionWork) Builds() int {
	if n := w.Operation.Impact.BenchmarkBuilds; n != nil {
		return *n
	}
	return 0
}

// QuestionsCode is the code that an operation on questions fails with (spec 2.7):
// those the list does not have become the nearest it has.
func QuestionsCode(c domain.Code) domain.Code {
	switch c {
	case domain.PlatformAccessDenied, domain.ItemNotFound, domain.PlatformUnavailable, domain.CapacityPaused, domain.CapacityBusy, domain.ItemNotReadable:
		return c
	case domain.WorkspaceNotFound:
		return domain.ItemNotFound
	case domain.PlatformConsentRequired:
		return domain.PlatformAccessDenied
	}
	return domain.QuestionsNotGenerated
}

// QuestionsResult is a set with whether each question can run (decisions 6,
// BenchmarkQuestions): the result of a generation or a saving, and what the saved
// questions are shown as.
type QuestionsResult struct {
	SemanticModelID uuid.UUID `json:"semanticModelId"`
	QuestionSetHash string    `json:"questionSetHash"`
	Count           int       `json:"count"`
	CanRun          int       `json:"canRun"` // how many can
	Repeats         int       `json:"repeats"`
	Value           []Checked `json:"value"`
}

// NewQuestionsResult is the set of a model, each question of which was looked at.
func NewQuestionsResult(modelID uuid.UUID, set Set, checked []Checked) QuestionsResult {
	r := QuestionsResult{SemanticModelID: modelID, QuestionSetHash: set.Hash(), Count: len(set.Questions), Repeats: set.Repeats, Value: checked}
	for _, q := range checked {
		if q.CanRun {
			r.CanRun++
		}
	}
	return r
}

// Made is what the log keeps of the result, whose document has the hash.
func (r QuestionsResult) Made(documentHash string) QuestionsMade {
	return QuestionsMade{documentHash, r.QuestionSetHash, r.Count, r.CanRun}
}
