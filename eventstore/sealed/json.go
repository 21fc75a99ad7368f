package sealed

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
)

// A sealed member is {"$sealed":1,"key":"…","c":"…"}: the id of the key, and nonce, ciphertext and tag in base 64. It is written without
// space, and read only so.
const (
	beginning = `{"$sealed":1,"key":"`
	middle    = `","c":"`
	ending    = `"}`
	idLength  = 8
)

// Holds reports whether a JSON text has a sealed member.
func Holds(data []byte) bool { return bytes.Contains(data, []byte(beginning)) }

// Seal returns a JSON text, as json.Marshal writes it, with the members of the plan sealed. Empty members stay as they are. The additional
// data of the encryption are the account, the event's type, and the names of the member and of those around it. Seal fails if there is a
// text to seal and k is nil.
func (p *Plan) Seal(data []byte, k *Key, eventType string) ([]byte, error) {
	if p == nil {
		return data, nil
	}
	w := walk{text: data, key: k, out: make([]byte, 0, len(data)+256)}
	if k != nil {
		w.path = []byte(k.account + "\x00" + eventType)
	}
	if err := w.seal(p); err != nil {
		return nil, fmt.Errorf("sealed: %s: %w", eventType, err)
	}
	return w.out, nil
}

// Plain returns how many members of the plan hold a text that is not sealed, as events have them from before there were keys.
func (p *Plan) Plain(data []byte) (n int, err error) {
	if p == nil {
		return 0, nil
	}
	w := walk{text: data, plain: &n}
	err = w.seal(p)
	return n, err
}

// Open returns a JSON text with its sealed members opened; null in place of each for an erased account and with LeftOut. A member that was
// sealed under another key, or of an account whose key is missing, is a *MissingKey.
func Open(data []byte, k *Key, eventType string) ([]byte, error) {
	if !Holds(data) {
		return data, nil
	}
	if k == nil {
		k = &Key{}
	}
	w := walk{text: data, key: k, out: make([]byte, 0, len(data)), path: []byte(k.account + "\x00" + eventType)}
	if err := w.open(); err != nil {
		return nil, fmt.Errorf("sealed: %s: %w", eventType, err)
	}
	return w.out, nil
}

// walk copies a JSON text from text[at:] to out.
type walk struct {
	text []byte
	at   int
	key  *Key
	path []byte // the additional data of a member here
	out  []byte
	// plain counts the members that are not sealed, instead of sealing them.
	plain *int
}

// seal copies the next value.
func (w *walk) seal(p *Plan) error {
	if p == nil {
		return w.copyValue()
	}
	if !p.sealed {
		return w.descend(func(name []byte) error {
			if name == nil || p.each != nil {
				return w.seal(p.each)
			}
			return w.seal(p.members[string(name)])
		})
	}
	from := w.at
	if err := w.skipValue(); err != nil {
		return err
	}
	value := w.text[from:w.at]
	switch string(value) {
	case "null", `""`, "[]", "{}":
		w.out = append(w.out, value...)
		return nil
	}
	if bytes.HasPrefix(value, []byte(beginning)) { // it is already
		w.out = append(w.out, value...)
		return nil
	}
	if w.plain != nil {
		*w.plain++
		return nil
	}
	if w.key == nil {
		return ErrNoKey
	}
	w.out = append(append(append(w.out, beginning...), w.key.id...), middle...)
	w.out = base64.RawStdEncoding.AppendEncode(w.out, w.key.aead.Seal(nil, nil, value, w.path))
	w.out = append(w.out, ending...)
	return nil
}

// open copies the next value.
func (w *walk) open() error {
	if rest := w.text[w.at:]; bytes.HasPrefix(rest, []byte(beginning)) {
		id, after := rest[len(beginning):], len(beginning)+idLength+len(middle)
		end := bytes.Index(rest, []byte(ending))
		if end >= after && string(id[idLength:idLength+len(middle)]) == middle {
			w.at += end + len(ending)
			return w.opened(string(id[:idLength]), rest[after:end])
		}
	}
	return w.descend(func([]byte) error { return w.open() })
}

func (w *walk) opened(id string, text []byte) error {
	switch {
	case w.key.empty:
		w.out = append(w.out, "null"...)
		return nil
	case w.key.aead == nil || id != w.key.id:
		return &MissingKey{w.key.account, id}
	}
	secret, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err == nil {
		w.out, err = w.key.aead.Open(w.out, nil, secret, w.path)
	}
	if err != nil {
		return fmt.Errorf("a sealed member is damaged: its key cannot open it; run readinessd events verify")
	}
	return nil
}

// descend copies the next value, and calls each for its elements or its members.
func (w *walk) descend(each func(name []byte) error) error {
	w.space()
	if w.at == len(w.text) {
		return errCut
	}
	object := w.text[w.at] == '{'
	if !object && w.text[w.at] != '[' {
		return w.copyValue()
	}
	w.take()
	for depth := len(w.path); ; w.path = w.path[:depth] {
		w.space()
		if w.at == len(w.text) {
			return errCut
		}
		switch w.text[w.at] {
		case '}', ']':
			w.take()
			return nil
		case ',':
			w.take()
			continue
		}
		var name []byte
		if object {
			from := w.at
			if err := w.copyValue(); err != nil {
				return err
			}
			if name = w.text[from:w.at]; len(name) < 2 {
				return errCut
			}
			name = name[1 : len(name)-1]
			w.path = append(append(w.path, '.'), name...)
			if w.space(); w.at == len(w.text) || w.text[w.at] != ':' {
				return errCut
			}
			w.take()
			w.space()
		}
		from := w.at
		if err := each(name); err != nil {
			return err
		}
		if w.at == from {
			return errCut
		}
	}
}

// ErrNoKey is the error of a text that would be stored unsealed.
var ErrNoKey = errors.New("the event holds a text of a person, and the account has no key to seal it")

// errCut is the error of a text that is not valid JSON.
var errCut = errors.New("the text is not JSON")

func (w *walk) take() {
	w.out = append(w.out, w.text[w.at])
	w.at++
}

// space copies insignificant space.
func (w *walk) space() {
	for w.at < len(w.text) && (w.text[w.at] == ' ' || w.text[w.at] == '\n' || w.text[w.at] == '\t' || w.text[w.at] == '\r') {
		w.take()
	}
}

func (w *walk) copyValue() error {
	from := w.at
	err := w.skipValue()
	w.out = append(w.out, w.text[from:w.at]...)
	return err
}

// skipValue moves past the next value.
func (w *walk) skipValue() error {
	depth, inString := 0, false
	for ; w.at < len(w.text); w.at++ {
		c := w.text[w.at]
		switch {
		case inString && c == '\\':
			w.at++
			continue
		case c == '"':
			inString = !inString
		case inString:
			continue
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth == 0 {
				return nil // after a number or a word
			}
			depth--
		case depth == 0 && (c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			return nil
		default:
			continue // of a number or a word
		}
		if depth == 0 && !inString {
			w.at++
			return nil
		}
	}
	if w.at = len(w.text); depth > 0 || inString {
		return errCut
	}
	return nil
}
