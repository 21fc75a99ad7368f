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
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/internal/database"
)

var benchmarkRuns = &Table{
	Name: "benchmark_runs",
	Columns: []Column{
		{"run_id", "uuid"}, {"account_id", "text"}, {"workspace_id", "uuid"}, {"model_id", "uuid"}, {"status", "text"},
		{"accepted_at", "timestamptz"}, {"started_at", "timestamptz"}, {"updated_at", "timestamptz"}, {"ended_at", "timestamptz"},
		{"accepted", "jsonb"}, {"asked", "int"}, {"errors", "int"}, {"outcome", "jsonb"}, {"failure", "jsonb"},
	},
	Key: []string{"run_id"},
	Indexes: []string{
		"(account_id, model_id, accepted_at DESC, run_id DESC)",
		"(account_id, (outcome->'judge'->>'providerId')) WHERE outcome ? 'judge'",
	},
}

// BenchmarkRuns is the view of the benchmark runs of semantic models and of the sides of A/B runs: one
// row per run, fed by the run's stream alone.
var BenchmarkRuns = &View{
	Name: "benchmark_runs", Version: 2, Inline: true,
	Tables: []*Table{benchmarkRuns},
	Of: []domain.Event{
		benchmark.RunAccepted{}, benchmark.RunStarted{}, benchmark.Asked{}, benchmark.RunCompleted{}, benchmark.RunFailed{},
		benchmark.RunCancelled{}, benchmark.VerdictOverruled{}, benchmark.RunDeleted{},
	},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		id, ours := benchmark.RunStreamID(r.Stream)
		if !ours {
			return nil
		}
		switch e := r.Event.(type) {
		case benchmark.RunAccepted:
			rows.Insert(benchmarkRuns, Row{
				"run_id": id, "account_id": r.Account, "workspace_id": e.Side.WorkspaceID, "model_id": e.Side.SemanticModelID,
				"status": string(operation.StatusNotStarted), "accepted_at": e.At, "updated_at": r.RecordedAt, "accepted": e, "asked": 0,
				"errors": 0, "started_at": nil, "ended_at": nil, "outcome": nil, "failure": nil,
			})
		case benchmark.RunStarted:
			rows.Set(benchmarkRuns, Key{id}, Row{"status": string(operation.StatusRunning), "started_at": e.At, "updated_at": r.RecordedAt})
		case benchmark.Asked:
			rows.Set(benchmarkRuns, Key{id}, Row{"asked": e.Made, "errors": e.Errors, "updated_at": r.RecordedAt})
		case benchmark.RunCompleted:
			rows.Set(benchmarkRuns, Key{id}, Row{"status": string(operation.StatusSucceeded), "outcome": e.Outcome, "ended_at": e.At,
				"updated_at": r.RecordedAt})
		case benchmark.VerdictOverruled:
			rows.Set(benchmarkRuns, Key{id}, Row{"outcome": e.Outcome, "updated_at": r.RecordedAt})
		case benchmark.RunFailed:
			rows.Set(benchmarkRuns, Key{id}, Row{"status": string(operation.StatusFailed), "failure": e.Failure, "ended_at": e.At,
				"updated_at": r.RecordedAt})
		case benchmark.RunCancelled:
			rows.Set(benchmarkRuns, Key{id}, Row{"status": string(operation.StatusCancelled), "ended_at": e.At, "updated_at": r.RecordedAt})
		case benchmark.RunDeleted:
			rows.Delete(benchmarkRuns, Key{id})
		}
		return nil
	},
}

// BenchmarkRun is a benchmark run as last recorded.
type BenchmarkRun struct {
	benchmark.RunAccepted
	Status    operation.Status
	StartedAt *time.Time
	// UpdatedAt is when it was last accepted, started, asked or ended.
	UpdatedAt time.Time
	EndedAt   *time.Time
	// Asked is how many asks were made; Errors is how many of them got no answer.
	Asked, Errors int
	Outcome       *benchmark.Outcome // of a succeeded run
	Failure       *operation.Failure
}

// BenchmarkRunCursor is the place after which a page of benchmark runs starts.
type BenchmarkRunCursor struct {
	AcceptedAt time.Time
	RunID      uuid.UUID
}

// BenchmarkRunsQuery selects a page of a model's benchmark runs, newest first.
type BenchmarkRunsQuery struct {
	AccountID   string
	WorkspaceID uuid.UUID
	ModelID     uuid.UUID
	Before      *BenchmarkRunCursor // nil for the first page
	Limit       int
}

const benchmarkRunColumns = `accepted, accepted_at, status, started_at, updated_at, ended_at, asked, errors, outcome, failure`

// benchmarkRunRow holds the columns of a row; all are NULL where a join found no row.
type benchmarkRunRow struct {
	accepted, outcome, failure                []byte
	acceptedAt, startedAt, updatedAt, endedAt *time.Time
	status                                    *string
	asked, errors                             *int
}

func (row *benchmarkRunRow) into() []any {
	return []any{&row.accepted, &row.acceptedAt, &row.status, &row.startedAt, &row.updatedAt, &row.endedAt, &row.asked, &row.errors,
		&row.outcome, &row.failure}
}

// run returns the row's run, nil without a row.
func (row *benchmarkRunRow) run() (*BenchmarkRun, error) {
	if row.accepted == nil {
		return nil, nil
	}
	r := &BenchmarkRun{
		Status: operation.Status(*row.status), StartedAt: row.startedAt, UpdatedAt: *row.updatedAt, EndedAt: row.endedAt, Asked: *row.asked,
		Errors: *row.errors,
	}
	err := errors.Join(json.Unmarshal(row.accepted, &r.RunAccepted), stored(row.outcome, &r.Outcome), stored(row.failure, &r.Failure))
	r.At = *row.acceptedAt // in the precision that orders pages
	return r, err
}

// stored decodes a jsonb column that may be NULL.
func stored[T any](text []byte, into **T) error {
	if text == nil {
		return nil
	}
	*into = new(T)
	return json.Unmarshal(text, *into)
}

func scanBenchmarkRun(row pgx.CollectableRow) (BenchmarkRun, error) {
	var columns benchmarkRunRow
	if err := row.Scan(columns.into()...); err != nil {
		return BenchmarkRun{}, err
	}
	r, err := columns.run()
	return *r, err
}

// BenchmarkRuns returns a page of a model's benchmark runs in the account.
func (v *Views) BenchmarkRuns(ctx context.Context, q BenchmarkRunsQuery) ([]BenchmarkRun, error) {
	s := q.statement()
	return collect(ctx, v, "list benchmark runs", scanBenchmarkRun, s.SQL, s.Args...)
}

func (q BenchmarkRunsQuery) statement() database.Statement {
	sql := `SELECT ` + benchmarkRunColumns + ` FROM ` + live.benchmarkRuns + `
		WHERE account_id = $1 AND model_id = $2 AND workspace_id = $3`
	args := []any{q.AccountID, q.ModelID, q.WorkspaceID, q.Limit}
	if q.Before != nil {
		sql += ` AND (accepted_at, run_id) < ($5, $6)`
		args = append(args, q.Before.AcceptedAt, q.Before.RunID)
	}
	return database.Statement{SQL: sql + ` ORDER BY accepted_at DESC, run_id DESC LIMIT $4`, Args: args}
}

// BenchmarkRun returns a benchmark run of the account.
func (v *Views) BenchmarkRun(ctx context.Context, accountID string, runID uuid.UUID) (BenchmarkRun, bool, error) {
	return one(ctx, v, fmt.Sprintf("read benchmark run %s", runID), scanBenchmarkRun,
		`SELECT `+benchmarkRunColumns+` FROM `+live.benchmarkRuns+` WHERE run_id = $1 AND account_id = $2`,
		runID, accountID)
}

// JudgeReview counts the verdicts of persons of the account on a judge: of the asks that it decided, in all runs that are stored,
// how many they decided otherwise.
type JudgeReview struct{ Judged, Overruled int }

// JudgeReview returns the review of the judge, with the same model and version of its prompt.
func (v *Views) JudgeReview(ctx context.Context, accountID string, j verdict.Judge) (r JudgeReview, err error) {
	err = v.Pool.QueryRow(ctx, `SELECT coalesce(sum((outcome->>'judged')::int), 0), coalesce(sum((outcome->>'judgeOverruled')::int), 0)
		FROM `+live.benchmarkRuns+` WHERE account_id = $1 AND outcome ? 'judge' AND outcome->'judge'->>'providerId' = $2
		AND outcome->'judge'->>'model' = $3 AND outcome->'judge'->>'promptVersion' = $4`,
		accountID, j.ProviderID, j.Model, j.PromptVersion).Scan(&r.Judged, &r.Overruled)
	if err != nil {
		return r, fmt.Errorf("projections: count the verdicts of a judge: %w", err)
	}
	return r, nil
}
