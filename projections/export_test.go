package projections

// AuditSQL is how a page of the history is read.
func AuditSQL(q AuditQuery, upTo int64) (sql string, args []any) { return q.sql(upTo) }
