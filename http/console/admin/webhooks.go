package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/domain/webhook"
	"readiness/http/console/page"
	"readiness/internal/lists"
	"readiness/internal/optional"
)

var (
	webhooksView = page.NewView(files, "webhooks.html", "hook.html")
	webhookView  = page.NewView(files, "webhook.html", "hook.html")
)

// webhooksPath is the page of the account's webhooks.
const webhooksPath = path + "/webhooks"

// choice is an event or a format in a form.
type choice struct {
	Value, Name string
	Chosen      bool
}

// Whose words choose events and formats.
var (
	webhookEvents = []choice{{"assessment.score-fell", "A score fell", false}, {gateFailed, "A score fails the gate", false},
		{"assessment.linguistic-found", "A model has a new linguistic schema", false}, {"assessment.failed", "An assessment failed", false},
		{"operation.ended", "An operation ended", false}, {"allowance.low", "80 % of an allowance is used", false}}
	webhookFormats = []choice{{"cloudevents", "CloudEvents (JSON)", false}, {"slack", "Slack", false}, {"teams", "Microsoft Teams", false}}
)

// gateFailed is the event that needs a gate.
const gateFailed = "gate.failed"

// chosen returns the choices with those that are chosen.
func chosen(all []choice, is func(string) bool) []choice {
	return lists.Map(all, func(c choice) choice { return choice{c.Value, c.Name, is(c.Value)} })
}

// hookForm are the fields of a webhook in a form.
type hookForm struct {
	Events, Formats []choice
	// Address is what a person typed for it, FailUnder the gate; "" for none.
	Address, FailUnder string
	// Refused is what is wrong with the form; "" for nothing.
	Refused string
	// New is a webhook that is created, which needs an address.
	New bool
}

// newHook is the form of a webhook that is created.
var newHook = hookForm{Events: webhookEvents, Formats: webhookFormats, New: true}

// sent returns the fields as a form was sent that is refused.
func sent(form url.Values, refused string) hookForm {
	return hookForm{Address: form.Get("address"), FailUnder: form.Get("failUnder"), Refused: refused,
		Events:  chosen(webhookEvents, func(value string) bool { return slices.Contains(form["event"], value) }),
		Formats: chosen(webhookFormats, func(value string) bool { return form.Get("format") == value })}
}

// status returns the status of a page with the form.
func (f hookForm) status() int {
	if f.Refused != "" {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// webhooks is what the page of all webhooks shows.
type webhooks struct {
	All  []client.Webhook
	Form hookForm
	// Created is the webhook that the form just created, with its secret.
	Created *client.CreatedWebhook
}

// NamedFormat returns the name of a format.
func (w webhooks) NamedFormat(format client.WebhookFormat) string {
	for _, c := range webhookFormats {
		if c.Value == format {
			return c.Name
		}
	}
	return format
}

// Named returns the names of events.
func (w webhooks) Named(events []client.WebhookEvent) string {
	return strings.Join(lists.Map(events, func(e client.WebhookEvent) string {
		for _, c := range webhookEvents {
			if c.Value == e {
				return c.Name
			}
		}
		return e
	}), "; ")
}

func listWebhooks(v *page.Visit) error { return showWebhooks(v, newHook, nil) }

func showWebhooks(v *page.Visit, form hookForm, created *client.CreatedWebhook) error {
	got, err := v.API.ListWebhooksWithResponse(v.Request.Context())
	if err != nil {
		return err
	}
	return v.Show(webhooksView, page.Page{Title: "Webhooks", In: path, Status: form.status(), Data: webhooks{got.JSON200.Value, form, created}})
}

// createWebhook creates a webhook and shows its secret, once.
func createWebhook(v *page.Visit) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	r, err := changeOf(form)
	var got *client.CreateWebhookResponse
	if err == nil {
		got, err = v.API.CreateWebhookWithResponse(v.Request.Context(), client.CreateWebhookRequest{
			Address: new(strings.TrimSpace(form.Get("address"))), Events: r.Events, FailUnder: r.FailUnder, Format: r.Format})
	}
	if refused := page.Refusal(err); refused != "" {
		again := sent(form, refused)
		again.New = true
		return showWebhooks(v, again, nil)
	}
	if err != nil {
		return err
	}
	return showWebhooks(v, newHook, got.JSON200)
}

// changeOf returns what a form changes of a webhook.
func changeOf(form url.Values) (r client.ChangeWebhookRequest, err error) {
	r.Events = lists.Map(form["event"], func(e string) client.WantedWebhookEvent { return client.WantedWebhookEvent(e) })
	r.Format = optional.Of(client.WantedWebhookFormat(form.Get("format")))
	r.Address = optional.Of(strings.TrimSpace(form.Get("address")))
	if text := strings.TrimSpace(form.Get("failUnder")); text != "" {
		gate, err := strconv.Atoi(text)
		if err != nil {
			return r, &page.Problem{Status: http.StatusBadRequest, Title: "The gate is no number", Text: "Give the lowest score that passes, 1 to 100."}
		}
		r.FailUnder = &gate
	}
	return r, nil
}

// hook is what the page of a webhook shows.
type hook struct {
	client.Webhook
	Form       hookForm
	Deliveries []client.WebhookDelivery
	Next       string
	// Secret is the new one after a rotation; "" otherwise.
	Secret string
}

// reason is why an attempt did not deliver a message, and what a person does about it, in words.
type reason struct{ Why, Do string }

var reasons = map[webhook.Reason]reason{
	webhook.AddressNotAllowed: {"Webhooks may not connect to the network of the address.",
		"Save a public address above, or ask who runs the service to allow this one."},
	webhook.Unreachable: {"The receiver could not be reached.", "Check its name, its port and its certificate, and that it runs."},
	webhook.TimedOut:    {"The receiver did not answer within 10 seconds.", "Let it answer first and do its work then."},
	webhook.Redirected:  {"The receiver answered with a redirect, which is not followed.", "Save the address above to which it leads."},
	webhook.Refused:     {"The receiver refused the message.", "Look for the answer in the receiver’s log, and mend it there."},
	webhook.Gone:        {"The receiver answered that it is gone.", "Save another address above and enable the webhook."},
	webhook.NotEnabled:  {"The webhook was disabled.", "Enable it."},
	webhook.SecretMissing: {"The service cannot decrypt the address and the secret.",
		"Ask who runs the service for the key, or create the webhook anew."},
}

// Reason returns why the last attempt did not deliver a message; nil if it did, or none was made.
func (hook) Reason(d client.WebhookDelivery) *reason {
	if d.LastReason == nil {
		return nil
	}
	if r, known := reasons[webhook.Reason(*d.LastReason)]; known {
		return &r
	}
	return &reason{Why: page.Words(*d.LastReason)}
}

// maxDeliveries is how many deliveries a page lists.
const maxDeliveries = 50

func showWebhook(v *page.Visit) error { return showHook(v, "", nil) }

// showHook shows a webhook, with its new secret after a rotation, or with the form that was refused.
func showHook(v *page.Visit, secret string, again *hookForm) error {
	id, err := uuid.Parse(v.Request.PathValue("id"))
	if err != nil {
		return page.NotFound
	}
	ctx := v.Request.Context()
	got, err := v.API.GetWebhookWithResponse(ctx, id)
	if err != nil {
		return err
	}
	deliveries, err := v.API.ListWebhookDeliveriesWithResponse(ctx, id, &client.ListWebhookDeliveriesParams{MaxResults: new(maxDeliveries),
		ContinuationToken: optional.Of(v.Request.URL.Query().Get("after"))})
	if err != nil {
		return err
	}
	h := hook{Webhook: *got.JSON200, Deliveries: deliveries.JSON200.Value, Secret: secret}
	if h.FailUnder != nil {
		h.Form.FailUnder = strconv.Itoa(*h.FailUnder)
	}
	h.Form.Events = chosen(webhookEvents, func(value string) bool { return slices.Contains(h.Events, value) })
	h.Form.Formats = chosen(webhookFormats, func(value string) bool { return h.Format == value })
	if again != nil {
		h.Form = *again
	}
	if next := deliveries.JSON200.ContinuationToken; next != nil {
		h.Next = webhooksPath + "/" + id.String() + "?after=" + url.QueryEscape(*next)
	}
	return v.Show(webhookView, page.Page{Title: "Webhook to " + h.Host, In: path, Status: h.Form.status(), Data: h})
}

// changeWebhook does what a button of a webhook says.
func changeWebhook(v *page.Visit) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	id, err := uuid.Parse(v.Request.PathValue("id"))
	if err != nil {
		return page.NotFound
	}
	ctx, to := v.Request.Context(), webhooksPath+"/"+id.String()
	switch do := form.Get("do"); do {
	case "enable", "disable":
		_, err = v.API.ChangeWebhookWithResponse(ctx, id, client.ChangeWebhookRequest{Enabled: new(do == "enable")})
	case "change":
		var change client.ChangeWebhookRequest
		if change, err = changeOf(form); err == nil {
			if !slices.Contains(form["event"], gateFailed) {
				change.FailUnder = nil // the field of an event that is no longer wanted
			}
			_, err = v.API.ChangeWebhookWithResponse(ctx, id, change)
		}
		if refused := page.Refusal(err); refused != "" {
			return showHook(v, "", new(sent(form, refused)))
		}
	case "rotate":
		got, err := v.API.RotateWebhookSecretWithResponse(ctx, id)
		if err != nil {
			return err
		}
		return showHook(v, got.JSON200.Secret, nil)
	case "test":
		_, err = v.API.TestWebhookWithResponse(ctx, id)
		to += "#deliveries"
	case "delete":
		_, err = v.API.DeleteWebhookWithResponse(ctx, id)
		to = webhooksPath
	case "again":
		delivery, wrong := uuid.Parse(form.Get("delivery"))
		if wrong != nil {
			return page.NotFound
		}
		_, err = v.API.RedeliverWebhookDeliveryWithResponse(ctx, id, delivery)
		to += "#deliveries"
	default:
		err = &page.Problem{Status: http.StatusBadRequest, Title: "The form is incomplete", Text: "Press a button of the webhook."}
	}
	if err != nil {
		return err
	}
	return v.See(to)
}
