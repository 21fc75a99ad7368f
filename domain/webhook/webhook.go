// Package webhook holds the webhooks of an account: where messages go, about what and in which form; what a message says, how it is
// signed, and when it is sent again (docs/decisions.md 25). All webhooks of an account share one stream. No event contains an address or
// a secret.
package webhook

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// MaxWebhooks is how many webhooks an account can have at most.
const MaxWebhooks = 10

// Kind says what a message is about.
type Kind string

// The kinds that a webhook can want, and that of a test message.
const (
	ScoreFell        Kind = "assessment.score-fell"
	GateFailed       Kind = "gate.failed"
	LinguisticFound  Kind = "assessment.linguistic-found"
	AssessmentFailed Kind = "assessment.failed"
	OperationEnded   Kind = "operation.ended"
	AllowanceLow     Kind = "allowance.low"
	Test             Kind = "webhook.test"
)

// Kinds returns the kinds that a webhook can want, in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{ScoreFell, GateFailed, LinguisticFound, AssessmentFailed, OperationEnded, AllowanceLow}
}

// Format is the form of a webhook's messages.
type Format string

// The formats.
const (
	CloudEvents Format = "cloudevents"
	Slack       Format = "slack"
	Teams       Format = "teams"
)

// Formats returns the formats.
func Formats() []Format { return []Format{CloudEvents, Slack, Teams} }

// Configuration is an administrator's configuration of a webhook.
type Configuration struct {
	// WebhookID is the webhook's id.
	WebhookID uuid.UUID `json:"webhookId"`
	// Host is the host of the address, with its port if it names one. The address is stored with the secret.
	Host string `json:"host"`
	// Events are what it wants messages about.
	Events []Kind `json:"events"`
	// FailUnder is its gate: a lower score fails it; nil unless it wants messages about that.
	FailUnder *int `json:"failUnder,omitempty"`
	// Format is the form of its messages.
	Format Format `json:"format"`
	// Enabled says whether messages are sent.
	Enabled bool `json:"enabled"`
}

// Wants reports whether messages of the kind are made for an event that was recorded at a time.
func (w Webhook) Wants(k Kind, at time.Time) bool {
	return w.Enabled && slices.Contains(w.Events, k) && !at.Before(w.CreatedAt)
}

// checked returns the configuration with its events in order, or refuses the first invalid member.
func (c Configuration) checked() (Configuration, error) {
	all := c.Events
	c.Events = []Kind{}
	for _, k := range Kinds() {
		if slices.Contains(all, k) {
			c.Events = append(c.Events, k)
		}
	}
	for _, k := range all {
		if !slices.Contains(c.Events, k) {
			return c, wrong("events", "cannot hold %q", domain.Excerpt(string(k)))
		}
	}
	switch {
	case len(c.Events) == 0:
		return c, wrong("events", "must name one event at least")
	case c.FailUnder == nil && slices.Contains(c.Events, GateFailed):
		return c, wrong("failUnder", "must be the lowest score that passes the gate, because events has %s", GateFailed)
	case c.FailUnder != nil && !slices.Contains(c.Events, GateFailed):
		return c, wrong("failUnder", "needs the event %s", GateFailed)
	case c.FailUnder != nil && (*c.FailUnder < 1 || *c.FailUnder > 100):
		return c, wrong("failUnder", "must be 1 to 100")
	case !slices.Contains(Formats(), c.Format):
		return c, wrong("format", "must be cloudevents, slack or teams")
	}
	return c, nil
}

func wrong(member, format string, args ...any) error {
	return domain.Refuse(domain.InvalidRequest, member+" "+format, args...).About("member", member)
}

// Webhook is a webhook of an account.
type Webhook struct {
	Configuration
	CreatedAt, ChangedAt time.Time
	// StoppedAt is when its receiver answered that it is gone; zero unless that disabled it.
	StoppedAt time.Time
	// PreviousSecretEndsAt is until when messages are signed with the secret before this one too; zero without one.
	PreviousSecretEndsAt time.Time
	// Destinations is how many times its address or its secret was stored.
	Destinations int
}

// Webhooks are the webhooks of an account, oldest first.
type Webhooks struct{ All []Webhook }

// Stream returns the name of the stream of an account's webhooks.
func Stream(accountID string) string { return "webhooks-" + accountID }

// Find returns the webhook with the id, or refuses with WebhookNotFound.
func (s Webhooks) Find(id uuid.UUID) (Webhook, error) {
	if i := slices.IndexFunc(s.All, func(w Webhook) bool { return w.WebhookID == id }); i >= 0 {
		return s.All[i], nil
	}
	return Webhook{}, NotFound(id)
}

// NotFound returns the refusal of an id that no webhook of the account has.
func NotFound(id uuid.UUID) *domain.Refusal {
	return domain.Refuse(domain.WebhookNotFound, "this account has no webhook %s", id).About("webhookId", id)
}

// SecretLost returns the refusal to change the address or the secret of a webhook whose secret can no longer be decrypted.
func SecretLost(id uuid.UUID) *domain.Refusal {
	return domain.Refuse(domain.WebhookConflict, "the service can no longer decrypt the secret of the webhook: delete it and create another").
		About("webhookId", id)
}

// DeliveryNotFound returns the refusal of an id that no delivery of the webhook has.
func DeliveryNotFound(webhookID, id uuid.UUID) *domain.Refusal {
	return domain.Refuse(domain.WebhookNotFound, "the webhook has no delivery %s, or it is deleted", id).
		About("webhookId", webhookID)
}

// Overtaken returns the refusal of a change to an address or a secret that another change replaced meanwhile.
func Overtaken(id uuid.UUID) *domain.Refusal {
	return domain.Refuse(domain.OperationInProgress, "another call changed the address or the secret of the webhook; repeat the call in a moment").
		About("webhookId", id).After(time.Second)
}

// Testable returns the webhook if a message can be sent to it now, or refuses.
func (s Webhooks) Testable(id uuid.UUID) (Webhook, error) {
	w, err := s.Find(id)
	if err == nil && !w.Enabled {
		err = domain.Refuse(domain.WebhookConflict, "the webhook is not enabled: enable it first").About("webhookId", id)
	}
	return w, err
}

// Evolve returns s after e.
func Evolve(s Webhooks, e domain.Event) Webhooks {
	switch e := e.(type) {
	case Created:
		return Webhooks{append(slices.Clone(s.All), Webhook{Configuration: e.Configuration, CreatedAt: e.At, ChangedAt: e.At,
			Destinations: 1})}
	case Changed:
		return s.with(e.Configuration.WebhookID, func(w *Webhook) {
			w.Configuration, w.ChangedAt = e.Configuration, e.At
			if e.Configuration.Enabled {
				w.StoppedAt = time.Time{}
			}
			if e.NewAddress {
				w.Destinations++
			}
		})
	case SecretRotated:
		return s.with(e.WebhookID, func(w *Webhook) {
			w.PreviousSecretEndsAt = e.PreviousEndsAt
			w.Destinations++
		})
	case Stopped:
		return s.with(e.WebhookID, func(w *Webhook) { w.Enabled, w.StoppedAt = false, e.At })
	case Deleted:
		return Webhooks{slices.DeleteFunc(slices.Clone(s.All), func(w Webhook) bool { return w.WebhookID == e.WebhookID })}
	}
	return s
}

// with copies the list, because a state that was returned must not change later.
func (s Webhooks) with(id uuid.UUID, change func(*Webhook)) Webhooks {
	all := slices.Clone(s.All)
	for i := range all {
		if all[i].WebhookID == id {
			change(&all[i])
		}
	}
	return Webhooks{all}
}
