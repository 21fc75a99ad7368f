package fabric_test

import (
	"context"
	"encoding/base64"
	"testing"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
)

// A 401 with claims makes the client exchange the token again with them and call once more; a second one, or an exchange
// that is refused, reaches the caller.
func TestClaimsOfThePlatform(t *testing.T) {
	t.Parallel()
	const claims = `{"access_token":{"nbf":{"essential":true,"value":"1700000000"}}}`
	for name, c := range map[string]struct {
		challenges int
		err        error
		code       domain.Code
		calls      int
	}{
		"once":                    {1, nil, "", 2},
		"twice":                   {2, nil, domain.Unauthorized, 2},
		"the exchange is refused": {1, domain.Refuse(domain.PlatformConsentRequired, "no"), domain.PlatformConsentRequired, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.service.Script(emulator.Fault{Path: "/v1/workspaces", Answer: emulator.Challenge(claims), Times: c.challenges})
			exchanged := 0
			p, err := fabric.New(fabric.Options{URL: w.server.URL, PowerBIURL: w.server.URL, Transport: w.server.Client().Transport,
				Now: w.clock.Now, Wait: w.clock.Wait,
				Tokens: func(_ context.Context, as item.Caller, _ item.Permission) (string, error) { return as.Token, nil },
				Challenged: func(_ context.Context, as item.Caller, p item.Permission, asked string) (string, error) {
					exchanged++
					if text, err := base64.RawURLEncoding.DecodeString(asked); err != nil || string(text) != claims || p != item.PermissionPlatform {
						t.Errorf("asked for %s with %q", p, asked)
					}
					return as.Token, c.err
				}})
			if err != nil {
				t.Fatal(err)
			}
			all, err := p.Workspaces(t.Context(), person("ada"))
			if c.code == "" && (err != nil || len(all) == 0) {
				t.Errorf("got %v, %v", all, err)
			}
			if c.code != "" {
				refused(t, err, c.code, "")
			}
			if n := w.called("GET", "/v1/workspaces"); n != c.calls || exchanged != 1 {
				t.Errorf("%d calls and %d exchanges, want %d and 1", n, exchanged, c.calls)
			}
		})
	}
}
