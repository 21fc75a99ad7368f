// Package person records that persons were erased from accounts. Their names are not in
// the log, so these events say only whose id stands for no one any more.
package person

import (
	"readiness/domain"
	"readiness/domain/item"
)

// Erased records that a person was erased from the account: no one can say any more
// whom the id stood for.
type Erased struct {
	PersonID item.PersonID `json:"personId"`
}

func (Erased) EventType() string { return "person.erased" }

// Stream returns the name of the stream of a person in an account.
func Stream(accountID string, id item.PersonID) string {
	return "person-" + accountID + "-" + string(id)
}

// State is what the log knows of a person. The zero State was not erased.
type State struct{ Erased bool }

// Evolve returns the state after e.
func Evolve(s State, e domain.Event) State {
	if _, ok := e.(Erased); ok {
		s.Erased = true
	}
	return s
}

// Erase erases a person, once.
type Erase struct{ PersonID item.PersonID }

func (c Erase) Decide(s State) ([]domain.Event, error) {
	if s.Erased {
		return nil, nil
	}
	return []domain.Event{Erased(c)}, nil
}
