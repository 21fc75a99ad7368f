package projections_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/eventstore"
	"readiness/projections"
)

// Project changes rows for exactly the events that Of lists: an event missing from either would be
// lost silently.
func TestOfListsTheProjectedEvents(t *testing.T) {
	t.Parallel()
	codec, err := eventstore.NewCodec(commands.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range projections.All() {
		changed := 0
		for _, typ := range commands.Events() {
			name := typ.Example.EventType()
			data, err := os.ReadFile(filepath.Join("..", "commands", "testdata", "events", fmt.Sprintf("%s.v%d.json", name, typ.SchemaVersion)))
			if err != nil {
				t.Fatal(err)
			}
			e, err := codec.Decode(name, typ.SchemaVersion, data, nil)
			if err != nil {
				t.Fatal(err)
			}
			recorded := eventstore.Recorded{
				Account: "acme", Stream: typ.Stream + "-" + uuid.NewString(), Version: 1, Type: name, SchemaVersion: typ.SchemaVersion, Event: e, Data: data, RecordedAt: time.Now(),
			}
			if forgotten := view.Forgotten(recorded); forgotten != nil {
				t.Errorf("%s inserts a row for %s without %s: write every column, nil where it is NULL", view.Name, name, strings.Join(forgotten, ", "))
			}
			n, err := view.Changes(recorded)
			if err != nil {
				t.Errorf("%s of %s: %v", view.Name, name, err)
			}
			says := view.Of == nil || slices.ContainsFunc(view.Of, func(o domain.Event) bool { return o.EventType() == name })
			if (n > 0) != says {
				t.Errorf("%s changes %d rows for %s; its Of lists the event: %v", view.Name, n, name, says)
			}
			changed += min(n, 1)
		}
		if view.Of != nil && changed != len(view.Of) {
			t.Errorf("Of of %s lists %d events, but %d change rows", view.Name, len(view.Of), changed)
		}
	}
}
