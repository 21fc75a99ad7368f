package emulator

import (
	"math"
	"net/http"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"readiness/definition/dax/evaluate"
)

// daxQueries runs a query as queries does, and answers in Apache Arrow: compressed, with texts in dictionaries. A query that the evaluator
// refuses, and a result of more than Options.QueryRows rows, are answered by an error stream with status 200.
func (c *call) daxQueries() {
	if code := c.o.Unknown.ArrowRefused; code != "" {
		failPowerBI(c.w, http.StatusBadRequest, code)
		return
	}
	var asked struct {
		Query string
		Most  int `json:"resultSetRowCountLimit"`
	}
	if !c.askedQuery(&asked) {
		return
	}
	result, message, there := c.evaluate(asked.Query)
	switch most := c.o.QueryRows; {
	case !there:
		return
	case message != "":
		c.sendFault(message)
		return
	case most > 0 && len(result.Rows) > most:
		c.sendFault("The result has more rows than the limit")
		return
	case asked.Most > 0 && len(result.Rows) > asked.Most:
		result.Rows = result.Rows[:asked.Most]
	}
	var fields []arrow.Field
	var columns []arrow.Array
	for i, name := range result.Columns {
		column := columnOf(result.Rows, i)
		fields, columns = append(fields, arrow.Field{Name: name, Type: column.DataType(), Nullable: true}), append(columns, column)
	}
	c.sendStream(arrow.NewSchema(fields, nil), columns, len(result.Rows))
}

// sendFault answers that the query failed.
func (c *call) sendFault(message string) {
	about := arrow.NewMetadata([]string{"IsError", "FaultCode", "FaultString"}, []string{"true", "3239575574", message})
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	texts.Append(message)
	c.sendStream(arrow.NewSchema([]arrow.Field{{Name: "Description", Type: arrow.BinaryTypes.String}}, &about),
		[]arrow.Array{texts.NewArray()}, 1)
}

func (c *call) sendStream(schema *arrow.Schema, columns []arrow.Array, rows int) {
	common(c.w)
	setClusterHeaders(c.w)
	c.w.Header().Set("Content-Type", "application/vnd.apache.arrow.stream")
	w := ipc.NewWriter(c.w, ipc.WithSchema(schema), ipc.WithLZ4())
	if w.Write(array.NewRecordBatch(schema, columns, int64(rows))) == nil { // else the client has gone
		_ = w.Close()
	}
}

// fixedType is the type of fixed decimals.
var fixedType = &arrow.Decimal128Type{Precision: 19, Scale: 4}

// variantType is the type of a column whose values have different types.
var variantType = arrow.DenseUnionOf([]arrow.Field{{Name: "integer", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "currency", Type: fixedType, Nullable: true}, {Name: "logical", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "date", Type: arrow.FixedWidthTypes.Date64, Nullable: true},
	{Name: "double", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "string", Type: arrow.BinaryTypes.String, Nullable: true}}, []arrow.UnionTypeCode{0, 1, 2, 3, 4, 5})

// columnOf returns a column of rows. The evaluator has numbers of one type: a column without decimals is one of integers, and
// one whose numbers have at most four decimals one of fixed decimals.
func columnOf(rows [][]evaluate.Value, i int) arrow.Array {
	kinds, numbers := map[evaluate.Kind]bool{}, 0
	for _, r := range rows {
		if k := r[i].Kind(); k != evaluate.Blank {
			kinds[k] = true
			numbers = max(numbers, typeOf(r[i]))
		}
	}
	var b array.Builder
	switch {
	case len(kinds) > 1:
		b = array.NewBuilder(memory.DefaultAllocator, variantType)
	case kinds[evaluate.Boolean]:
		b = array.NewBooleanBuilder(memory.DefaultAllocator)
	case kinds[evaluate.DateTime]:
		b = array.NewDate64Builder(memory.DefaultAllocator)
	case kinds[evaluate.Number]:
		b = array.NewBuilder(memory.DefaultAllocator, variantType.Fields()[numbers].Type)
	default:
		b = array.NewBuilder(memory.DefaultAllocator,
			&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String})
	}
	for _, r := range rows {
		appendTo(b, r[i])
	}
	return b.NewArray()
}

// typeOf returns the type of a value in variantType; for a number the first one without loss of precision.
func typeOf(v evaluate.Value) int {
	fixed := math.Round(v.Number() * 1e4)
	switch {
	case v.Kind() == evaluate.Boolean:
		return 2
	case v.Kind() == evaluate.DateTime:
		return 3
	case v.Kind() != evaluate.Number:
		return 5
	case v.Number() == math.Trunc(v.Number()) && math.Abs(v.Number()) < 1<<53:
		return 0
	case math.Abs(fixed) < 1<<53 && fixed/1e4 == v.Number():
		return 1
	}
	return 4
}

func appendTo(b array.Builder, v evaluate.Value) {
	if union, is := b.(*array.DenseUnionBuilder); is {
		of := typeOf(v)
		union.Append(arrow.UnionTypeCode(of))
		appendTo(union.Child(of), v)
		return
	}
	if v.Kind() == evaluate.Blank {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(int64(v.Number()))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(int64(math.Round(v.Number() * 1e4))))
	case *array.BooleanBuilder:
		b.Append(v.Number() != 0)
	case *array.Date64Builder:
		b.Append(arrow.Date64(v.Time().UnixMilli()))
	case *array.Float64Builder:
		b.Append(v.Number())
	case *array.StringBuilder:
		b.Append(v.String())
	case *array.BinaryDictionaryBuilder:
		_ = b.AppendString(v.String()) // fails only beyond 2^31 different texts
	}
}
