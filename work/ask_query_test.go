package work_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
)

// crowded runs queries after it refused each for some times.
type crowded struct {
	mu     sync.Mutex
	left   map[string]int
	made   map[string]int
	code   domain.Code
	answer rows
}

func (c *crowded) Rows(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made[dax]++
	if c.left[dax] > 0 {
		c.left[dax]--
		return verdict.ResultSet{}, domain.Refuse(c.code, "not now").After(time.Millisecond)
	}
	return c.answer.Rows(ctx, as, workspaceID, modelID, dax)
}

// A query that the platform has no room for is made again, a few times; one that it cannot run is not. Without rows the verdict
// follows from something else.
func TestQueriesThatWait(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refused int
		code    domain.Code
		made    int
		method  verdict.Method
	}{
		"at once":         {0, domain.PlatformUnavailable, 1, verdict.ByResultSet},
		"the last try":    {3, domain.PlatformUnavailable, 4, verdict.ByResultSet},
		"no room at all":  {4, domain.PlatformUnavailable, 4, ""},
		"an error of DAX": {1, domain.InvalidRequest, 1, ""},
	} {
		b := newBench(t)
		const reference, own = "EVALUATE reference", "EVALUATE MINE(Sales)"
		b.saveSet(t, good, benchmark.Set{Repeats: 1, Questions: []benchmark.Question{
			{QuestionID: "q", Text: "q", Expected: benchmark.Expected{DAX: reference}, Source: benchmark.Customer},
		}})
		id := b.benchmarkRun(t)
		ten := verdict.ResultSet{Rows: [][]verdict.Value{{verdict.Number(10)}}}
		queries := &crowded{left: map[string]int{reference: c.refused}, made: map[string]int{}, code: c.code, answer: rows{reference: ten, own: ten}}
		b.Work.Queries = queries
		check(t, b.carryAsk(t, &respondent{reply: func(benchmark.Side, string, int) (benchmark.Reply, error) {
			return benchmark.Reply{Answer: verdict.Answer{Query: own}, DurationMS: 1, Attempts: 1}, nil
		}}))
		if diff := cmp.Diff(map[string]int{reference: c.made, own: 1}, queries.made); diff != "" {
			t.Errorf("%s: queries: %s", name, diff)
		}
		if asks := b.asking(t, id).Run.Asks; len(asks) != 1 || asks[0].Method != c.method {
			t.Errorf("%s: got %+v, want method %q", name, asks, c.method)
		}
	}
}
