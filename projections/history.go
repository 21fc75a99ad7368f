package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// maxWrites bounds the writes that are listed between two assessments.
const maxWrites = 20

var writes = &Table{Name: "writes", Columns: []Column{{"account_id", "text"}, {"operation_id", "uuid"}},
	Key: []string{"account_id", "operation_id"}}

// Writes is the view of the applies and reverts that changed their semantic model. Others succeed too, if there was nothing to write.
var Writes = &View{
	Name: "writes", Version: 1, Inline: true,
	Tables: []*Table{writes},
	Of:     []domain.Event{optimization.WriteLanded{}},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		id, ours := operation.StreamID(r.Stream)
		if _, landed := r.Event.(optimization.WriteLanded); landed && ours {
			rows.Ensure(writes, Key{r.Account, id})
		}
		return nil
	},
}

// Write is an apply or a revert that changed its semantic model and succeeded.
type Write struct {
	OperationID uuid.UUID      `json:"operationId"`
	Type        operation.Type `json:"type"`
	EndedAt     time.Time      `json:"endedAt"`
}

// Assessed is an assessment in the history of a semantic model.
type Assessed struct {
	assessment.Assessment
	// Writes are the newest applies and reverts that ended after the previous assessment and before this one,
	// oldest first.
	Writes []Write
}

// writesSQL selects the newest writes on the model $2 between two moments, oldest first, as JSON.
func writesSQL(after, until string) string {
	return fmt.Sprintf(`(
		SELECT jsonb_agg(jsonb_build_object('operationId', id, 'type', type, 'endedAt', updated_at) ORDER BY updated_at, id)
		FROM (SELECT id, type, updated_at FROM %s o WHERE account_id = $1 AND item_id = $2 AND status = 'Succeeded'
			AND type IN ('ApplyOptimization', 'RevertOptimization') AND updated_at > %s AND updated_at <= %s
			AND EXISTS (SELECT FROM %s WHERE account_id = $1 AND operation_id = o.id)
			ORDER BY updated_at DESC, id DESC LIMIT %d) w)`, live.operations, after, until, live.writes, maxWrites)
}

// History returns a page of a model's assessments in the account, newest first, each with the writes before
// it. Pinned of the query is ignored.
func (v *Views) History(ctx context.Context, q AssessmentsQuery) ([]Assessed, error) {
	args := []any{q.AccountID, q.ModelID, q.WorkspaceID, q.Limit}
	after := ""
	if q.Before != nil {
		args = append(args, q.Before.AssessedAt, q.Before.ID)
		after = ` AND (assessed_at, id) < ($5, $6)`
	}
	rows, err := v.Pool.Query(ctx, `SELECT a.assessment, `+writesSQL(`coalesce(a.previous, '-infinity')`, `a.assessed_at`)+`
		FROM (SELECT assessed_at, id, assessment, (SELECT b.assessed_at FROM `+live.assessments+` b
				WHERE b.account_id = $1 AND b.model_id = $2 AND b.workspace_id = $3 AND (b.assessed_at, b.id) < (p.assessed_at, p.id)
				ORDER BY b.assessed_at DESC, b.id DESC LIMIT 1) AS previous
			FROM `+live.assessments+` p WHERE account_id = $1 AND model_id = $2 AND workspace_id = $3`+after+`
			ORDER BY assessed_at DESC, id DESC LIMIT $4) a ORDER BY a.assessed_at DESC, a.id DESC`, args...)
	if err != nil {
		return nil, fmt.Errorf("projections: read the history of a model: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (a Assessed, err error) {
		var text, writes []byte
		if err := row.Scan(&text, &writes); err != nil {
			return a, err
		}
		if err := json.Unmarshal(text, &a.Assessment); err != nil || writes == nil {
			return a, err
		}
		return a, json.Unmarshal(writes, &a.Writes)
	})
}

// Latest is what happened to a model in the account after its newest stored assessment.
type Latest struct {
	// Failure is why the newest assessment failed; nil if it did not.
	Failure *Failure
	// Writes are the newest applies and reverts, oldest first.
	Writes []Write
}

var latestWritesSQL = `SELECT coalesce(` + writesSQL(`coalesce((SELECT max(assessed_at) FROM `+live.assessments+`
	WHERE account_id = $1 AND model_id = $2), '-infinity')`, `'infinity'`) + `, '[]')`

// Latest returns what happened to the model after its newest stored assessment.
func (v *Views) Latest(ctx context.Context, accountID string, workspaceID, modelID uuid.UUID) (l Latest, err error) {
	b := &pgx.Batch{}
	b.Queue(latestWritesSQL, accountID, modelID).QueryRow(func(row pgx.Row) error { return row.Scan(&l.Writes) })
	b.Queue(failuresSQL+`u.workspace_id = $2 AND f.model_id = $3`, accountID, workspaceID, modelID).Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, scanFailure)
		if len(found) > 0 {
			l.Failure = &found[0]
		}
		return err
	})
	if err = v.Pool.SendBatch(ctx, b).Close(); err != nil {
		err = fmt.Errorf("projections: read what happened to a model since its assessment: %w", err)
	}
	return l, err
}
