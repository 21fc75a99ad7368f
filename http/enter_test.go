package http_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/http/routing"
	"readiness/http/token"
	"readiness/test/oidctest"
)

// Concurrent calls are looked up in one batch, but each is handled independently: as its own person, of their
// account, and counted once.
//
// proves: decisions/2/rates 4.2/state
func TestBatchedCallsAreIndependent(t *testing.T) {
	t.Parallel()
	const each = 12
	w := newWorld(t)
	ours, theirs := w.assess("ada", modelA), w.assess("oscar", modelA)
	people := []struct {
		token     string
		sees, not uuid.UUID
	}{
		{w.as("ada"), ours, theirs}, {w.as("bob"), ours, theirs}, {w.as("oscar"), theirs, ours}, {w.as("ada") + "x", uuid.Nil, uuid.Nil},
	}
	w.uncounted()
	type answers struct{ own, foreign reply }
	got := make([]answers, each*len(people))
	var all sync.WaitGroup
	for i := range got {
		p := people[i%len(people)]
		all.Go(func() { got[i] = answers{w.get(operationPath(p.sees), p.token), w.get(operationPath(p.not), p.token)} })
	}
	all.Wait()
	for i, a := range got {
		p := people[i%len(people)]
		if p.sees == uuid.Nil {
			a.own.refused(401, domain.Unauthorized)
			a.foreign.refused(401, domain.Unauthorized)
			continue
		}
		if id := a.own.ok(200).body["id"]; id != p.sees.String() {
			t.Errorf("got operation %v, want %v", id, p.sees)
		}
		a.foreign.refused(404, domain.OperationNotFound)
	}
	for _, p := range []string{`"acme" ` + w.counts("ada"), `"acme" ` + w.counts("bob"), `"other" ` + w.counts("oscar")} {
		if n := w.hits("operations " + p); n != 2*each {
			t.Errorf("%s: %d calls are counted, want %d", p, n, 2*each)
		}
	}
	if n := w.hits("operations"); n != 3*2*each {
		t.Errorf("%d calls are counted in all, want %d", n, 3*2*each)
	}
}

// Of many concurrent calls of one person, exactly as many are admitted as the rate allows.
//
// proves: decisions/2/rates
func TestBatchedCallsShareTheRate(t *testing.T) {
	t.Parallel()
	const room, calls = 7, 40
	w := newWorld(t)
	tok := w.as("ada")
	w.get("/v1/operations", tok).ok(200)
	w.rateOf("operations", fmt.Sprintf("array_fill(clock_timestamp(), ARRAY[%d])", routing.Operations.Limit-room))
	statuses := make([]int, calls)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() { statuses[i] = w.get("/v1/operations", tok).status })
	}
	all.Wait()
	through := 0
	for _, status := range statuses {
		switch status {
		case http.StatusOK:
			through++
		case http.StatusTooManyRequests:
		default:
			t.Errorf("got %d", status)
		}
	}
	if through != room {
		t.Errorf("%d calls were admitted, want %d", through, room)
	}
	if n := w.hits("operations"); n != routing.Operations.Limit {
		t.Errorf("%d calls are counted, want %d", n, routing.Operations.Limit)
	}
}

// A token without an account acts in the account that the person is in now, whichever it was at their last call.
//
// proves: decisions/3/person
func TestPersonWhoChangesAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.withOIDC()
	tok := p.SignIn(t, "finn", oidctest.Service, token.ScopeReadWrite).Access
	id := w.post(modelPath(modelA)+"/assess", tok, "").operation()
	w.get(operationPath(id), tok).ok(200)
	moves := func(to string, status int, code domain.Code) {
		t.Helper()
		accounts := []account.Declaration{peopled(p, "north", account.Active, "eve"), peopled(p, "south", account.Active, "eve")}
		for i, a := range accounts {
			if a.AccountID == to {
				accounts[i] = peopled(p, to, account.Active, "eve", "finn")
			}
		}
		_, err := w.Accounts.Apply(t.Context(), accounts)
		check(t, err)
		w.get(operationPath(id), tok).refused(status, code)
	}
	moves("", 403, domain.UserNotRegistered)
	moves("south", 404, domain.OperationNotFound)
	if n := len(w.get("/v1/operations", tok).ok(200).value()); n != 0 {
		t.Errorf("%d operations are listed, want none", n)
	}
	if n := w.hits(`operations "south"`); n != 2 {
		t.Errorf("%d calls are counted in the new account, want 2", n)
	}
}
