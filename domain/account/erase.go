package account

import "readiness/domain"

// Erased records that the account was closed for good. It is the account's last event: the key of its texts is gone, and nothing is
// appended for it after it.
type Erased struct{}

func (Erased) EventType() string { return "account.erased" }

// Erase closes an account for good. It changes nothing if that was done before.
type Erase struct{ AccountID string }

// Decide implements domain.Command. An account must be Closed first, so that no slip of the hand erases one that is in use.
func (c Erase) Decide(a Account) ([]domain.Event, error) {
	switch {
	case a.Erased:
		return nil, nil
	case !a.Opened:
		return nil, domain.Refuse(domain.InvalidRequest, "there is no account %q", c.AccountID)
	case a.Status != Closed:
		return nil, domain.Refuse(domain.InvalidRequest, "account %s is %s; only a Closed account can be erased: declare it with status: "+
			"Closed in the accounts file, and apply the file", c.AccountID, a.Status)
	}
	return []domain.Event{Erased{}}, nil
}
