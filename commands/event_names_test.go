package commands_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode"

	"readiness/commands"
)

// An event's Go name is its stored name: operation.ImpactCorrected is stored as operation.impact-corrected. A stored name
// outlives the type, so a few differ, each for a reason.
func TestEventsBearTheirStoredNames(t *testing.T) {
	t.Parallel()
	const status = "a status has that name"
	differs := map[string]string{
		"operation.Completed": status, "operation.Broken": status, "operation.Stopped": status, "schedule.WasPaused": status,
		"trackeditem.PixiesRemoved": status, "trackeditem.Gone": status, "trackeditem.ResultsGone": status, "pixies.Gone": status,
		"trackeditem.RoomReserved":  "trackeditem.Reserved is another stream's",
		"trackeditem.RoomGivenBack": "trackeditem.GivenBack is another stream's",
	}
	for _, e := range commands.Events() {
		of := reflect.TypeOf(e.Example)
		_, stored, _ := strings.Cut(e.Example.EventType(), ".")
		name := of.String()
		if reason, differ := differs[name]; (kebab(of.Name()) == stored) == differ {
			t.Errorf("%s is stored as %s; the names must be equal, except for a reason (%q)", name, e.Example.EventType(), reason)
		}
		delete(differs, name)
	}
	for name := range differs {
		t.Errorf("there is no event %s", name)
	}
}

// kebab returns ImpactCorrected as impact-corrected.
func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
