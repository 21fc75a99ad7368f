package http

import (
	"context"

	"readiness/domain/webhook"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/internal/optional"
	"readiness/storage/deliveries"
)

// ListWebhooks handles GET /v1/webhooks.
func (s *Server) ListWebhooks(ctx context.Context, _ api.ListWebhooksRequestObject) (*api.WebhookList, error) {
	all, err := s.views.Webhooks(ctx, callerOf(ctx).Account)
	if err != nil {
		return nil, err
	}
	list := api.WebhookList{Value: make([]api.Webhook, len(all.All))}
	for i, w := range all.All {
		list.Value[i] = s.webhookOf(w)
	}
	return &list, nil
}

// CreateWebhook handles POST /v1/webhooks.
func (s *Server) CreateWebhook(ctx context.Context, r api.CreateWebhookRequestObject) (*api.CreatedWebhook, error) {
	b := r.Body
	w, to, err := s.commands.Webhooks.Create(ctx, callerOf(ctx), webhook.Configuration{
		Events: b.Events, FailUnder: b.FailUnder, Format: optional.Or(b.Format, webhook.CloudEvents), Enabled: optional.Or(b.Enabled, true),
	}, optional.Value(b.Address))
	if err != nil {
		return nil, err
	}
	return &api.CreatedWebhook{Webhook: s.webhookOf(w), Secret: to.Secret()}, nil
}

// GetWebhook handles GET /v1/webhooks/{webhookId}.
func (s *Server) GetWebhook(ctx context.Context, r api.GetWebhookRequestObject) (*api.Webhook, error) {
	all, err := s.views.Webhooks(ctx, callerOf(ctx).Account)
	if err != nil {
		return nil, err
	}
	w, err := all.Find(r.WebhookID)
	if err != nil {
		return nil, err
	}
	return new(s.webhookOf(w)), nil
}

// ChangeWebhook handles PATCH /v1/webhooks/{webhookId}.
func (s *Server) ChangeWebhook(ctx context.Context, r api.ChangeWebhookRequestObject) (*api.Webhook, error) {
	change := webhook.Change{FailUnder: r.Body.FailUnder, Format: r.Body.Format, Enabled: r.Body.Enabled}
	if r.Body.Events != nil {
		change.Events = &r.Body.Events
	}
	w, err := s.commands.Webhooks.Change(ctx, callerOf(ctx), r.WebhookID, change, r.Body.Address)
	if err != nil {
		return nil, err
	}
	return new(s.webhookOf(w)), nil
}

// RotateWebhookSecret handles POST /v1/webhooks/{webhookId}/rotate.
func (s *Server) RotateWebhookSecret(ctx context.Context, r api.RotateWebhookSecretRequestObject) (*api.RotatedWebhookSecret, error) {
	w, to, err := s.commands.Webhooks.Rotate(ctx, callerOf(ctx), r.WebhookID)
	if err != nil {
		return nil, err
	}
	return &api.RotatedWebhookSecret{Webhook: s.webhookOf(w), Secret: to.Secret()}, nil
}

// DeleteWebhook handles DELETE /v1/webhooks/{webhookId}.
func (s *Server) DeleteWebhook(ctx context.Context, r api.DeleteWebhookRequestObject) (*api.DeletedWebhook, error) {
	if err := s.commands.Webhooks.Delete(ctx, callerOf(ctx), r.WebhookID); err != nil {
		return nil, err
	}
	return &api.DeletedWebhook{WebhookID: r.WebhookID, Deleted: true}, nil
}

// TestWebhook handles POST /v1/webhooks/{webhookId}/test.
func (s *Server) TestWebhook(ctx context.Context, r api.TestWebhookRequestObject) (*api.WebhookDelivery, error) {
	d, err := s.commands.Webhooks.Test(ctx, callerOf(ctx), r.WebhookID)
	if err != nil {
		return nil, err
	}
	return new(deliveryOf(d)), nil
}

// RedeliverWebhookDelivery handles POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver.
func (s *Server) RedeliverWebhookDelivery(ctx context.Context, r api.RedeliverWebhookDeliveryRequestObject) (*api.WebhookDelivery, error) {
	d, err := s.commands.Webhooks.SendAgain(ctx, callerOf(ctx), r.WebhookID, r.DeliveryID)
	if err != nil {
		return nil, err
	}
	return new(deliveryOf(d)), nil
}

// ListWebhookDeliveries handles GET /v1/webhooks/{webhookId}/deliveries.
func (s *Server) ListWebhookDeliveries(ctx context.Context, r api.ListWebhookDeliveriesRequestObject) (*api.WebhookDeliveryList, error) {
	who := callerOf(ctx)
	p, err := paging.Open[int64](s.lists, who.Account, "/v1/webhooks/"+r.WebhookID.String()+"/deliveries", nil, r.Params.MaxResults,
		r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	all, err := s.views.Webhooks(ctx, who.Account)
	if err == nil {
		_, err = all.Find(r.WebhookID)
	}
	if err != nil {
		return nil, err
	}
	found, err := s.commands.Webhooks.Rows.List(ctx, who.Account, r.WebhookID, optional.Value(p.After), p.Limit+1)
	if err != nil {
		return nil, err
	}
	var list api.WebhookDeliveryList
	found, list.ContinuationToken, list.ContinuationURI, err = paging.Of(p, found, func(d deliveries.Delivery) int64 { return d.Place })
	list.Value = make([]api.WebhookDelivery, len(found))
	for i, d := range found {
		list.Value[i] = deliveryOf(d)
	}
	return &list, err
}

// webhookOf converts a webhook to its API form.
func (s *Server) webhookOf(w webhook.Webhook) api.Webhook {
	out := api.Webhook{WebhookID: w.WebhookID, Host: w.Host, Events: w.Events, FailUnder: w.FailUnder, Format: w.Format, Enabled: w.Enabled,
		CreatedAtUtc: w.CreatedAt.UTC(), ChangedAtUtc: w.ChangedAt.UTC()}
	if !w.StoppedAt.IsZero() {
		out.StoppedAtUtc = new(w.StoppedAt.UTC())
	}
	if s.now().Before(w.PreviousSecretEndsAt) {
		out.PreviousSecretEndsAtUtc = new(w.PreviousSecretEndsAt.UTC())
	}
	return out
}

// deliveryOf converts a delivery to its API form.
func deliveryOf(d deliveries.Delivery) api.WebhookDelivery {
	return api.WebhookDelivery{DeliveryID: d.ID, WebhookID: d.WebhookID, Event: string(d.Message.Kind), Subject: d.Message.Subject,
		Text: d.Message.Sentence(), State: string(d.State), Attempts: d.Attempts, CreatedAtUtc: d.MadeAt.UTC(),
		LastAttemptAtUtc: optional.UTC(d.TriedAt), LastStatus: d.Status, LastReason: optional.Of(string(d.Reason)),
		NextAttemptAtUtc: optional.UTC(d.NextAt)}
}
