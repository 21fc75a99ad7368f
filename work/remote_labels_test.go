package work_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/pixies"
	"readiness/platform/fabric/emulator"
	"readiness/test/testworld"
)

// A run of Pixies over a report whose sensitivity label denies the person its definition is refused when it is looked up, alone or
// among others, with the platform's reason: nothing is accepted, and nothing is written.
func TestPixiesOfALabelledReport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code    string // with which the platform refuses the definition
		verb    pixies.Verb
		reports []uuid.UUID
		refused bool
	}{
		"alone":                   {"ItemHasProtectedLabel", pixies.Adds, []uuid.UUID{report2}, true},
		"among others":            {"ItemHasProtectedLabel", pixies.Adds, []uuid.UUID{report1, report2, ruined}, true},
		"encrypted, among others": {"OperationNotSupportedForItem", pixies.Adds, []uuid.UUID{report1, report2}, true},
		"a removal":               {"ItemHasProtectedLabel", pixies.Removes, []uuid.UUID{report1, report2}, true},
		"none of those":           {"ItemHasProtectedLabel", pixies.Adds, []uuid.UUID{report1, ruined}, false},
		"a label that is open":    {"", pixies.Adds, []uuid.UUID{report1, report2}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newReporting(t)
			r := overREST(t, b, emulator.Layout{Exact: true})
			b.Platform = r.client(t, nil)
			r.service.Set(func(o *emulator.Options) {
				o.Unknown.Label = func(it item.Item) (string, string) {
					return map[bool]string{true: "0d1c3a8a-0000-4000-8000-000000000001"}[it.ID == report2], c.code
				}
			})
			files, err := testworld.Files(b.Root)
			check(t, err)
			before := b.Left(t)
			if len(c.reports) == 1 {
				_, err = b.Pixies.Start(t.Context(), b.ana(), c.verb, workspace, c.reports[0])
			} else {
				_, err = b.Pixies.StartBulk(t.Context(), b.ana(), c.verb, workspace, c.reports)
			}
			if !c.refused {
				check(t, err)
				return
			}
			refusal, refused := domain.Refused(err)
			if !refused || refusal.Code != domain.OperationNotSupportedForItem || !strings.Contains(refusal.Message, "the platform says "+c.code) ||
				!strings.Contains(refusal.Message, report2.String()) {
				t.Fatalf("got %v, want the platform's reason for report %s", err, report2)
			}
			b.Unchanged(t, before)
			if after, err := testworld.Files(b.Root); err != nil || !cmp.Equal(files, after) {
				t.Errorf("files changed, %v: %s", err, cmp.Diff(files, after))
			}
			for _, call := range r.service.Calls() {
				if call.Method == http.MethodPost && !strings.HasSuffix(call.Path, report2.String()+"/getDefinition") {
					t.Errorf("called %s", call.Path)
				}
			}
		})
	}
}
