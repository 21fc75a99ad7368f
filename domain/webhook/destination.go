package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Destination is where a webhook's messages go and the secret that signs them. Printing, encoding or logging it shows neither; the zero
// Destination is none.
type Destination struct {
	// of is a pointer so that code which prints a Destination without calling its methods prints an address of memory.
	of *destination
}

type destination struct {
	Address string `json:"address"`
	Secret  []byte `json:"secret"`
	// Previous is the secret before this one, which signs beside it until PreviousEnds.
	Previous     []byte    `json:"previous,omitempty"`
	PreviousEnds time.Time `json:"previousEnds,omitzero"`
}

const (
	maxAddress = 2048
	// SecretSize is the length of a secret in bytes.
	SecretSize = 32
)

// NewDestination returns the destination with the address, which must be an https address, and the secret, which must have SecretSize
// bytes. The refusal does not repeat the address.
func NewDestination(address string, secret []byte) (Destination, error) {
	notVisible := func(r rune) bool { return r <= ' ' || r > '~' }
	u, err := url.Parse(address)
	if err != nil || len(address) > maxAddress || strings.ContainsFunc(address, notVisible) || u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil || u.Fragment != "" {
		return Destination{}, wrong("address", "must be an absolute https address of at most %d visible ASCII characters, without "+
			"credentials and fragment", maxAddress)
	}
	return Destination{&destination{Address: address, Secret: secret}}, nil
}

// ParseDestination returns the destination that Reveal wrote.
func ParseDestination(text string) (Destination, error) {
	var d destination
	if json.Unmarshal([]byte(text), &d) != nil || d.Address == "" || len(d.Secret) == 0 {
		return Destination{}, errors.New("webhook: a stored destination is damaged") // the text may contain a secret
	}
	return Destination{&d}, nil
}

// At returns the destination with another address and the same secrets.
func (d Destination) At(address string) (Destination, error) {
	to, err := NewDestination(address, d.of.Secret)
	if err == nil {
		to.of.Previous, to.of.PreviousEnds = d.of.Previous, d.of.PreviousEnds
	}
	return to, err
}

// Rotated returns the destination with a new secret, beside which the present one signs until it ends. One before that signs no more.
func (d Destination) Rotated(secret []byte, ends time.Time) Destination {
	return Destination{&destination{d.of.Address, secret, d.of.Secret, ends}}
}

// Reveal returns the destination as a text to encrypt.
func (d Destination) Reveal() string {
	text, _ := json.Marshal(d.of) // two members of simple types
	return string(text)
}

// Address returns the address.
func (d Destination) Address() string { return d.of.Address }

// Host returns the host of the address, with its port if it names one.
func (d Destination) Host() string {
	u, err := url.Parse(d.of.Address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// Secret returns the secret as receivers take it.
func (d Destination) Secret() string {
	return "whsec_" + base64.StdEncoding.EncodeToString(d.of.Secret)
}

// Headers returns the headers by which Standard Webhooks signs a body that is sent at a time.
func (d Destination) Headers(id string, at time.Time, body []byte) map[string]string {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signed := func(secret []byte) string {
		mac := hmac.New(sha256.New, secret)
		fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
		return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	signature := signed(d.of.Secret)
	if at.Before(d.of.PreviousEnds) {
		signature += " " + signed(d.of.Previous)
	}
	return map[string]string{"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}
}

// hidden is printed instead of a destination.
const hidden = "(webhook)"

// String implements fmt.Stringer.
func (Destination) String() string { return hidden }

// GoString implements fmt.GoStringer.
func (Destination) GoString() string { return hidden }

// Format implements fmt.Formatter, for every verb.
func (Destination) Format(s fmt.State, _ rune) { fmt.Fprint(s, hidden) }

// MarshalText implements encoding.TextMarshaler, which JSON and log encoders use.
func (Destination) MarshalText() ([]byte, error) { return []byte(hidden), nil }
