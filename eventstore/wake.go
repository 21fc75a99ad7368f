package eventstore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/internal/database"
	"readiness/internal/pace"
)

const (
	// channel is the channel on which appends are announced. A late or lost announcement delays a
	// follower by at most pollInterval.
	channel = "events_appended"
	// debounce is the least time between two announcements. A NOTIFY inside each append would halve
	// the rate of appends: its transaction holds a cluster-wide lock through its commit.
	debounce = 15 * time.Millisecond
	// reconnectAfter is the pause before a lost connection is replaced.
	reconnectAfter = time.Second
)

// Wake announces this process's appends to the followers of every other process, and listens for
// theirs, until ctx ends. It uses two connections outside the pool and replaces them when they break.
// Without it, followers of other processes notice an append when they poll, once a second.
func (s *Store) Wake(ctx context.Context) {
	var self atomic.Uint32 // the process id of the announcing connection
	var wg sync.WaitGroup
	wg.Go(func() {
		s.connected(ctx, "announce appends", func(conn *pgx.Conn) error {
			self.Store(conn.PgConn().PID())
			return s.announce(ctx, conn)
		})
	})
	wg.Go(func() {
		s.connected(ctx, "listen for appends", func(conn *pgx.Conn) error {
			if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
				return err
			}
			s.news.ring() // for announcements made before LISTEN
			for {
				n, err := conn.WaitForNotification(ctx)
				if err != nil {
					return err
				}
				if n.PID != self.Load() {
					s.news.ring()
				}
			}
		})
	})
	wg.Wait()
}

// announce sends one announcement at the start, for appends made before conn existed, and one after
// each further append.
func (s *Store) announce(ctx context.Context, conn *pgx.Conn) error {
	for {
		// Taken before the announcement: an append during the announcement is announced next.
		appended := s.appended.next()
		if _, err := conn.Exec(ctx, "NOTIFY "+channel); err != nil {
			return err
		}
		if !pause(ctx, debounce) {
			return ctx.Err()
		}
		select {
		case <-appended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// connected runs fn on a connection outside the pool, again after each error, until ctx ends.
func (s *Store) connected(ctx context.Context, purpose string, fn func(*pgx.Conn) error) {
	for {
		err := s.once(ctx, fn)
		if ctx.Err() != nil {
			return
		}
		s.logger.WarnContext(ctx, "the event store lost a connection", "purpose", purpose, "error", err)
		if !pause(ctx, reconnectAfter) {
			return
		}
	}
}

func (s *Store) once(ctx context.Context, fn func(*pgx.Conn) error) error {
	conn, err := database.OutsidePool(ctx, s.pool)
	if err != nil {
		return err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(end)
	}()
	return fn(conn)
}

// pause waits for d and reports whether ctx did not end before.
func pause(ctx context.Context, d time.Duration) bool {
	return pace.Wait(ctx, d) == nil
}
