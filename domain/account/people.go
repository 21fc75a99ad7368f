package account

import (
	"iter"
	"maps"

	"readiness/domain/item"
)

// People are the people of an account, by who they are. The zero People are
// nobody. People are never altered: a change makes others, which share what did
// not change, so that folding n changes does not copy n people n times.
type People struct {
	settled map[item.Person]*Person
	// recent are the changes since; nil is of a person who was removed. As soon as
	// they are more than about the square root of settled, they are settled too.
	recent map[item.Person]*Person
}

// fewRecent are changes that are not worth settling.
const fewRecent = 16

// Get returns a person; false when they are not of the account.
func (p People) Get(who item.Person) (Person, bool) {
	person, changed := p.recent[who]
	if !changed {
		person = p.settled[who]
	}
	if person == nil {
		return Person{}, false
	}
	return *person, true
}

// All are the people, in no order.
func (p People) All() iter.Seq2[item.Person, Person] {
	return func(yield func(item.Person, Person) bool) {
		for who, person := range p.settled {
			if _, changed := p.recent[who]; !changed && !yield(who, *person) {
				return
			}
		}
		for who, person := range p.recent {
			if person != nil && !yield(who, *person) {
				return
			}
		}
	}
}

// with are the people after a change: who is the person, or was removed when it
// is nil.
func (p People) with(who item.Person, person *Person) People {
	recent := with(p.recent, who, person)
	if n := len(recent) - fewRecent; n <= 0 || n*n <= len(p.settled) {
		return People{p.settled, recent}
	}
	settled := maps.Clone(p.settled)
	if settled == nil {
		settled = make(map[item.Person]*Person, len(recent))
	}
	for who, person := range recent {
		if person == nil {
			delete(settled, who)
		} else {
			settled[who] = person
		}
	}
	return People{settled: settled}
}
