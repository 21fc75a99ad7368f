package projections

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
	"readiness/internal/database"
)

// AuditSQL returns the query for a page of the history.
func AuditSQL(q AuditQuery, upTo int64) database.Statement {
	return q.statement(upTo, []string{q.Person}, true)
}

// AbTestsSQL returns the query for a list of A/B tests.
func AbTestsSQL(q AbTestsQuery) database.Statement { return q.statement() }

// AbRunsSQL returns the query for a page of the runs of an A/B test.
func AbRunsSQL(q AbRunsQuery) database.Statement { return q.statement() }

// SQLOfBenchmarkRuns returns the query for a page of the benchmark runs of a model.
func SQLOfBenchmarkRuns(q BenchmarkRunsQuery) database.Statement { return q.statement() }

// Changes returns how many rows Project changes for the event, whether or not Of lists the event.
func (v *View) Changes(r eventstore.Recorded) (int, error) {
	var rows Rows
	err := v.Project(&rows, r)
	return len(rows.changes), err
}

// Forgotten returns the columns that the rows inserted by Project leave out, as table.column.
func (v *View) Forgotten(r eventstore.Recorded) (columns []string) {
	var rows Rows
	_ = v.Project(&rows, r) // what Project refuses inserts nothing
	for _, c := range rows.changes {
		if c.kind != 'i' {
			continue
		}
		for _, column := range c.table.names() {
			if _, written := c.values[column]; !written {
				columns = append(columns, c.table.Name+"."+column)
			}
		}
	}
	return columns
}

// Derive makes the rows of the view's derived tables from rows that no event made.
func (v *View) Derive(ctx context.Context, pool *pgxpool.Pool) error {
	for _, t := range v.Tables {
		if t.Derived == nil {
			continue
		}
		for _, sql := range t.derive(v.live, false) {
			if _, err := pool.Exec(ctx, sql); err != nil {
				return err
			}
		}
	}
	return nil
}
