package eventstore_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/eventstore"
)

// An event is the same after it was a CloudEvent, with everything that views fold. (JSON may escape < and > in data, which changes no value.)
func TestFromCloudEvent(t *testing.T) {
	t.Parallel()
	want := eventstore.Recorded{
		Position: 1 << 40, ID: uuid.New(), Account: "con/tö so%", Stream: "reports-1", Version: 7, Type: "pixies.seen", SchemaVersion: 3,
		Data: []byte(`{"n":12345678901234567890.50,"text":"\u0000ü"}`), RecordedAt: time.Date(2026, 11, 26, 23, 59, 59, 999_999_000, time.UTC), Hash: []byte{1, 2, 255},
		Metadata: eventstore.Metadata{Account: "con/tö so%", Person: "p", RequestID: "r", OperationID: "o", Causation: "c", Correlation: "d", Trace: "t"},
	}
	with := want
	with.RawMetadata = []byte(`{"account":"con/tö so%","person":"p","requestId":"r","operationId":"o","causation":"c","correlation":"d","trace":"t"}`)
	text, err := with.CloudEvent()
	if err != nil {
		t.Fatal(err)
	}
	var got eventstore.Recorded
	err = got.FromCloudEvent(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	for _, change := range [][2]string{
		{`"sequence":"`, `"sequence":"x`}, {`"sequence":"0000001099511627776"`, `"sequence":"0"`}, {`"source":"/accounts/`, `"source":"/others/`},
		{`"schemaversion":3`, `"schemaversion":0`}, {`"streamversion":"7"`, `"streamversion":"-7"`}, {`"hash":"`, `"hash":"x`}, {`"specversion":"1.0"`, `"specversion":"9"`},
		{want.ID.String(), "other"},
	} {
		hostile := strings.Replace(string(text), change[0], change[1], 1)
		if hostile == string(text) {
			t.Fatalf("%s has no %s", text, change[0])
		}
		if err := new(eventstore.Recorded).FromCloudEvent([]byte(hostile)); err == nil {
			t.Errorf("%s is accepted", hostile)
		}
	}
}
