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
	"readiness/internal/lists"
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
		if err := s.Platform.Usable(ctx, caller.Caller, true, report); err != nil {
			return err
		}
		return s.acceptRun(ctx, caller, operationID, verb, true, workspace, []item.Item{report}, nil)
	})
}

// StartBulk starts adding Pixies to many reports of a workspace, or removing
// them, as one run (4.7/bulk). A report named twice counts once.
func (s *Pixies) StartBulk(ctx context.Context, caller Caller, verb pixies.Verb, workspaceID uuid.UUID, reportIDs []uuid.UUID) (Accepted,
	error) {
	reportIDs = distinct(reportIDs)
	if err := pixies.CheckCount(len(reportIDs)); err != nil {
		return Accepted{}, err
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
		reports, err := item.FindNamed(listed, workspaceID, item.Report, reportIDs)
		if err != nil {
			return err
		}
		if err := s.Platform.Usable(ctx, caller.Caller, true, reports...); err != nil {
			return err
		}
		seen, err := s.notice(ctx, caller, workspaceID, item.Report, listed)
		if err != nil {
			return err
		}
		return s.acceptRun(ctx, caller, operationID, verb, false, workspace, reports, seen)
	})
}

// pendingPixies is a run over reports about to be accepted.
type pendingPixies struct {
	caller      Caller
	operationID uuid.UUID
	verb        pixies.Verb
	run         pixies.RunAccepted
	reports     []item.Item // looked up as the caller
	seen        []noticed
	workspace   item.Workspace
	limits      account.Limits
	mayStart    func(account.Account) error

	past      *eventstore.Stream[pixies.Run]
	owner     *eventstore.Stream[account.Account]
	standings []*eventstore.Stream[pixies.Report] // of reports
	tracking  *Tracking
}

// acceptRun locks the reports, which were looked up as the caller, and enqueues
// a step for each. For a run that adds Pixies it reserves all reports; each becomes
// a tracked item once it was written to.
func (s *Pixies) acceptRun(ctx context.Context, caller Caller, operationID uuid.UUID, verb pixies.Verb, single bool,
	workspace item.Workspace, reports []item.Item, seen []noticed) error {
	limits, err := s.limits(caller.Plan)
	if err != nil {
		return err
	}
	p := &pendingPixies{
		caller: caller, operationID: operationID, verb: verb, reports: reports, seen: seen, workspace: workspace, limits: limits,
		run:      pixies.RunAccepted{WorkspaceID: workspace.ID, WorkspaceName: workspace.DisplayName, Single: single},
		mayStart: func(owner account.Account) error { return licenseOf(owner, caller).Starts() },
		past:     eventstore.Fold(operation.Stream(operationID), pixies.EvolveRun), owner: pastAccount(caller),
		tracking: Track(caller.Account, idsOf(reports)...),
	}
	if verb == pixies.Adds { // a removal never asks for the capacity (docs/decisions.md 8.6)
		p.mayStart = s.workspaceState(ctx, caller, workspace).checkStart
	}
	pasts := append(p.tracking.Pasts(), p.past, p.owner)
	for _, r := range reports {
		p.run.Reports = append(p.run.Reports, pixies.Named{ReportID: r.ID, ReportName: r.DisplayName})
		p.standings = append(p.standings, eventstore.FoldLast[pixies.Report](pixies.Stream(caller.Account, r.ID)))
		pasts = append(pasts, p.standings[len(p.standings)-1])
	}
	return s.changeAsMember(ctx, caller, caller.metadata(operationID), append(pasts, pastsOf(seen)...), func(c *eventstore.Change) error {
		return s.decideRun(c, p)
	})
}

func (s *Pixies) decideRun(c *eventstore.Change, p *pendingPixies) error {
	if err := p.mayStart(p.owner.State); err != nil {
		return err
	}
	for i, r := range p.reports {
		hold := pixies.Hold{OperationID: p.operationID, ReportID: r.ID, WorkspaceID: p.workspace.ID, ReportName: r.DisplayName}
		if err := eventstore.Decide(c, p.standings[i], hold); err != nil {
			return err
		}
	}
	start, err := s.startOf(c, p)
	if err != nil {
		return err
	}
	if err := eventstore.Decide(c, p.past, start); err != nil {
		return err
	}
	if err := recordAll(c, p.seen); err != nil {
		return err
	}
	c.Queue(s.Vault.Put(p.operationID, p.caller.Token, p.caller.TokenExpires))
	s.keys.remember(c, p.caller, p.operationID)
	steps := lists.Map(p.reports, func(r item.Item) pixies.Step {
		return pixies.Step{WorkspaceID: p.workspace.ID, ReportID: r.ID, Plan: p.caller.Plan}
	})
	c.InTx(func(ctx context.Context, tx pgx.Tx) error {
		return s.Jobs.ChangePixies(ctx, tx, p.caller.origin(p.operationID), steps)
	})
	return nil
}

// startOf returns the command that starts the run. One that adds Pixies reserves the
// reports.
func (s *Pixies) startOf(c *eventstore.Change, p *pendingPixies) (domain.Command[pixies.Run], error) {
	op := operation.Accepted{OperationID: p.operationID, AccountID: p.caller.Account, Owner: p.caller.PersonID,
		Resource: operation.Resource{WorkspaceID: p.workspace.ID, ItemType: item.Report}}
	if p.run.Single {
		op.Resource.ItemID = &p.reports[0].ID
	}
	run := p.run
	run.KeepCopies = p.owner.State.KeepsCopies()
	if p.verb == pixies.Removes {
		return pixies.RemovePixies{Operation: op, Run: run}, nil
	}
	adding := lists.Map(p.reports, func(r item.Item) trackeditem.Reserve { return reservation(p.operationID, p.workspace, r) })
	if err := p.tracking.reserve(c, p.caller, p.owner.State, p.limits, adding...); err != nil {
		return nil, err
	}
	setup, err := s.trackingSetup(p.owner.State, p.workspace.ID)
	op.Impact = pixies.Impact(run.Single, p.tracking.ExpectedCount(p.operationID))
	return pixies.AddPixies{Operation: op, Run: run, Setup: setup, License: licenseOf(p.owner.State, p.caller).ID}, err
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
