package parquet_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	written "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"readiness/domain/parquet"
)

// read returns a file as lines of cells with | between.
func read(data []byte) (string, error) {
	f, err := parquet.Open(data)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, c := range f.Columns {
		b.WriteString(c.Name + "|")
	}
	b.WriteString("\n")
	n := 0
	for row, err := range f.Rows(func(int) bool { return true }) {
		if n++; err != nil || n > 50_000 { // a changed byte may make millions of absent values
			return "", err
		}
		b.WriteString(strings.Join(row, "|") + "\n")
	}
	return b.String(), nil
}

func write[T any](t testing.TB, rows []T, options ...written.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := written.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type everything struct {
	Plain    string           `parquet:"plain,plain"`
	Dict     string           `parquet:"dict,dict"`
	Lengths  string           `parquet:"lengths,plain"`
	Absent   *string          `parquet:"absent,optional,dict"`
	Number   int32            `parquet:"number,plain"`
	Delta    int64            `parquet:"delta,plain"`
	Few      *int64           `parquet:"few,optional,dict"`
	Unsigned uint32           `parquet:"unsigned,plain"`
	Float    float32          `parquet:"float,plain"`
	Double   float64          `parquet:"double,dict"`
	True     bool             `parquet:"true,plain"`
	Perhaps  *bool            `parquet:"perhaps,optional"`
	Day      int32            `parquet:"day,date"`
	At       time.Time        `parquet:"at,timestamp(microsecond)"`
	Milli    int64            `parquet:"milli,timestamp(millisecond)"`
	Old      deprecated.Int96 `parquet:"old"`
	Price    int64            `parquet:"price,decimal(2:18)"`
	ID       uuid.UUID        `parquet:"id,uuid"`
	Steps    []string         `parquet:"steps,list" parquet-element:",plain"`
	Nested   struct {
		A string `parquet:"a"`
	} `parquet:"nested"`
}

// sample returns rows of every type, and what they read as.
func sample(n int) (rows []everything, want string) {
	var b strings.Builder
	b.WriteString("plain|dict|lengths|absent|number|delta|few|unsigned|float|double|true|perhaps|day|at|milli|old|price|id|steps|nested|\n")
	start := time.Date(2026, 11, 2, 3, 4, 5, 6000, time.UTC)
	for i := range n {
		r := everything{
			Plain: fmt.Sprintf("It is %d,\n\"twelve\" <b>", i), Dict: []string{"right", "wrong"}[i%2], Lengths: strings.Repeat("é", i%7),
			Number: int32(-i), Delta: int64(i) * 1_000_003 * int64(1-2*(i%2)), Unsigned: 4_000_000_000 + uint32(i), Float: float32(i) / 4, Double: float64(i%5) / 8,
			True: i%3 == 0, Day: int32(20_000 + i), At: start.Add(time.Duration(i) * time.Hour), Milli: start.UnixMilli() + int64(i),
			Old: deprecated.Int96{1_000_000_000, 0, uint32(2440589 + i)}, Price: int64(5*i) - 7, ID: uuid.UUID{15: byte(i)},
		}
		absent, few, perhaps, steps := "", "", "", ""
		if i%4 != 0 {
			absent = fmt.Sprint("text ", i%3)
			r.Absent = &absent
		}
		if i%5 == 1 {
			v := int64(i % 9)
			r.Few, few = &v, fmt.Sprint(v)
			r.Perhaps, perhaps = new(i%2 == 0), fmt.Sprint(i%2 == 0)
			r.Steps, steps = []string{"None", "EVALUATE FILTER(T, T[a] > 1)"}, `["None","EVALUATE FILTER(T, T[a] > 1)"]`
		}
		rows = append(rows, r)
		price, sign := r.Price, ""
		if price < 0 {
			price, sign = -price, "-"
		}
		fmt.Fprintf(&b, "%s|%s|%s|%s|%d|%d|%s|%d|%v|%v|%v|%s|%s|%s|%s|%s|%s%d.%02d|%s|%s|\n", r.Plain, r.Dict, r.Lengths, absent, r.Number, r.Delta, few, r.Unsigned, r.Float,
			r.Double, r.True, perhaps, time.Unix(int64(r.Day)*86400, 0).UTC().Format(time.DateOnly), r.At.Format(time.RFC3339Nano),
			time.UnixMilli(r.Milli).UTC().Format(time.RFC3339Nano), time.Unix(int64(i+1)*86400+1, 0).UTC().Format(time.RFC3339), sign, price/100, price%100, r.ID, steps)
	}
	return rows, b.String()
}

func TestEveryTypeEncodingAndCodec(t *testing.T) {
	t.Parallel()
	for codec, option := range map[string]written.WriterOption{"none": written.Compression(&written.Uncompressed), "snappy": written.Compression(&written.Snappy),
		"gzip": written.Compression(&written.Gzip), "zstd": written.Compression(&written.Zstd)} {
		for _, version := range []int{1, 2} {
			for _, n := range []int{0, 1, 1500} {
				rows, want := sample(n)
				got, err := read(write(t, rows, option, written.DataPageVersion(version), written.PageBufferSize(3000), written.MaxRowsPerRowGroup(700)))
				if err != nil || got != want {
					t.Fatalf("%s, pages of version %d, %d rows: %v\n%s", codec, version, n, err, difference(got, want))
				}
			}
		}
	}
}

// difference shows the first line that differs.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d:\n%s\nwant\n%s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// Files that other programs wrote read as what those programs were given (testdata/README.md).
func TestFilesOfOthers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no files", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".parquet") + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := read(data); err != nil || got != string(want) {
			t.Errorf("%s: %v\n%s", file, err, difference(got, string(want)))
		}
	}
}

func TestColumnsThatAreNotRead(t *testing.T) {
	t.Parallel()
	rows, _ := sample(2)
	f, err := parquet.Open(write(t, rows))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Columns {
		if (c.Unread != "") != (c.Name == "nested") {
			t.Errorf("%s: %q", c.Name, c.Unread)
		}
	}
	type odd struct {
		Fine string `parquet:"fine"`
		Odd  string `parquet:"odd,dict"`
		Text string `parquet:"text"`
	}
	data := write(t, []odd{{"a", "b", "c"}}, written.Compression(&written.Lz4Raw))
	if f, err = parquet.Open(data); err != nil {
		t.Fatal(err)
	}
	for _, err := range f.Rows(func(at int) bool { return at == 1 }) {
		if err == nil || !strings.Contains(err.Error(), `row group 1, column "odd", page at byte `) || !strings.Contains(err.Error(), "LZ4_RAW, which is not read; write the file with SNAPPY") {
			t.Errorf("another codec gives %v", err)
		}
	}
	for range f.Rows(func(int) bool { return false }) { // what is not wanted is no fault
	}
	type front struct {
		Text string `parquet:"text,delta"`
	}
	if _, err := read(write(t, []front{{"ab"}, {"ac"}})); err == nil || !strings.Contains(err.Error(), `column "text"`) ||
		!strings.Contains(err.Error(), "DELTA_BYTE_ARRAY, which is not read") {
		t.Errorf("another encoding gives %v", err)
	}
}

// A damaged file is an error and never a panic.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	rows, _ := sample(3)
	for _, option := range []written.WriterOption{written.Compression(&written.Snappy), written.Compression(&written.Uncompressed)} {
		data := write(t, rows, option)
		for n := range data {
			if _, err := read(data[:n]); err == nil {
				t.Fatalf("%d of %d bytes are read", n, len(data))
			}
			changed := bytes.Clone(data)
			changed[n] ^= 0xff
			_, _ = read(changed) // what a changed byte of a text says is the file's matter
		}
	}
}

// What a file unpacks to is bounded, whatever it claims.
func TestBounds(t *testing.T) {
	t.Parallel()
	type wide struct {
		A string `parquet:"a,dict"`
	}
	long := strings.Repeat("x", 10<<10)
	rows := make([]wide, 20_000)
	for i := range rows {
		rows[i].A = long
	}
	data := write(t, rows, written.Compression(&written.Gzip)) // one value, which every row names
	if len(data) > 100<<10 {
		t.Fatalf("the file has %d bytes", len(data))
	}
	if _, err := read(data); err == nil || !strings.Contains(err.Error(), "unpacked the table is larger than 128 MB") {
		t.Errorf("200 MB of text give %v", err)
	}
	if _, err := parquet.Open(make([]byte, parquet.MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "larger than 64 MB") {
		t.Errorf("a large file gives %v", err)
	}
	type one struct {
		A bool `parquet:"a"`
	}
	if _, err := parquet.Open(write(t, make([]one, 1_000_001))); err == nil || !strings.Contains(err.Error(), "more than 1000000 rows") {
		t.Errorf("many rows give %v", err)
	}
}

func FuzzRead(f *testing.F) {
	rows, _ := sample(3)
	for _, codec := range []written.WriterOption{written.Compression(&written.Uncompressed), written.Compression(&written.Snappy), written.Compression(&written.Zstd)} {
		f.Add(write(f, rows, codec, written.DataPageVersion(1)))
		f.Add(write(f, rows, codec, written.DataPageVersion(2)))
	}
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = read(data) })
}
