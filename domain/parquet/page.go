package parquet

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// The types of pages.
const (
	dataPage       = 0
	indexPage      = 1
	dictionaryPage = 2
	dataPageV2     = 3
)

// cursor reads the values of a column in a row group, page by page.
type cursor struct {
	*Column
	f      *File
	codec  int64
	at     int   // of the next page
	end    int   // of the column
	left   int64 // how many values its further pages have
	pageAt int   // where the page began

	inPage   int // how many of the page's values are left
	rep, def levels
	plain    plain
	index    *levels // places in the dictionary; nil for a page without one
	dict     plain
	hasDict  bool
}

func (f *File) cursor(c *Column, chunk node) (*cursor, error) {
	m := chunk.get(3)
	begin, size := m.get(9).n, m.get(7).n
	if m.has(11) && m.get(11).n > 0 {
		begin = min(begin, m.get(11).n)
	}
	switch {
	case !chunk.has(3) || chunk.has(8):
		return nil, fmt.Errorf("it is encrypted, or without a description")
	case len(chunk.get(1).text) > 0:
		return nil, fmt.Errorf("its values are in another file")
	case m.get(1).n != c.physical:
		return nil, fmt.Errorf("it has another type than in the schema")
	case begin < int64(len(magic)) || size < 0 || begin > int64(len(f.data)) || size > int64(len(f.data))-begin:
		return nil, fmt.Errorf("its pages are said to be at bytes %d to %d, where the file has none", begin, begin+size)
	}
	return &cursor{Column: c, f: f, codec: m.get(4).n, at: int(begin), end: int(begin + size), pageAt: int(begin), left: m.get(5).n}, nil
}

// next returns the next value, nil for none, and its definition level.
func (c *cursor) next() (raw []byte, def int, err error) {
	for c.inPage == 0 {
		if err := c.open(); err != nil {
			return nil, 0, err
		}
	}
	c.inPage--
	if c.listDef > 0 {
		if _, err := c.rep.next(); err != nil {
			return nil, 0, err
		}
	}
	if c.maxDef > 0 {
		level, err := c.def.next()
		if err != nil {
			return nil, 0, err
		}
		if def = int(level); def < c.maxDef {
			return nil, def, nil
		}
	}
	if c.index == nil {
		raw, err = c.plain.next()
		return raw, def, err
	}
	place, err := c.index.next()
	if err != nil {
		return nil, 0, err
	}
	raw, err = c.dict.of(place)
	return raw, def, err
}

// goesOn reports whether the next value belongs to the same list.
func (c *cursor) goesOn() (bool, error) {
	for c.inPage == 0 {
		if c.left <= 0 {
			return false, nil
		}
		if err := c.open(); err != nil {
			return false, err
		}
	}
	ahead := c.rep
	level, err := ahead.next()
	return level > 0, err
}

// open reads the next page.
func (c *cursor) open() error {
	c.pageAt = c.at
	if c.left <= 0 || c.at >= c.end {
		return fmt.Errorf("the column has fewer values than the row group has rows")
	}
	t := thrift{data: c.f.data[c.at:c.end], left: 1000}
	head := t.value(kindStruct, 0)
	packed, unpacked := head.get(3).n, head.get(2).n
	switch {
	case t.err != nil:
		return fmt.Errorf("its head is not read: %w", t.err)
	case packed < 0 || packed > int64(len(t.data)-t.at) || unpacked < 0 || unpacked > maxUnpacked:
		return fmt.Errorf("it is said to have %d bytes, %d unpacked, which is more than there are or may be", packed, unpacked)
	}
	body := t.data[t.at : t.at+int(packed)]
	c.at += t.at + int(packed)
	switch head.get(1).n {
	case dataPage:
		of := head.get(5)
		return c.page(of, of.get(2).n, body, int(unpacked))
	case dataPageV2:
		return c.pageV2(head.get(8), body, int(unpacked))
	case dictionaryPage:
		of := head.get(7)
		if e := of.get(2).n; e != encodingPlain && e != encodingPlainDictionary {
			return fmt.Errorf("its dictionary has the encoding %s, which is not read", encodingName(e))
		}
		data, err := c.f.unpack(c.codec, body, int(unpacked))
		if err != nil {
			return err
		}
		c.dict, c.hasDict = plain{physical: c.physical, width: c.width, data: data}, true
		return c.dict.locate(of.get(1).n)
	case indexPage:
		return nil
	}
	return fmt.Errorf("it is a page of an unknown type")
}

// page opens a data page of the first version: everything is packed, and levels have their length in front.
func (c *cursor) page(of *node, encoding int64, body []byte, unpacked int) error {
	data, err := c.f.unpack(c.codec, body, unpacked)
	if err != nil {
		return err
	}
	if c.listDef > 0 {
		if c.rep, data, err = leading(of.get(4).n, 1, data); err != nil {
			return err
		}
	}
	if c.maxDef > 0 {
		if c.def, data, err = leading(of.get(3).n, c.maxDef, data); err != nil {
			return err
		}
	}
	return c.values(encoding, of.get(1).n, data)
}

// pageV2 opens a data page of the second version: the levels are not packed.
func (c *cursor) pageV2(of *node, body []byte, unpacked int) error {
	rep, def := of.get(6).n, of.get(5).n
	if rep < 0 || def < 0 || rep > int64(len(body)) || def > int64(len(body))-rep || int64(unpacked) < rep+def {
		return fmt.Errorf("its levels are said to have %d bytes, which is more than there are", rep+def)
	}
	c.rep, c.def = levels{data: body[:rep], width: 1}, levels{data: body[rep : rep+def], width: bits.Len(uint(c.maxDef))}
	codec := c.codec
	if of.has(7) && of.get(7).n == 0 {
		codec = uncompressed
	}
	data, err := c.f.unpack(codec, body[rep+def:], unpacked-int(rep+def))
	if err != nil {
		return err
	}
	return c.values(of.get(4).n, of.get(1).n, data)
}

// values sets the values of the page.
func (c *cursor) values(encoding, n int64, data []byte) error {
	if n < 0 || n > maxRows || n > c.left {
		return fmt.Errorf("it is said to have %d values, and the column has %d left", n, c.left)
	}
	c.left -= n
	c.inPage, c.index = int(n), nil
	if encoding == encodingPlainDictionary || encoding == encodingRLEDictionary {
		if !c.hasDict {
			return fmt.Errorf("it uses a dictionary, and there is none before it")
		}
		c.index = &levels{}
		if len(data) > 0 { // a page without values may have no width either
			if data[0] > 32 {
				return fmt.Errorf("places in the dictionary are said to have %d bits", data[0])
			}
			*c.index = levels{data: data[1:], width: int(data[0])}
		}
		return nil
	}
	data, err := c.decode(encoding, int(n), data)
	c.plain = plain{physical: c.physical, width: c.width, data: data}
	return err
}

// leading splits off levels with their length in front.
func leading(encoding int64, most int, data []byte) (levels, []byte, error) {
	if encoding != encodingRLE {
		return levels{}, nil, fmt.Errorf("its levels have the encoding %s, which is not read", encodingName(encoding))
	}
	if len(data) < 4 || int64(binary.LittleEndian.Uint32(data)) > int64(len(data)-4) {
		return levels{}, nil, fmt.Errorf("its levels are cut off")
	}
	end := 4 + int(binary.LittleEndian.Uint32(data))
	return levels{data: data[4:end], width: bits.Len(uint(most))}, data[end:], nil //nolint:gosec // it is small
}

// levels reads small numbers in runs of equal ones and of packed bits.
type levels struct {
	data   []byte
	width  int
	run    int    // how many are left of the run
	same   uint64 // the number of a run of equal ones
	packed []byte // of a run of packed bits; nil for equal ones
	bit    int
}

func (l *levels) next() (uint64, error) {
	for l.run == 0 {
		head, n := binary.Uvarint(l.data)
		if n <= 0 || head > 1<<31 {
			return 0, fmt.Errorf("it has fewer values than it says")
		}
		l.data = l.data[n:]
		size := (l.width + 7) / 8
		l.run, l.packed, l.bit = int(head>>1), nil, 0 //nolint:gosec // it is small
		if head&1 == 1 {
			size = min(l.run*l.width, len(l.data)) // the last group may be cut where it has no values
			l.run *= 8
		}
		if size > len(l.data) {
			return 0, fmt.Errorf("a run is cut off")
		}
		if head&1 == 1 {
			l.packed = l.data[:size:size]
		} else if l.same = 0; size > 0 {
			l.same = bitsOf(l.data[:size], 0, 8*size)
		}
		l.data = l.data[size:]
	}
	l.run--
	if l.packed == nil {
		return l.same, nil
	}
	if l.bit+l.width > 8*len(l.packed) {
		return 0, fmt.Errorf("a run is cut off")
	}
	l.bit += l.width
	return bitsOf(l.packed, l.bit-l.width, l.width), nil
}

// bitsOf returns so many bits, at most 64, from a place on, the lowest first. They must be there.
func bitsOf(data []byte, at, width int) (v uint64) {
	for got := 0; got < width; {
		take := min(8-at&7, width-got)
		v |= uint64(data[at>>3]>>(at&7)&(1<<take-1)) << got
		at += take
		got += take
	}
	return v
}
