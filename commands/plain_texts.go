package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"readiness/domain/item"
	"readiness/eventstore"
)

// Plain counts what an account's events of a type hold that no erasure takes away: texts and names from before they were sealed.
type Plain struct {
	Type         string
	Texts, Names int
}

// PlainTexts returns what the account's events hold of texts and names of people in plain form. The log cannot be changed, so erasing the
// account would leave them.
func (s *Accounts) PlainTexts(ctx context.Context, accountID string) ([]Plain, error) {
	found := map[string]Plain{}
	for r, err := range s.Store.ReadStored(ctx, eventstore.Selection{Account: accountID}) {
		if err != nil {
			return nil, err
		}
		texts, err := s.Store.PlainTexts(&r)
		if err != nil {
			return nil, err
		}
		p := found[r.Type]
		p.Type, p.Texts, p.Names = r.Type, p.Texts+texts, p.Names+names(&r)
		if p.Texts+p.Names > 0 {
			found[r.Type] = p
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b Plain) int { return cmp.Compare(a.Type, b.Type) }), nil
}

// names returns how often the event names a person, as events did before there were ids of people.
func names(r *eventstore.Recorded) (n int) {
	var meta eventstore.Metadata
	if json.Unmarshal(r.RawMetadata, &meta) == nil && meta.Person != "" && !item.PersonID(meta.Person).Valid() {
		n++
	}
	if r.SchemaVersion == 1 && slices.Contains(namedPeople, r.Type) {
		n++
	}
	return n
}
