package fabric_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
)

// A read that lasts longer than the first look is pending; any process continues it, and it is begun once. What it gave is given
// to any process again, until the step releases it or half an hour is over.
func TestPendingRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *emulator.Options) { o.Lasts = 30 * time.Second })
	m, as := w.model(t), person("ada")
	as.Work = uuid.UUID{15: 1}
	want, err := w.folder.Definition(t.Context(), as, m)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err = w.client(t, w.server.URL).Definition(t.Context(), as, m)
		pending, ok := errors.AsType[*item.Pending](err)
		if !ok || pending.After != 20*time.Second || len(w.shared.reads) != 1 {
			t.Fatalf("got %v with %d reads kept, want a pending read", err, len(w.shared.reads))
		}
	}
	_ = w.clock.Wait(t.Context(), 30*time.Second)
	reads := func(what string, begun int) {
		t.Helper()
		got, err := w.client(t, w.server.URL).Definition(t.Context(), as, m)
		same(t, what, want.Hash(), got.Hash(), nil, err)
		if n := w.called("POST", "getDefinition"); n != begun || len(w.shared.reads) != 1 {
			t.Errorf("%s: %d reads were begun and %d are kept, want %d and 1", what, n, len(w.shared.reads), begun)
		}
	}
	reads("when it has ended", 1)
	_ = w.clock.Wait(t.Context(), 29*time.Minute)
	reads("before half an hour is over", 1)
	w.service.Set(func(o *emulator.Options) { o.Lasts = time.Second })
	_ = w.clock.Wait(t.Context(), time.Minute)
	reads("after half an hour", 2)
	other := m
	other.ID = uuid.UUID{15: 7}
	for _, it := range []item.Item{other, m} {
		if err := w.Release(t.Context(), as, it); err != nil {
			t.Fatal(err)
		}
		reads("when an item was released", map[item.Item]int{other: 2, m: 3}[it])
	}
}

// A read that the platform no longer knows, or that failed, is begun again by the next call.
func TestReadThatEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *emulator.Options) { o.Lasts = time.Second })
	m, as := w.model(t), person("ada")
	as.Work = uuid.UUID{15: 1}
	failed := map[string]any{"errorCode": "UnknownError", "message": "An error occurred",
		"moreDetails": []any{map[string]any{"errorCode": "ItemHasProtectedLabel", "message": "The item is encrypted"}}}
	for _, c := range []struct {
		failed map[string]any
		code   domain.Code
		words  string
	}{
		{map[string]any{}, domain.PlatformUnavailable, "without saying why"},
		{map[string]any{"errorCode": "UnknownError", "message": "x"}, domain.PlatformUnavailable, `failed (UnknownError): "x"`},
	} {
		w.service.Script(emulator.Fault{Path: "getDefinition", Operation: c.failed})
		_, err := w.Definition(t.Context(), as, m)
		if refused(t, err, c.code, c.words); len(w.shared.reads) != 0 {
			t.Fatalf("the read that failed with %v is kept", c.failed)
		}
	}
	w.service.Script(emulator.Fault{Path: "/result", Answer: emulator.Error(400, "OperationHasNoResult", "none")})
	_, err := w.Definition(t.Context(), as, m)
	if refused(t, err, domain.PlatformUnavailable, "OperationHasNoResult"); len(w.shared.reads) != 0 {
		t.Fatal("the read without a result is kept")
	}
	w.service.Script(emulator.Fault{Path: "getDefinition", Operation: failed})
	_, err = w.Definition(t.Context(), as, m)
	refused(t, err, domain.ItemNotReadable, `the platform says ItemHasProtectedLabel: "The item is encrypted"`)
	if len(w.shared.reads) != 0 {
		t.Error("the failed read is kept")
	}
	w.service.Set(func(o *emulator.Options) { o.Lasts = time.Hour })
	if _, err := w.Definition(t.Context(), as, m); len(w.shared.reads) != 1 {
		t.Fatalf("got %v, want a pending read", err)
	}
	for r := range w.shared.reads {
		w.shared.reads[r] = uuid.NewString() // the platform forgot it
	}
	w.service.Set(func(o *emulator.Options) { o.Lasts = time.Second })
	if _, err := w.Definition(t.Context(), as, m); err != nil || len(w.shared.reads) != 1 {
		t.Errorf("got %v with %d reads kept, want a new read", err, len(w.shared.reads))
	}
	if n := w.called("POST", "getDefinition"); n != 6 {
		t.Errorf("%d reads were begun, want 6", n)
	}
}

// A look-up that starts no work waits for the read as long as its time allows.
func TestLookUpWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *emulator.Options) { o.Lasts = 90 * time.Second })
	if _, err := w.Definition(t.Context(), person("ada"), w.model(t)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 11*time.Second)
	defer cancel()
	_, err := w.Definition(ctx, person("ada"), w.model(t))
	refused(t, err, domain.PlatformUnavailable, "still reading the definition of SemanticModel")

	w.service.Set(func(o *emulator.Options) { o.Lasts = 24 * time.Hour })
	_, err = w.Definition(t.Context(), person("ada"), w.model(t)) // the caller sets no time limit
	refused(t, err, domain.PlatformUnavailable, "still reading")
}

// A read that never ends is given up after half an hour: the work asks for it and does not begin it again. One that ended
// too late to count is read from the start.
func TestEndlessRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *emulator.Options) { o.Lasts = 24 * time.Hour })
	m, as := w.model(t), person("ada")
	as.Work = uuid.UUID{15: 1}
	for range 3 {
		_, err := w.Definition(t.Context(), as, m)
		if _, pending := errors.AsType[*item.Pending](err); !pending {
			t.Fatalf("got %v, want a pending read", err)
		}
	}
	_ = w.clock.Wait(t.Context(), 31*time.Minute)
	_, err := w.Definition(t.Context(), as, m)
	refused(t, err, domain.PlatformUnavailable, "did not finish")
	_, err = w.Definition(t.Context(), as, m)
	refused(t, err, domain.PlatformUnavailable, "did not finish")
	if n := w.called("POST", "getDefinition"); n != 1 {
		t.Errorf("%d reads were begun, want 1", n)
	}
	_ = w.clock.Wait(t.Context(), 24*time.Hour)
	w.service.Set(func(o *emulator.Options) { o.Lasts = time.Second })
	if _, err = w.Definition(t.Context(), as, m); err != nil {
		t.Fatal(err)
	}
	if n := w.called("POST", "getDefinition"); n != 2 {
		t.Errorf("%d reads were begun, want 2", n)
	}
}
