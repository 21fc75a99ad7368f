package rowsets

import (
	"encoding/binary"
	"errors"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Arrow allocates what the description of a part of a stream claims to have, and follows its references as often as there are.
// So a body is looked through before: no claim exceeds what there is, and all of them together are few.

// Bounds of what the descriptions of a body refer to, each reference counted.
const (
	maxMetadata = 1 << 20 // of one part, in bytes
	maxNamed    = 10_000  // columns, and pairs of names and values about them
	maxText     = 1 << 20 // their texts, in bytes
	maxNested   = 2       // columns in columns
)

// lists are the types that have a list or a text: a time's zone, a union's types.
var lists = map[byte]bool{10: true, 14: true}

// frames looks through a body.
type frames struct{ named, text int }

var (
	errClaims    = errors.New("it claims more than it has")
	errEndsEarly = errors.New("it ends early")
)

// split returns the streams of a body, each with its end.
func (f *frames) split(body []byte) (streams [][]byte, err error) {
	const unit = 4
	begin := 0
	for at := 0; at < len(body); {
		if len(body)-at < 2*unit {
			return nil, errEndsEarly
		}
		if binary.LittleEndian.Uint32(body[at:]) != 0xffffffff {
			return nil, errors.New("it is no stream of Arrow")
		}
		size := int(int32(binary.LittleEndian.Uint32(body[at+unit:])))
		at += 2 * unit
		switch {
		case size == 0: // the end of a stream
			streams, begin = append(streams, body[begin:at]), at
			continue
		case size < unit, size > maxMetadata:
			return nil, errClaims
		case size > len(body)-at:
			return nil, errEndsEarly
		}
		rest, err := f.part(body[at : at+size])
		if at += size; err != nil {
			return nil, err
		}
		if rest < 0 || rest > int64(len(body)-at) {
			return nil, errEndsEarly
		}
		at += int(rest)
	}
	if begin < len(body) {
		return nil, errEndsEarly
	}
	return streams, nil
}

// The numbers of what Arrow's descriptions of messages, schemas, columns and batches have.
const (
	headerKind, header, bodySize = 1, 2, 3
	schemaFields, schemaMetadata = 1, 2
	name, kindName, kind, nested = 0, 2, 3, 5
	fieldMetadata                = 6
	batchNodes, batchBuffers     = 1, 2
	batchCounts                  = 4
	dictionaryBatch              = 1
	aSchema, aDictionary, aBatch = 1, 2, 3
)

// part looks through a description and returns the size of what it describes, in bytes.
func (f *frames) part(description []byte) (int64, error) {
	m := described{flatbuffers.Table{Bytes: description, Pos: flatbuffers.GetUOffsetT(description)}}
	about, there := m.table(header)
	if !there {
		return 0, errors.New("a part of it has no header")
	}
	var err error
	switch m.GetByteSlot(slot(headerKind), 0) {
	case aSchema:
		err = f.columns(about, schemaFields, 0)
		if err == nil {
			err = f.pairs(about, schemaMetadata)
		}
	case aDictionary:
		batch, _ := about.table(dictionaryBatch)
		err = batch.holds(batchNodes, batchBuffers, batchCounts)
	case aBatch:
		err = about.holds(batchNodes, batchBuffers, batchCounts)
	default:
		err = errors.New("a part of it has another kind")
	}
	return m.GetInt64Slot(slot(bodySize), 0), err
}

// columns looks through a list of columns.
func (f *frames) columns(of described, number, depth int) error {
	n, err := of.list(number, 4)
	if f.named += n; err != nil || n > 0 && (f.named > maxNamed || depth > maxNested) {
		return errors.Join(err, errClaims)
	}
	for i := range n {
		c := of.element(number, i)
		if err := f.texts(c, name); err != nil {
			return err
		}
		if of, there := c.table(kind); there && lists[c.GetByteSlot(slot(kindName), 0)] {
			if err := f.texts(of, 1); err != nil {
				return err
			}
		}
		if err := errors.Join(f.columns(c, nested, depth+1), f.pairs(c, fieldMetadata)); err != nil {
			return err
		}
	}
	return nil
}

// pairs looks through names and values about a column or a schema.
func (f *frames) pairs(of described, number int) error {
	n, err := of.list(number, 4)
	if f.named += n; err != nil || f.named > maxNamed {
		return errors.Join(err, errClaims)
	}
	for i := range n {
		if err := f.texts(of.element(number, i), 0, 1); err != nil {
			return err
		}
	}
	return nil
}

// texts counts texts.
func (f *frames) texts(of described, numbers ...int) error {
	for _, number := range numbers {
		o := of.Offset(slot(number))
		if o == 0 {
			continue
		}
		at := int64(of.Pos) + int64(o)
		if at+4 > int64(len(of.Bytes)) {
			return errClaims
		}
		if at += int64(of.GetUOffsetT(flatbuffers.UOffsetT(at))); at+4 > int64(len(of.Bytes)) {
			return errClaims
		}
		if f.text += int(of.GetUint32(flatbuffers.UOffsetT(at))); f.text < 0 || f.text > maxText {
			return errClaims
		}
	}
	return nil
}

// described is a table of a description. What is beyond its bytes panics.
type described struct{ flatbuffers.Table }

func slot(number int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*number) }

// table returns a table that the table has.
func (d described) table(number int) (described, bool) {
	o := d.Offset(slot(number))
	if o == 0 {
		return described{}, false
	}
	return described{flatbuffers.Table{Bytes: d.Bytes, Pos: d.Indirect(d.Pos + flatbuffers.UOffsetT(o))}}, true
}

// list returns how many elements of a size a list has.
func (d described) list(number, size int) (int, error) {
	if len(d.Bytes) == 0 {
		return 0, errClaims
	}
	o := d.Offset(slot(number))
	if o == 0 {
		return 0, nil
	}
	n, begin := d.VectorLen(flatbuffers.UOffsetT(o)), int(d.Vector(flatbuffers.UOffsetT(o)))
	if n < 0 || begin > len(d.Bytes) || n > (len(d.Bytes)-begin)/size {
		return 0, errClaims
	}
	return n, nil
}

// element returns a table of a list.
func (d described) element(number, i int) described {
	at := d.Vector(flatbuffers.UOffsetT(d.Offset(slot(number)))) + flatbuffers.UOffsetT(4*i)
	return described{flatbuffers.Table{Bytes: d.Bytes, Pos: d.Indirect(at)}}
}

// holds checks lists of pairs of numbers.
func (d described) holds(numbers ...int) error {
	for _, number := range numbers {
		if _, err := d.list(number, 8); err != nil {
			return err
		}
	}
	return nil
}
