package main

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"net"
	"os"
	"strings"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"readiness/ai"
	"readiness/ai/openai/entra"
	"readiness/cmd/cli"
	"readiness/cmd/declared"
	"readiness/cmd/readinessd/monitor"
	"readiness/cmd/readinessd/wiring"
	"readiness/commands"
	"readiness/domain/account"
	"readiness/domain/readiness"
	"readiness/eventstore/audit"
	"readiness/eventstore/forward"
	"readiness/http"
	"readiness/http/collector"
	"readiness/http/console"
	"readiness/http/health"
	"readiness/http/rate"
	"readiness/http/token"
	"readiness/internal/pace"
	"readiness/internal/probe"
	agents "readiness/mcp/service"
	"readiness/projections"
	"readiness/storage/vault"
	"readiness/work"
	"readiness/work/webhooks"
)

// service is a process that serves or works: the log, the commands and the queue of their work.
type service struct {
	*core
	commands *commands.Commands
	queue    *work.Queue
	secrets  secrets
	platform platform
	registry *prometheus.Registry
	tracer   trace.TracerProvider
	measured *monitor.Monitor
	audit    *audit.Log
	anchors  *anchors
	webhooks *webhooks.Sender
	forward  *forward.Forwarder // nil if the log is not forwarded
	collect  forward.Target     // of the views that other processes collect; without URL there are none
}

// knowPeople opens the people and the texts of the log with the secrets, and checks that they are the ones under which people and keys
// of accounts were stored.
func (c *core) knowPeople(ctx context.Context, with secrets) error {
	if err := c.know(with); err != nil {
		return err
	}
	if err := c.people.Check(ctx); err != nil {
		return err
	}
	return c.store.Keys.Check(ctx, c.pool)
}

// measure returns what measures the entire database while the queue leads.
func (r *root) measure(core *core, queue *work.Queue) *monitor.Monitor {
	return monitor.New(monitor.Options{
		Pool: core.pool, Store: core.store, Engine: core.engine, Views: core.views, Leads: queue.Leads, Now: time.Now, Log: r.Log,
	})
}

// rules returns the current regime with a file's changes, or as it is without a file.
func (r *root) rules(file string) (*readiness.Regime, error) {
	regime, err := declared.ReadRules(file, readiness.Current())
	if err == nil && file != "" {
		r.Log.Info("rules file read", "regime", regime.ID)
	}
	return regime, err
}

// openService opens and migrates the database and wires the service. It adds everything that it starts to life. share
// is as in run.
func (r *root) openService(ctx context.Context, life *lifetime, f serviceFlags, plans account.Plans, share bool) (*service, error) {
	var core *core // assigned below, before the first call
	platforms, err := r.platforms(f, func() *projections.Views { return core.views })
	if err != nil {
		return nil, err
	}
	regime, err := r.rules(f.rules)
	if err != nil {
		return nil, err
	}
	tracer, err := startTracing(ctx, life)
	if err != nil {
		return nil, err
	}
	d, err := r.openDatabase(ctx, life, f.databaseFlags, share)
	if err != nil {
		return nil, err
	}
	secrets, err := openSecrets(f.data)
	if err != nil {
		return nil, err
	}
	core, err = r.liveCore(ctx, life, d.url, f, plans, secrets)
	if err != nil {
		return nil, err
	}
	if err := core.knowPeople(ctx, secrets); err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	platform, queries, err := r.openPlatform(ctx, life, f.fabric, platforms, core, registry)
	if err != nil {
		return nil, err
	}
	anchors, err := f.anchors.open(ctx, life, secrets)
	if err != nil {
		return nil, err
	}
	wired, err := r.wire(core, secrets, f, regime, anchors, registry)
	if err != nil {
		return nil, err
	}
	wired.Work.Platform, wired.Work.Permissions, wired.Work.Queries, wired.Work.Life = platform, platform, queries, core.Life
	life.background("life", core.Life.Keep, wired.Commands.Keys.KeepReleasing)
	life.background("the newest head of the log", func(ctx context.Context) { wired.Audit.Keep(ctx, secrets.keptHead()) })
	queue, err := work.NewQueue(wired.Work)
	if err != nil {
		return nil, err
	}
	wired.Commands.Platform, wired.Commands.Accounts.Permissions, wired.Commands.Jobs = platform, platform, queue
	f.letAnswer(wired.Asker, platform)
	anchors.start(r, wired.Audit, queue, registry)
	measured := r.measure(core, queue)
	registerMetrics(registry, core, queue, wired, measured, f.data)
	if err := startMetrics(ctx, life, registry); err != nil {
		return nil, err
	}
	return &service{core: core, queue: queue, secrets: secrets, platform: platform, registry: registry, tracer: tracer,
		commands: wired.Commands, webhooks: wired.Webhooks, measured: measured, audit: wired.Audit, anchors: anchors,
		forward: r.forwarder(core, f.forward), collect: f.collect.Target}, nil
}

// wire makes the commands, the work and the trees of the log.
func (r *root) wire(core *core, with secrets, f serviceFlags, regime *readiness.Regime, anchors *anchors,
	registry *prometheus.Registry) (*wiring.Service, error) {
	return wiring.Wire(wiring.Parts{
		Log: core.Log, VaultKey: with.key("vault", vault.KeySize), PixieKey: with.key("pixies", 32), Plans: core.plans,
		AI:     ai.Options{Getenv: os.Getenv, PrivateAddresses: f.aiPrivate, Log: r.Log, Tokens: entra.Tokens(""), Observe: newAIMetrics(registry).observe},
		Logger: r.Log, Now: time.Now, Workers: f.workers,
		Asks: f.asks, Regime: regime, PrivateWebhooks: f.webhookPrivate, Console: f.consoleURL,
		CheckpointKey: with.key("checkpoints", ed25519.SeedSize), Published: anchors.Published,
	})
}

// openDatabase starts or finds the database, refuses one that cannot serve the log, and migrates it.
func (r *root) openDatabase(ctx context.Context, life *lifetime, f databaseFlags, share bool) (*database, error) {
	d, err := r.run(ctx, f, share)
	if err != nil {
		return nil, err
	}
	life.then("PostgreSQL", d.stop)
	if err := probe.Database(ctx, d.url); err != nil {
		return nil, err
	}
	return d, migrate(ctx, d.url)
}

// liveCore opens the log and its views, which must all be built or be built now, and follows the appends of other processes.
func (r *root) liveCore(ctx context.Context, life *lifetime, url string, f serviceFlags, plans account.Plans,
	with secrets) (*core, error) {
	if err := r.readyViews(ctx, url, f, with); err != nil {
		return nil, err
	}
	core, err := openCore(ctx, url, f.connections, false, r.Log)
	if err != nil {
		return nil, err
	}
	core.plans = plans
	life.then("database connections", func(context.Context) error { core.close(); return nil })
	if err := core.engine.Check(ctx); err != nil {
		return nil, err
	}
	life.background("wake-up of followers", core.store.Wake)
	closed, err := f.documents.open(ctx, core)
	if err != nil {
		return nil, err
	}
	life.then("bucket of documents", func(context.Context) error { return closed() })
	return core, core.readFrom(ctx, life, f.read)
}

// work starts the followers of the log and the processing of accepted work.
func (s *service) work(ctx context.Context, life *lifetime) error {
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: partLimit}, watermill.NewSlogLogger(s.log))
	if err != nil {
		return err
	}
	if err := errors.Join(s.engine.Follow(s.store, router), s.webhooks.Follow(router)); err != nil {
		return err
	}
	ran := make(chan error, 1)
	go func() { ran <- router.Run(context.WithoutCancel(ctx)) }()
	life.then("followers", func(context.Context) error { return errors.Join(router.Close(), <-ran) })
	if err := s.queue.Start(ctx); err != nil {
		return err
	}
	life.then("work", s.queue.Stop)
	life.background("messages to webhooks", s.webhooks.Run)
	life.background("measuring the database", s.measured.Run)
	if s.anchors.publish != nil {
		life.background("publishing signed heads", s.anchors.publish.Run)
	}
	if s.forward != nil {
		life.background("forwarding the log", s.forward.Keep)
	}
	return s.countCollected(life)
}

// api serves the HTTP interface on the listener. The returned channel is closed when serving ends; ending life returns
// the reason.
func (s *service) api(ctx context.Context, life *lifetime, f serveFlags, verifier *token.Verifier, listener net.Listener,
	pages *console.Options) (<-chan struct{}, error) {
	limiter, err := rate.Open(ctx, s.url, rate.Options{Timeout: f.countTimeout, Statements: projections.CallStatements()})
	if err != nil {
		return nil, err
	}
	life.then("rate limits", func(context.Context) error { limiter.Close(); return nil })
	if err := limiter.Ready(ctx); err != nil {
		return nil, err
	}
	life.background("housekeeping", func(ctx context.Context) { limiter.KeepSwept(ctx, time.Minute) }, s.sweep)
	f.portalURL = cmp.Or(f.portalURL, f.baseURL)
	s.commands.Pixies.CollectorURL = f.baseURL
	views, err := collector.New(collector.Options{
		Resolve: s.views.PixieIDs, Count: s.commands.Pixies.CountViews, Registry: s.registry, Log: s.log, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	life.background("collector", views.Run)
	if err := s.audit.Begin(ctx, auditOrigin(f.baseURL)); err != nil {
		return nil, err
	}
	server, err := http.New(http.Options{
		Commands: s.commands, Views: s.views, Audit: s.audit, Verifier: verifier, Limiter: limiter, Collector: views, BaseURL: f.baseURL,
		PortalURL: f.portalURL,
		TokenKey:  s.secrets.key("continuation tokens", 32),
		Checks:    s.checks(), Registry: s.registry, MetricsElsewhere: f.metricsListen != "", Tracer: s.tracer,
		Log: s.log, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	server.Mount("/mcp", agents.Handler(server.Handler(), cli.Version()))
	if pages != nil {
		pages.API = server.Handler()
		c, err := console.New(*pages)
		if err != nil {
			return nil, err
		}
		server.Pages(c, c.Paths()...)
		life.background("console", s.sweepConsole(pages))
	}
	return life.serve(ctx, "HTTP", func(ctx context.Context) error { return server.Serve(ctx, listener) }), nil
}

// auditOrigin returns the name of the log's tree at a base address (C2SP tlog-checkpoint): a URL without its scheme.
func auditOrigin(baseURL string) string {
	_, rest, _ := strings.Cut(strings.TrimRight(baseURL, "/"), "://")
	return rest + "/v1/audit"
}

// sweep runs every 10 minutes until ctx ends. It deletes expired idempotency keys and documents, records the page views
// of completed hours, and ends operations that waited for their owner for too long.
func (s *service) sweep(ctx context.Context) {
	for range pace.Every(ctx, 10*time.Minute) {
		if err := s.commands.Keys.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("deleting expired idempotency keys failed", "error", err)
		}
		if err := s.Documents.Sweep(ctx, time.Now()); err != nil && ctx.Err() == nil {
			s.log.Warn("deleting expired documents failed", "error", err)
		}
		if err := s.commands.Pixies.RecordViews(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("recording the views of the last hours failed; they stay counted and are recorded later", "error", err)
		}
		if err := s.commands.Webhooks.Rows.Sweep(ctx, time.Now()); err != nil && ctx.Err() == nil {
			s.log.Warn("deleting old deliveries of webhooks failed", "error", err)
		}
		if err := s.commands.Pixies.SweepCollectors(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("forgetting collectors failed", "error", err)
		}
		if err := s.commands.Operations.LapseOverdue(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("ending operations that waited for too long failed", "error", err)
		}
	}
}

// hasKeys checks that the database answers, and has each key under which texts of the log are sealed.
func (s *service) hasKeys(ctx context.Context) error {
	if err := s.pool.Ping(ctx); err != nil {
		return err
	}
	return s.store.Keys.Check(ctx, s.pool)
}

// checks returns the readiness checks: what the service needs to answer calls.
func (s *service) checks() []health.Check {
	return []health.Check{
		{Name: "database", Run: s.hasKeys}, {Name: "views", Run: s.engine.Check},
		{Name: "data", Run: func(context.Context) error { return s.secrets.check() }},
		{Name: "workspaces", Run: s.platform.Check},
	}
}
