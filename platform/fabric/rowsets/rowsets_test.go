package rowsets_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"readiness/platform/fabric/rowsets"
)

// stream is a stream of batches, given as JSON, with LZ4 as the platform sends it.
func stream(t testing.TB, about map[string]string, fields []arrow.Field, batches ...string) []byte {
	t.Helper()
	said := arrow.MetadataFrom(about)
	schema := arrow.NewSchema(fields, &said)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema), ipc.WithLZ4(), ipc.WithDictionaryDeltas(true))
	for _, text := range batches {
		batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func field(name string, of arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: of, Nullable: true}
}

// Each type that Microsoft's documentation gives for a type of DAX is read without loss.
func TestTypes(t *testing.T) {
	t.Parallel()
	fixed := &arrow.Decimal128Type{Precision: 19, Scale: 4}
	texts := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	fields := []arrow.Field{field("i", arrow.PrimitiveTypes.Int64), field("c", fixed), field("d", arrow.PrimitiveTypes.Float64),
		field("b", arrow.FixedWidthTypes.Boolean), field("at", arrow.FixedWidthTypes.Date64), field("t", texts), field("s", arrow.BinaryTypes.String),
		field("n", arrow.Null)}
	body := stream(t, nil, fields,
		`[{"i":9223372036854775807,"c":"123456789012345.6789","d":0.1,"b":true,"at":"2024-02-29","t":"A","s":"café","n":null},{}]`,
		`[{"i":-1,"c":"-0.0100","d":-2.5,"b":false,"at":"1899-12-30","t":"B","s":""}]`)
	got, err := rowsets.Read(body, 10)
	want := rowsets.Table{Columns: []string{"i", "c", "d", "b", "at", "t", "s", "n"}, Values: [][]any{
		{rowsets.Exact("9223372036854775807"), rowsets.Exact("123456789012345.6789"), 0.1, true, time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), "A", "café", nil},
		make([]any, 8),
		{rowsets.Exact("-1"), rowsets.Exact("-0.0100"), -2.5, false, time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC), "B", "", nil},
	}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := rowsets.Read(body, 1); err != nil || !got.More || len(got.Values) != 1 {
		t.Errorf("of one row that is kept, got %+v, %v", got, err)
	}
	if got, err := rowsets.Read(body, 3); err != nil || got.More || len(got.Values) != 3 {
		t.Errorf("of as many rows as there are, got %+v, %v", got, err)
	}
}

// A column of values of any type.
func TestVariants(t *testing.T) {
	t.Parallel()
	fixed := &arrow.Decimal128Type{Precision: 19, Scale: 4}
	kind := arrow.DenseUnionOf([]arrow.Field{field("integer", arrow.PrimitiveTypes.Int64), field("currency", fixed),
		field("logical", arrow.FixedWidthTypes.Boolean), field("double", arrow.PrimitiveTypes.Float64), field("string", arrow.BinaryTypes.String)},
		[]arrow.UnionTypeCode{9, 2, 12, 31, 70})
	body := stream(t, nil, []arrow.Field{field("v", kind)},
		`[{"v":[9,"-42"]},{"v":[2,"0.5000"]},{"v":[12,true]},{"v":[31,1.25]},{"v":[70,"x"]},{"v":[2,null]}]`)
	got, err := rowsets.Read(body, 10)
	want := [][]any{{rowsets.Exact("-42")}, {rowsets.Exact("0.5000")}, {true}, {1.25}, {"x"}, {nil}}
	if diff := cmp.Diff(want, got.Values); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// What cannot be read gives no rows at all. A size that is only claimed is not allocated.
func TestMalformed(t *testing.T) {
	t.Parallel()
	numbers := []arrow.Field{field("a", arrow.PrimitiveTypes.Int64)}
	one := stream(t, nil, numbers, `[{"a":1},{"a":2},{"a":3}]`)
	fault := stream(t, map[string]string{"IsError": "True", "FaultCode": "7", "FaultString": "no"}, numbers)
	var many []byte
	for range 17 {
		many = append(many, one...)
	}
	bomb := slices.Clone(stream(t, nil, numbers, "["+strings.Repeat(`{"a":1},`, 5000)+`{"a":1}]`))
	at := bytes.Index(bomb, binary.LittleEndian.AppendUint64(nil, 5001*8)) // the size of what is compressed
	for at >= 0 && at+8 < len(bomb) && !bytes.Equal(bomb[at+8:at+12], []byte{0x04, 0x22, 0x4d, 0x18}) {
		next := bytes.Index(bomb[at+1:], binary.LittleEndian.AppendUint64(nil, 5001*8))
		at += next + 1
	}
	if at < 0 {
		t.Fatal("nothing is compressed")
	}
	binary.LittleEndian.PutUint64(bomb[at:], math.MaxInt64/2)
	for name, c := range map[string]struct {
		body  []byte
		says  string
		fault bool
	}{
		"nothing":           {says: "no table"},
		"no columns":        {body: stream(t, nil, nil), says: "no columns"},
		"a type of no DAX":  {body: stream(t, nil, []arrow.Field{field("b", arrow.BinaryTypes.Binary)}, `[{"b":"AQ=="}]`), says: `column "b": its type`},
		"cut":               {body: one[:len(one)-9], says: ""},
		"without an end":    {body: one[:len(one)-8], says: "ends early"},
		"too many streams":  {body: many, says: "too many tables"},
		"a fault":           {body: fault, says: "no", fault: true},
		"a fault at last":   {body: append(slices.Clone(one), fault...), says: "no", fault: true},
		"a bomb":            {body: bomb, says: "larger than the service reads"},
		"text":              {body: []byte("<html><body>an error page</body></html>"), says: "no stream of Arrow"},
		"an end before all": {body: []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, says: ""},
	} {
		got, err := rowsets.Read(c.body, 10)
		if _, is := errors.AsType[*rowsets.Fault](err); err == nil || !strings.Contains(err.Error(), c.says) || is != c.fault || len(got.Values) != 0 {
			t.Errorf("%s: got %+v, %v, want %q", name, got, err, c.says)
		}
	}
}

// Whatever the bytes are, reading ends with a table or an error.
func FuzzRead(f *testing.F) {
	fixed := &arrow.Decimal128Type{Precision: 19, Scale: 4}
	texts := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	f.Add(stream(f, nil, []arrow.Field{field("a", arrow.PrimitiveTypes.Int64), field("t", texts), field("c", fixed)}, `[{"a":1,"t":"x","c":"1.5000"},{}]`))
	f.Add(stream(f, map[string]string{"IsError": "true"}, []arrow.Field{field("a", arrow.BinaryTypes.String)}, `[{"a":"x"}]`))
	f.Add(stream(f, nil, []arrow.Field{field("v", arrow.DenseUnionOf([]arrow.Field{field("s", arrow.BinaryTypes.String)}, []arrow.UnionTypeCode{0}))}, `[{"v":[0,"x"]}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := rowsets.Read(body, 5)
		if err != nil && len(got.Values) != 0 || len(got.Values) > 5 {
			t.Errorf("got %+v with %v", got, err)
		}
		for _, row := range got.Values {
			if len(row) != len(got.Columns) {
				t.Errorf("a row has %d values of %d columns", len(row), len(got.Columns))
			}
		}
	})
}
