package eventstore

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/cloudevents/sdk-go/v2/event"
)

// FromCloudEvent sets r to the event of a text that CloudEvent wrote. Event and RawMetadata are not set.
func (r *Recorded) FromCloudEvent(text []byte) (err error) {
	var e event.Event
	if err = json.Unmarshal(text, &e); err != nil {
		return fmt.Errorf("eventstore: a CloudEvent: %w", err)
	}
	extension := func(name string) string {
		value, _ := e.Extensions()[name].(string) // missing ones are optional, or found below
		return value
	}
	number := func(name string) (n int64) {
		if err == nil {
			n, err = strconv.ParseInt(extension(name), 10, 64)
		}
		return n
	}
	escaped, ours := strings.CutPrefix(e.Source(), "/accounts/")
	*r = Recorded{Stream: e.Subject(), Type: e.Type(), RecordedAt: e.Time().UTC(), Data: e.Data(),
		Position: number("sequence"), Version: number("streamversion")}
	if err == nil {
		r.SchemaVersion, err = schemaVersion(e.Extensions()["schemaversion"])
	}
	if err == nil {
		r.Account, err = url.PathUnescape(escaped)
	}
	if err == nil {
		err = r.ID.UnmarshalText([]byte(e.ID()))
	}
	if err == nil {
		r.Hash, err = hex.DecodeString(extension("hash"))
	}
	if err == nil && (!ours || r.Position < 1 || r.Version < 1 || r.SchemaVersion < 1 || r.Stream == "" || r.RecordedAt.IsZero()) {
		err = errors.New("it lacks a member, or has another source")
	}
	if err != nil {
		return fmt.Errorf("eventstore: the CloudEvent %s is no event of a log: %w", e.ID(), err)
	}
	r.Metadata = Metadata{Account: r.Account, Person: extension("person"), RequestID: extension("requestid"),
		OperationID: extension("operationid"), Causation: extension("causationid"), Correlation: extension("correlationid"),
		Trace: extension("traceparent")}
	return nil
}

// schemaVersion reads an integer extension, which the text has as a number.
func schemaVersion(value any) (int, error) {
	switch v := value.(type) {
	case int32:
		return int(v), nil
	case float64:
		return int(v), nil
	}
	return strconv.Atoi(fmt.Sprint(value))
}
