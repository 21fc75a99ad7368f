package commands

import (
	"encoding/json"

	"readiness/domain/account"
	"readiness/domain/operation"
	"readiness/domain/schedule"
	"readiness/eventstore"
)

// withFormerPeople gives the types that name a person their second schema version. In
// the first they held issuer and id of the person, which item.PersonID reads.
func withFormerPeople(types []eventstore.Type) []eventstore.Type {
	for i := range types {
		switch types[i].Example.(type) {
		case account.PersonSaved, account.PersonRemoved, operation.Accepted,
			schedule.Created, schedule.Changed, schedule.SlotStarted, schedule.SlotRefused, schedule.Paused:
			types[i].SchemaVersion = 2
			types[i].Upcasters = []eventstore.Upcaster{func(data json.RawMessage) (json.RawMessage, error) { return data, nil }}
		}
	}
	return types
}
