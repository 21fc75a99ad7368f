package commands_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode"

	"readiness/commands"
)

// An event's Go name is its stored name: operation.ImpactCorrected is stored as operation.impact-corrected.
func TestEventsBearTheirStoredNames(t *testing.T) {
	t.Parallel()
	for _, e := range commands.Events() {
		of := reflect.TypeOf(e.Example)
		if _, stored, _ := strings.Cut(e.Example.EventType(), "."); kebab(of.Name()) != stored {
			t.Errorf("%s is stored as %s; the names must be equal", of, e.Example.EventType())
		}
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
