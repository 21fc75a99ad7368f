package abtest

import (
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/comparison"
)

// CreateRequest is the body of a call that creates a test (spec 4.6,
// CreateAbTestRequest). What was not given is nil.
type CreateRequest struct {
	Words
	SideA, SideB   SideRequest
	Source         SourceRequest
	Repeats        *int
	CorrectAnswers *string
	ReuseSideA     bool
}

// SideRequest is a side as a call names it.
type SideRequest struct {
	SemanticModelID, WorkspaceID uuid.UUID
	AnsweredBy                   AnswererRequest
}

// AnswererRequest is what answers for a side, as a call names it.
type AnswererRequest struct {
	Kind        string
	DataAgentID *uuid.UUID
	// WorkspaceID is the data agent's, by default the semantic model's.
	WorkspaceID *uuid.UUID
	ProviderID  *string
}

// SourceRequest is where the questions come from, as a call names it.
type SourceRequest struct {
	Kind  string
	RunID *uuid.UUID
}

// Mode is what happens to the correct answers.
func (r CreateRequest) Mode() CorrectAnswers {
	if r.CorrectAnswers == nil {
		return Preserve
	}
	return CorrectAnswers(*r.CorrectAnswers)
}

// Check refuses a request that is not well formed; the words must be trimmed.
func (r CreateRequest) Check() error {
	if err := r.Words.Check(); err != nil {
		return err
	}
	if err := r.SideA.AnsweredBy.Check("sideA.answeredBy"); err != nil {
		return err
	}
	if err := r.SideB.AnsweredBy.Check("sideB.answeredBy"); err != nil {
		return err
	}
	fromRun := r.Source.Kind == string(FromRun)
	switch {
	case !fromRun && r.Source.Kind != string(FromQuestions):
		return domain.Refuse(domain.InvalidRequest, "source.kind must be Run or Questions")
	case fromRun && r.Source.RunID == nil:
		return domain.Refuse(domain.InvalidRequest, "source.kind is Run, so source.runId must name the stored benchmark run")
	case !fromRun && r.Source.RunID != nil:
		return domain.Refuse(domain.InvalidRequest, "source.runId stands beside kind Questions; name it with kind Run only")
	case r.Mode() != Preserve && r.Mode() != Update:
		return domain.Refuse(domain.InvalidRequest, "correctAnswers must be Preserve or Update")
	case r.Mode() == Update && fromRun:
		return domain.Refuse(domain.InvalidRequest, "correctAnswers is Update, but a test from a stored run replays that run's answers; leave it out, or use a source of kind Questions")
	case r.ReuseSideA && !fromRun:
		return domain.Refuse(domain.InvalidRequest, "reuseSideA keeps the answers of a stored run, so source.kind must be Run")
	}
	return CheckRepeats(r.Repeats)
}

// CheckRepeats refuses repeats out of their range; nil is not given.
func CheckRepeats(repeats *int) error {
	if repeats != nil && (*repeats < 1 || *repeats > benchmark.MaxRepeats) {
		return domain.Refuse(domain.InvalidRequest, "repeats is %d; it must be 1 to %d", *repeats, benchmark.MaxRepeats)
	}
	return nil
}

// Check refuses an answerer that lacks what its kind needs, or names what its
// kind does not have. Member is its path in the body.
func (a AnswererRequest) Check(member string) error {
	kind := comparison.AgentKind(a.Kind)
	agent := kind == comparison.DataAgent || kind == comparison.ServiceTestAgent
	switch {
	case !agent && kind != comparison.PlatformAssistant && kind != comparison.GenericAgent:
		return domain.Refuse(domain.InvalidRequest, "%s.kind must be DataAgent, ServiceTestAgent, PlatformAssistant or GenericAgent", member)
	case agent && a.DataAgentID == nil:
		return domain.Refuse(domain.InvalidRequest, "%s.kind is %s, so %s.dataAgentId must name the data agent", member, kind, member)
	case !agent && (a.DataAgentID != nil || a.WorkspaceID != nil):
		return domain.Refuse(domain.InvalidRequest, "%s.kind is %s, which has no data agent; leave dataAgentId and workspaceId out", member, kind)
	case kind == comparison.GenericAgent && (a.ProviderID == nil || *a.ProviderID == ""):
		return domain.Refuse(domain.InvalidRequest, "%s.kind is GenericAgent, so %s.providerId must name the saved AI provider", member, member)
	case kind != comparison.GenericAgent && a.ProviderID != nil:
		return domain.Refuse(domain.InvalidRequest, "%s.kind is %s, which asks no AI provider; leave providerId out", member, kind)
	}
	return nil
}

// AgainRequest is the body of a call that runs a test again (spec 4.6,
// RunAbTestAgainRequest).
type AgainRequest struct {
	QuestionSet *string
	ReuseRunID  *uuid.UUID
}

// Set is which questions are asked.
func (r AgainRequest) Set() QuestionSet {
	if r.QuestionSet == nil {
		return Frozen
	}
	return QuestionSet(*r.QuestionSet)
}

// Check refuses a request that is not well formed.
func (r AgainRequest) Check() error {
	switch {
	case r.Set() != Frozen && r.Set() != Current:
		return domain.Refuse(domain.InvalidRequest, "questionSet must be Frozen or Current")
	case r.Set() == Current && r.ReuseRunID != nil:
		return domain.Refuse(domain.InvalidRequest, "reuseRunId stands beside questionSet Current; a stored run asked the frozen questions")
	}
	return nil
}
