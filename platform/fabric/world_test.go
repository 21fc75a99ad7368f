package fabric_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/platform/quota"
	"readiness/test/samples"
)

// clock is a time that only waiting moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return ctx.Err()
}

// remembered is what processes share: reads in progress and holds.
type remembered struct {
	mu    sync.Mutex
	clock *clock
	reads map[fabric.Read]string
	begun map[fabric.Read]time.Time
	holds []quota.Call
}

func (r *remembered) Find(_ context.Context, of fabric.Read) (string, time.Time, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reads[of], r.begun[of], nil
}

func (r *remembered) Keep(_ context.Context, of fabric.Read, operation string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads[of], r.begun[of] = operation, r.clock.Now()
	return nil
}

func (r *remembered) Drop(_ context.Context, of fabric.Read) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.reads, of)
	return nil
}

func (r *remembered) Wait(context.Context, quota.Call) error { return nil }

func (r *remembered) Hold(_ context.Context, c quota.Call, _ time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holds = append(r.holds, c)
	return nil
}

// world is an emulator over the samples, with a client.
type world struct {
	*fabric.Platform
	service *emulator.Service
	folder  *folder.Platform
	root    string // of the folder
	server  *httptest.Server
	clock   *clock
	shared  *remembered
	off     error // refuses writes
	over    error // refuses callers whose token has ended
	probed  fabric.Answers
}

// everyScope are the delegated permissions of all keys of fabric.Scopes.
func everyScope() (all []string) {
	for _, scopes := range fabric.Scopes {
		for _, s := range scopes {
			all = append(all, s[strings.LastIndexByte(s, '/')+1:])
		}
	}
	return all
}

func newWorld(t *testing.T, change func(*emulator.Options)) *world {
	t.Helper()
	return newWorldOver(t, samples.Workspaces(t), change)
}

// newWritable returns a world over a copy of the samples.
func newWritable(t *testing.T, change func(*emulator.Options)) *world {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(samples.Workspaces(t))); err != nil {
		t.Fatal(err)
	}
	return newWorldOver(t, dir, change)
}

func newWorldOver(t *testing.T, dir string, change func(*emulator.Options)) *world {
	t.Helper()
	w := &world{clock: &clock{now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}}
	w.shared = &remembered{clock: w.clock, reads: map[fabric.Read]string{}, begun: map[fabric.Read]time.Time{}}
	w.root = dir
	var err error
	if w.folder, err = folder.Open(dir, folder.Options{}); err != nil {
		t.Fatal(err)
	}
	o := emulator.Options{Folder: w.folder, Now: w.clock.Now, Layout: emulator.Layout{Exact: true},
		Person: func(bearer string) (emulator.Person, error) {
			if bearer == "expired" {
				return emulator.Person{}, emulator.ErrExpired
			}
			return emulator.Person{ID: bearer, Scopes: everyScope()}, nil
		}}
	if change != nil {
		change(&o)
	}
	w.service = emulator.New(o)
	w.server = httptest.NewTLSServer(w.service)
	t.Cleanup(w.server.Close)
	w.Platform = w.client(t, w.server.URL)
	return w
}

// client returns a client of the address whose tokens are the callers' own.
func (w *world) client(t *testing.T, address string) *fabric.Platform {
	t.Helper()
	p, err := fabric.New(fabric.Options{
		URL: address, PowerBIURL: address, Transport: w.server.Client().Transport, Now: w.clock.Now, Wait: w.clock.Wait,
		Limits: w.shared, Reads: w.shared,
		Writing: func(context.Context, item.Caller) error { return w.off },
		Probed:  func(item.Person) fabric.Answers { return w.probed },
		Valid:   func(item.Caller) error { return w.over },
		Tokens:  func(_ context.Context, as item.Caller, _ item.Permission) (string, error) { return as.Token, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func person(id string) item.Caller { return item.Caller{Person: item.Person{ID: id}, Token: id} }

func (w *world) model(t *testing.T) item.Item {
	t.Helper()
	all, err := w.folder.Items(t.Context(), person("ada"), retail, item.SemanticModel)
	if err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	return all[0]
}

var (
	retail   = uuid.MustParse("dd861a23-9ffc-5a77-a120-f2f1e51bfd19")
	closed   = uuid.MustParse("2d9b7a6e-0bf3-5624-9f39-03df83cd285d") // to all but ada and grace
	seasonal = uuid.MustParse("464c71cb-5954-5e3d-91a5-dbc88e2ba40d") // its capacity is paused
)

// refused checks the code of a refusal and that its message has the words.
func refused(t *testing.T, err error, code domain.Code, words string) *domain.Refusal {
	t.Helper()
	r, ok := domain.Refused(err)
	if !ok || r.Code != code || !strings.Contains(r.Message, words) {
		t.Fatalf("got %v, want %s with %q", err, code, words)
	}
	return r
}

// called counts the calls of a method whose path has the text.
func (w *world) called(method, path string) (n int) {
	for _, c := range w.service.Calls() {
		if c.Method == method && strings.Contains(c.Path, path) {
			n++
		}
	}
	return n
}

// elsewhere is a host that must never be called; it fails the test if it is.
func elsewhere(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was called: %s, authorization: %t", r.URL.Path, r.Header.Get("Authorization") != "")
	}))
	t.Cleanup(s.Close)
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
