package commands_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/internal/database"
	"readiness/test/pgtest"
)

// slow is a platform that delays its answer about a workspace.
type slow struct {
	commands.Platform
	asked, answer chan struct{}
}

func (s *slow) Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error) {
	close(s.asked)
	<-s.answer
	return s.Platform.Workspace(ctx, as, id)
}

// While a call is being handled, the same call under the same key is refused as in
// progress and does nothing.
//
// proves: decisions/2/idempotency-in-progress
func TestCallStillBeingHandled(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	platform := &slow{s.Platform, make(chan struct{}), make(chan struct{})}
	s.Platform = platform
	caller := func() commands.Caller {
		ana := s.Ana(account.Team)
		ana.Key = &commands.IdempotencyKey{Key: "k", Fingerprint: "f"}
		return ana
	}
	first := make(chan error, 1)
	go func() {
		_, err := s.Assessments.Start(context.Background(), caller(), retail, model(0))
		first <- err
	}()
	<-platform.asked
	before := s.Left(t)
	_, err := s.Assessments.Start(context.Background(), caller(), retail, model(0))
	if r, refused := domain.Refused(err); !refused || r.Code != domain.OperationInProgress || r.RetryAfter == 0 {
		t.Errorf("got %v, want OperationInProgress and a time to wait", err)
	}
	s.Unchanged(t, before)
	close(platform.answer)
	check(t, <-first)
	if l := s.Left(t); l.Operations != 1 || l.Jobs != 1 {
		t.Errorf("left %+v, want one operation and one step", l)
	}
}

// process returns a second process of the service on the same database, with the
// given platform.
func (s *service) process(t *testing.T, pool *pgxpool.Pool, platform commands.Platform) *commands.Commands {
	t.Helper()
	wired := s.Process(t, pool).Commands
	wired.Platform, wired.Jobs = platform, s.queue
	t.Cleanup(wired.Keys.Life.End)
	return wired
}

// inProgress checks for the refusal that the same call is still being handled.
func inProgress(t *testing.T, what string, err error) {
	t.Helper()
	if r, refused := domain.Refused(err); !refused || r.Code != domain.OperationInProgress || r.RetryAfter == 0 {
		t.Errorf("%s: got %v, want OperationInProgress and a time to wait", what, err)
	}
}

// A key belongs to its call while the process that handles it lives, and is free at
// once when that process has died. If the process turns out to be alive, its late
// append fails.
//
// proves: decisions/9/3
func TestKeyOfADeadProcess(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	hangs := &slow{s.Platform, make(chan struct{}), make(chan struct{})}
	first, second := s.process(t, s.Pool, hangs), s.process(t, s.Pool, s.Platform)
	caller := func() commands.Caller {
		ana := s.Ana(account.Team)
		ana.Key = &commands.IdempotencyKey{Key: "k", Fingerprint: "f"}
		return ana
	}
	ended := make(chan error, 1)
	go func() {
		_, err := first.Assessments.Start(context.Background(), caller(), retail, model(0))
		ended <- err
	}()
	<-hangs.asked
	before := s.Left(t)
	_, err := second.Assessments.Start(t.Context(), caller(), retail, model(0))
	inProgress(t, "while it lives", err)
	s.Unchanged(t, before)

	// Its session ends, as it does when the process is killed.
	var died bool
	if err := s.Pool.QueryRow(t.Context(), `SELECT bool_and(pg_terminate_backend(pid, 60000)) FROM pg_locks
		WHERE locktype = 'advisory' AND objsubid = 2 AND objid::bigint = $1::bigint & 4294967295`, first.Keys.Life.Key()).Scan(&died); err != nil || !died {
		t.Fatalf("the first process did not die: %v", err)
	}
	accepted, err := second.Assessments.Start(t.Context(), caller(), retail, model(0))
	if err != nil || accepted.Replayed {
		t.Fatalf("got %+v, %v, want it accepted at once", accepted, err)
	}
	close(hangs.answer)
	inProgress(t, "the dead", <-ended)
	if l := s.Left(t); l.Operations != 1 || l.Jobs != 1 {
		t.Errorf("left %+v, want one operation and one step", l)
	}
	again, err := second.Assessments.Start(t.Context(), caller(), retail, model(0))
	if err != nil || again.OperationID != accepted.OperationID {
		t.Errorf("again: got %+v, %v, want %v", again, err, accepted.OperationID)
	}
}

// A key that could not be released, because the database was unavailable when its
// call ended, is released as soon as the database is available.
//
// proves: decisions/9/3
func TestKeyReleasedLater(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	network := pgtest.Between(t, s.Pool.Config().ConnString())
	pool, err := database.Open(t.Context(), network.URL, nil)
	check(t, err)
	t.Cleanup(pool.Close)
	hangs := &slow{s.Platform, make(chan struct{}), make(chan struct{})}
	first, second := s.process(t, pool, hangs), s.process(t, s.Pool, s.Platform)
	first.Keys.Life = database.NewLife(s.Pool, uuid.New()) // it stays alive
	t.Cleanup(first.Keys.Life.End)
	caller := func() commands.Caller {
		ana := s.Ana(account.Team)
		ana.Key = &commands.IdempotencyKey{Key: "k", Fingerprint: "f"}
		return ana
	}
	ended, call := make(chan error, 1), database.Within(context.Background(), time.Minute)
	go func() {
		_, err := first.Assessments.Start(call, caller(), retail, model(0))
		ended <- err
	}()
	<-hangs.asked
	network.Break()
	close(hangs.answer)
	if err := <-ended; !database.Unavailable(call, err) {
		t.Errorf("got %v, want an error because the database is unavailable", err)
	}
	_, err = second.Assessments.Start(t.Context(), caller(), retail, model(0))
	inProgress(t, "while it cannot be given back", err)
	given, stop := context.WithCancel(t.Context())
	var giving sync.WaitGroup
	giving.Go(func() { first.Keys.KeepReleasing(given) })
	defer giving.Wait()
	defer stop()
	network.Pass()
	for deadline := time.Now().Add(time.Minute); ; {
		_, err := second.Assessments.Start(t.Context(), caller(), retail, model(0))
		if err == nil {
			break
		}
		if inProgress(t, "before it is given back", err); time.Now().After(deadline) {
			t.Fatal("the key is not released")
		}
	}
	if l := s.Left(t); l.Operations != 1 || l.Jobs != 1 {
		t.Errorf("left %+v, want one operation and one step", l)
	}
}
