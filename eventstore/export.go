package eventstore

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"github.com/cloudevents/sdk-go/v2/event"
)

// Format is the format of an export: one JSON text per line.
type Format string

// The formats of an export.
const (
	NDJSON      Format = "ndjson"      // an event with all its columns as stored
	CloudEvents Format = "cloudevents" // CloudEvents 1.0, JSON format, structured
)

// Export writes the selected events to w in the order of their positions. It returns the position of
// the last event that it wrote, 0 when it wrote none; an interrupted export resumes after it. Events
// are written as stored, in the schema version they have.
func (s *Store) Export(ctx context.Context, w io.Writer, format Format, sel Selection) (last int64, err error) {
	var line func(*Recorded) ([]byte, error)
	switch format {
	case NDJSON:
		line = (*Recorded).Line
	case CloudEvents:
		line = (*Recorded).CloudEvent
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
			return last, err // the events read so far are kept
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

// CloudEvent returns the event as it is stored, as a CloudEvents 1.0 JSON text. The stream is the subject. The position is the
// extension "sequence", padded so that it sorts.
func (r *Recorded) CloudEvent() ([]byte, error) {
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
