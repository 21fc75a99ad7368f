package item

import "readiness/domain"

// ReadFailure divides the error of reading an item's definition in a call that also
// answers without it: unreadable if the definition is there but cannot be read, and
// failed, what the call returns, otherwise. CapacityBusy is not a code that a call may
// return; it becomes PlatformUnavailable.
func ReadFailure(err error) (unreadable, failed error) {
	refusal, refused := domain.Refused(err)
	switch {
	case refused && refusal.Code == domain.ItemNotReadable:
		return err, nil
	case refused && refusal.Code == domain.CapacityBusy:
		return nil, domain.Refuse(domain.PlatformUnavailable, "%s", refusal.Message).After(refusal.RetryAfter)
	}
	return nil, err
}

// RefuseUnreadable refuses a call that can do nothing without the definition of an item that cannot be read; why says
// what is wrong with it and where.
func RefuseUnreadable(it Item, why error) error {
	return domain.Refuse(domain.InvalidRequest, "the definition of %s cannot be read: %s", it.DisplayName, why)
}
