package commands

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"readiness/domain/webhook"
	"readiness/eventstore"
	"readiness/storage/deliveries"
	"readiness/storage/vault"
)

// Create adds a webhook to the caller's account and returns it, with the secret that signs its messages, which nobody can read again
// (docs/decisions.md 25).
func (s *Webhooks) Create(ctx context.Context, caller Caller, of webhook.Configuration, address string) (webhook.Webhook, webhook.Destination,
	error) {
	to, err := webhook.NewDestination(address, newSecret())
	if err != nil {
		return webhook.Webhook{}, to, err
	}
	of.WebhookID, of.Host = s.NewID(), to.Host()
	past := eventstore.FoldCached(webhook.Stream(caller.Account), webhook.Evolve)
	create := webhook.Create{Configuration: of, At: instant(s.Now)}
	err = s.changeAsMember(ctx, caller, caller.webhookMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, create); err != nil {
			return err
		}
		c.Queue(s.Secrets.Put(caller.Account, of.WebhookID, to.Reveal()))
		return nil
	})
	if err != nil {
		return webhook.Webhook{}, webhook.Destination{}, err
	}
	w, err := past.State.Find(of.WebhookID)
	return w, to, err
}

func newSecret() []byte {
	secret := make([]byte, webhook.SecretSize)
	_, _ = rand.Read(secret) // never fails
	return secret
}

// Change changes a webhook of the caller's account and returns it. Messages that wait are sent at once. A new address keeps the secret.
func (s *Webhooks) Change(ctx context.Context, caller Caller, id uuid.UUID, change webhook.Change, address *string) (webhook.Webhook, error) {
	change.WebhookID, change.At = id, instant(s.Now)
	past := eventstore.FoldCached(webhook.Stream(caller.Account), webhook.Evolve)
	var known webhook.Webhook
	var to webhook.Destination
	if address != nil {
		var err error
		if known, to, err = s.known(ctx, caller, past, id); err != nil {
			return known, err
		}
		if to, err = to.At(*address); err != nil {
			return known, err
		}
		change.Host = new(to.Host())
	}
	err := s.changeAsMember(ctx, caller, caller.webhookMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if address != nil {
			if err := s.replace(c, caller, past, known, to); err != nil {
				return err
			}
		}
		if err := eventstore.Decide(c, past, change); err != nil {
			return err
		}
		c.Queue(deliveries.Retry(id, s.Now()))
		return nil
	})
	if err != nil {
		return webhook.Webhook{}, err
	}
	return past.State.Find(id)
}

// Rotate gives a webhook of the caller's account a new secret and returns it, as Create does. For webhook.Overlap, messages are signed with
// the present secret too.
func (s *Webhooks) Rotate(ctx context.Context, caller Caller, id uuid.UUID) (webhook.Webhook, webhook.Destination, error) {
	rotate := webhook.Rotate{WebhookID: id, At: instant(s.Now)}
	past := eventstore.FoldCached(webhook.Stream(caller.Account), webhook.Evolve)
	known, to, err := s.known(ctx, caller, past, id)
	if err != nil {
		return known, webhook.Destination{}, err
	}
	to = to.Rotated(newSecret(), rotate.At.Add(webhook.Overlap))
	err = s.changeAsMember(ctx, caller, caller.webhookMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := s.replace(c, caller, past, known, to); err != nil {
			return err
		}
		return eventstore.Decide(c, past, rotate)
	})
	if err != nil {
		return webhook.Webhook{}, webhook.Destination{}, err
	}
	w, err := past.State.Find(id)
	return w, to, err
}

// known returns a webhook and where its messages go, to replace that.
func (s *Webhooks) known(ctx context.Context, caller Caller, past *eventstore.Stream[webhook.Webhooks], id uuid.UUID) (w webhook.Webhook,
	to webhook.Destination, err error) {
	if err = s.Store.Load(ctx, past); err != nil {
		return w, to, err
	}
	if w, err = past.State.Find(id); err != nil {
		return w, to, err
	}
	to, found, err := s.Destination(ctx, caller.Account, id)
	if err == nil && !found {
		err = webhook.SecretLost(id)
	}
	return w, to, err
}

// replace stores where the messages of a webhook go, made from what was stored when it was as known; or refuses if that was replaced since.
func (s *Webhooks) replace(c *eventstore.Change, caller Caller, past *eventstore.Stream[webhook.Webhooks], known webhook.Webhook,
	to webhook.Destination) error {
	now, err := past.State.Find(known.WebhookID)
	if err != nil {
		return err
	}
	if now.Destinations != known.Destinations {
		return webhook.Overtaken(known.WebhookID)
	}
	c.Queue(s.Secrets.Put(caller.Account, known.WebhookID, to.Reveal()))
	return nil
}

// Delete deletes a webhook of the caller's account, with its address, its secret and its deliveries.
func (s *Webhooks) Delete(ctx context.Context, caller Caller, id uuid.UUID) error {
	past := eventstore.FoldCached(webhook.Stream(caller.Account), webhook.Evolve)
	return s.changeAsMember(ctx, caller, caller.webhookMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, webhook.Delete{WebhookID: id}); err != nil {
			return err
		}
		c.Queue(s.Secrets.Forget(caller.Account, id))
		for _, statement := range deliveries.Forget(id) {
			c.Queue(statement)
		}
		return nil
	})
}

// Test makes a test message for a webhook of the caller's account, behind those that wait, and returns its delivery.
func (s *Webhooks) Test(ctx context.Context, caller Caller, id uuid.UUID) (deliveries.Delivery, error) {
	past := eventstore.FoldCached(webhook.Stream(caller.Account), webhook.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return deliveries.Delivery{}, err
	}
	if _, err := past.State.Testable(id); err != nil {
		return deliveries.Delivery{}, err
	}
	delivery, now := s.NewID(), instant(s.Now)
	if err := s.Rows.Put(ctx, caller.Account, id, delivery, webhook.Tried(id, now), now); err != nil {
		return deliveries.Delivery{}, err
	}
	return s.delivery(ctx, caller, id, delivery)
}

// SendAgain lets a message that was delivered or parked be sent again, with its id, and returns its delivery.
func (s *Webhooks) SendAgain(ctx context.Context, caller Caller, id, deliveryID uuid.UUID) (deliveries.Delivery, error) {
	past := eventstore.FoldCached(webhook.Stream(caller.Account), webhook.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return deliveries.Delivery{}, err
	}
	if _, err := past.State.Testable(id); err != nil {
		return deliveries.Delivery{}, err
	}
	found, err := s.Rows.Again(ctx, caller.Account, id, deliveryID, instant(s.Now))
	if err == nil && !found {
		err = webhook.DeliveryNotFound(id, deliveryID)
	}
	if err != nil {
		return deliveries.Delivery{}, err
	}
	return s.delivery(ctx, caller, id, deliveryID)
}

// delivery returns a delivery that was there a moment ago.
func (s *Webhooks) delivery(ctx context.Context, caller Caller, id, deliveryID uuid.UUID) (deliveries.Delivery, error) {
	d, found, err := s.Rows.Get(ctx, caller.Account, id, deliveryID)
	if err == nil && !found {
		err = webhook.NotFound(id) // deleted meanwhile
	}
	return d, err
}

// Stop disables a webhook whose receiver answered 410 Gone to a message. sent is when the webhook was last changed, as the sender knew it.
func (s *Webhooks) Stop(ctx context.Context, accountID string, w webhook.Webhook) error {
	past := eventstore.FoldCached(webhook.Stream(accountID), webhook.Evolve)
	meta := eventstore.Metadata{Account: accountID, Causation: "answer of the webhook's receiver"}
	return s.Store.Change(ctx, meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, webhook.Stop{WebhookID: w.WebhookID, Sent: w.ChangedAt, At: instant(s.Now)})
	})
}

// Destination returns where a webhook's messages go; false if it is not stored or cannot be decrypted.
func (s *Webhooks) Destination(ctx context.Context, accountID string, id uuid.UUID) (webhook.Destination, bool, error) {
	text, found, err := s.Secrets.Key(ctx, accountID, id)
	if errors.Is(err, vault.ErrNotOpened) {
		return webhook.Destination{}, false, nil
	}
	if err != nil || !found {
		return webhook.Destination{}, false, err
	}
	to, err := webhook.ParseDestination(text)
	if err != nil {
		return to, false, fmt.Errorf("commands: webhook %s: %w", id, err)
	}
	return to, true, nil
}

// webhookMetadata returns the origin that the events of a call on a webhook record.
func (caller Caller) webhookMetadata() eventstore.Metadata {
	return eventstore.Metadata{Account: caller.Account, Person: string(caller.PersonID), RequestID: caller.RequestID, Causation: "webhook",
		Trace: caller.Trace}
}
