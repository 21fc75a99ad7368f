package pixies_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/pixies"
)

var (
	noon      = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	workspace = uuid.MustParse("aaaaaaaa-0000-4000-8000-000000000001")
	sales     = uuid.MustParse("cccccccc-0000-4000-8000-000000000001")
)

func id(n byte) uuid.UUID { return uuid.UUID{15: n, 6: 0x40, 8: 0x80} }

// decide returns the state after the command, which must not be refused.
func decide[S any](t *testing.T, evolve func(S, domain.Event) S, s S, c domain.Command[S]) S {
	t.Helper()
	events, err := c.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		s = evolve(s, e)
	}
	return s
}

func after(_ pixies.Report, e domain.Event) pixies.Report {
	return e.(domain.Carries[pixies.Report]).After()
}

func hold(t *testing.T, r pixies.Report, operation uuid.UUID) pixies.Report {
	t.Helper()
	return decide(t, after, r, pixies.Hold{OperationID: operation, ReportID: sales, WorkspaceID: workspace, ReportName: "Sales"})
}

func add(t *testing.T, r pixies.Report, operation uuid.UUID) pixies.Report {
	t.Helper()
	return decide(t, after, hold(t, r, operation), pixies.Add{
		OperationID: operation, Pages: 2, Visuals: 9, Placed: []pixies.Placed{{Page: "one", ID: "a"}, {Page: "two", ID: "b"}}, At: noon,
	})
}

func remove(t *testing.T, r pixies.Report, operation uuid.UUID) pixies.Report {
	t.Helper()
	return decide(t, after, hold(t, r, operation), pixies.Remove{OperationID: operation, At: noon.Add(time.Hour)})
}

func deleted(t *testing.T, r pixies.Report) pixies.Report {
	t.Helper()
	return decide(t, after, r, pixies.MarkDeleted{WorkspaceID: workspace, At: noon.Add(2 * time.Hour)})
}

// Every transition of docs/specification.md 3.3, and other histories of a report.
//
// proves: 3.3/NeverAdded-HasPixies 3.3/HasPixies-PixiesRemoved 3.3/HasPixies-ReportDeleted 3.3/PixiesRemoved-HasPixies
func TestStatus(t *testing.T) {
	t.Parallel()
	var never pixies.Report
	has := add(t, never, id(1))
	removed := remove(t, has, id(2))
	gone := deleted(t, has)
	for name, test := range map[string]struct {
		report pixies.Report
		want   pixies.Status
		pages  bool
	}{
		"added":                         {has, pixies.StatusHasPixies, true},
		"added to twice":                {add(t, has, id(3)), pixies.StatusHasPixies, true},
		"removed":                       {removed, pixies.StatusPixiesRemoved, false},
		"removed twice":                 {remove(t, removed, id(3)), pixies.StatusPixiesRemoved, false},
		"removed from one without any":  {remove(t, never, id(3)), pixies.StatusNeverAdded, false},
		"added again":                   {add(t, removed, id(3)), pixies.StatusHasPixies, true},
		"deleted":                       {gone, pixies.StatusReportDeleted, false},
		"deleted twice":                 {deleted(t, gone), pixies.StatusReportDeleted, false},
		"deleted after the removal":     {deleted(t, removed), pixies.StatusPixiesRemoved, false},
		"there again after all":         {add(t, gone, id(3)), pixies.StatusHasPixies, true},
		"there again, and removed":      {remove(t, gone, id(3)), pixies.StatusPixiesRemoved, false},
		"deleted while it was held":     {decide(t, after, deleted(t, hold(t, has, id(3))), pixies.Release{OperationID: id(3)}), pixies.StatusReportDeleted, false},
		"an operation that did nothing": {decide(t, after, hold(t, has, id(3)), pixies.Release{OperationID: id(3)}), pixies.StatusHasPixies, true},
		"a first one that did nothing":  {decide(t, after, hold(t, never, id(3)), pixies.Release{OperationID: id(3)}), pixies.StatusNeverAdded, false},
	} {
		if test.report.Status != test.want || (test.report.Pages != nil) != test.pages || test.report.Holder != nil {
			t.Errorf("%s: it is %s with %v pages, held by %v", name, test.report.Status, test.report.Pages, test.report.Holder)
		}
	}
	if !has.ChangedAt.Equal(noon) || !removed.ChangedAt.Equal(noon.Add(time.Hour)) || !gone.ChangedAt.Equal(noon.Add(2*time.Hour)) {
		t.Error("it does not say when it was last changed")
	}
	if again := remove(t, removed, id(3)); !again.ChangedAt.Equal(*removed.ChangedAt) {
		t.Error("a removal that found none changed the time")
	}
}

func TestOneOperationAtATime(t *testing.T) {
	t.Parallel()
	held := hold(t, pixies.Report{}, id(1))
	_, err := pixies.Hold{OperationID: id(2), ReportID: sales}.Decide(held)
	r, refused := domain.Refused(err)
	if !refused || r.Code != domain.OperationInProgress || r.Params[0] != (domain.Param{Name: "operationId", Value: id(1).String()}) {
		t.Fatalf("got %v, want a refusal that names the operation", err)
	}
	for _, c := range []domain.Command[pixies.Report]{
		pixies.Add{OperationID: id(2), At: noon}, pixies.Remove{OperationID: id(2), At: noon}, pixies.Release{OperationID: id(2)},
	} {
		if events, err := c.Decide(held); err != nil || events != nil {
			t.Errorf("%T of an operation that does not hold the report: %v, %v", c, events, err)
		}
	}
	if events, err := (pixies.MarkDeleted{WorkspaceID: id(9), At: noon}).Decide(add(t, pixies.Report{}, id(1))); err != nil || events != nil {
		t.Errorf("a report of another workspace was marked deleted: %v, %v", events, err)
	}
}

// In any history of a report, its status changes only as docs/specification.md 3.3 and
// docs/decisions.md 8 allow.
func TestAnyHistoryOfAReport(t *testing.T) {
	t.Parallel()
	allowed := map[[2]pixies.Status]bool{
		{pixies.StatusNeverAdded, pixies.StatusHasPixies}: true, {pixies.StatusHasPixies, pixies.StatusPixiesRemoved}: true, {pixies.StatusHasPixies, pixies.StatusReportDeleted}: true,
		{pixies.StatusPixiesRemoved, pixies.StatusHasPixies}: true, {pixies.StatusReportDeleted, pixies.StatusHasPixies}: true, {pixies.StatusReportDeleted, pixies.StatusPixiesRemoved}: true,
	}
	rapid.Check(t, func(t *rapid.T) {
		r := pixies.Report{Status: pixies.StatusNeverAdded}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			before := r
			op := id(rapid.ByteRange(1, 3).Draw(t, "operation"))
			var c domain.Command[pixies.Report]
			switch rapid.IntRange(0, 4).Draw(t, "command") {
			case 0:
				c = pixies.Hold{OperationID: op, ReportID: sales, WorkspaceID: workspace}
			case 1:
				c = pixies.Add{OperationID: op, Pages: 1, At: noon}
			case 2:
				c = pixies.Remove{OperationID: op, At: noon}
			case 3:
				c = pixies.Release{OperationID: op}
			case 4:
				c = pixies.MarkDeleted{WorkspaceID: workspace, At: noon}
			}
			events, err := c.Decide(r)
			if (err != nil) != (before.Holder != nil && c == domain.Command[pixies.Report](pixies.Hold{OperationID: op, ReportID: sales, WorkspaceID: workspace})) {
				t.Fatalf("%T of a report held by %v: %v", c, before.Holder, err)
			}
			for _, e := range events {
				r = after(r, e)
			}
			if r.Status != before.Status && !allowed[[2]pixies.Status{before.Status, r.Status}] {
				t.Fatalf("%T took it from %s to %s", c, before.Status, r.Status)
			}
			if r.Status != before.Status && before.Holder == nil && r.Status != pixies.StatusReportDeleted {
				t.Fatalf("%T changed a report that no operation held", c)
			}
			if (r.Pages != nil) && r.Status != pixies.StatusHasPixies {
				t.Fatalf("a report that is %s has pages", r.Status)
			}
		}
	})
}
