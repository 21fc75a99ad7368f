package commands

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/internal/lists"
)

// pendingAssessment is an assessment run about to be accepted.
type pendingAssessment struct {
	caller      Caller
	operationID uuid.UUID
	kind        operation.Type
	itemType    item.Type
	workspace   item.Workspace
	models      []item.Item // or one data agent; looked up as the caller
	seen        []noticed   // to record with the run

	// acceptRun fills in the rest.
	state   workspaceState
	limits  account.Limits
	at      time.Time
	token   string // for the steps, until expires
	expires time.Time

	assessments, firstLooks *eventstore.Stream[account.Usage]
	run                     *eventstore.Stream[assessment.Run]
	owner                   *eventstore.Stream[account.Account]
	standings               []*eventstore.Stream[assessment.Standing] // of models
	tracking                *Tracking
}

// acceptRun counts, records and enqueues an assessment run over models, or over one
// data agent, that were looked up as the caller. It counts every assessment and
// first look up front; if an allowance or a cap on tracked items cannot cover the
// run, it refuses the run and spends nothing. It records what the listing revealed
// (seen) with the run, and reserves each model that may become a tracked item.
func (s *Assessments) acceptRun(ctx context.Context, p *pendingAssessment) (err error) {
	if err := assessment.CheckAssessable(p.models...); err != nil {
		return err
	}
	p.state = s.workspaceState(ctx, p.caller, p.workspace)
	if p.limits, err = s.limits(p.caller.Plan); err != nil {
		return err
	}
	p.at = s.Now()
	allowance := func(k account.Kind, of account.Allowance) *eventstore.Stream[account.Usage] {
		return eventstore.FoldLast[account.Usage](account.AllowanceStream(p.caller.Account, k, of.Period, p.at))
	}
	p.assessments = allowance(account.Assessments, p.limits.Assessments)
	p.firstLooks = allowance(account.FirstLooks, p.limits.FirstLooks)
	p.run = eventstore.Fold(operation.Stream(p.operationID), assessment.EvolveRun)
	p.owner, p.tracking = pastAccount(p.caller), Track(p.caller.Account, idsOf(p.models)...)
	pasts := append(p.tracking.Pasts(), p.assessments, p.firstLooks, p.run, p.owner)
	for _, m := range p.models {
		p.standings = append(p.standings, eventstore.FoldLast[assessment.Standing](assessment.Stream(p.caller.Account, m.ID)))
		pasts = append(pasts, p.standings[len(p.standings)-1])
	}
	p.token, p.expires = s.tokenFor(ctx, p.caller, len(p.models))
	return s.changeAsMember(ctx, p.caller, p.caller.metadata(p.operationID), append(pasts, pastsOf(p.seen)...),
		func(c *eventstore.Change) error { return s.decideRun(c, p) })
}

func (s *Assessments) decideRun(c *eventstore.Change, p *pendingAssessment) error {
	if err := p.state.checkStart(p.owner.State); err != nil {
		return err
	}
	regime, err := s.Regimes.Of(p.owner.State, s.Regime)
	if err != nil {
		return err
	}
	accepted, err := p.count(c)
	if err != nil {
		return err
	}
	if err := p.reserve(c); err != nil {
		return err
	}
	for i, m := range p.models {
		accepted[i].TrackedItem = new(p.tracking.Expects(p.operationID, m.ID))
	}
	if err := recordAll(c, p.seen); err != nil {
		return err
	}
	op := operation.Accepted{OperationID: p.operationID, AccountID: p.caller.Account, Type: p.kind, Owner: p.caller.PersonID,
		Resource: operation.Resource{WorkspaceID: p.workspace.ID, ItemType: p.itemType}}
	single := p.kind != operation.AssessSemanticModels
	if single {
		op.Resource.ItemID = &p.models[0].ID
	}
	op.Impact = assessment.Impact(accepted, single)
	if err := eventstore.Decide(c, p.run, assessment.StartAssessment{Operation: op, Run: assessment.RunAccepted{
		WorkspaceID: p.workspace.ID, WorkspaceName: p.workspace.DisplayName, Models: accepted, RegimeID: regime.ID,
	}}); err != nil {
		return err
	}
	c.Queue(s.Vault.Put(p.operationID, p.token, p.expires))
	s.keys.remember(c, p.caller, p.operationID)
	steps := lists.Map(p.models, func(m item.Item) assessment.Step {
		return assessment.Step{WorkspaceID: p.workspace.ID, ModelID: m.ID, Plan: p.caller.Plan, AcceptedAt: p.at}
	})
	c.QueueOf(func(ctx context.Context, tx pgx.Tx) error {
		return s.Jobs.Assess(ctx, tx, p.caller.origin(p.operationID), steps)
	})
	return nil
}

// count spends the assessments and the first looks, and returns the run's models.
func (p *pendingAssessment) count(c *eventstore.Change) ([]assessment.Model, error) {
	spend := account.Spend{Kind: account.Assessments, Allowance: p.limits.Assessments, OperationID: p.operationID, Amount: len(p.models),
		At: p.at}
	if err := eventstore.Decide(c, p.assessments, spend); err != nil {
		return nil, err
	}
	looks := 0
	accepted := make([]assessment.Model, len(p.models))
	for i, m := range p.models {
		if err := eventstore.Decide(c, p.standings[i], assessment.Accept{OperationID: p.operationID, WorkspaceID: p.workspace.ID,
			ModelID: m.ID, ItemType: p.itemType}); err != nil {
			return nil, err
		}
		first := !p.standings[i].State.Tracks()
		if first {
			looks++
		}
		accepted[i] = assessment.Model{ModelID: m.ID, ModelName: m.DisplayName, FirstLook: first}
	}
	spend = account.Spend{Kind: account.FirstLooks, Allowance: p.limits.FirstLooks, OperationID: p.operationID, Amount: looks, At: p.at}
	return accepted, eventstore.Decide(c, p.firstLooks, spend)
}

// reserve reserves the models that may become tracked items.
func (p *pendingAssessment) reserve(c *eventstore.Change) error {
	var claims []trackeditem.Reserve
	for i, m := range p.models {
		again := trackeditem.TrackAgain{WorkspaceID: p.workspace.ID, WorkspaceName: p.workspace.DisplayName, DisplayName: m.DisplayName}
		if err := eventstore.Decide(c, p.tracking.Stream(m.ID), again); err != nil {
			return err
		}
		if !p.tracking.Item(m.ID).Counts() && p.standings[i].State.Tracks() {
			claims = append(claims, reservation(p.operationID, p.workspace, m))
		}
	}
	return p.tracking.reserve(c, p.caller, p.owner.State, p.limits, claims...)
}

// reservation returns the command that reserves an item that was looked up as the
// caller.
func reservation(operationID uuid.UUID, workspace item.Workspace, it item.Item) trackeditem.Reserve {
	return trackeditem.Reserve{
		OperationID: operationID, ItemID: it.ID, ItemType: it.Type, WorkspaceID: workspace.ID, WorkspaceName: workspace.DisplayName,
		DisplayName: it.DisplayName,
	}
}
