package eventstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// exported is a line of NDJSON. Data and Metadata are the bytes that were hashed, except for
// insignificant space. An entry of an account's tree has DataHash instead of long Data.
type exported struct {
	V             int             `json:"v"` // of this format
	Position      int64           `json:"position"`
	EventID       uuid.UUID       `json:"eventId"`
	AccountID     string          `json:"accountId"`
	Stream        string          `json:"stream"`
	Version       int64           `json:"version"`
	Type          string          `json:"type"`
	SchemaVersion int             `json:"schemaVersion"`
	Data          json.RawMessage `json:"data,omitempty"`
	DataHash      string          `json:"dataSha256,omitempty"` // hexadecimal
	Metadata      json.RawMessage `json:"metadata"`
	RecordedAt    time.Time       `json:"recordedAt"`
	Hash          string          `json:"hash"` // hexadecimal
}

// lineVersion is the version of the form of a line.
const lineVersion = 1

// Line returns the event as a line of an export, without the line feed: the same bytes whenever it is called.
func (r *Recorded) Line() ([]byte, error) {
	if line, ok := r.plainLine(); ok {
		return line, nil
	}
	return json.Marshal(r.exported())
}

func (r *Recorded) exported() exported {
	return exported{V: lineVersion, Position: r.Position, EventID: r.ID, AccountID: r.Account, Stream: r.Stream, Version: r.Version,
		Type: r.Type, SchemaVersion: r.SchemaVersion, Data: r.Data, Metadata: r.RawMetadata, RecordedAt: r.RecordedAt,
		Hash: hex.EncodeToString(r.Hash)}
}

// plainLine returns the bytes of json.Marshal(r.exported()) in a sixth of the time, because every event's line is made whenever the log is
// sealed or verified. ok is false for an event that json.Marshal writes differently from its stored form.
func (r *Recorded) plainLine() (line []byte, ok bool) {
	if len(r.Data) == 0 || !plainJSON(r.Data) || !plainJSON(r.RawMetadata) || !plainText(r.Account) || !plainText(r.Stream) ||
		!plainText(r.Type) || r.RecordedAt.Location() != time.UTC || r.RecordedAt.Year() < 0 || r.RecordedAt.Year() > 9999 {
		return nil, false
	}
	const members = 400 // the names, the numbers, the id, the time and the hash take less
	b := make([]byte, 0, members+len(r.Account)+len(r.Stream)+len(r.Type)+len(r.Data)+len(r.RawMetadata))
	b = strconv.AppendInt(append(b, `{"v":`...), lineVersion, 10)
	b = strconv.AppendInt(append(b, `,"position":`...), r.Position, 10)
	id, _ := r.ID.MarshalText() // never fails
	b = append(append(append(b, `,"eventId":"`...), id...), '"')
	b = append(append(append(b, `,"accountId":"`...), r.Account...), '"')
	b = append(append(append(b, `,"stream":"`...), r.Stream...), '"')
	b = strconv.AppendInt(append(b, `,"version":`...), r.Version, 10)
	b = append(append(append(b, `,"type":"`...), r.Type...), '"')
	b = strconv.AppendInt(append(b, `,"schemaVersion":`...), int64(r.SchemaVersion), 10)
	b = append(append(b, `,"data":`...), r.Data...)
	b = append(append(b, `,"metadata":`...), r.RawMetadata...)
	b = append(r.RecordedAt.AppendFormat(append(b, `,"recordedAt":"`...), time.RFC3339Nano), '"')
	b = hex.AppendEncode(append(b, `,"hash":"`...), r.Hash)
	return append(b, `"}`...), true
}

// plainText reports whether json.Marshal writes the text as it is, between quotes.
func plainText(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// plainJSON reports whether json.Marshal writes the JSON text, which PostgreSQL has checked, as it is: without insignificant space,
// and without what json.Marshal escapes.
func plainJSON(text []byte) bool {
	if len(text) == 0 || bytes.IndexByte(text, 0xe2) >= 0 { // U+2028 and U+2029 begin so
		return false
	}
	inString := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			inString = !inString
		case '\\':
			i++
		case '<', '>', '&':
			return false
		case ' ', '\t', '\n', '\r':
			if !inString {
				return false
			}
		}
	}
	return true
}

// Canonical reports whether the stored data and metadata are, byte for byte, in the form that lines have and that this program writes:
// without
// insignificant space. Chains hash the stored bytes, and heads the lines; where both agree, a head covers every stored byte.
func (r *Recorded) Canonical() bool {
	for _, stored := range []json.RawMessage{r.Data, r.RawMetadata} {
		if plainJSON(stored) {
			continue
		}
		if form, err := json.Marshal(stored); err != nil || !bytes.Equal(form, stored) {
			return false
		}
	}
	return true
}

// maxEntry is how long an entry of a tree can be (C2SP tlog-tiles), in bytes.
const maxEntry = 1<<16 - 1

// Entry returns the event as an entry of its account's tree: its line or, if that is too long, the line with the SHA-256 of data instead of
// data.
func (r *Recorded) Entry() ([]byte, error) {
	line, err := r.Line()
	if err != nil || len(line) <= maxEntry {
		return line, err
	}
	short, sum := r.exported(), sha256.Sum256(r.Data)
	short.Data, short.DataHash = nil, hex.EncodeToString(sum[:])
	return json.Marshal(short)
}

// unmarshal reads a line with its members in any form.
func (r *Recorded) unmarshal(line []byte) error {
	var e exported
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return fmt.Errorf("it is not a line of readinessd events export --format ndjson: %w", err)
	}
	switch {
	case e.V > lineVersion:
		return fmt.Errorf("its form has version %d, and this program reads up to %d; import with the program that exported it, or a newer one",
			e.V, lineVersion)
	case e.V != lineVersion:
		return fmt.Errorf("its form has version %d, which no program wrote", e.V)
	case e.DataHash != "":
		return fmt.Errorf("it has dataSha256 in place of data: it is an entry of a tree, not a line of an export")
	}
	hash, err := hex.DecodeString(e.Hash)
	if err != nil {
		return fmt.Errorf("its hash is not hexadecimal")
	}
	*r = Recorded{Position: e.Position, ID: e.EventID, Account: e.AccountID, Stream: e.Stream, Version: e.Version, Type: e.Type,
		SchemaVersion: e.SchemaVersion, Data: e.Data, RawMetadata: e.Metadata, RecordedAt: e.RecordedAt, Hash: hash}
	return nil
}
