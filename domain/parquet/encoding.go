package parquet

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// The encodings and codecs that are read.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingRLEDictionary   = 8

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
		var n int
		if n, err = s2.DecodedLen(data); err == nil && n != size { // memory is taken only for what was spent
			err = fmt.Errorf("it has %d bytes, and says %d", n, size)
		}
		if err == nil {
			unpacked, err = s2.Decode(nil, data)
		}
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
	}
	return nil, fmt.Errorf("its values have the encoding %s, which is not read", encodingName(encoding))
}
