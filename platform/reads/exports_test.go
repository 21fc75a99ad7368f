package reads_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/database"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/platform/reads"
	"readiness/test/pgtest"
	"readiness/test/samples"
)

var export = fabric.Export{Operation: uuid.UUID{15: 1}, Person: "t/o", Workspace: uuid.UUID{15: 2}}

// come makes the platform's next turn come now.
func come(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	_, err := pool.Exec(t.Context(), `UPDATE exports SET next = clock_timestamp()`)
	check(t, err)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// One of many callers begins an export, one at a time polls it, and the others wait.
func TestTurns(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	x := reads.Exports{Pool: pool}
	is := func(e fabric.Export, want fabric.State) fabric.Turn {
		t.Helper()
		turn, err := x.Turn(t.Context(), e)
		if err != nil || turn.State != want || turn.State == fabric.Waiting && (turn.After < time.Second || turn.After > 2*time.Second) {
			t.Fatalf("got %+v, %v, want state %d", turn, err, want)
		}
		return turn
	}
	is(export, fabric.Single)
	if n := together(t, func() bool { first, err := x.Claim(t.Context(), export); check(t, err); return first }); n != 1 {
		t.Fatalf("%d callers begin the export", n)
	}
	is(export, fabric.Waiting)
	check(t, x.Begun(t.Context(), export, "remote", time.Hour))
	is(export, fabric.Waiting)
	come(t, pool)
	if n := together(t, func() bool {
		turn, err := x.Turn(t.Context(), export)
		check(t, err)
		return turn.State == fabric.Polling && turn.Operation == "remote" && time.Since(turn.Begun) < time.Hour
	}); n != 1 {
		t.Fatalf("%d callers poll", n)
	}
	check(t, x.Postpone(t.Context(), export, time.Minute))
	is(export, fabric.Waiting)
	for _, change := range []func(*fabric.Export){
		func(e *fabric.Export) { e.Operation[0] = 9 }, func(e *fabric.Export) { e.Workspace[0] = 9 },
		func(e *fabric.Export) { e.Person = "t/p" },
	} {
		other := export
		change(&other)
		is(other, fabric.Single)
	}
	check(t, x.Fail(t.Context(), export))
	is(export, fabric.Single)
	if first, err := x.Claim(t.Context(), export); err != nil || first {
		t.Errorf("a failed export is begun again: %t, %v", first, err)
	}

	// Its caller died before the platform answered.
	lost := export
	lost.Operation[0] = 7
	_, err := x.Claim(t.Context(), lost)
	check(t, err)
	come(t, pool)
	is(lost, fabric.Single)
	check(t, x.Sweep(t.Context()))
	is(lost, fabric.Single)

	// Its process died before the platform answered, or while it polled: no caller waits for the end of the lease.
	process := database.NewLife(pool, uuid.New())
	killed := export
	killed.Operation[0] = 8
	begin := func(how func(reads.Exports)) {
		t.Helper()
		check(t, process.Take(t.Context()))
		how(reads.Exports{Pool: pool, Life: process})
		is(killed, fabric.Waiting)
		process.End()
	}
	begin(func(x reads.Exports) {
		_, err := x.Claim(t.Context(), killed)
		check(t, err)
		check(t, x.Begun(t.Context(), killed, "remote", time.Hour))
	})
	is(killed, fabric.Waiting) // until the platform may be asked
	come(t, pool)
	begin(func(x reads.Exports) {
		if turn, err := x.Turn(t.Context(), killed); err != nil || turn.State != fabric.Polling {
			t.Fatalf("got %+v, %v", turn, err)
		}
	})
	is(killed, fabric.Polling)
	killed.Operation[0] = 9
	begin(func(x reads.Exports) {
		_, err := x.Claim(t.Context(), killed)
		check(t, err)
	})
	if n := together(t, func() bool { first, err := x.Claim(t.Context(), killed); check(t, err); return first }); n != 1 {
		t.Errorf("%d callers begin the export that died with its caller", n)
	}
	is(killed, fabric.Waiting)
	check(t, x.Begun(t.Context(), killed, "remote", 0))
	if first, err := x.Claim(t.Context(), killed); err != nil || first {
		t.Errorf("an export of the platform is begun again: %t, %v", first, err)
	}
	is(killed, fabric.Polling)
	killed.Operation[0] = 10
	begin(func(x reads.Exports) {
		_, err := x.Claim(t.Context(), killed)
		check(t, err)
	})
	is(killed, fabric.Single) // the next caller does not know all items
	_, err = pool.Exec(t.Context(), `UPDATE exports SET begun = now() - interval '2 hours'`)
	check(t, err)
	check(t, x.Sweep(t.Context()))
	if first, err := x.Claim(t.Context(), lost); err != nil || !first {
		t.Errorf("an old export is kept: %t, %v", first, err)
	}
}

// together calls f from ten goroutines and returns how many got true.
func together(t *testing.T, f func() bool) (n int) {
	t.Helper()
	var wg sync.WaitGroup
	got := make([]bool, 10)
	for i := range got {
		wg.Go(func() { got[i] = f() })
	}
	wg.Wait()
	for _, ok := range got {
		if ok {
			n++
		}
	}
	return n
}

// A part belongs to the item with the longest root before it and is given until it is dropped. What an earlier attempt stored is gone.
func TestTakes(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	x := reads.Exports{Pool: pool}
	_, err := x.Claim(t.Context(), export)
	check(t, err)
	fill := func(broken error, files ...string) error {
		return x.Fill(t.Context(), export, func(index func(uuid.UUID, string) error, part func(string, []byte) error) error {
			for _, f := range files { // the parts come first
				check(t, part(f, []byte(f)))
			}
			for id, root := range map[byte]string{1: "/A", 2: "/A/B", 3: "/A B", 4: "/Ab"} {
				check(t, index(uuid.UUID{15: id}, root))
			}
			return broken
		})
	}
	big := "/A/" + strings.Repeat("x", 5<<20) // more than a batch, without which nothing would be stored
	if err := fill(errors.New("the connection broke"), "/A/old", big[:1000]); err == nil {
		t.Fatal("a broken answer fills the export")
	}
	if turn, err := x.Turn(t.Context(), export); err != nil || turn.State == fabric.Ready {
		t.Fatalf("got %+v, %v", turn, err)
	}
	check(t, fill(nil, "/A/one", "/A/B/two", "/A/Bc", "/A B/three", "/Ab/four", "/A/B", "/A", "/A0", "/none/five", "/A/two/B"))
	for i, want := range [][]string{{"B", "Bc", "one", "two/B"}, {"two"}, {"three"}, {"four"}, nil} {
		id := byte(i + 1)
		for attempt, want := range [][]string{want, want, nil} {
			if attempt == 2 {
				check(t, x.Drop(t.Context(), export, uuid.UUID{15: id}))
			}
			var got []string
			check(t, x.Take(t.Context(), export, uuid.UUID{15: id}, func(path string, data []byte) error {
				got = append(got, path)
				if !strings.HasSuffix(string(data), "/"+path) {
					t.Errorf("%s has the bytes of %s", path, data)
				}
				return nil
			}))
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("item %d: -want +got:\n%s", id, diff)
			}
		}
	}
}

// Announced models are exported together, in one call, and what the export lacks or fails to give is read singly.
func TestBulkExport(t *testing.T) {
	t.Parallel()
	none := definition.Definition{}
	for name, c := range map[string]struct {
		fault          *emulator.Fault
		few            bool
		exports, reads int // calls that begin one; reads -1 for one of each model
	}{
		"together":              {nil, false, 1, 0},
		"too few":               {nil, true, 0, -1},
		"it is refused":         {&emulator.Fault{Path: "bulkExportDefinitions", Answer: says(403, `{"errorCode":"InsufficientPrivileges"}`)}, false, 1, -1},
		"it fails":              {&emulator.Fault{Path: "bulkExportDefinitions", Operation: map[string]any{"errorCode": "UnknownError"}}, false, 1, -1},
		"the result is garbage": {&emulator.Fault{Path: "/result", Answer: says(200, `{"definitionParts":[{"path":`)}, false, 1, -1},
		"a poll is blocked":     {&emulator.Fault{Method: "GET", Path: "/v1/operations/", Answer: blocked, Times: 2}, false, 1, 0},
		"a poll is lost":        {&emulator.Fault{Method: "GET", Path: "/v1/operations/", Answer: emulator.Lost, Times: 3}, false, 1, 0},
		"the result is blocked": {&emulator.Fault{Path: "/result", Answer: blocked}, false, 1, 0},
		"it is forgotten":       {&emulator.Fault{Method: "GET", Path: "/v1/operations/", Answer: emulator.Error(404, "OperationNotFound", "")}, false, 1, -1},
		"a part has no payload": {&emulator.Fault{Path: "/result", Answer: says(200, `{"definitionParts":[{"path":"/A/x"}],"itemDefinitionsIndex":[]}`)}, false, 1, -1},
		"the index is odd": {&emulator.Fault{Path: "/result", Answer: says(200, `{"definitionParts":[{"path":"/A/x","payload":""}],
			"itemDefinitionsIndex":[null,5,{"id":"x"},{"id":"63f8bf57-ab8c-5e3a-92f1-842df8148104"},{"id":"63f8bf57-ab8c-5e3a-92f1-842df8148104","rootPath":"/"}]}`)}, false, 1, -1},
		"a path that PostgreSQL cannot hold": {&emulator.Fault{Path: "/result", Answer: says(200,
			`{"definitionParts":[{"path":"/A/\u0000","payload":""}],"itemDefinitionsIndex":[]}`)}, false, 1, -1},
		"a path twice": {&emulator.Fault{Path: "/result", Answer: says(200,
			`{"definitionParts":[{"path":"/A/x","payload":""},{"path":"/A/x","payload":""}],"itemDefinitionsIndex":[]}`)}, false, 1, -1},
		"the result is empty": {&emulator.Fault{Path: "/result", Answer: says(200, `{"itemDefinitionsIndex":[],"definitionParts":[]}`)}, false, 1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := pgtest.Pool(t)
			b := newBulk(t, pool)
			models := b.models
			if c.few {
				models = models[:3]
			}
			if c.fault != nil {
				b.service.Script(*c.fault)
			}
			var ids []uuid.UUID
			for _, m := range models {
				ids = append(ids, m.ID)
			}
			for range 2 { // each step of the work announces them
				check(t, b.Announce(t.Context(), b.as, models[0].WorkspaceID, ids))
			}
			for _, m := range models {
				want, err := b.folder.Definition(t.Context(), b.as, m)
				check(t, err)
				got := none
				for tries := 0; len(got.Parts) == 0; tries++ {
					got, err = b.Definition(t.Context(), b.as, m)
					if _, pending := errors.AsType[*item.Pending](err); !pending {
						check(t, err)
					}
					if tries > 5 {
						t.Fatal("it is pending forever")
					}
					come(t, pool)
				}
				again, err := b.Definition(t.Context(), b.as, m) // because a later part of the step failed
				check(t, err)
				if want.Hash() != got.Hash() || want.Hash() != again.Hash() || !got.MayLackCopilot {
					t.Errorf("%s is read differently", m.DisplayName)
				}
				check(t, b.Release(t.Context(), b.as, m))
			}
			reads := c.reads
			if reads < 0 {
				reads = len(models)
			}
			if n, m := b.called("bulkExportDefinitions"), b.called("getDefinition"); n != c.exports || m != reads {
				t.Errorf("%d exports and %d single reads, want %d and %d", n, m, c.exports, reads)
			}
			left := 0
			check(t, pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM exported_parts) + (SELECT count(*) FROM pending_reads)`).Scan(&left))
			if left != 0 {
				t.Errorf("%d parts and reads are left", left)
			}
		})
	}
}

// slow is Exports during whose first Fill the time of the step is over.
type slow struct {
	reads.Exports
	times int
	over  chan struct{}
}

func (s *slow) Fill(ctx context.Context, e fabric.Export, read func(func(uuid.UUID, string) error, func(string, []byte) error) error) error {
	if s.times--; s.times >= 0 {
		close(s.over)
		<-ctx.Done()
		return ctx.Err()
	}
	return s.Exports.Fill(ctx, e, read)
}

// aStep is the context of a step whose time is over once the channel is closed.
type aStep struct {
	context.Context
	over chan struct{}
}

func (s aStep) Done() <-chan struct{} { return s.over }

func (s aStep) Err() error {
	select {
	case <-s.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// An export that a step cannot store within its time, and one whose poll refuses the token, is continued by the next step; none of its
// items is read singly.
func TestExportOutlastsAStep(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	x := &slow{reads.Exports{Pool: pool}, 1, make(chan struct{})}
	b := newBulkWith(t, pool, x)
	var ids []uuid.UUID
	for _, m := range b.models {
		ids = append(ids, m.ID)
	}
	b.service.Script(emulator.Fault{Path: "bulkExportDefinitions", Answer: emulator.Error(401, "TokenExpired", "")})
	if err := b.Announce(t.Context(), b.as, b.models[0].WorkspaceID, ids); !domain.IsRefused(err, domain.TokenExpired) {
		t.Fatalf("an expired token: %v", err)
	}
	check(t, b.Announce(t.Context(), b.as, b.models[0].WorkspaceID, ids))
	come(t, pool)
	b.service.Script(emulator.Fault{Method: "GET", Path: "/v1/operations/", Answer: emulator.Error(401, "TokenExpired", "")})
	if _, err := b.Definition(t.Context(), b.as, b.models[0]); !domain.IsRefused(err, domain.TokenExpired) {
		t.Fatalf("a poll with an expired token: %v", err)
	}
	come(t, pool)
	_, err := b.Definition(aStep{t.Context(), x.over}, b.as, b.models[0])
	if _, pending := errors.AsType[*item.Pending](err); !pending || x.times != 0 {
		t.Fatalf("the step whose time is over: %v", err)
	}
	come(t, pool)
	for _, m := range b.models {
		if d, err := b.Definition(t.Context(), b.as, m); err != nil || len(d.Parts) == 0 {
			t.Errorf("%s: %v", m.DisplayName, err)
		}
	}
	if n, m := b.called("bulkExportDefinitions"), b.called("getDefinition"); n != 2 || m != 0 {
		t.Errorf("%d exports and %d single reads, want 2 (1 refused) and none", n, m)
	}
}

// blocked is a 429 of a minute.
func blocked(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "60")
	emulator.Error(http.StatusTooManyRequests, "RequestBlocked", "")(w, r)
}

// While the platform blocks calls, no export is begun and nothing is read singly; the first step after that begins it.
func TestExportWaitsForABlock(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	b := newBulk(t, pool)
	var ids []uuid.UUID
	for _, m := range b.models {
		ids = append(ids, m.ID)
	}
	b.service.Script(emulator.Fault{Path: "bulkExportDefinitions", Answer: blocked, Times: 2})
	for range 2 {
		err := b.Announce(t.Context(), b.as, b.models[0].WorkspaceID, ids)
		if pending, ok := errors.AsType[*item.Pending](err); !ok || pending.After != time.Minute {
			t.Fatalf("got %v, want to wait for a minute", err)
		}
	}
	check(t, b.Announce(t.Context(), b.as, b.models[0].WorkspaceID, ids))
	check(t, b.Announce(t.Context(), b.as, b.models[0].WorkspaceID, ids))
	if n, m := b.called("bulkExportDefinitions"), b.called("getDefinition"); n != 3 || m != 0 {
		t.Errorf("%d exports and %d single reads, want 3 (2 blocked) and none", n, m)
	}
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// bulk is an emulator over the samples with a client that exports.
type bulk struct {
	*fabric.Platform
	service *emulator.Service
	folder  *folder.Platform
	models  []item.Item
	as      item.Caller
}

func newBulk(t *testing.T, pool *pgxpool.Pool) *bulk {
	t.Helper()
	return newBulkWith(t, pool, reads.Exports{Pool: pool})
}

func newBulkWith(t *testing.T, pool *pgxpool.Pool, exports fabric.Exports) *bulk {
	t.Helper()
	b := &bulk{as: item.Caller{PersonID: "ada", Person: item.Person{Issuer: "i", ID: "ada"}, Token: "ada", Work: uuid.UUID{15: 1}}}
	var err error
	b.folder, err = folder.Open(samples.Workspaces(t), folder.Options{})
	check(t, err)
	b.service = emulator.New(emulator.Options{Folder: b.folder, Lasts: time.Nanosecond, Layout: emulator.Layout{Exact: true},
		Person: func(bearer string) (emulator.Person, error) {
			return emulator.Person{ID: bearer, Scopes: []string{"Workspace.Read.All", "Item.ReadWrite.All", "Report.Read.All"}}, nil
		}})
	server := httptest.NewTLSServer(b.service)
	t.Cleanup(server.Close)
	b.Platform, err = fabric.New(fabric.Options{URL: server.URL, PowerBIURL: server.URL, Transport: server.Client().Transport,
		Reads: reads.Store{Pool: pool}, Exports: exports,
		Wait:   func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Tokens: func(_ context.Context, as item.Caller, _ item.Permission) (string, error) { return as.Token, nil }})
	check(t, err)
	workspaces, err := b.folder.Workspaces(t.Context(), b.as)
	check(t, err)
	for _, w := range workspaces {
		all, err := b.folder.Items(t.Context(), b.as, w.ID, item.SemanticModel)
		check(t, err)
		if len(all) > len(b.models) {
			b.models = all
		}
	}
	if len(b.models) < 4 {
		t.Fatalf("the largest workspace has %d models", len(b.models))
	}
	return b
}

func (b *bulk) called(path string) (n int) {
	for _, c := range b.service.Calls() {
		if c.Method == "POST" && strings.Contains(c.Path, path) {
			n++
		}
	}
	return n
}
