package commands

import (
	"encoding/json"
	"slices"

	"readiness/domain/account"
	"readiness/domain/operation"
	"readiness/domain/schedule"
	"readiness/eventstore"
)

// namedPeople are the types whose first schema version names a person.
var namedPeople = []string{
	account.PersonSaved{}.EventType(), account.PersonRemoved{}.EventType(), operation.Accepted{}.EventType(), schedule.Created{}.EventType(),
	schedule.Changed{}.EventType(), schedule.SlotStarted{}.EventType(), schedule.SlotRefused{}.EventType(), schedule.Paused{}.EventType(),
}

// withFormerPeople gives the types that name a person their second schema version. In
// the first they held issuer and id of the person, which item.PersonID reads.
func withFormerPeople(types []eventstore.Type) []eventstore.Type {
	for i := range types {
		if slices.Contains(namedPeople, types[i].Example.EventType()) {
			types[i].SchemaVersion = 2
			types[i].Upcasters = []eventstore.Upcaster{func(data json.RawMessage) (json.RawMessage, error) { return data, nil }}
		}
	}
	return types
}
