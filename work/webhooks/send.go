package webhooks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/webhook"
	"readiness/eventstore"
	"readiness/internal/publicnet"
	"readiness/storage/deliveries"
)

// Run sends due messages until ctx ends.
func (s *Sender) Run(ctx context.Context) {
	var lanes sync.WaitGroup
	defer lanes.Wait()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		if err := s.look(ctx, &lanes); err != nil && ctx.Err() == nil {
			s.Log.Warn("the database does not answer; messages to webhooks wait", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.wake:
		}
	}
}

// look begins to send to webhooks that are due, as far as there is room.
func (s *Sender) look(ctx context.Context, lanes *sync.WaitGroup) error {
	s.mu.Lock()
	busy := slices.Collect(maps.Values(s.busy))
	s.mu.Unlock()
	if len(busy) >= size {
		return nil
	}
	now, process, have := s.Now(), s.Life.Key(), ids(busy)
	due, err := s.rows.Due(ctx, process, have, now)
	if err != nil || len(due) == 0 {
		return err
	}
	chosen := choose(due, busy)
	s.mu.Lock()
	for _, lane := range chosen {
		s.busy[lane.WebhookID] = lane
	}
	s.mu.Unlock()
	taken, err := s.rows.Take(ctx, process, have, ids(chosen), now)
	for _, lane := range chosen {
		if !slices.ContainsFunc(taken, func(t deliveries.Lane) bool { return t.WebhookID == lane.WebhookID }) {
			s.ended(lane.WebhookID)
		}
	}
	for _, lane := range taken {
		lanes.Go(func() {
			defer func() {
				s.ended(lane.WebhookID)
				select {
				case s.wake <- struct{}{}:
				default:
				}
			}()
			if err := s.send(ctx, lane); err != nil && ctx.Err() == nil {
				s.Log.Warn("messages to a webhook wait", "webhookId", lane.WebhookID, "error", err)
			}
		})
	}
	return err
}

func (s *Sender) ended(id uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, id)
}

func ids(lanes []deliveries.Lane) []uuid.UUID {
	all := make([]uuid.UUID, len(lanes))
	for i, lane := range lanes {
		all[i] = lane.WebhookID
	}
	return all
}

// choose returns those of the due lanes that this process takes, beside the busy ones that it has. So a webhook that hangs takes no more
// than its account's share, and all that fail no more than half of the process.
func choose(due, busy []deliveries.Lane) (chosen []deliveries.Lane) {
	held, failed := map[string]int{}, 0
	count := func(lane deliveries.Lane) {
		held[lane.Account]++
		if lane.Failures > 0 {
			failed++
		}
	}
	for _, lane := range busy {
		count(lane)
	}
	for _, lane := range due {
		if len(busy)+len(chosen) < size && held[lane.Account] < share && (lane.Failures == 0 || failed < failing) {
			chosen = append(chosen, lane)
			count(lane)
		}
	}
	return chosen
}

// send sends the messages of a lane, one after the other, until one is not delivered, none is left, or its turn is over.
func (s *Sender) send(ctx context.Context, lane deliveries.Lane) (err error) {
	failures, due, began := lane.Failures, time.Time{}, time.Now()
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		if due.IsZero() {
			due = s.Now()
		}
		err = errors.Join(err, s.rows.End(end, s.Life.Key(), lane.WebhookID, failures, due))
	}()
	for n := 0; n < turn && time.Since(began) < DefaultTimeout; n++ {
		d, found, err := s.rows.Next(ctx, lane.WebhookID)
		if err != nil || !found {
			return err
		}
		w, to, err := s.receiver(ctx, lane)
		if domain.IsRefused(err, domain.WebhookNotFound) {
			return s.rows.Drop(ctx, lane.WebhookID)
		}
		if err != nil {
			due = s.Now().Add(webhook.Pause(1))
			return err
		}
		a, err := s.attempt(ctx, w, to, d)
		if err != nil || ctx.Err() != nil {
			return err // it is sent again: its receiver may have it already
		}
		if a.Reason == webhook.Gone {
			if err := s.Webhooks.Stop(ctx, lane.Account, w); err != nil {
				return err
			}
		}
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		err = s.rows.Record(end, d, a)
		cancel()
		if err != nil {
			return err
		}
		s.attempts.WithLabelValues(outcomeOf(a)).Inc()
		if a.State == webhook.Parked {
			s.Log.Warn("a message to a webhook is parked", "account", lane.Account, "webhookId", lane.WebhookID, "id", d.ID, "reason", string(a.Reason))
		}
		switch a.Reason {
		case "":
			failures = 0
		case webhook.NotEnabled: // nothing was sent
		default:
			failures++
			due = a.At.Add(webhook.Pause(failures))
			return nil
		}
	}
	return nil
}

// receiver returns the webhook of a lane and where its messages go, or refuses with WebhookNotFound. Without its secret, the destination is
// the zero one.
func (s *Sender) receiver(ctx context.Context, lane deliveries.Lane) (w webhook.Webhook, to webhook.Destination, err error) {
	past := eventstore.FoldCached(webhook.Stream(lane.Account), webhook.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return w, to, err
	}
	if w, err = past.State.Find(lane.WebhookID); err != nil {
		return w, to, err
	}
	to, _, err = s.Webhooks.Destination(ctx, lane.Account, lane.WebhookID)
	return w, to, err
}

// attempt sends a message and returns what became of it. An error means that there is no such message.
func (s *Sender) attempt(ctx context.Context, w webhook.Webhook, to webhook.Destination, d deliveries.Delivery) (a deliveries.Attempt, err error) {
	var zero webhook.Destination
	switch {
	case !w.Enabled:
		a.Reason = webhook.NotEnabled
	case to == zero:
		a.Reason = webhook.SecretMissing
	default:
		body, mediaType, err := d.Message.Body(w.Format, d.ID, d.Account, s.Console)
		if err != nil {
			return a, err
		}
		a.Sent = true
		a.Status, a.Reason = s.post(ctx, to, d.ID, body, mediaType)
	}
	a.At = s.Now()
	a.State = webhook.After(a.Reason, d.Since, a.At)
	return a, nil
}

// post sends a body and returns the status of the answer, 0 for none, and why it is not delivered.
func (s *Sender) post(ctx context.Context, to webhook.Destination, id uuid.UUID, body []byte, mediaType string) (int, webhook.Reason) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Address(), bytes.NewReader(body))
	if err != nil {
		return 0, webhook.Unreachable
	}
	r.Header.Set("Content-Type", mediaType)
	r.Header.Set("User-Agent", "readiness-webhooks")
	for name, value := range to.Headers(id.String(), s.Now(), body) {
		r.Header.Set(name, value)
	}
	answer, err := s.calls.Do(r)
	if err != nil {
		var slow net.Error
		switch {
		case errors.Is(err, publicnet.ErrAddress):
			return 0, webhook.AddressNotAllowed
		case errors.As(err, &slow) && slow.Timeout():
			return 0, webhook.TimedOut
		}
		return 0, webhook.Unreachable
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // so that the connection can be used again; the status counts
	return answer.StatusCode, webhook.Answered(answer.StatusCode)
}
