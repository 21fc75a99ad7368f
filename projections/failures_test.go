package projections_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/pgtest"
)

// A model whose newest assessment failed is a failure of its account, with its names and reason, until one is stored; a rebuild makes the
// same rows.
func TestFailures(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	codec, err := eventstore.NewCodec(commands.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	o := observer{engine: projections.NewEngine(pool, projections.Operations, projections.Assessments, projections.Failures, projections.Writes)}
	o.log = eventstore.New(pool, codec, eventstore.Options{Inline: o.engine.Inline})
	o.views = &projections.Views{Pool: pool, Store: o.log}
	if err := o.engine.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	workspace, sales, stock := uuid.New(), uuid.New(), uuid.New()
	accept := func(account string) uuid.UUID {
		id := uuid.New()
		decideOn(t, o, account, eventstore.Tail(operation.Stream(id)), domain.Command[struct{}](command{assessment.RunAccepted{
			WorkspaceID: workspace, WorkspaceName: "Retail", Models: []assessment.Model{{ModelID: sales, ModelName: "Sales"}, {ModelID: stock, ModelName: "Stock"}},
		}}))
		return id
	}
	end := func(account string, id, model uuid.UUID, why string, of domain.Event) {
		result := assessment.Result{ModelID: model, Outcome: assessment.Assessed}
		if why != "" {
			result = assessment.Result{ModelID: model, Outcome: assessment.Failed, Error: &operation.Failure{Code: domain.ItemNotReadable, Message: why}}
		}
		decideOn(t, o, account, eventstore.Tail(operation.Stream(id)), domain.Command[struct{}](command{assessment.ModelEnded{Result: result}}))
		decideOn(t, o, account, eventstore.Tail(assessment.Stream(account, model)), domain.Command[struct{}](command{of}))
	}
	reasons := func(account, text string, workspaces ...uuid.UUID) map[string]string {
		t.Helper()
		all, err := o.views.Failures(t.Context(), account, workspaces, text)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, f := range all {
			out[f.WorkspaceName+"/"+f.ModelName] = f.Failure.Message
			one, err := o.views.Latest(t.Context(), account, workspace, f.ModelID)
			if err != nil || one.Failure == nil || *one.Failure != f {
				t.Errorf("of the model: got %+v, %v; want %+v", one.Failure, err, f)
			}
		}
		return out
	}
	is := func(what string, got, want map[string]string) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	// acme-retail is no part of acme, although its streams begin alike.
	first, second, other := accept("acme"), accept("acme"), accept("acme-retail")
	is("nothing has ended", reasons("acme", "", workspace), map[string]string{})
	end("acme", first, sales, "Sales.tmdl:3: a name is missing", assessment.Ended{OperationID: first})
	end("acme", first, stock, "", assessment.Recorded{Assessment: assessment.Assessment{AssessmentID: uuid.New(), ModelID: stock}})
	end("acme-retail", other, sales, "theirs", assessment.Refunded{OperationID: other})
	is("one failed", reasons("acme", "", workspace), map[string]string{"Retail/Sales": "Sales.tmdl:3: a name is missing"})
	end("acme", second, sales, "the capacity is paused", assessment.Refunded{OperationID: second})
	end("acme", second, stock, "Stock.tmdl:1: a tab is missing", assessment.Ended{OperationID: second})
	both := map[string]string{"Retail/Sales": "the capacity is paused", "Retail/Stock": "Stock.tmdl:1: a tab is missing"}
	is("the newest reasons", reasons("acme", "", workspace), both)
	is("by the workspace", reasons("acme", "RETAIL", workspace), both)
	is("by name", reasons("acme", "sToc", workspace), map[string]string{"Retail/Stock": "Stock.tmdl:1: a tab is missing"})
	is("no such name", reasons("acme", "%", workspace), map[string]string{})
	is("another workspace", reasons("acme", "", uuid.New()), map[string]string{})
	is("another account", reasons("acme-retail", "", workspace), map[string]string{"Retail/Sales": "theirs"})
	o.same(t, "failures")
	third := accept("acme")
	end("acme", third, sales, "", assessment.Recorded{Assessment: assessment.Assessment{AssessmentID: uuid.New(), ModelID: sales}})
	decideOn(t, o, "acme", eventstore.Tail(assessment.Stream("acme", stock)), domain.Command[struct{}](command{assessment.ResultsDeleted{ModelID: stock}}))
	is("one is stored, one deleted", reasons("acme", "", workspace), map[string]string{})
	o.same(t, "failures")
}
