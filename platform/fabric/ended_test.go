package fabric_test

import (
	"net/http"
	"testing"
	"time"

	"readiness/domain"
	"readiness/platform/fabric/emulator"
)

// A call that got its token before the end of the caller's is not sent after it: neither again after a failure or a block, nor
// the update for which the definition was read again.
func TestACallAfterTheTokensEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		during string // part of the path of the call during which the token ends
		answer func(*world) http.HandlerFunc
	}{
		"a failure": {"/workspaces", func(*world) http.HandlerFunc { return emulator.Error(503, "InternalServerError", "oops") }},
		"no answer": {"/workspaces", func(*world) http.HandlerFunc { return emulator.Lost }},
		"a block":   {"/workspaces", func(w *world) http.HandlerFunc { return w.service.Throttled(5 * time.Second) }},
		"a write":   {"/getDefinition", nil},
	} {
		w := newWritable(t, func(o *emulator.Options) { o.AtOnce = true })
		it := w.retailSales(t)
		d := w.read(t, person("ada"), it)
		before := len(w.service.Calls())
		ends := func() { w.over = domain.Refuse(domain.TokenExpired, "over") }
		fault := emulator.Fault{Path: c.during, Before: ends}
		if c.answer != nil {
			answer := c.answer(w)
			fault = emulator.Fault{Path: c.during, Answer: func(out http.ResponseWriter, r *http.Request) { ends(); answer(out, r) }}
		}
		w.service.Script(fault)
		var err error
		if c.answer == nil {
			err = w.WriteDefinition(t.Context(), person("ada"), it, withText(t, d, "Another text."), d.Hash())
		} else {
			_, err = w.Workspaces(t.Context(), person("ada"))
		}
		refused(t, err, domain.TokenExpired, "over")
		if calls := w.service.Calls()[before:]; len(calls) != 1 {
			t.Errorf("%s: called %+v, want one call", name, calls)
		}
	}
}
