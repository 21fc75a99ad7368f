package account

import "readiness/domain"

// Seal records the head of the account's tree. It changes nothing if that size was recorded already, and for an account that was never
// opened or was erased.
type Seal struct {
	Size int64
	Root []byte
}

func (c Seal) Decide(a Account) ([]domain.Event, error) {
	if !a.Opened || a.Erased || c.Size <= a.SealedSize {
		return nil, nil
	}
	return []domain.Event{Sealed(c)}, nil
}
