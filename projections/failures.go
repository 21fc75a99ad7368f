package projections

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// unassessed has the models and agents of runs that have not ended, or failed; error_code is NULL until then.
var unassessed = &Table{
	Name: "unassessed",
	Columns: []Column{
		{"operation_id", "uuid"}, {"model_id", "uuid"}, {"account_id", "text"}, {"workspace_id", "uuid"}, {"workspace_name", "text"},
		{"model_name", "text"}, {"error_code", "text"}, {"error_message", "text"},
	},
	Key: []string{"operation_id", "model_id"},
}

// failures names the run of each model or agent whose newest assessment failed.
var failures = &Table{
	Name:    "failures",
	Columns: []Column{{"account_id", "text"}, {"model_id", "uuid"}, {"operation_id", "uuid"}, {"failed_at", "timestamptz"}},
	Key:     []string{"account_id", "model_id"},
	Indexes: []string{"(account_id, failed_at DESC)"},
}

// Failures is the view of the models and agents whose newest assessment failed, and why. unassessed is fed by the operation's stream,
// failures by that of the model or agent.
var Failures = &View{
	Name: "failures", Version: 1, Inline: true,
	Tables: []*Table{unassessed, failures},
	Of: []domain.Event{assessment.RunAccepted{}, assessment.ModelEnded{}, assessment.Ended{}, assessment.Refunded{}, assessment.Recorded{},
		assessment.ResultsDeleted{}},
	Project: func(rows *Rows, r eventstore.Recorded) error {
		id, ours := operation.StreamID(r.Stream)
		switch e := r.Event.(type) {
		case assessment.RunAccepted:
			for i := 0; ours && i < len(e.Models); i++ {
				rows.Insert(unassessed, Row{"operation_id": id, "model_id": e.Models[i].ModelID, "account_id": r.Account,
					"workspace_id": e.WorkspaceID, "workspace_name": e.WorkspaceName, "model_name": e.Models[i].ModelName,
					"error_code": nil, "error_message": nil})
			}
		case assessment.ModelEnded:
			switch key := (Key{id, e.ModelID}); {
			case ours && e.Error == nil:
				rows.Delete(unassessed, key)
			case ours:
				rows.Set(unassessed, key, Row{"error_code": string(e.Error.Code), "error_message": e.Error.Message})
			}
		case assessment.Ended:
			return rows.failed(r, e.OperationID)
		case assessment.Refunded:
			return rows.failed(r, e.OperationID)
		case assessment.Recorded:
			rows.Delete(failures, Key{r.Account, e.ModelID})
		case assessment.ResultsDeleted:
			rows.Delete(failures, Key{r.Account, e.ModelID})
		}
		return nil
	},
}

// failed records that the newest assessment of the stream's model failed.
func (r *Rows) failed(e eventstore.Recorded, operationID uuid.UUID) error {
	modelID, err := uuid.Parse(e.Stream[max(0, len(e.Stream)-len(uuid.Nil.String())):])
	if err != nil {
		return fmt.Errorf("the stream %s has no model: %w", e.Stream, err)
	}
	r.Ensure(failures, Key{e.Account, modelID})
	r.Set(failures, Key{e.Account, modelID}, Row{"operation_id": operationID, "failed_at": e.RecordedAt})
	return nil
}

// Failure says that the newest assessment of a model failed, and why.
type Failure struct {
	ModelID, OperationID, WorkspaceID uuid.UUID
	ModelName, WorkspaceName          string
	FailedAt                          time.Time
	Failure                           operation.Failure
}

// MaxFailures is how many failures Failures reads at most.
const MaxFailures = 1000

// failuresSQL looks each run's model up by its key: of the failures of a model, only the newest is read.
var failuresSQL = `SELECT f.model_id, f.operation_id, u.workspace_id, u.model_name, u.workspace_name, f.failed_at, u.error_code, u.error_message
	FROM ` + live.failures + ` f CROSS JOIN LATERAL (SELECT * FROM ` + live.unassessed + ` u
		WHERE u.operation_id = f.operation_id AND u.model_id = f.model_id OFFSET 0) u
	WHERE f.account_id = $1 AND u.error_code IS NOT NULL AND `

func scanFailure(row pgx.CollectableRow) (f Failure, err error) {
	err = row.Scan(&f.ModelID, &f.OperationID, &f.WorkspaceID, &f.ModelName, &f.WorkspaceName, &f.FailedAt, &f.Failure.Code, &f.Failure.Message)
	f.FailedAt = f.FailedAt.UTC()
	return f, err
}

// Failures returns the account's models and agents in the workspaces whose newest assessment failed, the newest failure first. text is
// part of the name of the model or its workspace, in any case.
func (v *Views) Failures(ctx context.Context, accountID string, workspaces []uuid.UUID, text string) (all []Failure, err error) {
	rows, err := v.Pool.Query(ctx, failuresSQL+`u.workspace_id = ANY ($2) ORDER BY f.failed_at DESC, f.model_id LIMIT $3`, accountID,
		workspaces, MaxFailures)
	if err != nil {
		return nil, fmt.Errorf("projections: read the failures: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanFailure)
	for _, f := range found {
		if part := searched(text).folded(); strings.Contains(searched(f.ModelName).folded(), part) ||
			strings.Contains(searched(f.WorkspaceName).folded(), part) {
			all = append(all, f)
		}
	}
	return all, err
}

// UnassessedBy returns where an item of a run is whose assessment failed; false if the run has none.
func (v *Views) UnassessedBy(ctx context.Context, accountID string, operationID, itemID uuid.UUID) (Failure, bool, error) {
	return one(ctx, v, "read a failure of a run", func(row pgx.CollectableRow) (f Failure, err error) {
		f.OperationID, f.ModelID = operationID, itemID
		return f, row.Scan(&f.WorkspaceID, &f.ModelName, &f.WorkspaceName)
	}, `SELECT workspace_id, model_name, workspace_name FROM `+live.unassessed+`
		WHERE account_id = $1 AND operation_id = $2 AND model_id = $3`, accountID, operationID, itemID)
}
