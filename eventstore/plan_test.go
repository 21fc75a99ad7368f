package eventstore_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"readiness/domain"
	"readiness/eventstore"

	"github.com/jackc/pgx/v5"
)

// Loading a stream uses an index and reads only the events that it needs, whether or not the planner
// knows the values or has statistics.
func TestLoadReadsOnlyNeededEvents(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	for i := range 20 {
		mustAdd(t, s, fmt.Sprintf("budget-%d", i), slices.Repeat([]domain.Event{spent{}}, 500)...)
	}
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, prepare := range []string{"SET plan_cache_mode = force_generic_plan", "SET plan_cache_mode = force_custom_plan", "ANALYZE", "SET plan_cache_mode = force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), prepare); err != nil {
			t.Fatal(err)
		}
		for first, want := range map[int64]int{1: 500, 499: 2, 500: 1, 700: 1, math.MaxInt64: 1} {
			rows, err := conn.Query(t.Context(), "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "+eventstore.LoadSQL, []string{"budget-7"}, []int64{first})
			if err != nil {
				t.Fatal(err)
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatal(err)
			}
			plan := strings.Join(lines, "\n")
			read := regexp.MustCompile(fmt.Sprintf(`events_stream_version_key( on events)? \(actual rows=%d(\.00)? `, want))
			if strings.Contains(plan, "Seq Scan on events") || strings.Contains(plan, "Removed by") || !read.MatchString(plan) {
				t.Errorf("%s, from version %d, want %d:\n%s", prepare, first, want, plan)
			}
		}
	}
}

// A page of the log or of an account is read in the order of an index, without sorting all remaining
// events.
func TestReadersDoNotSort(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	for i := range 30 {
		mustAdd(t, s, fmt.Sprintf("budget-%d", i), slices.Repeat([]domain.Event{spent{}}, 500)...)
	}
	if _, err := pool.Exec(t.Context(), "VACUUM ANALYZE events"); err != nil {
		t.Fatal(err)
	}
	for name, where := range map[string]string{
		"all":     "position <= 12000 AND position > 100 ORDER BY position",
		"account": "account_id = 'acme' AND position > 100 AND position <= 12000 ORDER BY position",
	} {
		rows, err := pool.Query(t.Context(), "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM events WHERE "+where+" LIMIT 1000")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if plan := strings.Join(lines, "\n"); strings.Contains(plan, "Sort") || strings.Contains(plan, "Seq Scan") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}
