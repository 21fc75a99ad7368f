package scenarios

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rogpeppe/go-internal/testscript"

	"readiness/ai"
	"readiness/cmd/declared"
	"readiness/cmd/readinessd/wiring"
	"readiness/definition"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore/audit"
	readinesshttp "readiness/http"
	"readiness/http/collector"
	"readiness/http/health"
	"readiness/http/rate"
	"readiness/http/token"
	"readiness/internal/database"
	"readiness/test/openapitest"
	"readiness/test/testlog"
	"readiness/test/testworld"
	"readiness/work"
)

// Base is the service's public address, wherever it listens.
const Base = "http://readiness.test"

const portal = "https://portal.test/consent"

// Service is one scenario: a service with its own database and directory.
type Service struct {
	*testworld.World
	T        testing.TB
	url      string // of the database
	platform *platform
	asker    *asker
	issuer   *token.Issuer
	Verified token.Options // further issuers of tokens
	log      *testworld.LogBook
	Client   *http.Client

	listener string // where the service listens now
	Trees    *audit.Log
	queue    *work.Queue
	stops    []func()

	declared []account.Declaration
	caller   caller
	headers  http.Header // of the next call
	Last     answer
	names    map[uuid.UUID]string
	keeps    map[string]map[string]string // files by path
	started  int
	minted   []string
	secrets  []string // in addition to tokens
	models   models

	questions atomic.Int64 // how many times the provider was asked
}

// newWorld starts the service for a script.
func newWorld(env *testscript.Env) *Service {
	t := env.T().(testing.TB)
	w := Open(t, filepath.Join(env.WorkDir, "workspaces"), env.Getenv, func(w *Service) testworld.Platform { return w.Over })
	for _, name := range []string{"figures.tmdl", "figures_renamed.tmdl", "shop.tmdl"} {
		file, err := shared.ReadFile("testdata/" + name)
		check(t, err)
		check(t, os.WriteFile(filepath.Join(env.WorkDir, name), file, 0o644))
	}
	file, err := shared.ReadFile("testdata/accounts.yaml")
	check(t, err)
	w.Apply("accounts.yaml", file, nil)
	w.Up()
	env.Defer(w.End)
	return w
}

// End stops the service and fails the scenario if it kept a secret or met a fault.
func (w *Service) End() {
	w.platform.releaseAll()
	w.asker.releaseAll()
	w.down()
	w.keptSecrets()
	w.exportsNoSecret()
	w.metNoFault()
}

// Open returns a service over the directory, which has no accounts and is not started.
func Open(t testing.TB, root string, getenv func(string) string, over func(*Service) testworld.Platform) *Service {
	t.Helper()
	w := &Service{
		T: t, url: testlog.URL(t), log: &testworld.LogBook{},
		names: map[uuid.UUID]string{}, keeps: map[string]map[string]string{}, headers: http.Header{},
	}
	check(t, os.MkdirAll(root, 0o755))

	pool, err := database.Open(t.Context(), w.url, func(c *pgxpool.Config) { c.MaxConns = 12 })
	check(t, err)
	t.Cleanup(pool.Close)
	log := slog.New(slog.NewJSONHandler(w.log, nil))
	// It is ten in the morning, so that no scenario passes midnight unless it advances the clock. It is tomorrow, so
	// that anything that uses the real time is late at every hour of the day.
	began := time.Now().UTC().Truncate(24 * time.Hour).Add(34 * time.Hour)
	w.World = testworld.New(t, testworld.Options{
		Pool: pool, Root: root, Clock: testworld.RunningFrom(began), Declared: true, RandomIDs: true,
		Parts: wiring.Parts{AI: ai.Options{Getenv: getenv, PrivateAddresses: true, Log: log}, Logger: log, Workers: 4},
	})
	w.platform = &platform{Platform: over(w), held: map[string]chan struct{}{}, waiting: map[string]int{}, fails: map[string]error{}, reads: map[string]int{}, writes: map[string]int{}}
	w.Platform, w.Work.Platform = w.platform, w.platform
	w.asker = newAsker(w.Work.Asker)
	w.Work.Asker = w.asker
	w.issuer, err = token.OpenIssuer(t.TempDir())
	check(t, err)

	w.Client = &http.Client{Transport: again{openapitest.Transport(t, &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, w.listener)
		},
	})}}
	return w
}

// again retries a call that could not be counted, as a client would.
type again struct{ http.RoundTripper }

func (a again) RoundTrip(r *http.Request) (*http.Response, error) {
	for began := time.Now(); ; {
		answer, err := a.RoundTripper.RoundTrip(r)
		if err != nil || answer.StatusCode != http.StatusServiceUnavailable || time.Since(began) > patience {
			return answer, err
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || !bytes.Contains(text, []byte(domain.ThrottleStoreUnavailable)) {
			answer.Body = io.NopCloser(bytes.NewReader(text))
			return answer, err
		}
		if r = r.Clone(r.Context()); r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

var check = testworld.Check

// Apply declares accounts, with the rules files beside the file; their people may make calls from then on.
func (w *Service) Apply(name string, file []byte, beside fs.FS) {
	declared, err := declared.Parse(name, file, account.DefaultPlans(), beside)
	check(w.T, err)
	_, err = w.Accounts.Apply(w.T.Context(), declared)
	check(w.T, err)
	w.declared = append(declared, w.declared...)
}

// Up starts the service: its followers, its workers and its listener, as the program does.
func (w *Service) Up() {
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: patience}, watermill.NewSlogLogger(w.Work.Log))
	check(w.T, err)
	check(w.T, w.Engine.Follow(w.Store, router))
	check(w.T, w.Sender.Follow(router))
	background, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { w.Store.Wake(background) })
	wg.Go(func() { _ = router.Run(background) })
	w.stops = append(w.stops, func() {
		check(w.T, router.Close())
		stop()
		wg.Wait()
	})
	w.StartWorkers()

	limiter, err := rate.Open(w.T.Context(), w.url, rate.Options{Connections: 1, Timeout: patience})
	check(w.T, err)
	accepted := w.Verified
	accepted.Embedded, accepted.Now, accepted.Log = w.issuer, w.Now, w.Work.Log
	verifier, err := token.NewVerifier(accepted)
	check(w.T, err)
	registry := prometheus.NewRegistry()
	views, err := collector.New(collector.Options{
		Resolve: w.Views.PixieIDs, Count: w.Pixies.CountViews, Registry: registry, Log: w.Work.Log, Now: w.Now,
	})
	check(w.T, err)
	w.Pixies.CollectorURL = Base
	w.Trees = audit.New(audit.Options{Pool: w.Pool, Watermark: w.Store.Watermark, Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{3}, 32)), Now: w.Now})
	s, err := readinesshttp.New(readinesshttp.Options{
		Commands: w.Commands, Views: w.Views, Audit: w.Trees, Verifier: verifier, Limiter: limiter, Collector: views, BaseURL: Base, PortalURL: portal,
		TokenKey: bytes.Repeat([]byte{2}, 32), Registry: registry, Log: w.Work.Log, Now: w.Now,
		Checks: []health.Check{{Name: "database", Run: w.Pool.Ping}, {Name: "views", Run: w.Engine.Check}},
	})
	check(w.T, err)
	server := httptest.NewServer(s.Handler())
	w.listener = strings.TrimPrefix(server.URL, "http://")
	collecting, enough := context.WithCancel(context.Background())
	var counting sync.WaitGroup
	counting.Go(func() { views.Run(collecting) })
	w.stops = append(w.stops, limiter.Close, func() {
		enough()
		counting.Wait()
	}, func() {
		w.Client.CloseIdleConnections()
		server.Close()
	})
}

// down stops what up started, in reverse order.
func (w *Service) down() {
	for i := range w.stops {
		if i == len(w.stops)-1 {
			w.StopWorkers()
		}
		w.stops[len(w.stops)-1-i]()
	}
	w.stops = nil
}

// StartWorkers starts the workers of the queue.
func (w *Service) StartWorkers() {
	var err error
	w.queue, err = work.NewQueue(w.Work)
	check(w.T, err)
	w.Jobs = w.queue
	check(w.T, w.queue.Start(w.T.Context()))
}

// StopWorkers stops them, if they run, after the steps that they do.
func (w *Service) StopWorkers() {
	if w.queue == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	check(w.T, w.queue.Stop(ctx))
	w.queue = nil
}

// killWorkers stops the workers in the middle of their steps.
func (w *Service) killWorkers() {
	ctx, cancel := context.WithDeadline(context.Background(), time.Now())
	defer cancel()
	check(w.T, w.queue.Stop(ctx))
	w.queue = nil
}

// keptSecrets fails the scenario if a caller's token was stored anywhere unencrypted (docs/decisions.md 3).
func (w *Service) keptSecrets() {
	log := w.log.String()
	signatures := make([]string, len(w.minted))
	for i, tok := range w.minted {
		signatures[i] = tok[strings.LastIndexByte(tok, '.')+1:]
		if strings.Contains(log, signatures[i]) {
			w.T.Error("a log line holds a token")
		}
	}
	var found int
	check(w.T, w.Pool.QueryRow(context.Background(), `
		WITH stored AS MATERIALIZED (
			SELECT e::text AS line FROM events e UNION ALL SELECT j::text FROM river_job j UNION ALL SELECT k::text FROM idempotency_keys k)
		SELECT count(*) FROM stored, unnest($1::text[]) AS signature WHERE strpos(line, signature) > 0`, signatures).Scan(&found))
	if found > 0 {
		w.T.Errorf("%d rows hold a token", found)
	}
}

// metNoFault fails the scenario if the service logged an internal error. A subscriber that is closed while it reads
// logs that as an error.
func (w *Service) metNoFault() {
	for _, line := range w.log.Faults() {
		w.T.Errorf("the service logged a fault: %s", line)
	}
}

// platform is one whose definitions can be made to wait or to fail: under the model's name for reads, under
// "write " and the name for writes.
type platform struct {
	testworld.Platform
	mu            sync.Mutex
	held          map[string]chan struct{}
	waiting       map[string]int // by the model's name
	fails         map[string]error
	reads, writes map[string]int // by the model's name
}

// Definition waits while the model is held.
func (p *platform) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	if err := p.meets(ctx, it.DisplayName, p.reads, it.DisplayName); err != nil {
		return definition.Definition{}, err
	}
	return p.Platform.Definition(ctx, as, it)
}

// WriteDefinition waits while writing the model is held.
func (p *platform) WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error {
	if err := p.meets(ctx, "write "+it.DisplayName, p.writes, it.DisplayName); err != nil {
		return err
	}
	return p.Platform.WriteDefinition(ctx, as, it, d, ifHash)
}

// meets counts an access and makes it wait or fail.
func (p *platform) meets(ctx context.Context, access string, count map[string]int, model string) error {
	p.mu.Lock()
	count[model]++
	wait, fails := p.held[access], p.fails[access]
	if wait != nil {
		p.waiting[model]++
	}
	p.mu.Unlock()
	if wait == nil {
		return fails
	}
	select {
	case <-wait: // released
	case <-ctx.Done():
		fails = ctx.Err()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.held[access] == wait {
			p.waiting[model]--
		}
	}
	return fails
}

func (p *platform) fail(access string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fails[access] = err
}

func (p *platform) hold(access string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[access] = make(chan struct{})
}

func (p *platform) release(access string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait := p.held[access]; wait != nil {
		close(wait)
		delete(p.held, access)
		delete(p.waiting, strings.TrimPrefix(access, "write "))
	}
}

func (p *platform) releaseAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for access, wait := range p.held {
		close(wait)
		delete(p.held, access)
	}
}
