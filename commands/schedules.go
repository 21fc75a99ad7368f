package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/schedule"
	"readiness/eventstore"
)

// lookUpAssessable looks up a model for a schedule, as the caller. It refuses
// what an assessment of the model would refuse.
func (s *Schedules) lookUpAssessable(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID) (schedule.Model, error) {
	workspace, model, err := s.lookUpModel(ctx, caller, workspaceID, modelID)
	if err != nil {
		return schedule.Model{}, err
	}
	if err := assessment.CheckAssessable(model); err != nil {
		return schedule.Model{}, err
	}
	return scheduledModel(workspace, model), nil
}

// lookUpModel returns a model and its workspace as the caller sees them.
func (s *Schedules) lookUpModel(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID) (workspace item.Workspace,
	model item.Item, err error) {
	if workspace, err = s.Platform.Workspace(ctx, caller.Caller, workspaceID); err != nil {
		return workspace, model, err
	}
	model, err = s.Platform.Item(ctx, caller.Caller, workspaceID, item.SemanticModel, modelID)
	return workspace, model, err
}

func scheduledModel(w item.Workspace, m item.Item) schedule.Model {
	return schedule.Model{WorkspaceID: w.ID, ModelID: m.ID, WorkspaceName: w.DisplayName, ModelName: m.DisplayName}
}

func pastSchedule(accountID string, modelID uuid.UUID) *eventstore.Stream[schedule.Schedule] {
	return eventstore.FoldLast[schedule.Schedule](schedule.Stream(accountID, modelID))
}

// scheduleMetadata returns the origin that the events of a schedule's change record.
func (caller Caller) scheduleMetadata() eventstore.Metadata {
	return eventstore.Metadata{Account: caller.Account, Person: string(caller.PersonID), RequestID: caller.RequestID, Trace: caller.Trace}
}

// lasting returns the caller with a token that serves at the slots of a schedule,
// if the platform has one.
func (s *Schedules) lasting(ctx context.Context, caller Caller) Caller {
	caller.Token, caller.TokenExpires = s.lastingToken(ctx, caller, scheduleLife)
	return caller
}

// storeToken stores the caller's token for the slots of the schedule, until the
// token expires, if the schedule is active and the caller's.
func (s *Schedules) storeToken(c *eventstore.Change, caller Caller, now schedule.Schedule) {
	if now.Status() == schedule.StatusActive && now.Owner == caller.PersonID && caller.MayWrite {
		c.Queue(s.Vault.Put(now.TokenID(), caller.Token, caller.TokenExpires))
	}
}

// deleteToken deletes the token stored for a schedule.
func (s *Schedules) deleteToken(c *eventstore.Change, before schedule.Schedule) {
	c.Queue(s.Vault.Forget(before.TokenID()))
}
