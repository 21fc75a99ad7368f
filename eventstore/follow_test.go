package eventstore_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/test/pgtest"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// handler is the type of the function that Follow takes.
type handler = func(context.Context, pgx.Tx, eventstore.Recorded) error

// follow runs a follower until stop is called or t ends.
func follow(t testing.TB, s *eventstore.Store, name string, fn handler) (stop func()) {
	t.Helper()
	r, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Follow(r, name, fn); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		if err := r.Run(context.Background()); err != nil {
			t.Error(err)
		}
	})
	<-r.Running()
	stop = sync.OnceFunc(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		done.Wait()
	})
	t.Cleanup(stop)
	return stop
}

// table creates the table in which followers record the events they have seen.
func table(t testing.TB, pool *pgxpool.Pool) {
	t.Helper()
	_, err := pool.Exec(t.Context(), `CREATE TABLE seen (n bigserial, position bigint, event_id uuid, stream text, version bigint)`)
	if err != nil {
		t.Fatal(err)
	}
}

func see(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
	_, err := tx.Exec(ctx, `INSERT INTO seen (position, event_id, stream, version) VALUES ($1, $2, $3, $4)`, r.Position, r.ID, r.Stream, r.Version)
	return err
}

// caughtUp waits until the follower has handled all committed events.
func caughtUp(t testing.TB, pool *pgxpool.Pool, name string) {
	t.Helper()
	waitFor(t, pool, `SELECT position >= (SELECT coalesce(max(position), 0) FROM events) FROM followers WHERE name = $1`, name)
}

// patience is the timeout of a wait. It is long, so that only something that never happens exceeds it.
const patience = 5 * time.Minute

// waitFor repeats the query until it returns true.
func waitFor(t testing.TB, pool *pgxpool.Pool, question string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		var yes bool
		err := pool.QueryRow(ctx, "SELECT ("+question+") FROM pg_sleep(0.005)", args...).Scan(&yes)
		if ctx.Err() != nil {
			t.Fatalf("still not true after %s: %s", patience, question)
		}
		if err == nil && yes {
			return
		}
	}
}

// seenIsTheLog checks that every event was seen once, in the order of positions.
func seenIsTheLog(t testing.TB, pool *pgxpool.Pool) {
	t.Helper()
	list := func(sql string) (list []string) {
		if err := pool.QueryRow(t.Context(), sql).Scan(&list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	want := list(`SELECT array_agg(concat(position, ' ', event_id) ORDER BY position) FROM events`)
	got := list(`SELECT array_agg(concat(position, ' ', event_id) ORDER BY n) FROM seen`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("seen is not the log: %d events seen, %d appended\n%.2000s", len(got), len(want), diff)
	}
}

// Sixteen writers append with pauses before they commit, some roll back, and a foreign transaction
// stays open throughout: both followers see every committed event once, in the order of positions.
func TestFollowSeesEveryEventOnce(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	table(t, pool)
	foreign, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = foreign.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := foreign.Exec(t.Context(), "CREATE TABLE foreigner (x int)"); err != nil {
		t.Fatal(err)
	}
	follow(t, s, "seen", see)
	var inMemory []int64
	var mu sync.Mutex
	follow(t, s, "memory", func(_ context.Context, _ pgx.Tx, r eventstore.Recorded) error {
		mu.Lock()
		defer mu.Unlock()
		inMemory = append(inMemory, r.Position)
		return nil
	})
	undone := errors.New("undone")
	var writers sync.WaitGroup
	var rolledBack atomic.Int32
	for w := range 16 {
		writers.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(w)))
			for range 40 {
				p := eventstore.FoldLast[budget](fmt.Sprintf("budget-%d", w))
				pause, fail, n := rng.Float64()*0.004, rng.IntN(10) == 0, 1+rng.IntN(3)
				err := s.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
					for range n {
						if err := eventstore.Decide(c, p, spend{units: 1}); err != nil {
							return err
						}
					}
					c.InTx(func(ctx context.Context, tx pgx.Tx) error {
						if _, err := tx.Exec(ctx, "SELECT pg_sleep($1)", pause); err != nil || !fail {
							return err
						}
						rolledBack.Add(1)
						return undone
					})
					return nil
				})
				if err != nil && !errors.Is(err, undone) {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	caughtUp(t, pool, "seen")
	caughtUp(t, pool, "memory")
	seenIsTheLog(t, pool)
	mu.Lock()
	defer mu.Unlock()
	if got, want := len(inMemory), count(t, pool, "events"); got != want || rolledBack.Load() == 0 {
		t.Errorf("got %d events in memory, want %d; %d rolled back", got, want, rolledBack.Load())
	}
}

// The writes of a handler that fails are rolled back; the events before the one that failed are
// handled (numbers 1 and 2 of the comment on page).
func TestFollowRollsBackFailures(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(context.Context, pgx.Tx) error{
		"an error": func(context.Context, pgx.Tx) error { return errors.New("no") },
		"a panic":  func(context.Context, pgx.Tx) error { panic("no") },
		"an SQL error that is passed on": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT 1/0")
			return err
		},
		"an SQL error that is kept silent": func(ctx context.Context, tx pgx.Tx) error {
			_, _ = tx.Exec(ctx, "SELECT 1/0")
			return nil
		},
		"ending the transaction": func(ctx context.Context, tx pgx.Tx) error {
			return errors.Join(tx.Commit(ctx), tx.Rollback(ctx))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, pool := open(t)
			table(t, pool)
			for i := range 5 {
				mustAdd(t, s, "budget-1", spent{Total: i})
			}
			failures := 0 // of the third event
			follow(t, s, "seen", func(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
				if err := see(ctx, tx, r); err != nil {
					return err
				}
				if r.Version == 3 && failures < 2 {
					failures++
					return fail(ctx, tx)
				}
				return nil
			})
			caughtUp(t, pool, "seen")
			seenIsTheLog(t, pool)
			if failures != 2 {
				t.Errorf("the third event failed %d times, want 2", failures)
			}
		})
	}
}

// What a handler writes before its deadline is not committed when it misses the deadline (number 3 of
// the comment on page).
func TestFollowRollsBackLateWrites(t *testing.T) {
	t.Parallel()
	for _, late := range []int64{1, 3} { // the first of the page, and one with others before it
		t.Run(fmt.Sprint(late), func(t *testing.T) {
			t.Parallel()
			pool := pgtest.Pool(t)
			s := eventstore.New(pool, codec(t), eventstore.Options{HandlerTimeout: time.Second})
			table(t, pool)
			for i := range 5 {
				mustAdd(t, s, "budget-1", spent{Total: i})
			}
			var deliveries atomic.Int32
			follow(t, s, "seen", func(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
				if err := see(ctx, tx, r); err != nil {
					return err
				}
				if r.Version == late && deliveries.Add(1) == 1 {
					<-ctx.Done() // and returns no error
				}
				return nil
			})
			caughtUp(t, pool, "seen")
			seenIsTheLog(t, pool)
			if deliveries.Load() < 2 { // on a slow machine an event that was in time may be late, too
				t.Errorf("delivered %d times, want it again", deliveries.Load())
			}
		})
	}
}

// Closing waits for the handler, which has its transaction to itself until it returns (number 4 of the
// comment on page).
func TestCloseWaitsForTheHandler(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	table(t, pool)
	mustAdd(t, s, "budget-1", spent{})
	begun, returned := make(chan struct{}), new(atomic.Bool)
	stop := follow(t, s, "seen", func(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
		close(begun)
		<-ctx.Done() // closing has begun
		for range 20 {
			if err := see(context.WithoutCancel(ctx), tx, r); err != nil {
				t.Errorf("the transaction was taken away: %v", err)
			}
		}
		returned.Store(true)
		return nil
	})
	<-begun
	stop()
	if !returned.Load() {
		t.Error("closed before the handler returned")
	}
	if n := count(t, pool, "seen"); n != 0 {
		t.Errorf("%d rows of an unfinished page were kept", n)
	}
	follow(t, s, "seen", see)
	caughtUp(t, pool, "seen")
	seenIsTheLog(t, pool)
}

// An error at the end of reading is an error, not the end of the log (number 5 of the comment on
// page).
func TestFollowReportsReadErrors(t *testing.T) {
	t.Parallel()
	cfg, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	cfg = cfg.Copy()
	cfg.MaxConns = 1 // so that the statement is prepared when the table is locked, and fails when its rows are read
	one, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(one.Close)
	var log lockedBuffer
	s := eventstore.New(pool, codec(t), eventstore.Options{})
	table(t, pool)
	mustAdd(t, s, "budget-1", spent{})
	follow(t, eventstore.New(one, codec(t), eventstore.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}), "seen", see)
	caughtUp(t, pool, "seen")
	lock, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := lock.Exec(t.Context(), "LOCK TABLE events"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, pool, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM followers%FROM events%'`)
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, s, "budget-1", spent{})
	caughtUp(t, pool, "seen")
	seenIsTheLog(t, pool)
	if text := log.String(); !strings.Contains(text, "a follower of the event log failed") || !strings.Contains(text, "57014") {
		t.Errorf("the canceled statement is not in the log:\n%s", text)
	}
}

// An event that can never be handled stops its follower there, visibly. Events before it are handled,
// events after it wait, and repairing the handler suffices to resume.
func TestPoisonedEventIsNeverSkipped(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	table(t, pool)
	for i := range 5 {
		mustAdd(t, s, "budget-1", spent{Total: i})
	}
	var repaired atomic.Bool
	follow(t, s, "seen", func(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
		if r.Version == 3 && !repaired.Load() {
			return fmt.Errorf("the cause\x00\xff%s", strings.Repeat("x", 5000))
		}
		return see(ctx, tx, r)
	})
	waitFor(t, pool, `SELECT error IS NOT NULL AND position = 2 FROM followers WHERE name = 'seen'`)
	if n := count(t, pool, "seen"); n != 2 {
		t.Errorf("%d events were handled, want the 2 before the one that fails", n)
	}
	followers, err := s.Followers(t.Context()) // the second is that of webhooks
	if err != nil {
		t.Fatal(err)
	}
	if f := followers[0]; len(followers) != 2 || f.Name != "seen" || f.FailedAt.IsZero() || !strings.HasPrefix(f.Error, "position 3, budget-1 version 3, budget.spent: the cause") {
		t.Errorf("got %+v", followers)
	}
	repaired.Store(true)
	caughtUp(t, pool, "seen")
	seenIsTheLog(t, pool)
	followers, err = s.Followers(t.Context())
	if err != nil || followers[0].Error != "" || !followers[0].FailedAt.IsZero() {
		t.Errorf("after the repair: got %+v, %v", followers, err)
	}
}

// An error that occurs only at the commit is reported and retried like any failure, and the events
// before it are handled.
func TestFollowReportsCommitErrors(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	table(t, pool)
	if _, err := pool.Exec(t.Context(), `CREATE TABLE allowed (version bigint PRIMARY KEY);
		INSERT INTO allowed VALUES (1), (2), (4), (5);
		ALTER TABLE seen ADD FOREIGN KEY (version) REFERENCES allowed DEFERRABLE INITIALLY DEFERRED`); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		mustAdd(t, s, "budget-1", spent{Total: i})
	}
	follow(t, s, "seen", see)
	waitFor(t, pool, `SELECT error LIKE 'commit up to position 3:%' AND position = 2 FROM followers WHERE name = 'seen'`)
	if n := count(t, pool, "seen"); n != 2 {
		t.Errorf("%d events were handled, want the 2 before the one that fails", n)
	}
	if _, err := pool.Exec(t.Context(), `INSERT INTO allowed VALUES (3)`); err != nil {
		t.Fatal(err)
	}
	caughtUp(t, pool, "seen")
	seenIsTheLog(t, pool)
}

// An event that this program does not know stops a follower too: it must not be skipped.
func TestFollowStopsAtUnknownEvents(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	table(t, pool)
	mustAdd(t, s, "budget-1", spent{})
	old, err := eventstore.NewCodec(eventstore.Events(noted{})...)
	if err != nil {
		t.Fatal(err)
	}
	follow(t, eventstore.New(pool, old, eventstore.Options{}), "seen", see)
	waitFor(t, pool, `SELECT error LIKE '%budget.spent%' AND position = 0 FROM followers WHERE name = 'seen'`)
	if n := count(t, pool, "seen"); n != 0 {
		t.Errorf("%d events were handled, want none", n)
	}
}

func TestFortyClosesWhileBusy(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	table(t, pool)
	add := func(stream int) {
		events := make([]domain.Event, 100)
		for j := range events {
			events[j] = spent{Units: j}
		}
		mustAdd(t, s, fmt.Sprintf("budget-%d", stream), events...)
	}
	for i := range 40 {
		add(i)
	}
	for i := range 40 {
		// A follower handles as much as it can before it is stopped; the next one must find enough.
		for count(t, pool, `events WHERE position > coalesce((SELECT position FROM followers WHERE name = 'seen'), 0)`) < 20+7*i {
			add(i)
		}
		var handled atomic.Int32
		enough := make(chan struct{})
		stop := follow(t, s, "seen", func(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
			if handled.Add(1) == int32(20+7*i) {
				close(enough)
			}
			return see(ctx, tx, r)
		})
		select {
		case <-enough:
		case <-time.After(patience):
			t.Fatalf("in %s the follower handled %d events", patience, handled.Load())
		}
		stop()
		var seen, moved int
		err := pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM seen),
			(SELECT count(*) FROM events WHERE position <= (SELECT position FROM followers WHERE name = 'seen'))`).Scan(&seen, &moved)
		if err != nil {
			t.Fatal(err)
		}
		if seen != moved {
			t.Fatalf("close %d: %d events are seen, the follower has moved past %d", i, seen, moved)
		}
	}
	follow(t, s, "seen", see)
	caughtUp(t, pool, "seen")
	seenIsTheLog(t, pool)
}

// Three instances follow under one name: each event is handled by exactly one of them.
func TestOneFollowerInSeveralProcesses(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	var first *pgxpool.Pool
	for i := range 3 {
		pool, err := pgxpool.New(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		s := eventstore.New(pool, codec(t), eventstore.Options{})
		if i == 0 {
			first = pool
			table(t, pool)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var awake sync.WaitGroup
		awake.Go(func() { s.Wake(ctx) })
		t.Cleanup(func() { cancel(); awake.Wait() })
		follow(t, s, "seen", see)
		for j := range 50 {
			mustAdd(t, s, fmt.Sprintf("budget-%d", j), spent{}, spent{})
		}
	}
	caughtUp(t, first, "seen")
	seenIsTheLog(t, first)
}

// TestFollowerProcess is the process that TestKillInTheMiddleOfAPage starts: it reports that it is in
// the middle of a page and never ends.
func TestFollowerProcess(t *testing.T) {
	url := os.Getenv("READINESS_TEST_FOLLOWER")
	if url == "" {
		return
	}
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	follow(t, eventstore.New(pool, codec(t), eventstore.Options{HandlerTimeout: time.Hour}), "seen", func(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
		if err := see(ctx, tx, r); err != nil {
			return err
		}
		if r.Version == 300 { // in its second page
			fmt.Println("in the middle")
			<-ctx.Done()
		}
		return nil
	})
	select {}
}

func TestKillInTheMiddleOfAPage(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s := eventstore.New(pool, codec(t), eventstore.Options{})
	table(t, pool)
	events := make([]domain.Event, 500)
	for i := range events {
		events[i] = spent{Units: i}
	}
	mustAdd(t, s, "budget-1", events...)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process := exec.CommandContext(t.Context(), program, "-test.run=^TestFollowerProcess$")
	process.Env = append(os.Environ(), "READINESS_TEST_FOLLOWER="+url)
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "in the middle"; {
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait()
	if seen := count(t, pool, "seen"); seen != 200 {
		t.Errorf("%d events are seen after the kill, want the 200 of the page before", seen)
	}
	follow(t, s, "seen", see)
	caughtUp(t, pool, "seen")
	seenIsTheLog(t, pool)
}

// Appends are announced to other processes; broken connections are replaced.
func TestWake(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	listener, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Release()
	if _, err := listener.Exec(t.Context(), "LISTEN events_appended"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var awake sync.WaitGroup
	awake.Go(func() { s.Wake(ctx) })
	heard := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if _, err := listener.Conn().WaitForNotification(ctx); err != nil {
			t.Fatalf("an append was not announced: %v", err)
		}
	}
	heard() // the announcement that it starts with
	for range 3 {
		mustAdd(t, s, "budget-1", spent{})
		heard()
	}
	// Only when both are there: killed one at a time, the two would come back at different moments each time.
	const both = `FROM pg_stat_activity
		WHERE datname = current_database() AND query IN ('LISTEN events_appended', 'NOTIFY events_appended') AND pid <> $1`
	own := int(listener.Conn().PgConn().PID())
	waitFor(t, pool, `SELECT count(*) = 2 `+both, own)
	if _, err := pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) `+both, own); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		mustAdd(t, s, "budget-1", spent{})
		heard()
	}
	cancel()
	awake.Wait()
}

func TestFollowTwiceUnderOneName(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	r, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Follow(r, "seen", see); err != nil {
		t.Error(err)
	}
	if err := s.Follow(r, "seen", see); err == nil {
		t.Error("a second follower of the name was accepted")
	}
	if err := s.Follow(r, "", see); err == nil {
		t.Error("a follower without a name was accepted")
	}
}

// lockedBuffer is a buffer that several goroutines may write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
