package commands_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/commands"
	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/optimization"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
)

// The forms in which the program before stored the events of optimizations: with lists that are sealed as a whole.
type (
	wholeWrites struct {
		Writes []struct {
			Objects json.RawMessage `json:"objects" pii:"text"`
		} `json:"writes"`
		Skipped json.RawMessage `json:"skipped" pii:"text"`
	}
	wholeUndo struct {
		Undo    json.RawMessage `json:"undo" pii:"text"`
		Skipped json.RawMessage `json:"skipped" pii:"text"`
	}
	wholeKeys struct {
		Keys json.RawMessage `json:"keys" pii:"text"`
	}
)

var wholes = map[string]reflect.Type{
	optimization.ApplyAccepted{}.EventType():   reflect.TypeFor[wholeWrites](),
	optimization.Proposed{}.EventType():        reflect.TypeFor[wholeWrites](),
	optimization.WritesContinued{}.EventType(): reflect.TypeFor[wholeWrites](),
	optimization.WriteIntended{}.EventType():   reflect.TypeFor[wholeUndo](),
	optimization.IntentContinued{}.EventType(): reflect.TypeFor[wholeUndo](),
	optimization.Restored{}.EventType():        reflect.TypeFor[wholeKeys](),
}

// Events whose lists were sealed as a whole are read as before, and those that hold only names are proved to hold no text that
// is not sealed.
func TestWholesSealedBefore(t *testing.T) {
	t.Parallel()
	codec, err := eventstore.NewCodec(commands.Events()...)
	check(t, err)
	for _, e := range examples() {
		name := e.EventType()
		form, ok := wholes[name]
		if !ok {
			continue
		}
		for _, typ := range commands.Events() {
			if typ.Example.EventType() == name && len(typ.Formerly) > 0 {
				name = typ.Formerly[0] // under which it was sealed as a whole
			}
		}
		golden, err := os.ReadFile(filepath.Join("testdata", "events", name+".v1.json"))
		check(t, err)
		var compact bytes.Buffer
		check(t, json.Compact(&compact, golden))
		plan, err := sealed.PlanOf(form)
		check(t, err)
		stored, err := plan.Seal(compact.Bytes(), accountKey(t), name)
		check(t, err)
		if !sealed.Holds(stored) || bytes.Contains(stored, []byte("Revenue")) {
			t.Fatalf("%s as it was stored: %s", name, stored)
		}
		got, err := codec.Decode(name, 1, stored, accountKey(t))
		check(t, err)
		if d := cmp.Diff(e, got); d != "" {
			t.Errorf("%s is read otherwise (-want +got):\n%s", name, d)
		}
		now, err := sealed.PlanOf(reflect.TypeOf(e))
		check(t, err)
		if n, err := now.Plain(stored); n != 0 || err != nil {
			t.Errorf("%s has %d texts that are not sealed, %v", name, n, err)
		}
		if _, err := codec.Decode(name, 1, stored, nil); err == nil {
			t.Errorf("%s was read without its key", name)
		}
	}
}

// What was written can be proved without the key: the stored form of an event names objects, properties, kinds and counts, also once the
// account was erased, and no value.
//
// proves: decisions/23/sealed
func TestObjectsAreReadable(t *testing.T) {
	t.Parallel()
	codec, err := eventstore.NewCodec(commands.Events()...)
	check(t, err)
	old, money := "Quokka before", "Quokka after"
	object := optimization.Object{Key: "Sales|Revenue", Type: "description", Table: "Sales", Object: "Revenue", ObjectType: "Measure",
		Property: rewrite.Description, Previous: &old, Written: &money}
	writes := []optimization.Write{{Type: "description", Objects: []optimization.Object{object}}}
	skipped := []optimization.Skip{{Key: "Sales|Revenue", Reason: "ItemChanged", Message: "Quokka said so"}}
	undo := []rewrite.Undo{{Target: object.Target(), Written: money, Lines: &old, Bytes: []byte(old), Escaped: []byte(old),
		Made: map[string]string{"entity": old}}}
	for _, e := range []domain.Event{
		optimization.ApplyAccepted{Writes: writes}, optimization.Proposed{Writes: writes, Skipped: skipped},
		optimization.WritesContinued{Writes: writes, Skipped: skipped}, optimization.WriteIntended{Undo: undo, Skipped: skipped},
		optimization.IntentContinued{Undo: undo, Skipped: skipped}, optimization.Restored{Keys: []string{object.Key}},
	} {
		name, version, stored, err := codec.Encode(e, accountKey(t))
		check(t, err)
		if version != 2 || !strings.Contains(string(stored), "Revenue") || strings.Contains(string(stored), "Quokka") ||
			strings.Contains(string(stored), "UXVva2th") { // in base 64
			t.Errorf("%s is stored in version %d as %s", name, version, stored)
		}
		erased, err := sealed.Open(stored, sealed.LeftOut, name)
		check(t, err)
		if !strings.Contains(string(erased), "Revenue") {
			t.Errorf("%s of an erased account reads %s", name, erased)
		}
	}
}
