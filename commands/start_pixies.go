package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
)

// Start starts adding Pixies to a report, or removing them (4.7/add,
// 4.7/remove).
func (s *Pixies) Start(ctx context.Context, caller Caller, verb pixies.Verb, workspaceID, reportID uuid.UUID) (Accepted, error) {
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		workspace, err := s.Platform.Workspace(ctx, caller.Caller, workspaceID)
		if err != nil {
			return err
		}
		report, err := s.Platform.Item(ctx, caller.Caller, workspaceID, item.Report, reportID)
		if err != nil {
			return err
		}
		return s.acceptRun(ctx, caller, operationID, pixies.RunAccepted{Verb: verb, Single: true}, workspace, []item.Item{report}, nil)
	})
}

// StartBulk starts adding Pixies to many reports of a workspace, or removing
// them, as one run (4.7/bulk). A report named twice counts once.
func (s *Pixies) StartBulk(ctx context.Context, caller Caller, verb pixies.Verb, workspaceID uuid.UUID, reportIDs []uuid.UUID) (Accepted,
	error) {
	switch n := len(reportIDs); {
	case n == 0:
		return Accepted{}, domain.Refuse(domain.InvalidRequest, "reportIds is empty; name 1 to %d reports", pixies.MaxReports)
	case n > pixies.MaxReports:
		return Accepted{}, domain.Refuse(domain.InvalidRequest, "reportIds names %d reports; one call takes at most %d", n,
			pixies.MaxReports)
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		workspace, err := s.Platform.Workspace(ctx, caller.Caller, workspaceID)
		if err != nil {
			return err
		}
		listed, err := s.Platform.Items(ctx, caller.Caller, workspaceID, item.Report)
		if err != nil {
			return err
		}
		reports, err := findNamed(listed, workspaceID, item.Report, distinct(reportIDs))
		if err != nil {
			return err
		}
		seen, err := s.notice(ctx, caller, workspaceID, item.Report, listed)
		if err != nil {
			return err
		}
		return s.acceptRun(ctx, caller, operationID, pixies.RunAccepted{Verb: verb}, workspace, reports, seen)
	})
}

// acceptRun locks the reports, which were looked up as the caller, and enqueues
// a step for each. For a run that adds Pixies it reserves all reports; each becomes
// a tracked item once it was written to.
func (s *Pixies) acceptRun(ctx context.Context, caller Caller, operationID uuid.UUID, run pixies.RunAccepted, workspace item.Workspace,
	reports []item.Item, seen []noticed) error {
	adds := run.Verb == pixies.Adds
	active := func(owner account.Account) error { return licenseOf(owner, caller).Starts() }
	if adds { // a removal never asks for the capacity (docs/decisions.md 8.6)
		active = s.workspaceState(ctx, caller, workspace).checkStart
	}
	limits, err := s.limits(caller.Plan)
	if err != nil {
		return err
	}
	past := eventstore.Fold(operation.Stream(operationID), pixies.EvolveRun)
	owner := pastAccount(caller)
	ids := make([]uuid.UUID, len(reports))
	for i, r := range reports {
		ids[i] = r.ID
	}
	tracking := Track(caller.Account, ids...)
	standings := make([]*eventstore.Past[pixies.Report], len(reports))
	pasts := append(tracking.Pasts(), past, owner)
	for i, r := range reports {
		standings[i] = eventstore.FoldLast[pixies.Report](pixies.Stream(caller.Account, r.ID))
		pasts = append(pasts, standings[i])
	}
	for _, n := range seen {
		pasts = append(pasts, n.past)
	}
	return s.changeAsMember(ctx, caller, caller.metadata(operationID), pasts, func(c *eventstore.Change) error {
		if err := active(owner.State); err != nil {
			return err
		}
		run.WorkspaceID, run.WorkspaceName, run.Reports = workspace.ID, workspace.DisplayName, nil
		var adding []trackeditem.Reserve
		for i, r := range reports {
			hold := pixies.Hold{OperationID: operationID, ReportID: r.ID, WorkspaceID: workspace.ID, ReportName: r.DisplayName}
			if err := eventstore.Decide(c, standings[i], hold); err != nil {
				return err
			}
			run.Reports = append(run.Reports, pixies.Named{ReportID: r.ID, ReportName: r.DisplayName})
			adding = append(adding, reservation(operationID, workspace, r))
		}
		resource := operation.Resource{WorkspaceID: workspace.ID, ItemType: item.Report}
		if run.Single {
			resource.ItemID = &reports[0].ID
		}
		op := operation.Accepted{OperationID: operationID, AccountID: caller.Account, Type: operation.RemovePixies, Owner: caller.Person,
			Resource: resource}
		if adds {
			if err := tracking.reserve(c, caller, owner.State, limits, adding...); err != nil {
				return err
			}
			setup, err := s.trackingSetup(owner.State, workspace.ID)
			if err != nil {
				return err
			}
			run.Setup, run.License = &setup, licenseOf(owner.State, caller).ID
			op.Type, op.Impact = operation.AddPixies, pixies.Impact(run.Single, tracking.ExpectedCount(operationID))
		}
		run.KeepCopies = owner.State.KeepsCopies()
		if err := eventstore.Decide(c, past, pixies.AcceptRun{Operation: op, Run: run}); err != nil {
			return err
		}
		if err := recordAll(c, seen); err != nil {
			return err
		}
		sql, args := s.Vault.Put(operationID, caller.Token, caller.TokenExpires)
		c.Queue(sql, args...)
		s.keys.remember(c, caller, operationID)
		steps := make([]pixies.Step, len(reports))
		for i, r := range reports {
			steps[i] = pixies.Step{WorkspaceID: workspace.ID, ReportID: r.ID, Plan: caller.Plan}
		}
		c.InTx(func(ctx context.Context, tx pgx.Tx) error {
			return s.Jobs.ChangePixies(ctx, tx, caller.origin(operationID), steps)
		})
		return nil
	})
}

// trackingSetup returns the workspace's saved tracking setup, or the documented
// default (docs/decisions.md 8.2).
func (s *Pixies) trackingSetup(a account.Account, workspaceID uuid.UUID) (pixies.Setup, error) {
	var setup pixies.Setup
	if text, saved := a.Saved[account.TrackingSetupDocument(workspaceID)]; saved {
		if err := json.Unmarshal([]byte(text), &setup); err != nil {
			return setup, fmt.Errorf("commands: read the tracking setup of workspace %s: %w", workspaceID, err)
		}
	}
	setup.CollectorBaseURL = cmp.Or(setup.CollectorBaseURL, s.CollectorURL)
	return setup, nil
}
