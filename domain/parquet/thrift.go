package parquet

import (
	"encoding/binary"
	"errors"
)

// The types of Thrift's compact protocol that are told apart.
const (
	kindTrue   = 1
	kindFalse  = 2
	kindByte   = 3
	kindI16    = 4
	kindI32    = 5
	kindI64    = 6
	kindDouble = 7
	kindBinary = 8
	kindList   = 9
	kindSet    = 10
	kindMap    = 11
	kindStruct = 12
)

// maxDepth bounds how deep structures and schemas are nested.
const maxDepth = 16

// node is a value: of a structure sub are the fields, of a list its elements.
type node struct {
	id   int16
	n    int64
	text []byte
	sub  []node
}

// get returns a field of a structure; an empty one if it is absent.
func (n *node) get(id int16) *node {
	for i := range n.sub {
		if n.sub[i].id == id {
			return &n.sub[i]
		}
	}
	return &node{}
}

// has reports whether a structure has the field.
func (n *node) has(id int16) bool { return n.get(id).id == id }

// thrift reads values; err is the first fault, after which everything is zero.
type thrift struct {
	data []byte
	at   int
	left int // how many values may follow
	err  error
}

func (t *thrift) fail(why string) {
	if t.err == nil {
		t.err = errors.New(why)
	}
}

func (t *thrift) take(n uint64) []byte {
	if t.err != nil || n > uint64(len(t.data)-t.at) { //nolint:gosec // at is inside
		t.fail("it is cut off")
		return nil
	}
	t.at += int(n)                    //nolint:gosec // as above
	return t.data[t.at-int(n) : t.at] //nolint:gosec // as above
}

func (t *thrift) byte() byte {
	if b := t.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (t *thrift) uvarint() uint64 {
	if t.err != nil {
		return 0
	}
	v, n := binary.Uvarint(t.data[t.at:])
	if n <= 0 {
		t.fail("a number is cut off")
		return 0
	}
	t.at += n
	return v
}

func zigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) } //nolint:gosec // it is the definition

func (t *thrift) value(kind byte, depth int) (n node) {
	if t.left--; t.left < 0 || depth > maxDepth {
		t.fail("it has too many parts, or is nested too deeply")
		return n
	}
	switch kind {
	case kindTrue:
		n.n = 1
	case kindFalse:
	case kindByte:
		n.n = int64(int8(t.byte())) //nolint:gosec // it has a sign
	case kindI16, kindI32, kindI64:
		n.n = zigzag(t.uvarint())
	case kindDouble:
		t.take(8)
	case kindBinary:
		n.text = t.take(t.uvarint())
	case kindList, kindSet:
		head := t.byte()
		size := uint64(head >> 4)
		if size == 15 {
			size = t.uvarint()
		}
		n.sub = t.elements(size, depth, head&15)
	case kindMap:
		if size := t.uvarint(); size > 0 {
			kinds := t.byte()
			n.sub = t.elements(size, depth, kinds>>4, kinds&15)
		}
	case kindStruct:
		t.fields(&n, depth)
	default:
		t.fail("it has a value of an unknown type")
	}
	return n
}

// elements reads so many values of each kind in turn.
func (t *thrift) elements(size uint64, depth int, kinds ...byte) (all []node) {
	for range size {
		for _, kind := range kinds {
			if t.err != nil {
				return nil
			}
			if kind == kindTrue || kind == kindFalse { // in a list a truth value is a byte
				kind = kindByte
			}
			all = append(all, t.value(kind, depth+1))
		}
	}
	return all
}

func (t *thrift) fields(n *node, depth int) {
	id := int16(0)
	for t.err == nil {
		head := t.byte()
		if head == 0 {
			return
		}
		if delta := int16(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int16(zigzag(t.uvarint())) //nolint:gosec // an id that does not fit is unknown
		}
		field := t.value(head&15, depth+1)
		field.id = id
		n.sub = append(n.sub, field)
	}
}
