//go:build hard

package reads_test

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/platform/quota"
	"readiness/platform/reads"
	"readiness/test/pgtest"
	"readiness/test/testworld"
)

// The simulated tenant: workspaces of as many models as one call assesses at most.
const (
	tenantWorkspaces = 20
	tenantModels     = 100
)

// tenant is an emulated tenant and a client of it, on a clock that waiting moves ahead of the real one. The database's clock is the
// real one, so its rows are made older instead; both clocks go on while the test computes, or a slow machine would see blocked calls.
type tenant struct {
	t       *testing.T
	pool    *pgxpool.Pool
	service *emulator.Service
	*fabric.Platform
	waited time.Duration
}

func (w *tenant) Now() time.Time { return time.Now().Add(w.waited) }

func (w *tenant) pass(d time.Duration) {
	w.t.Helper()
	w.waited += d
	for _, sql := range []string{
		`UPDATE quota_windows SET hits = ARRAY(SELECT h - $1::interval FROM unnest(hits) h)`,
		`UPDATE quota_holds SET ends = ends - $1::interval`,
		`UPDATE exports SET next = next - $1::interval`,
	} {
		_, err := w.pool.Exec(w.t.Context(), sql, d)
		check(w.t, err)
	}
}

func newTenant(t *testing.T, root string) *tenant {
	t.Helper()
	f, err := folder.Open(root, folder.Options{})
	check(t, err)
	url := pgtest.URL(t)
	pool, err := pgxpool.New(t.Context(), url)
	check(t, err)
	t.Cleanup(pool.Close)
	w := &tenant{t: t, pool: pool}
	w.service = emulator.New(emulator.Options{Folder: f, Now: w.Now, Lasts: 1900 * time.Millisecond,
		Quotas: emulator.Quotas{Calls: 200, Operations: 200},
		Person: func(bearer string) (emulator.Person, error) {
			return emulator.Person{ID: bearer, Scopes: []string{"Workspace.Read.All", "Item.ReadWrite.All", "Report.Read.All"}}, nil
		}})
	server := httptest.NewTLSServer(w.service)
	t.Cleanup(server.Close)
	limits, err := quota.Open(t.Context(), url, quota.Options{})
	check(t, err)
	t.Cleanup(limits.Close)
	w.Platform, err = fabric.New(fabric.Options{URL: server.URL, PowerBIURL: server.URL, Transport: server.Client().Transport,
		Limits: limits, Reads: reads.Store{Pool: pool}, Exports: reads.Exports{Pool: pool}, Now: w.Now,
		Wait:   func(ctx context.Context, d time.Duration) error { w.pass(d); return ctx.Err() },
		Tokens: func(_ context.Context, as item.Caller, _ item.Permission) (string, error) { return as.Token, nil }})
	check(t, err)
	return w
}

// step reads one model of an operation, when its time has come.
type step struct {
	at    time.Time
	as    item.Caller
	model item.Item
	all   []uuid.UUID // the models of the operation; nil to read singly
}

// queue holds steps, the earliest first.
type queue []step

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *queue) Push(x any) { *q = append(*q, x.(step)) }

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// run does the steps, each again when it is pending, and returns how many there were.
func (w *tenant) run(q queue) (steps int) {
	heap.Init(&q)
	for q.Len() > 0 {
		s := heap.Pop(&q).(step)
		if wait := s.at.Sub(w.Now()); wait > 0 {
			w.pass(wait)
		}
		err := w.Announce(w.t.Context(), s.as, s.model.WorkspaceID, s.all)
		if err == nil {
			_, err = w.Definition(w.t.Context(), s.as, s.model)
		}
		steps++
		if pending, ok := errors.AsType[*item.Pending](err); ok {
			s.at = w.Now().Add(pending.After)
			heap.Push(&q, s)
			continue
		}
		check(w.t, err)
		check(w.t, w.Release(w.t.Context(), s.as, s.model))
	}
	return steps
}

// TestHardTenant reads every model of a tenant of 5,000 as one person does who assesses all its workspaces, 100 models a
// call, by bulk export, and a tenth of them one by one for comparison. It says how long the platform and its quota let it
// wait, and how long it took in reality.
func TestHardTenant(t *testing.T) {
	root, err := os.MkdirTemp("", "readiness-tenant-")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	disk := testworld.Disk{Root: root}
	workspaces := make([][]item.Item, tenantWorkspaces)
	bytes := 0
	for i := range workspaces {
		name, id := fmt.Sprintf("Workspace %02d", i), uuid.New()
		disk.Workspace(t, testworld.Workspace{ID: id, Name: name})
		for j := range tenantModels {
			m := item.Item{ID: uuid.New(), Type: item.SemanticModel, WorkspaceID: id, DisplayName: fmt.Sprintf("Model %03d", j)}
			text := strings.Repeat(fmt.Sprintf("table T%d%d\n\n\tcolumn C\n\t\tdataType: string\n\n", i, j), 300)
			disk.Model(t, name, m.DisplayName, m.ID, text)
			bytes += len(text)
			workspaces[i] = append(workspaces[i], m)
		}
	}
	for _, c := range []struct {
		name       string
		workspaces int
		bulk       bool
		most       time.Duration // of waiting
	}{
		{"by bulk export", tenantWorkspaces, true, 4 * time.Minute},
		{"one by one", tenantWorkspaces / 10, false, 12 * time.Minute},
	} {
		w, q := newTenant(t, root), queue{}
		began, real := w.Now(), time.Now()
		for _, models := range workspaces[:c.workspaces] {
			var all []uuid.UUID
			for _, m := range models {
				all = append(all, m.ID)
			}
			if !c.bulk {
				all = nil
			}
			as := item.Caller{Person: item.Person{ID: "tenant/ada"}, Token: "tenant/ada", Work: uuid.New()}
			for _, m := range models {
				q = append(q, step{began, as, m, all})
			}
		}
		steps, calls, blocked := w.run(q), 0, 0
		for _, s := range w.service.Calls() {
			if calls++; s.Status == 429 {
				blocked++
			}
		}
		t.Logf("%d models of %d KiB %s: %s of waiting, %s in reality; %d calls, %d of them blocked; %d steps",
			c.workspaces*tenantModels, bytes/tenantWorkspaces/tenantModels>>10, c.name, w.waited.Round(time.Second),
			time.Since(real).Round(100*time.Millisecond), calls, blocked, steps)
		if w.waited > c.most || blocked*1000 > calls {
			t.Errorf("%s: waited %s, with %d blocked calls of %d, want at most %s and one in a thousand", c.name, w.waited, blocked, calls, c.most)
		}
	}
}
