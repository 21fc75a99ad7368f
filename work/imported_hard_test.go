//go:build hard

package work_test

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/test/testworld"
)

// An export ends behind an append, or with --up-to anywhere. Wherever it does, the work of the imported log ends and nothing is written.
// Behind an append nothing stays held either.
//
// READINESS_CUTS=1000 imports a log cut at every place, of every kind of work; by default at every ninth.
//
// proves: decisions/20/unfinished
func TestHardImportOfACutLog(t *testing.T) {
	t.Parallel()
	cuts, _ := strconv.Atoi(cmp.Or(os.Getenv("READINESS_CUTS"), "111"))
	step := max(1, 1000/max(1, cuts))
	for name, c := range unfinished() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := c.bench(t)
			b.declare(t)
			before := len(b.lines(t))
			c.start(t, b)
			lines := b.lines(t)
			rows, err := b.Pool.Query(t.Context(), `SELECT max(n) FROM (SELECT xmin, row_number() OVER (ORDER BY position) n FROM events) e GROUP BY xmin::text`)
			check(t, err)
			appends, err := pgx.CollectRows(rows, pgx.RowTo[int])
			check(t, err)
			platform, err := testworld.Files(b.Root)
			check(t, err)
			for end := before + len(name)%step; end <= len(lines); end += step {
				to := b.imported(t, lines[:end])
				to.endImported(t)
				to.standsStill(t)
				if slices.Contains(appends, end) {
					to.holdsNothing(t)
				}
				if id := to.start(t, good); id == uuid.Nil || to.endImported(t) != 0 {
					t.Error("the model cannot be assessed again")
				}
				if t.Failed() {
					t.Fatalf("cut after event %d: %s", end, lines[end-1])
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
