package rowsets

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// valueOf returns a value of a column. A type that queries of DAX do not have is an error, because what it means is not known.
func valueOf(column arrow.Array, i int) (any, error) {
	if union, is := column.(*array.DenseUnion); is { // a value of any type, which has no null bitmap
		return valueOf(union.Field(union.ChildID(i)), int(union.ValueOffset(i)))
	}
	if column.IsNull(i) {
		return nil, nil
	}
	switch a := column.(type) {
	case *array.Null:
		return nil, nil
	case *array.Boolean:
		return a.Value(i), nil
	case *array.Int64:
		return Exact(strconv.FormatInt(a.Value(i), 10)), nil
	case *array.Int32:
		return Exact(strconv.FormatInt(int64(a.Value(i)), 10)), nil
	case *array.Decimal128:
		t, is := a.DataType().(*arrow.Decimal128Type)
		if !is {
			return nil, errors.New("it has no scale")
		}
		return Exact(a.Value(i).ToString(t.Scale)), nil
	case *array.Float64:
		return a.Value(i), nil
	case *array.Date64:
		return time.UnixMilli(int64(a.Value(i))).UTC(), nil
	case *array.Timestamp:
		t, is := a.DataType().(*arrow.TimestampType)
		if !is {
			return nil, errors.New("it has no unit")
		}
		return a.Value(i).ToTime(t.Unit).UTC(), nil
	case *array.String: // the text shares memory with all of its column
		return strings.ToValidUTF8(strings.Clone(a.Value(i)), "\ufffd"), nil
	case *array.Dictionary:
		return valueOf(a.Dictionary(), a.GetValueIndex(i))
	}
	return nil, fmt.Errorf("its type %s is not one of a query's", column.DataType())
}

// bounded allocates until nothing is left, and then panics, which ends reading.
type bounded struct {
	memory.GoAllocator
	left int
}

func (b *bounded) spend(n int) {
	if b.left -= n; n < 0 || b.left < 0 {
		panic("it is larger than the service reads")
	}
}

// Allocate implements memory.Allocator.
func (b *bounded) Allocate(size int) []byte {
	b.spend(size)
	return b.GoAllocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (b *bounded) Reallocate(size int, had []byte) []byte {
	b.spend(size)
	b.left += len(had)
	return b.GoAllocator.Reallocate(size, had)
}

// Free implements memory.Allocator.
func (b *bounded) Free(had []byte) { b.left += len(had) }
