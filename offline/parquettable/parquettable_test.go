package parquettable_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/gzip"
	"github.com/parquet-go/parquet-go/compress/snappy"
	"github.com/parquet-go/parquet-go/deprecated"

	"readiness/offline/parquettable"
)

type row struct {
	ID      string           `parquet:"id"`
	Answer  *string          `parquet:"actual_answer,optional"`
	Seconds float64          `parquet:"execution_time_sec"`
	Right   bool             `parquet:"evaluation_judgement"`
	At      time.Time        `parquet:"run_timestamp,timestamp(microsecond)"`
	Old     deprecated.Int96 `parquet:"old"`
	Steps   []string         `parquet:"dax_steps,list"`
}

func written[T any](t *testing.T, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sdk is a table as Spark writes one.
func sdk() []row {
	day := time.Date(2026, 11, 2, 3, 4, 5, 6000, time.UTC)
	old := deprecated.Int96{1_000_000_000, 0, 2440589} // the second second of 1970-01-02
	return []row{
		{"1", new("It is 12,\n\"twelve\""), 3.5, true, day, old, []string{"None", "EVALUATE FILTER(T, T[a] > 1)"}},
		{"2", nil, 0, false, day, old, nil},
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	const want = "id,actual_answer,execution_time_sec,evaluation_judgement,run_timestamp,old,dax_steps\n" +
		"1,\"It is 12,\n\"\"twelve\"\"\",3.5,true,2026-11-02T03:04:05.000006Z,1970-01-02T00:00:01Z,\"[\"\"None\"\",\"\"EVALUATE FILTER(T, T[a] > 1)\"\"]\"\n" +
		"2,,0,false,2026-11-02T03:04:05.000006Z,1970-01-02T00:00:01Z,\n"
	for name, codec := range map[string]parquet.WriterOption{"Spark's codec": parquet.Compression(&snappy.Codec{}), "gzip": parquet.Compression(&gzip.Codec{})} {
		data := written(t, sdk(), codec)
		if !parquettable.Is(data) {
			t.Errorf("%s: a Parquet file is not recognized", name)
		}
		got, err := parquettable.CSV(data, 10, 1<<20)
		if err != nil || string(got) != want {
			t.Errorf("%s: got %v\n%s\nwant\n%s", name, err, got, want)
		}
		first, err := parquettable.CSV(data, 1, 1<<20)
		if err != nil || !strings.HasPrefix(want, string(first)) || strings.Contains(string(first), "\n2,") {
			t.Errorf("%s: one row is %v\n%s", name, err, first)
		}
	}
}

// A damaged file is an error and never a panic, and what it claims to hold is bounded before it is unpacked.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	if parquettable.Is([]byte("id,answer")) {
		t.Error("a table is taken for Parquet")
	}
	data := written(t, sdk(), parquet.Compression(&snappy.Codec{}))
	for n := range data { // cut, and with one byte changed
		if _, err := parquettable.CSV(data[:n], 10, 1<<20); err == nil {
			t.Fatalf("%d of %d bytes are read", n, len(data))
		}
		changed := bytes.Clone(data)
		changed[n] ^= 0xff
		_, _ = parquettable.CSV(changed, 10, 1<<20) // what a changed byte of a text says is the file's matter
	}
	long := written(t, []row{{Answer: new(strings.Repeat("x", 2<<20))}}, parquet.Compression(&gzip.Codec{}))
	if _, err := parquettable.CSV(long, 10, 1<<20); err == nil || !strings.Contains(err.Error(), "larger than 1 MB") {
		t.Errorf("a file of %d bytes that unpacks to two megabytes gives %v", len(long), err)
	}
}
