package columns_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"

	"readiness/eventstore"
	"readiness/eventstore/columns"
)

// events yields n events, the last of them with an error in its place.
func events(n int, size int, failed error) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for i := range n {
			if i == n-1 && failed != nil {
				yield(eventstore.Recorded{}, failed)
				return
			}
			if !yield(event(i, size), nil) {
				return
			}
		}
	}
}

func event(i, size int) eventstore.Recorded {
	return eventstore.Recorded{Position: int64(2*i + 1), ID: uuid.NewSHA1(uuid.Nil, fmt.Append(nil, i)), Account: "acme", Stream: fmt.Sprintf("note-%d", i/5),
		Version: int64(i%5 + 1), Type: "note.noted", SchemaVersion: 2, Data: json.RawMessage(`{"text":"` + strings.Repeat("x", size) + `"}`),
		RawMetadata: json.RawMessage(`{"account":"acme"}`), RecordedAt: time.Date(2026, 11, 1, 12, 0, i, 123456000, time.UTC),
		Hash: bytes.Repeat([]byte{byte(i)}, 32)}
}

// stored is a row as another program declares it.
type stored struct {
	Position      int64     `parquet:"position"`
	EventID       uuid.UUID `parquet:"event_id,uuid"`
	AccountID     string    `parquet:"account_id"`
	Stream        string    `parquet:"stream"`
	Version       int64     `parquet:"version"`
	Type          string    `parquet:"type"`
	SchemaVersion int32     `parquet:"schema_version"`
	Data          []byte    `parquet:"data,json"`
	Metadata      []byte    `parquet:"metadata,json"`
	RecordedAt    time.Time `parquet:"recorded_at,timestamp(microsecond:utc)"`
	Hash          [32]byte  `parquet:"hash"`
}

// A file has every column of every event, in the order of positions, whatever the number and size of the events. Its row groups are
// bounded.
func TestWrite(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ n, size, groups int }{{0, 0, 0}, {1, 10, 1}, {100, 10, 1}, {101, 10, 1}, {45_050, 10, 3}, {70, 1 << 20, 3}} {
		var out bytes.Buffer
		last, err := columns.Write(&out, events(row.n, row.size, nil))
		if err != nil || last != max(0, int64(2*row.n-1)) {
			t.Errorf("%d events: position %d, %v", row.n, last, err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Errorf("%d events: %v", row.n, err)
			continue
		}
		if len(f.RowGroups()) != row.groups {
			t.Errorf("%d events of %d bytes are in %d row groups, want %d", row.n, row.size, len(f.RowGroups()), row.groups)
		}
		read, err := parquet.Read[stored](bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil || len(read) != row.n {
			t.Errorf("%d of %d events were read, %v", len(read), row.n, err)
		}
		for i, r := range read {
			want := event(i, row.size)
			got := eventstore.Recorded{Position: r.Position, ID: r.EventID, Account: r.AccountID, Stream: r.Stream, Version: r.Version, Type: r.Type,
				SchemaVersion: int(r.SchemaVersion), Data: r.Data, RawMetadata: r.Metadata, RecordedAt: r.RecordedAt.UTC(), Hash: r.Hash[:]}
			a, _ := got.Line()
			b, _ := want.Line()
			if !bytes.Equal(a, b) {
				t.Fatalf("event %d is %s, want %s", i, a, b)
			}
		}
	}
}

// If reading fails, the file has what was read, and the position says where the next begins. If writing fails, or an event cannot be
// written, no position is named beyond what is in the file.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	var out bytes.Buffer
	last, err := columns.Write(&out, events(151, 10, failed))
	read, reading := parquet.Read[stored](bytes.NewReader(out.Bytes()), int64(out.Len()))
	if !errors.Is(err, failed) || last != 299 || reading != nil || len(read) != 150 || read[149].Position != 299 {
		t.Errorf("position %d, %v; %d events, %v", last, err, len(read), reading)
	}
	if last, err := columns.Write(full{failed}, events(25_000, 10, nil)); !errors.Is(err, failed) || last != 0 {
		t.Errorf("position %d, %v", last, err)
	}
	if last, err := columns.Write(full{failed}, events(1, 10, nil)); !errors.Is(err, failed) || last != 0 {
		t.Errorf("position %d, %v", last, err)
	}
	out.Reset()
	last, err = columns.Write(&out, func(yield func(eventstore.Recorded, error) bool) {
		damaged := event(1, 10)
		damaged.Hash = nil
		_ = yield(event(0, 10), nil) && yield(damaged, nil)
	})
	if err == nil || !strings.Contains(err.Error(), "position 3 has a hash of 0 bytes") || last != 1 {
		t.Errorf("position %d, %v", last, err)
	}
}

// full is a disk without room.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// BenchmarkWrite writes events of 400 bytes that compress well, so it measures the columns and not zstd.
func BenchmarkWrite(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		if _, err := columns.Write(io.Discard, events(n, 300, nil)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "events/s")
}
