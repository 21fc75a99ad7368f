package projections_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/internal/pgtest"
	"readiness/projections"
)

// A page of the history is found by an index whatever is asked for: nothing reads the whole log.
func TestHistoryIsFoundByIndex(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	codec, err := eventstore.NewCodec(eventstore.Events(trackeditem.Renamed{}, trackeditem.Gone{})...)
	if err != nil {
		t.Fatal(err)
	}
	log := eventstore.New(pool, codec, eventstore.Options{})
	operations := make([]uuid.UUID, 40)
	for i := range operations {
		operations[i] = uuid.New()
		past := eventstore.FoldLast[trackeditem.Item](fmt.Sprintf("thing-%d", i))
		meta := eventstore.Metadata{Account: fmt.Sprint("account", i%4), Person: fmt.Sprint("person", i), OperationID: operations[i].String()}
		events := slices.Repeat([]domain.Event{trackeditem.Renamed{}}, 250)
		events[i] = trackeditem.Gone{}
		if err := log.Change(t.Context(), meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
			return eventstore.Decide(c, past, recordAll(events))
		}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pool.Exec(t.Context(), `VACUUM ANALYZE events`); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(time.Hour)
	for name, tt := range map[string]struct {
		query projections.AuditQuery
		index string // "" for any
	}{
		"all":          {projections.AuditQuery{}, ""},
		"a stream":     {projections.AuditQuery{Stream: "thing-5"}, "events_stream_version_key"},
		"a type":       {projections.AuditQuery{Type: "trackeditem.deleted"}, "events_account_id_type_position_idx"},
		"a person":     {projections.AuditQuery{Person: "person5"}, "events_account_id_person_position_idx"},
		"an operation": {projections.AuditQuery{OperationID: &operations[5]}, "events_account_id_operation_position_idx"},
		"since":        {projections.AuditQuery{Since: &soon}, "events_account_id_recorded_at_idx"},
	} {
		tt.query.AccountID, tt.query.Limit = "account1", 10
		sql, args := projections.AuditSQL(tt.query, 1<<40)
		rows, err := pool.Query(t.Context(), "EXPLAIN "+sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if plan := strings.Join(lines, "\n"); strings.Contains(plan, "Seq Scan") || !strings.Contains(plan, tt.index) {
			t.Errorf("%s: want %s in\n%s", name, tt.index, plan)
		}
	}
}

type recordAll []domain.Event

func (r recordAll) Decide(trackeditem.Item) ([]domain.Event, error) { return r, nil }
