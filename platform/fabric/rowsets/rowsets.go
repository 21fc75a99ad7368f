// Package rowsets reads what executeDaxQueries of Power BI answers: streams of Apache Arrow, one after the other, one for each table
// of the query's result. An error of the query arrives as a stream too, with status 200. Nothing of an answer is used unless
// all of it can be read. The service then asks for JSON, which also decides about errors; Arrow only makes exact decimals comparable.
// Descriptions are checked before arrow-go reads them, since it trusts their sizes.
package rowsets

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// Exact is an integer or a fixed decimal in digits.
type Exact string

// Table is the first table of a result: the columns in their order, and a value for each: nil, bool, Exact, float64,
// time.Time or string.
type Table struct {
	Columns []string
	Values  [][]any
	// More reports that the result has more than this table.
	More bool
}

// Fault is an error of the query within an answer of status 200.
type Fault struct{ Code, Words string }

// Error implements error.
func (f *Fault) Error() string {
	return "the query failed (" + f.Code + "): " + f.Words
}

// The names of what a stream's schema says about an error.
const (
	isError   = "IsError"
	faultCode = "FaultCode"
	faultText = "FaultString"
)

// Bounds of what is read.
const (
	// MaxValues is how many values a table may have.
	MaxValues = 1_000_000
	// maxStreams is how many streams an answer may have.
	maxStreams = 16
	// maxMemory bounds all that its parts become, in bytes.
	maxMemory = 128 << 20
)

// Read reads an answer. It returns a *Fault if any of its streams says that the query failed, and another error if it cannot be
// read. No rows beyond the first most are kept.
func Read(body []byte, most int) (t Table, err error) {
	defer func() { // arrow panics on some of what is malformed
		if p := recover(); p != nil {
			t, err = Table{}, fmt.Errorf("it is no table: %v", p)
		}
	}()
	streams, err := new(frames).split(body)
	switch {
	case err != nil:
		return t, err
	case len(streams) == 0:
		return t, errors.New("it has no table")
	case len(streams) > maxStreams:
		return t, errors.New("it has too many tables")
	}
	within := &bounded{left: maxMemory}
	for i, stream := range streams {
		r, err := ipc.NewReader(bytes.NewReader(stream), ipc.WithAllocator(within))
		if err != nil {
			return Table{}, err
		}
		one, err := readStream(r, most)
		if r.Release(); err != nil {
			return Table{}, err
		}
		if i == 0 {
			t = one
		}
	}
	t.More = t.More || len(streams) > 1
	return t, nil
}

// readStream reads a stream to its end.
func readStream(r *ipc.Reader, most int) (t Table, err error) {
	about := r.Schema().Metadata()
	said := func(name string) string {
		text, _ := about.GetValue(name)
		return text
	}
	failed := strings.EqualFold(said(isError), "true")
	for _, f := range r.Schema().Fields() {
		t.Columns = append(t.Columns, f.Name)
	}
	if most = min(most, MaxValues/max(1, len(t.Columns))); len(t.Columns) == 0 && !failed {
		return t, errors.New("a table of it has no columns")
	}
	for r.Next() {
		batch := r.RecordBatch()
		if failed {
			continue // its rows say where
		}
		rows := int(min(batch.NumRows(), int64(most-len(t.Values))))
		t.More = t.More || int64(rows) < batch.NumRows()
		if err := t.add(batch, rows); err != nil {
			return t, err
		}
	}
	if err := r.Err(); err != nil {
		return t, err
	}
	if failed {
		return t, &Fault{said(faultCode), said(faultText)}
	}
	return t, nil
}

// add adds the first rows of a batch.
func (t *Table) add(batch arrow.RecordBatch, rows int) error {
	from := len(t.Values)
	for range rows {
		t.Values = append(t.Values, make([]any, len(t.Columns)))
	}
	for c := range t.Columns {
		column := batch.Column(c)
		for i := range rows {
			v, err := valueOf(column, i)
			if err != nil {
				return fmt.Errorf("column %s: %w", strconv.Quote(t.Columns[c]), err)
			}
			t.Values[from+i][c] = v
		}
	}
	return nil
}
