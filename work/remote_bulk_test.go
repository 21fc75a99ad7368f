package work_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/platform/fabric/emulator"
	"readiness/work"
)

// A bulk assessment over REST gives the reason for each model that the platform refuses to the person, and assesses the others, whether
// one export reads them or each is read alone.
func TestBulkReadsSayWhy(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"by export":             {Path: "nothing"},
		"the export is refused": {Path: "bulkExportDefinitions", Answer: emulator.Error(400, "ItemsHaveProtectedLabels", "labelled")},
		"the export fails":      {Path: "bulkExportDefinitions", Operation: map[string]any{"errorCode": "ItemsHaveProtectedLabels"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			r := overREST(t, b, emulator.Layout{Exact: true})
			want := map[uuid.UUID]struct {
				outcome assessment.Outcome
				code    domain.Code
				says    string
			}{
				good:   {assessment.Assessed, "", ""},
				broken: {assessment.Failed, domain.ItemNotReadable, "the definition cannot be read"},
				gone:   {assessment.NotAssessed, domain.ItemNotFound, "is not in workspace"},
			}
			labels := map[uuid.UUID]string{}
			for i, code := range []string{"", "ItemHasProtectedLabel", "OperationNotSupportedForItem"} {
				id := uuid.UUID{0: 0xee, 15: byte(i)}
				dir := fmt.Sprintf("Labelled %d.SemanticModel", i)
				b.Item(t, "Retail", dir, fmt.Sprintf("Labelled %d", i), id)
				b.Write(t, "table T\n\n\tcolumn Amount\n\t\tdataType: double\n", "Retail", dir, "definition", "tables", "T.tmdl")
				labels[id], want[id] = code, want[good]
				if w := want[id]; code != "" {
					w.outcome, w.code, w.says = assessment.Failed, domain.ItemNotReadable, "the platform says "+code
					want[id] = w
				}
			}
			r.service.Set(func(o *emulator.Options) {
				o.Unknown.Label = func(it item.Item) (string, string) {
					code, labelled := labels[it.ID]
					return map[bool]string{true: "0d1c3a8a-0000-4000-8000-000000000001"}[labelled], code
				}
			})
			r.service.Script(fault)
			var models []uuid.UUID
			for id := range want {
				models = append(models, id)
			}
			id := b.start(t, models...)
			b.Remove(t, "Retail", gone.String()+".SemanticModel")
			for _, s := range b.steps {
				r.attempts(t, func() error {
					err := work.Carry(t.Context(), b.Work, s, 0)
					if pending, ok := errors.AsType[*item.Pending](err); ok && pending.After > time.Minute {
						t.Errorf("the step waits for %s", pending.After)
					}
					_, aged := r.Pool.Exec(t.Context(), `UPDATE exports SET next = clock_timestamp()`)
					check(t, aged)
					return err
				})
			}
			if op := b.operation(t, id); op.Status != operation.StatusSucceeded {
				t.Errorf("the run is %s: %+v", op.Status, op.Failure)
			}
			run, err := b.Views.Run(t.Context(), id)
			check(t, err)
			for model, want := range want {
				got, ok := run.Result(model)
				if !ok || got.Outcome != want.outcome || (got.Error == nil) != (want.code == "") ||
					got.Error != nil && (got.Error.Code != want.code || !strings.Contains(got.Error.Message, want.says)) {
					t.Errorf("%s ended as %+v, %+v; want %v", model, got, got.Error, want)
				}
			}
			singly := r.begun()
			if n := singly[good.String()]; (n == 0) != (name == "by export") {
				t.Errorf("the first model was read singly %d times", n)
			}
			if n := r.Count(t, `SELECT (SELECT count(*) FROM exported_parts) + (SELECT count(*) FROM pending_reads)`); n != 0 {
				t.Errorf("%d parts and reads are left", n)
			}
		})
	}
}
