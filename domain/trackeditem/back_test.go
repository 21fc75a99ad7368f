package trackeditem_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/trackeditem"
)

// Removing Pixies from a report that was marked Deleted shows that it exists. It
// becomes Removed and still counts.
func TestRemovalFromDeletedReport(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		kind item.Type
		want trackeditem.Status
	}{{item.Report, trackeditem.StatusRemoved}, {item.SemanticModel, trackeditem.StatusDeleted}} {
		i := trackeditem.Item{ItemID: uuid.Nil, ItemType: test.kind, Status: trackeditem.StatusDeleted, TrackedSince: at, DeletedAt: &at}
		events, err := trackeditem.RemovePixies{}.Decide(i)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			i = trackeditem.Evolve(i, e)
		}
		if i.Status != test.want || (i.DeletedAt == nil) != (test.want == trackeditem.StatusRemoved) || !i.Counts() {
			t.Errorf("a %s becomes %s, deleted at %v", test.kind, i.Status, i.DeletedAt)
		}
	}
}
