package commands

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/item"
	"readiness/eventstore"
)

// Sealer gives the events of an import the form that this program stores: texts of persons sealed, and ids in place of names. It is for
// one import into an empty log.
type Sealer struct {
	store *eventstore.Store
	plain *eventstore.PlainSealer
	// people are the ids of people, by account and the name that metadata hold.
	people map[[2]string]item.PersonID
	// Texts and Names count what was plain.
	Texts, Names int
}

// NewSealer returns a Sealer for an import into the store's log.
func NewSealer(store *eventstore.Store) *Sealer {
	return &Sealer{store: store, plain: store.PlainSealer(), people: map[[2]string]item.PersonID{}}
}

// Change implements eventstore.ImportOptions.
func (s *Sealer) Change(ctx context.Context, tx pgx.Tx, r *eventstore.Recorded) error {
	if n := names(r); n > 0 {
		s.Names += n
		if err := s.rename(r); err != nil {
			return err
		}
	}
	n, err := s.plain.Seal(ctx, tx, r)
	s.Texts += n
	return err
}

// rename replaces the names of people in data and metadata by ids.
func (s *Sealer) rename(r *eventstore.Recorded) error {
	if r.SchemaVersion == 1 && slices.Contains(namedPeople, r.Type) {
		s.learn(r.Account, r.Data)
		if err := s.store.Encode(r); err != nil {
			return err
		}
	}
	var meta map[string]json.RawMessage
	if err := json.Unmarshal(r.RawMetadata, &meta); err != nil {
		return err
	}
	var person string
	if err := json.Unmarshal(meta["person"], &person); err != nil || person == "" || item.PersonID(person).Valid() {
		return nil //nolint:nilerr // it names no one
	}
	of := [2]string{r.Account, person}
	if s.people[of] == "" {
		s.people[of] = item.PersonID(uuid.NewString())
	}
	var all eventstore.Metadata
	if err := json.Unmarshal(r.RawMetadata, &all); err != nil {
		return err
	}
	all.Person = string(s.people[of])
	data, err := json.Marshal(all)
	r.RawMetadata = data
	return err
}

// learn notes which ids the people have whom data name by issuer and id: the ids with which they are read.
func (s *Sealer) learn(account string, data json.RawMessage) {
	var within any
	if json.Unmarshal(data, &within) != nil {
		return
	}
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			issuer, named := v["issuer"].(string)
			if id, ok := v["id"].(string); ok && named {
				s.people[[2]string{account, id}] = item.FormerPersonID(item.Person{Issuer: issuer, ID: id})
			}
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		}
	}
	walk(within)
}

// AfterImport stores the keys that were made. It refuses a log with texts that are sealed under keys that are not stored.
func (s *Sealer) AfterImport(ctx context.Context, tx pgx.Tx) error { return s.plain.Keep(ctx, tx) }
