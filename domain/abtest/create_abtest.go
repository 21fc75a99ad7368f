package abtest

import (
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// CreateRequest is the body of a call that creates a test. A member that was not given
// is nil.
type CreateRequest struct {
	Words
	SideA, SideB   SideRequest
	Source         SourceRequest
	Repeats        *int
	CorrectAnswers *string
	ReuseSideA     bool
}

// CreateABTest creates a test. Its first run starts with it.
type CreateABTest struct{ Created }

func (c CreateABTest) Decide(Test) ([]domain.Event, error) { return []domain.Event{c.Created}, nil }

// SideRequest is a side as the call names it.
type SideRequest struct {
	SemanticModelID, WorkspaceID uuid.UUID
	AnsweredBy                   AnswererRequest
}

// AnswererRequest is the AI that answers for a side, as the call names it.
type AnswererRequest struct {
	Kind        string
	DataAgentID *uuid.UUID
	// WorkspaceID is the data agent's workspace; nil means the semantic model's.
	WorkspaceID *uuid.UUID
	ProviderID  *string
	// RunID is the imported run that has the answers.
	RunID *uuid.UUID
}

// SourceRequest is the source of the questions, as the call names it.
type SourceRequest struct {
	Kind  string
	RunID *uuid.UUID
}

// Mode returns what happens to the correct answers; Preserve by default.
func (r CreateRequest) Mode() CorrectAnswers {
	if r.CorrectAnswers == nil {
		return Preserve
	}
	return CorrectAnswers(*r.CorrectAnswers)
}

// Check refuses a malformed request with InvalidRequest. The words must be trimmed.
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
		return domain.Refuse(domain.InvalidRequest, "source.runId cannot be combined with kind Questions; give it with kind Run only")
	case r.Mode() != Preserve && r.Mode() != Update:
		return domain.Refuse(domain.InvalidRequest, "correctAnswers must be Preserve or Update")
	case r.Mode() == Update && fromRun:
		return domain.Refuse(domain.InvalidRequest, "correctAnswers is Update, but a test from a stored run replays that run's answers; "+
			"leave it out, or use a source of kind Questions")
	case r.ReuseSideA && !fromRun:
		return domain.Refuse(domain.InvalidRequest, "reuseSideA keeps the answers of a stored run, so source.kind must be Run")
	}
	return CheckRepeats(r.Repeats)
}

// CheckRepeats refuses a number of repeats out of range; nil means not given.
func CheckRepeats(repeats *int) error {
	if repeats != nil && (*repeats < 1 || *repeats > benchmark.MaxRepeats) {
		return domain.Refuse(domain.InvalidRequest, "repeats is %d; it must be 1 to %d", *repeats, benchmark.MaxRepeats)
	}
	return nil
}

// Check refuses an answerer that lacks a member its kind needs, or has one its kind
// does not take. member is the answerer's path in the body.
func (a AnswererRequest) Check(member string) error {
	kind := verdict.AgentKind(a.Kind)
	agent := kind == verdict.DataAgent || kind == verdict.ServiceTestAgent
	switch {
	case kind == verdict.Imported && (a.RunID == nil || a.DataAgentID != nil || a.WorkspaceID != nil || a.ProviderID != nil):
		return domain.Refuse(domain.InvalidRequest, "%s.kind is Imported, so %s.runId must name the imported run, and nothing else", member, member)
	case kind == verdict.Imported:
		return nil
	case a.RunID != nil:
		return domain.Refuse(domain.InvalidRequest, "%s.runId goes with kind Imported only", member)
	case !agent && kind != verdict.PlatformAssistant && kind != verdict.GenericAgent:
		return domain.Refuse(domain.InvalidRequest, "%s.kind must be DataAgent, ServiceTestAgent, PlatformAssistant or GenericAgent",
			member)
	case agent && a.DataAgentID == nil:
		return domain.Refuse(domain.InvalidRequest, "%s.kind is %s, so %s.dataAgentId must name the data agent", member, kind, member)
	case !agent && (a.DataAgentID != nil || a.WorkspaceID != nil):
		return domain.Refuse(domain.InvalidRequest, "%s.kind is %s, which has no data agent; leave dataAgentId and workspaceId out", member,
			kind)
	case kind == verdict.GenericAgent && (a.ProviderID == nil || *a.ProviderID == ""):
		return domain.Refuse(domain.InvalidRequest, "%s.kind is GenericAgent, so %s.providerId must name the saved AI provider", member,
			member)
	case kind != verdict.GenericAgent && a.ProviderID != nil:
		return domain.Refuse(domain.InvalidRequest, "%s.kind is %s, which asks no AI provider; leave providerId out", member, kind)
	}
	return nil
}

// CheckAsks refuses an answerer that cannot be asked, since its answers were imported.
func (a AnswererRequest) CheckAsks(member string) error {
	if a.RunID == nil {
		return nil
	}
	return domain.Refuse(domain.InvalidRequest, "%s.kind is Imported, and an imported run is judged already; only A/B tests take it", member)
}

// CheckReuse refuses the answers of a stored run for side A that another answerer gave,
// or that the model which side B asks has judged; judge is nil when none judged them.
func CheckReuse(stored benchmark.Run, judge *verdict.Judge, sideA, sideB benchmark.Side, saved aiprovider.Providers) error {
	switch {
	case !stored.Side.AnsweredBy.Same(sideA.AnsweredBy):
		return domain.Refuse(domain.InvalidRequest, "side A cannot keep the answers of run %s: sideA.answeredBy does not name the %s "+
			"that gave them", stored.RunID, stored.Side.AnsweredBy.Kind).
			About("runId", stored.RunID)
	case judge != nil && slices.Contains(saved.Aliases([]string{judge.ProviderID}), sideB.AnsweredBy.ProviderID):
		return domain.Refuse(domain.InvalidRequest, "side A cannot keep the answers of run %s: they were judged by the AI provider that "+
			"side B asks, and no side judges; ask side A again", stored.RunID).
			About("runId", stored.RunID)
	}
	return nil
}

// CheckReadable refuses to compute the correct answers from a side A whose definition
// cannot be parsed; unreadable says why, nil when it can.
func CheckReadable(unreadable error) error {
	if unreadable == nil {
		return nil
	}
	return domain.Refuse(domain.InvalidRequest, "the correct answers cannot be computed from side A: its definition cannot be read: %s",
		unreadable)
}
