package eventstore_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/eventstore"
)

// stored returns an event with plain members and the given data.
func storedWith(data string) eventstore.Recorded {
	return eventstore.Recorded{Position: 12, ID: uuid.MustParse("019a8f3e-0000-7000-8000-0123456789ab"), Account: "acme", Stream: "note-1",
		Version: 3, Type: "note.noted", SchemaVersion: 2, Data: json.RawMessage(data), RawMetadata: json.RawMessage(`{"account":"acme"}`),
		RecordedAt: time.Date(2026, 11, 1, 12, 0, 0, 123456000, time.UTC), Hash: bytes.Repeat([]byte{0xab}, 32)}
}

// A line that is made without encoding/json equals that of encoding/json, which makes all lines that would differ.
func TestLineIsThatOfEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		event func(*eventstore.Recorded)
		plain bool
	}{
		{"plain", func(*eventstore.Recorded) {}, true},
		{"space in a string", func(r *eventstore.Recorded) { r.Data = json.RawMessage(`{"a":"b c"}`) }, true},
		{"escapes", func(r *eventstore.Recorded) { r.Data = json.RawMessage(`{"a":"\"\\\u003c\n","b":"\\"}`) }, true},
		{"other letters", func(r *eventstore.Recorded) { r.Data = json.RawMessage(`{"ä":"日本"}`) }, true},
		{"no fraction of a second", func(r *eventstore.Recorded) { r.RecordedAt = r.RecordedAt.Truncate(time.Second) }, true},
		{"the last year", func(r *eventstore.Recorded) { r.RecordedAt = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }, true},
		{"space outside of strings", func(r *eventstore.Recorded) { r.Data = json.RawMessage("{ \"a\":\t1,\r\n\"b\":2}") }, false},
		{"space after an escaped quote", func(r *eventstore.Recorded) { r.Data = json.RawMessage(`{"a":"\"" }`) }, false},
		{"space in metadata", func(r *eventstore.Recorded) { r.RawMetadata = json.RawMessage(`{"account": "acme"}`) }, false},
		{"less", func(r *eventstore.Recorded) { r.Data = json.RawMessage(`"<"`) }, false},
		{"greater", func(r *eventstore.Recorded) { r.Data = json.RawMessage(`">"`) }, false},
		{"and", func(r *eventstore.Recorded) { r.RawMetadata = json.RawMessage(`"&"`) }, false},
		{"line separator", func(r *eventstore.Recorded) { r.Data = json.RawMessage("\"\u2028\"") }, false},
		{"no data", func(r *eventstore.Recorded) { r.Data = nil }, false},
		{"no metadata", func(r *eventstore.Recorded) { r.RawMetadata = nil }, false},
		{"an account with a quote", func(r *eventstore.Recorded) { r.Account = `a"b` }, false},
		{"a stream with a backslash", func(r *eventstore.Recorded) { r.Stream = `a\b` }, false},
		{"a type with a line feed", func(r *eventstore.Recorded) { r.Type = "a\nb" }, false},
		{"an account that is not UTF-8", func(r *eventstore.Recorded) { r.Account = "\xff" }, false},
		{"another zone", func(r *eventstore.Recorded) { r.RecordedAt = r.RecordedAt.In(time.FixedZone("", 3600)) }, false},
	} {
		r := storedWith(`{"a":1}`)
		row.event(&r)
		want, err := r.MarshalledLine()
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		line, plain := r.PlainLine()
		if plain != row.plain || plain && !bytes.Equal(line, want) {
			t.Errorf("%s: got %s, %v, want %s, %v", row.name, line, plain, want, row.plain)
		}
		if got, err := r.Line(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the line is %s, %v, want %s", row.name, got, err, want)
		}
	}
}

// The same for any text in any member of any event.
func TestAnyLineIsThatOfEncodingJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.MarshalIndent(rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())).Draw(t, "data"), "",
			rapid.SampledFrom([]string{"", " "}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		r := storedWith(string(data))
		if rapid.Bool().Draw(t, "compact") {
			var b bytes.Buffer
			if err := json.Compact(&b, data); err != nil {
				t.Fatal(err)
			}
			r.Data = b.Bytes()
		}
		r.Account, r.Position = rapid.String().Draw(t, "account"), rapid.Int64().Draw(t, "position")
		r.RecordedAt = time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "at")).UTC()
		want, err := r.MarshalledLine()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Line(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("got %s, %v, want %s", got, err, want)
		}
	})
}

func BenchmarkLine(b *testing.B) {
	r := storedWith(`{"operationId":"019a8f3e-0000-7000-8000-0123456789ab","type":"AssessSemanticModel","owner":"somebody with a name"}`)
	for _, way := range []struct {
		name string
		make func() ([]byte, error)
	}{{"plain", r.Line}, {"encoding json", r.MarshalledLine}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := way.make(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
