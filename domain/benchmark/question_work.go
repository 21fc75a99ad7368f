package benchmark

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
)

// The defaults of a generation, and how long results are kept.
const (
	// DefaultGenerated is how many questions are generated unless the call says.
	DefaultGenerated = 20
	// ResultLife is how long the result of a generation or a save is kept.
	ResultLife = 7 * 24 * time.Hour
)

// QuestionStep is the only step of a generation or a save of questions; the operation's
// stream says which.
type QuestionStep struct {
	WorkspaceID uuid.UUID `json:"workspaceId"`
	ModelID     uuid.UUID `json:"semanticModelId"`
}

// GenerationAccepted records a generation. It follows operation.Accepted on its stream.
type GenerationAccepted struct {
	ModelName string `json:"semanticModelName"`
	Count     int    `json:"count"` // requested questions
	// Allowance is the stream on which the build was counted.
	Allowance string `json:"allowance"`
}

// SavingAccepted records a save of questions. It follows operation.Accepted on its
// stream.
type SavingAccepted struct {
	ModelName string `json:"semanticModelName"`
	// DocumentHash addresses the Set as the caller sent it.
	DocumentHash string `json:"documentHash"`
	Number       int    `json:"number"` // see SaveAccepted
	// Runnable is true if the set is saved only if every question can run.
	Runnable bool `json:"runnable,omitempty"`
}

// QuestionsMade records that questions were generated or saved. The document is the
// QuestionsResult; the log never contains the texts.
type QuestionsMade struct {
	DocumentHash    string `json:"documentHash"`
	QuestionSetHash string `json:"questionSetHash"`
	Count           int    `json:"count"`
	// CanRun is how many of the questions can run on the model.
	CanRun int `json:"canRun"`
}

func (GenerationAccepted) EventType() string { return "benchmark.generation-accepted" }
func (SavingAccepted) EventType() string     { return "benchmark.saving-accepted" }
func (QuestionsMade) EventType() string      { return "benchmark.questions-made" }

// QuestionWork is a generation or a save of questions, folded from its operation's
// stream.
type QuestionWork struct {
	Operation operation.Operation
	ModelName string
	Count     int    // for a generation
	Allowance string // for a generation
	Given     string // for a save: the hash of the document with the Set as the caller sent it
	Number    int    // for a save
	Runnable  bool   // for a save
	Made      *QuestionsMade
}

// EvolveQuestionWork returns w after e.
func EvolveQuestionWork(w QuestionWork, e domain.Event) QuestionWork {
	switch e := e.(type) {
	case GenerationAccepted:
		w.ModelName, w.Count, w.Allowance = e.ModelName, e.Count, e.Allowance
	case SavingAccepted:
		w.ModelName, w.Given, w.Number, w.Runnable = e.ModelName, e.DocumentHash, e.Number, e.Runnable
	case QuestionsMade:
		w.Made = &e
	default:
		w.Operation = operation.Evolve(w.Operation, e)
	}
	return w
}

// BeginQuestions records that work began; nothing when it has begun already.
type BeginQuestions struct{}

func (BeginQuestions) Decide(w QuestionWork) ([]domain.Event, error) {
	if w.Operation.Status != operation.StatusNotStarted {
		return nil, nil
	}
	return []domain.Event{operation.Started{}}, nil
}

// CompleteQuestions ends the operation with its result. A step that is executed twice
// records it once.
type CompleteQuestions struct{ Made QuestionsMade }

func (c CompleteQuestions) Decide(w QuestionWork) ([]domain.Event, error) {
	if w.Operation.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{c.Made, operation.Succeeded{}}, nil
}

// FailQuestions ends the operation without a result. NotBegun says that the work never
// began, so a generation's build is refunded whatever the code.
type FailQuestions struct {
	Failure  operation.Failure
	NotBegun bool
}

func (c FailQuestions) Decide(w QuestionWork) ([]domain.Event, error) {
	if w.Operation.Status.Ended() {
		return nil, nil
	}
	impact := w.Operation.Impact
	if w.Allowance != "" && c.refunds() {
		impact.BenchmarkBuilds = new(0)
	}
	return []domain.Event{operation.Failed{Failure: c.Failure, Impact: impact}}, nil
}

// refunds reports whether the failure came before anything was done for the caller
// (docs/decisions.md 5).
func (c FailQuestions) refunds() bool {
	switch c.Failure.Code {
	case domain.PlatformUnavailable, domain.CapacityPaused, domain.CapacityBusy:
		return true
	}
	return c.NotBegun
}

// Builds returns how many benchmark builds the work has spent.
func (w QuestionWork) Builds() int {
	if n := w.Operation.Impact.BenchmarkBuilds; n != nil {
		return *n
	}
	return 0
}

// QuestionsCode returns the code that an operation on questions fails with for the code
// of a refusal. A code that an operation's error cannot have becomes the nearest one
// that it can.
func QuestionsCode(c domain.Code) domain.Code {
	switch c {
	case domain.PlatformAccessDenied, domain.ItemNotFound, domain.PlatformUnavailable, domain.CapacityPaused, domain.CapacityBusy,
		domain.ItemNotReadable, domain.InvalidRequest:
		return c
	case domain.WorkspaceNotFound:
		return domain.ItemNotFound
	case domain.PlatformConsentRequired:
		return domain.PlatformAccessDenied
	}
	return domain.QuestionsNotGenerated
}

// QuestionsResult is a set and whether each question can run (docs/decisions.md 6,
// BenchmarkQuestions). It is the result of a generation or a save, and shows saved
// questions.
type QuestionsResult struct {
	SemanticModelID uuid.UUID `json:"semanticModelId"`
	QuestionSetHash string    `json:"questionSetHash"`
	Count           int       `json:"count"`
	CanRun          int       `json:"canRun"` // number of questions that can run
	Repeats         int       `json:"repeats"`
	Value           []Checked `json:"value"`
	// Warnings name what the questions do not consider: reports that could not be read.
	Warnings []string `json:"warnings,omitempty"`
}

// NewQuestionsResult returns the result for a model's set and its checked questions.
func NewQuestionsResult(modelID uuid.UUID, set Set, checked []Checked) QuestionsResult {
	r := QuestionsResult{SemanticModelID: modelID, QuestionSetHash: set.Hash(), Count: len(set.Questions), Repeats: set.Repeats,
		Value: checked}
	for _, q := range checked {
		if q.CanRun {
			r.CanRun++
		}
	}
	return r
}

// Made returns the event of the result, whose document has the hash.
func (r QuestionsResult) Made(documentHash string) QuestionsMade {
	return QuestionsMade{documentHash, r.QuestionSetHash, r.Count, r.CanRun}
}
