package benchmark

import (
	"github.com/google/uuid"

	"readiness/domain"
)

// NamedRun is a run of the account and the model that a call names; Text is its id as
// the call gave it.
type NamedRun struct {
	Text      string
	AccountID string
	ModelID   uuid.UUID
}

// ID returns the id of the run.
func (n NamedRun) ID() (uuid.UUID, error) {
	id, ok := domain.ParseID(n.Text)
	if !ok {
		return id, n.notFound()
	}
	return id, nil
}

// Check refuses what is not a run of the account and the model.
func (n NamedRun) Check(r Run) error {
	if r.BelongsTo(n.AccountID) && r.Side.SemanticModelID == n.ModelID {
		return nil
	}
	return n.notFound()
}

func (n NamedRun) notFound() error {
	shortened := n.Text[:min(len(n.Text), 36)]
	return domain.Refuse(domain.RunNotFound, "semantic model %s has no benchmark run %s in this account", n.ModelID,
		shortened).About("runId", shortened)
}

// DeleteRun deletes a run. It refuses with OperationInProgress while the run has not
// ended.
type DeleteRun struct{}

func (DeleteRun) Decide(r Run) ([]domain.Event, error) {
	if r.Deleted {
		return nil, nil
	}
	if !r.Status.Ended() {
		return nil, domain.Refuse(domain.OperationInProgress,
			"benchmark run %s is a side of an A/B run that has not ended; stop that first", r.RunID).
			About("runId", r.RunID).About("operationId", r.OperationID)
	}
	return []domain.Event{RunDeleted{}}, nil
}
