package projections

import "readiness/eventstore"

// AuditSQL returns the query for a page of the history.
func AuditSQL(q AuditQuery, upTo int64) (sql string, args []any) { return q.sql(upTo, true) }

// AbTestsSQL returns the query for a list of A/B tests.
func AbTestsSQL(q AbTestsQuery) (sql string, args []any) { return q.sql() }

// AbRunsSQL returns the query for a page of the runs of an A/B test.
func AbRunsSQL(q AbRunsQuery) (sql string, args []any) { return q.sql() }

// SQLOfBenchmarkRuns returns the query for a page of the benchmark runs of a model.
func SQLOfBenchmarkRuns(q BenchmarkRunsQuery) (sql string, args []any) { return q.sql() }

// Changes returns how many rows Project changes for the event, whether or not Of lists the event.
func (v *View) Changes(r eventstore.Recorded) (int, error) {
	var rows Rows
	err := v.Project(&rows, r)
	return len(rows.changes), err
}
