package http_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/webhook"
	"readiness/eventstore"
)

const (
	webhooksPath = "/v1/webhooks"
	aWebhook     = `{"address":"https://hooks.example/services/PASSWORD?sig=PASSWORD","events":["operation.ended","assessment.score-fell"]}`
)

// hook creates a webhook and returns its id and its secret.
func (w *world) hook(person string) (uuid.UUID, string) {
	w.t.Helper()
	got := w.send("POST", webhooksPath, w.as(person), aWebhook).ok(200)
	id, err := uuid.Parse(got.body["webhook"].(map[string]any)["webhookId"].(string))
	check(w.t, err)
	return id, got.body["secret"].(string)
}

// decideHook decides about the webhooks of acme, as a test that writes directly does.
func (w *world) decideHook(accountID string, command domain.Command[webhook.Webhooks]) error {
	past := eventstore.FoldCached(webhook.Stream(accountID), webhook.Evolve)
	return w.Store.Change(context.Background(), eventstore.Metadata{Account: accountID}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, command)
	})
}

// unhook makes room for another webhook of an account, which may have ten only.
func (w *world) unhook(accountID string) {
	w.t.Helper()
	all, err := w.Views.Webhooks(context.Background(), accountID)
	check(w.t, err)
	for i := 0; i <= len(all.All)-webhook.MaxWebhooks; i++ {
		if err := w.decideHook(accountID, webhook.Delete{WebhookID: all.All[i].WebhookID}); !domain.IsRefused(err, domain.WebhookNotFound) {
			check(w.t, err)
		}
	}
}

// hookPath returns the path of a new webhook of acme.
func (w *world) hookPath() string {
	w.t.Helper()
	to, err := webhook.NewDestination("https://hooks.example/", make([]byte, webhook.SecretSize))
	check(w.t, err)
	for {
		w.unhook("acme")
		id := w.NewID()
		of := webhook.Configuration{WebhookID: id, Host: to.Host(), Events: webhook.Kinds(), FailUnder: new(70), Format: webhook.Slack, Enabled: true}
		if err := w.decideHook("acme", webhook.Create{Configuration: of, At: w.Now()}); !domain.IsRefused(err, domain.WebhookConflict) { // another test was faster
			check(w.t, err)
			put := w.Webhooks.Secrets.Put("acme", id, to.Reveal())
			_, err := w.Pool.Exec(context.Background(), put.SQL, put.Args...)
			check(w.t, err)
			return webhooksPath + "/" + id.String()
		}
	}
}

// delivered returns the path that sends a parked message of acme again.
func (w *world) delivered() string {
	w.t.Helper()
	path, id := w.hookPath(), w.NewID()
	hook := uuid.MustParse(strings.TrimPrefix(path, webhooksPath+"/"))
	check(w.t, w.Webhooks.Rows.Put(context.Background(), "acme", hook, id, webhook.Tried(hook, w.Now()), w.Now()))
	_, err := w.Pool.Exec(context.Background(), `UPDATE webhook_deliveries SET state = 'Parked' WHERE id = $1`, id)
	check(w.t, err)
	return path + "/deliveries/" + id.String() + "/redeliver"
}

// Administrators create, read, change, test and delete webhooks. The secret is shown once, and an address never again.
//
// proves: decisions/25/hidden
func TestWebhooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.get(webhooksPath, w.as("ada")).ok(200); string(got.text) != "{\"value\":[]}\n" {
		t.Errorf("at first there are %s", got.text)
	}
	id, secret := w.hook("ada")
	path := webhooksPath + "/" + id.String()
	if !strings.HasPrefix(secret, "whsec_") || len(secret) != 50 {
		t.Errorf("the secret has %d characters", len(secret))
	}
	want := fmt.Sprintf(`"webhookId":"%s","host":"hooks.example"`, id)
	for _, got := range []reply{w.get(webhooksPath, w.as("ada")).ok(200), w.get(path, w.as("ada")).ok(200),
		w.send("PATCH", path, w.as("ada"), `{"format":"teams","events":["allowance.low"]}`).ok(200)} {
		if strings.Contains(string(got.text), "PASSWORD") || strings.Contains(string(got.text), secret[:20]) || !strings.Contains(string(got.text), `"hooks.example"`) {
			t.Errorf("got %s, want %s", got.text, want)
		}
	}
	w.send("PATCH", path, w.as("ada"), `{"address":"https://else.example:8443/x"}`).ok(200)
	if got := w.get(path, w.as("ada")).ok(200); got.body["host"] != "else.example:8443" || got.body["format"] != "teams" || fmt.Sprint(got.body["events"]) != "[allowance.low]" {
		t.Errorf("changed, it is %s", got.text)
	}
	for body, says := range map[string]string{
		`{"address":"http://hooks.example","events":["operation.ended"]}`:                 "https",
		`{"address":"https://a:PASSWORD@hooks.example","events":["operation.ended"]}`:     "credentials",
		`{"address":"https://hooks.example","events":[]}`:                                 "events",
		`{"address":"https://hooks.example","events":["allowance.high"]}`:                 "events",
		`{"address":"https://hooks.example","events":["operation.ended"],"format":"xml"}`: "format",
		`{"events":["operation.ended"]}`:                                                  "address",
	} {
		got := w.send("POST", webhooksPath, w.as("ada"), body).refused(400, domain.InvalidRequest).says(says)
		if strings.Contains(string(got.text), "PASSWORD") {
			t.Errorf("a refusal repeats an address: %s", got.text)
		}
	}
	for n := 1; n < webhook.MaxWebhooks; n++ {
		w.hook("ada")
	}
	w.send("POST", webhooksPath, w.as("ada"), aWebhook).refused(409, domain.WebhookConflict).says("10")

	var ids []string
	for range 3 {
		ids = append(ids, fmt.Sprint(w.send("POST", path+"/test", w.as("ada"), "").ok(200).body["deliveryId"]))
	}
	page := w.get(path+"/deliveries?maxResults=2", w.as("ada")).ok(200)
	value := page.body["value"].([]any)
	if d := value[0].(map[string]any); len(value) != 2 || d["deliveryId"] != ids[2] || d["event"] != "webhook.test" || d["state"] != "Waiting" || d["nextAttemptAtUtc"] != nil {
		t.Errorf("the first page is %s", page.text)
	}
	last := w.get(path+"/deliveries?maxResults=2&continuationToken="+fmt.Sprint(page.body["continuationToken"]), w.as("ada")).ok(200)
	if d := last.body["value"].([]any)[0].(map[string]any); d["deliveryId"] != ids[0] || d["nextAttemptAtUtc"] == nil || last.body["continuationToken"] != nil {
		t.Errorf("the last page is %s", last.text)
	}
	w.send("POST", path+"/deliveries/"+ids[0]+"/redeliver", w.as("ada"), "").ok(200)
	w.send("POST", path+"/deliveries/"+nowhere.String()+"/redeliver", w.as("ada"), "").refused(404, domain.WebhookNotFound)
	w.send("PATCH", path, w.as("ada"), `{"enabled":false}`).ok(200)
	w.send("POST", path+"/test", w.as("ada"), "").refused(409, domain.WebhookConflict).says("enable")
	w.send("DELETE", path, w.as("ada"), "").ok(200)
	w.get(path+"/deliveries", w.as("ada")).refused(404, domain.WebhookNotFound)
	if strings.Contains(w.log.String(), "PASSWORD") || strings.Contains(w.log.String(), secret[6:]) {
		t.Error("the log has an address or a secret")
	}
}

// A gate comes and goes with its event. Only an administrator gets a new secret, once.
//
// proves: decisions/25/gate-failed decisions/25/rotated decisions/25/hidden
func TestGateAndRotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, secret := w.hook("ada")
	path := webhooksPath + "/" + id.String()
	for _, body := range []string{
		`{"address":"https://hooks.example","events":["gate.failed"]}`,
		`{"address":"https://hooks.example","events":["gate.failed"],"failUnder":101}`,
		`{"address":"https://hooks.example","events":["gate.failed"],"failUnder":0.5}`,
		`{"address":"https://hooks.example","events":["operation.ended"],"failUnder":70}`,
	} {
		w.send("POST", webhooksPath, w.as("ada"), body).refused(400, domain.InvalidRequest).says("failUnder")
	}
	w.send("PATCH", path, w.as("ada"), `{"failUnder":70}`).refused(400, domain.InvalidRequest).says("gate.failed")
	if got := w.send("PATCH", path, w.as("ada"), `{"events":["gate.failed"],"failUnder":70}`).ok(200); got.body["failUnder"] != 70.0 {
		t.Errorf("with a gate, it is %s", got.text)
	}
	if got := w.send("PATCH", path, w.as("ada"), `{"events":["allowance.low"]}`).ok(200); got.body["failUnder"] != nil {
		t.Errorf("without its event, the gate stays: %s", got.text)
	}
	w.send("POST", path+"/rotate", w.as("bob"), "").refused(403, domain.AdminRoleRequired)
	if got := w.get(path, w.as("ada")).ok(200); got.body["previousSecretEndsAtUtc"] != nil {
		t.Errorf("a refused rotation changed it to %s", got.text)
	}
	rotated := w.send("POST", path+"/rotate", w.as("ada"), "").ok(200)
	second := rotated.body["secret"].(string)
	if ends := rotated.body["webhook"].(map[string]any)["previousSecretEndsAtUtc"]; second == secret || !strings.HasPrefix(second, "whsec_") || ends == nil {
		t.Errorf("rotated, it is %s", rotated.text)
	}
	if got := w.get(path, w.as("ada")).ok(200); strings.Contains(string(got.text), second[6:]) || got.body["previousSecretEndsAtUtc"] == nil {
		t.Errorf("after a rotation, it is %s", got.text)
	}
	w.send("POST", webhooksPath+"/"+nowhere.String()+"/rotate", w.as("ada"), "").refused(404, domain.WebhookNotFound)
	if strings.Contains(w.log.String(), secret[6:]) || strings.Contains(w.log.String(), second[6:]) {
		t.Error("the log has a secret")
	}
}
