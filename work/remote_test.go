package work_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/platform/reads"
	"readiness/work"
)

// remote is a bench whose platform is Fabric's REST interface over the same folder.
type remote struct {
	*bench
	service *emulator.Service
	server  *httptest.Server
	local   *folder.Platform
}

func newRemote(t *testing.T, layout emulator.Layout) *remote {
	t.Helper()
	b := newOptimizing(t)
	write(t, strings.Replace(b.file("x"), "definition/x", "definition.pbism", 1), `{"version":"4.0"}`)
	return overREST(t, b, layout)
}

// overREST makes the bench work over REST.
func overREST(t *testing.T, b *bench, layout emulator.Layout) *remote {
	t.Helper()
	local, err := folder.Open(b.Root, folder.Options{})
	check(t, err)
	var scopes []string
	for _, all := range fabric.Scopes {
		for _, s := range all {
			scopes = append(scopes, s[strings.LastIndexByte(s, '/')+1:])
		}
	}
	r := &remote{bench: b, local: local}
	r.service = emulator.New(emulator.Options{Folder: local, Lasts: time.Nanosecond, Layout: layout,
		Person: func(string) (emulator.Person, error) { return emulator.Person{ID: "ana", Scopes: scopes}, nil }})
	r.server = httptest.NewTLSServer(r.service)
	t.Cleanup(r.server.Close)
	r.Work.Platform = r.client(t, nil)
	return r
}

// client returns a platform over REST whose calls strike cuts off, if it is not nil.
func (r *remote) client(t *testing.T, strike *strike) *fabric.Platform {
	t.Helper()
	o := fabric.Options{URL: r.server.URL, PowerBIURL: r.server.URL, Transport: r.server.Client().Transport, ShowsCopilot: true,
		Reads: reads.Store{Pool: r.Pool}, Exports: reads.Exports{Pool: r.Pool}, Writing: func(context.Context, item.Caller) error { return nil },
		Wait: func(ctx context.Context, d time.Duration) error {
			r.Clock.Advance(d)
			return ctx.Err()
		},
		Tokens: func(context.Context, item.Caller, item.Permission) (string, error) { return "ana", nil }}
	if strike != nil {
		strike.RoundTripper = o.Transport
		o.Transport = strike
	}
	p, err := fabric.New(o)
	check(t, err)
	return p
}

func (r *remote) model(t *testing.T) definition.Definition {
	t.Helper()
	d, err := r.Work.Platform.Definition(t.Context(), r.ana().Caller, item.Item{ID: good, Type: item.SemanticModel, WorkspaceID: workspace})
	check(t, err)
	return d
}

// strike ends a process at one of its calls of the platform: before the call is sent, or after the platform has done
// what it asks for. Nothing that the process does later arrives.
type strike struct {
	http.RoundTripper
	at    int
	after bool

	mu    sync.Mutex
	calls int
}

func (s *strike) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.calls++
	n := s.calls
	s.mu.Unlock()
	if n < s.at {
		return s.RoundTripper.RoundTrip(r)
	}
	if n == s.at && s.after {
		if answer, err := s.RoundTripper.RoundTrip(r); err == nil {
			_ = answer.Body.Close()
		}
	}
	return nil, errStruck
}

func (s *strike) struck() bool { return s.calls >= s.at }

// A process that ends before or after any of its calls of the platform leaves the model as before or as written; the
// next attempt ends with it written, once, and the record says so. A revert, cut off likewise, restores the definition
// that was read before the apply.
//
// proves: 4.5/apply/4 4.5/apply/9 4.5/revert/1
func TestARemoteWriteThatWasCutOff(t *testing.T) {
	t.Parallel()
	points := 0
	for at, more := 1, true; more; at++ {
		more = false
		for _, after := range []bool{false, true} {
			r := newRemote(t, emulator.Layout{CRLF: at%2 == 0, CompactJSON: after})
			before := r.model(t)
			p := r.preview(t, optimization.Descriptions)
			cut := func(start func() uuid.UUID) uuid.UUID {
				id := start()
				step := r.optimize[0]
				o := r.Work
				s := &strike{at: at, after: after}
				o.Platform = r.client(t, s)
				err := work.CarryOptimize(t.Context(), o, step, 0)
				if !s.struck() {
					return id
				}
				points, more = points+1, true
				if err == nil {
					t.Fatalf("struck at call %d, and the step says it is done", at)
				}
				return id
			}
			id := cut(func() uuid.UUID { return r.apply(t, p) })
			if s := r.read(t, id); s != operation.StatusSucceeded {
				t.Fatalf("cut off at call %d (after it: %v): the apply is %s: %+v", at, after, s, r.operation(t, id).Failure)
			}
			r.asWritten(t, r.work(t, id), len(p.Changes))
			undo := cut(func() uuid.UUID { return r.revert(t, id) })
			if s := r.read(t, undo); s != operation.StatusSucceeded {
				t.Fatalf("cut off at call %d (after it: %v): the revert is %s: %+v", at, after, s, r.operation(t, undo).Failure)
			}
			if got := r.model(t); got.Hash() != before.Hash() {
				t.Errorf("cut off at call %d (after it: %v): the revert gives another definition back", at, after)
			}
			if w := r.work(t, id); w.Standing() != optimization.Reverted {
				t.Errorf("the apply is %s", w.Standing())
			}
			if n := r.used(t, account.OptimizationApplies, account.Day); n != 2 {
				t.Errorf("%d applies are spent, want 2", n)
			}
		}
	}
	if points < 20 {
		t.Errorf("a write was cut off at %d points only", points)
	}
	t.Logf("%d points", points)
}

// asWritten checks that the model has the values in the record of an apply.
func (r *remote) asWritten(t *testing.T, w optimization.Work, want int) {
	t.Helper()
	applied := w.Applied()
	if len(applied) != want {
		t.Errorf("the log says that %d of %d objects were written", len(applied), want)
	}
	d := r.model(t)
	for _, o := range applied {
		values, err := rewrite.Values(d, []rewrite.Target{o.Target()})
		check(t, err)
		if !rewrite.Same(o.Property, values[0].Text, o.Written) {
			t.Errorf("%s is %v, and the record says %v", o.Key, values[0].Text, *o.Written)
		}
	}
}

// The outcome depends on what the platform does with an accepted write, not on the acceptance.
//
// proves: 3.1/item-changed
func TestOutcomesOfARemoteWrite(t *testing.T) {
	t.Parallel()
	failed := map[string]any{"errorCode": "CorruptedPayload", "message": "The payload is corrupted"}
	for name, c := range map[string]struct {
		layout  emulator.Layout
		fault   emulator.Fault
		theirs  bool // another person writes a description after the write was sent
		code    domain.Code
		says    string
		updates int
		written bool
	}{
		"kept":                 {updates: 1, written: true},
		"at once":              {fault: emulator.Fault{Path: "nothing"}, updates: 1, written: true},
		"not kept":             {layout: emulator.Layout{Forgetful: true}, code: domain.OptimizationFailed, says: "did not keep", updates: 1},
		"failed":               {fault: emulator.Fault{Path: "updateDefinition", Operation: failed}, code: domain.ItemNotReadable, says: "CorruptedPayload", updates: 1},
		"refused":              {fault: emulator.Fault{Path: "updateDefinition", Answer: emulator.Error(400, "ItemHasProtectedLabel", "labelled")}, code: domain.ItemNotReadable, says: "cannot be written", updates: 1},
		"changed by others":    {theirs: true, code: domain.ItemChanged, says: `it is now "Theirs."`, updates: 1, written: true},
		"forgotten, but there": {fault: emulator.Fault{Method: http.MethodGet, Path: "operations", Answer: nil}, updates: 1, written: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRemote(t, c.layout)
			r.service.Set(func(o *emulator.Options) { o.AtOnce = name == "at once" })
			before := r.model(t)
			p := r.preview(t, optimization.Descriptions)
			switch {
			case name == "forgotten, but there":
				r.Work.Platform = forgetful{r.Work.Platform}
			case c.theirs:
				r.Work.Platform = &others{r.Work.Platform, func() { r.describes(t, "Theirs.") }}

			case c.fault.Path != "":
				r.service.Script(c.fault)
			}
			id := r.apply(t, p)
			want := operation.StatusSucceeded
			if c.code != "" {
				want = operation.StatusFailed
			}
			if s := r.read(t, id); s != want {
				t.Fatalf("the apply is %s: %+v", s, r.operation(t, id).Failure)
			}
			if f := r.operation(t, id).Failure; c.code != "" && (f.Code != c.code || !strings.Contains(f.Message, c.says)) {
				t.Errorf("it failed with %+v, want %s with %q", f, c.code, c.says)
			}
			if n := r.updates(); n != c.updates {
				t.Errorf("%d updates were sent, want %d", n, c.updates)
			}
			if written := !cmp.Equal(before.Parts, r.model(t).Parts); written != c.written {
				t.Errorf("written: %v", written)
			}
			if landed := len(r.work(t, id).Applied()); (landed > 0) != (c.code == "") {
				t.Errorf("the log says that %d objects were written", landed)
			}
		})
	}
}

func (r *remote) updates() (n int) {
	for _, c := range r.service.Calls() {
		if strings.HasSuffix(c.Path, "/updateDefinition") {
			n++
		}
	}
	return n
}

// describes gives the measure Revenue a description, as another person would.
func (r *remote) describes(t *testing.T, text string) {
	t.Helper()
	as, it := r.ana().Caller, item.Item{ID: good, Type: item.SemanticModel, WorkspaceID: workspace}
	now, err := r.local.Definition(t.Context(), as, it)
	check(t, err)
	d, _, err := rewrite.Write(now, []rewrite.Change{{Target: rewrite.Target{Property: rewrite.Description, Table: "Sales", Name: "Revenue"}, Value: text}})
	check(t, err)
	check(t, r.local.WriteDefinition(t.Context(), as, it, d, now.Hash()))
}

// forgetful is a platform that no longer knows the operations of its writes.
type forgetful struct{ work.Platform }

func (f forgetful) FinishWrite(ctx context.Context, as item.Caller, it item.Item, _ string) (item.Ending, error) {
	return f.Platform.FinishWrite(ctx, as, it, uuid.NewString())
}

// others is a platform on which another person does something once a write has ended.
type others struct {
	work.Platform
	do func()
}

func (o *others) FinishWrite(ctx context.Context, as item.Caller, it item.Item, id string) (item.Ending, error) {
	ended, err := o.Platform.FinishWrite(ctx, as, it, id)
	o.do()
	return ended, err
}

// A write that the platform is slow to make frees its worker, and the next attempt continues it.
func TestASlowRemoteWrite(t *testing.T) {
	t.Parallel()
	r := newRemote(t, emulator.Layout{})
	p := r.preview(t, optimization.Descriptions)
	id := r.apply(t, p)
	step := r.optimize[0]
	r.optimize = nil
	r.service.Set(func(o *emulator.Options) { o.Now = func() time.Time { return r.Now() }; o.Lasts = 30 * time.Second })
	for attempt := 1; ; attempt++ {
		err := work.CarryOptimize(t.Context(), r.Work, step, 0)
		if err == nil {
			break
		}
		if _, pending := errors.AsType[*item.Pending](err); !pending || attempt == 10 {
			t.Fatalf("attempt %d: got %v, want that it is pending", attempt, err)
		}
		r.Clock.Advance(20 * time.Second)
	}
	if s := r.operation(t, id); s.Status != operation.StatusSucceeded || r.updates() != 1 {
		t.Errorf("the apply is %s after %d updates: %+v", s.Status, r.updates(), s.Failure)
	}
	r.asWritten(t, r.work(t, id), len(p.Changes))
	if n := r.Count(t, `SELECT count(*) FROM pending_reads`); n != 0 {
		t.Errorf("%d reads are remembered", n)
	}
}
