package eventstore_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
)

// exported returns the log's lines.
func exported(t testing.TB, s *eventstore.Store) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := s.Export(t.Context(), &out, eventstore.NDJSON, eventstore.Selection{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// tables returns every row of the log's tables, and the last position handed out.
func tables(t testing.TB, pool *pgxpool.Pool) (rows string) {
	t.Helper()
	err := pool.QueryRow(t.Context(), `SELECT concat((SELECT string_agg(e::text, E'\n' ORDER BY position) FROM events e), E'\n',
		(SELECT string_agg(s::text, E'\n' ORDER BY stream) FROM streams s), E'\n', (SELECT last_value || ' ' || is_called FROM events_position_seq))`).Scan(&rows)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// An imported log equals the exported one: the same rows, the same lines, the same chains. It continues after the last exported event.
//
// proves: decisions/20/exact
func TestImport(t *testing.T) {
	t.Parallel()
	from, before := open(t)
	someLog(t, from)
	mustAdd(t, from, "note-2", noted{"日本 \u2028 <b> \"quoted\" \\"})
	lines := exported(t, from)
	to, after := open(t)
	var pages []int64
	got, err := to.Import(t.Context(), strings.NewReader(lines), eventstore.ImportOptions{Progress: func(n int64) { pages = append(pages, n) }})
	if want := (eventstore.Imported{Events: 7, Streams: 4, Last: 7}); err != nil || got != want || !slices.Equal(pages, []int64{7}) {
		t.Fatalf("got %+v, %v, progress %v, want %+v", got, err, pages, want)
	}
	if diff := cmp.Diff(tables(t, before), tables(t, after)); diff != "" {
		t.Errorf("the tables differ (-exported +imported):\n%s", diff)
	}
	if again := exported(t, to); again != lines {
		t.Errorf("the export is\n%s\nwant\n%s", again, lines)
	}
	if v, found := verify(t, to); v.Events != 7 || len(found) > 0 {
		t.Errorf("%+v, %v", v, found)
	}
	mustAdd(t, to, "budget-1", spent{1, 5, "ann"})
	if v, found := verify(t, to); v.Events != 8 || v.Total != 8 || len(found) > 0 {
		t.Errorf("after an append: %+v, %v", v, found)
	}
	if at, err := to.Watermark(t.Context()); err != nil || at != 8 {
		t.Errorf("the watermark is %d, %v, want 8", at, err)
	}
}

// A log of many pages, with streams that continue in later ones, and of one account with gaps between its positions.
func TestImportOfPages(t *testing.T) {
	t.Parallel()
	from, _ := open(t)
	for n := range 120 {
		mustAdd(t, from, fmt.Sprintf("budget-%d", n%7), slices.Repeat(record{spent{1, n, "ann"}}, 100)...)
	}
	other := meta
	other.Account = "other"
	past := eventstore.Tail("note-9")
	if err := from.Change(t.Context(), other, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, record{noted{"of another account"}})
	}); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, from, "budget-0", spent{1, 1, "ann"})
	for _, account := range []string{"", "acme", "other"} {
		var lines bytes.Buffer
		if _, err := from.Export(t.Context(), &lines, eventstore.NDJSON, eventstore.Selection{Account: account}); err != nil {
			t.Fatal(err)
		}
		to, _ := open(t)
		if _, err := to.Import(t.Context(), bytes.NewReader(lines.Bytes()), eventstore.ImportOptions{}); err != nil {
			t.Fatalf("account %q: %v", account, err)
		}
		if again := exported(t, to); again != lines.String() {
			t.Errorf("account %q: the export differs", account)
		}
		if v, found := verify(t, to); len(found) > 0 || v.Events != int64(strings.Count(lines.String(), "\n")) {
			t.Errorf("account %q: %+v, %v", account, v, found)
		}
	}
}

// Each of these is refused, with the line and what to do, and leaves the database as it was.
//
// proves: decisions/20/strict
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	from, _ := open(t)
	someLog(t, from)
	good := strings.SplitAfter(strings.TrimSuffix(exported(t, from), "\n"), "\n")
	good[5] += "\n"
	to, pool := open(t)
	empty := tables(t, pool)
	forged := newForger(t, good)
	for name, row := range map[string]struct {
		lines []string
		says  string
	}{
		"nothing":               {nil, "the file has no line"},
		"an empty line":         {[]string{"\n"}, "line 1: it is not a line of readinessd events export"},
		"another format":        {[]string{good[0], "POSITION  RECORDED\n"}, "line 2: it is not a line of readinessd events export --format ndjson"},
		"an unknown member":     {[]string{good[0], strings.Replace(good[1], `"metadata"`, `"more":1,"metadata"`, 1)}, `line 2: it is not a line of readinessd events export --format ndjson: json: unknown field "more"`},
		"a missing member":      {[]string{good[0], strings.Replace(good[1], `"schemaVersion":1,`, ``, 1)}, `line 2: from byte`},
		"a member twice":        {[]string{strings.Replace(good[0], `"metadata":`, `"metadata":{},"metadata":`, 1)}, `line 1: from byte`},
		"another order":         {[]string{strings.Replace(good[0], `{"v":1,"position":1,`, `{"position":1,"v":1,`, 1)}, `line 1: from byte 22 on it is not as readinessd events export writes it`},
		"spaces":                {[]string{strings.Replace(good[0], `"units":`, `"units": `, 1)}, `line 1: from byte`},
		"another escape":        {[]string{good[0], good[1], good[2], strings.Replace(good[3], `\u003c`, `<`, 1)}, `line 4: from byte`},
		"text behind the event": {[]string{strings.Replace(good[0], "}\n", "} \n", 1)}, `line 1: from byte`},
		"another zone":          {[]string{strings.Replace(good[0], `Z","hash"`, `+00:00","hash"`, 1)}, `line 1: from byte`},
		"nanoseconds":           {[]string{forged.with(0, func(r *eventstore.Recorded) { r.RecordedAt = r.RecordedAt.Add(1) })}, `line 1: recordedAt is more precise than microseconds`},
		"a later form":          {[]string{strings.Replace(good[0], `{"v":1`, `{"v":2`, 1)}, `line 1: its form has version 2, and this program reads up to 1; import with the program that exported it`},
		"an entry of a tree":    {[]string{strings.Replace(good[0], `"data":{"units":1,"total":1,"by":"ann"}`, `"dataSha256":"00"`, 1)}, `line 1: it has dataSha256 in place of data`},
		"text that is no UTF-8": {[]string{strings.Replace(good[0], `ann`, "a\xffn", 1)}, `line 1: it has a character that texts of events cannot have`},
		"a type with a zero":    {[]string{strings.Replace(good[0], `budget.spent`, `budget.spent\u0000`, 1)}, `line 1: it has a character that texts of events cannot have`},
		"cut off in a line":     {[]string{good[0], good[1][:100]}, "line 2 ends without a line feed: the file was cut off"},
		"cut off at the end":    {[]string{good[0], strings.TrimSuffix(good[1], "\n")}, "line 2 ends without a line feed: the file was cut off"},
		"a line of 2 MiB":       {[]string{good[0], strings.Repeat("x", 2<<20) + "\n"}, "line 2 has more than 2097152 bytes"},
		"a line without an end": {[]string{good[0], strings.Repeat("x", 3<<20)}, "line 2 has more than 2097152 bytes"},
		"a line twice":          {[]string{good[0], good[0]}, "line 2: position 1 is not above that of the line before, 1"},
		"lines out of order":    {[]string{good[1], good[0]}, "line 2: position 1 is not above that of the line before, 2"},
		"position 0":            {[]string{forged.with(0, func(r *eventstore.Recorded) { r.Position = 0 })}, "line 1: position 0 is not above that of the line before, 0"},
		"a position too high":   {[]string{forged.with(0, func(r *eventstore.Recorded) { r.Position = 1 << 44 })}, "line 1: position 17592186044416 is above every position"},
		"version 0":             {[]string{forged.with(0, func(r *eventstore.Recorded) { r.Version = 0 })}, "line 1: version and schemaVersion must be at least 1"},
		"a missing first":       {good[2:], "line 1: version 2 of stream budget-1 follows version 0; export every event of the stream, without --after"},
		"a missing one":         {slices.Concat(good[:2], good[3:]), "line 4: version 3 of stream budget-1 follows version 1"},
		"a version twice":       {[]string{good[0], forged.with(2, func(r *eventstore.Recorded) { r.Version = 1 })}, "line 2: version 1 of stream budget-1 follows version 1"},
		"an unknown type":       {[]string{forged.with(0, func(r *eventstore.Recorded) { r.Type = "budget.lost" })}, "line 1: this program does not know budget.lost in schema version 1; import with a newer one"},
		"an unknown schema":     {[]string{forged.with(0, func(r *eventstore.Recorded) { r.SchemaVersion = 2 })}, "line 1: this program does not know budget.spent in schema version 2"},
		"schema version 0":      {[]string{forged.with(0, func(r *eventstore.Recorded) { r.SchemaVersion = 0 })}, "line 1: version and schemaVersion must be at least 1"},
		"another account":       {[]string{good[0], forged.with(2, func(r *eventstore.Recorded) { r.Account = "other" })}, "line 2: stream budget-1 belongs to account acme, the event to other"},
		"an earlier time":       {[]string{good[0], forged.with(2, func(r *eventstore.Recorded) { r.RecordedAt = r.RecordedAt.AddDate(-1, 0, 0) })}, "line 2: recordedAt is before that of the version before it"},
		"changed data":          {[]string{good[0], good[1], strings.Replace(good[2], `"total":2`, `"total":3`, 1)}, "line 3: the hash is not that of the event, its position and the events of stream budget-1 before it"},
		"a changed position":    {[]string{good[0], good[1], strings.Replace(good[2], `"position":3`, `"position":4`, 1)}, "line 3: the hash is not that of the event"},
		"a changed person":      {[]string{strings.Replace(good[0], `"person":"ann"`, `"person":"bob"`, 1)}, "line 1: the hash is not that of the event"},
		"a changed hash":        {[]string{strings.Replace(good[0], `"hash":"`, `"hash":"00`, 1)}, "line 1: the hash is not that of the event"},
		"no hash":               {[]string{strings.Replace(good[0], `"hash":"`, `"hash":"x`, 1)}, "line 1: its hash is not hexadecimal"},
	} {
		got, err := to.Import(t.Context(), strings.NewReader(strings.Join(row.lines, "")), eventstore.ImportOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), "eventstore: import: ") || !strings.Contains(err.Error(), row.says) || got != (eventstore.Imported{}) {
			t.Errorf("%s: got %+v, %v, want %q", name, got, err, row.says)
		}
		if after := tables(t, pool); after != empty {
			t.Errorf("%s: it left\n%s", name, after)
		}
	}
	if _, err := to.Import(t.Context(), strings.NewReader(strings.Join(good, "")), eventstore.ImportOptions{}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// forger makes lines of changed events, in the form of an export.
type forger struct{ events []eventstore.Recorded }

func newForger(t *testing.T, lines []string) *forger {
	t.Helper()
	var f forger
	for _, line := range lines {
		r, err := eventstore.ParseLine([]byte(strings.TrimSuffix(line, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		f.events = append(f.events, r)
	}
	return &f
}

// with returns the line of the n-th event with a change.
func (f *forger) with(n int, change func(*eventstore.Recorded)) string {
	r := f.events[n]
	change(&r)
	line, err := r.Line()
	if err != nil {
		panic(err) // every member can be written
	}
	return string(line) + "\n"
}

// A log that has or had events is not changed, and neither is one whose import or input fails at the end.
func TestImportIntoAnEmptyLogOnly(t *testing.T) {
	t.Parallel()
	from, _ := open(t)
	someLog(t, from)
	lines := exported(t, from)
	to, pool := open(t)
	empty := tables(t, pool)
	failed := errors.New("failed")
	for name, row := range map[string]struct {
		from io.Reader
		o    eventstore.ImportOptions
	}{
		"before": {strings.NewReader(lines), eventstore.ImportOptions{Before: func(context.Context, pgx.Tx) error { return failed }}},
		"after":  {strings.NewReader(lines), eventstore.ImportOptions{After: func(context.Context, pgx.Tx) error { return failed }}},
		"input":  {io.MultiReader(strings.NewReader(lines), failing{failed}), eventstore.ImportOptions{}},
	} {
		if _, err := to.Import(t.Context(), row.from, row.o); !errors.Is(err, failed) {
			t.Errorf("%s: got %v", name, err)
		}
		if after := tables(t, pool); after != empty {
			t.Errorf("%s: it left\n%s", name, after)
		}
	}
	mustAdd(t, to, "note-1", noted{"first"})
	before := tables(t, pool)
	for _, sql := range []string{`SELECT 1`, `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM events; COMMIT`} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		if _, err := to.Import(t.Context(), strings.NewReader(lines), eventstore.ImportOptions{}); err == nil || !strings.Contains(err.Error(), "is not empty") {
			t.Errorf("got %v", err)
		}
		if after := tables(t, pool); !strings.HasSuffix(before, after) {
			t.Errorf("it left\n%s", after)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A line that is accepted is written as the same line again; any other line is refused.
func FuzzParseLine(f *testing.F) {
	r := storedWith(`{"a":"b, \"metadata\":"}`)
	for _, data := range []string{`{"a":1}`, `{"metadata":{"metadata":1}}`, `"<"`, `null`, `[1,2]`} {
		r.Data = []byte(data)
		line, err := r.Line()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Add([]byte(hex.EncodeToString([]byte("no line"))))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := eventstore.ParseLine(line)
		if err != nil {
			return
		}
		again, err := r.Line()
		if err != nil || !bytes.Equal(again, line) {
			t.Errorf("%s is read as %+v, %v", line, r, err)
		}
	})
}
