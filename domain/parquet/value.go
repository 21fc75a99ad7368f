package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The physical types.
const (
	boolean   = 0
	int32s    = 1
	int64s    = 2
	int96     = 3
	float     = 4
	double    = 5
	byteArray = 6
	fixed     = 7
)

// logical is what the values mean.
type logical struct {
	kind  meaning
	scale int
	unit  time.Duration
	local bool // a timestamp of no time zone
}

type meaning int

const (
	itself meaning = iota
	decimal
	date
	timeOfDay
	timestamp
	unsigned
	identifier
)

// describe sets the type of a leaf.
func (c *Column) describe(e *node) error {
	c.physical = e.get(1).n
	if !e.has(1) || c.physical < boolean || c.physical > fixed {
		return fmt.Errorf("its type is unknown")
	}
	c.width = []int{0, 4, 8, 12, 4, 8, 0, 0}[c.physical]
	if c.physical == fixed {
		if w := e.get(2).n; w > 0 && w <= 1<<16 {
			c.width = int(w)
		} else {
			return fmt.Errorf("its values are said to have %d bytes", w)
		}
	}
	c.logical = convertedTypes[e.get(6).n]
	if c.logical.kind == decimal {
		c.logical.scale = int(e.get(7).n)
	}
	for _, of := range e.get(10).sub {
		switch of.id {
		case 5:
			c.logical = logical{kind: decimal, scale: int(of.get(1).n)}
		case 6:
			c.logical = logical{kind: date}
		case 7:
			c.logical = logical{kind: timeOfDay, unit: unitOf(of.get(2))}
		case 8:
			c.logical = logical{kind: timestamp, unit: unitOf(of.get(2)), local: of.get(1).n == 0}
		case 10:
			if of.get(2).n == 0 {
				c.logical = logical{kind: unsigned}
			}
		case 14:
			c.logical = logical{kind: identifier}
		case 15:
			c.Unread = "its type FLOAT16 is not read"
		}
	}
	if s := c.logical.scale; s < 0 || s > 1000 {
		return fmt.Errorf("its decimals are said to have %d places", s)
	}
	return nil
}

// convertedTypes are the meanings of older files.
var convertedTypes = map[int64]logical{
	5: {kind: decimal}, 6: {kind: date}, 7: {kind: timeOfDay, unit: time.Millisecond}, 8: {kind: timeOfDay, unit: time.Microsecond},
	9: {kind: timestamp, unit: time.Millisecond}, 10: {kind: timestamp, unit: time.Microsecond},
	11: {kind: unsigned}, 12: {kind: unsigned}, 13: {kind: unsigned}, 14: {kind: unsigned},
}

func unitOf(n *node) time.Duration {
	switch {
	case n.has(1):
		return time.Millisecond
	case n.has(2):
		return time.Microsecond
	}
	return time.Nanosecond
}

// plain are values one after the other: of byte arrays the length is in front.
type plain struct {
	physical int64
	width    int
	data     []byte
	bit      int
	at       []uint32 // where the byte arrays of a dictionary begin
}

var truths = [2][]byte{{0}, {1}}

// next returns the next value.
func (p *plain) next() ([]byte, error) {
	size := p.width
	switch p.physical {
	case boolean:
		if p.bit >= 8*len(p.data) {
			return nil, errTooFew
		}
		p.bit++
		return truths[bitsOf(p.data, p.bit-1, 1)], nil
	case byteArray:
		if len(p.data) < 4 {
			return nil, errTooFew
		}
		n := binary.LittleEndian.Uint32(p.data)
		if p.data = p.data[4:]; int64(n) > int64(len(p.data)) {
			return nil, fmt.Errorf("a value is said to have %d bytes, and the page has %d left", n, len(p.data))
		}
		size = int(n)
	}
	if len(p.data) < size {
		return nil, errTooFew
	}
	raw := p.data[:size:size]
	p.data = p.data[size:]
	return raw, nil
}

var errTooFew = fmt.Errorf("it has fewer values than it says")

// locate finds the values of a dictionary.
func (p *plain) locate(n int64) error {
	if p.physical == boolean || n < 0 || n > int64(len(p.data)) {
		return fmt.Errorf("its dictionary is said to have %d values in %d bytes", n, len(p.data))
	}
	if p.physical != byteArray {
		return nil
	}
	rest := *p
	for range n {
		p.at = append(p.at, uint32(len(p.data)-len(rest.data))) //nolint:gosec // a page is smaller
		if _, err := rest.next(); err != nil {
			return fmt.Errorf("its dictionary: %w", err)
		}
	}
	return nil
}

// of returns a value of a dictionary.
func (p *plain) of(place uint64) ([]byte, error) {
	begin := place * uint64(p.width) //nolint:gosec // it is no large number
	if p.physical == byteArray {
		if place >= uint64(len(p.at)) {
			return nil, fmt.Errorf("value %d of its dictionary does not exist", place)
		}
		begin = uint64(p.at[place])
	}
	if begin > uint64(len(p.data)) {
		return nil, fmt.Errorf("value %d of its dictionary does not exist", place)
	}
	one := plain{physical: p.physical, width: p.width, data: p.data[begin:]}
	return one.next()
}

// text returns a value as text.
func (c *Column) text(raw []byte) string {
	l := c.logical
	switch c.physical {
	case boolean:
		return strconv.FormatBool(raw[0] == 1)
	case int32s:
		return l.number(int64(int32(binary.LittleEndian.Uint32(raw))), 0xffffffff) //nolint:gosec // it has a sign
	case int64s:
		return l.number(int64(binary.LittleEndian.Uint64(raw)), math.MaxUint64) //nolint:gosec // it has a sign
	case int96: // nanoseconds of the day, and the Julian day
		const epoch = 2440588                                                                                   // that of 1970-01-01
		nanos, day := int64(binary.LittleEndian.Uint64(raw)), int64(int32(binary.LittleEndian.Uint32(raw[8:]))) //nolint:gosec // they have a sign
		return time.Unix((day-epoch)*24*60*60, nanos).UTC().Format(time.RFC3339Nano)
	case float:
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))), 'g', -1, 32)
	case double:
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(raw)), 'g', -1, 64)
	}
	switch {
	case l.kind == decimal && len(raw) <= 64:
		v := new(big.Int).SetBytes(raw)
		if len(raw) > 0 && raw[0]&0x80 != 0 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw)))) //nolint:gosec // it is small
		}
		return scaled(v.String(), l.scale)
	case l.kind == identifier && len(raw) == 16:
		return uuid.UUID(raw).String()
	}
	return text(raw)
}

func (l logical) number(v int64, mask uint64) string {
	switch l.kind {
	case decimal:
		return scaled(strconv.FormatInt(v, 10), l.scale)
	case date:
		return time.Unix(v*24*60*60, 0).UTC().Format(time.DateOnly)
	case timeOfDay:
		return time.Unix(0, 0).UTC().Add(time.Duration(v) * l.unit).Format("15:04:05.999999999")
	case timestamp:
		per, layout := int64(time.Second/l.unit), time.RFC3339Nano
		if l.local {
			layout = "2006-01-02T15:04:05.999999999"
		}
		return time.Unix(v/per, v%per*int64(l.unit)).UTC().Format(layout)
	case unsigned:
		return strconv.FormatUint(uint64(v)&mask, 10) //nolint:gosec // it has no sign
	case itself, identifier:
	}
	return strconv.FormatInt(v, 10)
}

// scaled puts the point into a whole number.
func scaled(digits string, scale int) string {
	if scale == 0 {
		return digits
	}
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}
