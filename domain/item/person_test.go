package item_test

import (
	"encoding/json"
	"testing"

	"readiness/domain/item"
)

// A person of events from before there were ids gets the same id at every read.
func TestFormerPersons(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]item.PersonID{
		`"0e7c29ab-3a41-4c6e-8b54-0f6f3a3f1a10"`:            "0e7c29ab-3a41-4c6e-8b54-0f6f3a3f1a10",
		`{"id":"ada"}`:                                      "3f4e0adb-fac9-57bb-9af9-c5c7f2a7ed90",
		`{"issuer":"https://login.example.com","id":"ada"}`: "3e660b4b-8f53-508f-8427-a354eb57cd61",
	} {
		var id, again item.PersonID
		err := json.Unmarshal([]byte(text), &id)
		if err == nil {
			err = json.Unmarshal([]byte(text), &again)
		}
		if err != nil || id != want || id != again || !id.Valid() || id.Former() != (text[0] == '{') {
			t.Errorf("%s is read as %q, then as %q, %v", text, id, again, err)
		}
	}
}
