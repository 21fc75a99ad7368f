package work_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/commands"
	"readiness/definition"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/work"
)

// retail is a model with something to do for every kind: CRLF, an unusual
// description, measures outside folders, years that are summed.
const retail = "/// Sold.\r\ntable Sales\r\n\r\n" +
	"\tmeasure Revenue = CALCULATE(SUM(Sales[Amount]), Sales[Status] <> \"Test\")\r\n\t\tformatString: #,0.00\r\n\t\tlineageTag: 1\r\n\r\n" +
	"\tmeasure 'Revenue YTD' = TOTALYTD([Revenue], 'Date'[Date], \"6/30\")\r\n\r\n" +
	"\tmeasure M03 = COUNTROWS(Sales)\r\n\r\n\tmeasure M04 = [M03] * 2\r\n\r\n\tmeasure M05 = [M03] * 3\r\n\r\n\tmeasure M06 = [M03] * 4\r\n\r\n" +
	"\tmeasure M07 = [M03] * 5\r\n\r\n\tmeasure M08 = [M03] * 6\r\n\r\n\tmeasure M09 = [M03] * 7\r\n\r\n\tmeasure M10 = TOTALQTD([M03], 'Date'[Date])\r\n\r\n\tmeasure M11 = [M03] * 9\r\n\t\tdisplayFolder: Counts\r\n\r\n" +
	"\t///x\r\n\tcolumn 'Order Key'\r\n\t\tdataType: int64\r\n\t\tsummarizeBy: sum\r\n\t\tsourceColumn: k\r\n\r\n" +
	"\tcolumn Day\r\n\t\tdataType: dateTime\r\n\t\tisHidden\r\n\t\tsummarizeBy: none\r\n\t\tsourceColumn: Day\r\n\r\n" +
	"\tcolumn Amount\r\n\t\tdataType: double\r\n\t\tsummarizeBy: sum\r\n\t\tsourceColumn: Amount\r\n\r\n" +
	"\tcolumn Status\r\n\t\tdataType: string\r\n\t\tsummarizeBy: count\r\n\t\tsourceColumn: Status\r\n\r\n" +
	"\t/// The nightly load.\r\n\tcolumn 'ETL Batch'\r\n\t\tdataType: string\r\n\t\tsummarizeBy: none\r\n\t\tsourceColumn: e\r\n"

// newOptimizing is a bench whose good model is retail and assessed.
func newOptimizing(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	write(t, b.file("tables/Sales.tmdl"), retail)
	write(t, b.file("tables/Date.tmdl"), "table Date\n\tdataCategory: Time\n\n\tcolumn Date\n\t\tdataType: dateTime\n\t\tisKey\n\t\tsummarizeBy: none\n\t\tsourceColumn: Date\n")
	write(t, b.file("relationships.tmdl"), "relationship sold\n\tfromColumn: Sales.Day\n\ttoColumn: Date.Date\n")
	b.start(t, good)
	b.carry(t, b.Work)
	return b
}

func (b *bench) file(part string) string {
	return filepath.Join(b.Root, "Retail", good.String()+".SemanticModel", "definition", filepath.FromSlash(part))
}

// carry carries out all enqueued steps, each once.
func (b *bench) carry(t *testing.T, o work.Options) {
	t.Helper()
	for len(b.steps)+len(b.optimize) > 0 {
		steps, optimize := b.steps, b.optimize
		b.steps, b.optimize = nil, nil
		for _, s := range steps {
			check(t, work.Carry(t.Context(), o, s, 0))
		}
		for _, s := range optimize {
			check(t, work.CarryOptimize(t.Context(), o, s, 0))
		}
	}
}

// parts returns the files of the good model on disk, by path.
func (b *bench) parts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	root := filepath.Join(b.Root, "Retail", good.String()+".SemanticModel")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, root)] = string(data)
		return err
	})
	check(t, err)
	return all
}

func (b *bench) accepted(t *testing.T, a commands.Accepted, err error) uuid.UUID {
	t.Helper()
	check(t, err)
	return a.OperationID
}

// preview makes a preview of the kind and returns it.
func (b *bench) preview(t *testing.T, kind optimization.Kind) optimization.Preview {
	t.Helper()
	a, err := b.Optimizations.StartPreview(t.Context(), b.ana(), workspace, good, string(kind))
	id := b.accepted(t, a, err)
	b.carry(t, b.Work)
	if op := b.operation(t, id); op.Status != operation.StatusSucceeded {
		t.Fatalf("the preview is %s: %+v", op.Status, op.Failure)
	}
	w := b.work(t, id)
	body, err := b.Work.Documents.Get(t.Context(), w.Document)
	check(t, err)
	var p optimization.Preview
	check(t, json.Unmarshal(body, &p))
	return p
}

func (b *bench) work(t *testing.T, id uuid.UUID) optimization.Work {
	t.Helper()
	w, err := b.Views.Work(t.Context(), id)
	check(t, err)
	return w
}

// apply starts the apply of a preview.
func (b *bench) apply(t *testing.T, p optimization.Preview) uuid.UUID {
	t.Helper()
	id := p.PreviewID.String()
	a, err := b.Optimizations.StartApply(t.Context(), b.ana(), workspace, good, string(p.Kind), optimization.ApplyPreview{PreviewID: &id})
	return b.accepted(t, a, err)
}

func (b *bench) revert(t *testing.T, applyID uuid.UUID) uuid.UUID {
	t.Helper()
	a, err := b.Optimizations.StartRevert(t.Context(), b.ana(), workspace, good, applyID.String())
	return b.accepted(t, a, err)
}

// read reads the operation as ana until it no longer changes.
func (b *bench) read(t *testing.T, id uuid.UUID) operation.Status {
	t.Helper()
	for range 20 {
		b.carry(t, b.Work)
		op := b.operation(t, id)
		if !op.Waits {
			return op.Status
		}
		check(t, b.resume(t.Context(), b.ana(), id))
	}
	t.Fatalf("operation %s does not end", id)
	return ""
}

// Every kind is previewed, applied and reverted, and every file is as before.
func TestOptimizeAndRevertEveryKind(t *testing.T) {
	t.Parallel()
	for _, kind := range optimization.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			b := newOptimizing(t)
			before := b.parts(t)
			p := b.preview(t, kind)
			if len(p.Changes) == 0 {
				t.Fatalf("nothing is proposed: %+v", p)
			}
			if p.ScoreNow == nil || p.ScoreAfter == nil || *p.ScoreAfter < *p.ScoreNow {
				t.Errorf("the score goes from %v to %v", p.ScoreNow, p.ScoreAfter)
			}
			if d := cmp.Diff(before, b.parts(t)); d != "" {
				t.Fatalf("the preview wrote:\n%s", d)
			}
			id := b.apply(t, p)
			if s := b.read(t, id); s != operation.StatusSucceeded {
				t.Fatalf("the apply is %s: %+v", s, b.operation(t, id).Failure)
			}
			if cmp.Equal(before, b.parts(t)) {
				t.Fatal("the apply wrote nothing")
			}
			applied := b.work(t, id)
			if len(applied.Applied()) == 0 || len(applied.LeftOut()) != 0 {
				t.Errorf("applied %d objects, left out %v", len(applied.Applied()), applied.LeftOut())
			}
			if used := b.used(t, account.OptimizationApplies, account.Day); used != applied.Applies {
				t.Errorf("%d applies are used after one of %d writes", used, applied.Applies)
			}
			undo := b.revert(t, id)
			if s := b.read(t, undo); s != operation.StatusSucceeded {
				t.Fatalf("the revert is %s: %+v", s, b.operation(t, undo).Failure)
			}
			if d := cmp.Diff(before, b.parts(t)); d != "" {
				t.Errorf("after the revert (-before +after):\n%s", d)
			}
			if w := b.work(t, id); w.Standing() != optimization.Reverted || *w.RevertedBy != undo {
				t.Errorf("the apply is %s by %v", w.Standing(), w.RevertedBy)
			}
			if n := b.Count(t, `SELECT count(*) FROM step_tokens`); n != 0 {
				t.Errorf("%d tokens are still stored", n)
			}
		})
	}
}

// struck is a platform whose process dies around a write: before it, or after it
// but before it is recorded.
type struck struct {
	work.Platform
	before, after bool
	writes        int
}

var errStruck = errors.New("the process ended")

func (p *struck) WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error {
	if p.before {
		return errStruck
	}
	p.writes++
	err := p.Platform.WriteDefinition(ctx, as, it, d, ifHash)
	_, sent := errors.AsType[*item.Sent](err)
	if err != nil && !sent || !p.after {
		return err
	}
	if sent { // the platform makes it before anything else happens, at the latest with the next call
		_, err = p.Platform.Definition(ctx, as, it)
	}
	return errors.Join(errStruck, err)
}

// A write that was cut off is made once, whether it had reached the platform or
// not. If another person changed the definition first, it fails and writes nothing.
//
// proves: 4.5/apply/4 4.5/apply/9 3.1/item-changed 2.7/error/ItemChanged
func TestAWriteThatWasCutOff(t *testing.T) {
	t.Parallel()
	const theirs = "\t/// Theirs.\r\n\tmeasure Revenue"
	for name, test := range map[string]struct {
		before, after bool
		change        bool // another person writes another description meanwhile
		want          operation.Status
	}{
		"before it reached the platform":                  {before: true, want: operation.StatusSucceeded},
		"after it had":                                    {after: true, want: operation.StatusSucceeded},
		"before, and somebody else came":                  {before: true, change: true, want: operation.StatusFailed},
		"after, and somebody else came after it had been": {after: true, change: true, want: operation.StatusSucceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOptimizing(t)
			p := b.preview(t, optimization.Descriptions)
			id := b.apply(t, p)
			step := b.optimize[0]
			b.optimize = nil
			o := b.Work
			platform := &struck{Platform: o.Platform, before: test.before, after: test.after}
			o.Platform = platform
			if err := work.CarryOptimize(t.Context(), o, step, 0); !errors.Is(err, errStruck) {
				t.Fatalf("got %v, want an error, so that the step is retried", err)
			}
			if w := b.work(t, id); w.Operation.Status != operation.StatusRunning || w.Progress[0].Intended == nil || len(w.Progress[0].Intended.Undo) != len(p.Changes) {
				t.Fatalf("the log does not say what was about to be written: %+v", w.Progress)
			}
			if test.change {
				data, err := os.ReadFile(b.file("tables/Sales.tmdl"))
				check(t, err)
				at := bytes.Index(data, []byte("\tmeasure Revenue ="))
				from := at
				for from > 0 && bytes.HasPrefix(data[bytes.LastIndexByte(data[:from-1], '\n')+1:], []byte("\t///")) {
					from = bytes.LastIndexByte(data[:from-1], '\n') + 1
				}
				write(t, b.file("tables/Sales.tmdl"), string(data[:from])+theirs+string(data[at+len("\tmeasure Revenue"):]))
			}
			before := b.parts(t)
			b.optimize = append(b.optimize, step)
			b.carry(t, b.Work)
			op := b.operation(t, id)
			if op.Status != test.want {
				t.Fatalf("the apply is %s: %+v", op.Status, op.Failure)
			}
			if test.want == operation.StatusFailed && (op.Failure.Code != domain.ItemChanged || !cmp.Equal(before, b.parts(t))) {
				t.Errorf("the apply failed with %s and wrote:\n%s", op.Failure.Code, cmp.Diff(before, b.parts(t)))
			}
			if test.after && (!cmp.Equal(before, b.parts(t)) || platform.writes != 1) {
				t.Error("the write was repeated")
			}
			if test.want == operation.StatusSucceeded && len(b.work(t, id).Applied()) != len(p.Changes) {
				t.Errorf("the log says that %d of %d objects were written", len(b.work(t, id).Applied()), len(p.Changes))
			}
			if err := work.CarryOptimize(t.Context(), b.Work, step, 0); err != nil {
				t.Errorf("the step once more: %v", err)
			}
			if _, err := b.Optimizations.StartPreview(t.Context(), b.ana(), workspace, good, "descriptions"); err != nil {
				t.Error(err)
			}
			if n := b.used(t, account.OptimizationApplies, account.Day); n != 1 {
				t.Errorf("%d applies are spent", n)
			}
		})
	}
}

// An edit of something else between preview and write is kept by the write and by
// the revert, and fails neither (docs/decisions.md 8.3).
//
// proves: decisions/8/3
func TestAnUnrelatedEditSurvives(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	id := b.apply(t, b.preview(t, optimization.Descriptions))
	edit := func(from, to string) {
		t.Helper()
		data, err := os.ReadFile(b.file("tables/Sales.tmdl"))
		if err != nil || !strings.Contains(string(data), from) {
			t.Fatalf("%v: %q is not there", err, from)
		}
		write(t, b.file("tables/Sales.tmdl"), strings.Replace(string(data), from, to, 1))
	}
	edit("[M03] * 2", "[M03] * 22")
	if s := b.read(t, id); s != operation.StatusSucceeded {
		t.Fatalf("the apply is %s: %+v", s, b.operation(t, id).Failure)
	}
	edit("[M03] * 3", "[M03] * 33")
	if s := b.read(t, b.revert(t, id)); s != operation.StatusSucceeded {
		t.Fatal("the revert is", s)
	}
	want := strings.NewReplacer("[M03] * 2", "[M03] * 22", "[M03] * 3", "[M03] * 33").Replace(retail)
	if d := cmp.Diff(want, b.parts(t)["/definition/tables/Sales.tmdl"]); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// The second write of properties starts when the person who started the operation
// reads it: once, however many reads there are at once.
//
// proves: 4.5/apply/6 5/5
func TestOwnersReadStartsTheNextWriteOnce(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	id := b.apply(t, b.preview(t, optimization.Properties))
	b.carry(t, b.Work)
	if op := b.operation(t, id); op.Status != operation.StatusRunning || !op.Waits {
		t.Fatalf("after the first write the apply is %s, waiting %v", op.Status, op.Waits)
	}
	if n := b.Count(t, `SELECT count(*) FROM step_tokens`); n != 0 {
		t.Errorf("%d tokens are stored while no step is enqueued", n)
	}
	events := b.Count(t, `SELECT count(*) FROM events`)
	bob, reader := b.ana(), b.ana()
	bob.PersonID = "bob"
	reader.MayWrite = false
	for _, who := range []commands.Caller{bob, reader} {
		check(t, b.resume(t.Context(), who, id))
	}
	if n := b.Count(t, `SELECT count(*) FROM events`); n != events || len(b.optimize) != 0 {
		t.Fatalf("a read by another person, or with a token that may only read, started %d steps", len(b.optimize))
	}
	var reads sync.WaitGroup
	var mu sync.Mutex
	var failed []error
	b.Jobs = &counting{bench: b, mu: &mu}
	for range 10 {
		reads.Go(func() {
			if err := b.resume(context.Background(), b.ana(), id); err != nil {
				mu.Lock()
				failed = append(failed, err)
				mu.Unlock()
			}
		})
	}
	reads.Wait()
	if len(failed) > 0 || len(b.optimize) != 1 {
		t.Fatalf("ten reads started %d writes: %v", len(b.optimize), failed)
	}
	if s := b.read(t, id); s != operation.StatusSucceeded {
		t.Errorf("the apply is %s", s)
	}
	if n := b.used(t, account.OptimizationApplies, account.Day); n != 2 {
		t.Errorf("%d applies are spent, want one for each write", n)
	}
}

// counting accepts steps from many goroutines.
type counting struct {
	*bench
	mu *sync.Mutex
}

// Optimize implements commands.Jobs.
func (c *counting) Optimize(ctx context.Context, tx pgx.Tx, of commands.Origin, step optimization.Step) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bench.Optimize(ctx, tx, of, step)
}

// An apply that waits too long for its owner releases the lock, when another call
// needs it or when the service sweeps.
func TestUnreadApplyReleasesLock(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	none := "none"
	start := func() (commands.Accepted, error) {
		return b.Optimizations.StartApply(t.Context(), b.ana(), workspace, good, "descriptions", optimization.ApplyPreview{Approval: &none})
	}
	a, err := start()
	first := b.accepted(t, a, err)
	b.carry(t, b.Work)
	before := b.parts(t)
	b.Clock.Advance(24 * time.Hour)
	if _, err := start(); !domain.IsRefused(err, domain.OperationInProgress) {
		t.Fatalf("got %v while the first waits", err)
	}
	b.Clock.Advance(time.Second)
	a, err = start()
	second := b.accepted(t, a, err)
	if op := b.operation(t, first); op.Status != operation.StatusFailed || op.Failure.Code != domain.OptimizationFailed || !cmp.Equal(before, b.parts(t)) {
		t.Errorf("the first is %s: %+v", op.Status, op.Failure)
	}
	b.carry(t, b.Work)
	b.Clock.Advance(25 * time.Hour)
	check(t, b.Operations.LapseOverdue(t.Context()))
	if op := b.operation(t, second); op.Status != operation.StatusFailed {
		t.Errorf("the second is %s", op.Status)
	}
	if overdue, err := b.Views.Overdue(t.Context(), b.Now(), 10); err != nil || len(overdue) != 0 {
		t.Errorf("%v are still overdue, %v", overdue, err)
	}
}

// A bundle runs its kinds in order on its owner's reads, and its revert restores
// them in reverse order.
func TestBundle(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	before := b.parts(t)
	a, err := b.Optimizations.StartBundle(t.Context(), b.ana(), workspace, good, nil, "none")
	id := b.accepted(t, a, err)
	if s := b.read(t, id); s != operation.StatusSucceeded {
		t.Fatalf("the bundle is %s: %+v", s, b.operation(t, id).Failure)
	}
	bundle, err := b.Views.Bundle(t.Context(), id)
	check(t, err)
	want := map[optimization.Kind]optimization.ChildStanding{
		optimization.AIInstructions: optimization.ChildApplied, optimization.Descriptions: optimization.ChildApplied,
		optimization.Properties: optimization.ChildApplied, optimization.AIDataSchema: optimization.ChildSkipped,
	}
	for _, c := range bundle.Children {
		if c.Standing != want[c.Kind] || c.PreviewID == nil {
			t.Errorf("%s is %s: %s", c.Kind, c.Standing, c.Message)
		}
	}
	if n := b.used(t, account.OptimizationApplies, account.Day); n != 4 {
		t.Errorf("%d applies are spent, want 1 + 1 + 2", n)
	}
	a, err = b.Optimizations.StartBundleRevert(t.Context(), b.ana(), workspace, good, id.String())
	undo := b.accepted(t, a, err)
	reverting, err := b.Views.Bundle(t.Context(), undo)
	check(t, err)
	order := []optimization.Kind{optimization.Properties, optimization.Descriptions, optimization.AIInstructions}
	if !slices.EqualFunc(reverting.Children, order, func(c optimization.Child, k optimization.Kind) bool { return c.Kind == k }) {
		t.Errorf("the reverting children are %v", reverting.Children)
	}
	if s := b.read(t, undo); s != operation.StatusSucceeded {
		t.Fatalf("the revert is %s: %+v", s, b.operation(t, undo).Failure)
	}
	if d := cmp.Diff(before, b.parts(t)); d != "" {
		t.Errorf("after the revert (-before +after):\n%s", d)
	}
	if bundle, err = b.Views.Bundle(t.Context(), id); err != nil || bundle.Standing() != optimization.Reverted {
		t.Errorf("the bundle is %s, %v", bundle.Standing(), err)
	}
	_, err = b.Optimizations.StartBundleRevert(t.Context(), b.ana(), workspace, good, id.String())
	if !domain.IsRefused(err, domain.InvalidRequest) {
		t.Errorf("a second revert: %v", err)
	}
}
