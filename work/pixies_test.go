package work_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/work"
)

var (
	report1 = uuid.MustParse("cccccccc-0000-0000-0000-000000000001")
	report2 = uuid.MustParse("cccccccc-0000-0000-0000-000000000002")
	ruined  = uuid.MustParse("cccccccc-0000-0000-0000-000000000003")
)

// newReporting is a bench with two reports of two pages on the good model, and a
// third report that cannot be read.
func newReporting(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.Pixies.CollectorURL = "https://views.example"
	for _, id := range []uuid.UUID{report1, report2, ruined} {
		dir := b.Report(t, "Retail", id.String()+".Report", "Report "+id.String()[35:], id, good.String())
		for _, page := range []string{"p1", "p2"} {
			folder := filepath.Join(dir, "definition", "pages", page)
			write(t, filepath.Join(folder, "page.json"), fmt.Sprintf("{\r\n  \"name\": %q,\r\n  \"displayName\": \"Page\",\r\n  \"displayOption\": \"FitToPage\",\r\n  \"height\": 720,\r\n  \"width\": 1280\r\n}", page))
			write(t, filepath.Join(folder, "visuals", "v1", "visual.json"), `{"$schema":"https://developer.microsoft.com/json-schemas/fabric/item/report/definition/visualContainer/2.1.0/schema.json","name":"v1","position":{"x":1,"y":1,"z":5,"height":10,"width":10,"tabOrder":0},"visual":{"visualType":"card"}}`)
		}
	}
	write(t, filepath.Join(b.report(ruined), "definition", "pages", "p1", "page.json"), `{"name":`)
	return b
}

func (b *bench) report(id uuid.UUID) string {
	return filepath.Join(b.Root, "Retail", id.String()+".Report")
}

// bytes returns the files of a report, by path.
func (b *bench) bytes(t *testing.T, id uuid.UUID) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(b.report(id), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, b.report(id))] = string(data)
		return err
	})
	check(t, err)
	return all
}

// pixiesOf starts a run and returns its operation.
func (b *bench) pixiesOf(t *testing.T, verb pixies.Verb, reports ...uuid.UUID) uuid.UUID {
	t.Helper()
	if len(reports) == 1 {
		a, err := b.Pixies.Start(t.Context(), b.ana(), verb, workspace, reports[0])
		return b.accepted(t, a, err)
	}
	a, err := b.Pixies.StartBulk(t.Context(), b.ana(), verb, workspace, reports)
	return b.accepted(t, a, err)
}

// change carries out the enqueued steps, each once.
func (b *bench) change(t *testing.T, o work.Options) {
	t.Helper()
	steps := b.pixies
	b.pixies = nil
	for _, s := range steps {
		check(t, work.CarryPixies(t.Context(), o, s, 0))
	}
}

func (b *bench) standing(t *testing.T, id uuid.UUID) pixies.Report {
	t.Helper()
	past := eventstore.FoldLast[pixies.Report](pixies.Stream("contoso", id))
	check(t, b.Store.Load(t.Context(), past))
	return past.State
}

func (b *bench) tracked(t *testing.T, id uuid.UUID) trackeditem.Item {
	t.Helper()
	past := eventstore.FoldLast[trackeditem.Item](trackeditem.Stream("contoso", id))
	check(t, b.Store.Load(t.Context(), past))
	return past.State
}

func (b *bench) run(t *testing.T, id uuid.UUID) pixies.Run {
	t.Helper()
	past := eventstore.Fold(operation.Stream(id), pixies.EvolveRun)
	check(t, b.Store.Load(t.Context(), past))
	return past.State
}

// proves: 3.3/tracked 4.7/add/4 4.7/remove
func TestAddAndRemovePixies(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	before := b.bytes(t, report1)
	add := func(want pixies.Outcome) uuid.UUID {
		t.Helper()
		id := b.pixiesOf(t, pixies.Adds, report1)
		b.change(t, b.Work)
		if op := b.operation(t, id); op.Status != operation.StatusSucceeded {
			t.Fatalf("the addition is %s: %+v", op.Status, op.Failure)
		}
		if r, _ := b.run(t, id).Result(report1); r.Outcome != want || *r.Pages != 2 || *r.Visuals != 2 {
			t.Fatalf("the outcome is %s of %d pages and %d visuals, want %s", r.Outcome, *r.Pages, *r.Visuals, want)
		}
		return id
	}
	first := add(pixies.OutcomeAdded)
	after := b.bytes(t, report1)
	if len(after) != len(before)+2 {
		t.Errorf("%d files became %d, want one more a page", len(before), len(after))
	}
	for path, text := range before {
		if after[path] != text {
			t.Errorf("%s was changed", path)
		}
	}
	if s := b.standing(t, report1); s.Status != pixies.StatusHasPixies || len(s.Placed) != 2 || s.Holder != nil || *s.ModelID != good || *s.LastOperation != first {
		t.Errorf("the report's standing is %+v", s)
	}
	if i := b.tracked(t, report1); i.Status != trackeditem.StatusTracked || i.ClaimedVia != "" || i.ItemType != item.Report {
		t.Errorf("the tracked item is %+v", i)
	}
	if op := b.operation(t, first); *op.Impact.TrackedItems != 1 || !*op.Impact.TrackedItem {
		t.Errorf("the addition's impact is %+v", op.Impact)
	}
	for _, p := range b.standing(t, report1).Placed {
		if len(p.ID) != 32 || !slices.ContainsFunc(slices.Collect(valuesOf(after)), func(text string) bool { return strings.Contains(text, "https://views.example/p/"+p.ID+".gif") }) {
			t.Errorf("no visual has the address of the Pixie %s", p.ID)
		}
	}

	second := add(pixies.OutcomeUpdated)
	if d := cmp.Diff(after, b.bytes(t, report1)); d != "" {
		t.Errorf("an update without effect wrote:\n%s", d)
	}
	if op := b.operation(t, second); *op.Impact.TrackedItems != 0 {
		t.Errorf("the update's impact is %+v", op.Impact)
	}

	remove := b.pixiesOf(t, pixies.Removes, report1)
	b.change(t, b.Work)
	if r, _ := b.run(t, remove).Result(report1); r.Outcome != pixies.OutcomeRemoved {
		t.Fatalf("the outcome is %s: %+v", r.Outcome, r.Error)
	}
	if d := cmp.Diff(before, b.bytes(t, report1)); d != "" {
		t.Errorf("after the removal (-before +after):\n%s", d)
	}
	if s := b.standing(t, report1); s.Status != pixies.StatusPixiesRemoved || s.Pages != nil {
		t.Errorf("the report's standing is %+v", s)
	}
	if i := b.tracked(t, report1); i.Status != trackeditem.StatusRemoved {
		t.Errorf("the tracked item is %s", i.Status)
	}
	add(pixies.OutcomeAdded)
	if i := b.tracked(t, report1); i.Status != trackeditem.StatusTracked {
		t.Errorf("after another addition, the tracked item is %s", i.Status)
	}
	if n := b.Count(t, `SELECT count(*) FROM step_tokens`); n != 0 {
		t.Errorf("%d tokens are still stored", n)
	}
}

func valuesOf(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// A removal from a report without Pixies succeeds, writes nothing and keeps the
// status (decisions/8/7).
//
// proves: decisions/8/7
func TestRemovingFromAReportWithoutPixies(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	before := b.bytes(t, report1)
	id := b.pixiesOf(t, pixies.Removes, report1)
	b.change(t, b.Work)
	if op := b.operation(t, id); op.Status != operation.StatusSucceeded || !cmp.Equal(before, b.bytes(t, report1)) {
		t.Errorf("the run is %s: %+v", op.Status, op.Failure)
	}
	if s := b.standing(t, report1); s.Status != pixies.StatusNeverAdded || b.tracked(t, report1).Counts() {
		t.Errorf("the report is %s", s.Status)
	}
}

func TestAReportThatCannotBeReadFails(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	id := b.pixiesOf(t, pixies.Adds, report1, ruined)
	b.change(t, b.Work)
	if op := b.operation(t, id); op.Status != operation.StatusSucceeded || *op.Impact.TrackedItems != 1 {
		t.Errorf("the run is %s with %+v", op.Status, op.Impact)
	}
	r, _ := b.run(t, id).Result(ruined)
	if r.Outcome != pixies.OutcomeFailed || r.Error.Code != domain.ItemNotReadable || !strings.Contains(r.Error.Message, "page.json") {
		t.Errorf("the ruined report is %s: %+v", r.Outcome, r.Error)
	}
	if s := b.standing(t, ruined); s.Status != pixies.StatusNeverAdded || s.Holder != nil || b.tracked(t, ruined).Counts() {
		t.Errorf("its standing is %+v", s)
	}
	alone := b.pixiesOf(t, pixies.Adds, ruined)
	b.change(t, b.Work)
	if op := b.operation(t, alone); op.Status != operation.StatusFailed || op.Failure.Code != domain.ItemNotReadable {
		t.Errorf("alone the run is %s: %+v", op.Status, op.Failure)
	}
}

// A report that an operation works on refuses the call as a unit and is named in
// the refusal. A refused call leaves no trace.
//
// proves: 4.7/bulk/3
func TestAHeldReport(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	id := b.pixiesOf(t, pixies.Adds, report1)
	events := b.Count(t, `SELECT count(*) FROM events`)
	for _, verb := range []pixies.Verb{pixies.Adds, pixies.Removes} {
		_, err := b.Pixies.StartBulk(t.Context(), b.ana(), verb, workspace, []uuid.UUID{report2, report1})
		r, refused := domain.Refused(err)
		if !refused || r.Code != domain.OperationInProgress || !slices.Contains(r.Params, domain.Param{Name: "operationId", Value: id.String()}) {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if n := b.Count(t, `SELECT count(*) FROM events`); n != events || len(b.pixies) != 1 {
		t.Errorf("a refused call left %d events and %d steps", n-events, len(b.pixies)-1)
	}
	b.change(t, b.Work)
	b.pixiesOf(t, pixies.Removes, report1, report2)
}

// Repeating a step that was cut off around its write has the same result: one
// write, the recorded ids, one tracked item.
func TestAnAdditionThatWasCutOff(t *testing.T) {
	t.Parallel()
	for name, strike := range map[string]struct{ before, after, edit bool }{
		"before it reached the platform":                {before: true},
		"after it had":                                  {after: true},
		"before, and somebody moved a visual meanwhile": {before: true, edit: true},
		"after, and somebody moved a visual after that": {after: true, edit: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newReporting(t)
			before := b.bytes(t, report1)
			id := b.pixiesOf(t, pixies.Adds, report1)
			step := b.pixies[0]
			o := b.Work
			platform := &struck{Platform: o.Platform, before: strike.before, after: strike.after}
			o.Platform = platform
			if err := work.CarryPixies(t.Context(), o, step, 0); !errors.Is(err, errStruck) {
				t.Fatalf("got %v, want an error, so that the step is retried", err)
			}
			intended, ok := b.run(t, id).Intended[report1]
			if !ok || len(intended.Placed) != 2 {
				t.Fatalf("the log does not say what was about to be written: %+v", intended)
			}
			if i := b.tracked(t, report1); i.Counts() || !i.Holds(id) {
				t.Fatalf("before its outcome the item is %+v, want it reserved", i)
			}
			visual := filepath.Join(b.report(report1), "definition", "pages", "p1", "visuals", "v1", "visual.json")
			if strike.edit {
				write(t, visual, strings.Replace(before["/definition/pages/p1/visuals/v1/visual.json"], `"x":1`, `"x":2`, 1))
			}
			b.change(t, b.Work)
			if op := b.operation(t, id); op.Status != operation.StatusSucceeded {
				t.Fatalf("the run is %s: %+v", op.Status, op.Failure)
			}
			if d := cmp.Diff(intended.Placed, b.standing(t, report1).Placed); d != "" {
				t.Errorf("the placed Pixies are not the recorded ones:\n%s", d)
			}
			if n := b.Count(t, `SELECT count(*) FROM events WHERE type = 'trackeditem.claimed'`); n != 1 || platform.writes > 1 {
				t.Errorf("%d claims, %d writes before the crash", n, platform.writes)
			}
			b.pixiesOf(t, pixies.Removes, report1)
			b.change(t, b.Work)
			if strike.edit {
				before["/definition/pages/p1/visuals/v1/visual.json"] = strings.Replace(before["/definition/pages/p1/visuals/v1/visual.json"], `"x":1`, `"x":2`, 1)
			}
			if d := cmp.Diff(before, b.bytes(t, report1)); d != "" {
				t.Errorf("after the removal (-before +after):\n%s", d)
			}
		})
	}
}

// unwritable is a platform that refuses every write.
type unwritable struct{ work.Platform }

func (unwritable) WriteDefinition(context.Context, item.Caller, item.Item, definition.Definition, string) error {
	return domain.Refuse(domain.PlatformAccessDenied, "no")
}

// The account's cap is checked once for the run, before anything is queued. A
// reservation for one addition is not available to another until it is released.
//
// proves: 4.7/bulk/2 decisions/9/6
func TestTheCapOnReports(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	limit := 1
	limits := b.Plans[account.Team]
	limits.TrackedItems.Limit = &limit
	plans := account.Plans{account.Team: limits}
	b.Plans, b.Work.Plans = plans, plans
	if _, err := b.Pixies.StartBulk(t.Context(), b.ana(), pixies.Adds, workspace, []uuid.UUID{report1, report2}); !domain.IsRefused(err, domain.TrackedItemLimitReached) {
		t.Fatalf("got %v, want the cap", err)
	}
	if n := b.Count(t, `SELECT count(*) FROM events`); n != 0 {
		t.Errorf("the refused call left %d events", n)
	}
	refused := func(reportID uuid.UUID) {
		t.Helper()
		before := b.Count(t, `SELECT count(*) FROM events`)
		if _, err := b.Pixies.Start(t.Context(), b.ana(), pixies.Adds, workspace, reportID); !domain.IsRefused(err, domain.TrackedItemLimitReached) {
			t.Errorf("got %v, want the cap", err)
		}
		if n := b.Count(t, `SELECT count(*) FROM events`); n != before {
			t.Errorf("the refused call left %d events", n-before)
		}
	}
	first := b.pixiesOf(t, pixies.Adds, report1)
	refused(report2)
	o := b.Work
	o.Platform = unwritable{o.Platform}
	b.change(t, o)
	if op := b.operation(t, first); op.Status != operation.StatusFailed || *op.Impact.TrackedItem || b.tracked(t, report1).Counts() {
		t.Errorf("the addition that the platform refused is %s, with %+v, and %+v", op.Status, op.Impact, b.tracked(t, report1))
	}
	second := b.pixiesOf(t, pixies.Adds, report2)
	refused(report1)
	b.change(t, b.Work)
	if op := b.operation(t, second); op.Status != operation.StatusSucceeded || !*op.Impact.TrackedItem || b.tracked(t, report2).ClaimedBy != second {
		t.Errorf("the second is %s, with %+v", op.Status, op.Impact)
	}
	refused(report1)
}

// proves: 2.3/settings/definitionCopies 8/definition-copy
func TestCopiesAreKeptWhereSupportTurnedThemOn(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		b := newReporting(t)
		d := account.Declaration{
			AccountID: "contoso", Plan: account.Team, Status: account.Active, People: []account.Person{{Person: item.Person{ID: "ana"}, Role: account.Admin}},
			Settings: account.Settings{AddPixies: true, AIFeatures: true, DefinitionCopies: account.CopiesNone},
		}
		if keep {
			d.Settings.DefinitionCopies = account.CopiesKeep30Days
		}
		if _, err := b.Accounts.Apply(t.Context(), []account.Declaration{d}); err != nil {
			t.Fatal(err)
		}
		before, err := b.Work.Platform.Definition(t.Context(), item.Caller{Account: "contoso", Person: item.Person{ID: "ana"}}, item.Item{ID: report1, Type: item.Report, WorkspaceID: workspace})
		check(t, err)
		id := b.pixiesOf(t, pixies.Adds, report1)
		b.change(t, b.Work)
		hash := b.run(t, id).Intended[report1].CopyHash
		if (hash != "") != keep || b.Count(t, `SELECT count(*) FROM documents`) != map[bool]int{true: 1}[keep] {
			t.Fatalf("copies are kept: %q, want %v", hash, keep)
		}
		if !keep {
			continue
		}
		body, err := b.Work.Documents.Get(t.Context(), hash)
		check(t, err)
		var kept pixies.Copy
		if err := json.Unmarshal(body, &kept); err != nil || definition.New(kept.Parts...).Hash() != before.Hash() {
			t.Errorf("the copy is not the replaced definition: %v", err)
		}
		if err := b.Work.Documents.Sweep(context.Background(), b.Now().Add(30*24*time.Hour+time.Second)); err != nil || b.Count(t, `SELECT count(*) FROM documents`) != 0 {
			t.Errorf("after 30 days the copy is still there: %v", err)
		}
	}
}

// A report in which a Pixie has no place fails, alone and among others: nothing is written, and it is no tracked item.
//
// proves: decisions/8/7-no-page
func TestAReportWithoutPagesFails(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	legacy := report2
	for _, id := range []uuid.UUID{legacy, ruined} {
		check(t, os.RemoveAll(filepath.Join(b.report(id), "definition", "pages")))
	}
	check(t, os.RemoveAll(filepath.Join(b.report(legacy), "definition")))
	write(t, filepath.Join(b.report(legacy), "report.json"), `{"config":"{}","layoutOptimization":0,"sections":[]}`)
	write(t, filepath.Join(b.report(ruined), "definition", "pages", "pages.json"), `{"pageOrder":[],"activePageName":null}`)
	for _, reports := range [][]uuid.UUID{{ruined}, {legacy}, {report1, legacy, ruined}} {
		before := map[uuid.UUID]map[string]string{legacy: b.bytes(t, legacy), ruined: b.bytes(t, ruined)}
		id := b.pixiesOf(t, pixies.Adds, reports...)
		b.change(t, b.Work)
		op := b.operation(t, id)
		if alone := len(reports) == 1; alone && (op.Status != operation.StatusFailed || op.Failure.Code != domain.AddPixiesFailed) {
			t.Errorf("alone the run is %s: %+v", op.Status, op.Failure)
		} else if !alone && (op.Status != operation.StatusSucceeded || *op.Impact.TrackedItems != 1) {
			t.Errorf("the run is %s with %+v", op.Status, op.Impact)
		}
		for _, one := range reports {
			r, _ := b.run(t, id).Result(one)
			if one == report1 {
				if r.Outcome != pixies.OutcomeAdded {
					t.Errorf("the other report is %s", r.Outcome)
				}
				continue
			}
			if r.Outcome != pixies.OutcomeFailed || r.Error == nil || !strings.Contains(r.Error.Message, "no page") {
				t.Errorf("%s is %s: %+v", one, r.Outcome, r.Error)
			}
			if s := b.standing(t, one); s.Status != pixies.StatusNeverAdded || s.Holder != nil || b.tracked(t, one).Counts() {
				t.Errorf("its standing is %+v", s)
			}
			if diff := cmp.Diff(before[one], b.bytes(t, one)); diff != "" {
				t.Errorf("it was changed (-before +after)\n%s", diff)
			}
		}
	}
}
