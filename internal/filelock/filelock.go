// Package filelock locks open files and folders against other processes and other calls in this one. A lock writes nothing
// to what it locks. It lasts until the file is closed, and the system releases it when the process dies.
package filelock

import (
	"context"
	"os"
	"time"

	"readiness/internal/pace"
)

// Kind is how a file is locked.
type Kind int

// The kinds: any number of readers, or one writer.
const (
	Shared Kind = iota
	Exclusive
)

// Bounds of the pause between two attempts.
const (
	shortest = time.Millisecond
	longest  = 50 * time.Millisecond
)

// Lock locks f. If it is locked already, the lock changes its kind; in between others may take it. Lock waits until ctx
// ends, and then returns its cause.
func Lock(ctx context.Context, f *os.File, how Kind) error {
	for wait := shortest; ; wait = min(2*wait, longest) {
		if locked, err := try(f, how); locked || err != nil {
			return err
		}
		if pace.Wait(ctx, wait) != nil {
			return context.Cause(ctx)
		}
	}
}
