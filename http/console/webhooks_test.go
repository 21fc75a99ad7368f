package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"readiness/client"
	"readiness/test/consoletest"
	"readiness/test/testworld"
)

// webhookPage creates a webhook with a message that waits, and returns its page.
func webhookPage(t *testing.T, w *consoletest.World) string {
	t.Helper()
	api := w.API("contoso", "ada")
	made, err := api.CreateWebhookWithResponse(t.Context(), client.CreateWebhookRequest{Address: new("https://hooks.example/"), Events: []client.WantedWebhookEvent{"operation.ended"}})
	testworld.Check(t, err)
	_, err = api.TestWebhookWithResponse(t.Context(), made.JSON200.Webhook.WebhookID)
	testworld.Check(t, err)
	return "/admin/webhooks/" + made.JSON200.Webhook.WebhookID.String()
}

// An administrator creates, changes, tests, disables and deletes a webhook by forms, and sees its secret once; a member sees none of it.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	ada, linus, margaret := w.As("contoso", "ada"), w.As("contoso", "linus"), w.As("fabrikam", "margaret")
	want(t, ada.Get("/admin"), http.StatusOK, "/admin/webhooks")
	if got := linus.Get("/admin"); strings.Contains(got.Body, "/admin/webhooks") {
		t.Error("a member is led to the webhooks")
	}
	empty := ada.Get("/admin/webhooks")
	want(t, empty, http.StatusOK, "The account has no webhook.")
	ada.CheckPage(empty)
	want(t, ada.Send("/admin/webhooks", url.Values{"address": {"http://hooks.example"}, "event": {"operation.ended"}, "failUnder": {"7"}, "format": {"slack"}}),
		http.StatusBadRequest, "Nothing was saved.", "https", `value="http://hooks.example"`, `value="operation.ended" checked`, `value="7"`, `value="slack" selected`,
		"The account has no webhook.")
	want(t, ada.Send("/admin/webhooks", url.Values{"address": {"https://hooks.example"}, "format": {"slack"}}), http.StatusBadRequest)
	made := ada.Send("/admin/webhooks", url.Values{"address": {" https://hooks.example/PASSWORD "}, "event": {"operation.ended", "allowance.low"}, "format": {"slack"}})
	want(t, made, http.StatusOK, "whsec_", "hooks.example", "<td class=\"middle\">Slack</td>", "An operation ended; 80 % of an allowance is used")
	ada.CheckPage(made)
	path := regexp.MustCompile(`"(/admin/webhooks/[0-9a-f-]{36})"`).FindStringSubmatch(made.Body)[1]
	want(t, ada.Send(path, url.Values{"do": {"change"}, "event": {"assessment.failed"}, "format": {"teams"}}), http.StatusSeeOther)
	want(t, ada.Send(path, url.Values{"do": {"test"}}), http.StatusSeeOther)
	_, err := w.Pool.Exec(t.Context(), `UPDATE webhook_deliveries SET reason = 'TimedOut', status = 504, tried_at = now()`)
	testworld.Check(t, err)
	shown := ada.Get(path)
	want(t, shown, http.StatusOK, "This is a test message.", "Waiting", "504", "The receiver did not answer within 10 seconds.", `value="assessment.failed" checked`, `value="teams" selected`)
	lacks(t, shown, "not sent again by itself")
	ada.CheckPage(shown)
	for _, page := range []string{shown.Body, ada.Get("/admin/webhooks").Body} {
		if strings.Contains(page, "PASSWORD") || strings.Contains(page, "whsec_") {
			t.Error("an address or a secret is shown again")
		}
	}
	want(t, ada.Send(path, url.Values{"do": {"change"}, "event": {"gate.failed"}, "failUnder": {"70"}, "format": {"teams"}}), http.StatusSeeOther)
	want(t, ada.Get(path), http.StatusOK, `value="gate.failed" checked`, `name="failUnder" type="number" min="1" max="100" value="70"`)
	want(t, ada.Send(path, url.Values{"do": {"change"}, "event": {"gate.failed"}, "failUnder": {"many"}, "format": {"slack"}}), http.StatusBadRequest, "Nothing was saved.", "lowest score that passes",
		`value="many"`, `value="slack" selected`, "This is a test message.")
	want(t, ada.Get(path), http.StatusOK, `value="teams" selected`, `value="70"`)
	want(t, ada.Send(path, url.Values{"do": {"change"}, "event": {"assessment.failed"}, "failUnder": {"70"}, "format": {"teams"}}), http.StatusSeeOther)
	if got := ada.Get(path); strings.Contains(got.Body, `value="70"`) {
		t.Error("the gate stays without its event")
	}
	for gate, says := range map[string]string{"": "failUnder must be", "101": "failUnder"} {
		want(t, ada.Send("/admin/webhooks", url.Values{"address": {"https://hooks.example"}, "event": {"gate.failed"}, "failUnder": {gate}, "format": {"slack"}}), http.StatusBadRequest, says)
	}
	want(t, linus.Send(path, url.Values{"do": {"rotate"}}), http.StatusForbidden, "AdminRoleRequired")
	rotated := ada.Send(path, url.Values{"do": {"rotate"}})
	want(t, rotated, http.StatusOK, "whsec_", "The webhook has a new secret.", "signed with the secret before this one too")
	ada.CheckPage(rotated)
	if got := ada.Get(path); strings.Contains(got.Body, "whsec_") || !strings.Contains(got.Body, "signed with the secret before this one too") {
		t.Error("the new secret is shown again, or nothing says that there was another")
	}
	delivery := regexp.MustCompile(`name="delivery" value="([0-9a-f-]{36})"`).FindStringSubmatch(shown.Body)[1]
	want(t, ada.Send(path, url.Values{"do": {"again"}, "delivery": {delivery}}), http.StatusSeeOther)
	want(t, ada.Send(path, url.Values{"do": {"again"}, "delivery": {"x"}}), http.StatusNotFound)
	want(t, ada.Send(path, url.Values{"do": {"disable"}}), http.StatusSeeOther)
	off := ada.Get(path)
	want(t, off, http.StatusOK, "disabled", "Enable")
	ada.CheckPage(off)
	want(t, ada.Send(path, url.Values{"do": {"test"}}), http.StatusConflict)
	want(t, ada.Send(path, url.Values{"do": {"enable"}}), http.StatusSeeOther)
	want(t, ada.Send(path, nil), http.StatusBadRequest)
	want(t, ada.Get("/admin/webhooks/x"), http.StatusNotFound)
	for _, page := range []string{"/admin/webhooks", path} {
		want(t, linus.Get(page), http.StatusForbidden, "AdminRoleRequired")
		if got := margaret.Get(page); strings.Contains(got.Body, "hooks.example") {
			t.Errorf("%s: another account got %d", page, got.StatusCode)
		}
	}
	want(t, ada.Send(path, url.Values{"do": {"delete"}}), http.StatusSeeOther)
	want(t, ada.Get(path), http.StatusNotFound)
}

// A message that was given up says why, and what to do before it is sent again.
func TestParkedMessages(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	ada, path := w.As("contoso", "ada"), webhookPage(t, w)
	for _, row := range []struct {
		reason string
		status *int
		says   []string
	}{
		{"AddressNotAllowed", nil, []string{"may not connect to the network", "Save a public address"}},
		{"Unreachable", nil, []string{"could not be reached", "its certificate"}},
		{"TimedOut", nil, []string{"within 10 seconds", "Let it answer first"}},
		{"Redirected", new(302), []string{"with a redirect", "Its answer was 302.", "to which it leads"}},
		{"Refused", new(500), []string{"refused the message", "Its answer was 500.", "the receiver’s log"}},
		{"Gone", new(410), []string{"that it is gone", "Its answer was 410.", "Save another address"}},
		{"NotEnabled", nil, []string{"was disabled", "Enable it."}},
		{"SecretMissing", nil, []string{"cannot decrypt", "create the webhook anew"}},
		{"OfALaterVersion", nil, []string{"of a later version"}},
	} {
		_, err := w.Pool.Exec(t.Context(), `UPDATE webhook_deliveries SET state = 'Parked', reason = $1, status = $2, tried_at = now()`, row.reason, row.status)
		testworld.Check(t, err)
		got := ada.Get(path)
		want(t, got, http.StatusOK, append(row.says, "Parked", "The message is not sent again by itself.")...)
		ada.CheckPage(got)
		if row.status == nil {
			lacks(t, got, "Its answer was")
		}
	}
	_, err := w.Pool.Exec(t.Context(), `UPDATE webhook_deliveries SET state = 'Delivered', reason = NULL, status = 200`)
	testworld.Check(t, err)
	lacks(t, ada.Get(path), "not sent again by itself", "Its answer was")
}
