package quota_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/platform/quota"
	"readiness/test/pgtest"
	"readiness/test/samples"
)

// shared is an emulated platform that counts, and two processes that call it as several people.
type shared struct {
	t         *testing.T
	url       string // of the database
	service   *emulator.Service
	processes [2]*fabric.Platform
	workspace uuid.UUID
	model     item.Item

	mu    sync.Mutex
	moved time.Duration // the clock, ahead of the real one
}

// Now is the time of the platform and the processes. The database's is the real one; passing time makes its rows older.
func (s *shared) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.moved)
}

func (s *shared) pass(d time.Duration) {
	s.t.Helper()
	s.mu.Lock()
	s.moved += d
	s.mu.Unlock()
	age(s.t, s.url, "", d)
}

func newShared(t *testing.T) *shared {
	t.Helper()
	s := &shared{t: t, url: pgtest.URL(t)}
	f, err := folder.Open(samples.Workspaces(t), folder.Options{})
	check(t, err)
	s.service = emulator.New(emulator.Options{Folder: f, Now: s.Now, AtOnce: true, Quotas: emulator.Quotas{Calls: 200, Operations: 200},
		Person: func(bearer string) (emulator.Person, error) {
			return emulator.Person{ID: bearer, Scopes: []string{"Workspace.Read.All", "Item.ReadWrite.All", "Report.Read.All"}}, nil
		}})
	server := httptest.NewTLSServer(s.service)
	t.Cleanup(server.Close)
	for i := range s.processes {
		s.processes[i], err = fabric.New(fabric.Options{URL: server.URL, PowerBIURL: server.URL, Transport: server.Client().Transport,
			Limits: open(t, s.url, quota.Options{}), Now: s.Now,
			Wait: func(ctx context.Context, d time.Duration) error { t.Errorf("a call waits for %s", d); return ctx.Err() },
			Tokens: func(_ context.Context, as item.Caller, _ item.Permission) (string, error) {
				return as.Person.ID, nil
			}})
		check(t, err)
	}
	s.workspace = uuid.MustParse("dd861a23-9ffc-5a77-a120-f2f1e51bfd19")
	models, err := f.Items(t.Context(), item.Caller{Person: item.Person{ID: ada}}, s.workspace, item.SemanticModel)
	check(t, err)
	s.model = models[0]
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read reads the definition as a step of an operation. It returns how long the person must wait, 0 when it was read.
func (s *shared) read(process int, person string) time.Duration {
	s.t.Helper()
	_, err := s.processes[process].Definition(s.t.Context(), item.Caller{Person: item.Person{ID: person}, Work: uuid.UUID{15: 1}}, s.model)
	if pending, ok := errors.AsType[*item.Pending](err); ok {
		return pending.After
	}
	check(s.t, err)
	return 0
}

// blocked counts the calls that the platform refused with 429.
func (s *shared) blocked() (n int) {
	for _, c := range s.service.Calls() {
		if c.Status == 429 {
			n++
		}
	}
	return n
}

// Two processes that read as three people keep to half of the platform's quota together, whichever minute is looked at,
// never meet a 429, and a person who wants much delays none of the others.
func TestHalfOfThePlatformsQuota(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	left := map[string]int{ada: 450, bob: 30, grace: 120} // reads by each of the processes
	minutes, served := 0, map[string]int{}                // when the person had all
	var mu sync.Mutex
	for ; slices.ContainsFunc([]string{ada, bob, grace}, func(p string) bool { return served[p] == 0 }); minutes++ {
		var wg sync.WaitGroup
		wait := quota.Window
		open := map[string]int{}
		for person, n := range left {
			for process := range s.processes {
				wg.Go(func() {
					for n := n; n > 0; n-- {
						if w := s.read(process, person); w > 0 {
							mu.Lock()
							wait, open[person] = max(wait, w), open[person]+n
							mu.Unlock()
							return
						}
					}
				})
			}
		}
		wg.Wait()
		for person := range left {
			if left[person] = (open[person] + 1) / 2; open[person] == 0 && served[person] == 0 {
				served[person] = minutes + 1
			}
		}
		if minutes > 30 {
			t.Fatalf("after %d minutes %v are left", minutes, left)
		}
		s.pass(quota.Window)
	}
	if n := s.blocked(); n > 0 {
		t.Errorf("the platform blocked %d calls", n)
	}
	for person, most := range s.busiest() {
		if most > 100+2*len(s.processes) { // the platform counts a call a moment after the limiter
			t.Errorf("%s made %d calls in a minute", person, most)
		}
	}
	// Reads take 80 of the 100, so 900 reads take 12 windows, 60 one and 240 three; each round may leave one more.
	if served[bob] != 1 || served[grace] > 5 || served[ada] > 14 || served[ada] < 9 {
		t.Errorf("the people had all after %v minutes", served)
	}
	t.Logf("all was read after %v minutes; the most calls in a minute: %v", served, s.busiest())
}

// busiest returns the most calls of each person in any minute.
func (s *shared) busiest() map[string]int {
	by, most := map[string][]time.Time{}, map[string]int{}
	for _, c := range s.service.Calls() {
		by[c.Person.ID] = append(by[c.Person.ID], c.At)
	}
	for person, at := range by {
		slices.SortFunc(at, time.Time.Compare)
		first := 0
		for i := range at {
			for at[i].Sub(at[first]) >= quota.Window {
				first++
			}
			most[person] = max(most[person], i-first+1)
		}
	}
	return most
}

// A 429 that one process meets, because the person's other tools use the quota, stops both processes' calls of the person,
// and everyone's of the route in the tenant, until its time; nothing else.
func TestBlockOfThePlatform(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	for range 190 { // another tool of the person's
		r := httptest.NewRequest("GET", "/v1/workspaces", nil)
		r.Header.Set("Authorization", "Bearer "+ada)
		s.service.ServeHTTP(httptest.NewRecorder(), r)
	}
	read := 0
	for s.read(0, ada) == 0 {
		read++
	}
	before := len(s.service.Calls())
	if read != 10 || s.blocked() != 1 {
		t.Fatalf("%d reads and %d blocks, want 10 and 1", read, s.blocked())
	}
	for process := range s.processes {
		as := item.Caller{Person: item.Person{ID: ada}, Work: uuid.UUID{15: 1}}
		for name, err := range map[string]error{
			"definition": func() error { _, err := s.processes[process].Definition(t.Context(), as, s.model); return err }(),
			"items": func() error {
				_, err := s.processes[process].Items(t.Context(), as, s.workspace, item.Report)
				return err
			}(),
		} {
			if pending, ok := errors.AsType[*item.Pending](err); !ok || pending.After <= 0 || pending.After > quota.Window {
				t.Errorf("process %d, %s: got %v, want to wait for a minute", process, name, err)
			}
		}
		if wait := s.read(process, bob); wait <= 0 {
			t.Errorf("process %d: the route is called as another person of the tenant", process)
		}
	}
	if n := len(s.service.Calls()); n != before {
		t.Errorf("%d calls were made while the platform wants none", n-before)
	}
	if wait := s.read(1, grace); wait != 0 {
		t.Errorf("a person of another tenant waits for %s", wait)
	}
	_, err := s.processes[1].Items(t.Context(), item.Caller{Person: item.Person{ID: bob}, Work: uuid.UUID{15: 1}}, s.workspace, item.Report)
	check(t, err)
	s.pass(quota.Window)
	for process := range s.processes {
		for _, person := range []string{ada, bob} {
			if wait := s.read(process, person); wait != 0 {
				t.Errorf("process %d: %s waits for %s after the block", process, person, wait)
			}
		}
	}
}
