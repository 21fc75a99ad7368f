package main

import (
	"context"
	"net"

	"readiness/http/health"
)

// watchListener listens where metrics and health are served; it returns nil for the address "".
func watchListener(ctx context.Context, life *lifetime, address string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	return listen(ctx, life, address)
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
