package projections_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/pgtest"
)

// A page of the history is found by an index for every combination of filters: no query reads the
// entire log.
func TestHistoryIsFoundByIndex(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	codec, err := eventstore.NewCodec(eventstore.Events(trackeditem.Renamed{}, trackeditem.Deleted{})...)
	if err != nil {
		t.Fatal(err)
	}
	log := eventstore.New(pool, codec, eventstore.Options{})
	if err := projections.NewEngine(pool, projections.Audit, projections.Operations).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	operations, tracked := make([]uuid.UUID, 40), uuid.New()
	for i := range operations {
		operations[i] = uuid.New()
		past := eventstore.FoldLast[trackeditem.Item](cmp.Or(map[int]string{5: trackeditem.Stream("account1", tracked)}[i], fmt.Sprintf("thing-%d", i)))
		meta := eventstore.Metadata{Account: fmt.Sprint("account", i%4), Person: fmt.Sprint("person", i), OperationID: operations[i].String()}
		events := slices.Repeat([]domain.Event{trackeditem.Renamed{}}, 250)
		events[i] = trackeditem.Deleted{}
		if err := log.Change(t.Context(), meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
			return eventstore.Decide(c, past, recordAll(events))
		}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pool.Exec(t.Context(), `VACUUM ANALYZE events`); err != nil {
		t.Fatal(err)
	}
	h := &history{pool: pool, log: log, engine: projections.NewEngine(pool, projections.Audit)}
	h.follow(t)
	h.caughtUp(t)
	if _, err := pool.Exec(t.Context(), `
		INSERT INTO audit_blocks_v1 SELECT 'more' || i % 100, i % 300, i FROM generate_series(1, 20000) i;
		INSERT INTO audit_hours_v1 SELECT 'more' || i % 100, now() - i * interval '1 h', i FROM generate_series(1, 20000) i;
		ANALYZE audit_blocks_v1_g1, audit_hours_v1_g1`); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(time.Hour)
	const blocks, hours, stream = "audit_blocks_v1_g1_pkey", "audit_hours_v1_g1_pkey", "events_stream_version_key"
	for name, tt := range map[string]struct {
		query   projections.AuditQuery
		indexes []string
	}{
		"all":                    {projections.AuditQuery{}, nil},
		"a stream":               {projections.AuditQuery{Stream: trackeditem.Stream("account1", tracked)}, []string{stream}},
		"a stream and a type":    {projections.AuditQuery{Stream: trackeditem.Stream("account1", tracked), Type: "trackeditem.deleted"}, []string{stream}},
		"a type":                 {projections.AuditQuery{Type: "trackeditem.deleted"}, []string{blocks}},
		"a frequent type":        {projections.AuditQuery{Type: "trackeditem.renamed"}, []string{blocks}},
		"a person":               {projections.AuditQuery{Person: "person5"}, []string{blocks}},
		"an operation":           {projections.AuditQuery{OperationID: &operations[5]}, []string{blocks}},
		"since":                  {projections.AuditQuery{Since: &soon}, []string{hours}},
		"a person and since":     {projections.AuditQuery{Person: "person5", Since: &soon}, []string{blocks, hours}},
		"an item":                {projections.AuditQuery{Item: &tracked}, []string{stream}},
		"the newest of all":      {projections.AuditQuery{Newest: true}, nil},
		"the newest of an item":  {projections.AuditQuery{Item: &tracked, Newest: true}, []string{stream}},
		"the newest of a type":   {projections.AuditQuery{Type: "trackeditem.renamed", Newest: true}, []string{blocks}},
		"the newest of a person": {projections.AuditQuery{Person: "person5", Newest: true}, []string{blocks}},
		"the newest since":       {projections.AuditQuery{Since: &soon, Newest: true}, []string{hours}},
		"a person and a type":    {projections.AuditQuery{Person: "person5", Type: "trackeditem.deleted"}, []string{blocks}},
	} {
		tt.query.AccountID, tt.query.Limit = "account1", 10
		s := projections.AuditSQL(tt.query, 1<<40)
		rows, err := pool.Query(t.Context(), "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "+s.SQL, append([]any{pgx.QueryExecModeCacheDescribe}, s.Args...)...)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		plan := strings.Join(lines, "\n")
		for _, index := range tt.indexes {
			if !strings.Contains(plan, index) {
				t.Errorf("%s: want %s in\n%s", name, index, plan)
			}
		}
		if strings.Contains(plan, "Seq Scan on events") || strings.Contains(plan, "Seq Scan on audit") {
			t.Errorf("%s: a table is read from end to end:\n%s", name, plan)
		}
		// At most one block, of 256 positions, is searched for each of the page's events, and one
		// more.
		for _, read := range regexp.MustCompile(`Scan using \S+ on events.* \(actual rows=(\d+)(?:\.00)? loops=(\d+)\)|Rows Removed by Filter: (\d+)`).FindAllStringSubmatch(plan, -1) {
			n, _ := strconv.Atoi(read[1] + read[3])
			loops, _ := strconv.Atoi(cmp.Or(read[2], "1"))
			if n*loops > 256*(tt.query.Limit+1) {
				t.Errorf("%s: reads %d times %d events:\n%s", name, loops, n, plan)
			}
		}
	}
}

type recordAll []domain.Event

func (r recordAll) Decide(trackeditem.Item) ([]domain.Event, error) { return r, nil }
