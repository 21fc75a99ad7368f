package auditoracles_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
)

// Running totals that do not add up are found with their position also where every hash was computed again.
func TestChangedTotalsAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fresh(t))
	allowance, items := eventstore.FoldLast[account.Usage]("allowance-acme-assessments-2026-11-21"), eventstore.FoldLast[room.Total](room.Stream("acme"))
	ids := []uuid.UUID{uuid.New(), uuid.New()}
	for _, c := range []domain.Command[account.Usage]{
		account.Spend{Kind: account.Assessments, Amount: 3}, account.Spend{Kind: account.Assessments, Amount: 2}, account.Refund{Kind: account.Assessments, Amount: 2},
	} {
		w.must(w.Store.Change(t.Context(), eventstore.Metadata{Account: "acme"}, []eventstore.Loadable{allowance}, func(change *eventstore.Change) error {
			return eventstore.Decide(change, allowance, c)
		}))
	}
	for _, c := range []domain.Command[room.Total]{
		room.Reserve{ItemIDs: ids}, room.Count{ItemIDs: ids[:1]}, room.Release{ItemIDs: ids[1:]},
	} {
		w.must(w.Store.Change(t.Context(), eventstore.Metadata{Account: "acme"}, []eventstore.Loadable{items}, func(change *eventstore.Change) error {
			return eventstore.Decide(change, items, c)
		}))
	}
	verified := func() (found []string) {
		t.Helper()
		_, err := w.Store.Verify(t.Context(), eventstore.VerifyOptions{Found: func(m eventstore.Mismatch) { found = append(found, m.String()) }})
		w.must(err)
		return found
	}
	if found := verified(); len(found) != 0 {
		t.Fatalf("as written: %q", found)
	}
	for stream, change := range map[string]struct{ from, to, says string }{
		allowance.Stream: {`"used":5`, `"used":4`, "position 2, stream allowance-acme-assessments-2026-11-21, version 2: used is 4, and the amounts up to it add up to 5: 3 and +2"},
		items.Stream:     {`"used":1`, `"used":0`, "position 5, stream trackeditems-acme, version 2: 0 items are used and 1 reserved, and the changes up to it add up to 1 and 1"},
	} {
		w.as(`UPDATE events SET data = replace(data::text, $1, $2)::json WHERE stream = $3 AND version = 2`, change.from, change.to, stream)
		w.chain(stream)
		found := verified()
		if len(found) != 2 || found[0] != change.says || !strings.Contains(found[1], "version 3") { // the next follows from the true one
			t.Errorf("%s: found %q", stream, found)
		}
		w.as(`UPDATE events SET data = replace(data::text, $2, $1)::json WHERE stream = $3 AND version = 2`, change.from, change.to, stream)
		w.chain(stream)
	}
}
