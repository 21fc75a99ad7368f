package sealed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/eventstore/sealed"
)

type inner struct {
	Words string  `json:"words" pii:"text"`
	Other *string `json:"other" pii:"text"`
	N     int     `json:"n"`
}

type Embedded struct {
	Reason string `json:"reason,omitempty" pii:"text"`
}

type whole struct {
	Embedded
	ID    string           `json:"id"`
	List  []inner          `json:"list"`
	By    map[string]inner `json:"by"`
	Lines []string         `json:"lines" pii:"text"`
	At    *inner           `json:"at"`
	Free  json.RawMessage  `json:"free"`
}

func keysOf(t testing.TB, service byte) *sealed.Keys {
	t.Helper()
	keys, err := sealed.New(bytes.Repeat([]byte{service}, sealed.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func plan(t testing.TB) *sealed.Plan {
	t.Helper()
	p, err := sealed.PlanOf(reflect.TypeFor[whole]())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// secret is in every text that a test seals.
const secret = "Quokka"

// hostile are texts that look like JSON, like a sealed member, or like the end of one.
var hostile = []string{
	"", "x", `"`, `\`, `\"`, `"}`, `{"$sealed":1,"key":"00000000","c":"AAAA"}`, "\x00", "\u2028<&>", "\xff", "]}", `","c":"`, strings.Repeat("ü", 3000),
}

func wholeOf(text string) whole {
	text = secret + text
	in := inner{Words: text, Other: &text, N: 7}
	return whole{
		Embedded: Embedded{text}, ID: "kept", List: []inner{in, {}, in}, By: map[string]inner{`a"b\`: in}, Lines: []string{text, ""}, At: &in,
		Free: json.RawMessage(`{"$sealed":2,"list":[1,true,null,-2.5e3]}`),
	}
}

func TestSealedMembersOpen(t *testing.T) {
	t.Parallel()
	key := keysOf(t, 1).Make("acme")
	for _, text := range hostile {
		data, err := json.Marshal(wholeOf(text))
		if err != nil {
			t.Fatal(err)
		}
		stored, err := plan(t).Seal(data, key, "note.noted")
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(stored) || bytes.Contains(stored, []byte(secret)) || !bytes.Contains(stored, []byte(`"id":"kept"`)) || !sealed.Holds(stored) {
			t.Errorf("%q is stored as %s", text, stored)
		}
		if again, _ := plan(t).Seal(data, key, "note.noted"); bytes.Equal(again, stored) {
			t.Errorf("%q is sealed twice to the same bytes", text)
		}
		opened, err := sealed.Open(stored, key, "note.noted")
		if err != nil || string(opened) != string(data) {
			t.Errorf("%q: %v\n%s", text, err, cmp.Diff(string(data), string(opened)))
		}
		absent, err := sealed.Open(stored, sealed.LeftOut, "note.noted")
		var got whole
		if err == nil {
			err = json.Unmarshal(absent, &got)
		}
		want := whole{ID: "kept", List: []inner{{N: 7}, {}, {N: 7}}, By: map[string]inner{`a"b\`: {N: 7}}, At: &inner{N: 7}, Free: wholeOf("").Free}
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%q left out: %v\n%s", text, err, d)
		}
		gone, err := keysOf(t, 1).Open("acme", []byte{})
		if erased, of := sealed.Open(stored, gone, "note.noted"); err != nil || of != nil || string(erased) != string(absent) {
			t.Errorf("%q of an erased account: %v, %v, %s", text, err, of, erased)
		}
		none, err := keysOf(t, 1).Open("acme", nil)
		if err != nil {
			t.Fatal(err)
		}
		for why, k := range map[string]*sealed.Key{"without the key": none, "under another key": keysOf(t, 1).Make("acme")} {
			got, err := sealed.Open(stored, k, "note.noted")
			missing, is := errors.AsType[*sealed.MissingKey](err)
			if !is || missing.Account != "acme" || !bytes.Contains(stored, []byte(`"key":"`+missing.ID+`"`)) || got != nil {
				t.Errorf("%q %s: %v, %s", text, why, err, got)
			}
		}
	}
}

// A sealed member opens only where it was sealed.
func TestSealedMembersAreBound(t *testing.T) {
	t.Parallel()
	keys := keysOf(t, 1)
	key := keys.Make("acme")
	stored, err := plan(t).Seal([]byte(`{"id":"1","reason":"Quokka","at":{"words":"Numbat","n":1}}`), key, "note.noted")
	if err != nil {
		t.Fatal(err)
	}
	var parts struct {
		Reason json.RawMessage `json:"reason"`
		At     struct {
			Words json.RawMessage `json:"words"`
		} `json:"at"`
	}
	if err := json.Unmarshal(stored, &parts); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ data, of string }{
		"another event":   {string(stored), "note.struck"},
		"another member":  {fmt.Sprintf(`{"reason":%s}`, parts.At.Words), "note.noted"},
		"another depth":   {fmt.Sprintf(`{"words":%s}`, parts.At.Words), "note.noted"},
		"a changed text":  {strings.Replace(string(stored), `"c":"`, `"c":"A`, 1), "note.noted"},
		"a shorter text":  {fmt.Sprintf(`{"reason":{"$sealed":1,"key":%q,"c":""}}`, stored[bytes.Index(stored, []byte(`"key":"`))+7:][:8]), "note.noted"},
		"not JSON around": {string(stored[:len(stored)-1]), "note.noted"},
	} {
		if got, err := sealed.Open([]byte(test.data), key, test.of); err == nil {
			t.Errorf("%s: got %s and no error", name, got)
		}
	}
	if _, err := plan(t).Seal([]byte(`{"reason":"Quokka"}`), nil, "note.noted"); err == nil {
		t.Error("a text was stored without a key")
	}
	if got, err := plan(t).Seal([]byte(`{"reason":"","lines":[]}`), nil, "note.noted"); err != nil || sealed.Holds(got) {
		t.Errorf("nothing to seal: %s, %v", got, err)
	}
}

func TestKeysOfOtherServicesAreRefused(t *testing.T) {
	t.Parallel()
	keys := keysOf(t, 1)
	stored := keys.Make("acme").Stored()
	for name, test := range map[string]struct {
		keys    *sealed.Keys
		account string
		stored  []byte
	}{
		"another service.key": {keysOf(t, 2), "acme", stored},
		"another account":     {keys, "globex", stored},
		"a damaged key":       {keys, "acme", stored[:len(stored)-1]},
	} {
		if _, err := test.keys.Open(test.account, test.stored); !errors.Is(err, sealed.ErrOtherKey) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := sealed.New(make([]byte, sealed.KeySize-1)); err == nil {
		t.Error("a short key was accepted")
	}
}

func TestTagsAreChecked(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]reflect.Type{
		"another value": reflect.TypeFor[struct {
			A string `json:"a" pii:"name"`
		}](),
		"no JSON name": reflect.TypeFor[struct {
			A string `pii:"text"`
		}](),
		"never stored": reflect.TypeFor[struct {
			A string `json:"-" pii:"text"`
		}](),
		"deep in a list": reflect.TypeFor[[]map[string]struct {
			A string `json:"a" pii:""`
		}](),
	} {
		if _, err := sealed.PlanOf(of); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if p, err := sealed.PlanOf(reflect.TypeFor[struct {
		A string `json:"a"`
	}]()); p != nil || err != nil {
		t.Errorf("nothing to seal: got %v, %v", p, err)
	}
}

// Whatever is stored, opening ends; what is JSON stays JSON.
func FuzzOpen(f *testing.F) {
	key := keysOf(f, 1).Make("acme")
	for _, text := range hostile {
		data, err := json.Marshal(wholeOf(text))
		if err != nil {
			f.Fatal(err)
		}
		stored, err := plan(f).Seal(data, key, "note.noted")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(stored)
		f.Add(stored[:len(stored)/2])
	}
	f.Add([]byte(`[:{"$sealed":1,"key":"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, k := range []*sealed.Key{nil, sealed.LeftOut, key} {
			if got, err := sealed.Open(data, k, "note.noted"); err == nil && json.Valid(data) && !json.Valid(got) {
				t.Errorf("%s opens to %s", data, got)
			}
		}
		if json.Valid(data) {
			if got, err := plan(t).Seal(data, key, "note.noted"); err != nil || !json.Valid(got) {
				t.Errorf("%s is sealed to %s: %v", data, got, err)
			}
		}
	})
}
