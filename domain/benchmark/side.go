package benchmark

import (
	"github.com/google/uuid"

	"readiness/domain/comparison"
)

// Side is a semantic model and what answers questions about it (spec 2.11). Its
// names are those last seen on the platform.
type Side struct {
	WorkspaceID       uuid.UUID  `json:"workspaceId"`
	WorkspaceName     string     `json:"workspaceName,omitempty"`
	SemanticModelID   uuid.UUID  `json:"semanticModelId"`
	SemanticModelName string     `json:"semanticModelName,omitempty"`
	AnsweredBy        AnsweredBy `json:"answeredBy"`
}

// AnsweredBy is what answers for a side. A data agent and its workspace are there
// exactly for the kinds that have one, a provider exactly for GenericAgent.
type AnsweredBy struct {
	Kind                   comparison.AgentKind `json:"kind"`
	DataAgentID            *uuid.UUID           `json:"dataAgentId,omitempty"`
	DataAgentName          string               `json:"dataAgentName,omitempty"`
	DataAgentWorkspaceID   *uuid.UUID           `json:"dataAgentWorkspaceId,omitempty"`
	DataAgentWorkspaceName string               `json:"dataAgentWorkspaceName,omitempty"`
	ProviderID             string               `json:"providerId,omitempty"`
	ProviderName           string               `json:"providerName,omitempty"`
}

// Same reports whether both are the same answerer, whatever it is called now.
func (a AnsweredBy) Same(o AnsweredBy) bool {
	return a.Kind == o.Kind && a.ProviderID == o.ProviderID &&
		(a.DataAgentID == o.DataAgentID || a.DataAgentID != nil && o.DataAgentID != nil && *a.DataAgentID == *o.DataAgentID)
}

// Reply is what came of asking one question once.
type Reply struct {
	Answer comparison.Answer
	// Failure is why there is no answer after all attempts; nil with one. What
	// keeps the whole side from answering is an error instead.
	Failure *comparison.Failure
	// DurationMS is from the ask to the last token, without what was waited while
	// throttled or between attempts.
	DurationMS int64
	Attempts   int
	Remote     *comparison.Remote
	// Usage is what a provider counted, nil where none does.
	Usage *comparison.TokenUsage
}
