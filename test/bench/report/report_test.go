package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const printed = `goos: linux
BenchmarkX/one_caller-2   	    2000	         0 ns/op	      812.5 calls/s	         1.26 of-Emmett
    x_test.go:9: BenchmarkX has a log
BenchmarkX/one_caller-2   	    2000	         0 ns/op	      700.0 calls/s	         0.941 of-Emmett
BenchmarkX/other          	       3	5040000000 ns/op	  12 B/op
PASS
`

var tried = benchmark{name: "X", pkg: "./x", times: "2000x", figures: []figure{
	{what: "At least", sub: "one_caller", unit: "of-Emmett", goal: 1}, {what: "Missed", sub: "one_caller", unit: "of-Emmett", goal: 3},
	{what: "At most", sub: "other", unit: "ns/op", goal: 6, most: true, seconds: true}, {what: "Too much", sub: "other", unit: "ns/op", goal: 5000, most: true},
	{what: "No goal", sub: "one_caller", unit: "calls/s"},
}}

func TestRows(t *testing.T) {
	t.Parallel()
	rows, err := tried.rows([]byte(printed), "1 Dec abc, load 2")
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, r := range rows {
		got += r.String() + "\n"
	}
	want := "| At least | 0.94–1.3 of Emmett | ≥ 1 | `X ./x 2000x` | 1 Dec abc, load 2 |\n" +
		"| Missed | 0.94–1.3 of Emmett | ≥ 3, missed | `X ./x 2000x` | 1 Dec abc, load 2 |\n" +
		"| At most | 5.0 s | ≤ 6 s | `X ./x 2000x` | 1 Dec abc, load 2 |\n" +
		"| Too much | 5040 ms | ≤ 5000 ms, missed | `X ./x 2000x` | 1 Dec abc, load 2 |\n" +
		"| No goal | 700–812 calls/s |  | `X ./x 2000x` | 1 Dec abc, load 2 |\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, tt := range map[string]struct{ sub, unit string }{"no such sub-benchmark": {"another", "ns/op"}, "no such unit": {"other", "of-Emmett"}} {
		one := benchmark{name: "X", figures: []figure{{what: "W", sub: tt.sub, unit: tt.unit}}}
		if rows, err := one.rows([]byte(printed), ""); err == nil {
			t.Errorf("%s: got %v", name, rows)
		}
	}
}

// A checked ratio fails below half its goal, by its best round.
func TestCheck(t *testing.T) {
	t.Parallel()
	for goal, want := range map[float64]bool{1.26: true, 2.52: true, 2.53: false} {
		r := benchmark{name: "X", figures: []figure{{what: "W", sub: "one_caller", unit: "of-Emmett", goal: goal, checked: true}, {what: "V", sub: "one_caller", unit: "of-Emmett", goal: 100}}}
		if err := r.check([]byte(printed)); (err == nil) != want {
			t.Errorf("goal %g: %v", goal, err)
		}
	}
	for _, r := range runs {
		for _, f := range r.figures {
			if f.checked && (f.most || f.goal == 0 || !strings.HasPrefix(f.unit, "of-")) {
				t.Errorf("%s is no ratio with a goal", f.what)
			}
		}
	}
}

// A page keeps what was not measured, and what is around the table; a row of no benchmark goes.
func TestRewrite(t *testing.T) {
	t.Parallel()
	first, last := runs[0].figures[0].what, runs[len(runs)-1].figures[0].what
	kept := "| " + last + " | 1 | ≥ 1 | `L` | then |\n"
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n\n"+head+kept+"| Of old | 2 |  | `O` | then |\n\nafter | here\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	made := row{first, "3", "≥ 1", "F", "now"}
	if err := rewrite(page, []row{made}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("before\n\n"+head+made.String()+"\n"+kept+"\nafter | here\n", string(text)); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(page, []byte("no table\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rewrite(page, []row{made}); err == nil {
		t.Error("a page without the table was written")
	}
}

// Every command names a benchmark and units that its package has, and every row of the page is one that the command writes.
func TestFigures(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	names, commands := map[string]bool{}, map[string]bool{}
	for _, r := range runs {
		files, err := filepath.Glob(filepath.Join(root, r.pkg, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		source := ""
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source += string(text)
		}
		if !strings.Contains(source, "func Benchmark"+r.name+"(b *testing.B)") {
			t.Errorf("%s: there is no Benchmark%s", r, r.name)
		}
		if commands[r.String()] {
			t.Errorf("%s is there twice", r)
		}
		commands[r.String()] = true
		for _, f := range r.figures {
			if !strings.Contains(source, `"`+f.unit+`"`) && f.unit != "ns/op" && f.unit != "MB/s" {
				t.Errorf("%s: %s is not reported", r, f.unit)
			}
			if names[f.what] {
				t.Errorf("%s is there twice", f.what)
			}
			names[f.what] = true
		}
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), head)
	if !found {
		t.Fatal("docs/performance.md has no table")
	}
	rows, _, _ := strings.Cut(table, "\n\n")
	for line := range strings.Lines(rows) {
		if cells := strings.Split(line, "|"); len(cells) != 7 || !names[strings.TrimSpace(cells[1])] || !commands[strings.Trim(cells[4], " `")] {
			t.Errorf("no command writes this row: %s", line)
		}
	}
}
