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
	"readiness/vault"
)

const (
	// dueAtOnce bounds how many due slots are held in memory.
	dueAtOnce = 100
	// slotTimeout bounds what one slot takes, so that it keeps no other waiting.
	slotTimeout = 30 * time.Second
)

// StartDue starts the assessments of every account's schedules that are due, the
// earliest first. A slot that meets a fault of ours stays due and keeps no other
// from it.
func (s *Service) StartDue(ctx context.Context) error {
	var failed []error
	var last schedule.Slot
	now := s.Now()
	for ctx.Err() == nil {
		due, err := s.DueSlots(ctx, now, last, dueAtOnce)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		for _, slot := range due {
			if err := s.startSlotInTime(ctx, slot); err != nil {
				failed = append(failed, fmt.Errorf("commands: start schedule %s at %s: %w", slot.ScheduleID, slot.At.Format(time.RFC3339), err))
			}
		}
		if len(due) < dueAtOnce {
			break
		}
		last = due[len(due)-1]
	}
	return errors.Join(failed...)
}

func (s *Service) startSlotInTime(ctx context.Context, slot schedule.Slot) error {
	ctx, cancel := context.WithTimeout(ctx, slotTimeout)
	defer cancel()
	return s.StartSlot(ctx, slot)
}

// errSlotOver: the slot was started, refused or missed meanwhile, or the schedule
// runs no more.
var errSlotOver = errors.New("commands: the slot is not due any more")

// StartSlot starts the assessment of a slot as the schedule's owner, exactly as
// their call would, and says so on the schedule in the same append: whoever tries
// and how often, a slot is started once. What it is refused for pauses the
// schedule unless time heals it. A slot that is not due is left alone.
func (s *Service) StartSlot(ctx context.Context, slot schedule.Slot) error {
	past := pastSchedule(slot.AccountID, slot.ModelID)
	if err := s.Store.Load(ctx, past); err != nil {
		return err
	}
	if !past.State.Due(slot, s.Now()) {
		return nil
	}
	err := s.assessAtSlot(ctx, slot, past.State)
	refusal, refused := domain.Refused(err)
	switch {
	case err == nil || errors.Is(err, errSlotOver):
		return nil
	case !refused || errors.Is(err, eventstore.ErrConflict):
		return err
	}
	return s.recordSlot(ctx, slot, refusal)
}

// assessAtSlot accepts the assessment of a slot.
func (s *Service) assessAtSlot(ctx context.Context, slot schedule.Slot, due schedule.Schedule) error {
	who, err := s.ownerOf(ctx, slot.AccountID, due)
	if err != nil {
		return err
	}
	_, err = s.start(ctx, who, func(operationID uuid.UUID) error {
		workspace, model, err := s.seen(ctx, who, due.WorkspaceID, due.ModelID)
		if err != nil {
			return err
		}
		past := pastSchedule(slot.AccountID, slot.ModelID)
		started := noticed{past, func(c *eventstore.Change) error {
			if !past.State.Due(slot, s.Now()) {
				return errSlotOver
			}
			return eventstore.Decide(c, past, schedule.StartSlot{Slot: slot, OperationID: operationID, Model: scheduled(workspace, model), At: s.Now()})
		}}
		return s.acceptRun(ctx, who, operationID, operation.AssessSemanticModel, workspace, []item.Item{model}, []noticed{started})
	})
	return err
}

// ownerOf is the owner of a schedule as the caller that their call with the kept
// token would be now. It is refused as that call would be.
func (s *Service) ownerOf(ctx context.Context, accountID string, due schedule.Schedule) (Caller, error) {
	past := eventstore.FoldKept(account.Stream(accountID), account.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return Caller{}, err
	}
	m, known := past.State.Membership(due.Owner)
	limits, err := s.limits(m.Plan)
	switch {
	case err != nil:
		return Caller{}, err
	case !known:
		return Caller{}, domain.Refuse(domain.UserNotRegistered, "account %s does not know the owner of the schedule any more", accountID)
	case m.Status != account.Active:
		return Caller{}, m.NotActive()
	case !limits.ScheduledAssessments:
		return Caller{}, domain.Refuse(domain.FeatureNotInPlan, "the account's plan %s does not include scheduled assessments", m.Plan)
	case !m.Settings.AIFeatures:
		return Caller{}, domain.Refuse(domain.FeatureTurnedOff, "an administrator of the account has turned aiFeatures off")
	}
	token, expires, kept, err := s.Vault.Kept(ctx, due.TokenID(), s.Now())
	if err == nil && !kept || errors.Is(err, vault.ErrSealed) { // a token that nobody can open is none
		err = domain.Refuse(schedule.CredentialExpired, "no valid token of the owner of the schedule is kept")
	}
	return CallerOf(m, token, expires, true), err
}

// recordSlot says on the schedule that its slot was refused.
func (s *Service) recordSlot(ctx context.Context, slot schedule.Slot, refusal *domain.Refusal) error {
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
		s.forgetToken(c, past.State)
		return eventstore.Decide(c, past, schedule.Pause{Slot: slot, Reason: reason, At: s.Now()})
	})
}
