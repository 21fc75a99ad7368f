package projections_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/projections"
	"readiness/test/testlog"
)

// BenchmarkAbTests reads the first page of 10,000 A/B tests of an account, of a hundred
// models, each with a run that compared a hundred questions.
func BenchmarkAbTests(b *testing.B) {
	pool, err := pgxpool.New(b.Context(), testlog.URL(b))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	if err := projections.NewEngine(pool, projections.All()...).Create(b.Context()); err != nil {
		b.Fatal(err)
	}
	text := func(v any) string {
		out, err := json.Marshal(v)
		if err != nil {
			b.Fatal(err)
		}
		return string(out)
	}
	at := time.Now().UTC().Truncate(time.Second)
	side := benchmark.Side{WorkspaceID: uuid.New(), WorkspaceName: "Retail", SemanticModelID: uuid.New(), SemanticModelName: "Sales",
		AnsweredBy: benchmark.AnsweredBy{Kind: verdict.PlatformAssistant}}
	words := abtest.Words{Name: "Does it answer more with descriptions?", Description: new("The same questions before and after the descriptions were written.")}
	asked := abtest.Questions{Document: "sha256:1", SetHash: "sha256:2", Count: 100, Clusters: 100}
	found := verdict.Aggregate{Comparable: 100, Improvements: make([]string, 20), Regressions: make([]string, 5), Conclusion: verdict.Conclusion("BBetter"),
		Sentence: "B answers 15 of 100 questions more correctly than A.", Alpha: 0.05, Corrections: "holm"}
	for i := range found.Improvements {
		found.Improvements[i] = fmt.Sprint("improved-", i)
	}
	for i := range found.Regressions {
		found.Regressions[i] = fmt.Sprint("worse-", i)
	}
	id := uuid.New()
	standing := abtest.Standing{Runs: 1, Latest: &abtest.LatestRun{RunID: id}, SortedAt: at, Succeeded: &id, Aggregate: &found, Gaps: []int{15}}
	created := abtest.Created{AbTestID: id, AccountID: "contoso", Words: words, SideA: side, SideB: side, Source: abtest.Source{Kind: abtest.FromQuestions}, Repeats: 3, Questions: asked, At: at}
	accepted := abtest.RunAccepted{RunID: id, AbTestID: id, SideA: side, SideB: side, Questions: asked, Repeats: 3, At: at}
	exec := func(sql string, args ...any) {
		b.Helper()
		if _, err := pool.Exec(b.Context(), sql, args...); err != nil {
			b.Fatal(err)
		}
	}
	exec(`INSERT INTO ab_tests_v1 SELECT md5('t' || i)::uuid, 'contoso', 5, $1::timestamptz, $1::timestamptz - i * interval '1 minute', 'test ' || i, 'sales', $2::uuid, $2::uuid, $3::uuid, $3::uuid, NULL, NULL,
			$4::jsonb, $5::jsonb, $6::jsonb || jsonb_build_object('semanticModelId', md5('a' || i % 50)::uuid), $6::jsonb || jsonb_build_object('semanticModelId', md5('b' || i % 50)::uuid), $7::jsonb, NULL, md5('r' || i)::uuid,
			$8::jsonb || jsonb_build_object('latestSucceeded', md5('r' || i)::uuid) FROM generate_series(1, 10000) i`,
		at, side.WorkspaceID, side.SemanticModelID, text(created), text(words), text(side), text(asked), text(standing))
	exec(`INSERT INTO ab_runs_v2 SELECT md5('r' || i)::uuid, 'contoso', md5('t' || i)::uuid, $1, $2::timestamptz, $2::timestamptz, $3::jsonb || jsonb_build_object('runId', md5('r' || i)::uuid), $4, $4, md5('a' || i)::uuid, md5('b' || i)::uuid, NULL, NULL,
			$5::jsonb, NULL, NULL FROM generate_series(1, 10000) i`, string(operation.StatusSucceeded), at, text(accepted), string(abtest.SideDone), text(abtest.Compared{Document: "sha256:3", Aggregate: found}))
	exec(`VACUUM ANALYZE`)
	views := &projections.Views{Pool: pool}
	for b.Loop() {
		if page, err := views.AbTests(b.Context(), projections.AbTestsQuery{AccountID: "contoso", Limit: 101}); err != nil || len(page) != 101 || page[100].Latest == nil {
			b.Fatalf("%d tests, error %v", len(page), err)
		}
	}
}
