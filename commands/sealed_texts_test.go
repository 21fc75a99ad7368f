package commands_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"readiness/commands"
	"readiness/domain"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
	"readiness/test/testworld"
)

var madeKey = sync.OnceValues(func() (*sealed.Key, error) {
	keys, err := sealed.New(testworld.AccountsKey)
	if err != nil {
		return nil, err
	}
	return keys.Make("contoso"), nil
})

// accountKey is the key under which the tests of events seal them.
func accountKey(t *testing.T) *sealed.Key {
	t.Helper()
	key, err := madeKey()
	check(t, err)
	return key
}

// texts calls found for every text that an event of the type can hold, outside of what is sealed.
func texts(of reflect.Type, within map[reflect.Type]bool, found func(where string)) {
	if of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) || of.Implements(reflect.TypeFor[json.Marshaler]()) || within[of] {
		return // ids, times and numbers
	}
	within[of] = true
	defer delete(within, of)
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		texts(of.Elem(), within, found)
	case reflect.Struct:
		for f := range of.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if _, tagged := f.Tag.Lookup("pii"); tagged || name == "-" || !f.IsExported() {
				continue
			}
			texts(f.Type, within, func(where string) {
				if where == "" {
					where = fmt.Sprintf("%v.%s", of, name)
				}
				found(where)
			})
			if f.Type.Kind() == reflect.Map && f.Type.Key().Kind() == reflect.String {
				found(fmt.Sprintf("%v.%s", of, name))
			}
		}
	case reflect.String, reflect.Interface:
		found("")
	}
}

// TestEveryTextIsDecided: a text in an event is sealed by the tag pii, or listed with the reason why not. So the author of a new one decides.
//
// proves: decisions/23/sealed
func TestEveryTextIsDecided(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, typ := range commands.Events() {
		texts(reflect.TypeOf(typ.Example), map[reflect.Type]bool{}, func(where string) { found[where] = true })
	}
	for _, where := range slices.Sorted(maps.Keys(found)) {
		if unsealed[where] == "" {
			t.Errorf("%s is neither sealed nor listed: give it the tag pii:\"text\" if a person wrote it, else a reason in unsealed", where)
		}
	}
	for where := range unsealed {
		if !found[where] {
			t.Errorf("%s is listed, and no event has it unsealed", where)
		}
	}
}

// marked returns the event with the mark in every text that is sealed.
func marked(t *testing.T, e domain.Event, mark string) domain.Event {
	t.Helper()
	into := reflect.New(reflect.TypeOf(e))
	into.Elem().Set(reflect.ValueOf(e))
	var walk func(v reflect.Value, in bool)
	walk = func(v reflect.Value, in bool) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				fresh := reflect.New(v.Type().Elem())
				fresh.Elem().Set(v.Elem())
				walk(fresh.Elem(), in)
				v.Set(fresh)
			}
		case reflect.Slice:
			fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(fresh, v)
			for i := range fresh.Len() {
				walk(fresh.Index(i), in)
			}
			if !v.IsNil() {
				v.Set(fresh)
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() {
				return
			}
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					_, tagged := f.Tag.Lookup("pii")
					walk(v.Field(i), in || tagged)
				}
			}
		case reflect.String:
			if in && v.Type() == reflect.TypeFor[string]() {
				v.SetString(mark)
			}
		}
	}
	walk(into.Elem(), false)
	return into.Elem().Interface().(domain.Event)
}

// TestNoSealedTextIsStored stores every event with a mark in each text that is sealed: the stored form does not have it, with the key the
// event is what it was, and without the key it can be read without the mark.
func TestNoSealedTextIsStored(t *testing.T) {
	t.Parallel()
	codec, err := eventstore.NewCodec(commands.Events()...)
	check(t, err)
	const mark = "Quokka of a person"
	holding := 0
	for _, example := range examples() {
		e := marked(t, example, mark)
		plain, err := json.Marshal(e)
		check(t, err)
		name, version, stored, err := codec.Encode(e, accountKey(t))
		check(t, err)
		if bytes.Contains(stored, []byte(mark)) {
			t.Errorf("%s is stored as %s", name, stored)
		}
		if bytes.Contains(plain, []byte(mark)) {
			holding++
		} else if sealed.Holds(stored) {
			t.Errorf("%s has a sealed member that is no text", name)
		}
		opened, err := codec.Decode(name, version, stored, accountKey(t))
		check(t, err)
		if again, err := json.Marshal(opened); err != nil || !bytes.Equal(again, plain) {
			t.Errorf("%s opens to %s, %v, and was %s", name, again, err, plain)
		}
		absent, err := codec.Decode(name, version, stored, nil)
		if _, missing := errors.AsType[*eventstore.MissingKey](err); missing != bytes.Contains(plain, []byte(mark)) {
			t.Errorf("%s without the key is %+v, %v", name, absent, err)
		}
	}
	if holding < 20 {
		t.Errorf("only %d events hold a text of a person", holding)
	}
}
