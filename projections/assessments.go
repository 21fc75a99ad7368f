package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/documents"
	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/eventstore"
)

var assessments = &Table{
	Name: "assessments",
	Columns: []Column{
		{"id", "uuid"}, {"account_id", "text"}, {"operation_id", "uuid"}, {"workspace_id", "uuid"}, {"model_id", "uuid"},
		{"assessed_at", "timestamptz"}, {"assessment", "jsonb"},
	},
	Key: []string{"id"},
	Indexes: []string{
		"(account_id, model_id, assessed_at DESC, id DESC)",
		"(operation_id)",
		"((assessment ->> 'documentHash'))",
	},
}

// Assessments is the view of the assessments of semantic models and of data agents, whose id is then
// in model_id: one row per stored assessment, fed by the stream of the model or agent alone.
var Assessments = &View{
	Name: "assessments", Version: 1, Inline: true,
	Tables: []*Table{assessments},
	Of:     []domain.Event{assessment.Recorded{}, assessment.ResultsDeleted{}},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		switch e := r.Event.(type) {
		case assessment.Recorded:
			rows.Insert(assessments, Row{
				"id": e.AssessmentID, "account_id": r.Account, "operation_id": e.OperationID, "workspace_id": e.WorkspaceID,
				"model_id":    e.ModelID,
				"assessed_at": e.AssessedAt, "assessment": e.Assessment,
			})
		case assessment.ResultsDeleted:
			for _, id := range e.AssessmentIDs {
				rows.Delete(assessments, Key{id})
			}
		}
		return nil
	},
}

// AssessmentCursor is the place after which a page of assessments starts.
type AssessmentCursor struct {
	AssessedAt time.Time
	ID         uuid.UUID
}

// AssessmentsQuery selects a page of a model's assessments, newest first.
type AssessmentsQuery struct {
	AccountID   string
	WorkspaceID uuid.UUID
	ModelID     uuid.UUID
	Before      *AssessmentCursor // nil for the first page
	Limit       int
}

func scanAssessment(row pgx.CollectableRow) (a assessment.Assessment, err error) {
	var text []byte
	if err := row.Scan(&text); err != nil {
		return a, err
	}
	return a, json.Unmarshal(text, &a)
}

// Assessments returns a page of a model's assessments in the account.
func (v *Views) Assessments(ctx context.Context, q AssessmentsQuery) ([]assessment.Assessment, error) {
	sql := `SELECT assessment FROM assessments_v1 WHERE account_id = $1 AND model_id = $2 AND workspace_id = $3`
	args := []any{q.AccountID, q.ModelID, q.WorkspaceID, q.Limit}
	if q.Before != nil {
		sql += ` AND (assessed_at, id) < ($5, $6)`
		args = append(args, q.Before.AssessedAt, q.Before.ID)
	}
	rows, err := v.Pool.Query(ctx, sql+` ORDER BY assessed_at DESC, id DESC LIMIT $4`, args...)
	if err != nil {
		return nil, fmt.Errorf("projections: list assessments: %w", err)
	}
	return pgx.CollectRows(rows, scanAssessment)
}

// Assessment returns an assessment of the model in the account.
func (v *Views) Assessment(ctx context.Context, accountID string, workspaceID, modelID, assessmentID uuid.UUID) (assessment.Assessment,
	bool, error) {
	return v.assessment(ctx, `id = $1 AND account_id = $2 AND workspace_id = $3 AND model_id = $4`, assessmentID, accountID, workspaceID,
		modelID)
}

// AssessmentOf returns the assessment made by the operation of a single assessment.
func (v *Views) AssessmentOf(ctx context.Context, accountID string, operationID uuid.UUID) (assessment.Assessment, bool, error) {
	return v.assessment(ctx, `operation_id = $1 AND account_id = $2 LIMIT 1`, operationID, accountID)
}

// LatestAssessment returns the newest stored assessment of the model in the
// account.
func (v *Views) LatestAssessment(ctx context.Context, accountID string, modelID uuid.UUID) (assessment.Assessment, bool, error) {
	return v.assessment(ctx, `account_id = $1 AND model_id = $2 ORDER BY assessed_at DESC, id DESC LIMIT 1`, accountID, modelID)
}

// StoredBy returns which of the operation's assessments are stored.
func (v *Views) StoredBy(ctx context.Context, accountID string, operationID uuid.UUID) (map[uuid.UUID]bool, error) {
	rows, err := v.Pool.Query(ctx, `SELECT id FROM assessments_v1 WHERE operation_id = $1 AND account_id = $2`, operationID, accountID)
	if err != nil {
		return nil, fmt.Errorf("projections: read the assessments of an operation: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	stored := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		stored[id] = true
	}
	return stored, err
}

func (v *Views) assessment(ctx context.Context, where string, args ...any) (assessment.Assessment, bool, error) {
	rows, err := v.Pool.Query(ctx, `SELECT assessment FROM assessments_v1 WHERE `+where, args...)
	if err != nil {
		return assessment.Assessment{}, false, fmt.Errorf("projections: read an assessment: %w", err)
	}
	a, err := pgx.CollectExactlyOneRow(rows, scanAssessment)
	if errors.Is(err, pgx.ErrNoRows) {
		return a, false, nil
	}
	return a, err == nil, err
}

// ErrStoreUnavailable reports that the store of documents did not answer.
var ErrStoreUnavailable = documents.ErrUnavailable

// Document returns a stored document by its hash, as stored.
func (v *Views) Document(ctx context.Context, hash string) (json.RawMessage, error) {
	if v.Stored != nil {
		return v.Stored(ctx, hash)
	}
	return documents.Get(ctx, v.Pool, hash)
}
