package webhook

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Created records that the account has the webhook.
type Created struct {
	// Configuration is the webhook as it was created.
	Configuration Configuration `json:"configuration"`
	At            time.Time     `json:"atUtc"`
}

// Changed records the webhook's new configuration.
type Changed struct {
	// Configuration is the webhook after the change.
	Configuration Configuration `json:"configuration"`
	// NewAddress says that its address was replaced.
	NewAddress bool      `json:"newAddress,omitempty"`
	At         time.Time `json:"atUtc"`
}

// Stopped records that the webhook is disabled because its receiver answered 410 Gone.
type Stopped struct {
	// WebhookID is the webhook's id.
	WebhookID uuid.UUID `json:"webhookId"`
	At        time.Time `json:"atUtc"`
}

// SecretRotated records that the webhook has a new secret. The secret is stored beside the log.
type SecretRotated struct {
	// WebhookID is the webhook's id.
	WebhookID uuid.UUID `json:"webhookId"`
	// PreviousEndsAt is until when messages are signed with the previous secret too.
	PreviousEndsAt time.Time `json:"previousEndsAtUtc"`
	At             time.Time `json:"atUtc"`
}

// Deleted records that the webhook was deleted, with its address, its secret and its deliveries.
type Deleted struct {
	// WebhookID is the webhook's id.
	WebhookID uuid.UUID `json:"webhookId"`
}

func (Created) EventType() string       { return "webhook.created" }
func (Changed) EventType() string       { return "webhook.changed" }
func (Stopped) EventType() string       { return "webhook.stopped" }
func (SecretRotated) EventType() string { return "webhook.secret-rotated" }
func (Deleted) EventType() string       { return "webhook.deleted" }

// Create adds a webhook to the account. Its address and secret are stored in the same append.
type Create struct {
	Configuration Configuration
	At            time.Time
}

func (c Create) Decide(s Webhooks) ([]domain.Event, error) {
	of, err := c.Configuration.checked()
	if err != nil {
		return nil, err
	}
	if n := len(s.All); n >= MaxWebhooks {
		return nil, domain.Refuse(domain.WebhookConflict, "this account has %d webhooks, the most it may have: delete one first", n).
			About("used", n).About("limit", MaxWebhooks)
	}
	return []domain.Event{Created{of, c.At}}, nil
}

// Change changes a webhook. A nil member stays as it is. Host is that of a new address, which is stored in the same append.
type Change struct {
	WebhookID uuid.UUID
	Host      *string
	Events    *[]Kind
	FailUnder *int
	Format    *Format
	Enabled   *bool
	At        time.Time
}

func (c Change) Decide(s Webhooks) ([]domain.Event, error) {
	w, err := s.Find(c.WebhookID)
	if err != nil {
		return nil, err
	}
	of := w.Configuration
	set(&of.Host, c.Host)
	set(&of.Events, c.Events)
	if of.FailUnder = cmp.Or(c.FailUnder, of.FailUnder); c.FailUnder == nil && !slices.Contains(of.Events, GateFailed) {
		of.FailUnder = nil // with its event
	}
	set(&of.Format, c.Format)
	set(&of.Enabled, c.Enabled)
	if of, err = of.checked(); err != nil {
		return nil, err
	}
	if c.Host == nil && reflect.DeepEqual(of, w.Configuration) {
		return nil, nil
	}
	return []domain.Event{Changed{of, c.Host != nil, c.At}}, nil
}

func set[T any](member, value *T) {
	if value != nil {
		*member = *value
	}
}

// Stop disables a webhook whose receiver is gone. It does nothing if the webhook is disabled or deleted, or was changed since the message
// was sent: the answer is then that of another receiver.
type Stop struct {
	WebhookID uuid.UUID
	// Sent is when the webhook was last changed, as the sender of the message knew it.
	Sent time.Time
	At   time.Time
}

func (c Stop) Decide(s Webhooks) ([]domain.Event, error) {
	w, err := s.Find(c.WebhookID)
	if err != nil || !w.Enabled || !w.ChangedAt.Equal(c.Sent) {
		return nil, nil //nolint:nilerr // nothing is left to stop
	}
	return []domain.Event{Stopped{c.WebhookID, c.At}}, nil
}

// Overlap is how long after a rotation messages are signed with the previous secret too.
const Overlap = 24 * time.Hour

// Rotate gives a webhook a new secret, which is stored in the same append.
type Rotate struct {
	WebhookID uuid.UUID
	At        time.Time
}

func (c Rotate) Decide(s Webhooks) ([]domain.Event, error) {
	if _, err := s.Find(c.WebhookID); err != nil {
		return nil, err
	}
	return []domain.Event{SecretRotated{c.WebhookID, c.At.Add(Overlap), c.At}}, nil
}

// Delete deletes a webhook.
type Delete struct{ WebhookID uuid.UUID }

func (c Delete) Decide(s Webhooks) ([]domain.Event, error) {
	if _, err := s.Find(c.WebhookID); err != nil {
		return nil, err
	}
	return []domain.Event{Deleted(c)}, nil
}
