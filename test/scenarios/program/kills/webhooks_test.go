package kills_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/cmd/readinessd/wiring"
	"readiness/domain"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// TestKilledWebhooks kills the program while it sends messages to webhooks.
//
// proves: decisions/25/same-id decisions/25/order
func TestKilledWebhooks(t *testing.T) {
	t.Parallel()
	killWebhooks(t, 3, 4, 20)
}

// killWebhooks kills the program that many times while it makes and sends messages to the webhooks; before each kill, that many operations
// have ended. No message is lost, those of a webhook arrive in the order of the log, and one that arrives twice has the same id.
func killWebhooks(t *testing.T, kills, webhooks, operations int) {
	t.Helper()
	url := testlog.URL(t)
	l := hear(t)
	c := program.WithModels(t, 1, 1, "--database-url", url)
	c.Args = append(c.Args, "--webhook-private-addresses")
	c.Env = []string{"SSL_CERT_FILE=" + l.authority}
	first := c.Launch()
	var hooks []string
	for i := range webhooks {
		got, ok := c.Call(t.Context(), http.MethodPost, "/v1/webhooks", http.StatusOK,
			map[string]any{"address": fmt.Sprintf("%s/%d", l.server.URL, i), "events": []string{"operation.ended"}})
		if !ok {
			t.Fatalf("a webhook was not created: %v", c.Last)
		}
		hooks = append(hooks, got["webhook"].(map[string]any)["webhookId"].(string))
	}
	first.Kill()
	var ended []string
	want := func() int { return webhooks * len(ended) }
	for cut, longest := 0, 100*time.Millisecond; cut < kills; {
		ended = append(ended, endOperations(t, url, operations)...)
		before := l.count()
		p := c.Spawn()
		c.Await("a message arrives", func() bool { return l.count() > before })
		c.Wait(t.Context(), time.Duration(c.Random.Int64N(int64(longest))))
		p.Kill()
		if l.count() < want() {
			cut++
		} else { // it was too late
			longest = max(longest/2, time.Millisecond)
		}
	}
	last := c.Launch()
	defer last.Kill()
	c.Await("all messages are delivered", func() bool {
		return c.Count(`SELECT count(*) FROM webhook_deliveries WHERE state = 'Delivered'`) == want()
	})
	t.Logf("seed %d: %d kills over %d messages, %d of them received more than once", c.Seed, kills, want(), l.count()-want())
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, hook := range hooks {
		path := fmt.Sprintf("/%d", i)
		if got := l.order[path]; !slices.Equal(got, ended) {
			t.Errorf("webhook %s received %d operations in another order than that of the log, which has %d", hook, len(got), len(ended))
		}
		for subject, ids := range l.ids[path] {
			if len(ids) != 1 {
				t.Errorf("the message about operation %s has %d ids", subject, len(ids))
			}
		}
	}
	if n := c.Count(`SELECT count(*) FROM webhook_deliveries`); n != want() {
		t.Errorf("%d deliveries were made, want %d", n, want())
	}
}

// endOperations records operations that ended, as the program would, and returns their ids in the order of the log.
func endOperations(t *testing.T, url string, n int) (ids []string) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	testworld.Check(t, err)
	defer pool.Close()
	log, err := wiring.OpenLog(pool, nil, time.Now, nil)
	testworld.Check(t, err)
	for range n {
		id := wiring.NewID()
		past := eventstore.Fold(operation.Stream(id), operation.Evolve)
		testworld.Check(t, log.Store.Change(t.Context(), eventstore.Metadata{Account: "acme"}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
			return eventstore.Decide(c, past, domain.Command[operation.Operation](ends(id)))
		}))
		ids = append(ids, id.String())
	}
	return ids
}

// ends is an operation that begins and ends.
type ends uuid.UUID

// Decide implements domain.Command.
func (e ends) Decide(operation.Operation) ([]domain.Event, error) {
	return []domain.Event{operation.Accepted{OperationID: uuid.UUID(e), AccountID: "acme", Type: operation.AddPixies, Owner: "ana",
		Resource: operation.Resource{WorkspaceID: uuid.New()}}, operation.Started{}, operation.Succeeded{}}, nil
}

// hearer is a receiver of webhooks that notes what it took. It refuses one message of each webhook once.
type hearer struct {
	server    *httptest.Server
	authority string // the file of its certificate
	mu        sync.Mutex
	n         int
	order     map[string][]string                       // by path, the subjects in the order in which they came first
	ids       map[string]map[string]map[string]struct{} // by path and subject, the ids
	refused   map[string]bool
}

func hear(t *testing.T) *hearer {
	t.Helper()
	l := &hearer{order: map[string][]string{}, ids: map[string]map[string]map[string]struct{}{}, refused: map[string]bool{}}
	l.server = httptest.NewTLSServer(http.HandlerFunc(l.take))
	t.Cleanup(l.server.Close)
	l.authority = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: l.server.Certificate().Raw})
	testworld.Check(t, os.WriteFile(l.authority, text, 0o600))
	return l
}

func (l *hearer) take(w http.ResponseWriter, r *http.Request) {
	var e struct{ ID, Subject string }
	if json.NewDecoder(r.Body).Decode(&e) != nil || e.ID != r.Header.Get("webhook-id") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.order[r.URL.Path]) == 3 && !l.refused[r.URL.Path] {
		l.refused[r.URL.Path] = true
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	of := l.ids[r.URL.Path]
	if of == nil {
		of = map[string]map[string]struct{}{}
		l.ids[r.URL.Path] = of
	}
	if of[e.Subject] == nil {
		of[e.Subject] = map[string]struct{}{}
		l.order[r.URL.Path] = append(l.order[r.URL.Path], e.Subject)
	}
	of[e.Subject][e.ID] = struct{}{}
	l.n++
}

func (l *hearer) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}
