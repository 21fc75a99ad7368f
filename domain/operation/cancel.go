package operation

import "readiness/domain"

// Cancel asks to stop an operation (spec 4.2, cancel rules). An operation that
// has ended stays as it is; a running one of any type that exists so far cannot
// be stopped (spec 3.1: only benchmark and A/B runs can).
type Cancel struct{}

// Decide implements domain.Command.
func (Cancel) Decide(o Operation) ([]domain.Event, error) {
	if o.Status.Ended() {
		return nil, nil
	}
	return nil, domain.Refuse(domain.OperationInProgress, "operation %s is of type %s, which cannot be cancelled; wait for it to end", o.ID, o.Type).About("operationId", o.ID)
}
