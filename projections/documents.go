package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
)

// MissingDocument is a document that a view names and that is not stored.
type MissingDocument struct{ Account, Of, Hash string }

// MissingDocuments calls found with each result in the views whose document is not stored: of assessments, benchmark runs and A/B runs.
// Documents with an end, such as previews, are none of these.
func MissingDocuments(ctx context.Context, pool *pgxpool.Pool, found func(MissingDocument)) error {
	rows, err := pool.Query(ctx, `SELECT n.account_id, n.result, n.hash FROM (
		SELECT account_id, 'assessment ' || id AS result, assessment ->> 'documentHash' AS hash FROM `+live.assessments+`
		UNION ALL SELECT account_id, 'benchmark run ' || run_id, outcome ->> 'documentHash' FROM `+live.benchmarkRuns+` WHERE outcome IS NOT NULL
		UNION ALL SELECT account_id, 'A/B run ' || run_id, compared ->> 'document' FROM `+live.abRuns+` WHERE compared IS NOT NULL) n
		WHERE n.hash IS NOT NULL AND NOT EXISTS (SELECT FROM documents d WHERE d.hash = n.hash) ORDER BY n.account_id, n.result`)
	if err != nil {
		return fmt.Errorf("projections: missing documents: %w", err)
	}
	var m MissingDocument
	_, err = pgx.ForEachRow(rows, []any{&m.Account, &m.Of, &m.Hash}, func() error { found(m); return nil })
	return err
}

// DropDocuments queues statements that delete the documents that no stored assessment of any account
// has. They run in the transaction that deletes assessments. The first statement waits for
// transactions that are storing one of the documents, so that the last one sees every reference.
func DropDocuments(queue func(database.Statement), hashes []string) {
	queue(database.Statement{SQL: `SELECT FROM documents WHERE hash = ANY($1::text[]) ORDER BY hash FOR UPDATE`, Args: []any{hashes}})
	queue(database.Statement{SQL: `DELETE FROM documents d WHERE hash = ANY($1::text[])
		AND NOT EXISTS (SELECT FROM ` + live.assessments + ` a WHERE a.assessment ->> 'documentHash' = d.hash)`, Args: []any{hashes}})
}
