package http

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/schedule"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/internal/optional"
	"readiness/projections"
)

const schedulesPath = "/v1/aiReadiness/schedules"

// ListSchedules handles GET /v1/aiReadiness/schedules.
func (s *Server) ListSchedules(ctx context.Context, r api.ListSchedulesRequestObject) (*api.ScheduleList, error) {
	p, err := paging.Open[projections.ScheduleCursor](s.lists, callerOf(ctx).Account, schedulesPath, nil, r.Params.MaxResults,
		r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	found, err := s.schedules(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	list, err := schedulePage(p, found)
	return new(list), err
}

// ListSchedulesOfModel handles GET …/semanticModels/{semanticModelId}/aiReadiness/schedules.
func (s *Server) ListSchedulesOfModel(ctx context.Context, r api.ListSchedulesOfModelRequestObject) (*api.ScheduleList, error) {
	who := callerOf(ctx)
	path := "/v1/workspaces/" + r.WorkspaceID.String() + "/semanticModels/" + r.SemanticModelID.String() + "/aiReadiness/schedules"
	p, err := paging.Open[projections.ScheduleCursor](s.lists, who.Account, path, nil, r.Params.MaxResults, r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	if _, err := s.commands.Workspaces.Item(ctx, who, r.WorkspaceID, item.SemanticModel, r.SemanticModelID); err != nil {
		return nil, err
	}
	found, err := s.schedules(ctx, p, &r.SemanticModelID)
	if err != nil {
		return nil, err
	}
	for _, read := range found {
		if err := s.renew(ctx, read.Schedule); err != nil {
			return nil, err
		}
	}
	list, err := schedulePage(p, found)
	return new(list), err
}

// schedules returns a page of schedules, plus one more element when there is a next page.
func (s *Server) schedules(ctx context.Context, p paging.Page[projections.ScheduleCursor], modelID *uuid.UUID) ([]projections.OwnedSchedule,
	error) {
	return s.views.Schedules(ctx, projections.SchedulesQuery{AccountID: callerOf(ctx).Account, ModelID: modelID, After: p.After,
		Limit: p.Limit + 1})
}

func schedulePage(p paging.Page[projections.ScheduleCursor], found []projections.OwnedSchedule) (list api.ScheduleList, err error) {
	after := func(s projections.OwnedSchedule) projections.ScheduleCursor {
		return projections.ScheduleCursor{CreatedAt: s.CreatedAt, ScheduleID: s.ScheduleID}
	}
	found, list.ContinuationToken, list.ContinuationURI, err = paging.Of(p, found, after)
	list.Value = make([]api.Schedule, len(found))
	for i, one := range found {
		list.Value[i] = scheduled(one.Schedule, one.OwnerName)
	}
	return list, err
}

// CreateSchedule handles POST …/semanticModels/{semanticModelId}/aiReadiness/schedules.
func (s *Server) CreateSchedule(ctx context.Context, r api.CreateScheduleRequestObject) (*api.Schedule, error) {
	timing := schedule.Timing{Frequency: r.Body.Frequency, TimeUTC: r.Body.TimeUtc}
	if r.Body.DayOfWeek != nil {
		timing.DayOfWeek = string(*r.Body.DayOfWeek)
	}
	enabled := r.Body.Enabled == nil || *r.Body.Enabled
	made, err := s.commands.Schedules.Create(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, timing, enabled)
	if err != nil {
		return nil, err
	}
	return new(scheduled(made, callerOf(ctx).Person.ID)), nil
}

// GetSchedule handles GET /v1/aiReadiness/schedules/{scheduleId}.
func (s *Server) GetSchedule(ctx context.Context, r api.GetScheduleRequestObject) (*api.Schedule, error) {
	read, found, err := s.views.Schedule(ctx, callerOf(ctx).Account, r.ScheduleID)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, schedule.NotFound(r.ScheduleID.String())
	}
	if err := s.renew(ctx, read.Schedule); err != nil {
		return nil, err
	}
	return new(scheduled(read.Schedule, read.OwnerName)), nil
}

// renew stores the caller's token for a schedule when its owner reads it. A HEAD stores nothing.
func (s *Server) renew(ctx context.Context, read schedule.Schedule) error {
	c := callOf(ctx)
	if c.head {
		return nil
	}
	return s.commands.Schedules.Renew(ctx, c.caller, read)
}

// ChangeSchedule handles PATCH /v1/aiReadiness/schedules/{scheduleId}.
func (s *Server) ChangeSchedule(ctx context.Context, r api.ChangeScheduleRequestObject) (*api.Schedule, error) {
	patch := schedule.Patch{Frequency: r.Body.Frequency, TimeUTC: r.Body.TimeUtc, Enabled: r.Body.Enabled}
	if r.Body.DayOfWeek != nil { // null clears it, as an empty string does
		patch.DayOfWeek = new("")
		if err := json.Unmarshal(r.Body.DayOfWeek, patch.DayOfWeek); err != nil {
			return nil, fmt.Errorf("http: dayOfWeek: %w", err)
		}
	}
	changed, err := s.commands.Schedules.Change(ctx, callerOf(ctx), r.ScheduleID, patch)
	if err != nil {
		return nil, err
	}
	owner := callerOf(ctx).Person
	if changed.Owner != callerOf(ctx).PersonID {
		if owner, err = s.views.People.Name(ctx, callerOf(ctx).Account, changed.Owner); err != nil {
			return nil, err
		}
	}
	return new(scheduled(changed, owner.ID)), nil
}

// DeleteSchedule handles DELETE /v1/aiReadiness/schedules/{scheduleId}.
func (s *Server) DeleteSchedule(ctx context.Context, r api.DeleteScheduleRequestObject) (*api.DeletedSchedule, error) {
	if err := s.commands.Schedules.Delete(ctx, callerOf(ctx), r.ScheduleID); err != nil {
		return nil, err
	}
	return &api.DeletedSchedule{ScheduleID: r.ScheduleID, Deleted: true}, nil
}

// scheduled converts a schedule to its API form. owner is its owner as people call them.
func scheduled(s schedule.Schedule, owner string) api.Schedule {
	out := api.Schedule{
		ScheduleID: s.ScheduleID, WorkspaceID: s.WorkspaceID, WorkspaceName: optional.Of(s.WorkspaceName), SemanticModelID: s.ModelID,
		SemanticModelName: optional.Of(s.ModelName),
		Frequency:         s.Frequency, DayOfWeek: optional.Of(s.DayOfWeek), TimeUtc: s.TimeUTC, Enabled: s.Enabled, Status: s.Status(),
		PausedAtUtc: optional.UTC(s.PausedAt), Owner: api.ScheduleOwner{PersonID: optional.Of(owner)},
		NextRunAtUtc: optional.UTC(s.NextRunAt()),
		CreatedAtUtc: s.CreatedAt.UTC(), ChangedAtUtc: s.ChangedAt.UTC(),
	}
	if s.Paused != nil {
		out.PausedReason = &api.SchedulePause{Code: string(s.Paused.Code), Message: s.Paused.Message}
	}
	if r := s.LastRun; r != nil {
		out.LastRun = &api.ScheduleRun{
			SlotUtc: r.Slot.UTC(), OperationID: r.OperationID, Outcome: r.Outcome, ErrorCode: optional.Of(string(r.Code)),
			Message: optional.Of(r.Message),
		}
	}
	return out
}
