package account

import (
	"readiness/domain"
	"readiness/domain/item"
)

// RemovePerson removes a person from the account, if they belong to it.
type RemovePerson struct{ PersonID item.PersonID }

func (c RemovePerson) Decide(a Account) ([]domain.Event, error) {
	if _, known := a.People.Get(c.PersonID); !known {
		return nil, nil
	}
	return []domain.Event{PersonRemoved{c.PersonID}}, nil
}
