package item

import (
	"encoding/json"

	"github.com/google/uuid"
)

// Person identifies the person of a token: the issuer and the person's id at that
// issuer ("tid/oid" when the token names a tenant, else its subject). It is never an
// e-mail address. It enters neither the log nor a view: these hold the PersonID, and
// package people knows whose it is.
type Person struct {
	Issuer string
	ID     string
}

// PersonID stands for a person in one account: in its events, views and documents. It
// is random, so without the row of package people it says nothing about the person.
type PersonID string

// UnmarshalJSON implements json.Unmarshaler. It also reads issuer and id of a person, as
// events and jobs held them before there were ids, and gives them their FormerPersonID.
func (id *PersonID) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '{' {
		var p struct{ Issuer, ID string }
		err := json.Unmarshal(text, &p)
		*id = FormerPersonID(Person(p))
		return err
	}
	return json.Unmarshal(text, (*string)(id))
}

// Valid reports whether id has the form of an id, rather than of the names that metadata
// held before there were ids.
func (id PersonID) Valid() bool { return uuid.Validate(string(id)) == nil }

// Former reports whether id comes from FormerPersonID.
func (id PersonID) Former() bool {
	of, err := uuid.Parse(string(id))
	return err == nil && of.Version() == 5
}

// formerPeople is the name space of FormerPersonID.
var formerPeople = uuid.MustParse("5f0c7a4e-8d2b-4f7e-9a64-1c5d0be3a7f2")

// FormerPersonID returns the id of a person whom events name by issuer and id, as all
// did before there were ids of persons (docs/adr/0018).
func FormerPersonID(p Person) PersonID {
	return PersonID(uuid.NewSHA1(formerPeople, []byte(p.Issuer+"\x00"+p.ID)).String())
}
