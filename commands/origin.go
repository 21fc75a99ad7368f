package commands

import (
	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/eventstore"
)

// Origin is the call that work belongs to. It is the envelope of every job: a job's
// arguments are the Origin with the domain's step. It holds no token; the vault does.
type Origin struct {
	AccountID   string        `json:"accountId"`
	OperationID uuid.UUID     `json:"operationId"`
	PersonID    item.PersonID `json:"person"`
	RequestID   string        `json:"requestId,omitempty"`
	Trace       string        `json:"trace,omitempty"`
}

// Metadata returns what every event of the call and of its work records.
func (o Origin) Metadata() eventstore.Metadata {
	return eventstore.Metadata{
		Account: o.AccountID, Person: string(o.PersonID), RequestID: o.RequestID,
		OperationID: o.OperationID.String(), Correlation: o.OperationID.String(), Trace: o.Trace,
	}
}

// origin returns the origin of the work that the call starts as the operation.
func (caller Caller) origin(operationID uuid.UUID) Origin {
	return Origin{AccountID: caller.Account, OperationID: operationID, PersonID: caller.PersonID, RequestID: caller.RequestID,
		Trace: caller.Trace}
}
