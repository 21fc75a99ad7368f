// Package parquettable reads Parquet files as tables of text.
package parquettable

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

var errDamaged = errors.New("it begins as a Parquet file and cannot be read as one: it is damaged, encrypted or incomplete")

// Is reports whether a file is in Parquet's format, by its first bytes.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte("PAR1")) }

// CSV returns at most so many rows of a Parquet file as CSV with a header. A list or a structure is one cell with a JSON list of its
// values, and times are in UTC. Neither the unpacked columns nor the text may be larger than limit bytes.
func CSV(data []byte, rows int64, limit int) (text []byte, err error) {
	defer func() {
		if recover() != nil { // the library panics on some damaged files
			text, err = nil, errDamaged
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, errDamaged
	}
	tooLarge := fmt.Errorf("unpacked it is larger than %d MB, the most that is read", limit>>20)
	unpacked := int64(0)
	for _, group := range f.Metadata().RowGroups {
		for _, column := range group.Columns {
			if unpacked += column.MetaData.TotalUncompressedSize; unpacked < 0 || unpacked > int64(limit) {
				return nil, tooLarge
			}
		}
	}
	head, cells := header(f.Schema())
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(head) // a buffer takes everything
	r := parquet.NewReader(f)
	defer func() { _ = r.Close() }() // it reads from memory
	row := make([]parquet.Row, 1)
	for range min(rows, r.NumRows()) {
		if n, _ := r.ReadRows(row); n == 0 {
			return nil, errDamaged
		}
		_ = w.Write(record(row[0], len(head), cells))
		if w.Flush(); b.Len() > limit {
			return nil, tooLarge
		}
	}
	return b.Bytes(), nil
}

// cell says where the values of a column stand in a record.
type cell struct {
	at   int
	many bool // the cell holds a list or a structure
	unit time.Duration
}

// header returns the names of a table's columns, and the cell for each of the file's columns.
func header(s *parquet.Schema) (names []string, cells []cell) {
	for _, path := range s.Columns() {
		leaf, _ := s.Lookup(path...)
		c := cell{at: slices.Index(names, path[0]), many: len(path) > 1 || leaf.MaxRepetitionLevel > 0}
		if c.at < 0 {
			c.at, names = len(names), append(names, path[0])
		}
		if logical := leaf.Node.Type().LogicalType(); logical != nil {
			if t, ok := logical.Value.(*format.TimestampType); ok && t.Unit.Value != nil {
				c.unit = t.Unit.Value.Duration()
			}
		}
		cells = append(cells, c)
	}
	return names, cells
}

func record(row parquet.Row, width int, cells []cell) []string {
	texts, lists := make([]string, width), make([][]string, width)
	for _, v := range row {
		switch c := cells[v.Column()]; {
		case v.IsNull():
		case c.many:
			lists[c.at] = append(lists[c.at], c.text(v))
		default:
			texts[c.at] = c.text(v)
		}
	}
	for at, list := range lists {
		if list != nil {
			var b strings.Builder
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			_ = e.Encode(list) // texts can be encoded
			texts[at] = strings.TrimSpace(b.String())
		}
	}
	return texts
}

func (c cell) text(v parquet.Value) string {
	switch {
	case v.Kind() == parquet.Int96: // Spark's times: nanoseconds of the day, and the Julian day
		const epoch = 2440588 // the Julian day of 1970-01-01
		i := v.Int96()
		return time.Unix((int64(i[2])-epoch)*24*60*60, i.Int64()).UTC().Format(time.RFC3339Nano)
	case c.unit > 0 && v.Kind() == parquet.Int64:
		perSecond := int64(time.Second / c.unit)
		return time.Unix(v.Int64()/perSecond, v.Int64()%perSecond*int64(c.unit)).UTC().Format(time.RFC3339Nano)
	}
	return v.String()
}
