package projections

import "readiness/internal/database"

// DropDocuments queues statements that delete the documents that no stored assessment of any account
// has. They run in the transaction that deletes assessments. The first statement waits for
// transactions that are storing one of the documents, so that the last one sees every reference.
func DropDocuments(queue func(database.Statement), hashes []string) {
	queue(database.Statement{SQL: `SELECT FROM documents WHERE hash = ANY($1::text[]) ORDER BY hash FOR UPDATE`, Args: []any{hashes}})
	queue(database.Statement{SQL: `DELETE FROM documents d WHERE hash = ANY($1::text[])
		AND NOT EXISTS (SELECT FROM ` + live.assessments + ` a WHERE a.assessment ->> 'documentHash' = d.hash)`, Args: []any{hashes}})
}
