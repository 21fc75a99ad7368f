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

// intruder is a platform where something happens once, after a read or before a
// write.
type intruder struct {
	work.Platform
	behindRead, beforeWrite func()
	writes                  int
}

func once(f *func()) {
	if now := *f; now != nil {
		*f = nil
		now()
	}
}

func (p *intruder) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	d, err := p.Platform.Definition(ctx, as, it)
	once(&p.behindRead)
	return d, err
}

func (p *intruder) WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error {
	once(&p.beforeWrite)
	p.writes++
	return p.Platform.WriteDefinition(ctx, as, it, d, ifHash)
}

// idsOf returns the ids of the Pixies in a report, by page.
func (b *bench) idsOf(t *testing.T, id uuid.UUID) map[string]string {
	t.Helper()
	found := map[string]string{}
	for path, text := range b.bytes(t, id) {
		if _, address, ok := strings.Cut(text, "https://views.example/p/"); ok {
			found[strings.Split(path, "/")[3]], _, _ = strings.Cut(address, ".gif")
		}
	}
	return found
}

// A worker may lose its step to another without knowing, when the database is
// unavailable and its lock is lost. Whatever the other did meanwhile, the first
// writes nothing that is not recorded, and counts nothing.
func TestTwoWorkersOnOneReport(t *testing.T) {
	t.Parallel()
	for name, behindRead := range map[string]bool{"after it read": true, "when it was about to write": false} {
		for _, removed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, removed since: %t", name, removed), func(t *testing.T) {
				t.Parallel()
				b := newReporting(t)
				before := b.bytes(t, report1)
				id := b.pixiesOf(t, pixies.Adds, report1)
				step := b.pixies[0]
				meanwhile := func() {
					b.change(t, b.Work)
					if removed {
						b.pixiesOf(t, pixies.Removes, report1)
						b.change(t, b.Work)
					}
				}
				platform := &intruder{Platform: b.Work.Platform}
				if behindRead {
					platform.behindRead = meanwhile
				} else {
					platform.beforeWrite = meanwhile
				}
				if !behindRead && removed {
					// A write at the very moment of the removal's end cannot be
					// distinguished from a write before it: the definition is the
					// same.
					platform.beforeWrite = func() {
						b.change(t, b.Work)
						write(t, filepath.Join(b.report(report1), "definition", "version.json"), `{"version":"2.0.1"}`)
						before["/definition/version.json"] = `{"version":"2.0.1"}`
						b.pixiesOf(t, pixies.Removes, report1)
						b.change(t, b.Work)
					}
				}
				o := b.Work
				o.Platform = platform
				check(t, work.CarryPixies(t.Context(), o, step, 0))
				standing := b.standing(t, report1)
				if removed {
					if d := cmp.Diff(before, b.bytes(t, report1)); d != "" || standing.Status != pixies.StatusPixiesRemoved {
						t.Errorf("the report is %s, and changed (-before +after):\n%s", standing.Status, d)
					}
				} else if d := cmp.Diff(standing.Known(), b.idsOf(t, report1)); d != "" || standing.Status != pixies.StatusHasPixies {
					t.Errorf("the report is %s, and the ids are not the recorded ones:\n%s", standing.Status, d)
				}
				if n := b.Count(t, `SELECT count(*) FROM events WHERE type = 'trackeditem.claimed'`); n != 1 || b.operation(t, id).Status != operation.StatusSucceeded {
					t.Errorf("%d claims, and the operation is %s", n, b.operation(t, id).Status)
				}
			})
		}
	}
}

// Two workers that began at once use the ids of the one that recorded them first,
// even if neither has ended.
func TestTwoWorkersAgreeOnIDs(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	id := b.pixiesOf(t, pixies.Adds, report1)
	step := b.pixies[0]
	first, second := b.Work, b.Work
	second.Platform = &struck{Platform: b.Work.Platform, after: true}
	first.Platform = &intruder{Platform: b.Work.Platform, behindRead: func() {
		if err := work.CarryPixies(t.Context(), second, step, 0); !errors.Is(err, errStruck) {
			t.Error(err)
		}
	}}
	check(t, work.CarryPixies(t.Context(), first, step, 0))
	if n := b.Count(t, `SELECT count(*) FROM events WHERE type = 'pixies.change-intended'`); n != 1 {
		t.Errorf("the intent was recorded %d times", n)
	}
	if d := cmp.Diff(b.standing(t, report1).Known(), b.idsOf(t, report1)); d != "" || b.operation(t, id).Status != operation.StatusSucceeded {
		t.Errorf("the ids are not the recorded ones:\n%s", d)
	}
}

// The copy has the definition that the write replaced, not one that an editor
// replaced meanwhile.
//
// proves: 8/definition-copy
func TestTheCopyHasWhatWasReplaced(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	d := account.Declaration{
		AccountID: "contoso", Plan: account.Team, Status: account.Active, People: []account.Person{{Person: item.Person{ID: "ana"}, Role: account.Admin}},
		Settings: account.Settings{AddPixies: true, AIFeatures: true, DefinitionCopies: account.CopiesKeep30Days},
	}
	if _, err := b.Accounts.Apply(t.Context(), []account.Declaration{d}); err != nil {
		t.Fatal(err)
	}
	const theirs = `{"version":"2.0.1"}`
	for _, verb := range []pixies.Verb{pixies.Adds, pixies.Removes} {
		write(t, filepath.Join(b.report(report1), "definition", "version.json"), `{"version":"2.0.0"}`)
		id := b.pixiesOf(t, verb, report1)
		o := b.Work
		o.Platform = &intruder{Platform: o.Platform, beforeWrite: func() {
			write(t, filepath.Join(b.report(report1), "definition", "version.json"), theirs)
		}}
		b.change(t, o)
		body, err := b.Work.Documents.Get(t.Context(), b.run(t, id).Intended[report1].CopyHash)
		if err != nil {
			t.Fatalf("%s: %v", verb, err)
		}
		var kept pixies.Copy
		check(t, json.Unmarshal(body, &kept))
		if text, _ := definition.New(kept.Parts...).Part("definition/version.json"); string(text) != theirs {
			t.Errorf("%s: restoring the copy would undo another person's edit", verb)
		}
	}
	// A change without effect is not written, and no copy is kept.
	b.pixiesOf(t, pixies.Adds, report1)
	b.change(t, b.Work)
	id := b.pixiesOf(t, pixies.Adds, report1)
	platform := &intruder{Platform: b.Work.Platform}
	o := b.Work
	o.Platform = platform
	b.change(t, o)
	if r, _ := b.run(t, id).Result(report1); r.Outcome != pixies.OutcomeUpdated || platform.writes > 0 || b.run(t, id).Intended[report1].CopyHash != "" {
		t.Errorf("an update without effect is %s, with %d writes and the copy %q", r.Outcome, platform.writes, b.run(t, id).Intended[report1].CopyHash)
	}
}

// A report deleted during an operation on it is recorded as deleted, whether a
// listing or the step notices.
//
// proves: 3.3/HasPixies-ReportDeleted decisions/8/8
func TestAHeldReportThatIsDeleted(t *testing.T) {
	t.Parallel()
	for _, listed := range []bool{false, true} {
		b := newReporting(t)
		b.pixiesOf(t, pixies.Adds, report1)
		b.change(t, b.Work)
		id := b.pixiesOf(t, pixies.Removes, report1)
		check(t, os.RemoveAll(b.report(report1)))
		if listed {
			if _, err := b.Workspaces.Reports(t.Context(), b.ana(), workspace); err != nil {
				t.Fatal(err)
			}
			if r := b.standing(t, report1); r.Holder == nil || *r.Holder != id {
				t.Fatalf("the listing released the report: %+v", r)
			}
		}
		b.change(t, b.Work)
		if op := b.operation(t, id); op.Status != operation.StatusFailed || op.Failure.Code != domain.ItemNotFound {
			t.Errorf("listed %t: the run is %s: %+v", listed, op.Status, op.Failure)
		}
		if r := b.standing(t, report1); r.Status != pixies.StatusReportDeleted || r.Holder != nil {
			t.Errorf("listed %t: the report is %s, locked by %v", listed, r.Status, r.Holder)
		}
		if i := b.tracked(t, report1); i.Status != trackeditem.StatusDeleted {
			t.Errorf("listed %t: the item is %s", listed, i.Status)
		}
	}
}

// An addition that was written, but whose token expired before the write was
// recorded, has failed and claims nothing. Its removal leaves nothing, on disk or
// in the list of tracked items.
func TestUnendedAddition(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	before := b.bytes(t, report1)
	id := b.pixiesOf(t, pixies.Adds, report1)
	o := b.Work
	o.Platform = &struck{Platform: o.Platform, after: true}
	if err := work.CarryPixies(t.Context(), o, b.pixies[0], 0); !errors.Is(err, errStruck) {
		t.Fatal(err)
	}
	b.Clock.Advance(25 * time.Hour)
	b.change(t, b.Work)
	if op := b.operation(t, id); op.Status != operation.StatusFailed || *op.Impact.TrackedItems != 0 || b.standing(t, report1).Holder != nil {
		t.Fatalf("the addition is %s, with %+v", op.Status, op.Impact)
	}
	b.pixiesOf(t, pixies.Removes, report1)
	b.change(t, b.Work)
	if d := cmp.Diff(before, b.bytes(t, report1)); d != "" || b.tracked(t, report1).Counts() {
		t.Errorf("the item is %s; the report (-before +after):\n%s", b.tracked(t, report1).Status, d)
	}
}

// A version conflict is not an outcome of a report. A fault that repeats becomes
// one in the end.
func TestFaultsThatKeepAReport(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	id := b.pixiesOf(t, pixies.Adds, report1)
	step := b.pixies[0]
	o := b.Work
	busy := fmt.Errorf("%w: %w", eventstore.ErrConflict, domain.Refuse(domain.OperationInProgress, "others were changing it"))
	o.Platform = &failing{Platform: b.Work.Platform, fail: func() error { return busy }}
	if err := work.CarryPixies(t.Context(), o, step, 0); !errors.Is(err, eventstore.ErrConflict) {
		t.Errorf("got %v, want another attempt", err)
	}
	o.Platform = &failing{Platform: b.Work.Platform, fail: func() error { panic("a fault") }}
	if err := work.CarryPixies(t.Context(), o, step, 0); err == nil {
		t.Error("a fault is worth another attempt")
	}
	if r := b.standing(t, report1); r.Holder == nil {
		t.Fatal("the report was released")
	}
	check(t, work.CarryPixiesSince(t.Context(), o, step, work.Patience, b.Now().Add(-work.FaultLife-1)))
	if op := b.operation(t, id); op.Status != operation.StatusFailed || b.standing(t, report1).Holder != nil {
		t.Errorf("the run is %s, and the report is locked by %v", op.Status, b.standing(t, report1).Holder)
	}
}

// failing is a platform that cannot be read.
type failing struct {
	work.Platform
	fail func() error
}

func (p *failing) Definition(context.Context, item.Caller, item.Item) (definition.Definition, error) {
	return definition.Definition{}, p.fail()
}
