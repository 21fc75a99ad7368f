package main

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"readiness/test/pgtest"
)

// Administrators create, change, test and delete webhooks. The address is read from a file or stdin and is never shown; the secret is shown
// once. A receiver whose certificate nobody issued is not sent anything.
func TestClientWebhooks(t *testing.T) {
	t.Parallel()
	reached := 0
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	t.Cleanup(receiver.Close)
	data := t.TempDir()
	s := serve(t, "--database-url", pgtest.URL(t), "--data", data, "--accounts", samplesAccounts)
	y, quiet := newTypist(t), newTypist(t)
	quiet.config = y.config
	for _, person := range []string{"ada", "linus"} {
		made := strings.TrimSpace(must(t, "token", "--data", data, "--account", "contoso", "--person", person, "--force").stdout)
		y.types(0, made+"\n", "login", "--base-url", s.base, "--profile", person)
	}
	types := func(code int, stdin string, args ...string) result {
		t.Helper()
		return y.types(code, stdin, append([]string{"webhooks"}, append(args, "--profile", "ada")...)...)
	}
	types(0, "", "list")
	made := quiet.types(0, receiver.URL+"/PASSWORD\n", "webhooks", "create", "--address-file", "-", "--event", "operation.ended,allowance.low", "--profile", "ada").stdout
	if !strings.Contains(made, "whsec_") || strings.Contains(made, "PASSWORD") {
		t.Errorf("created: %s", made)
	}
	id := shownID.FindString(made)
	types(0, "", "list")
	y.types(1, "", "webhooks", "list", "--profile", "linus") // a member
	types(1, "http://hooks.example/\n", "create", "--address-file", "-", "--event", "operation.ended")
	types(1, "https://hooks.example/\n", "create", "--address-file", "-", "--event", "gate.opened")
	types(1, "https://hooks.example/\n", "create", "--address-file", "-", "--event", "gate.failed")
	types(2, "", "change", id)
	types(0, "", "change", id, "--event", "gate.failed", "--fail-under", "70")
	types(0, "", "change", id, "--format", "slack", "--event", "operation.ended")
	rotated := quiet.types(0, "", "webhooks", "rotate", id, "--profile", "ada").stdout
	if secret := regexp.MustCompile(`whsec_\S+`); secret.FindString(rotated) == "" || secret.FindString(rotated) == secret.FindString(made) ||
		!strings.Contains(rotated, "signs too until") {
		t.Errorf("rotated: %s", rotated)
	}
	y.types(1, "", "webhooks", "rotate", id, "--profile", "linus") // a member
	delivery := strings.ReplaceAll(shownID.FindString(types(0, "", "test", id).stdout), id, "")
	if got := quiet.types(0, "", "webhooks", "deliveries", id, "--profile", "ada").stdout; !strings.Contains(got, delivery) || !strings.Contains(got, "webhook.test") {
		t.Errorf("the deliveries are %s", got)
	}
	quiet.types(0, "", "webhooks", "redeliver", id, delivery, "--profile", "ada")
	types(0, "", "change", id, "--enabled=false")
	types(1, "", "test", id) // 409
	types(0, "", "delete", id)
	types(1, "", "deliveries", id) // 404
	if strings.Contains(y.screen.String()+s.stderr.String(), "PASSWORD") || reached > 0 {
		t.Errorf("an address was shown, or reached %d times", reached)
	}
	y.golden("client_webhooks.golden", s.base, strings.TrimPrefix(receiver.URL, "https://"), "receiver.test")
}
