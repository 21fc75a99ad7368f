package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The encodings and codecs that are read.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingDeltaInts       = 5
	encodingDeltaLengths    = 6
	encodingRLEDictionary   = 8
	encodingSplit           = 9

	uncompressed = 0
	snappy       = 1
	gzipped      = 2
	zstandard    = 6
)

var (
	encodings = []string{"PLAIN", "1", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY",
		"DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"}
	codecs = []string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}
)

func encodingName(e int64) string { return nameOf(encodings, e) }

func nameOf(names []string, at int64) string {
	if at < 0 || at >= int64(len(names)) {
		return fmt.Sprint(at)
	}
	return names[at]
}

// unpack returns a page's bytes, of which there must be as many as stated.
func (f *File) unpack(codec int64, data []byte, size int) (unpacked []byte, err error) {
	if codec == uncompressed {
		if len(data) != size {
			return nil, fmt.Errorf("it has %d bytes, and says %d", len(data), size)
		}
		return data, nil
	}
	if err := f.spend(size); err != nil {
		return nil, err
	}
	switch codec {
	case snappy:
		unpacked, err = unsnap(data, size)
	case gzipped:
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			unpacked, err = io.ReadAll(io.LimitReader(r, int64(size)+1))
		}
	case zstandard:
		var r *zstd.Decoder
		r, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(uint64(max(size+1, 8<<20)))) //nolint:gosec // the least is the window of usual files
		if err == nil {
			unpacked, err = r.DecodeAll(data, nil)
			r.Close()
		}
	default:
		return nil, fmt.Errorf("it is compressed with %s, which is not read; write the file with SNAPPY, GZIP, ZSTD or none", nameOf(codecs, codec))
	}
	if err == nil && len(unpacked) != size {
		err = fmt.Errorf("it has %d bytes and more, and says %d", len(unpacked), size)
	}
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked (%s): %w", nameOf(codecs, codec), err)
	}
	return unpacked, nil
}

// unsnap decodes a block of Snappy.
func unsnap(data []byte, size int) ([]byte, error) {
	broken := fmt.Errorf("its bytes are damaged")
	stated, n := binary.Uvarint(data)
	if n <= 0 || stated != uint64(size) || size > 64*len(data) { //nolint:gosec // size is not negative; no element of three bytes gives more than 64
		return nil, broken
	}
	out := make([]byte, 0, size)
	for data = data[n:]; len(data) > 0; {
		tag, extra := data[0], 0 // extra bytes hold a length or a distance
		length, distance := int(tag>>2)+1, 0
		switch tag & 3 {
		case 0:
			extra = max(0, length-60)
		case 1:
			extra, length = 1, int(tag>>2&7)+4
		case 2:
			extra = 2
		case 3:
			extra = 4
		}
		if len(data) < 1+extra {
			return nil, broken
		}
		if extra > 0 {
			distance = int(bitsOf(data[1:1+extra], 0, 8*extra)) //nolint:gosec // at most four bytes
		}
		data = data[1+extra:]
		if tag&3 == 0 { // bytes as they are
			if extra > 0 {
				length = distance + 1
			}
			if length > len(data) || length > size-len(out) {
				return nil, broken
			}
			out, data = append(out, data[:length]...), data[length:]
			continue
		}
		if tag&3 == 1 {
			distance |= int(tag>>5) << 8
		}
		if distance == 0 || distance > len(out) || length > size-len(out) {
			return nil, broken
		}
		for range length { // a copy may reach into itself
			out = append(out, out[len(out)-distance])
		}
	}
	return out, nil
}

// decode returns values in the encoding PLAIN.
func (c *cursor) decode(encoding int64, n int, data []byte) ([]byte, error) {
	switch {
	case encoding == encodingPlain:
		return data, nil
	case encoding == encodingRLE && c.physical == boolean:
		l, _, err := leading(encodingRLE, 1, data)
		if err != nil {
			return nil, err
		}
		packed := make([]byte, (n+7)/8)
		for i := range n {
			v, err := l.next()
			if err != nil {
				return packed, nil //nolint:nilerr // absent values are not stored
			}
			packed[i/8] |= byte(v&1) << (i % 8)
		}
		return packed, nil
	case encoding == encodingDeltaInts && (c.physical == int32s || c.physical == int64s):
		all, _, err := deltas(data, n)
		packed := make([]byte, 0, c.width*len(all))
		for _, v := range all {
			packed = binary.LittleEndian.AppendUint64(packed, uint64(v))[:len(packed)+c.width] //nolint:gosec // the bits are kept
		}
		return packed, err
	case encoding == encodingDeltaLengths && c.physical == byteArray:
		lengths, rest, err := deltas(data, n)
		if err != nil {
			return nil, err
		}
		return joined(lengths, rest)
	case encoding == encodingSplit && c.width > 0 && len(data)%c.width == 0:
		packed, count := make([]byte, len(data)), len(data)/c.width
		for i, b := range data {
			packed[i%count*c.width+i/count] = b
		}
		return packed, nil
	}
	return nil, fmt.Errorf("its values have the encoding %s, which is not read", encodingName(encoding))
}

// joined puts the length in front of each byte array.
func joined(lengths []int64, data []byte) (packed []byte, err error) {
	for _, length := range lengths {
		if length < 0 || length > int64(len(data)) {
			return nil, fmt.Errorf("a value is said to have %d bytes, and the page has %d left", length, len(data))
		}
		packed = append(binary.LittleEndian.AppendUint32(packed, uint32(length)), data[:length]...) //nolint:gosec // a page is smaller
		data = data[length:]
	}
	return packed, nil
}

// deltas decodes at most so many whole numbers, and returns what follows them.
func deltas(data []byte, most int) (all []int64, rest []byte, err error) {
	t := thrift{data: data}
	block, minis, count, value := t.uvarint(), t.uvarint(), t.uvarint(), zigzag(t.uvarint())
	if t.err != nil || block == 0 || block > 1<<16 || minis == 0 || minis > block || block%(8*minis) != 0 ||
		count > uint64(most) { //nolint:gosec // most is not negative
		return nil, nil, fmt.Errorf("its numbers are damaged")
	}
	per := int(block / minis) //nolint:gosec // it is small
	if count > 0 {
		all = append(all, value)
	}
	for len(all) < int(count) { //nolint:gosec // it is at most most
		least := zigzag(t.uvarint())
		for _, width := range t.take(minis) {
			if len(all) == int(count) { //nolint:gosec // as above
				break // further ones have no values
			}
			packed := t.take(uint64(per/8) * uint64(width)) //nolint:gosec // it is small
			if width > 64 {
				t.fail("its numbers are damaged")
			}
			if t.err != nil {
				break
			}
			for i := range min(per, int(count)-len(all)) { //nolint:gosec // as above
				value += least + int64(bitsOf(packed, i*int(width), int(width))) //nolint:gosec // it wraps, as it was made
				all = append(all, value)
			}
		}
		if t.err != nil {
			return nil, nil, errTooFew
		}
	}
	return all, t.data[t.at:], nil
}
