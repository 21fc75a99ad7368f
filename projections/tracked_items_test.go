package projections_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/pgtest"
)

// tracker appends events of tracked items and reads the view.
type tracker struct {
	log    *eventstore.Store
	engine *projections.Engine
	views  *projections.Views
}

func newTracker(t *testing.T) tracker {
	t.Helper()
	pool := pgtest.Pool(t)
	codec, err := eventstore.NewCodec(eventstore.Events(trackeditem.Reserved{}, trackeditem.Claimed{}, trackeditem.Deleted{}, trackeditem.Renamed{}, trackeditem.TrackedAgain{})...)
	if err != nil {
		t.Fatal(err)
	}
	k := tracker{engine: projections.NewEngine(pool, projections.TrackedItems)}
	k.log = eventstore.New(pool, codec, eventstore.Options{Inline: k.engine.Inline})
	k.views = &projections.Views{Pool: pool, Store: k.log}
	if err := k.engine.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return k
}

// decide runs the commands on an item and returns its state after them.
func (k tracker) decide(t *testing.T, accountID string, id uuid.UUID, commands ...domain.Command[trackeditem.Item]) trackeditem.Item {
	t.Helper()
	past := eventstore.FoldLast[trackeditem.Item](trackeditem.Stream(accountID, id))
	err := k.log.Change(t.Context(), eventstore.Metadata{Account: accountID}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		for _, command := range commands {
			if err := eventstore.Decide(c, past, command); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return past.State
}

// walk reads every page of the query.
func (k tracker) walk(t *testing.T, q projections.TrackedItemsQuery, between func(page int)) (all []trackeditem.Item) {
	t.Helper()
	for page := 0; ; page++ {
		got, err := k.views.TrackedItems(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, got...)
		if len(all) > 100 {
			t.Fatalf("the list does not end: %+v", q)
		}
		if len(got) < q.Limit {
			return all
		}
		last := got[len(got)-1]
		q.After = &projections.TrackedItemCursor{TrackedSince: last.TrackedSince, ItemID: last.ItemID}
		between(page)
	}
}

var claimedFrom = time.Date(2026, 11, 21, 12, 0, 0, 1000, time.UTC)

// claimed is an item that an operation turns into a tracked item.
type claimed struct {
	trackeditem.Reserve
	trackeditem.Claim
}

func claimOf(n int) claimed {
	by := uuid.UUID{14: 1, 15: byte(n)}
	return claimed{trackeditem.Reserve{
		OperationID: by, ItemID: uuid.UUID{14: byte(n * 7), 15: byte(n)}, ItemType: item.SemanticModel, WorkspaceID: uuid.UUID{15: byte(n%2 + 1)},
		DisplayName: fmt.Sprint("Model ", n), LicenseID: []string{"main", "eu", ""}[n%3],
	}, trackeditem.Claim{
		OperationID: by, Via: trackeditem.ViaAssessment,
		At: claimedFrom.Add(time.Duration(n/4) * time.Microsecond), // several at the same time
	}}
}

func (c claimed) commands() []domain.Command[trackeditem.Item] {
	return []domain.Command[trackeditem.Item]{c.Reserve, c.Claim}
}

func (c claimed) again() trackeditem.TrackAgain {
	return trackeditem.TrackAgain{WorkspaceID: c.WorkspaceID, DisplayName: c.DisplayName}
}

// Pages of tracked items: for every license or one, for all items or the active ones, of one account,
// with any page size. A rebuild makes the same rows.
//
// proves: 2.1/paged-trackedItems decisions/8/9
func TestTrackedItemsPages(t *testing.T) {
	t.Parallel()
	k := newTracker(t)
	var want []trackeditem.Item
	for n := range 20 {
		c := claimOf(n)
		commands := c.commands()
		switch n % 5 {
		case 1:
			commands = append(commands, trackeditem.Rename{DisplayName: fmt.Sprint("Renamed ", n)})
		case 2:
			commands = append(commands, trackeditem.MarkDeleted{WorkspaceID: c.WorkspaceID, At: c.At.Add(time.Hour)})
		case 3:
			commands = append(commands, trackeditem.MarkDeleted{WorkspaceID: c.WorkspaceID, At: c.At.Add(time.Hour)}, c.again())
		}
		want = append(want, k.decide(t, "acme", c.ItemID, commands...))
	}
	// The same item may also belong to another account.
	theirs := k.decide(t, "other", claimOf(0).ItemID, claimOf(0).commands()...)
	slices.SortFunc(want, func(a, b trackeditem.Item) int {
		return cmp.Or(a.TrackedSince.Compare(b.TrackedSince), slices.Compare(a.ItemID[:], b.ItemID[:]))
	})
	check := func(t *testing.T) {
		t.Helper()
		for _, license := range []string{"", "main", "eu", "none"} {
			for _, active := range []bool{false, true} {
				expected := slices.DeleteFunc(slices.Clone(want), func(i trackeditem.Item) bool {
					return license != "" && i.LicenseID != license || active && i.Status != trackeditem.StatusTracked
				})
				for _, limit := range []int{1, 3, 20, 21} {
					q := projections.TrackedItemsQuery{AccountID: "acme", LicenseID: license, ActiveOnly: active, Limit: limit}
					if d := gocmp.Diff(expected, append([]trackeditem.Item{}, k.walk(t, q, func(int) {})...)); d != "" {
						t.Errorf("license %q, active only %v, pages of %d (-want +got):\n%s", license, active, limit, d)
					}
				}
			}
		}
		if d := gocmp.Diff([]trackeditem.Item{theirs}, k.walk(t, projections.TrackedItemsQuery{AccountID: "other", Limit: 2}, func(int) {})); d != "" {
			t.Errorf("of the other account (-want +got):\n%s", d)
		}
	}
	check(t)
	r, err := k.engine.Rebuild(t.Context(), k.log, "tracked_items", projections.RebuildOptions{Diff: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Diff == nil || !r.Diff.None() {
		t.Errorf("a rebuild differs: %+v", r.Diff)
	}
	check(t)

	in, err := k.views.TrackedIn(t.Context(), "acme", uuid.UUID{15: 1}, item.SemanticModel)
	if err != nil || len(in) != 10 {
		t.Errorf("%d items in the workspace (%v), want 10", len(in), err)
	}
	for _, c := range []struct {
		account   string
		workspace uuid.UUID
		kind      item.Type
	}{{"nobody", uuid.UUID{15: 1}, item.SemanticModel}, {"acme", uuid.UUID{15: 9}, item.SemanticModel}, {"acme", uuid.UUID{15: 1}, item.Report}} {
		if in, err := k.views.TrackedIn(t.Context(), c.account, c.workspace, c.kind); err != nil || len(in) > 0 {
			t.Errorf("%+v: got %v (%v)", c, in, err)
		}
	}
}

// An item that is claimed or changed between two pages neither repeats nor hides another.
func TestTrackedItemsBetweenPages(t *testing.T) {
	t.Parallel()
	k := newTracker(t)
	for n := range 6 {
		k.decide(t, "acme", claimOf(n).ItemID, claimOf(n).commands()...)
	}
	seen := map[uuid.UUID]int{}
	for _, i := range k.walk(t, projections.TrackedItemsQuery{AccountID: "acme", Limit: 2}, func(page int) {
		k.decide(t, "acme", claimOf(10+page).ItemID, claimOf(10+page).commands()...)
		gone := claimOf(page)
		k.decide(t, "acme", gone.ItemID, trackeditem.MarkDeleted{WorkspaceID: gone.WorkspaceID, At: gone.At})
	}) {
		seen[i.ItemID]++
	}
	for n := range 6 {
		if id := claimOf(n).ItemID; seen[id] != 1 {
			t.Errorf("item %d was listed %d times", n, seen[id])
		}
	}
}
