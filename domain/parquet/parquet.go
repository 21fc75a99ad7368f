// Package parquet reads tables from Parquet files, every value as text. It reads columns of simple values, and lists of them; a column that
// is nested otherwise is named and left out. What a file claims is checked before memory is taken for it.
package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
)

// The bounds of a file.
const (
	// MaxBytes is the size of the largest file.
	MaxBytes = 64 << 20
	// maxRows is how many rows a file may have, and how many values a page.
	maxRows = 1_000_000
	// maxUnpacked is how large pages and texts may be together, unpacked, in bytes.
	maxUnpacked = 2 * MaxBytes
	// maxColumns bounds the columns of a file and of each of its row groups.
	maxColumns = 10_000
)

// magic begins and ends a file.
const magic = "PAR1"

// Is reports whether a file is in Parquet's format, by its first bytes.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// File is a Parquet file, of which only the footer has been read.
type File struct {
	Columns []Column

	data   []byte
	leaves int
	groups []node
	left   int // of maxUnpacked
}

// Column is a column of the table.
type Column struct {
	Name string
	// Unread says why it is not read; "" if it is.
	Unread string

	leaf     int // its place in a row group
	physical int64
	width    int
	logical  logical
	maxDef   int
	// listDef is the definition level of an element of a list; 0 if the column has no lists.
	listDef int
}

// Open reads the footer of a file.
func Open(data []byte) (*File, error) {
	const tail = 4 + len(magic)
	switch {
	case len(data) > MaxBytes:
		return nil, fmt.Errorf("it is larger than %d MB, the most that is read", MaxBytes>>20)
	case !Is(data) || len(data) < len(magic)+tail || string(data[len(data)-len(magic):]) != magic:
		return nil, fmt.Errorf("it does not end as one: it is cut off, or its footer is encrypted")
	}
	size, end := int(binary.LittleEndian.Uint32(data[len(data)-tail:])), len(data)-tail
	if size > end-len(magic) {
		return nil, fmt.Errorf("its footer is said to have %d bytes, which is more than there are", size)
	}
	t := thrift{data: data[end-size : end], left: 1_000_000}
	footer := t.value(kindStruct, 0)
	if t.err != nil {
		return nil, fmt.Errorf("its footer, which begins at byte %d, is not read: %w", end-size, t.err)
	}
	f := &File{data: data[:end-size], groups: footer.get(4).sub, left: maxUnpacked}
	if err := f.readSchema(footer.get(2).sub); err != nil {
		return nil, err
	}
	rows := int64(0)
	for i, g := range f.groups {
		n := g.get(3).n
		if n < 0 || n > maxRows || rows+n > maxRows {
			return nil, fmt.Errorf("it has more than %d rows, the most that are read", maxRows)
		}
		if got := len(g.get(1).sub); got != f.leaves {
			return nil, fmt.Errorf("row group %d has %d columns, and its schema %d", i+1, got, f.leaves)
		}
		rows += n
	}
	if stated := footer.get(3).n; stated != rows {
		return nil, fmt.Errorf("it is said to have %d rows, and its row groups have %d", stated, rows)
	}
	return f, nil
}

// Rows returns the rows with the values of the columns that are wanted; others are "", as absent values are. A list is one JSON list
// of texts. Times are in UTC. The error says where the file is wrong, and is the last value.
func (f *File) Rows(wanted func(column int) bool) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for i, g := range f.groups {
			cursors := make([]*cursor, len(f.Columns))
			for at := range f.Columns {
				c := &f.Columns[at]
				if c.Unread != "" || !wanted(at) {
					continue
				}
				var err error
				if cursors[at], err = f.cursor(c, g.get(1).sub[c.leaf]); err != nil {
					yield(nil, fmt.Errorf("row group %d, column %q: %w", i+1, c.Name, err))
					return
				}
			}
			for range g.get(3).n {
				row := make([]string, len(cursors))
				for at, c := range cursors {
					if c == nil {
						continue
					}
					var err error
					if row[at], err = c.cell(); err != nil {
						yield(nil, fmt.Errorf("row group %d, column %q, page at byte %d: %w", i+1, c.Name, c.pageAt, err))
						return
					}
				}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// spend takes from what may be unpacked.
func (f *File) spend(n int) error {
	if n < 0 || n > f.left {
		return fmt.Errorf("unpacked the table is larger than %d MB, the most that is read", maxUnpacked>>20)
	}
	f.left -= n
	return nil
}

// The repetitions of a schema's elements.
const (
	optional = 1
	repeated = 2
)

// readSchema reads the columns. The schema lists its elements depth first, the root first.
func (f *File) readSchema(all []node) error {
	if len(all) == 0 || len(all) > maxColumns {
		return fmt.Errorf("its schema has %d elements; from 1 to %d are read", len(all), maxColumns)
	}
	at := 1
	for range all[0].get(5).n {
		if at >= len(all) {
			return fmt.Errorf("its schema names more columns than it has")
		}
		c := Column{Name: text(all[at].get(4).text)}
		leaves, repetitions := f.leaves, 0
		var err error
		if at, err = f.walk(&c, all, at, 0, &repetitions); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		if nested := c.Unread == "nested"; nested || f.leaves != leaves+1 || repetitions > 1 {
			c.Unread = "it is nested"
		}
		f.Columns = append(f.Columns, c)
	}
	if at != len(all) {
		return fmt.Errorf("its schema has elements that belong to no column")
	}
	return nil
}

// walk reads the element at a place and those below it, and returns the place behind them.
func (f *File) walk(c *Column, all []node, at, depth int, repetitions *int) (next int, err error) {
	e := &all[at]
	switch e.get(3).n {
	case optional:
		c.maxDef++
	case repeated:
		c.maxDef++
		*repetitions++
		c.listDef = c.maxDef
	}
	children := e.get(5).n
	if children == 0 {
		if depth > 0 && *repetitions == 0 {
			c.Unread = "nested" // a structure
		}
		c.leaf = f.leaves
		f.leaves++
		return at + 1, c.describe(e)
	}
	at++
	for range children {
		if at >= len(all) || depth > maxDepth {
			return at, fmt.Errorf("the schema is cut off, or nested too deeply")
		}
		if at, err = f.walk(c, all, at, depth+1, repetitions); err != nil {
			return at, err
		}
	}
	return at, nil
}

// cell returns the column's value of the next row.
func (c *cursor) cell() (string, error) {
	raw, def, err := c.next()
	if err != nil {
		return "", err
	}
	if c.listDef == 0 {
		if raw == nil {
			return "", nil
		}
		value := c.text(raw)
		return value, c.f.spend(len(value))
	}
	if def < c.listDef {
		return "", nil // no list, or an empty one
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for between := byte('['); ; between = ',' {
		var value any
		if raw != nil {
			value = c.text(raw)
		}
		b.WriteByte(between)
		before := b.Len()
		if err := e.Encode(value); err != nil {
			return "", err
		}
		b.Truncate(b.Len() - 1) // the line feed
		if err := c.f.spend(2 * (b.Len() - before)); err != nil {
			return "", err
		}
		goesOn, err := c.goesOn()
		if err != nil {
			return "", err
		}
		if !goesOn {
			break
		}
		if raw, _, err = c.next(); err != nil {
			return "", err
		}
	}
	return b.String() + "]", nil
}

// text returns bytes as text that every reader takes.
func text(raw []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(raw), "\uFFFD"), "\x00", "\uFFFD")
}
