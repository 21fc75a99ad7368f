package operate_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// heard is a message that a receiver took.
type heard struct {
	Type, Subject, ID string
	Data              struct {
		Score, FailUnder int
		ConsoleURL       string
	}
	signatures, signed string
}

// receivers are real receivers of webhooks, by the paths of their addresses. Those that are bad fail until they are mended.
type receivers struct {
	*httptest.Server
	mu     sync.Mutex
	mended chan struct{}
	took   map[string][]heard
	tried  map[string]int
}

func receive(t *testing.T) *receivers {
	t.Helper()
	l := &receivers{mended: make(chan struct{}), took: map[string][]heard{}, tried: map[string]int{}}
	l.Server = httptest.NewTLSServer(l)
	t.Cleanup(l.Close)
	return l
}

// ServeHTTP implements http.Handler.
func (l *receivers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m heard
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &m) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	m.signatures = r.Header.Get("webhook-signature")
	m.signed = fmt.Sprintf("%s.%s.%s", r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), body)
	l.mu.Lock()
	l.tried[r.URL.Path]++
	l.mu.Unlock()
	select {
	case <-l.mended:
	default:
		switch r.URL.Path {
		case "/redirects":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			return
		case "/refuses":
			w.WriteHeader(http.StatusInternalServerError)
			return
		case "/hangs":
			select {
			case <-r.Context().Done():
				return
			case <-l.mended:
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.ContainsFunc(l.took[r.URL.Path], func(earlier heard) bool { return earlier.ID == m.ID }) {
		l.took[r.URL.Path] = append(l.took[r.URL.Path], m)
	}
}

// of returns what the receiver took of a kind.
func (l *receivers) of(path, kind string) (all []heard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.took[path] {
		if m.Type == kind {
			all = append(all, m)
		}
	}
	return all
}

func (l *receivers) tries(path string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tried[path]
}

// signedBy returns the signature of the message by a secret.
func (m heard) signedBy(t *testing.T, secret string) string {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	testworld.Check(t, err)
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(m.signed))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// A worker tells a good receiver of every operation, and once that a model fails the gate, with a link to its page, while other receivers of
// the same account hang, redirect and refuse. When those are mended, they get the same messages in the same order. After a rotation both
// secrets sign.
//
// proves: decisions/25/fair decisions/25/retried decisions/25/gate-failed decisions/25/links decisions/25/rotated
func TestWebhooks(t *testing.T) {
	t.Parallel()
	const console, ended, failed = "https://readiness.example.com/bi", "operation.ended", "gate.failed"
	l := receive(t)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	testworld.Check(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: l.Certificate().Raw}), 0o600))
	url := testlog.URL(t)
	c := program.WithModels(t, 1, 1, "--database-url", url)
	c.Args, c.Env = append(c.Args, "--roles", "api"), []string{"SSL_CERT_FILE=" + authority}
	defer c.Launch().Kill()
	defer c.Begin("worker", "--data", c.Data, "--database-url", url, "--platform", "folder:"+c.Root, "--metrics-listen", "", "--webhook-private-addresses",
		"--base-url", console).Kill()
	call := func(method, path string, body any) map[string]any {
		t.Helper()
		got, ok := c.Call(t.Context(), method, "/v1/webhooks"+path, http.StatusOK, body)
		if !ok {
			t.Fatalf("%s %s: %v", method, path, c.Last)
		}
		return got
	}
	bad := []string{"/hangs", "/redirects", "/refuses"}
	for _, path := range bad {
		call(http.MethodPost, "", map[string]any{"address": l.URL + path, "events": []string{ended}})
	}
	made := call(http.MethodPost, "", map[string]any{"address": l.URL + "/good", "events": []string{ended, failed}, "failUnder": 100})
	first, id := made["secret"].(string), made["webhook"].(map[string]any)["webhookId"].(string)
	assess := func(n int) {
		t.Helper()
		c.Accept(t.Context())
		c.Await("the good receiver has the end of the operation", func() bool { return len(l.of("/good", ended)) == n })
		c.Await("the operation ended", func() bool { return !c.Unfinished() })
	}
	assess(1)
	assess(2)
	second := call(http.MethodPost, "/"+id+"/rotate", nil)["secret"].(string)
	assess(3)
	for _, path := range bad {
		c.Await(path+" was tried", func() bool { return l.tries(path) > 0 })
		if n := len(l.of(path, ended)); n > 0 {
			t.Errorf("%s took %d messages before it was mended", path, n)
		}
	}
	gates := l.of("/good", failed)
	if len(gates) != 1 {
		t.Fatalf("the gate failed %d times in the eyes of its receiver, want once", len(gates))
	}
	if m := gates[0]; m.Data.FailUnder != 100 || m.Data.Score >= 100 || m.Subject != c.Models[0].String() ||
		m.Data.ConsoleURL != fmt.Sprintf("%s/models/%s/%s", console, c.WorkspaceID, c.Models[0]) {
		t.Errorf("the message about the gate is %+v", m)
	}
	told := l.of("/good", ended)
	for i, m := range told {
		want := m.signedBy(t, first)
		if i == 2 {
			want = m.signedBy(t, second) + " " + want
		}
		if m.signatures != want || m.Data.ConsoleURL != console+"/operations/"+m.Subject || m.Subject != c.Runs[i].String() {
			t.Errorf("message %d is %+v", i, m)
		}
	}
	close(l.mended)
	c.Await("every message is delivered", func() bool {
		return c.Count(`SELECT count(*) FROM webhook_deliveries WHERE state = 'Delivered'`) == 3*(len(bad)+1)+1
	})
	for _, path := range bad {
		got := l.of(path, ended)
		if !slices.EqualFunc(got, told, func(a, b heard) bool { return a.Subject == b.Subject && a.ID != b.ID }) {
			t.Errorf("%s took %d messages, or in another order", path, len(got))
		}
	}
	if n := l.tries("/elsewhere"); n > 0 {
		t.Errorf("a redirect was followed %d times", n)
	}
	if n := c.Count(`SELECT count(*) FROM webhook_deliveries`); n != 3*(len(bad)+1)+1 {
		t.Errorf("%d messages were made", n)
	}
}
