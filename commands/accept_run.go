package commands

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
)

// acceptRun counts, records and enqueues an assessment run over models, or over one
// data agent, that were looked up as the caller. It counts every assessment and
// first look up front; if an allowance or a cap on tracked items cannot cover the
// run, it refuses the run and spends nothing. It records what the listing revealed
// (seen) with the run, and reserves each model that may become a tracked item.
func (s *Assessments) acceptRun(ctx context.Context, caller Caller, operationID uuid.UUID, kind operation.Type, workspace item.Workspace,
	models []item.Item, seen []noticed) error {
	if err := checkAssessable(models); err != nil {
		return err
	}
	state := s.workspaceState(ctx, caller, workspace)
	limits, err := s.limits(caller.Plan)
	if err != nil {
		return err
	}
	at := s.Now()
	itemType := item.SemanticModel
	if kind == operation.AssessDataAgent {
		itemType = item.DataAgent
	}

	assessments := eventstore.FoldLast[account.Usage](account.AllowanceStream(caller.Account, account.Assessments,
		limits.Assessments.Period, at))
	firstLooks := eventstore.FoldLast[account.Usage](account.AllowanceStream(caller.Account, account.FirstLooks, limits.FirstLooks.Period,
		at))
	run := eventstore.Fold(operation.Stream(operationID), assessment.EvolveRun)
	owner := pastAccount(caller)
	ids := make([]uuid.UUID, len(models))
	for i, m := range models {
		ids[i] = m.ID
	}
	tracking := Track(caller.Account, ids...)
	standings := make([]*eventstore.Past[assessment.Standing], len(models))
	pasts := append(tracking.Pasts(), assessments, firstLooks, run, owner)
	for i, m := range models {
		standings[i] = eventstore.FoldLast[assessment.Standing](assessment.Stream(caller.Account, m.ID))
		pasts = append(pasts, standings[i])
	}
	for _, n := range seen {
		pasts = append(pasts, n.past)
	}

	return s.changeAsMember(ctx, caller, caller.metadata(operationID), pasts, func(c *eventstore.Change) error {
		if err := state.checkStart(owner.State); err != nil {
			return err
		}
		spend := account.Spend{Kind: account.Assessments, Allowance: limits.Assessments, OperationID: operationID, Amount: len(models),
			At: at}
		if err := eventstore.Decide(c, assessments, spend); err != nil {
			return err
		}
		looks := 0
		accepted := make([]assessment.Model, len(models))
		for i, m := range models {
			if err := eventstore.Decide(c, standings[i],
				assessment.Accept{OperationID: operationID, WorkspaceID: workspace.ID, ModelID: m.ID, ItemType: itemType}); err != nil {
				return err
			}
			first := standings[i].State.Accepted == 1
			if first {
				looks++
			}
			accepted[i] = assessment.Model{ModelID: m.ID, ModelName: m.DisplayName, FirstLook: first}
		}
		spend = account.Spend{Kind: account.FirstLooks, Allowance: limits.FirstLooks, OperationID: operationID, Amount: looks, At: at}
		if err := eventstore.Decide(c, firstLooks, spend); err != nil {
			return err
		}
		var claims []trackeditem.Reserve
		for i, m := range models {
			again := trackeditem.TrackAgain{WorkspaceID: workspace.ID, WorkspaceName: workspace.DisplayName, DisplayName: m.DisplayName}
			if err := eventstore.Decide(c, tracking.Past(m.ID), again); err != nil {
				return err
			}
			if !tracking.Item(m.ID).Counts() && standings[i].State.Accepted > 1 {
				claims = append(claims, reservation(operationID, workspace, m))
			}
		}
		if err := tracking.reserve(c, caller, owner.State, limits, claims...); err != nil {
			return err
		}
		for i, m := range models {
			accepted[i].TrackedItem = new(tracking.Expects(operationID, m.ID))
		}
		if err := recordAll(c, seen); err != nil {
			return err
		}
		resource := operation.Resource{WorkspaceID: workspace.ID, ItemType: itemType}
		single := kind != operation.AssessSemanticModels
		if single {
			resource.ItemID = &models[0].ID
		}
		if err := eventstore.Decide(c, run, assessment.AcceptRun{
			Operation: operation.Accepted{OperationID: operationID, AccountID: caller.Account, Type: kind, Owner: caller.Person,
				Resource: resource, Impact: assessment.Impact(accepted, single)},
			Run: assessment.RunAccepted{WorkspaceID: workspace.ID, WorkspaceName: workspace.DisplayName, Models: accepted},
		}); err != nil {
			return err
		}
		sql, args := s.Vault.Put(operationID, caller.Token, caller.TokenExpires)
		c.Queue(sql, args...)
		s.keys.remember(c, caller, operationID)
		steps := make([]assessment.Step, len(models))
		for i, m := range models {
			steps[i] = assessment.Step{WorkspaceID: workspace.ID, ModelID: m.ID, Plan: caller.Plan, AcceptedAt: at}
		}
		c.InTx(func(ctx context.Context, tx pgx.Tx) error {
			return s.Jobs.Assess(ctx, tx, caller.origin(operationID), steps)
		})
		return nil
	})
}

// reservation returns the command that reserves an item that was looked up as the
// caller.
func reservation(operationID uuid.UUID, workspace item.Workspace, it item.Item) trackeditem.Reserve {
	return trackeditem.Reserve{
		OperationID: operationID, ItemID: it.ID, ItemType: it.Type, WorkspaceID: workspace.ID, WorkspaceName: workspace.DisplayName,
		DisplayName: it.DisplayName,
	}
}

// checkAssessable refuses models that the service itself maintains and lists each of
// them (4.4/bulk/3-maintained).
func checkAssessable(models []item.Item) error {
	r := domain.Refuse(domain.OperationNotSupportedForItem,
		"the service itself maintains some of the semantic models, so it does not assess them; parameters lists them")
	for _, m := range models {
		if m.Maintained {
			r.About("semanticModelId", m.ID)
		}
	}
	if len(r.Params) > 0 {
		return r
	}
	return nil
}
