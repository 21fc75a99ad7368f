package work_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/domain/readiness"
	"readiness/domain/usage"
	"readiness/eventstore"
	"readiness/work"
)

// newViewed is a bench of two reports with Pixies on the good model, whose usage
// may be read. The pages of the first query Revenue, which is described, and Cost;
// those of the second query Region and nothing.
func newViewed(t *testing.T) *bench {
	t.Helper()
	b := newReporting(t)
	b.access[item.PermissionUsage] = item.Granted
	write(t, b.file("tables/Sales.tmdl"), "table Sales\n\n\t/// What customers were invoiced, in euro.\n\tmeasure Revenue = SUM(Sales[Amount])\n\t\tformatString: 0\n\n\t/// What a line of an invoice comes to, in euro.\n\tcolumn Amount\n\t\tdataType: double\n\n\tcolumn Cost\n\t\tdataType: double\n\n\tcolumn Region\n\t\tdataType: string\n\n\tcolumn Unused\n\t\tdataType: string\n")
	for at, field := range map[string]string{
		filepath.Join(b.report(report1), "definition/pages/p1"): `"Measure":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Revenue"}`,
		filepath.Join(b.report(report1), "definition/pages/p2"): `"Column":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Cost"}`,
		filepath.Join(b.report(report2), "definition/pages/p1"): `"Column":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Region"}`,
	} {
		write(t, filepath.Join(at, "visuals", "v1", "visual.json"), `{"name":"v1","position":{"x":1,"y":1,"z":5,"height":10,"width":10,"tabOrder":0},"visual":{"visualType":"card","query":{"queryState":{"Values":{"projections":[{"field":{`+field+`},"queryRef":"x"}]}}}}}`)
	}
	b.pixiesOf(t, pixies.Adds, report1, report2)
	b.change(t, b.Work)
	return b
}

// look records views of a page, some days before today.
func (b *bench) look(t *testing.T, report uuid.UUID, page string, views, daysAgo int) {
	t.Helper()
	day := b.Now().AddDate(0, 0, -daysAgo)
	seen := eventstore.Fold(pixies.SeenStream("contoso", report, day), func(s struct{}, _ domain.Event) struct{} { return s })
	err := b.Store.Change(t.Context(), eventstore.Metadata{Account: "contoso"}, []eventstore.Loadable{seen}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, seen, looked{pixies.Seen{ReportID: report, Day: day.Format(time.DateOnly), Views: map[string]int{page: views}}})
	})
	check(t, err)
}

type looked struct{ pixies.Seen }

func (l looked) Decide(struct{}) ([]domain.Event, error) { return []domain.Event{l.Seen}, nil }

// lookAround records the views of an example with known results.
func (b *bench) lookAround(t *testing.T) {
	t.Helper()
	b.look(t, report1, "p1", 900, 0)
	b.look(t, report1, "p1", 100, 27)
	b.look(t, report1, "p1", 5000, 28) // too long ago
	b.look(t, report1, "p2", 100, 3)
	b.look(t, report2, "p1", 10, 5)
	b.look(t, report2, "p2", 7000, 1) // this page queries nothing
	b.look(t, report2, "gone", 9000, 1)
}

var lookedAround = map[string]map[string]int64{"Sales": {"Revenue": 1000, "Amount": 1000, "Cost": 100, "Region": 10}}

// assessed assesses the good model and returns the assessment.
func (b *bench) assessed(t *testing.T, o work.Options) assessment.Assessment {
	t.Helper()
	id := b.start(t, good)
	b.carry(t, o)
	if op := b.operation(t, id); op.Status != operation.StatusSucceeded {
		t.Fatalf("the assessment is %s: %+v", op.Status, op.Failure)
	}
	a, found, err := b.Views.AssessmentOf(t.Context(), "contoso", id)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	return a.Assessment
}

func (b *bench) document(t *testing.T, a assessment.Assessment) (d struct {
	Report json.RawMessage
	Regime struct{ UsageInScoring bool }
	Usage  assessment.Usage
},
) {
	t.Helper()
	text, err := b.Views.Document(t.Context(), a.DocumentHash)
	check(t, err)
	check(t, json.Unmarshal(text, &d))
	return d
}

// model reads the good model from disk.
func (b *bench) model(t *testing.T) *semanticmodel.Model {
	t.Helper()
	d, err := b.Work.Platform.Definition(t.Context(), b.ana().Caller, item.Item{ID: good, Type: item.SemanticModel, WorkspaceID: workspace})
	check(t, err)
	m, err := semanticmodel.Read(d)
	check(t, err)
	return m
}

// proves: 4.4/single/3-weighted 2.9/usage/applied 2.9/usage/state-reason 2.9/usage/windowDays 2.9/usage/trackedReportCount 2.8/usageInScoring
func TestUsageWeighsTheScore(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	b.lookAround(t)
	a := b.assessed(t, b.Work)
	two, days := 2, 28
	want := assessment.Usage{
		Applied: true, State: assessment.UsageApplied, WindowDays: &days, TrackedReportCount: &two, Access: item.Granted,
		Window: &assessment.UsageWindow{From: "2026-10-25", To: "2026-11-21"}, Source: "pixies",
	}
	d := b.document(t, a)
	for _, got := range []assessment.Usage{a.Usage, d.Usage} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("usage (-want +got):\n%s", diff)
		}
	}
	m := b.model(t)
	weighted, plain := readiness.Assess(m, readiness.Options{Usage: lookedAround}), readiness.Assess(m, readiness.Options{})
	report, err := json.Marshal(weighted)
	check(t, err)
	if !a.UsageInScoring || !d.Regime.UsageInScoring || string(d.Report) != string(report) {
		t.Errorf("usage in scoring is %v, the report is\n%s\nwant\n%s", a.UsageInScoring, d.Report, report)
	}
	if diff := cmp.Diff(weighted.Score, a.Score); diff != "" {
		t.Errorf("the score (-want +got):\n%s", diff)
	}
	asAgent, plainly := readiness.AssessAsAgent(m, readiness.Options{Usage: lookedAround}), readiness.AssessAsAgent(m, readiness.Options{})
	if diff := cmp.Diff(asAgent.Score, a.ScoreDataAgent); diff != "" {
		t.Errorf("the score for a data agent (-want +got):\n%s", diff)
	}
	if cmp.Equal(weighted.Score, plain.Score) || cmp.Equal(asAgent.Score, plainly.Score) {
		t.Errorf("usage makes no difference: %d and %d", *a.Score, *a.ScoreDataAgent)
	}
	if diff := cmp.Diff(plain.Scores, weighted.Unweighted); diff != "" {
		t.Errorf("the unweighted companion (-want +got):\n%s", diff)
	}
}

// noPermissions knows no permission.
type noPermissions struct{ err error }

func (p noPermissions) Access(context.Context, item.Caller) (map[item.Permission]item.Access, error) {
	return nil, p.err
}

// The assessment is made for any outcome of usage; without weights, it says why.
//
// proves: 4.4/single/3-consent 2.9/usage/state-reason 5/4-usage
func TestUsageStates(t *testing.T) {
	t.Parallel()
	fault := errors.New("disk on fire")
	ruin := func(t *testing.T, b *bench, report uuid.UUID) {
		write(t, filepath.Join(b.report(report), "definition", "pages", "p1", "page.json"), "{")
	}
	measured := "28 2026-10-25 2026-11-21 pixies"
	for name, c := range map[string]struct {
		given func(*testing.T, *bench)
		state assessment.UsageState
		// says is part of the reason; "" if there is none.
		says     string
		access   item.Access
		tracked  int // -1: not known
		measured string
	}{
		"applied":                   {nil, assessment.UsageApplied, "", item.Granted, 2, measured},
		"consent is required":       {func(_ *testing.T, b *bench) { b.access[item.PermissionUsage] = item.ConsentRequired }, assessment.NotGranted, "not granted", item.ConsentRequired, -1, ""},
		"the platform cannot say":   {func(_ *testing.T, b *bench) { b.access[item.PermissionUsage] = item.Unavailable }, assessment.UsageUnavailable, "did not say", item.Unavailable, -1, ""},
		"the platform does not say": {func(_ *testing.T, b *bench) { delete(b.access, item.PermissionUsage) }, assessment.UsageUnavailable, "did not say", item.Unavailable, -1, ""},
		"the platform is away": {func(_ *testing.T, b *bench) {
			b.Work.Permissions = noPermissions{domain.Refuse(domain.PlatformUnavailable, "no")}
		}, assessment.UsageUnavailable, "did not say", item.Unavailable, -1, ""},
		"Pixies were removed": {func(t *testing.T, b *bench) {
			b.pixiesOf(t, pixies.Removes, report1, report2)
			b.change(t, b.Work)
		}, assessment.NoTrackedReports, "no report on this semantic model has Pixies", item.Granted, 0, ""},
		"no views": {func(_ *testing.T, b *bench) { b.Clock.Set(b.Now().AddDate(0, 0, 28)) }, assessment.NoViews, "no one viewed a page that queries", item.Granted, 2, "28 2026-11-22 2026-12-19 pixies"},
		"only later views": {func(t *testing.T, b *bench) {
			b.Clock.Set(b.Now().AddDate(0, 0, -29))
		}, assessment.NoViews, "no one viewed", item.Granted, 2, "28 2026-09-26 2026-10-23 pixies"},
		"pages that query nothing": {func(t *testing.T, b *bench) {
			b.Clock.Set(b.Now().AddDate(0, 0, 28))
			b.look(t, report2, "p2", 5, 0)
		}, assessment.NoViews, "no one viewed", item.Granted, 2, "28 2026-11-22 2026-12-19 pixies"},
		"one report cannot be read": {func(t *testing.T, b *bench) { ruin(t, b, report1) }, assessment.UsageApplied, "1 report could not be read", item.Granted, 2, measured},
		"no report can be read":     {func(t *testing.T, b *bench) { ruin(t, b, report1); ruin(t, b, report2) }, assessment.UsageUnavailable, "none of the 2 reports", item.Granted, 2, measured},
		"the only one viewed cannot be": {func(t *testing.T, b *bench) {
			b.Clock.Set(b.Now().AddDate(0, 0, 28))
			b.look(t, report1, "p1", 1, 0)
			ruin(t, b, report1)
		}, assessment.UsageUnavailable, "none of the 1 report ", item.Granted, 2, "28 2026-11-22 2026-12-19 pixies"},
		"one report is gone": {func(t *testing.T, b *bench) { remove(t, b.report(report2)) }, assessment.UsageApplied, "1 report could not be read", item.Granted, 2, measured},
		"which reports there are is a riddle": {func(_ *testing.T, b *bench) {
			b.Work.TrackedReports = func(context.Context, string, uuid.UUID) ([]pixies.Report, error) { return nil, fault }
		}, assessment.UsageUnavailable, "could not be read", item.Granted, -1, ""},
		"views cannot be read": {func(_ *testing.T, b *bench) {
			b.Work.PageViews = func(context.Context, string, []uuid.UUID, time.Time, time.Time) (map[uuid.UUID]map[string]int64, error) {
				return nil, fault
			}
		}, assessment.UsageUnavailable, "views of the reports", item.Granted, 2, ""},
		"an internal error": {func(_ *testing.T, b *bench) { b.Work.PageViews = nil }, assessment.UsageUnavailable, "internal error; the operator", item.Granted, 2, ""},
		"more reports than are read": {func(_ *testing.T, b *bench) {
			known := b.Work.TrackedReports
			views := b.Work.PageViews
			b.Work.TrackedReports = func(ctx context.Context, account string, model uuid.UUID) ([]pixies.Report, error) {
				all, err := known(ctx, account, model)
				for n := range usage.MaxReports {
					all = append(all, pixies.Report{ReportID: uuid.UUID{0: byte(n), 15: 1}, WorkspaceID: workspace})
				}
				return all, err
			}
			b.Work.PageViews = func(ctx context.Context, account string, reports []uuid.UUID, from, to time.Time) (map[uuid.UUID]map[string]int64, error) {
				all, err := views(ctx, account, reports, from, to)
				for _, r := range reports {
					if all[r] == nil {
						all[r] = map[string]int64{"p1": 1}
					}
				}
				return all, err
			}
		}, assessment.UsageApplied, "198 reports could not be read; 2 reports beyond the 200 most viewed were left out", item.Granted, 202, measured},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newViewed(t)
			b.lookAround(t)
			if c.given != nil {
				c.given(t, b)
			}
			a := b.assessed(t, b.Work)
			tracked, window := -1, ""
			if a.Usage.TrackedReportCount != nil {
				tracked = *a.Usage.TrackedReportCount
			}
			if w := a.Usage.Window; w != nil {
				window = fmt.Sprintf("%d %s %s %s", *a.Usage.WindowDays, w.From, w.To, a.Usage.Source)
			}
			applied := c.state == assessment.UsageApplied
			if a.Usage.State != c.state || a.Usage.Access != c.access || tracked != c.tracked || window != c.measured || !strings.Contains(a.Usage.Reason, c.says) || (a.Usage.Reason == "") != (c.says == "") {
				t.Errorf("usage is %+v, %d tracked, %q measured", a.Usage, tracked, window)
			}
			if a.Usage.Applied != applied || a.UsageInScoring != applied || b.document(t, a).Regime.UsageInScoring != applied {
				t.Errorf("usage in scoring is %v, %v and %v, want %v", a.Usage.Applied, a.UsageInScoring, b.document(t, a).Regime.UsageInScoring, applied)
			}
			if plain := readiness.Assess(b.model(t), readiness.Options{}); !applied && !cmp.Equal(plain.Score, a.Score) {
				t.Errorf("the score is %d, unweighted %d", *a.Score, *plain.Score)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	check(t, os.RemoveAll(path))
}

// A weighted score is not compared with an unweighted one, in either order. The
// permission at the time of the step counts.
//
// proves: 2.8/comparableWithPrevious 2.9/regime/comparable
func TestWeightedAndUnweightedAreNotCompared(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	b.lookAround(t)
	for i, c := range []struct {
		atStart, atWork      item.Access
		weighted, comparable bool
	}{
		{item.Granted, item.ConsentRequired, false, false}, // the first
		{item.ConsentRequired, item.ConsentRequired, false, true},
		{item.ConsentRequired, item.Granted, true, false},
		{item.Granted, item.Granted, true, true},
		{item.Granted, item.Unavailable, false, false},
	} {
		b.access[item.PermissionUsage] = c.atStart
		id := b.start(t, good)
		b.access[item.PermissionUsage] = c.atWork
		b.carry(t, b.Work)
		a, found, err := b.Views.AssessmentOf(t.Context(), "contoso", id)
		if err != nil || !found || a.UsageInScoring != c.weighted || a.ComparableWithPrevious != c.comparable || a.Usage.Access != c.atWork {
			t.Errorf("assessment %d: %v, %v; weighted is %v, comparable %v, access %s", i+1, found, err, a.UsageInScoring, a.ComparableWithPrevious, a.Usage.Access)
		}
	}
}

// Each model of a bulk assessment has its own usage.
func TestUsageOfMany(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	b.lookAround(t)
	id := b.start(t, good, gone)
	b.carry(t, b.Work)
	states := map[uuid.UUID]assessment.UsageState{}
	run, err := b.Views.Run(t.Context(), id)
	check(t, err)
	for _, r := range run.Results {
		if r.Error != nil {
			t.Fatalf("%s: %+v", r.ModelID, r.Error)
		}
		a, found, err := b.Views.Assessment(t.Context(), "contoso", workspace, r.ModelID, *r.AssessmentID)
		if err != nil || !found {
			t.Fatal(found, err)
		}
		states[r.ModelID] = a.Usage.State
	}
	if want := map[uuid.UUID]assessment.UsageState{good: assessment.UsageApplied, gone: assessment.NoTrackedReports}; !maps.Equal(want, states) {
		t.Errorf("got %v, want %v", states, want)
	}
}

// onReport is a platform that does something when a report is read.
type onReport struct {
	work.Platform
	do func()
}

func (p onReport) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	if it.Type == item.Report {
		p.do()
	}
	return p.Platform.Definition(ctx, as, it)
}

// endsSoon is a context whose deadline is too close for reading reports, and never
// passes.
type endsSoon struct{ context.Context }

func (endsSoon) Deadline() (time.Time, bool) { return time.Now().Add(14 * time.Second), true }

// Reports are read only while there is time left to score. A cancelled assessment
// has no outcome and is repeated.
func TestUsageHasItsTime(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	b.lookAround(t)
	id := b.start(t, good)
	step := b.steps[0]
	platform := b.Work.Platform
	ctx, stop := context.WithCancel(t.Context())
	b.Work.Platform = onReport{platform, stop}
	if err := work.Carry(ctx, b.Work, step, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	if op := b.operation(t, id); op.Status != operation.StatusRunning {
		t.Errorf("cancelled: the operation is %s", op.Status)
	}
	short := endsSoon{t.Context()}
	b.Work.Platform = onReport{platform, func() { t.Error("a report was read") }}
	check(t, work.Carry(short, b.Work, step, 1))
	if a, _, err := b.Views.AssessmentOf(t.Context(), "contoso", id); err != nil || a.Usage.State != assessment.UsageUnavailable {
		t.Errorf("without time: usage is %+v, %v", a.Usage, err)
	}
}

// What the workspace's reports call a field is proposed as a synonym of it, without the usage permission.
func TestCaptionsInPreviews(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	b.access[item.PermissionUsage] = item.ConsentRequired
	visual := filepath.Join(b.report(report1), "definition/pages/p1/visuals/v1/visual.json")
	proposed := func(platform work.Platform, warnings ...string) (texts []string) {
		t.Helper()
		b.Work.Platform = platform
		p := b.preview(t, optimization.AIDataSchema)
		if !slices.Equal(p.Warnings, warnings) {
			t.Errorf("the preview warns of %q, want %q", p.Warnings, warnings)
		}
		for _, c := range p.Changes {
			if c.Property == rewrite.Synonyms {
				texts = append(texts, c.Key+": "+c.Proposed)
			}
		}
		return texts
	}
	whole := b.Work.Platform
	const legacy = "1 of 3 reports of the workspace on this semantic model could not be read, so what they show is not considered"
	if got := proposed(whole, legacy); got != nil {
		t.Fatalf("%q is proposed before a report says so", got)
	}
	text, err := os.ReadFile(visual)
	if err != nil {
		t.Fatal(err)
	}
	write(t, visual, strings.Replace(string(text), `"queryRef":"x"`, `"queryRef":"x","displayName":"Turnover"`, 1))
	if got := proposed(whole, legacy); !slices.Equal(got, []string{"Sales|Revenue|synonyms: Turnover"}) {
		t.Errorf("got %q", got)
	}
	if got := proposed(listless{whole}, "the reports of the workspace could not be listed, so what they show is not considered"); got != nil {
		t.Errorf("%q is proposed where no report is seen", got)
	}
}

// proves: 4.5/preview/6 2.12/preview/usage
func TestUsageInPreviews(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	b.lookAround(t)
	b.access[item.PermissionUsage] = item.ConsentRequired
	b.assessed(t, b.Work)
	m := b.model(t)
	for access, fields := range map[item.Access]map[string]map[string]int64{item.ConsentRequired: nil, item.Granted: lookedAround, item.Unavailable: nil} {
		b.access[item.PermissionUsage] = access
		for _, kind := range []optimization.Kind{optimization.AIInstructions, optimization.Descriptions, optimization.AIDataSchema} {
			p := b.preview(t, kind)
			want := readiness.Assess(m, readiness.Options{Usage: fields}).Score
			if p.UsageInProposal != (fields != nil) || p.UsageAccess != access || !cmp.Equal(p.ScoreNow, want) {
				t.Errorf("%s, %s: usage in proposal is %v, access %s, score now %d, want %d", access, kind, p.UsageInProposal, p.UsageAccess, *p.ScoreNow, *want)
			}
		}
	}
}
