package eventstore

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/uuid"
)

// Format is the format of an export: one JSON text per line.
type Format string

// The formats of an export.
const (
	NDJSON      Format = "ndjson"      // an event with all its columns as stored
	CloudEvents Format = "cloudevents" // CloudEvents 1.0, JSON format, structured
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

// Export writes the selected events to w in the order of their positions. It returns the position of
// the last event that it wrote, 0 when it wrote none; an interrupted export resumes after it. Events
// are written as stored, in the schema version they have.
func (s *Store) Export(ctx context.Context, w io.Writer, format Format, sel Selection) (last int64, err error) {
	var line func(*Recorded) ([]byte, error)
	switch format {
	case NDJSON:
		line = (*Recorded).Line
	case CloudEvents:
		line = cloudEvent
	default:
		return 0, fmt.Errorf("eventstore: export: the format %q is not one of %s, %s", format, NDJSON, CloudEvents)
	}
	out, written, n := bufio.NewWriter(w), int64(0), 0
	flush := func() error {
		if err := out.Flush(); err != nil {
			return fmt.Errorf("eventstore: export: %w", err)
		}
		last = written
		return nil
	}
	for r, err := range s.ReadStored(ctx, sel) {
		if err != nil {
			err = errors.Join(err, flush())
			return last, err // the events read so far are worth having
		}
		text, err := line(&r)
		if err != nil {
			err = errors.Join(fmt.Errorf("eventstore: export position %d: %w", r.Position, err), flush())
			return last, err
		}
		_, _ = out.Write(append(text, '\n')) // Flush returns its error
		written = r.Position
		if n++; n%pageSize == 0 {
			if err := flush(); err != nil {
				return last, err
			}
		}
	}
	err = flush()
	return last, err
}

// lineVersion is the version of the form of a line.
const lineVersion = 1

// Line returns the event as a line of an export, without the line feed: the same bytes whenever it is called.
func (r *Recorded) Line() ([]byte, error) { return json.Marshal(r.exported()) }

func (r *Recorded) exported() exported {
	return exported{V: lineVersion, Position: r.Position, EventID: r.ID, AccountID: r.Account, Stream: r.Stream, Version: r.Version,
		Type: r.Type, SchemaVersion: r.SchemaVersion, Data: r.Data, Metadata: r.RawMetadata, RecordedAt: r.RecordedAt,
		Hash: hex.EncodeToString(r.Hash)}
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

// cloudEvent returns the event as CloudEvents 1.0. The stream is the subject. The position is the
// extension "sequence", padded so that it sorts.
func cloudEvent(r *Recorded) ([]byte, error) {
	e := event.New(event.CloudEventsVersionV1)
	e.SetID(r.ID.String())
	e.SetSource("/accounts/" + url.PathEscape(r.Account))
	e.SetType(r.Type)
	e.SetSubject(r.Stream)
	e.SetTime(r.RecordedAt)
	e.SetExtension("sequence", fmt.Sprintf("%019d", r.Position))
	e.SetExtension("streamversion", strconv.FormatInt(r.Version, 10))
	e.SetExtension("schemaversion", r.SchemaVersion)
	e.SetExtension("hash", hex.EncodeToString(r.Hash))
	var meta Metadata
	if err := json.Unmarshal(r.RawMetadata, &meta); err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"person": meta.Person, "requestid": meta.RequestID, "operationid": meta.OperationID,
		"causationid": meta.Causation, "correlationid": meta.Correlation, "traceparent": meta.Trace} {
		if value != "" {
			e.SetExtension(name, value)
		}
	}
	if err := e.SetData(event.ApplicationJSON, r.Data); err != nil {
		return nil, err
	}
	return json.Marshal(e)
}
