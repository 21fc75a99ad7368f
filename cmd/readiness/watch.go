package main

import (
	"context"
	"net"

	"readiness/domain/account"
	"readiness/http/health"
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
	s.watch(ctx, life, watching)
	return s, nil
}

// watch serves metrics and health on the listener, unless it is nil, until the end of life.
func (s *service) watch(ctx context.Context, life *lifetime, listener net.Listener) {
	if listener == nil {
		return
	}
	s.log.Info("metrics and health", "address", listener.Addr().String())
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() {
		ended <- health.Watching{Registry: s.registry, Checks: s.checks(), Log: s.log}.Serve(serving, listener)
	}()
	life.then("metrics", func(context.Context) error {
		stop()
		return <-ended
	})
}
