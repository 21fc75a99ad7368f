package work_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/testlog"
	"readiness/test/testworld"
	"readiness/work"
)

// lines returns the export of the log.
func (b *bench) lines(t *testing.T) []string {
	t.Helper()
	var out bytes.Buffer
	_, err := b.Store.Export(t.Context(), &out, eventstore.NDJSON, eventstore.Selection{})
	check(t, err)
	return slices.Collect(strings.Lines(out.String()))
}

// imported returns a service on the same folder whose log was imported from the lines. It has none of the tokens, jobs and documents.
func (b *bench) imported(t *testing.T, lines []string) *bench {
	t.Helper()
	to := &bench{access: b.access}
	to.World = testworld.New(t, testworld.Options{Pool: testlog.Pool(t), Root: b.Root, Clock: b.Clock,
		Access: func(context.Context, item.Caller) (map[item.Permission]item.Access, error) { return b.access, nil }})
	to.Jobs = to
	to.Pixies.CollectorURL = b.Pixies.CollectorURL
	_, err := to.Store.Import(t.Context(), strings.NewReader(strings.Join(lines, "")), eventstore.ImportOptions{After: to.Engine.WithdrawAll})
	check(t, err)
	rows, err := b.Pool.Query(t.Context(), `SELECT account_id, key FROM account_keys`) // as the operator copies them
	check(t, err)
	keys, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) ([]any, error) { return r.Values() })
	check(t, err)
	_, err = to.Pool.CopyFrom(t.Context(), pgx.Identifier{"account_keys"}, []string{"account_id", "key"}, pgx.CopyFromRows(keys))
	check(t, err)
	for _, v := range projections.All() {
		if v.Inline {
			_, err := to.Engine.Rebuild(t.Context(), to.Store, v.Name, projections.RebuildOptions{})
			check(t, err)
		}
	}
	return to
}

// endImported ends the work of the imported log by two processes at the same time, and returns how many operations they ended.
func (b *bench) endImported(t *testing.T) int {
	t.Helper()
	var n atomic.Int64
	var both errgroup.Group
	for range 2 {
		queue, err := work.NewQueue(b.Work)
		check(t, err)
		both.Go(func() error {
			ended, err := queue.EndImported(t.Context())
			n.Add(int64(ended))
			return err
		})
	}
	check(t, both.Wait())
	return int(n.Load())
}

// standsStill fails the test unless nothing continues: no operation is left, no step is enqueued, not even by a read of the owner, and no
// bundle has a kind that runs or will.
func (b *bench) standsStill(t *testing.T) {
	t.Helper()
	if n := b.Count(t, `SELECT count(*) FROM operations_v6 WHERE status IN ('NotStarted', 'Running')`); n != 0 {
		t.Errorf("%d operations have not ended", n)
	}
	who := b.signsIn(t)
	for _, op := range b.operations(t) {
		if err := b.resume(t.Context(), who, op.ID); err != nil && !domain.IsRefused(err, domain.UserNotRegistered) {
			t.Errorf("the owner's read of %s: %v", op.Type, err)
		}
		bundle := eventstore.Fold(operation.Stream(op.ID), optimization.EvolveBundle)
		check(t, b.Store.Load(t.Context(), bundle))
		for _, child := range bundle.State.Children {
			if slices.Contains([]optimization.ChildStanding{optimization.ChildNotStarted, optimization.ChildRunning}, child.Standing) ||
				child.PreviewStanding == optimization.ChildRunning {
				t.Errorf("%s: %s is %s", op.Type, child.Kind, child.Standing)
			}
		}
	}
	queue, err := work.NewQueue(b.Work)
	check(t, err)
	b.Clock.Advance(2 * work.FaultLife)
	if n, err := work.FindLost(t.Context(), queue); n != 0 || err != nil {
		t.Errorf("%d steps were found, %v", n, err)
	}
	if left := append(b.enqueued(t), b.jobs(t)...); len(left) != 0 {
		t.Errorf("enqueued: %q", left)
	}
}

// holdsNothing fails the test if a lock or room for tracked items is held.
func (b *bench) holdsNothing(t *testing.T) {
	t.Helper()
	lock := eventstore.FoldLast[optimization.Standing](optimization.Stream("contoso", good))
	check(t, b.Store.Load(t.Context(), lock))
	if _, reserved := b.room(t); reserved != 0 || lock.State.Holder != nil {
		t.Errorf("%d items are reserved, the lock is held by %v", reserved, lock.State.Holder)
	}
}

// resting starts work of the kinds that wait, or whose last write is in doubt.
var resting = map[string]unended{
	"apply that waits": {newOptimizing, func(t *testing.T, b *bench) {
		b.apply(t, b.preview(t, optimization.Properties))
		b.carry(t, b.Work)
	}},
	"apply in doubt": {newOptimizing, func(t *testing.T, b *bench) {
		b.apply(t, b.preview(t, optimization.Properties))
		o := b.Work
		o.Platform = &struck{Platform: b.Work.Platform, after: true}
		if err := work.CarryOptimize(t.Context(), o, b.optimize[0], 0); !errors.Is(err, errStruck) {
			t.Fatal(err)
		}
	}},
	"bundle apply that waits": {newOptimizing, func(t *testing.T, b *bench) {
		kinds := []string{string(optimization.Properties), string(optimization.Descriptions)}
		a, err := b.Optimizations.StartBundle(t.Context(), b.ana(), workspace, good, &kinds, optimization.NoApproval)
		b.accepted(t, a, err)
		b.carry(t, b.Work)
	}},
	"run that waits": {newBench, func(t *testing.T, b *bench) {
		b.saveQuestions(t, good, 2, 1)
		b.create(t, nil)
		b.carried(t, &respondent{})
	}},
	"assessments that wait for a sign-in": {newBench, func(t *testing.T, b *bench) {
		id := b.start(t, good, broken)
		recorder := commands.Recorder{Store: b.Store, Vault: b.Vault, Now: b.Clock.Now}
		check(t, recorder.NeedSignIn(t.Context(), commands.Origin{AccountID: "contoso", OperationID: id}, 9, challenged))
	}},
	"pixies in doubt": {newReporting, func(t *testing.T, b *bench) {
		b.pixiesOf(t, pixies.Adds, report1, report2)
		o := b.Work
		o.Platform = &struck{Platform: b.Work.Platform, after: true}
		if err := work.CarryPixies(t.Context(), o, b.pixies[0], 0); !errors.Is(err, errStruck) {
			t.Fatal(err)
		}
	}},
}

// unfinished starts work of every kind that has not ended.
func unfinished() iter.Seq2[string, unended] {
	return func(yield func(string, unended) bool) {
		for _, all := range []map[string]unended{everyKind, resting} {
			for name, c := range all {
				if !yield(name, c) {
					return
				}
			}
		}
	}
}

// Work of every kind that had not ended when its log was imported ends once, with a failure that says why, before anyone can resume it.
// Nothing is written to the platform, and what the rules refund is refunded.
//
// proves: decisions/20/unfinished
func TestImportedWorkEnds(t *testing.T) {
	t.Parallel()
	for name, c := range unfinished() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := c.bench(t)
			b.declare(t)
			c.start(t, b)
			unfinished := b.Count(t, `SELECT count(*) FROM operations_v6 WHERE status IN ('NotStarted', 'Running')`)
			platform, err := testworld.Files(b.Root)
			check(t, err)
			to := b.imported(t, b.lines(t))
			if got := to.lines(t); !slices.Equal(got, b.lines(t)) {
				t.Error("the import itself changed the log")
			}
			to.Work.Platform, to.Platform = nil, nil               // nothing may reach it
			if n := to.endImported(t); n == 0 || unfinished == 0 { // fewer than are unfinished, if the end of one ends its bundle
				t.Errorf("%d of %d operations were ended", n, unfinished)
			}
			to.standsStill(t)
			to.holdsNothing(t)
			events := len(to.lines(t))
			if n := to.endImported(t); n != 0 || len(to.lines(t)) != events {
				t.Errorf("ending it again ended %d operations", n)
			}
			for _, op := range b.operations(t) {
				now := to.operation(t, op.ID)
				if op.Status.Ended() {
					if now.Status != op.Status {
						t.Errorf("%s had ended as %s, and is %s", op.Type, op.Status, now.Status)
					}
				} else if now.Status == operation.StatusFailed && !strings.Contains(now.Failure.Message, "the log was moved to another database") {
					t.Errorf("%s failed with %+v", op.Type, now.Failure)
				}
			}
			after, err := testworld.Files(b.Root)
			check(t, err)
			if d := testworld.Difference(platform, after); d != "" {
				t.Errorf("the platform changed:\n%s", d)
			}
		})
	}
}

// An operation that was accepted after the import is not ended, and a log that was not imported has nothing to end.
func TestOnlyImportedWorkEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.declare(t)
	old := b.start(t, good)
	if n := b.endImported(t); n != 0 || b.operation(t, old).Status.Ended() {
		t.Errorf("%d operations of a log that was not imported ended", n)
	}
	to := b.imported(t, b.lines(t))
	later := to.start(t, broken)
	to.endImported(t)
	if got := to.operation(t, later); got.Status.Ended() {
		t.Errorf("work that began after the import is %+v", got)
	}
	if got := to.operation(t, old); got.Failure == nil || got.Failure.Code != domain.AssessmentNotStarted || *got.Impact.Assessments != 0 {
		t.Errorf("the imported operation is %+v", got)
	}
	if id := to.start(t, good); id == uuid.Nil {
		t.Error("the model cannot be assessed again")
	}
}

// A process that stops while it ends the work leaves the rest to the next one, which ends no operation twice.
func TestEndingImportedWorkIsRepeated(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.declare(t)
	for range 3 {
		b.start(t, good)
	}
	to := b.imported(t, b.lines(t))
	stopped := errors.New("the process ended")
	all := to.Work.UnfinishedUpTo
	to.Work.UnfinishedUpTo = func(ctx context.Context, position int64, after uuid.UUID, _ int) ([]uuid.UUID, error) {
		if after != uuid.Nil {
			return nil, stopped
		}
		ids, err := all(ctx, position, after, 100)
		return slices.Repeat(ids[:1], 100), err // the first page has only the first of them
	}
	queue, err := work.NewQueue(to.Work)
	check(t, err)
	if n, err := queue.EndImported(t.Context()); n != 1 || !errors.Is(err, stopped) {
		t.Fatalf("%d operations ended, %v", n, err)
	}
	to.Work.UnfinishedUpTo = all
	if n := to.endImported(t); n < 2 {
		t.Errorf("%d operations ended", n)
	}
	to.standsStill(t)
	if n := to.Count(t, `SELECT count(*) FROM events WHERE type = 'operation.failed'`); n != 3 {
		t.Errorf("the operations failed %d times", n)
	}
}
