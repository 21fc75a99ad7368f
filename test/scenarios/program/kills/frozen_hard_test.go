//go:build hard

package kills_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/test/pgtest"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// freezes is how many times a process is frozen. drops is how many times its packets are dropped; each time a call
// waits as long as it may.
const freezes, drops = 50, 10

// pair is two processes of a service that only answer calls. The first is frozen or disconnected.
type pair struct {
	*program.Program
	model         uuid.UUID
	first         *program.Process
	ours, another string // the addresses of the first and of the other
	calls         int
}

// newPair starts both, the first with its own address of the database.
func newPair(t *testing.T, database, way string) *pair {
	t.Helper()
	p := &pair{Program: program.New(t, []string{"ada"}, "--database-url", database, "--roles", "api"), model: uuid.New()}
	p.Item(p.T, "Retail", "Sales.SemanticModel", "Sales", p.model)
	p.Put(program.Table(0), "Sales.SemanticModel", "definition", "tables", "T.tmdl")
	second := p.Launch()
	t.Cleanup(second.Kill)
	p.another = p.Base
	for i, arg := range p.Args {
		if arg == database {
			p.Args[i] = way
		}
	}
	p.first = p.Launch()
	t.Cleanup(p.first.Kill)
	p.ours = p.Base
	return p
}

// start starts an assessment at a process. It returns an error if the answer neither accepts the call nor says that it
// may be accepted later. Exchange gives up after a minute, twice as long as a call may wait.
func (p *pair) start(ctx context.Context, base, key string) (status int, operation string, err error) {
	status, got, err := program.Exchange(ctx, base, p.Token, http.MethodPost, "/v1/workspaces/"+p.WorkspaceID.String()+"/semanticModels/"+p.model.String()+"/aiReadiness/assess", nil, "Idempotency-Key", key)
	switch {
	case err != nil:
		return 0, "", err
	case status == http.StatusAccepted:
		return status, fmt.Sprint(got["operationId"]), nil
	case status == http.StatusServiceUnavailable && got["isRetriable"] == true, status == http.StatusConflict && got["isRetriable"] == true:
		return status, "", nil
	}
	return status, "", fmt.Errorf("got %d %v", status, got)
}

// strike disturbs the first process in the middle of a call, makes a call of the same account at the other until it is
// accepted, and ends the disturbance. It returns how many times that call was asked to retry.
func (p *pair) strike(what string, does, undo func()) (again int) {
	p.T.Helper()
	_, _ = program.Query[int](p.Program, `WITH emptied AS (DELETE FROM rate_windows RETURNING 1) SELECT count(*)::int FROM emptied`)
	p.calls++
	cut, other := fmt.Sprintf("cut-%d", p.calls), fmt.Sprintf("other-%d", p.calls)
	var wg sync.WaitGroup
	ctx, hangUp := context.WithCancel(p.T.Context())
	wg.Go(func() {
		if status, _, err := p.start(ctx, p.ours, cut); err != nil && status != 0 { // a process that is frozen for longer than its caller waits gives no answer
			p.T.Errorf("%s: the call that was cut off: %v", what, err)
		}
	})
	p.Wait(p.T.Context(), time.Duration(p.Random.Int64N(int64(25*time.Millisecond))))
	does()
	for status := 0; status != http.StatusAccepted; again++ {
		var err error
		if status, _, err = p.start(p.T.Context(), p.another, other); err != nil {
			p.T.Errorf("%s: a call elsewhere: %v", what, err)
			break
		}
		if again > 20 {
			p.T.Errorf("%s: a call elsewhere is never accepted", what)
			break
		}
		if status != http.StatusAccepted {
			p.Wait(p.T.Context(), time.Second)
		}
	}
	undo()
	wg.Wait()
	hangUp()
	// Whatever happened to the call, its work is done once.
	var first, second string
	for _, operation := range []*string{&first, &second} {
		p.Await("the call that was cut off is accepted", func() bool {
			_, accepted, err := p.start(p.T.Context(), p.another, cut)
			*operation = accepted
			return err == nil && accepted != ""
		})
	}
	if first != second {
		p.T.Errorf("%s: the call was operation %s, and then %s", what, first, second)
	}
	return again - 1
}

// A process that is frozen at any instant of a call delays other calls of its account for no longer than a call may
// wait, and its own call's work is done once.
//
// proves: decisions/9/5 decisions/9/3
func TestHardFrozenProcess(t *testing.T) {
	t.Parallel()
	url := testlog.URL(t)
	p := newPair(t, url, url)
	held := 0
	for range freezes {
		if p.strike("frozen", func() { testworld.Check(t, p.first.Cmd.Process.Signal(syscall.SIGSTOP)) }, func() { testworld.Check(t, p.first.Cmd.Process.Signal(syscall.SIGCONT)) }) > 0 {
			held++
		}
	}
	t.Logf("seed %d: frozen %d times, %d times another call was asked to retry", p.Seed, freezes, held)
}

// A process whose packets are dropped at any instant of a call delays no other process, answers its own calls within
// their limit, and resumes when packets pass.
//
// proves: decisions/9/5-packets
func TestHardDroppedPackets(t *testing.T) {
	t.Parallel()
	url := testlog.URL(t)
	network := pgtest.Between(t, url)
	p := newPair(t, url, network.URL)
	held := 0
	for range drops {
		if p.strike("swallowed", network.Swallow, func() {
			if status, _, err := p.start(t.Context(), p.ours, fmt.Sprintf("inside-%d", p.calls)); err != nil || status != http.StatusServiceUnavailable {
				t.Errorf("inside: got %d, %v, want 503", status, err)
			}
			network.Pass()
			p.Await("the process answers again", func() bool {
				status, _, err := p.start(t.Context(), p.ours, fmt.Sprintf("after-%d", p.calls))
				return err == nil && status == http.StatusAccepted
			})
		}) > 0 {
			held++
		}
	}
	t.Logf("seed %d: packets dropped %d times, %d times another call was asked to retry", p.Seed, drops, held)
}

// A burst of calls as soon as a process listens is counted and accepted completely.
//
// proves: decisions/9/2
func TestHardBurstAfterAStart(t *testing.T) {
	t.Parallel()
	url := testlog.URL(t)
	p := newPair(t, url, url)
	p.first.Kill()
	for life := range 10 {
		_, _ = program.Query[int](p.Program, `WITH emptied AS (DELETE FROM rate_windows RETURNING 1) SELECT count(*)::int FROM emptied`)
		one := p.Launch()
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				if status, _, err := p.start(t.Context(), p.Base, fmt.Sprintf("burst-%d-%d", life, i)); err != nil || status != http.StatusAccepted {
					t.Errorf("life %d: got %d, %v, want 202", life, status, err)
				}
			})
		}
		wg.Wait()
		one.Kill()
	}
}
