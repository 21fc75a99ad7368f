package http_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/test/testlog"
)

// heavyWorld is a world whose platform lets no read of a definition end until it is released.
type heavyWorld struct {
	*world
	entered chan string // the accounts of the reads that began
	ending  chan struct{}
}

func newHeavyWorld(t *testing.T) *heavyWorld {
	w := &heavyWorld{openWorld(t, testlog.URL(t), t.TempDir()), make(chan string, 100), make(chan struct{})}
	w.limit = 25 * time.Second // how long a call waits for its turn
	w.accounts()
	w.base, w.client = w.serve(w.limiter(w.url))
	w.cloud.reading = func(as item.Caller) {
		w.entered <- as.Account
		<-w.ending
	}
	t.Cleanup(w.release)
	return w
}

// release lets all reads end.
func (w *heavyWorld) release() {
	select {
	case <-w.ending:
	default:
		close(w.ending)
	}
}

// waiting waits until n calls wait for their turn or for an equal call.
func (w *heavyWorld) waiting(n int) {
	w.t.Helper()
	want := fmt.Sprintf("readiness_http_heavy_calls{state=\"waiting\"} %d\n", n)
	w.eventually(want, func() bool { return strings.Contains(string(w.get("/metrics", "").ok(200).text), want) })
}

// all makes n calls at the same time. replies waits for them.
func (w *heavyWorld) all(n int, call func() reply) (replies func() []reply) {
	var made sync.WaitGroup
	got := make([]reply, n)
	for i := range got {
		made.Go(func() { got[i] = call() })
	}
	return func() []reply { made.Wait(); return got }
}

func (w *heavyWorld) views(n int, person, path string) func() []reply {
	return w.all(n, func() reply { return w.get(path, w.as(person)) })
}

// Equal reads that wait share one turn and response; each response has its own request id. What ran before they were called is not theirs.
func TestEqualHeavyReadsShare(t *testing.T) {
	t.Parallel()
	w := newHeavyWorld(t)
	path := modelPath(modelA) + "/view"
	token := w.as("ada")
	equal := func() reply { return w.get(path, token) }
	first := w.all(1, equal)
	<-w.entered
	second := w.all(1, equal)
	<-w.entered // the account has no further turn
	third := w.all(30, equal)
	w.waiting(30)
	w.cloud.mu.Lock()
	w.cloud.table = strings.ReplaceAll(w.cloud.table, "Region", "Market")
	w.cloud.mu.Unlock()
	w.release()
	ids := map[string]bool{}
	for _, r := range append(append(first(), second()...), third()...) {
		if !strings.Contains(string(r.ok(200).text), "Market") || r.header.Get("Content-Type") != "application/json" || r.header.Get("RateLimit") == "" {
			t.Errorf("a shared response is %v %s", r.header, r.text)
		}
		ids[r.header.Get("x-ms-request-id")] = true
	}
	if len(ids) != 32 || len(w.entered) != 1 {
		t.Errorf("32 calls have %d request ids and read the definition %d times, want 32 and 3", len(ids), 2+len(w.entered))
	}
}

// Reads of another person, of another token, of another address or of another body are not equal.
func TestUnequalHeavyReads(t *testing.T) {
	t.Parallel()
	w := newHeavyWorld(t)
	one, two := w.views(1, "ada", modelPath(modelB)+"/view"), w.views(1, "ada", modelPath(modelC)+"/view")
	<-w.entered
	<-w.entered
	ada, bob := w.views(2, "ada", modelPath(modelA)+"/view"), w.views(2, "bob", modelPath(modelA)+"/view")
	w.waiting(4)
	w.cloud.mu.Lock()
	w.cloud.fails = func(as item.Caller) error {
		if as.Person.ID == "bob" {
			return domain.Refuse(domain.PlatformAccessDenied, "not for bob")
		}
		return nil
	}
	w.cloud.mu.Unlock()
	w.release()
	for _, r := range append(append(one(), two()...), ada()...) {
		r.ok(200)
	}
	for _, r := range bob() { // a refusal is not shared
		if got := r.refused(403, domain.PlatformAccessDenied); got.body["requestId"] != got.header.Get("x-ms-request-id") {
			t.Errorf("the refusal %s has the request id of another call", got.text)
		}
	}
}

// An account has two turns. Sixteen more calls wait, a seventeenth is refused without a trace, and other accounts are served meanwhile.
func TestHeavyCallsOfAnAccount(t *testing.T) {
	t.Parallel()
	w := newHeavyWorld(t)
	path := modelPath(modelA) + "/view"
	held := []func() []reply{w.views(1, "ada", path)}
	<-w.entered
	held = append(held, w.views(1, "bob", path))
	<-w.entered
	held = append(held, w.views(8, "ada", path), w.views(8, "bob", path))
	w.waiting(16)
	w.untouched(func() {
		r := w.get(path, w.as("ada")).refused(429, domain.RequestBlocked)
		if r.header.Get("Retry-After") == "" || r.body["isRetriable"] != true {
			t.Errorf("the refusal does not say when to retry: %v %s", r.header, r.text)
		}
	})
	w.get("/v1/operations", w.as("ada")).ok(200) // other calls of the account need no turn
	other := w.views(1, "oscar", path)
	if got := <-w.entered; got != "other" {
		t.Errorf("a read of account %s began, want other's", got)
	}
	w.release()
	for _, replies := range append(held, other) {
		for _, r := range replies() {
			r.ok(200)
		}
	}
	w.waiting(0)
}

// A call whose caller goes away while it waits leaves its place, and calls that would have shared its response read for themselves.
func TestHeavyCallsLeave(t *testing.T) {
	t.Parallel()
	w := newHeavyWorld(t)
	path, token := modelPath(modelA)+"/view", w.as("ada")
	running := w.views(2, "ada", path)
	<-w.entered
	<-w.entered
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+path, nil)
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	left := make(chan error, 1)
	go func() {
		answer, err := w.client.Do(r)
		if err == nil {
			_ = answer.Body.Close()
		}
		left <- err
	}()
	w.waiting(1)
	equal := w.all(3, func() reply { return w.get(path, token) })
	w.waiting(4)
	leave()
	if err := <-left; err == nil {
		t.Error("the call that its caller left was answered")
	}
	w.waiting(3)
	w.release()
	for _, r := range append(running(), equal()...) {
		r.ok(200)
	}
	w.waiting(0)
}
