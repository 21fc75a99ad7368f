package operation

import (
	"github.com/google/uuid"

	"readiness/domain"
)

// Cancel asks to stop an operation. An operation that has ended stays as it is. A
// running one is refused with OperationInProgress: benchmark and A/B runs, the only
// ones that can be cancelled, have separate commands.
type Cancel struct{}

func (Cancel) Decide(o Operation) ([]domain.Event, error) {
	if o.Status.Ended() {
		return nil, nil
	}
	return nil, domain.Refuse(domain.OperationInProgress, "operation %s is of type %s, which cannot be cancelled; wait for it to end", o.ID,
		o.Type).About("operationId", o.ID)
}

// CheckOf refuses an operation that the account does not have; id is its id as the call
// named it.
func (o Operation) CheckOf(accountID string, id uuid.UUID) error {
	if o.Account == accountID {
		return nil
	}
	return domain.Refuse(domain.OperationNotFound, "this account has no operation %s", id).About("operationId", id)
}
