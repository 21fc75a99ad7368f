package projections_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/projections"
	"readiness/test/testlog"
)

// BenchmarkPortfolio reads the first page of an account with 100,000 assessed semantic models in 1,000 workspaces,
// each with six assessments, one of a hundred with a report with Pixies and a month of views, in every order.
func BenchmarkPortfolio(b *testing.B) {
	pool, err := pgxpool.New(b.Context(), testlog.URL(b))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	if err := projections.NewEngine(pool, projections.All()...).Create(b.Context()); err != nil {
		b.Fatal(err)
	}
	const assessment = `jsonb_build_object('assessmentId', md5('a' || i || ' ' || j)::uuid, 'semanticModelId', md5(i::text)::uuid,
		'workspaceId', md5('w' || i % 1000)::uuid, 'workspaceName', 'Workspace ' || i % 1000, 'semanticModelName', 'Model ' || i, 'assessedAtUtc', $1::timestamptz - j * interval '9 days',
		'score', (i * 7 + j * 3) % 101, 'findingsCount', i % 300, 'regimeId', '2026-12', 'findingsBySeverity', '{"high": 1, "medium": 20, "low": 70}'::jsonb,
		'dimensions', '{"descriptions": 32, "naming": 98, "measures": 95, "types": 51, "relationships": 96, "visibility": 81, "instructions": 0, "synonyms": 0, "time": 65}'::jsonb)`
	now := time.Now().UTC().Truncate(time.Second)
	for _, sql := range []string{
		`INSERT INTO assessments_v6 SELECT md5('a' || i || ' ' || j)::uuid, 'contoso', md5('o' || i)::uuid, md5('w' || i % 1000)::uuid, md5(i::text)::uuid,
			$1::timestamptz - j * interval '9 days', ` + assessment + `, false, md5('2026-12')::uuid, (i * 7 + j * 3) % 101 FROM generate_series(1, 100000) i, generate_series(0, 5) j`,
		`INSERT INTO portfolio_v6 SELECT 'contoso', md5(i::text)::uuid, md5('w' || i % 1000)::uuid, 'model ' || i, 'model ' || i || E'\nworkspace ' || i % 1000,
			(i * 7) % 101, $1::timestamptz, md5('2026-12')::uuid, '2026-12', ` + assessment + ` FROM generate_series(1, 100000) i, generate_series(0, 0) j`,
		`INSERT INTO portfolio_scores_v6 SELECT 'contoso', md5(i::text)::uuid, md5('w' || i % 1000)::uuid, (i * 7) % 101, $1::timestamptz, md5('2026-12')::uuid, '2026-12', 1, 20, 70,
			32, 98, 95, 51, 96, 81, 0, 0, 65 FROM generate_series(1, 100000) i`,
		`INSERT INTO pixies_v1 SELECT 'contoso', md5('r' || i)::uuid, md5('w' || i % 1000)::uuid, 'Report ' || i, md5(i::text)::uuid, 'HasPixies', 3, 3, $1::timestamptz, NULL, NULL
			FROM generate_series(100, 100000, 100) i`,
		`INSERT INTO page_views_v2 SELECT 'contoso', md5('r' || i)::uuid, 'page ' || p, $1::timestamptz::date - d, i % 97 FROM generate_series(100, 100000, 100) i, generate_series(0, 30) d, generate_series(1, 3) p`,
		`INSERT INTO report_views_v2 SELECT account_id, report_id, day, sum(views) FROM page_views_v2 GROUP BY account_id, report_id, day`,
	} {
		args := []any{now}
		if !strings.Contains(sql, "$1") {
			args = nil
		}
		if _, err := pool.Exec(b.Context(), sql, args...); err != nil {
			b.Fatal(err)
		}
	}
	if err := projections.Assessments.Derive(b.Context(), pool); err != nil {
		b.Fatal(err)
	}
	if _, err := pool.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
		b.Fatal(err)
	}
	var workspaces []uuid.UUID
	for i := range 1000 {
		var id uuid.UUID
		if err := pool.QueryRow(b.Context(), `SELECT md5($1)::uuid`, fmt.Sprint("w", i)).Scan(&id); err != nil {
			b.Fatal(err)
		}
		workspaces = append(workspaces, id)
	}
	views := &projections.Views{Pool: pool}
	for _, sort := range []projections.PortfolioSort{projections.PortfolioByScore, projections.PortfolioByName, projections.PortfolioByChange, projections.PortfolioByViews} {
		for of, n := range map[string]int{"": len(workspaces), " of 30 workspaces": 30, " of a workspace": 1} {
			b.Run(string(sort)+of, func(b *testing.B) {
				for b.Loop() {
					page, err := views.Portfolio(b.Context(), projections.PortfolioQuery{
						AccountID: "contoso", Workspaces: workspaces[:n], Sort: sort, Earlier: now.AddDate(0, 0, -30), From: now.AddDate(0, 0, -27), To: now, Limit: 101,
					})
					if err != nil || len(page) != min(101, n*100) || page[0].Before == nil {
						b.Fatalf("%d models, error %v", len(page), err)
					}
				}
			})
		}
	}
	all := projections.PortfolioQuery{AccountID: "contoso", Workspaces: workspaces, Earlier: now.AddDate(0, 0, -30)}
	b.Run("scores", func(b *testing.B) {
		for b.Loop() {
			if got, err := views.PortfolioScores(b.Context(), all); err != nil || len(got) != 1000 || got[0].Models != 100 {
				b.Fatalf("%d workspaces, error %v", len(got), err)
			}
		}
	})
	b.Run("changes", func(b *testing.B) {
		for b.Loop() {
			if rose, fell, same, err := views.PortfolioChanges(b.Context(), all); err != nil || rose+fell+same != 100000 {
				b.Fatalf("%d, %d and %d models, error %v", rose, fell, same, err)
			}
		}
	})
}
