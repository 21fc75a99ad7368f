package benchmark

import (
	"github.com/google/uuid"

	"readiness/domain/verdict"
)

// Side is a semantic model and the AI that answers questions about it. Its names are
// those last seen on the platform.
type Side struct {
	WorkspaceID       uuid.UUID `json:"workspaceId"`
	WorkspaceName     string    `json:"workspaceName,omitempty"`
	SemanticModelID   uuid.UUID `json:"semanticModelId"`
	SemanticModelName string    `json:"semanticModelName,omitempty"`
	// AnsweredBy is who answers.
	AnsweredBy AnsweredBy `json:"answeredBy"`
}

// AnsweredBy is the AI that answers for a side. The data agent's members are set
// exactly for kinds with a data agent, the provider's exactly for GenericAgent.
type AnsweredBy struct {
	// Kind says who answers.
	Kind                   verdict.AgentKind `json:"kind"`
	DataAgentID            *uuid.UUID        `json:"dataAgentId,omitempty"`
	DataAgentName          string            `json:"dataAgentName,omitempty"`
	DataAgentWorkspaceID   *uuid.UUID        `json:"dataAgentWorkspaceId,omitempty"`
	DataAgentWorkspaceName string            `json:"dataAgentWorkspaceName,omitempty"`
	ProviderID             string            `json:"providerId,omitempty"`
	// ProviderName is what the administrators called the provider.
	ProviderName string `json:"providerName,omitempty" pii:"text"`
	// RunID is the imported run that has the answers; like Who, exactly for Imported.
	RunID *uuid.UUID `json:"runId,omitempty"`
	// Who gave the answers, as their files say.
	Who string `json:"who,omitempty" pii:"text"`
}

// Same reports whether both are the same answerer, whatever their names.
func (a AnsweredBy) Same(o AnsweredBy) bool {
	return a.Kind == o.Kind && a.ProviderID == o.ProviderID && equal(a.DataAgentID, o.DataAgentID) && equal(a.RunID, o.RunID)
}

func equal(a, b *uuid.UUID) bool { return a == b || a != nil && b != nil && *a == *b }

// Imported reports whether the answers were given elsewhere: nothing is asked.
func (a AnsweredBy) Imported() bool { return a.Kind == verdict.Imported }

// Reply is the result of asking one question once.
type Reply struct {
	Answer verdict.Answer
	// Failure says why there is no answer after all attempts; nil with an answer. A
	// problem that keeps the side from answering at all is returned as an error
	// instead.
	Failure *verdict.Failure
	// DurationMS is the time from the ask to the last token, without waits for
	// throttling and between attempts.
	DurationMS int64
	Attempts   int
	Remote     *verdict.Remote
	// Usage is the provider's token count; nil when it reports none.
	Usage *verdict.TokenUsage
}
