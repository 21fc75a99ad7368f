package folder

import (
	"context"
	"errors"
	"os"
	"time"

	"readiness/internal/filelock"
)

// lockPatience is how long a caller waits for the lock.
const lockPatience = 30 * time.Second

// lock locks an open folder until it is closed, against other processes and other calls in this one.
func lock(ctx context.Context, f *os.File, how filelock.Kind) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, errors.New("another process or call holds the lock"))
	defer cancel()
	return filelock.Lock(ctx, f, how)
}
