package projections

// DropDocuments queues what deletes those of the documents that no stored
// assessment of any account has, for the transaction that deletes assessments.
// It first waits for those who are storing one of them at that moment, so that
// what the last statement sees is all there is.
func DropDocuments(queue func(sql string, args ...any), hashes []string) {
	queue(`SELECT FROM documents WHERE hash = ANY($1::text[]) ORDER BY hash FOR UPDATE`, hashes)
	queue(`DELETE FROM documents d WHERE hash = ANY($1::text[])
		AND NOT EXISTS (SELECT FROM assessments_v1 a WHERE a.assessment ->> 'documentHash' = d.hash)`, hashes)
}
