package probe_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/platform/fabric/emulator"
	"readiness/platform/fabric/probe"
)

// interrupting is a transport that ends a context when a call is made or answered.
type interrupting struct {
	http.RoundTripper
	at, calls int
	answered  bool
	end       context.CancelCauseFunc
}

func (i *interrupting) RoundTrip(r *http.Request) (*http.Response, error) {
	i.calls++
	if i.calls == i.at && !i.answered {
		i.end(errStopped)
	}
	answer, err := i.RoundTripper.RoundTrip(r)
	if i.calls == i.at && i.answered {
		i.end(errStopped)
	}
	return answer, err
}

var errStopped = errors.New("signal: interrupt")

// A probe that is interrupted at any of its calls deletes its items, and has no answers.
func TestAnInterruptedProbe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, emulator.Layout{}, emulator.Unknown{NoIQ: true}) // a session of Fabric IQ makes further calls
	for at, more := 1, true; more; at++ {
		for _, answered := range []bool{false, true} {
			ctx, cancel := context.WithCancelCause(t.Context())
			p := w.probe()
			i := &interrupting{RoundTripper: p.Fabric.Transport, at: at, answered: answered, end: cancel}
			p.Fabric.Transport = i
			_, complete, err := p.Run(ctx, ada)
			interrupted := ctx.Err() != nil
			cancel(nil)
			if more = i.calls >= at && strings.Count(w.report.String(), "passed:") == 0; !more {
				break
			}
			if complete || !interrupted || !errors.Is(err, errStopped) && !strings.Contains(err.Error(), "interrupt") {
				t.Fatalf("interrupted at call %d (after it: %t): complete %t, %v", at, answered, complete, err)
			}
			if made := w.service.Made(); len(made) != 0 {
				t.Fatalf("interrupted at call %d (after it: %t): %q are left", at, answered, made)
			}
			_ = w.wait(t.Context(), time.Minute)
		}
		if at == 1000 {
			t.Fatal("the probe does not end")
		}
		if !more && at < 40 {
			t.Errorf("a probe was interrupted at %d calls only", at)
		}
	}
}

// A probe that cannot ask has no answers, gives the reason, and leaves nothing; if it cannot delete, it names what is left.
func TestAProbeThatFails(t *testing.T) {
	t.Parallel()
	collection := "/semanticModels"
	for name, c := range map[string]struct {
		faults   []emulator.Fault
		change   func(*probe.Probe)
		says     string
		complete bool
		left     int
	}{
		"no such workspace":     {change: func(p *probe.Probe) { p.Workspace = uuid.New() }, says: "WorkspaceNotFound"},
		"no items are created":  {faults: []emulator.Fault{refuses("POST", collection, 403, "InsufficientPrivileges", 2)}, says: "(InsufficientPrivileges)"},
		"a creation that fails": {faults: []emulator.Fault{{Method: "POST", Path: collection, Times: 2, Operation: map[string]any{"errorCode": "CapacityNotActive"}}}, says: "(CapacityNotActive)"},
		"a creation whose answer is lost": {faults: []emulator.Fault{{Method: "POST", Path: collection, Lost: true}},
			says: "the connection ended early"},
		"a creation that never was": {faults: []emulator.Fault{{Method: "POST", Path: collection, Answer: emulator.Lost}},
			says: "if the workspace ever has an item named readiness-probe-"},
		"the platform ends":          {faults: []emulator.Fault{refuses("POST", "getDefinition", 500, "UnknownError", 9)}, says: "UnknownError"},
		"reports are not created":    {faults: []emulator.Fault{refuses("POST", "/reports", 400, "InvalidInput", 1)}, complete: true},
		"a deletion that fails once": {faults: []emulator.Fault{refuses("DELETE", "", 500, "UnknownError", 1)}, complete: true},
		"no deletion": {faults: []emulator.Fault{refuses("DELETE", "", 403, "InsufficientPrivileges", 99)}, complete: true, left: 2,
			says: "2 item(s) named readiness-probe-"},
		"nothing is listed afterwards": {faults: []emulator.Fault{{Method: "DELETE", Answer: emulator.Lost, Times: 99}}, complete: true, left: 2,
			says: "are left in the workspace; delete them"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, emulator.Layout{}, emulator.Unknown{})
			w.service.Script(c.faults...)
			p := w.probe()
			if c.change != nil {
				c.change(p)
			}
			answers, complete, err := p.Run(t.Context(), ada)
			if complete != c.complete || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got complete %t, %v; want %q", complete, err, c.says)
			}
			if !complete && answers.Passed {
				t.Error("it has passed")
			}
			if name == "reports are not created" && answers.Passed {
				t.Error("it has passed without a report")
			}
			if made := w.service.Made(); len(made) != c.left {
				t.Errorf("%q are left", made)
			}
		})
	}
}

func refuses(method, path string, status int, code string, times int) emulator.Fault {
	return emulator.Fault{Method: method, Path: path, Times: times, Answer: emulator.Error(status, code, "no")}
}
