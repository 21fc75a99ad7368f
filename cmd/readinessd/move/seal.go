package move

import (
	"crypto/ecdh"
	"crypto/hpke"
	"encoding/base64"
	"fmt"
	"strings"
)

// keyName is what the text of a key begins with.
const keyName = "readiness-move-"

// KeySize is the length of the secret that a deployment's key is derived from, in bytes.
const KeySize = 32

// Recipient is the key pair with which a deployment opens what was sealed for it.
type Recipient struct{ key hpke.PrivateKey }

// NewRecipient derives the key pair from a secret of KeySize bytes.
func NewRecipient(secret []byte) (Recipient, error) {
	key, err := hpke.DHKEM(ecdh.X25519()).DeriveKeyPair(secret)
	return Recipient{key}, err
}

// Public returns the public key as text, for the source of a move.
func (r Recipient) Public() string {
	return keyName + base64.RawURLEncoding.EncodeToString(r.key.PublicKey().Bytes())
}

// parsePublic reads the text of a public key.
func parsePublic(text string) (hpke.PublicKey, error) {
	encoded, ok := strings.CutPrefix(strings.TrimSpace(text), keyName)
	bytes, err := base64.RawURLEncoding.DecodeString(encoded)
	if err == nil && ok {
		var key hpke.PublicKey
		if key, err = hpke.DHKEM(ecdh.X25519()).NewPublicKey(bytes); err == nil {
			return key, nil
		}
	}
	return nil, fmt.Errorf("%q is not a key that readinessd accounts key prints; run it at the target", text)
}

// purpose binds what is sealed to the account.
func purpose(account string) []byte { return []byte("readiness account " + account) }

// sealFor returns what seals for the key, and the encapsulated key for the recipient.
func sealFor(to hpke.PublicKey, account string) (encapsulated []byte, s *hpke.Sender, err error) {
	return hpke.NewSender(to, hpke.HKDFSHA256(), hpke.AES256GCM(), purpose(account))
}

func (r Recipient) opener(h header) (*hpke.Recipient, error) {
	return hpke.NewRecipient(h.Sealed, r.key, hpke.HKDFSHA256(), hpke.AES256GCM(), purpose(h.Account))
}
