package main

import (
	"context"
	"net"

	"readiness/domain/account"
	"readiness/http/health"
)

// metricsListen is where metrics and health are served by default: a free port of this machine alone. metricsUsage explains the flag.
const (
	metricsListen = "127.0.0.1:0"
	metricsUsage  = "address for /metrics, /healthz and /readyz; empty: /metrics is on the port for calls, for all who " +
		"reach it"
)

// watchListener listens where metrics and health are served; it returns nil for the address "".
func watchListener(ctx context.Context, life *lifetime, address string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	return listen(ctx, life, address)
}

// openWatched opens the service and serves its metrics and health where --metrics-listen says.
func (r *root) openWatched(ctx context.Context, life *lifetime, f serviceFlags, plans account.Plans, share bool) (*service, error) {
	watching, err := watchListener(ctx, life, f.metricsListen)
	if err != nil {
		return nil, err
	}
	s, err := r.openService(ctx, life, f, plans, share)
	if err != nil {
		return nil, err
	}
	if ended, err := s.queue.EndImported(ctx); err != nil {
		return nil, err
	} else if ended > 0 {
		r.Log.Info("ended the work that had not ended when the log was imported", "operations", ended)
	}
	r.watch(ctx, life, watching, health.Watching{Registry: s.registry, Checks: s.checks(), Log: s.log})
	return s, nil
}

// watch serves metrics and health on the listener, unless it is nil, until the end of life.
func (r *root) watch(ctx context.Context, life *lifetime, listener net.Listener, w health.Watching) {
	if listener == nil {
		return
	}
	r.Log.Info("metrics and health", "address", listener.Addr().String())
	life.serve(ctx, "metrics", func(ctx context.Context) error { return w.Serve(ctx, listener) })
}
