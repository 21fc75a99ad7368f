package projections

import "readiness/eventstore"

// AuditSQL is how a page of the history is read.
func AuditSQL(q AuditQuery, upTo int64) (sql string, args []any) { return q.sql(upTo, true) }

// AbTestsSQL is how A/B tests are listed.
func AbTestsSQL(q AbTestsQuery) (sql string, args []any) { return q.sql() }

// AbRunsSQL is how a page of the runs of an A/B test is read.
func AbRunsSQL(q AbRunsQuery) (sql string, args []any) { return q.sql() }

// SQLOfBenchmarkRuns is how a page of the benchmark runs of a model is read.
func SQLOfBenchmarkRuns(q BenchmarkRunsQuery) (sql string, args []any) { return q.sql() }

// Changes is how many rows the event changes in the view, whether or not the view
// says that it is projected of it.
func (v *View) Changes(r eventstore.Recorded) (int, error) {
	var rows Rows
	err := v.Project(&rows, r)
	return len(rows.changes), err
}
