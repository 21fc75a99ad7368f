package work_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition/rewrite"
	"readiness/domain/aiprovider"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/domain/proposal"
	"readiness/platform/fabric/emulator"
	"readiness/work"
)

// slowly makes the bench work over REST, where a read of a definition lasts longer than a step looks for it.
func slowly(t *testing.T, b *bench) *remote {
	t.Helper()
	r := overREST(t, b, emulator.Layout{Exact: true})
	r.service.Set(func(o *emulator.Options) { o.Now, o.Lasts = r.Now, 30*time.Second })
	return r
}

// attempts repeats a step, each time when it is due, until it has an outcome, and returns how often it was begun.
func (r *remote) attempts(t *testing.T, step func() error) (n int) {
	t.Helper()
	for n = 1; ; n++ {
		err := step()
		if err == nil {
			return n
		}
		pending, ok := errors.AsType[*item.Pending](err)
		if !ok || n == 20 {
			t.Fatalf("attempt %d: %v", n, err)
		}
		r.Clock.Advance(pending.After)
	}
}

// begun counts the reads that were begun at the platform, by item.
func (r *remote) begun() map[string]int {
	all := map[string]int{}
	for _, c := range r.service.Calls() {
		if path, reads := strings.CutSuffix(c.Path, "/getDefinition"); reads {
			all[path[strings.LastIndexByte(path, '/')+1:]]++
		}
	}
	return all
}

// onSlowModels is a bench with a published data agent on several models.
func onSlowModels(t *testing.T, models int) (b *bench, want map[string]int) {
	t.Helper()
	b = newBench(t)
	b.publish(t)
	want = map[string]int{agent.String(): 1, good.String(): 1}
	for i := 1; i < models; i++ {
		id := uuid.UUID{0: 0xee, 15: byte(i)}
		dir := fmt.Sprintf("More %d.SemanticModel", i)
		b.Item(t, "Retail", dir, fmt.Sprintf("More %d", i), id)
		b.Write(t, "table T\n\n\tcolumn Amount\n\t\tdataType: double\n", "Retail", dir, "definition", "tables", "T.tmdl")
		b.Write(t, "database\n", "Retail", dir, "definition", "database.tmdl")
		b.source(t, "published", fmt.Sprintf("More %d", i), semantic, id.String(), uuid.Nil)
		want[id.String()] = 1
	}
	return b, want
}

// The models of a data agent that the platform reads slowly are read together and once each, however often the step is repeated.
func TestSlowSourcesOfAnAgent(t *testing.T) {
	t.Parallel()
	b, want := onSlowModels(t, 8)
	r := slowly(t, b)
	got, err := b.Assessments.StartAgent(t.Context(), b.ana(), workspace, agent)
	check(t, err)
	n := r.attempts(t, func() error { return work.Carry(t.Context(), b.Work, b.steps[0], 0) })
	if d := cmp.Diff(want, r.begun()); d != "" || n > 6 {
		t.Errorf("%d attempts, reads (-want +got):\n%s", n, d)
	}
	for _, s := range b.agentAssessed(t, got.OperationID).DataAgent.Sources {
		if !s.Scored {
			t.Errorf("%s is not scored: %s", s.Name, s.Message)
		}
	}
}

// A process that ends before or after any of its calls of the platform, while that reads slowly, costs at most the one read
// whose answer was lost. The next attempt continues all others.
func TestSlowReadsThatWereCutOff(t *testing.T) {
	t.Parallel()
	b, want := onSlowModels(t, 3)
	r := slowly(t, b)
	whole := r.Work.Platform
	kills, again := 0, 0
	for at, more := 1, true; more; at++ {
		more = false
		for _, after := range []bool{false, true} {
			got, err := b.Assessments.StartAgent(t.Context(), b.ana(), workspace, agent)
			check(t, err)
			step, before, struck := b.steps[len(b.steps)-1], r.begun(), &strike{at: at, after: after}
			o := b.Work
			o.Platform = r.client(t, struck)
			r.attempts(t, func() error {
				err := work.Carry(t.Context(), o, step, 0)
				if struck.struck() && o.Platform != whole {
					kills, more, o.Platform = kills+1, true, whole
					if err == nil {
						t.Fatalf("cut off at call %d, and the step says it is done", at)
					}
					return &item.Pending{After: time.Second}
				}
				return err
			})
			lost := 0
			for id, n := range r.begun() {
				if n -= before[id] + want[id]; n < 0 {
					t.Errorf("cut off at call %d: %s was not read", at, id)
				} else {
					lost += n
				}
			}
			if again += lost; lost > 1 || lost == 1 && !after {
				t.Errorf("cut off at call %d (after it: %v): %d reads were begun again", at, after, lost)
			}
			b.agentAssessed(t, got.OperationID)
		}
	}
	if kills < 20 || again != len(want) {
		t.Errorf("%d kills, %d reads were begun again; want at least 20, and %d", kills, again, len(want))
	}
	if n := r.Count(t, `SELECT count(*) FROM pending_reads WHERE item_id = $1`, agent); n != 0 {
		t.Errorf("%d reads of the agent are left", n)
	}
}

// A score is weighted by usage however slow the reports are: the step waits for them, and reads the model once.
func TestUsageOfSlowReports(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	b.lookAround(t)
	want := b.assessed(t, b.Work)
	r := slowly(t, b)
	id := b.start(t, good)
	r.attempts(t, func() error { return work.Carry(t.Context(), b.Work, b.steps[0], 0) })
	got, found, err := b.Views.AssessmentOf(t.Context(), "contoso", id)
	check(t, err)
	if d := cmp.Diff([]any{want.Usage, want.Score}, []any{got.Usage, got.Score}); d != "" || !found {
		t.Errorf("the score (-fast +slow):\n%s", d)
	}
	if d := cmp.Diff(map[string]int{good.String(): 1, report1.String(): 1, report2.String(): 1}, r.begun()); d != "" {
		t.Errorf("reads (-want +got):\n%s", d)
	}
}

// Reports that the platform never finishes to read are left out after half an hour, and the result says so.
func TestUsageOfEndlessReports(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	b.lookAround(t)
	r := slowly(t, b)
	id := b.start(t, good)
	waits := func() {
		t.Helper()
		pending, ok := errors.AsType[*item.Pending](work.Carry(t.Context(), b.Work, b.steps[0], 0))
		if !ok {
			t.Fatal("the step does not wait")
		}
		r.Clock.Advance(2 * pending.After)
	}
	waits() // for the model
	r.service.Set(func(o *emulator.Options) { o.Lasts = 24 * time.Hour })
	waits() // for the reports
	waits()
	_, err := r.Pool.Exec(t.Context(), `UPDATE pending_reads SET begun = begun - interval '31 minutes' WHERE item_id <> $1`, good)
	check(t, err)
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0))
	got, _, err := b.Views.AssessmentOf(t.Context(), "contoso", id)
	check(t, err)
	if got.Usage.State != assessment.UsageUnavailable || got.Usage.Reason != "none of the 2 reports that were viewed could be read" {
		t.Errorf("usage reads %+v", got.Usage)
	}
	if d := cmp.Diff(map[string]int{good.String(): 1, report1.String(): 1, report2.String(): 1}, r.begun()); d != "" {
		t.Errorf("reads (-want +got):\n%s", d)
	}
}

// What reports show is taken of those that the platform reads in time. They are asked for together and once, and the others
// neither stop the step nor fail it: its result says so. Which model each shows is one list.
func TestCaptionsOfSlowReports(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	visual := filepath.Join(b.report(report1), "definition/pages/p1/visuals/v1/visual.json")
	text, err := os.ReadFile(visual)
	check(t, err)
	write(t, visual, strings.Replace(string(text), `"queryRef":"x"`, `"queryRef":"x","displayName":"Turnover"`, 1))
	b.access[item.PermissionUsage] = item.ConsentRequired
	r := slowly(t, b)
	const legacy = "1 of 3 reports of the workspace on this semantic model could not be read, so what they show is not considered"
	const none = "3 of 3 reports of the workspace on this semantic model could not be read, so what they show is not considered"
	for _, c := range []struct {
		lasts    time.Duration
		warnings []string
		synonyms []string
	}{
		{3 * time.Second, []string{legacy}, []string{"Turnover"}}, // longer than one look at a read, shorter than one at all of them
		{time.Hour, []string{none}, nil},
	} {
		before, lists := r.begun(), r.called("/reports")
		r.service.Set(func(o *emulator.Options) { o.Lasts = time.Nanosecond })
		a, err := r.Optimizations.StartPreview(t.Context(), r.ana(), workspace, good, string(optimization.AIDataSchema))
		check(t, err)
		r.service.Set(func(o *emulator.Options) { o.Lasts = c.lasts })
		r.service.Script(emulator.Fault{Path: good.String() + "/getDefinition", Before: func() {
			r.service.Set(func(o *emulator.Options) { o.AtOnce = true })
		}}, emulator.Fault{Path: "/reports", Before: func() { r.service.Set(func(o *emulator.Options) { o.AtOnce = false }) }})
		step := r.optimize[len(r.optimize)-1]
		check(t, work.CarryOptimize(t.Context(), r.Work, step, 0))
		if op := r.operation(t, a.OperationID); op.Status != operation.StatusSucceeded {
			t.Fatalf("reports that last %s: the preview is %s: %+v", c.lasts, op.Status, op.Failure)
		}
		body, err := r.Work.Documents.Get(t.Context(), r.work(t, a.OperationID).Document)
		check(t, err)
		var p optimization.Preview
		check(t, json.Unmarshal(body, &p))
		var synonyms []string
		for _, change := range p.Changes {
			if change.Property == rewrite.Synonyms {
				synonyms = append(synonyms, change.Proposed)
			}
		}
		if d := cmp.Diff([][]string{c.warnings, c.synonyms}, [][]string{p.Warnings, synonyms}); d != "" {
			t.Errorf("reports that last %s: warnings and synonyms (-want +got):\n%s", c.lasts, d)
		}
		after := r.begun()
		if once := after[report1.String()]-before[report1.String()] == 1 && after[report2.String()]-before[report2.String()] == 1; !once ||
			r.called("/reports")-lists != 1 {
			t.Errorf("reports that last %s: %v reads, then %v; %d lists", c.lasts, before, after, r.called("/reports")-lists)
		}
	}
}

// called counts the calls whose path ends so.
func (r *remote) called(path string) (n int) {
	for _, c := range r.service.Calls() {
		if strings.HasSuffix(c.Path, path) {
			n++
		}
	}
	return n
}

// unsteady is a proposer that fails several times.
type unsteady struct {
	work.Proposer
	times *int
}

var errUnsteady = errors.New("an internal error")

func (u unsteady) Propose(ctx context.Context, s aiprovider.Settings, ask proposal.Ask) (proposal.Answer, error) {
	if *u.times--; *u.times >= 0 {
		return proposal.Answer{}, errUnsteady
	}
	return u.Proposer.Propose(ctx, s, ask)
}

// A fault that comes after a slow definition was read does not read it again.
func TestSlowReadAndAFaultOfOurs(t *testing.T) {
	t.Parallel()
	r := newRemote(t, emulator.Layout{Exact: true})
	r.service.Set(func(o *emulator.Options) { o.Now, o.Lasts = r.Now, 30*time.Second })
	before := r.begun()
	a, err := r.Optimizations.StartPreview(t.Context(), r.ana(), workspace, good, string(optimization.Descriptions))
	check(t, err)
	faults := 3
	o := r.Work
	o.Proposer = unsteady{o.Proposer, &faults}
	r.attempts(t, func() error {
		err := work.CarryOptimize(t.Context(), o, r.optimize[0], 0)
		if errors.Is(err, errUnsteady) {
			err = &item.Pending{After: time.Second}
		}
		return err
	})
	if op := r.operation(t, a.OperationID); op.Status != operation.StatusSucceeded || faults >= 0 {
		t.Errorf("the preview is %s, with %d faults left", op.Status, faults+1)
	}
	if n := r.begun()[good.String()] - before[good.String()]; n != 1 {
		t.Errorf("%d reads were begun, want 1", n)
	}
	if n := r.Count(t, `SELECT count(*) FROM pending_reads`); n != 0 {
		t.Errorf("%d reads are left", n)
	}
}

// A report that is read slowly gets its Pixies with one read before, one for the comparison and one after the write.
func TestPixiesOfASlowReport(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	r := slowly(t, b)
	b.pixiesOf(t, pixies.Adds, report1)
	r.attempts(t, func() error { return work.CarryPixies(t.Context(), b.Work, b.pixies[0], 0) })
	if n := r.begun()[report1.String()]; n != 3 || r.updates() != 1 {
		t.Errorf("%d reads and %d updates, want 3 and 1", n, r.updates())
	}
	if n := r.Count(t, `SELECT count(*) FROM pending_reads`); n != 0 {
		t.Errorf("%d reads are left", n)
	}
}
