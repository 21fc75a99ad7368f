package webhooks

import (
	"context"
	"fmt"
	"slices"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/domain/webhook"
	"readiness/eventstore"
	"readiness/storage/deliveries"
)

// follower is the name under which the messages follow the log. Migration 0031 lets it begin where the log ended.
const follower = "webhooks"

// Follow makes messages of the events that the router's followers read.
func (s *Sender) Follow(router *message.Router) error {
	return s.Store.Follow(router, follower, s.follow)
}

// follow adds the messages of an event in the transaction that moves the follower past it.
func (s *Sender) follow(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
	kinds, id := kindsOf(r)
	b := &pgx.Batch{}
	if _, ends := r.Event.(account.Erased); ends {
		deliveries.Erase(b, r.Account)
		return run(ctx, tx, b)
	}
	now := s.Now()
	if len(kinds) == 0 || r.RecordedAt.Before(now.Add(-webhook.Patience)) {
		return nil
	}
	past := eventstore.FoldCached(webhook.Stream(r.Account), webhook.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return err
	}
	for _, kind := range kinds {
		wanting := slices.DeleteFunc(slices.Clone(past.State.All), func(w webhook.Webhook) bool { return !w.Wants(kind, r.RecordedAt) })
		if len(wanting) == 0 {
			continue
		}
		message, err := s.message(ctx, r, kind, id)
		if err != nil {
			return err
		}
		about := r.ID.String()
		switch kind { //nolint:exhaustive // the others are alone in their events
		case webhook.AllowanceLow:
			about = r.Stream // of the period
		case webhook.LinguisticFound, webhook.GateFailed:
			about += "/" + string(kind) // beside the score of the same event
		}
		for _, w := range wanting {
			m, made := message(w)
			if !made {
				continue
			}
			if err := deliveries.Add(b, r.Account, w.WebhookID, webhook.DeliveryID(w.WebhookID, about), m, now); err != nil {
				return err
			}
		}
	}
	return run(ctx, tx, b)
}

// kindsOf returns the kinds of messages that an event may make, and the operation that its stream is about, if it is.
func kindsOf(r eventstore.Recorded) ([]webhook.Kind, uuid.UUID) {
	id, ofOperation := operation.StreamID(r.Stream)
	switch e := r.Event.(type) {
	case assessment.Recorded:
		return []webhook.Kind{webhook.ScoreFell, webhook.GateFailed, webhook.LinguisticFound}, id
	case account.Spent:
		return []webhook.Kind{webhook.AllowanceLow}, id
	case assessment.ModelEnded:
		if ofOperation && e.Error != nil {
			return []webhook.Kind{webhook.AssessmentFailed}, id
		}
	case operation.Succeeded, operation.Failed, operation.Cancelled:
		if ofOperation {
			return []webhook.Kind{webhook.OperationEnded}, id
		}
	}
	return nil, id
}

// maker makes the message to a webhook; false if there is none.
type maker func(webhook.Webhook) (webhook.Message, bool)

// message returns what makes the message of an event of a kind.
func (s *Sender) message(ctx context.Context, r eventstore.Recorded, kind webhook.Kind, id uuid.UUID) (maker, error) {
	every := func(m webhook.Message, made bool, err error) (maker, error) {
		return func(webhook.Webhook) (webhook.Message, bool) { return m, made }, err
	}
	ended := func(status operation.Status, code domain.Code) (maker, error) {
		of, on, found, err := s.Operation(ctx, r.Account, id)
		return every(webhook.Ended(id, of, on, status, code, r.RecordedAt), found, err)
	}
	switch e := r.Event.(type) {
	case assessment.Recorded:
		return s.assessed(ctx, r, kind, e.Assessment)
	case account.Spent:
		owner := eventstore.FoldCached(account.Stream(r.Account), account.Evolve)
		if err := s.Store.Load(ctx, owner); err != nil {
			return nil, err
		}
		m, made := webhook.Low(e, s.Plans[owner.State.Plan].Allowance(e.Kind), r.RecordedAt)
		return every(m, made, nil)
	case assessment.ModelEnded:
		of, found, err := s.Unassessed(ctx, r.Account, id, e.ModelID)
		return every(webhook.NotAssessed(of, e.Error.Code, r.RecordedAt), found, err)
	case operation.Succeeded:
		return ended(operation.StatusSucceeded, "")
	case operation.Failed:
		return ended(operation.StatusFailed, e.Failure.Code)
	case operation.Cancelled:
		return ended(operation.StatusCancelled, "")
	}
	return nil, fmt.Errorf("webhooks: the event %s makes no message", r.Type)
}

// assessed is message of an assessment.
func (s *Sender) assessed(ctx context.Context, r eventstore.Recorded, kind webhook.Kind, a assessment.Assessment) (maker,
	error) {
	switch kind { //nolint:exhaustive // the others are not about assessments
	case webhook.GateFailed:
		before, err := s.ScoredBefore(ctx, r.Account, a)
		return func(w webhook.Webhook) (webhook.Message, bool) { return w.Failed(a, before, r.RecordedAt) }, err
	case webhook.LinguisticFound:
		before, err := s.AIFormatBefore(ctx, r.Account, a)
		return func(webhook.Webhook) (webhook.Message, bool) { return webhook.Linguistic(a, before, r.RecordedAt) }, err
	}
	before, err := s.ScoreBefore(ctx, r.Account, a)
	return func(webhook.Webhook) (webhook.Message, bool) { return webhook.Fell(a, before, r.RecordedAt) }, err
}
