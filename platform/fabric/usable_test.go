package fabric_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
)

// What cannot be worked on is refused at the look-up with the platform's reason, and nothing is sent to it. One person's
// label is asked about once.
func TestUsable(t *testing.T) {
	t.Parallel()
	labelled := func(code string) func(*emulator.Options) {
		return func(o *emulator.Options) {
			o.Unknown.Label = func(it item.Item) (string, string) { return "0d1c3a8a-0000-4000-8000-000000000001", code }
		}
	}
	off := domain.Refuse(domain.OperationNotSupportedForItem, "writes are off")
	for name, c := range map[string]struct {
		change     func(*emulator.Options)
		off        error
		kind       item.Type
		all        bool   // items of the workspace at once
		reads      string // what a call that only reads is refused with; "" if it is not
		writes     string
		code       domain.Code // by default OperationNotSupportedForItem
		readsOfDef int         // calls for definitions, of a read and a write
	}{
		"an ordinary model":            {kind: item.SemanticModel},
		"an ordinary report":           {kind: item.Report},
		"all reports":                  {kind: item.Report, all: true},
		"a caller who may not write":   {kind: item.SemanticModel, off: off, writes: "writes are off"},
		"reports of such a caller":     {kind: item.Report, all: true, off: off, writes: "writes are off"},
		"a label that is open":         {change: labelled(""), kind: item.SemanticModel, readsOfDef: 1},
		"a protected label":            {change: labelled("ItemHasProtectedLabel"), kind: item.SemanticModel, reads: "the platform says ItemHasProtectedLabel", writes: "ItemHasProtectedLabel", readsOfDef: 2},
		"an encrypted report":          {change: labelled("OperationNotSupportedForItem"), kind: item.Report, reads: "the platform says OperationNotSupportedForItem", writes: "OperationNotSupportedForItem", readsOfDef: 2},
		"many items with an open one":  {change: labelled(""), kind: item.Report, all: true, readsOfDef: 1},
		"many items with such a label": {change: labelled("ItemHasProtectedLabel"), kind: item.Report, all: true, reads: "the platform says ItemHasProtectedLabel", writes: "ItemHasProtectedLabel", readsOfDef: 2},
		"several, one of them encrypted": {change: func(o *emulator.Options) {
			o.Unknown.Label = func(it item.Item) (string, string) {
				if it.DisplayName == "Store Staffing" {
					return "0d1c3a8a-0000-4000-8000-000000000002", "OperationNotSupportedForItem"
				}
				return "0d1c3a8a-0000-4000-8000-000000000001", ""
			}
		}, kind: item.Report, all: true, reads: "the definition of Report bf17d32a", writes: "the platform says OperationNotSupportedForItem", readsOfDef: 3},
		"a label, to a viewer": {change: func(o *emulator.Options) {
			labelled("")(o)
			o.Role = func(string, uuid.UUID) emulator.Role { return emulator.Viewer }
		}, kind: item.SemanticModel, reads: "may not read the definition", writes: "may not read the definition", code: domain.PlatformAccessDenied, readsOfDef: 2},
		"the copy of a report in an app": {change: func(o *emulator.Options) { o.Unknown.InApp = func(item.Item) bool { return true } }, kind: item.Report, writes: "the copy of a report in an app"},
		"several, one of them a copy": {change: func(o *emulator.Options) {
			o.Unknown.InApp = func(it item.Item) bool { return it.DisplayName == "Store Staffing" }
		}, kind: item.Report, all: true, writes: "the copy of a report in an app"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.change)
			w.off = c.off
			items, err := w.Items(t.Context(), person("ada"), retail, c.kind)
			if err != nil || len(items) < 2 {
				t.Fatal(items, err)
			}
			if !c.all {
				items = items[:1]
			}
			for writes, says := range map[bool]string{false: c.reads, true: c.writes} {
				err := w.Usable(t.Context(), person("ada"), writes, items...)
				if says == "" && err != nil {
					t.Errorf("writes %t: got %v", writes, err)
				} else if says != "" {
					code := c.code
					if code == "" {
						code = domain.OperationNotSupportedForItem
					}
					refused(t, err, code, says)
				}
			}
			if n := w.called(http.MethodPost, "getDefinition"); n != c.readsOfDef {
				t.Errorf("%d definitions were asked for, want %d", n, c.readsOfDef)
			}
			if n := w.called(http.MethodPost, "updateDefinition"); n != 0 {
				t.Errorf("%d updates were sent", n)
			}
		})
	}
}

// A look-up for nothing asks nothing.
func TestNothingIsUsable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if err := w.Usable(t.Context(), person("ada"), true); err != nil || len(w.service.Calls()) != 0 {
		t.Errorf("got %v after %d calls", err, len(w.service.Calls()))
	}
}
