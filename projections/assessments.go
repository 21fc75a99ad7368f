package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/readiness"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
	"readiness/storage/documents"
	"readiness/storage/people"
)

var assessments = &Table{
	Name: "assessments",
	Columns: []Column{
		{"id", "uuid"}, {"account_id", "text"}, {"operation_id", "uuid"}, {"workspace_id", "uuid"}, {"model_id", "uuid"},
		{"assessed_at", "timestamptz"}, {"assessment", "jsonb"}, {"pinned", "boolean"}, {"basis", "uuid"},
		{"score", "int"},
	},
	Key: []string{"id"},
	Indexes: []string{
		"(account_id, model_id, assessed_at DESC, id DESC) INCLUDE (basis, score)",
		"(operation_id)",
		"((assessment ->> 'documentHash'))",
	},
}

// Assessments is the view of the assessments of semantic models and of data agents, whose id is then
// in model_id: one row per stored assessment, and the newest one of each semantic model in portfolio,
// its numbers alone in portfolio_scores, and the changes of its score in portfolio_changes.
// All are fed by the stream of the model or agent alone.
var Assessments = &View{
	Name: "assessments", Version: 6, Inline: true,
	Tables: []*Table{assessments, portfolio, portfolioScores, portfolioChanges},
	Of:     []domain.Event{assessment.Recorded{}, assessment.Pinned{}, assessment.Unpinned{}, assessment.ResultsDeleted{}},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		switch e := r.Event.(type) {
		case assessment.Recorded:
			made := Row{
				"id": e.AssessmentID, "account_id": r.Account, "operation_id": e.OperationID, "workspace_id": e.WorkspaceID,
				"model_id":    e.ModelID,
				"assessed_at": e.AssessedAt, "assessment": e.Assessment, "pinned": false, "basis": basisOf(e.Assessment),
			}
			made.number("score", e.Score)
			rows.Insert(assessments, made)
			if e.DataAgent == nil {
				rows.Ensure(portfolio, Key{r.Account, e.ModelID})
				columns := Row{}
				columns.newest(e.Assessment)
				rows.Set(portfolio, Key{r.Account, e.ModelID}, columns)
				rows.Ensure(portfolioScores, Key{r.Account, e.ModelID})
				numbers := Row{}
				numbers.scores(e.Assessment)
				rows.Set(portfolioScores, Key{r.Account, e.ModelID}, numbers)
				rows.Derive(portfolioChanges, Key{r.Account, e.ModelID})
			}
		case assessment.Pinned:
			rows.Set(assessments, Key{e.AssessmentID}, Row{"pinned": true})
		case assessment.Unpinned:
			rows.Set(assessments, Key{e.AssessmentID}, Row{"pinned": false})
		case assessment.ResultsDeleted:
			for _, id := range e.AssessmentIDs {
				rows.Delete(assessments, Key{id})
			}
			if e.Standing.Recorded == 0 {
				rows.Delete(portfolio, Key{r.Account, e.ModelID})
				rows.Delete(portfolioScores, Key{r.Account, e.ModelID})
			}
			rows.Derive(portfolioChanges, Key{r.Account, e.ModelID})
		}
		return nil
	},
}

// Assessment is a stored assessment as the view has it.
type Assessment struct {
	assessment.Assessment
	Pinned bool
	// Evidence is what was measured of the model. Lists do not have it.
	Evidence *Evidence
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
	Pinned      *bool             // only those that are pinned, or only those that are not; nil for all
	Before      *AssessmentCursor // nil for the first page
	Limit       int
}

func scanAssessment(row pgx.CollectableRow) (a Assessment, err error) {
	var text, evidence []byte
	if err := row.Scan(&text, &a.Pinned, &evidence); err != nil {
		return a, err
	}
	if err := stored(evidence, &a.Evidence); err != nil {
		return a, err
	}
	return a, json.Unmarshal(text, &a.Assessment)
}

// Assessments returns a page of a model's assessments in the account.
func (v *Views) Assessments(ctx context.Context, q AssessmentsQuery) ([]Assessment, error) {
	sql := `SELECT assessment, pinned, NULL::jsonb FROM ` + live.assessments + ` WHERE account_id = $1 AND model_id = $2 AND workspace_id = $3`
	args := []any{q.AccountID, q.ModelID, q.WorkspaceID, q.Limit}
	if q.Pinned != nil {
		args = append(args, *q.Pinned)
		sql += fmt.Sprintf(` AND pinned = $%d`, len(args))
	}
	if q.Before != nil {
		args = append(args, q.Before.AssessedAt, q.Before.ID)
		sql += fmt.Sprintf(` AND (assessed_at, id) < ($%d, $%d)`, len(args)-1, len(args))
	}
	return collect(ctx, v, "list assessments", scanAssessment, sql+` ORDER BY assessed_at DESC, id DESC LIMIT $4`, args...)
}

// Assessment returns an assessment of the model in the account.
func (v *Views) Assessment(ctx context.Context, accountID string, workspaceID, modelID, assessmentID uuid.UUID) (Assessment, bool,
	error) {
	return v.assessment(ctx, `id = $1 AND account_id = $2 AND workspace_id = $3 AND model_id = $4`, assessmentID, accountID, workspaceID,
		modelID)
}

// AssessmentOf returns the assessment made by the operation of a single assessment.
func (v *Views) AssessmentOf(ctx context.Context, accountID string, operationID uuid.UUID) (Assessment, bool, error) {
	return v.assessment(ctx, `operation_id = $1 AND account_id = $2 LIMIT 1`, operationID, accountID)
}

// LatestAssessment returns the newest stored assessment of the model in the
// account.
func (v *Views) LatestAssessment(ctx context.Context, accountID string, modelID uuid.UUID) (assessment.Assessment, bool, error) {
	a, found, err := v.assessment(ctx, `account_id = $1 AND model_id = $2 ORDER BY assessed_at DESC, id DESC LIMIT 1`, accountID, modelID)
	return a.Assessment, found, err
}

// ScoreBefore returns the newest score of the assessment's item from before the assessment that rests on the same; nil if there is none.
func (v *Views) ScoreBefore(ctx context.Context, accountID string, a assessment.Assessment) (*int, error) {
	score, found, err := one(ctx, v, "read the score before an assessment", pgx.RowTo[int], `SELECT score FROM `+live.assessments+`
		WHERE account_id = $1 AND model_id = $2 AND (assessed_at, id) < ($3, $4) AND basis = $5 AND score IS NOT NULL
		ORDER BY assessed_at DESC, id DESC LIMIT 1`, accountID, a.ModelID, a.AssessedAt, a.AssessmentID, basisOf(a))
	if err != nil || !found {
		return nil, err
	}
	return &score, nil
}

// ScoredBefore returns the newest assessment of the item from before the assessment that has a score, whatever that rests on; nil if there is
// none.
func (v *Views) ScoredBefore(ctx context.Context, accountID string, a assessment.Assessment) (*assessment.Assessment, error) {
	before, found, err := v.assessment(ctx, `account_id = $1 AND model_id = $2 AND (assessed_at, id) < ($3, $4) AND score IS NOT NULL
		ORDER BY assessed_at DESC, id DESC LIMIT 1`, accountID, a.ModelID, a.AssessedAt, a.AssessmentID)
	if err != nil || !found {
		return nil, err
	}
	return &before.Assessment, nil
}

// AIFormatBefore returns the format of the newest assessment of the item from before the assessment that knows it; empty if none does.
func (v *Views) AIFormatBefore(ctx context.Context, accountID string, a assessment.Assessment) (semanticmodel.AIFormat, error) {
	format, _, err := one(ctx, v, "read the format before an assessment", pgx.RowTo[semanticmodel.AIFormat], `SELECT assessment ->> 'aiFormat'
		FROM `+live.assessments+` WHERE account_id = $1 AND model_id = $2 AND (assessed_at, id) < ($3, $4) AND assessment ->> 'aiFormat' <> ''
		ORDER BY assessed_at DESC, id DESC LIMIT 1`, accountID, a.ModelID, a.AssessedAt, a.AssessmentID)
	return format, err
}

// StoredBy returns the stored assessments of an operation, each with the fingerprint of its model; the
// fingerprint is nil if none is stored.
func (v *Views) StoredBy(ctx context.Context, accountID string, operationID uuid.UUID) (map[uuid.UUID]*readiness.Fingerprint, error) {
	rows, err := v.Pool.Query(ctx, `SELECT a.id, d.hash, d.body, d.object FROM `+live.assessments+` a
		LEFT JOIN documents d ON d.hash = a.assessment ->> 'fingerprintHash' WHERE a.operation_id = $1 AND a.account_id = $2`,
		operationID, accountID)
	if err != nil {
		return nil, fmt.Errorf("projections: read the assessments of an operation: %w", err)
	}
	stored := map[uuid.UUID]*readiness.Fingerprint{}
	of := map[uuid.UUID]string{} // the hash of its fingerprint
	var fingerprints []documents.Row
	var id uuid.UUID
	var hash *string
	var r documents.Row
	if _, err := pgx.ForEachRow(rows, []any{&id, &hash, &r.Body, &r.Object}, func() error {
		if stored[id] = nil; hash != nil {
			r.Hash, of[id] = *hash, *hash
			fingerprints = append(fingerprints, r)
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("projections: read the assessments of an operation: %w", err)
	}
	bodies, err := v.Documents.OpenAll(ctx, fingerprints)
	if err != nil {
		return nil, err
	}
	for id, hash := range of {
		body, there := bodies[hash]
		if !there { // it expired meanwhile
			continue
		}
		var f assessment.Fingerprint
		if err := json.Unmarshal(body, &f); err != nil {
			return nil, fmt.Errorf("projections: read the fingerprint %s: %w", hash, err)
		}
		stored[id] = &f.Fingerprint
	}
	return stored, nil
}

func (v *Views) assessment(ctx context.Context, where string, args ...any) (Assessment, bool, error) {
	return one(ctx, v, "read an assessment", scanAssessment,
		`SELECT a.assessment, a.pinned, `+
			evidenceSQL("a.account_id", "a.model_id", "a.assessment->>'definitionHash'")+` FROM `+live.assessments+` a WHERE `+where, args...)
}

// ErrStoreUnavailable reports that the store of documents did not answer.
var ErrStoreUnavailable = documents.ErrUnavailable

// Unreadable reports whether something in the database is encrypted under a key that is missing, or is another one.
func Unreadable(err error) bool {
	_, missing := errors.AsType[*eventstore.MissingKey](err)
	return missing || errors.Is(err, sealed.ErrOtherKey) || errors.Is(err, people.ErrOtherKey)
}

// Errors of stored documents.
var (
	// ErrDamaged reports that a document cannot be read as it was stored.
	ErrDamaged = documents.ErrDamaged
	// ErrNotStored reports that a document is not stored.
	ErrNotStored = documents.ErrNotFound
)

// Document returns a stored document by its hash, as stored.
func (v *Views) Document(ctx context.Context, hash string) (json.RawMessage, error) {
	if v.Stored != nil {
		return v.Stored(ctx, hash)
	}
	return v.Documents.Get(ctx, hash)
}
