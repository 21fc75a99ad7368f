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

// acceptRun counts, records and enqueues a run over models, or a data agent, that
// were looked up as the caller. Every assessment and first look is counted up
// front; the whole run is refused when an allowance or a cap on tracked items
// cannot cover it, and then nothing is spent. What was noticed on the way is
// recorded with it.
func (s *Service) acceptRun(ctx context.Context, who Caller, operationID uuid.UUID, kind operation.Type, workspace item.Workspace, models []item.Item, seen []noticed) error {
	if err := assessable(models); err != nil {
		return err
	}
	carrying := s.carrying(ctx, who, workspace)
	limits, err := s.limits(who.Plan)
	if err != nil {
		return err
	}
	at := s.Now()
	itemType, via := item.SemanticModel, trackeditem.ViaAssessment
	if kind == operation.AssessDataAgent {
		itemType, via = item.DataAgent, trackeditem.ViaAgentAssessment
	}

	assessments := eventstore.FoldLast[account.Usage](account.AllowanceStream(who.Account, account.Assessments, limits.Assessments.Period, at))
	firstLooks := eventstore.FoldLast[account.Usage](account.AllowanceStream(who.Account, account.FirstLooks, limits.FirstLooks.Period, at))
	run := eventstore.Fold(operation.Stream(operationID), assessment.EvolveRun)
	owner := owner(who)
	total := eventstore.FoldLast[trackeditem.Total](trackeditem.CountStream(who.Account))
	standings := make([]*eventstore.Past[assessment.Standing], len(models))
	items := make([]*eventstore.Past[trackeditem.Item], len(models))
	pasts := []eventstore.Loadable{assessments, firstLooks, run, owner, total}
	for i, m := range models {
		standings[i] = eventstore.FoldLast[assessment.Standing](assessment.Stream(who.Account, m.ID))
		items[i] = eventstore.FoldLast[trackeditem.Item](trackeditem.Stream(who.Account, m.ID))
		pasts = append(pasts, standings[i], items[i])
	}
	for _, n := range seen {
		pasts = append(pasts, n.past)
	}

	return s.Store.Change(ctx, who.metadata(operationID), pasts, func(c *eventstore.Change) error {
		if err := carrying.active(owner.State); err != nil {
			return err
		}
		spend := account.Spend{Kind: account.Assessments, Allowance: limits.Assessments, OperationID: operationID, Amount: len(models), At: at}
		if err := eventstore.Decide(c, assessments, spend); err != nil {
			return err
		}
		looks := 0
		accepted := make([]assessment.Model, len(models))
		for i, m := range models {
			if err := eventstore.Decide(c, standings[i], assessment.Accept{OperationID: operationID, WorkspaceID: workspace.ID, ModelID: m.ID, ItemType: itemType}); err != nil {
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
		caps := trackeditem.CapsOf(owner.State, who.License, limits.TrackedItems)
		var claimed []uuid.UUID
		for i, m := range models {
			known := items[i].State.Counts()
			claims := !known && standings[i].State.Accepted > 1
			accepted[i].TrackedItem = &claims
			if claims {
				claimed = append(claimed, m.ID)
			}
			if !claims && !known {
				continue
			}
			if err := eventstore.Decide(c, items[i], trackeditem.Claim{
				ItemID: m.ID, ItemType: itemType, WorkspaceID: workspace.ID, WorkspaceName: workspace.DisplayName, DisplayName: m.DisplayName,
				LicenseID: caps.LicenseID, Via: via, At: at,
			}); err != nil {
				return err
			}
		}
		if err := eventstore.Decide(c, total, trackeditem.Count{ItemIDs: claimed, Caps: caps}); err != nil {
			return err
		}
		if err := record(c, seen); err != nil {
			return err
		}
		resource := operation.Resource{WorkspaceID: workspace.ID, ItemType: itemType}
		single := kind != operation.AssessSemanticModels
		if single {
			resource.ItemID = &models[0].ID
		}
		if err := eventstore.Decide(c, run, assessment.AcceptRun{
			Operation: operation.Accepted{OperationID: operationID, AccountID: who.Account, Type: kind, Owner: who.Person, Resource: resource, Impact: assessment.Impact(accepted, single)},
			Run:       assessment.RunAccepted{WorkspaceID: workspace.ID, WorkspaceName: workspace.DisplayName, Models: accepted},
		}); err != nil {
			return err
		}
		sql, args := s.Vault.Put(operationID, who.Token, who.TokenExpires)
		c.Queue(sql, args...)
		s.remember(c, who, operationID)
		steps := make([]assessment.Step, len(models))
		for i, m := range models {
			steps[i] = assessment.Step{
				AccountID: who.Account, OperationID: operationID, WorkspaceID: workspace.ID, ModelID: m.ID,
				Person: who.Person, Plan: who.Plan, AcceptedAt: at, RequestID: who.RequestID, Trace: who.Trace,
			}
		}
		c.InTx(func(ctx context.Context, tx pgx.Tx) error { return s.Jobs.Assess(ctx, tx, steps) })
		return nil
	})
}

// assessable refuses models that the service itself maintains, naming each
// (spec 4.4, bulk rule 3).
func assessable(models []item.Item) error {
	r := domain.Refuse(domain.OperationNotSupportedForItem, "the service itself maintains some of the semantic models, so it does not assess them; parameters lists them")
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
