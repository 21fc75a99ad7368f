package auditoracles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/uuid"

	"readiness/eventstore"
	"readiness/eventstore/columns"
)

// TestParquet reads an export with the library of Apache Arrow: every column of every event is that of its line, with the types that
// Parquet has for them. Two files, the second after the first, have every event once.
func TestParquet(t *testing.T) {
	w := newWorld(t, fresh(t))
	w.change("acme", "ada", 150)
	w.change("other", "oscar", 3)
	var lines bytes.Buffer
	last, err := w.Store.Export(t.Context(), &lines, eventstore.NDJSON, eventstore.Selection{})
	w.must(err)
	var read []string
	for _, part := range []eventstore.Selection{{UpTo: 100}, {After: 100}} {
		var out bytes.Buffer
		_, err := columns.Write(&out, w.Store.ReadStored(t.Context(), part))
		w.must(err)
		read = append(read, w.parquet(out.Bytes())...)
	}
	if got := strings.Join(read, ""); got != lines.String() || last == 0 {
		t.Errorf("got\n%s\nwant\n%s", got, lines.String())
	}
}

// parquet reads the events of a file and returns their lines.
func (w *world) parquet(data []byte) (lines []string) {
	w.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(data))
	w.must(err)
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: 1000}, memory.DefaultAllocator)
	w.must(err)
	table, err := r.ReadTable(context.WithoutCancel(w.Context()))
	w.must(err)
	defer table.Release()
	if schema := table.Schema().String(); !strings.Contains(schema, `recorded_at: type=timestamp[us, tz=UTC]`) || table.NumCols() != 11 {
		w.Errorf("the schema is %s", schema)
	}
	reader := array.NewTableReader(table, 1000)
	defer reader.Release()
	for reader.Next() {
		batch := reader.RecordBatch()
		for i := range int(batch.NumRows()) {
			lines = append(lines, w.line(batch, i))
		}
	}
	return lines
}

// line returns the line of an event in a batch.
func (w *world) line(batch arrow.RecordBatch, i int) string {
	w.Helper()
	of := func(name string) arrow.Array { return batch.Column(batch.Schema().FieldIndices(name)[0]) }
	text := func(name string) string { return of(name).ValueStr(i) }
	number := func(name string) int64 {
		switch a := of(name).(type) {
		case *array.Int64:
			return a.Value(i)
		case *array.Int32:
			return int64(a.Value(i))
		}
		w.Fatalf("%s is %T", name, of(name))
		return 0
	}
	fixed := func(name string) []byte {
		a, ok := of(name).(*array.FixedSizeBinary)
		if !ok {
			a = of(name).(array.ExtensionArray).Storage().(*array.FixedSizeBinary)
		}
		return a.Value(i)
	}
	raw := func(name string) json.RawMessage {
		a := of(name)
		if e, ok := a.(array.ExtensionArray); ok {
			a = e.Storage()
		}
		switch a := a.(type) {
		case *array.String:
			return json.RawMessage(a.Value(i))
		case *array.Binary:
			return json.RawMessage(a.Value(i))
		}
		w.Fatalf("%s is %T", name, a)
		return nil
	}
	id, err := uuid.FromBytes(fixed("event_id"))
	w.must(err)
	at := of("recorded_at").(*array.Timestamp).Value(i)
	r := eventstore.Recorded{Position: number("position"), ID: id, Account: text("account_id"), Stream: text("stream"), Version: number("version"),
		Type: text("type"), SchemaVersion: int(number("schema_version")), Data: raw("data"), RawMetadata: raw("metadata"),
		RecordedAt: time.UnixMicro(int64(at)).UTC(), Hash: fixed("hash")}
	line, err := r.Line()
	w.must(err)
	return string(line) + "\n"
}
