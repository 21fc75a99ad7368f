package people

import (
	"crypto/rand"
	"encoding/json"

	"readiness/domain/item"
	"readiness/eventstore/sealed"
)

const (
	// keySize is the length of the keys of persons and of the key that seals them.
	keySize = 32
	// sealedKey is the length of a sealed key: nonce, key and tag.
	sealedKey = 12 + keySize + 16
)

// bound returns the additional data for which a person is sealed: a row cannot be moved
// to another id.
func bound(accountID string, id item.PersonID) []byte { return []byte(accountID + "\x00" + string(id)) }

// seal seals a person under a new key of theirs.
func (p *People) seal(accountID string, id item.PersonID, who item.Person) (sealedOwn, sealedText []byte) {
	own := make([]byte, keySize)
	_, _ = rand.Read(own) // never fails
	text, err := json.Marshal([]string{who.Issuer, who.ID})
	if err != nil {
		panic(err) // two texts always marshal
	}
	with := bound(accountID, id)
	return p.keys.Seal(nil, nil, own, with), sealed.AEAD(own).Seal(nil, nil, text, with)
}

// Shown returns how the person of a row is shown; "" for no row: they were erased. It returns ErrOtherKey for one that cannot be opened.
func (p *People) Shown(accountID string, id item.PersonID, row []byte) (string, error) {
	who, err := p.Open(accountID, id, row)
	return who.ID, err
}

// Open returns the person of a row, whose key and sealed text are given as one; the
// zero Person for no row. It returns ErrOtherKey when it cannot.
func (p *People) Open(accountID string, id item.PersonID, row []byte) (who item.Person, err error) {
	if row == nil {
		return who, nil
	}
	if len(row) < sealedKey {
		return who, ErrOtherKey
	}
	with := bound(accountID, id)
	own, err := p.keys.Open(nil, nil, row[:sealedKey], with)
	if err != nil {
		return who, ErrOtherKey
	}
	text, err := sealed.AEAD(own).Open(nil, nil, row[sealedKey:], with)
	if err != nil {
		return who, ErrOtherKey
	}
	var parts [2]string
	if err := json.Unmarshal(text, &parts); err != nil {
		return who, ErrOtherKey
	}
	return item.Person{Issuer: parts[0], ID: parts[1]}, nil
}
