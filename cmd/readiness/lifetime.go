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

// Bounds of an orderly end: each part may take partLimit.
const partLimit = 30 * time.Second

// lifetime is what a process has started, in order. It is ended in the opposite
// order, so that nothing loses what it stands on.
type lifetime struct {
	log  *slog.Logger
	ends []part
}

type part struct {
	name string
	end  func(context.Context) error
}

// then says how to end the part that was started last.
func (l *lifetime) then(name string, end func(context.Context) error) {
	l.ends = append(l.ends, part{name, end})
}

// background runs do until the part's end comes, in goroutines that belong to
// the part.
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

// end ends everything. A part that fails to end keeps no other from ending.
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
