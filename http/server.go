// Package http serves the API under /v1 that openapi.yaml describes. It authenticates callers, validates calls
// against the description and returns the results of commands and views. It contains no domain rules. Conventions of
// all routes live in the middleware (observe, guard), the table of routes, the table of status codes and the function
// that writes refusals.
package http

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gorilla/mux"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"readiness/commands"
	"readiness/domain"
	"readiness/eventstore/audit"
	"readiness/http/api"
	"readiness/http/health"
	"readiness/http/heavy"
	"readiness/http/paging"
	"readiness/http/rate"
	"readiness/http/routing"
	"readiness/http/token"
	"readiness/http/validate"
	"readiness/internal/database"
	"readiness/internal/lists"
	"readiness/projections"
)

// Options configures a Server.
type Options struct {
	Commands *commands.Commands
	Views    *projections.Views
	Audit    *audit.Log
	Verifier *token.Verifier
	Limiter  *rate.Limiter
	// Collector receives every view of a Pixie; nil to ignore views.
	Collector Collector
	// BaseURL is the absolute address of the service for callers, the base of every Location.
	BaseURL string
	// PortalURL is the page of the web portal that grants permissions.
	PortalURL string
	// TokenKey authenticates continuation tokens: at least 32 random bytes, the same in every instance.
	TokenKey []byte
	// Checks are run by GET /readyz.
	Checks []health.Check
	// ReadLimit and StartLimit bound the total time that a call waits for the database: for connections, locks and
	// replies. ReadLimit applies to GET and StartLimit to other methods; 0 means 5 s and 10 s (docs/decisions.md 2).
	ReadLimit, StartLimit time.Duration
	Registry              *prometheus.Registry
	// MetricsElsewhere leaves /metrics out, because health.Watching serves it.
	MetricsElsewhere bool
	// Tracer receives the spans of calls; nil for none.
	Tracer trace.TracerProvider
	Log    *slog.Logger
	Now    func() time.Time
}

// Server handles the routes of the API.
type Server struct {
	commands   *commands.Commands
	views      *projections.Views
	audit      *audit.Log
	verifier   *token.Verifier
	limiter    *rate.Limiter
	collector  Collector
	base       string // without a trailing slash
	portal     *url.URL
	lists      paging.Lists
	checks     *health.Checks
	waitLimits waitLimits
	metrics    *metrics
	log        *slog.Logger
	now        func() time.Time
	handler    http.Handler
	router     *mux.Router
	matched    map[*mux.Route]matched
	pages      http.Handler // nil without a console
	entrance   *entrance
	lookUps    *lru.Cache[lookUp, time.Time] // when a person was last found to see an item
	visible    *visibility
	heavy      *heavy.Calls
}

// waitLimits bound the total time that calls wait for the database.
type waitLimits struct{ read, start time.Duration }

func (p waitLimits) of(r *http.Request) time.Duration {
	if r.Method == http.MethodGet {
		return p.read
	}
	return p.start
}

// matched is a route of the router.
type matched struct {
	path  string
	route *route // nil when no token is needed
}

// New returns a Server. It returns an error when its options or openapi.yaml are invalid.
func New(o Options) (*Server, error) {
	base, err := absolute("base address", o.BaseURL)
	if err != nil {
		return nil, err
	}
	portal, err := absolute("address of the portal", o.PortalURL)
	if err != nil {
		return nil, err
	}
	if len(o.TokenKey) < 32 {
		return nil, fmt.Errorf("http: the key of continuation tokens has %d bytes; it needs at least 32", len(o.TokenKey))
	}
	doc, err := loadDescription()
	if err != nil {
		return nil, err
	}
	calls := heavy.New(o.Now, func(ctx context.Context) error { return o.Commands.Pool.Ping(ctx) })
	m, err := newMetrics(o.Registry, calls.Metrics()...)
	if err != nil {
		return nil, err
	}
	entrance, err := newEntrance()
	if err != nil {
		return nil, err
	}
	lookUps, err := lru.New[lookUp, time.Time](maxCachedLookUps)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	visible, err := newVisibility(o.Commands, o.Now)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	s := &Server{
		entrance: entrance, lookUps: lookUps, visible: visible,
		commands: o.Commands, views: o.Views, audit: o.Audit, verifier: o.Verifier, limiter: o.Limiter, collector: o.Collector,
		base: strings.TrimRight(base.String(), "/"), portal: portal,
		waitLimits: waitLimits{cmp.Or(o.ReadLimit, health.DefaultLimit), cmp.Or(o.StartLimit, 10*time.Second)}, metrics: m, log: o.Log,
		now: o.Now, heavy: calls,
	}
	s.lists = paging.Lists{Secret: slices.Clone(o.TokenKey), Base: s.base}
	s.checks = health.NewChecks(o.Checks, s.waitLimits.read, o.Log)
	if o.MetricsElsewhere {
		o.Registry = nil
	}
	if err := s.route(doc, o.Registry); err != nil {
		return nil, err
	}
	handler := traced(s.observe(headAsGet(s.router)))
	if o.Tracer != nil {
		handler = otelhttp.NewHandler(s.observe(headAsGet(s.router)), "http",
			otelhttp.WithTracerProvider(o.Tracer), otelhttp.WithPropagators(propagation.TraceContext{}),
			// Spans contain the caller, but nothing about viewers of reports may be kept.
			otelhttp.WithFilter(func(r *http.Request) bool { return !strings.HasPrefix(r.URL.Path, pixieFolder) }))
	}
	s.handler = s.imagesFirst(handler)
	return s, nil
}

// traced puts the caller's trace context into the log when no spans are recorded.
func traced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" {
			r = r.WithContext(propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
		}
		next.ServeHTTP(w, r)
	})
}

// headAsGet handles HEAD wherever GET is handled (RFC 9110 9.3.2); net/http omits the body.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			r = r.WithContext(r.Context())
			r.Method = http.MethodGet
			callOf(r.Context()).head = true
		}
		next.ServeHTTP(w, r)
	})
}

func absolute(what, address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("http: the %s %q is not an absolute http or https address without a query", what, address)
	}
	return u, nil
}

// route builds the router from openapi.yaml and the table of routes.
func (s *Server) route(doc *openapi3.T, registry *prometheus.Registry) error {
	r := mux.NewRouter().SkipClean(true)
	s.routeOpen(r, doc, registry)
	add(r, api.Routes(s, api.Errors{Malformed: s.malformed, Refused: s.refuse}))
	r.Use(s.match, s.guard)
	r.NotFoundHandler = http.HandlerFunc(s.notFound)
	r.MethodNotAllowedHandler = http.HandlerFunc(s.methodNotAllowed)
	s.router = r
	return s.describe(doc)
}

// add adds routes to r. The first match wins, so fixed path segments come before variables. Short paths come first because
// they are called most.
func add(r *mux.Router, routes []api.Route) {
	slices.SortFunc(routes, func(a, b api.Route) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), cmp.Compare(a.Path, b.Path)) // { sorts after every letter
	})
	for _, route := range routes {
		r.Handle(slashed.Replace(route.Path), route.Handler).Methods(route.Method)
	}
}

// slashed adds a pattern to the variables of paths whose values may contain slashes: people choose the ids of questions, and the objects of
// audit trees are laid out in folders. plain removes it.
var (
	slashed = strings.NewReplacer("{questionId}", "{questionId:.+}", "{object}", "{object:"+objects+"}")
	plain   = strings.NewReplacer("{questionId:.+}", "{questionId}", "{object:"+objects+"}", "{object}")
)

const objects = `(?:[0-9]+/)?(?:checkpoint|tile/.+)`

// describe checks that the router, the table of routes and openapi.yaml agree.
func (s *Server) describe(doc *openapi3.T) error {
	table := lists.Index(routing.Table(), func(route routing.Route) string { return route.Method + " " + route.Path })
	s.matched = map[*mux.Route]matched{}
	err := s.router.Walk(func(m *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		path, err := m.GetPathTemplate()
		if err != nil {
			return err
		}
		methods, err := m.GetMethods()
		if err != nil {
			return err
		}
		path = plain.Replace(path)
		known := matched{path: path}
		item := doc.Paths.Value(path)
		if item != nil {
			described := item.GetOperation(methods[0])
			line, listed := table[methods[0]+" "+path]
			delete(table, methods[0]+" "+path)
			if open := described.Security != nil && len(*described.Security) == 0; open == listed {
				return fmt.Errorf("%s %s: openapi.yaml and the table of routes disagree on whether a token is needed (openapi.yaml: %v)",
					methods[0], path, !open)
			}
			if listed {
				known.route = &route{line, described}
			}
		}
		s.matched[m] = known
		return nil
	})
	for missing := range table {
		err = errors.Join(err, fmt.Errorf("%s is in the table of routes and not in openapi.yaml", missing))
	}
	if err != nil {
		return fmt.Errorf("http: %w", err)
	}
	return nil
}

// match records the route that a call matched and sets the limits on waiting for the database.
func (s *Server) match(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, m := callOf(r.Context()), s.matched[mux.CurrentRoute(r)]
		c.path, c.route = m.path, m.route
		trace.SpanFromContext(r.Context()).SetName(r.Method + " " + m.path)
		next.ServeHTTP(w, r.WithContext(database.Within(r.Context(), s.waitLimits.of(r))))
	})
}

// malformed responds to a call that the generated code cannot decode. Normally package validate find the
// fault first.
func (s *Server) malformed(w http.ResponseWriter, r *http.Request, _ error) {
	s.refuse(w, r, domain.Refuse(domain.InvalidRequest, "the call is not well formed"))
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	if s.forBrowser(r) {
		s.pages.ServeHTTP(w, r)
		return
	}
	s.refuse(w, r, withStatus{domain.Refuse(domain.InvalidRequest, "there is no route %s; /v1/openapi.json lists all routes",
		validate.Truncated(r.URL.Path)), http.StatusNotFound})
}

func (s *Server) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	var allow []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		try := r.Clone(r.Context())
		try.Method = method
		var m mux.RouteMatch
		if s.router.Match(try, &m) && m.MatchErr == nil {
			allow = append(allow, method)
		}
	}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	s.refuse(w, r, withStatus{domain.Refuse(domain.InvalidRequest, "%s takes %s here, not %s", validate.Truncated(r.URL.Path),
		strings.Join(allow, " or "), validate.Truncated(r.Method)), http.StatusMethodNotAllowed})
}

// address returns the absolute address of a path of the service.
func (s *Server) address(path string) string { return s.base + path }

// Handler returns the handler of all routes, including the middleware.
func (s *Server) Handler() http.Handler { return s.handler }

// drainTimeout is how long calls in progress may continue after shutdown begins.
const drainTimeout = callTimeout + 5*time.Second

// maxHeaders bounds the request line and headers of a call, in bytes; net/http allows 4 kB more.
const maxHeaders = 64 << 10

// Serve handles calls on l until ctx ends. Then it accepts no new calls, waits up to drainTimeout for those in
// progress, and returns.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return health.ServeUntil(ctx, ownRefusals{l}, &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       20 * time.Second,
		WriteTimeout:      callTimeout + 30*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeaders,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}, drainTimeout)
}
