// Package columns writes events as Parquet, for analysis tools: every column of the table as it is stored. It only reads
// the log.
package columns

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"readiness/eventstore"
)

// row is an event in a file. Data and metadata are JSON texts, byte for byte as they are hashed.
type row struct {
	Position      int64    `parquet:"position,delta"`
	EventID       [16]byte `parquet:"event_id,uuid"`
	AccountID     string   `parquet:"account_id,dict"`
	Stream        string   `parquet:"stream"`
	Version       int64    `parquet:"version"`
	Type          string   `parquet:"type,dict"`
	SchemaVersion int32    `parquet:"schema_version"`
	Data          []byte   `parquet:"data,json"`
	Metadata      []byte   `parquet:"metadata,json"`
	RecordedAt    int64    `parquet:"recorded_at,timestamp(microsecond:utc)"`
	Hash          [32]byte `parquet:"hash"`
}

const (
	// groupRows and groupBytes bound a row group, which the writer holds in memory.
	groupRows  = 20_000
	groupBytes = 32 << 20
	// batch is how many rows are passed to the writer at once.
	batch = 100
)

// Write writes the events to w. It returns the position of the last event in the file, 0 if there is none. If reading fails, the file is
// complete with the events read so far; if writing fails, it cannot be read.
func Write(w io.Writer, events iter.Seq2[eventstore.Recorded, error]) (last int64, err error) {
	f := file{to: parquet.NewGenericWriter[row](w, parquet.Compression(&zstd.Codec{}))}
	for r, err := range events {
		if err == nil {
			err = f.add(&r)
		}
		if err != nil {
			return f.end(err)
		}
	}
	return f.end(nil)
}

// file is a file that is being written.
type file struct {
	to     *parquet.GenericWriter[row]
	rows   []row // not passed to the writer yet
	last   int64
	n      int // in the row group
	size   int
	failed bool // writing failed
}

func (f *file) add(r *eventstore.Recorded) error {
	if len(r.Hash) != len(row{}.Hash) {
		return fmt.Errorf("columns: position %d has a hash of %d bytes", r.Position, len(r.Hash))
	}
	schema := int32(r.SchemaVersion) //nolint:gosec // the column is an int
	f.rows = append(f.rows, row{Position: r.Position, EventID: r.ID, AccountID: r.Account, Stream: r.Stream, Version: r.Version,
		Type: r.Type, SchemaVersion: schema, Data: r.Data, Metadata: r.RawMetadata, RecordedAt: r.RecordedAt.UnixMicro(),
		Hash: [32]byte(r.Hash)})
	f.last, f.n, f.size = r.Position, f.n+1, f.size+len(r.Data)+len(r.RawMetadata)
	if len(f.rows) < batch && f.size < groupBytes {
		return nil
	}
	err := f.give()
	if err == nil && (f.n >= groupRows || f.size >= groupBytes) {
		f.n, f.size = 0, 0
		err = f.to.Flush()
	}
	f.failed = err != nil
	return err
}

// give passes the rows to the writer.
func (f *file) give() error {
	_, err := f.to.Write(f.rows)
	f.rows = f.rows[:0]
	return err
}

// end completes the file, unless writing failed.
func (f *file) end(err error) (int64, error) {
	if !f.failed {
		if ending := errors.Join(f.give(), f.to.Close()); ending != nil {
			f.failed, err = true, errors.Join(err, ending)
		}
	}
	if f.failed {
		return 0, fmt.Errorf("columns: write: %w", err)
	}
	return f.last, err
}
