// Package health serves what operators and their systems watch: whether a process is alive and ready, and its metrics. It needs no token.
package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/singleflight"

	"readiness/http/api"
	"readiness/internal/database"
	"readiness/internal/lists"
)

// Check is a dependency that the service needs to handle calls.
type Check struct {
	Name string
	Run  func(context.Context) error
}

// Alive handles GET /healthz. It reports that the process responds.
func Alive(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, api.Health{Status: api.HealthStatusOk})
}

// Checks are the checks of /readyz.
type Checks struct {
	all     []Check
	limit   time.Duration      // how long all of them may take
	running singleflight.Group // concurrent requests share one run of each check
	log     *slog.Logger
}

// DefaultLimit bounds the checks of /readyz.
const DefaultLimit = 5 * time.Second

// NewChecks returns the checks, which may take up to the limit together.
func NewChecks(all []Check, limit time.Duration, log *slog.Logger) *Checks {
	return &Checks{all: all, limit: limit, log: log}
}

// Ready handles GET /readyz. It runs all checks; one that does not finish within the limit, for example because a disk
// hangs, counts as failed.
func (c *Checks) Ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), c.limit)
	defer cancel()
	looks := lists.Map(c.all, func(check Check) <-chan singleflight.Result {
		return c.running.DoChan(check.Name, func() (any, error) {
			return nil, check.Run(database.Within(context.WithoutCancel(ctx), c.limit))
		})
	})
	body, status := api.Health{Status: api.HealthStatusOk, Checks: map[string]string{}}, http.StatusOK
	for i, check := range c.all {
		body.Checks[check.Name] = string(api.HealthStatusOk)
		var err error
		select {
		case seen := <-looks[i]:
			err = seen.Err
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			c.log.ErrorContext(r.Context(), "not ready", "check", check.Name, "err", err)
			body.Checks[check.Name], body.Status, status = string(api.HealthStatusUnavailable), api.HealthStatusUnavailable,
				http.StatusServiceUnavailable
		}
	}
	reply(w, status, body)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// Metrics handles GET /metrics.
func Metrics(registry *prometheus.Registry, log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError)})
}

// Watching serves /metrics, /healthz and /readyz on a separate listener, which operators can keep private.
type Watching struct {
	Registry *prometheus.Registry
	Checks   []Check
	Log      *slog.Logger
}

// watchLimit bounds a request for metrics; reading them asks no database.
const watchLimit = 10 * time.Second

// Serve handles requests on l until ctx ends.
func (o Watching) Serve(ctx context.Context, l net.Listener) error {
	r := mux.NewRouter()
	c := NewChecks(o.Checks, DefaultLimit, o.Log)
	r.Handle("/metrics", Metrics(o.Registry, o.Log)).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc("/healthz", Alive).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc("/readyz", c.Ready).Methods(http.MethodGet, http.MethodHead)
	return ServeUntil(ctx, l, &http.Server{
		Handler: r, ReadHeaderTimeout: watchLimit, ReadTimeout: watchLimit, WriteTimeout: watchLimit, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
	}, watchLimit)
}

// ServeUntil serves on l until ctx ends, then waits up to drain for the calls in progress.
func ServeUntil(ctx context.Context, l net.Listener, server *http.Server, drain time.Duration) error {
	var ended error
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended = server.Serve(l)
	}()
	select {
	case <-done:
		return fmt.Errorf("http: %w", ended)
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	err := server.Shutdown(draining)
	if err != nil {
		err = fmt.Errorf("http: calls were still being handled after %v and were cut off: %w", drain,
			errors.Join(err, server.Close()))
	}
	<-done
	return err
}
