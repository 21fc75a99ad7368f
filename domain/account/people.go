package account

import (
	"iter"
	"maps"

	"readiness/domain/item"
)

// People are the people of an account, by id. The zero People is empty. People
// are immutable: a change makes a new value that shares what did not change, so folding
// n changes does not copy n people n times.
type People struct {
	settled map[item.PersonID]*SavedPerson
	// recent holds the changes since; nil stands for a person who was removed. Once it
	// is larger than about the square root of settled, the two are merged.
	recent map[item.PersonID]*SavedPerson
}

// fewRecent is how many changes are not worth merging.
const fewRecent = 16

// Get returns a person, or false when they do not belong to the account.
func (p People) Get(who item.PersonID) (SavedPerson, bool) {
	person, changed := p.recent[who]
	if !changed {
		person = p.settled[who]
	}
	if person == nil {
		return SavedPerson{}, false
	}
	return *person, true
}

// All returns the people, in no particular order.
func (p People) All() iter.Seq2[item.PersonID, SavedPerson] {
	return func(yield func(item.PersonID, SavedPerson) bool) {
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

// with returns the people after a change of who: to person, or removed when person is
// nil.
func (p People) with(who item.PersonID, person *SavedPerson) People {
	recent := with(p.recent, who, person)
	if n := len(recent) - fewRecent; n <= 0 || n*n <= len(p.settled) {
		return People{p.settled, recent}
	}
	settled := maps.Clone(p.settled)
	if settled == nil {
		settled = make(map[item.PersonID]*SavedPerson, len(recent))
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
