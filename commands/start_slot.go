package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/schedule"
	"readiness/eventstore"
	"readiness/storage/vault"
)

const (
	// dueBatchSize is how many due slots are in memory at most.
	dueBatchSize = 100
	// slotTimeout bounds the time for one slot, so that it does not delay the
	// others.
	slotTimeout = 30 * time.Second
)

// StartDue starts the assessments of all schedules that are due, of every account,
// earliest first. A slot that fails because of a fault stays due and does not stop
// the others.
func (s *Schedules) StartDue(ctx context.Context) error {
	var failed []error
	var last schedule.Slot
	now := s.Now()
	for ctx.Err() == nil {
		due, err := s.DueSlots(ctx, now, last, dueBatchSize)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		for _, slot := range due {
			if err := s.startSlotInTime(ctx, slot); err != nil {
				failed = append(failed, fmt.Errorf("commands: start schedule %s at %s: %w", slot.ScheduleID, slot.At.Format(time.RFC3339),
					err))
			}
		}
		if len(due) < dueBatchSize {
			break
		}
		last = due[len(due)-1]
	}
	return errors.Join(failed...)
}

func (s *Schedules) startSlotInTime(ctx context.Context, slot schedule.Slot) error {
	ctx, cancel := context.WithTimeout(ctx, slotTimeout)
	defer cancel()
	return s.StartSlot(ctx, slot)
}

// errSlotOver reports that the slot was started, refused or missed meanwhile, or
// that the schedule is no longer active.
var errSlotOver = errors.New("commands: the slot is no longer due")

// StartSlot starts the assessment of a slot as the schedule's owner, exactly as
// their call would. The same append records it on the schedule, so a slot starts
// only once. A refusal pauses the schedule, except a refusal that may pass with
// time. A slot that is not due is skipped.
func (s *Schedules) StartSlot(ctx context.Context, slot schedule.Slot) error {
	past := pastSchedule(slot.AccountID, slot.ModelID)
	if err := s.Store.Load(ctx, past); err != nil {
		return err
	}
	if !past.State.Due(slot, s.Now()) {
		return nil
	}
	err := s.acceptAssessment(ctx, slot, past.State)
	refusal, refused := domain.Refused(err)
	switch {
	case err == nil || errors.Is(err, errSlotOver):
		return nil
	case !refused || errors.Is(err, eventstore.ErrConflict):
		return err
	}
	return s.recordRefusedSlot(ctx, slot, refusal)
}

// acceptAssessment accepts the assessment of a slot.
func (s *Schedules) acceptAssessment(ctx context.Context, slot schedule.Slot, due schedule.Schedule) error {
	caller, err := s.loadOwner(ctx, slot.AccountID, due)
	if err != nil {
		return err
	}
	if caller.TokenExpires.Sub(s.Now()) < scheduleLife/2 {
		caller = s.lasting(ctx, caller)
	}
	_, err = s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		workspace, model, err := s.lookUpModel(ctx, caller, due.WorkspaceID, due.ModelID)
		if err != nil {
			return err
		}
		past := pastSchedule(slot.AccountID, slot.ModelID)
		started := noticed{past, func(c *eventstore.Change) error {
			if !past.State.Due(slot, s.Now()) {
				return errSlotOver
			}
			s.storeToken(c, caller, past.State)
			return eventstore.Decide(c, past, schedule.StartSlot{Slot: slot, OperationID: operationID,
				Model: scheduledModel(workspace, model), At: s.Now()})
		}}
		return s.assessments.acceptRun(ctx, &pendingAssessment{caller: caller, operationID: operationID,
			kind: operation.AssessSemanticModel, itemType: item.SemanticModel, workspace: workspace, models: []item.Item{model},
			seen: []noticed{started}})
	})
	return err
}

// loadOwner returns the schedule's owner as the caller of a call with the stored
// token. It refuses what that call would be refused for.
func (s *Schedules) loadOwner(ctx context.Context, accountID string, due schedule.Schedule) (Caller, error) {
	past := eventstore.FoldCached(account.Stream(accountID), account.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return Caller{}, err
	}
	m, known := past.State.Membership(due.Owner)
	limits, err := s.limits(m.Plan)
	if err != nil {
		return Caller{}, err
	}
	if err := schedule.CheckOwner(accountID, m, known, limits); err != nil {
		return Caller{}, err
	}
	token, expires, found, err := s.Vault.Kept(ctx, due.TokenID(), s.Now())
	if err == nil && !found || errors.Is(err, vault.ErrSealed) { // a token that cannot be decrypted counts as none
		err = schedule.NoToken()
	}
	if err != nil {
		return Caller{}, err
	}
	caller := CallerOf(m, token, expires, true)
	caller.Person, err = s.People.Name(ctx, accountID, due.Owner)
	return caller, err
}

// recordRefusedSlot records on the schedule that its slot was refused.
func (s *Schedules) recordRefusedSlot(ctx context.Context, slot schedule.Slot, refusal *domain.Refusal) error {
	past := pastSchedule(slot.AccountID, slot.ModelID)
	meta := eventstore.Metadata{Account: slot.AccountID, Causation: "schedule"}
	return s.Store.Change(ctx, meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		reason, pauses := schedule.ReasonOf(refusal)
		if !pauses {
			return eventstore.Decide(c, past, schedule.RefuseSlot{Slot: slot, Refusal: refusal, At: s.Now()})
		}
		if !past.State.Due(slot, s.Now()) {
			return nil
		}
		s.deleteToken(c, past.State)
		return eventstore.Decide(c, past, schedule.Pause{Slot: slot, Reason: reason, At: s.Now()})
	})
}
