// Package assessment holds when a semantic model or a data agent may be assessed,
// what an assessment spends, and how a run over one or many goes (spec 4.4;
// decisions 5). What the score is, domain/readiness says.
//
// Both are assessed alike. Where a field is called a model's it is a data agent's
// when a data agent is assessed, and so it is stored: the names are from when only
// models were.
package assessment

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Standing is what the rules must know of a model's assessments in an account.
// Every event of the model's stream carries the standing after it, so the last one
// alone is the state however long the stream grows.
type Standing struct {
	// Accepted counts the assessments that were accepted and not given back.
	Accepted int `json:"accepted"`
	// Running counts those of them that have not ended. Assessments accepted
	// before it was counted are not in it.
	Running int `json:"running,omitempty"`
	// Recorded counts the assessments that are stored.
	Recorded int `json:"recorded"`
	// RegimeID is the scoring regime of the newest stored assessment,
	// UsageInScoring whether usage weighted its score, and Stage which of a data
	// agent's it was made of.
	RegimeID       string `json:"regimeId,omitempty"`
	UsageInScoring bool   `json:"usageInScoring,omitempty"`
	Stage          Stage  `json:"stage,omitempty"`
}

// GivesBackFirstLook reports whether giving an assessment back gives the first
// look of the model back: one is spent exactly while an accepted assessment
// stands, whichever of several it was counted with.
func (s Standing) GivesBackFirstLook() bool { return s.Accepted == 1 }

// Stream is the name of the stream of a model's assessments in an account.
func Stream(accountID string, modelID uuid.UUID) string {
	return "assessment-" + accountID + "-" + modelID.String()
}

// Accepted: an assessment of the model was accepted and counted. FirstLook says
// that it spent a first look (decisions 5).
type Accepted struct {
	OperationID uuid.UUID `json:"operationId"`
	WorkspaceID uuid.UUID `json:"workspaceId"`
	ModelID     uuid.UUID `json:"semanticModelId"`
	// ItemType was not recorded while only semantic models were assessed.
	ItemType  item.Type `json:"itemType,omitempty"`
	FirstLook bool      `json:"firstLook"`
	Standing  Standing  `json:"standing"`
}

// GivenBack: the assessment failed before it did anything for the caller.
type GivenBack struct {
	OperationID uuid.UUID `json:"operationId"`
	Standing    Standing  `json:"standing"`
}

// Recorded: an assessment of the model was made and its document stored.
type Recorded struct {
	Assessment
	Standing Standing `json:"standing"`
}

// Assessment is what is known of a stored assessment without its document.
type Assessment struct {
	AssessmentID   uuid.UUID `json:"assessmentId"`
	OperationID    uuid.UUID `json:"operationId"`
	WorkspaceID    uuid.UUID `json:"workspaceId"`
	WorkspaceName  string    `json:"workspaceName"`
	ModelID        uuid.UUID `json:"semanticModelId"`
	ModelName      string    `json:"semanticModelName"`
	AssessedAt     time.Time `json:"assessedAtUtc"`
	Score          *int      `json:"score"`
	ScoreDataAgent *int      `json:"scoreDataAgent"`
	FindingsCount  int       `json:"findingsCount"`
	RegimeID       string    `json:"regimeId"`
	// UsageInScoring says whether usage weighted the score.
	UsageInScoring bool `json:"usageInScoring"`
	// ComparableWithPrevious: the assessment before it was made by the same
	// scoring rules (spec 2.8), usage weighted both or neither (regime C.5), and of
	// a data agent both are of one stage (regime C.6, 2); false for the first.
	ComparableWithPrevious bool  `json:"comparableWithPrevious"`
	Usage                  Usage `json:"usage"`
	// DataAgent is nil for a semantic model.
	DataAgent *DataAgent `json:"dataAgent,omitempty"`
	// DocumentHash addresses the stored document; SchemaVersion is its shape.
	DocumentHash   string `json:"documentHash"`
	DefinitionHash string `json:"definitionHash"`
	SchemaVersion  int    `json:"schemaVersion"`
}

// Usage says whether usage of the model took part in the score, and why not
// (spec 2.9, usage).
type Usage struct {
	Applied bool       `json:"applied"`
	State   UsageState `json:"state,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	// WindowDays is how many days of views were looked at, Window which, and
	// Source where they come from; absent when none were.
	WindowDays *int         `json:"windowDays,omitempty"`
	Window     *UsageWindow `json:"window,omitempty"`
	Source     string       `json:"source,omitempty"`
	// TrackedReportCount is how many reports on the model have Pixies.
	TrackedReportCount *int        `json:"trackedReportCount,omitempty"`
	Access             item.Access `json:"access"`
}

// UsageWindow is the first and the last day (UTC, 2026-11-21) of the views that
// were looked at.
type UsageWindow struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// UsageState says whether usage weighted a score, and why not (decisions 4).
type UsageState string

// The states. Applied alone means that it did.
const (
	UsageApplied     UsageState = "Applied"
	NotGranted       UsageState = "NotGranted"
	NoTrackedReports UsageState = "NoTrackedReports"
	NoViews          UsageState = "NoViews"
	UsageUnavailable UsageState = "Unavailable"
)

// Ended: an assessment of the model that stays counted ended, and none was
// stored.
type Ended struct {
	OperationID uuid.UUID `json:"operationId"`
	Standing    Standing  `json:"standing"`
}

// EventType implements domain.Event.
func (Accepted) EventType() string  { return "assessment.accepted" }
func (GivenBack) EventType() string { return "assessment.given-back" }
func (Recorded) EventType() string  { return "assessment.recorded" }
func (Ended) EventType() string     { return "assessment.ended" }

// After implements domain.Carries.
func (e Accepted) After() Standing { return e.Standing }

// After implements domain.Carries.
func (e GivenBack) After() Standing { return e.Standing }

// After implements domain.Carries.
func (e Recorded) After() Standing { return e.Standing }

// After implements domain.Carries.
func (e Ended) After() Standing { return e.Standing }

// Accept takes an assessment of a model on. The first of an account is a first
// look.
type Accept struct {
	OperationID, WorkspaceID, ModelID uuid.UUID
	ItemType                          item.Type // as Accepted has it
}

// Decide implements domain.Command.
func (c Accept) Decide(s Standing) ([]domain.Event, error) {
	first := s.Accepted == 0
	s.Accepted++
	s.Running++
	return []domain.Event{Accepted{c.OperationID, c.WorkspaceID, c.ModelID, c.ItemType, first, s}}, nil
}

// GiveBack undoes an Accept whose work never began to help the caller.
type GiveBack struct{ OperationID uuid.UUID }

// Decide implements domain.Command.
func (c GiveBack) Decide(s Standing) ([]domain.Event, error) {
	s.Accepted = max(0, s.Accepted-1)
	return []domain.Event{GivenBack{c.OperationID, s.ended()}}, nil
}

// End says that an assessment ended without being stored or given back.
type End struct{ OperationID uuid.UUID }

// Decide implements domain.Command.
func (c End) Decide(s Standing) ([]domain.Event, error) {
	return []domain.Event{Ended{c.OperationID, s.ended()}}, nil
}

// ended is s with one assessment less that runs.
func (s Standing) ended() Standing {
	s.Running = max(0, s.Running-1)
	return s
}

// Record stores what an assessment found; ComparableWithPrevious is decided
// here and nowhere else.
type Record struct{ Assessment Assessment }

// Decide implements domain.Command.
func (c Record) Decide(s Standing) ([]domain.Event, error) {
	a := c.Assessment
	var stage Stage
	if a.DataAgent != nil {
		stage = a.DataAgent.Stage
	}
	a.ComparableWithPrevious = s.Recorded > 0 && s.RegimeID == a.RegimeID && s.UsageInScoring == a.UsageInScoring && s.Stage == stage
	s.Recorded++
	s.RegimeID, s.UsageInScoring, s.Stage = a.RegimeID, a.UsageInScoring, stage
	return []domain.Event{Recorded{a, s.ended()}}, nil
}
