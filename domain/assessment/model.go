// Package assessment holds when a semantic model or a data agent may be assessed, what
// an assessment spends, and how a run over one or many goes (docs/specification.md 4.4;
// docs/decisions.md 5). Package domain/readiness computes the score.
//
// Models and data agents are assessed alike. For a data agent, fields and JSON members
// named after a model hold the data agent's values; the names date from when only
// models were assessed.
package assessment

import (
	"time"

	"github.com/google/uuid"

	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/item"
)

// Standing is the state of a model's assessments in an account that the rules need.
// Every event of the model's stream carries the standing after it, so the last event
// alone is the state however long the stream grows.
type Standing struct {
	// Accepted counts the assessments that were accepted and not refunded.
	Accepted int `json:"accepted"`
	// Running counts the assessments that have not ended, except those accepted before
	// this was counted.
	Running int `json:"running,omitempty"`
	// Recorded counts the stored assessments.
	Recorded int `json:"recorded"`
	// Basis is that of the newest stored assessment.
	Basis
}

// RefundsFirstLook reports whether refunding an assessment also refunds the model's
// first look. It does exactly when no other accepted assessment remains, whichever of
// them spent it.
func (s Standing) RefundsFirstLook() bool { return s.Accepted == 1 }

// Stream returns the name of the stream of a model's assessments in an account.
func Stream(accountID string, modelID uuid.UUID) string {
	return "assessment-" + accountID + "-" + modelID.String()
}

// Accepted records that an assessment of the model was accepted and counted. FirstLook
// says whether it spent a first look (docs/decisions.md 5).
type Accepted struct {
	OperationID uuid.UUID `json:"operationId"`
	WorkspaceID uuid.UUID `json:"workspaceId"`
	ModelID     uuid.UUID `json:"semanticModelId"`
	// ItemType is empty in events from when only semantic models were assessed.
	ItemType  item.Type `json:"itemType,omitempty"`
	FirstLook bool      `json:"firstLook"`
	Standing  Standing  `json:"standing"`
}

// Refunded records that the assessment failed before it did anything for the caller,
// so its spending was refunded.
type Refunded struct {
	OperationID uuid.UUID `json:"operationId"`
	Standing    Standing  `json:"standing"`
}

// Recorded records that an assessment was made and its document stored.
type Recorded struct {
	Assessment
	Standing Standing `json:"standing"`
}

// Assessment is the metadata of a stored assessment, without its document.
type Assessment struct {
	AssessmentID  uuid.UUID `json:"assessmentId"`
	OperationID   uuid.UUID `json:"operationId"`
	WorkspaceID   uuid.UUID `json:"workspaceId"`
	WorkspaceName string    `json:"workspaceName"`
	ModelID       uuid.UUID `json:"semanticModelId"`
	ModelName     string    `json:"semanticModelName"`
	// AssessedAt is when the definition was assessed.
	AssessedAt time.Time `json:"assessedAtUtc"`
	// Score is the score, 0 to 100; null for none.
	Score *int `json:"score"`
	// ScoreDataAgent is the score for data agents, 0 to 100; null for none.
	ScoreDataAgent *int `json:"scoreDataAgent"`
	// FindingsCount is how many findings there are.
	FindingsCount int `json:"findingsCount"`
	// Severities counts the findings by severity, and Dimensions has the score of each
	// dimension by its id, null where no rule applies. Both are nil in assessments from
	// before they were recorded.
	Severities *Severities     `json:"findingsBySeverity,omitempty"`
	Dimensions map[string]*int `json:"dimensions,omitempty"`
	// AIFormat is the format of what the model tells an AI; "" for a data agent, where
	// the platform does not show it, and in assessments from before it was recorded.
	AIFormat semanticmodel.AIFormat `json:"aiFormat,omitempty"`
	// LeavingQnA is what leaves with Q&A; nil for a data agent, and in assessments from
	// before it was recorded.
	LeavingQnA *LeavingQnA `json:"leavingQnA,omitempty"`
	RegimeID   string      `json:"regimeId"`
	// UsageInScoring says whether usage weighted the score.
	UsageInScoring bool `json:"usageInScoring"`
	// ComparableWithPrevious is true when the previous assessment has a score that rests
	// on the same (Basis); false for the first assessment.
	ComparableWithPrevious bool `json:"comparableWithPrevious"`
	// NotAssessable are the rules that could not judge, and ScoreComplete says that there
	// are none. Both are nil for a regime without such rules.
	NotAssessable []NotAssessable `json:"notAssessable,omitempty"`
	ScoreComplete *bool           `json:"scoreComplete,omitempty"`
	// Usage says how far usage counted in the score.
	Usage Usage `json:"usage"`
	// DataAgent is nil for a semantic model.
	DataAgent *DataAgent `json:"dataAgent,omitempty"`
	// DocumentHash addresses the stored document; SchemaVersion is the version of its
	// schema.
	DocumentHash string `json:"documentHash"`
	// DefinitionHash is the hash of the definition that was assessed.
	DefinitionHash string `json:"definitionHash"`
	SchemaVersion  int    `json:"schemaVersion"`
	// FingerprintHash addresses the stored fingerprint of a model whose run compares its
	// models; "" for others.
	FingerprintHash string `json:"fingerprintHash,omitempty"`
}

// Severities counts findings by severity.
type Severities struct {
	// High is the number of findings of high severity.
	High int `json:"high"`
	// Medium is the number of findings of medium severity.
	Medium int `json:"medium"`
	// Low is the number of findings of low severity.
	Low int `json:"low"`
}

// Usage says whether usage of the model took part in the score and, if not, why.
type Usage struct {
	// Applied says that usage counted in the score.
	Applied bool `json:"applied"`
	// State is how far usage was known.
	State UsageState `json:"state,omitempty"`
	// Reason is why it did or did not.
	Reason string `json:"reason,omitempty"`
	// WindowDays is the number of days over which views were counted, Window the first
	// and last of them, and Source where the views come from; absent when none were
	// counted.
	WindowDays *int         `json:"windowDays,omitempty"`
	Window     *UsageWindow `json:"window,omitempty"`
	// Source is where the usage was read from.
	Source string `json:"source,omitempty"`
	// TrackedReportCount is how many reports on the model have Pixies.
	TrackedReportCount *int `json:"trackedReportCount,omitempty"`
	// Access is the person's permission to see usage.
	Access item.Access `json:"access"`
}

// UsageWindow is the first and the last day (UTC, as 2026-11-21) of the views that were
// counted.
type UsageWindow struct {
	// From is the first day, such as 2026-11-01.
	From string `json:"from"`
	// To is the last day.
	To string `json:"to"`
}

// UsageState says whether usage weighted a score and, if not, why (docs/decisions.md
// 4).
type UsageState string

// The states. Only Applied means that usage weighted the score.
const (
	UsageApplied     UsageState = "Applied"
	NotGranted       UsageState = "NotGranted"
	NoTrackedReports UsageState = "NoTrackedReports"
	NoViews          UsageState = "NoViews"
	UsageUnavailable UsageState = "Unavailable"
)

// Ended records that an assessment ended without a stored result and without a refund.
type Ended struct {
	OperationID uuid.UUID `json:"operationId"`
	Standing    Standing  `json:"standing"`
}

func (Accepted) EventType() string { return "assessment.accepted" }
func (Refunded) EventType() string { return "assessment.refunded" }
func (Recorded) EventType() string { return "assessment.recorded" }
func (Ended) EventType() string    { return "assessment.ended" }

func (e Accepted) After() Standing { return e.Standing }
func (e Refunded) After() Standing { return e.Standing }
func (e Recorded) After() Standing { return e.Standing }
func (e Ended) After() Standing    { return e.Standing }

// Accept records a new assessment of a model. An account's first one is a first look.
type Accept struct {
	OperationID, WorkspaceID, ModelID uuid.UUID
	ItemType                          item.Type // see Accepted
}

func (c Accept) Decide(s Standing) ([]domain.Event, error) {
	first := s.Accepted == 0
	s.Accepted++
	s.Running++
	return []domain.Event{Accepted{c.OperationID, c.WorkspaceID, c.ModelID, c.ItemType, first, s}}, nil
}

// Refund refunds an accepted assessment that failed before it did anything for the
// caller.
type Refund struct{ OperationID uuid.UUID }

func (c Refund) Decide(s Standing) ([]domain.Event, error) {
	s.Accepted = max(0, s.Accepted-1)
	return []domain.Event{Refunded{c.OperationID, s.ended()}}, nil
}

// End records that an assessment ended without a stored result and without a refund.
type End struct{ OperationID uuid.UUID }

func (c End) Decide(s Standing) ([]domain.Event, error) {
	return []domain.Event{Ended{c.OperationID, s.ended()}}, nil
}

// ended returns s with one running assessment fewer.
func (s Standing) ended() Standing {
	s.Running = max(0, s.Running-1)
	return s
}

// Record stores the result of an assessment. It alone decides ComparableWithPrevious.
type Record struct{ Assessment Assessment }

func (c Record) Decide(s Standing) ([]domain.Event, error) {
	a := c.Assessment
	a.ComparableWithPrevious = s.Recorded > 0 && s.Basis.Comparable(a.Basis())
	s.Recorded++
	s.Basis = a.Basis()
	return []domain.Event{Recorded{a, s.ended()}}, nil
}
