package commands

import (
	"encoding/json"
	"slices"

	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/domain/schedule"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
)

// namedPeople are the types whose first schema version names a person.
var namedPeople = []string{
	account.PersonSaved{}.EventType(), account.PersonRemoved{}.EventType(), operation.Accepted{}.EventType(), schedule.Created{}.EventType(),
	schedule.Changed{}.EventType(), schedule.SlotStarted{}.EventType(), schedule.SlotRefused{}.EventType(), schedule.Paused{}.EventType(),
}

// sealedTexts are the types whose first schema version has their texts in other forms than the second, which seals each text.
var sealedTexts = []string{
	aiprovider.Saved{}.EventType(), aiprovider.Changed{}.EventType(),
	optimization.ApplyAccepted{}.EventType(), optimization.Proposed{}.EventType(), optimization.WriteIntended{}.EventType(),
	optimization.Restored{}.EventType(), optimization.WritesContinued{}.EventType(), optimization.IntentContinued{}.EventType(),
	pixies.RunAccepted{}.EventType(),
	abtest.RunAccepted{}.EventType(), abtest.Compared{}.EventType(), abtest.ComparisonRevised{}.EventType(),
	benchmark.RunAccepted{}.EventType(), benchmark.Asked{}.EventType(), benchmark.VerdictOverruled{}.EventType(),
	abtest.Created{}.EventType(), abtest.Reworded{}.EventType(), abtest.RunAdded{}.EventType(), abtest.RunEnded{}.EventType(),
	abtest.RunRevised{}.EventType(), abtest.RunRemoved{}.EventType(),
}

// formerNames are the names that types had in earlier programs, by their present names. Stored events keep them.
var formerNames = map[string]string{
	account.Refunded{}.EventType():      "allowance.given-back",
	assessment.Refunded{}.EventType():   "assessment.given-back",
	operation.Resumed{}.EventType():     "operation.went-on",
	optimization.Restored{}.EventType(): "optimization.put-back",
	pixies.Locked{}.EventType():         "pixies.held",
	pixies.Unchanged{}.EventType():      "pixies.left-as-it-was",
	trackeditem.Released{}.EventType():  "trackeditem.given-back",
	room.Released{}.EventType():         "trackeditems.given-back",
}

// withFormerForms gives the types their former names, and the types that name a person, and those with sealed texts, their second schema version. In the first
// they held issuer and id of the person, which item.PersonID reads; or texts that were plain or, of the optimization types,
// sealed with all that stands beside them, and types of change that proposal.Type reads.
func withFormerForms(types []eventstore.Type) []eventstore.Type {
	for i := range types {
		name := types[i].Example.EventType()
		if former, renamed := formerNames[name]; renamed {
			types[i].Formerly = []string{former}
		}
		if slices.Contains(namedPeople, name) || slices.Contains(sealedTexts, name) {
			types[i].SchemaVersion = 2
			types[i].Upcasters = []eventstore.Upcaster{func(data json.RawMessage) (json.RawMessage, error) { return data, nil }}
		}
	}
	return types
}
