package fabric_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
)

// withText returns a definition whose first table is described.
func withText(t *testing.T, d definition.Definition, text string) definition.Definition {
	t.Helper()
	changed, _, err := rewrite.Write(d, []rewrite.Change{{Target: rewrite.Target{Property: rewrite.Description, Table: "Sales"}, Value: text}})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func (w *world) read(t *testing.T, as item.Caller, it item.Item) definition.Definition {
	t.Helper()
	d, err := w.Definition(t.Context(), as, it)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sent checks that the platform took a write, and returns its operation.
func sent(t *testing.T, err error) string {
	t.Helper()
	s, ok := errors.AsType[*item.Sent](err)
	if !ok {
		t.Fatalf("got %v, want that the write was taken", err)
	}
	return s.Operation
}

func (w *world) retailSales(t *testing.T) item.Item {
	t.Helper()
	all, err := w.folder.Items(t.Context(), person("ada"), retail, item.SemanticModel)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range all {
		if it.DisplayName == "Retail Sales" {
			return it
		}
	}
	t.Fatal("no model Retail Sales")
	return item.Item{}
}

// A write is compared and sent with no call in between, holds every part, and is on the platform once its operation has ended.
func TestAWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*emulator.Options)
		named  bool // whether the platform names an operation
	}{
		"by an operation":       {nil, true},
		"at once":               {func(o *emulator.Options) { o.AtOnce = true }, false},
		"that is re-laid":       {func(o *emulator.Options) { o.Layout = emulator.Layout{} }, true},
		"that lasts":            {func(o *emulator.Options) { o.Lasts = 90 * time.Second }, true},
		"that is re-laid, CRLF": {func(o *emulator.Options) { o.Layout = emulator.Layout{CRLF: true, CompactJSON: true} }, true},
	} {
		w := newWritable(t, c.change)
		it, as := w.retailSales(t), person("ada")
		before := w.read(t, as, it)
		after := withText(t, before, "What was sold.")
		operation := sent(t, w.WriteDefinition(t.Context(), as, it, after, before.Hash()))
		if (operation != "") != c.named {
			t.Errorf("%s: the operation is %q", name, operation)
		}
		calls := w.service.Calls()
		last, previous := calls[len(calls)-1], calls[len(calls)-2]
		if !strings.HasSuffix(last.Path, "/updateDefinition") || !strings.HasSuffix(previous.Path, "/result") && !strings.HasSuffix(previous.Path, "/getDefinition") {
			t.Errorf("%s: the write was sent after %s %s", name, previous.Method, previous.Path)
		}
		if c.named {
			ended, err := w.FinishWrite(t.Context(), as, it, operation)
			if err != nil || !ended.Made || ended.Failure != nil {
				t.Errorf("%s: got %+v, %v", name, ended, err)
			}
		}
		values, err := rewrite.Values(w.read(t, as, it), []rewrite.Target{{Property: rewrite.Description, Table: "Sales"}})
		if err != nil || values[0].Text == nil || *values[0].Text != "What was sold." {
			t.Errorf("%s: the platform has %v, %v", name, values, err)
		}
		if got := w.read(t, as, it); len(got.Parts) != len(before.Parts) {
			t.Errorf("%s: the model has %d parts, want %d", name, len(got.Parts), len(before.Parts))
		}
	}
}

// A write that is refused sends nothing.
func TestARefusedWrite(t *testing.T) {
	t.Parallel()
	off := domain.Refuse(domain.OperationNotSupportedForItem, "writes are off")
	for name, c := range map[string]struct {
		options func(*emulator.Options)
		prepare func(*world)
		person  string
		change  func(definition.Definition) (d definition.Definition, ifHash string)
		code    domain.Code
		says    string
	}{
		"writes are off":    {nil, func(w *world) { w.off = off }, "ada", nil, domain.OperationNotSupportedForItem, "off"},
		"changed meanwhile": {nil, nil, "ada", func(d definition.Definition) (definition.Definition, string) { return d, "sha256:0" }, domain.ItemChanged, "changed since"},
		"no part":           {nil, nil, "ada", func(d definition.Definition) (definition.Definition, string) { return definition.New(), d.Hash() }, domain.InvalidRequest, "no parts"},
		"a path that leaves": {nil, nil, "ada", func(d definition.Definition) (definition.Definition, string) {
			return definition.New(definition.Part{Path: "../x"}), d.Hash()
		}, domain.ItemNotReadable, "leaves"},
		".platform": {nil, nil, "ada", func(d definition.Definition) (definition.Definition, string) {
			return definition.New(definition.Part{Path: ".platform"}), d.Hash()
		}, domain.InvalidRequest, ".platform"},
		"a viewer": {func(o *emulator.Options) {
			o.Role = func(string, uuid.UUID) emulator.Role { return emulator.Viewer }
		}, nil, "ada", func(d definition.Definition) (definition.Definition, string) { return d, d.Hash() },
			domain.PlatformAccessDenied, "may not read the definition"},
		"an expired token": {nil, nil, "expired", nil, domain.TokenExpired, "expired"},
		"the platform is away": {nil, func(w *world) {
			w.service.Script(emulator.Fault{Path: "getDefinition", Times: 3, Answer: emulator.Lost})
		}, "ada", nil, domain.PlatformUnavailable, "cannot be reached"},
	} {
		w := newWritable(t, c.options)
		it := w.retailSales(t)
		d, err := w.folder.Definition(t.Context(), person("ada"), it)
		if err != nil {
			t.Fatal(err)
		}
		if c.prepare != nil {
			c.prepare(w)
		}
		hash := d.Hash()
		if c.change != nil {
			d, hash = c.change(d)
		}
		refused(t, w.WriteDefinition(t.Context(), person(c.person), it, d, hash), c.code, c.says)
		if n := w.called(http.MethodPost, "updateDefinition"); n != 0 {
			t.Errorf("%s: %d updates were sent", name, n)
		}
	}
}

// What the platform answers to a write is what the caller gets; a write is never sent twice.
func TestAnswersToAWrite(t *testing.T) {
	t.Parallel()
	failed := map[string]any{"errorCode": "CorruptedPayload", "message": "The payload is corrupted", "moreDetails": []any{map[string]any{"errorCode": "X", "message": "line 3"}}}
	for name, c := range map[string]struct {
		fault   emulator.Fault
		code    domain.Code // of the call; "" if the write was taken
		says    string
		ends    domain.Code // of the operation
		written bool
	}{
		"taken":                   {written: true},
		"throttled":               {fault: emulator.Fault{Answer: emulator.Error(429, "RequestBlocked", "blocked")}, code: domain.PlatformUnavailable, says: "no further calls"},
		"failed":                  {fault: emulator.Fault{Answer: emulator.Error(500, "InternalServerError", "oops")}, code: domain.PlatformUnavailable, says: "InternalServerError"},
		"lost on the way":         {fault: emulator.Fault{Answer: emulator.Lost}, code: domain.PlatformUnavailable, says: "cannot be reached"},
		"made, the answer lost":   {fault: emulator.Fault{Lost: true}, code: domain.PlatformUnavailable, says: "cannot be reached", written: true},
		"a protected label":       {fault: emulator.Fault{Answer: emulator.Error(400, "ItemHasProtectedLabel", "it is labelled")}, code: domain.ItemNotReadable, says: "cannot be written: the platform says ItemHasProtectedLabel"},
		"not privileged":          {fault: emulator.Fault{Answer: emulator.Error(403, "InsufficientPrivileges", "no")}, code: domain.PlatformAccessDenied, says: "may not write"},
		"a paused capacity":       {fault: emulator.Fault{Answer: emulator.Error(404, "CapacityNotActive", "no")}, code: domain.CapacityPaused},
		"an operation that fails": {fault: emulator.Fault{Operation: failed}, ends: domain.ItemNotReadable, says: `"line 3"`},
	} {
		w := newWritable(t, nil)
		it, as := w.retailSales(t), person("ada")
		before := w.read(t, as, it)
		c.fault.Path = "updateDefinition"
		if name != "taken" {
			w.service.Script(c.fault)
		}
		err := w.WriteDefinition(t.Context(), as, it, withText(t, before, "Sold."), before.Hash())
		if c.code != "" {
			refused(t, err, c.code, c.says)
		} else {
			ended, err := w.FinishWrite(t.Context(), as, it, sent(t, err))
			if err != nil || ended.Made != (c.ends == "") {
				t.Errorf("%s: got %+v, %v", name, ended, err)
			}
			if c.ends != "" {
				refused(t, ended.Failure, c.ends, c.says)
			}
		}
		if n := w.called(http.MethodPost, "updateDefinition"); n > 1 {
			t.Errorf("%s: it was sent %d times", name, n)
		}
		_ = w.clock.Wait(t.Context(), time.Minute)
		if written := w.read(t, as, it).Hash() != before.Hash(); written != c.written {
			t.Errorf("%s: written: %v", name, written)
		}
	}
}

// An operation that the platform has forgotten is neither made nor failed, and another person's is none of the caller's.
func TestAForgottenWrite(t *testing.T) {
	t.Parallel()
	w := newWritable(t, nil)
	ended, err := w.FinishWrite(t.Context(), person("ada"), w.retailSales(t), uuid.NewString())
	if err != nil || ended.Made || ended.Failure != nil {
		t.Errorf("got %+v, %v", ended, err)
	}
	if _, err := w.FinishWrite(t.Context(), person("ada"), w.retailSales(t), "../x"); err == nil || w.called(http.MethodGet, "x") != 0 {
		t.Errorf("of an operation that is none, got %v", err)
	}
}

// In a step of work, neither the reading again nor the write keeps the step waiting beyond its time; the next attempt goes
// on with both.
func TestALongWrite(t *testing.T) {
	t.Parallel()
	w := newWritable(t, nil)
	it, as := w.retailSales(t), person("ada")
	before := w.read(t, as, it)
	as.Work = uuid.New()
	w.service.Set(func(o *emulator.Options) { o.Lasts = 100 * time.Second })
	after := withText(t, before, "Sold.")
	short, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	defer cancel()
	if _, pending := errors.AsType[*item.Pending](w.WriteDefinition(short, as, it, after, before.Hash())); !pending {
		t.Fatal("the step waits longer than it can")
	}
	if n := w.called(http.MethodPost, "getDefinition"); n != 2 {
		t.Fatalf("the definition was read %d times", n)
	}
	_ = w.clock.Wait(t.Context(), 2*time.Minute)
	operation := sent(t, w.WriteDefinition(short, as, it, after, before.Hash()))
	if n := w.called(http.MethodPost, "getDefinition"); n != 2 {
		t.Errorf("the definition was read %d times; the read that had begun was not continued", n)
	}
	_, err := w.FinishWrite(short, as, it, operation)
	if _, pending := errors.AsType[*item.Pending](err); !pending {
		t.Fatalf("got %v, want that it is pending", err)
	}
	_ = w.clock.Wait(t.Context(), 2*time.Minute)
	if ended, err := w.FinishWrite(short, as, it, operation); err != nil || !ended.Made {
		t.Errorf("got %+v, %v", ended, err)
	}
	if len(w.shared.reads) != 0 {
		t.Errorf("%v are still remembered", w.shared.reads)
	}
}

// What a step has read before a write is not given after it, whatever the outcome of the write and of the process that sent it. A write
// that waits for its comparison changes nothing, so the look before it is not repeated.
func TestWhatWasReadBeforeAWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault   emulator.Fault
		theirs  bool
		short   bool // for the comparison
		reads   int
		written bool
	}{
		"taken":              {reads: 3, written: true},
		"the answer is lost": {fault: emulator.Fault{Path: "updateDefinition", Lost: true}, reads: 3, written: true},
		"it is lost":         {fault: emulator.Fault{Path: "updateDefinition", Answer: emulator.Lost}, reads: 3},
		"refused":            {fault: emulator.Fault{Path: "updateDefinition", Answer: emulator.Error(400, "CorruptedPayload", "")}, reads: 3},
		"changed by others":  {theirs: true, reads: 3, written: true},
		"it waits":           {short: true, reads: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWritable(t, func(o *emulator.Options) { o.Lasts = time.Second })
			it, as := w.retailSales(t), person("ada")
			as.Work = uuid.New()
			before := w.read(t, as, it)
			after, ctx := withText(t, before, "Sold."), t.Context()
			if c.fault.Path != "" {
				w.service.Script(c.fault)
			}
			if c.theirs {
				check(t, w.folder.WriteDefinition(t.Context(), as, it, after, before.Hash()))
			}
			if c.short {
				w.service.Set(func(o *emulator.Options) { o.Lasts = 100 * time.Second })
				short, cancel := context.WithTimeout(ctx, 11*time.Second)
				defer cancel()
				ctx = short
			}
			err := w.WriteDefinition(ctx, as, it, after, before.Hash())
			if s, ok := errors.AsType[*item.Sent](err); ok {
				_, err = w.FinishWrite(t.Context(), as, it, s.Operation)
				check(t, err)
			} else if err == nil {
				t.Fatal("the write is reported as made")
			}
			_ = w.clock.Wait(t.Context(), time.Minute)
			w.service.Set(func(o *emulator.Options) { o.Lasts = time.Second })
			same(t, "the next look", map[bool]string{true: after.Hash(), false: before.Hash()}[c.written], w.read(t, as, it).Hash(), nil, nil)
			if n := w.called(http.MethodPost, "getDefinition"); n != c.reads {
				t.Errorf("%d reads were begun, want %d", n, c.reads)
			}
		})
	}
}

// What another person changes between the comparison and the sending is overwritten, as docs/fabric.md says; what they change
// after it stays.
func TestTheWindowOfAWrite(t *testing.T) {
	t.Parallel()
	w := newWritable(t, nil)
	it, as := w.retailSales(t), person("ada")
	before := w.read(t, as, it)
	theirs := func() {
		now, err := w.folder.Definition(t.Context(), as, it)
		if err == nil {
			err = w.folder.WriteDefinition(t.Context(), as, it, withText(t, now, "Theirs."), now.Hash())
		}
		if err != nil {
			t.Error(err)
		}
	}
	w.service.Script(emulator.Fault{Path: "updateDefinition", Before: theirs})
	operation := sent(t, w.WriteDefinition(t.Context(), as, it, withText(t, before, "Ours."), before.Hash()))
	if _, err := w.FinishWrite(t.Context(), as, it, operation); err != nil {
		t.Fatal(err)
	}
	text := func() string {
		values, err := rewrite.Values(w.read(t, as, it), []rewrite.Target{{Property: rewrite.Description, Table: "Sales"}})
		if err != nil {
			t.Fatal(err)
		}
		return *values[0].Text
	}
	if text() != "Ours." {
		t.Errorf("the platform has %q", text())
	}
	theirs()
	if text() != "Theirs." {
		t.Errorf("the platform has %q", text())
	}
}
