package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// partLimit is how long each part may take to stop.
const partLimit = 30 * time.Second

// lifetime stops the parts of a process in the reverse order of their start, so that each part stops before those that it
// depends on.
type lifetime struct {
	log  *slog.Logger
	ends []part
}

type part struct {
	name string
	end  func(context.Context) error
}

// then registers how to stop the part that was started last.
func (l *lifetime) then(name string, end func(context.Context) error) {
	l.ends = append(l.ends, part{name, end})
}

// background runs the functions in goroutines until the part is stopped.
func (l *lifetime) background(name string, do ...func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, f := range do {
		wg.Go(func() { f(ctx) })
	}
	l.then(name, func(context.Context) error {
		cancel()
		wg.Wait()
		return nil
	})
}

// serve serves until the part is stopped. The returned channel is closed when serving ends; stopping the part returns the reason.
func (l *lifetime) serve(ctx context.Context, name string, serve func(context.Context) error) <-chan struct{} {
	var served error
	ended := make(chan struct{})
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(ended)
		served = serve(serving)
	}()
	l.then(name, func(context.Context) error {
		stop()
		<-ended // the server itself cancels calls that do not end
		return served
	})
	return ended
}

// end stops all parts, even if some of them fail to stop.
func (l *lifetime) end() error {
	var failed []error
	for _, p := range slices.Backward(l.ends) {
		ctx, cancel := context.WithTimeout(context.Background(), partLimit)
		err := p.end(ctx)
		cancel()
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.name, err))
		}
		l.log.Debug("ended", "part", p.name)
	}
	l.ends = nil
	return errors.Join(failed...)
}
