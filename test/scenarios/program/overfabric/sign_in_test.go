package overfabric_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"readiness/platform/fabric/emulator"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
)

// askedClaims are the claims of the challenge, and claimsInJSON the same as a client gets them.
const (
	askedClaims  = `{"access_token":{"nbf":{"essential":true,"value":"1700000000"}}}`
	claimsInJSON = "eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7ImVzc2VudGlhbCI6dHJ1ZSwidmFsdWUiOiIxNzAwMDAwMDAwIn19fQ"
)

// A step whose token Fabric refuses, even after another exchange, waits. Only the owner sees the claims in the state of the operation, and the
// same token changes nothing. The owner's next token completes the step.
//
// proves: decisions/5/sign-in
func TestSignInOverFabric(t *testing.T) {
	t.Parallel()
	c := program.WithModels(t, 1, 3, "--database-url", testlog.URL(t))
	service := c.OverFabric([]string{"ada", "grace"}, func(*emulator.Options) {})
	c.Launch()
	service.Script(emulator.Fault{Path: "/getDefinition", Answer: emulator.Challenge(askedClaims), Times: 2})
	accepted, ok := c.Call(t.Context(), http.MethodPost, "/v1/workspaces/"+c.WorkspaceID.String()+"/semanticModels/"+c.Models[0].String()+
		"/aiReadiness/assess", http.StatusAccepted, nil)
	if !ok {
		t.Fatalf("the assessment was not accepted: %v", c.Last)
	}
	at, first := "/v1/operations/"+accepted["operationId"].(string), c.MintAt(time.Now().Add(-time.Hour/2))
	read := func(token string) (status string, waits map[string]any) {
		c.Token = token
		state, _ := c.Call(t.Context(), http.MethodGet, at, http.StatusOK, nil)
		status, _ = state["status"].(string)
		waits, _ = state["waitingFor"].(map[string]any)
		return status, waits
	}
	var waits map[string]any
	c.Await("the step waits for its owner", func() bool {
		_, waits = read(first)
		return waits != nil
	})
	if waits["kind"] != "ownersSignIn" || waits["errorCode"] != "Unauthorized" || waits["claims"] != claimsInJSON || waits["message"] == "" {
		t.Errorf("the owner reads %v", waits)
	}
	if status, waits := read(c.Mint("grace")); status != "Running" || waits["kind"] != "ownersSignIn" || waits["claims"] != nil {
		t.Errorf("another person reads %s, %v", status, waits)
	}
	if status, waits := read(first); status != "Running" || waits["kind"] != "ownersSignIn" {
		t.Errorf("the same token makes it %s, %v", status, waits)
	}
	owner := c.Mint("ada")
	c.Await("the assessment ends", func() bool {
		status, _ := read(owner)
		return status == "Succeeded"
	})
}

// TestKilledSignIns kills the program while its steps wait for their owner, and while she signs in. Every run ends with all models,
// each assessed once.
func TestKilledSignIns(t *testing.T) {
	t.Parallel()
	c := program.WithModels(t, 3, 5, "--database-url", testlog.URL(t))
	service := c.OverFabric([]string{"ada"}, func(o *emulator.Options) { o.Lasts = time.Nanosecond })
	signIn := func(ctx context.Context) {
		for _, id := range c.Runs {
			if state, ok := c.Call(ctx, http.MethodGet, "/v1/operations/"+id.String(), http.StatusOK, nil); ok && state["waitingFor"] != nil {
				c.Token = c.Mint("ada")
			}
		}
	}
	c.Strike(3, time.Second, func(lasts time.Duration) (waits bool) {
		service.Script(emulator.Fault{Path: "/getDefinition", Answer: emulator.Challenge(askedClaims), Times: 4})
		c.Life(func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, lasts)
			defer cancel()
			for ctx.Err() == nil {
				c.Accept(ctx)
				signIn(ctx)
				c.Wait(ctx, program.PollPause)
			}
			n, ok := program.Query[int](c, `SELECT count(*) FROM events WHERE type = 'operation.sign-in-needed'`)
			waits = ok && n > 0
		})
		return waits
	})
	p := c.Launch()
	c.Await("no run waits for ada", func() bool {
		signIn(t.Context())
		return !c.Unfinished()
	})
	c.Settle()
	p.Kill()
	c.Verify()
	if n, ok := program.Query[int](c, `SELECT count(*) FROM events WHERE type = 'operation.sign-in-needed'`); !ok || n == 0 {
		t.Error("no step was refused")
	}
}
