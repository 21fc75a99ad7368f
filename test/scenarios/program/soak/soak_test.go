//go:build hard

package soak_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/internal/postgres"
	"readiness/test/scenarios/program"
	"readiness/test/testworld"
)

var (
	soakFor   = flag.Duration("soak.for", 30*time.Second, "how long TestHardSoak is under load; what comes before and after takes some seconds more")
	soakSeed  = flag.Uint64("soak.seed", 0, "seed of what TestHardSoak asks for and when it kills; 0 chooses one at random")
	soakOver  = flag.String("soak.platform", "folder", "what TestHardSoak runs on: folder, or emulator, Fabric emulated over the folder")
	soakPause = flag.Duration("soak.pause", 3*time.Second, "the longest that each person of TestHardSoak waits between two calls")
)

// TestHardSoak has many accounts do everything at once on two processes that share one database and one folder, or one
// emulator of Fabric over it, while processes and PostgreSQL are killed. At the end the log, the views and the files are
// compared: nothing was lost, nothing happened twice, and nothing stays open.
func TestHardSoak(t *testing.T) {
	t.Parallel()
	s := newSoak(t, false)
	s.run(s.disturb)
	s.end()
}

// run puts the service under load while disturb disturbs it, and then compares everything with the log.
func (s *soak) run(disturb func()) {
	s.T.Helper()
	for i := range s.slots {
		s.start(i)
	}
	s.phase("two processes listen")
	s.ends = time.Now().Add(*soakFor)
	idle := s.resources()
	ctx, stop := context.WithCancel(s.T.Context())
	var load sync.WaitGroup
	defer load.Wait()
	defer stop()
	for _, p := range s.people {
		load.Go(func() { p.live(ctx) })
	}
	load.Go(func() { s.watch(ctx) })
	disturb()
	stop()
	load.Wait()
	s.phase("the load ended")
	s.settle()
	s.phase("all work has ended")
	s.report()
	s.verifyLog()
	s.verifyKeys()
	s.verifyResults()
	s.verifyFiles()
	s.verifyViews()
	s.verifyResources(idle)
	s.verifyLives()
	s.phase("the log was compared with everything")
	s.Operate("events", "verify")
	s.Operate("projections", "rebuild", "--diff")
	s.phase("the operator's commands found no fault")
}

// phase logs the time elapsed so far.
func (s *soak) phase(what string) {
	s.T.Logf("%s after %.1fs", what, time.Since(s.began).Seconds())
}

// soak is a service of two processes with many accounts.
type soak struct {
	*program.Program
	began       time.Time
	ends        time.Time // end of the load
	slots       [2]slot
	tenants     []*tenant
	people      []*person
	WorkspaceID map[uuid.UUID]string // folders
	before      map[string]string    // files
	original    map[uuid.UUID]string // hashes of models
	ledger      *ledger              // once the load is over

	as    func(name string) item.Person // the people of the service
	mints func(account, name string) (token string, err error)

	addresses atomic.Pointer[[]string] // of Pixies in reports, without their host
	seen      atomic.Int64             // views that were answered

	servers                     *replicated // nil on one server
	processKills, databaseKills int
	calls                       tally
	repeats                     bool // people repeat a call that the service was too busy for, as its clients do
}

// slot is one of the processes, across all its lives.
type slot struct {
	base atomic.Pointer[string]
	now  *program.Process
}

// tenant is an account with its own workspace.
type tenant struct {
	name        string
	plan        string
	WorkspaceID uuid.UUID
	models      []uuid.UUID
	reports     []uuid.UUID

	mu       sync.Mutex
	previews []prepared           // not yet applied
	applies  []applied            // not yet reverted
	tests    map[string]bool      // A/B tests
	answered map[string]uuid.UUID // operations by person and key
}

// prepared is a preview that was made.
type prepared struct {
	model uuid.UUID
	route string // the route that applies it
	id    any
}

// applied is an apply that may be reverted.
type applied struct {
	model uuid.UUID
	route string // the route that reverts it
	id    any
}

// tally counts answers, by route and outcome.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
	faults []string // answers that are errors of the service, the first ones
}

// failed keeps an answer that is an error of the service.
func (t *tally) failed(answer string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.faults) < 10 {
		t.faults = append(t.faults, answer)
	}
}

func (t *tally) count(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[what]++
}

// soakPlans are the plans of the accounts: most have no limits, some reach the limits of their plan.
var soakPlans = []string{"Enterprise", "Enterprise", "Enterprise", "Enterprise", "Enterprise", "Enterprise", "Business", "Business", "Team", "Free"}

const (
	soakModels  = 3
	soakReports = 3
)

// newSoak returns a soak on one server, or on a primary with a synchronous standby.
func newSoak(t *testing.T, standby bool) *soak {
	t.Helper()
	began := time.Now()
	s := &soak{WorkspaceID: map[uuid.UUID]string{}, calls: tally{counts: map[string]int{}}, began: began}
	if standby {
		s.servers = newReplicated(t)
		s.Program = program.New(t, nil, "--database-url", s.servers.both())
	} else {
		s.onOneServer(t)
	}
	if *soakSeed != 0 {
		s.Seed = *soakSeed
		s.Random = rand.New(rand.NewPCG(s.Seed, 0))
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again with -soak.seed %d -soak.for %s; the calls will be the same, their order will not", s.Seed, *soakFor)
		}
	})
	testworld.Check(t, os.MkdirAll(s.Data, 0o700))
	s.choosePlatform()
	text := "accounts:\n"
	for i, plan := range soakPlans {
		text += s.addTenant(i, plan)
	}
	testworld.Check(t, os.WriteFile(s.Args[slices.Index(s.Args, "--accounts")+1], []byte(text), 0o644))
	testworld.Check(t, os.RemoveAll(filepath.Join(s.Root, "Retail")))
	var err error
	s.before, err = testworld.Files(s.Root)
	testworld.Check(t, err)
	s.original = s.hashes()
	return s
}

// onOneServer starts PostgreSQL and makes the program that uses it.
func (s *soak) onOneServer(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "readiness-soak-") // one that another user, PostgreSQL's, may enter
	testworld.Check(t, err)
	t.Cleanup(func() { program.RemoveAll(t, dir) })
	testworld.Check(t, os.Chmod(dir, 0o711))
	// Committed data outlives the death of its processes without a sync; only a crash of the machine would lose it.
	server, err := postgres.Start(t.Context(), postgres.Options{DataDir: dir, Settings: map[string]string{"fsync": "off"}})
	testworld.Check(t, err)
	t.Cleanup(func() { testworld.Check(t, server.Stop(context.Background())) })

	s.Program = program.New(t, nil, "--database-url", server.URL())
	s.Cluster = filepath.Join(dir, "cluster")
}

// addTenant creates an account's people and workspace, and returns its declaration.
func (s *soak) addTenant(i int, plan string) (declaration string) {
	s.T.Helper()
	a := &tenant{
		name: fmt.Sprintf("account-%d", i), plan: plan, WorkspaceID: uuid.New(), tests: map[string]bool{}, answered: map[string]uuid.UUID{},
	}
	s.tenants = append(s.tenants, a)
	s.WorkspaceID[a.WorkspaceID] = a.name
	declaration = fmt.Sprintf("  - accountId: %s\n    plan: %s\n    settings: {fabricWrites: true}\n    trackingSetups:\n      - {workspaceId: %s, collectorBaseUrl: 'https://collector.example'}\n    people:\n", a.name, plan, a.WorkspaceID)
	members := soakNames(i, plan)
	for j, id := range members {
		as := s.as(id)
		if declaration += fmt.Sprintf("      - {person: %s, role: admin", as.ID); as.Issuer != "" {
			declaration += ", issuer: '" + as.Issuer + "'"
		}
		declaration += "}\n"
		signed, err := s.mints(a.name, id)
		testworld.Check(s.T, err)
		s.people = append(s.people, &person{
			soak: s, tenant: a, id: id, token: signed, random: rand.New(rand.NewPCG(s.Seed, uint64(100*i+j)+1)), open: map[uuid.UUID]task{},
		})
	}
	s.Workspace(s.T, testworld.Workspace{ID: a.WorkspaceID, Name: a.name, Members: members})
	for n := range soakModels {
		id, name := uuid.New(), fmt.Sprintf("Model %d", n)
		a.models = append(a.models, id)
		s.Model(s.T, a.name, name, id, program.SalesTable(n))
	}
	for n := range soakReports {
		id, dir := uuid.New(), fmt.Sprintf("Report %d.Report", n)
		a.reports = append(a.reports, id)
		s.Report(s.T, a.name, dir, fmt.Sprintf("Report %d", n), id, "Model 0")
		for page := range 1 + n {
			s.PutIn(a.name, fmt.Sprintf(`{"name":"p%d","displayName":"Page","displayOption":"FitToPage","height":720,"width":1280}`, page), dir, "definition", "pages", fmt.Sprintf("p%d", page), "page.json")
		}
	}
	return declaration
}

// start starts a slot's next life.
func (s *soak) start(i int) {
	s.T.Helper()
	s.Await("PostgreSQL answers", s.answers)
	s.slots[i].now = s.Launch()
	base := s.Base
	s.slots[i].base.Store(&base)
}

func (s *soak) answers() bool {
	_, ok := program.Query[int](s.Program, `SELECT 1`)
	return ok
}

// somewhere returns the address of one of the processes, which may be dead.
func (s *soak) somewhere(random *rand.Rand) string {
	return *s.slots[random.IntN(len(s.slots))].base.Load()
}

// disturb kills until the load is about to end. In the last third it kills only PostgreSQL, so that the last lives of
// the processes are long enough to show leaks.
func (s *soak) disturb() {
	s.T.Helper()
	lasts := time.Until(s.ends)
	calm := s.ends.Add(-lasts / 3)
	database := [2]time.Duration{8 * time.Second, 30 * time.Second} // the time between two of its deaths
	if lasts < time.Minute {
		database = [2]time.Duration{4 * time.Second, 8 * time.Second}
	}
	nextProcess, nextDatabase := time.Now().Add(s.between(2*time.Second, 6*time.Second)), time.Now().Add(s.between(database[0], database[1]))
	for time.Now().Before(s.ends.Add(-2 * time.Second)) {
		next := nextDatabase
		if nextProcess.Before(calm) && nextProcess.Before(next) {
			next = nextProcess
		}
		s.Wait(s.T.Context(), min(time.Until(next), time.Until(s.ends)))
		for i := range s.slots {
			slot := &s.slots[i]
			if slot.now.Over() {
				s.T.Fatalf("a process ended by itself: %v\n%s", slot.now.Cmd.ProcessState, slot.now.Stderr)
			}
		}
		switch now := time.Now(); {
		case !now.Before(s.ends.Add(-2 * time.Second)): // a late kill would meet no load
		case next.Equal(nextDatabase):
			s.KillPostgreSQL()
			s.databaseKills++
			if now.Before(calm) && s.Random.IntN(3) == 0 {
				s.killProcesses() // while it recovers
			}
			nextDatabase = time.Now().Add(s.between(database[0], database[1]))
		default:
			s.killProcesses()
			nextProcess = time.Now().Add(s.between(2*time.Second, 8*time.Second))
		}
	}
	s.Wait(s.T.Context(), time.Until(s.ends))
	if s.processKills == 0 || s.databaseKills == 0 {
		s.T.Errorf("%d kills of processes and %d of PostgreSQL in %s: want some of each", s.processKills, s.databaseKills, lasts)
	}
}

func (s *soak) between(least, most time.Duration) time.Duration {
	return least + time.Duration(s.Random.Int64N(int64(most-least)))
}

// killProcesses kills one process or both, and starts them again; sometimes they are also killed before they listen.
func (s *soak) killProcesses() {
	s.T.Helper()
	which := [][]int{{0}, {1}, {0, 1}}[s.Random.IntN(3)]
	for _, i := range which {
		s.slots[i].now.Kill()
		s.processKills++
	}
	s.Await("PostgreSQL answers", s.answers)
	if s.Random.IntN(4) == 0 {
		early := s.Spawn()
		s.Wait(s.T.Context(), s.between(0, 300*time.Millisecond))
		early.Kill()
		s.processKills++
	}
	for _, i := range which {
		s.start(i)
	}
}

// watch requests Pixies that are in reports.
func (s *soak) watch(ctx context.Context) {
	random := rand.New(rand.NewPCG(s.Seed, 1<<32))
	for n := 0; ctx.Err() == nil; n++ {
		if n%40 == 0 {
			s.findPixies()
		}
		s.Wait(ctx, 100*time.Millisecond)
		found := *s.addresses.Load()
		if len(found) == 0 {
			continue
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.somewhere(random)+found[random.IntN(len(found))], http.NoBody)
		testworld.Check(s.T, err)
		if got, err := http.DefaultClient.Do(r); err == nil {
			if got.StatusCode == http.StatusOK {
				s.seen.Add(1)
			}
			_ = got.Body.Close()
		}
	}
}

// findPixies finds the addresses that are in reports; files may appear and disappear meanwhile.
func (s *soak) findPixies() {
	var found []string
	files, _ := filepath.Glob(filepath.Join(s.Root, "*", "*.Report", "definition", "pages", "*", "visuals", "*", "visual.json"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if address := program.PixieAddress.FindString(string(text)); address != "" {
			found = append(found, strings.TrimPrefix(address, "https://collector.example"))
		}
	}
	s.addresses.Store(&found)
}

// end stops the processes gracefully.
func (s *soak) end() {
	s.T.Helper()
	for i := range s.slots {
		p := s.slots[i].now
		testworld.Check(s.T, p.Cmd.Process.Signal(syscall.SIGTERM))
		s.Await("the process stops", p.Over)
		if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
			s.T.Errorf("a process that was stopped gracefully ended with %d:\n%s", code, p.Stderr)
		}
	}
	// PostgreSQL ends the server side of a closed connection a moment later.
	s.Await("no connection outlives the processes", func() bool {
		left, ok := program.Query[int](s.Program, `SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
		return ok && left == 0
	})
}
