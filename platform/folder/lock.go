package folder

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// lockKind is how a folder is locked: by any number of readers, or by one writer.
type lockKind int

const (
	shared    lockKind = syscall.LOCK_SH
	exclusive lockKind = syscall.LOCK_EX
)

// lockPatience is how long a caller waits for the lock.
const lockPatience = 30 * time.Second

// lock locks an open folder until it is closed, against other processes and other calls in this one. It writes nothing
// to the folder, and the system releases the lock when the process dies.
func lock(ctx context.Context, f *os.File, how lockKind) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, errors.New("another process or call holds the lock"))
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), int(how)|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}
