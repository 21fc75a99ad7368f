package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/internal/database"
)

var abRuns = &Table{
	Name: "ab_runs",
	Columns: []Column{
		{"run_id", "uuid"}, {"account_id", "text"}, {"ab_test_id", "uuid"}, {"status", "text"}, {"started_at", "timestamptz"},
		{"finished_at", "timestamptz"},
		{"accepted", "jsonb"}, {"status_a", "text"}, {"status_b", "text"}, {"run_a", "uuid"}, {"run_b", "uuid"}, {"failed_a", "jsonb"},
		{"failed_b", "jsonb"},
		{"compared", "jsonb"}, {"stopped", "jsonb"}, {"broken", "jsonb"},
	},
	Key: []string{"run_id"},
	Indexes: []string{
		"(account_id, ab_test_id, started_at DESC, run_id DESC)",
		"(run_a) WHERE run_a IS NOT NULL",
	},
}

// AbRuns is the view of the runs of A/B tests: one row per run, fed by the stream of the run's
// operation. The rows of a deleted test stay, so a caller that reads runs must look up their test
// first.
var AbRuns = &View{
	Name: "ab_runs", Version: 2, Inline: true,
	Tables: []*Table{abRuns},
	Of: []domain.Event{
		abtest.RunAccepted{}, abtest.SideQueued{}, abtest.SideStarted{}, abtest.SideCompleted{}, abtest.SideFailed{}, abtest.Compared{},
		abtest.ComparisonRevised{}, abtest.RunStopped{}, abtest.RunErased{},
		operation.Failed{},
	},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		id, ours := operation.StreamID(r.Stream)
		if !ours {
			return nil
		}
		set := func(columns Row) { rows.Set(abRuns, Key{id}, columns) }
		switch e := r.Event.(type) {
		case abtest.RunAccepted:
			row := Row{
				"run_id": id, "account_id": r.Account, "ab_test_id": e.AbTestID, "status": string(operation.StatusRunning),
				"started_at": e.At, "accepted": e,
				"status_a": string(abtest.SideWaiting), "status_b": string(abtest.SideWaiting), "run_a": nil, "run_b": nil,
				"failed_a": nil, "failed_b": nil, "finished_at": nil, "compared": nil, "stopped": nil, "broken": nil,
			}
			if e.Reused != nil {
				row["status_a"], row["run_a"] = string(abtest.SideReused), e.Reused
			}
			rows.Insert(abRuns, row)
		case abtest.SideQueued:
			set(Row{"status_" + string(e.Side): string(abtest.SidePending), "run_" + string(e.Side): e.BenchmarkRunID})
		case abtest.SideStarted:
			set(Row{"status_" + string(e.Side): string(abtest.SideRunning)})
		case abtest.SideCompleted:
			set(Row{"status_" + string(e.Side): string(abtest.SideDone)})
		case abtest.SideFailed:
			set(Row{"status_" + string(e.Side): string(abtest.SideBroken), "failed_" + string(e.Side): e})
		case abtest.Compared:
			set(Row{"compared": e, "status": string(operation.StatusSucceeded), "finished_at": r.RecordedAt})
		case abtest.ComparisonRevised:
			set(Row{"compared": e})
		case abtest.RunStopped:
			columns := Row{"stopped": e, "status": string(operation.StatusCancelled), "finished_at": r.RecordedAt}
			for _, side := range []*abtest.SideName{e.Side, e.Queued} {
				if side != nil {
					columns["status_"+string(*side)] = string(abtest.SideCancelled)
				}
			}
			set(columns)
		case operation.Failed: // of any operation; without a run there is no row
			set(Row{"broken": e, "status": string(operation.StatusFailed), "finished_at": r.RecordedAt})
		case abtest.RunErased:
			rows.Delete(abRuns, Key{id})
		}
		return nil
	},
}

// AbRun is a run of an A/B test as last recorded. In its Operation only the status is set, and for a
// failed run also the failure and the impact.
type AbRun struct {
	abtest.Run
	FinishedAt *time.Time
	// AskedA and AskedB are the benchmark runs of the sides; nil where they were not read or no longer
	// exist.
	AskedA, AskedB *BenchmarkRun
}

// Asked returns the benchmark run of a side.
func (r AbRun) Asked(n abtest.SideName) *BenchmarkRun {
	if n == abtest.A {
		return r.AskedA
	}
	return r.AskedB
}

// AbRunCursor is the place after which a page of runs starts.
type AbRunCursor struct {
	StartedAt time.Time
	RunID     uuid.UUID
}

// AbRunsQuery selects a page of the runs of a test, newest first.
type AbRunsQuery struct {
	AccountID string
	AbTestID  uuid.UUID
	Before    *AbRunCursor // nil for the first page
	Limit     int
}

const abRunColumns = `accepted, started_at, status, finished_at, status_a, status_b, run_a, run_b, failed_a, failed_b, compared, ` +
	`stopped, broken`

// abRunRow holds the columns of a row; all are NULL where a join found no row.
type abRunRow struct {
	accepted, failedA, failedB, compared, stopped, broken []byte
	startedAt, finishedAt                                 *time.Time
	status, statusA, statusB                              *string
	runA, runB                                            *uuid.UUID
}

func (row *abRunRow) into() []any {
	return []any{
		&row.accepted, &row.startedAt, &row.status, &row.finishedAt, &row.statusA, &row.statusB, &row.runA, &row.runB,
		&row.failedA, &row.failedB, &row.compared, &row.stopped, &row.broken,
	}
}

// run returns the row's run, nil without a row.
func (row *abRunRow) run() (*AbRun, error) {
	if row.accepted == nil {
		return nil, nil
	}
	r := &AbRun{FinishedAt: row.finishedAt}
	r.Operation.Status = operation.Status(*row.status)
	r.A = abtest.RunSide{Status: abtest.SideStatus(*row.statusA), BenchmarkRunID: row.runA}
	r.B = abtest.RunSide{Status: abtest.SideStatus(*row.statusB), BenchmarkRunID: row.runB}
	var broken *operation.Failed
	err := errors.Join(
		json.Unmarshal(row.accepted, &r.RunAccepted), stored(row.failedA, &r.A.Failure), stored(row.failedB, &r.B.Failure),
		stored(row.compared, &r.Compared), stored(row.stopped, &r.Stopped), stored(row.broken, &broken),
	)
	r.At = *row.startedAt // in the precision that orders pages
	if broken != nil {
		r.Operation.Failure, r.Operation.Impact = &broken.Failure, broken.Impact
	}
	return r, err
}

func scanAbRun(row pgx.CollectableRow) (AbRun, error) {
	var columns abRunRow
	var a, b benchmarkRunRow
	if err := row.Scan(append(append(columns.into(), a.into()...), b.into()...)...); err != nil {
		return AbRun{}, err
	}
	r, err := columns.run()
	if err != nil {
		return AbRun{}, err
	}
	var errA, errB error
	r.AskedA, errA = a.run()
	r.AskedB, errB = b.run()
	return *r, errors.Join(errA, errB)
}

// abRunSQL returns SQL for the runs that from finds, each with the benchmark runs of its sides, all as
// of one instant.
func abRunSQL(from string) string {
	return `WITH page AS MATERIALIZED (SELECT ` + abRunColumns + `, run_id FROM ` + live.abRuns + " " + from + `)
		SELECT ` + prefixed("r", abRunColumns) + `, ` + prefixed("a", benchmarkRunColumns) + `, ` +
		prefixed("b", benchmarkRunColumns) + ` FROM page r
		LEFT JOIN ` + live.benchmarkRuns + ` a ON a.run_id = r.run_a
		LEFT JOIN ` + live.benchmarkRuns + ` b ON b.run_id = r.run_b
		ORDER BY r.started_at DESC, r.run_id DESC`
}

func (q AbRunsQuery) statement() database.Statement {
	from := `WHERE account_id = $1 AND ab_test_id = $2`
	args := []any{q.AccountID, q.AbTestID, q.Limit}
	if q.Before != nil {
		from += ` AND (started_at, run_id) < ($4, $5)`
		args = append(args, q.Before.StartedAt, q.Before.RunID)
	}
	return database.Statement{SQL: abRunSQL(from + ` ORDER BY started_at DESC, run_id DESC LIMIT $3`), Args: args}
}

// AbRuns returns a page of the runs of a test of the account.
func (v *Views) AbRuns(ctx context.Context, q AbRunsQuery) ([]AbRun, error) {
	s := q.statement()
	return collect(ctx, v, "list the runs of an A/B test", scanAbRun, s.SQL, s.Args...)
}

// AbRun returns a run of a test of the account. It does not find runs of deleted tests.
func (v *Views) AbRun(ctx context.Context, accountID string, runID uuid.UUID) (AbRun, bool, error) {
	return one(ctx, v, fmt.Sprintf("read run %s of an A/B test", runID), scanAbRun,
		abRunSQL(`WHERE run_id = $1 AND account_id = $2
		AND EXISTS (SELECT FROM `+live.abTests+` t WHERE t.ab_test_id = `+live.abRuns+`.ab_test_id AND t.account_id = $2)`),
		runID, accountID)
}

// maxReusing is how many A/B runs can share a stored run and still be revised with it.
const maxReusing = 50

// AbRunsReusing returns the A/B runs of the account that took the stored benchmark run for side A, the newest maxReusing.
func (v *Views) AbRunsReusing(ctx context.Context, accountID string, runID uuid.UUID) ([]uuid.UUID, error) {
	return collect(ctx, v, fmt.Sprintf("read the A/B runs that reuse %s", runID), pgx.RowTo[uuid.UUID],
		`SELECT run_id FROM `+live.abRuns+` WHERE run_a = $1 AND account_id = $2 AND status_a = $3
		ORDER BY started_at DESC, run_id DESC LIMIT $4`, runID, accountID, string(abtest.SideReused), maxReusing)
}
