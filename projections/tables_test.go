package projections_test

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"readiness/projections"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shape is a view's version and the columns, keys and indexes of its tables.
type shape struct{ version, tables string }

func shapes() map[string]shape {
	all := map[string]shape{}
	for _, v := range projections.All() {
		var tables strings.Builder
		for _, t := range v.Tables {
			fmt.Fprintf(&tables, "  %s (%s)\n", t.Name, strings.Join(t.Key, ", "))
			for _, c := range t.Columns {
				fmt.Fprintf(&tables, "    %s %s\n", c.Name, c.Type)
			}
			for _, i := range t.Indexes {
				fmt.Fprintf(&tables, "    index %s\n", i)
			}
		}
		all[v.Name] = shape{fmt.Sprint(v.Version), tables.String()}
	}
	return all
}

// stale says what of the views does not fit the recorded shapes: a changed table needs a new version,
// since a deployment keeps the rows of the version that it has.
func stale(recorded, now map[string]shape) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		was, known := recorded[name]
		switch is := now[name]; {
		case known && was.version == is.version && was.tables != is.tables:
			problems = append(problems, fmt.Sprintf("%s: its tables changed, and its Version is still %s: raise it", name, is.version))
		case was != is:
			problems = append(problems, name+" is not recorded in testdata/tables.golden: run this test with -update")
		}
	}
	return problems
}

const golden = "testdata/tables.golden"

func TestChangedTablesHaveANewVersion(t *testing.T) {
	t.Parallel()
	now := shapes()
	recorded := map[string]shape{}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n\n") {
		head, tables, _ := strings.Cut(part, "\n")
		name, version, _ := strings.Cut(head, " ")
		recorded[name] = shape{version, strings.TrimSuffix(tables, "\n") + "\n"}
	}
	problems := stale(recorded, now)
	if *update && !slices.ContainsFunc(problems, func(p string) bool { return strings.HasSuffix(p, "raise it") }) {
		parts := []string{}
		for _, name := range slices.Sorted(maps.Keys(now)) {
			parts = append(parts, name+" "+now[name].version+"\n"+now[name].tables)
		}
		if err := os.WriteFile(golden, []byte(strings.Join(parts, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, p := range problems {
		t.Error(p)
	}
}

func TestStaleShapes(t *testing.T) {
	t.Parallel()
	recorded := map[string]shape{"pixies": {"1", "a text\n"}}
	for name, row := range map[string]struct {
		now  shape
		want string
	}{
		"equal":                      {shape{"1", "a text\n"}, ""},
		"a column, the same version": {shape{"1", "a text\nb text\n"}, "pixies: its tables changed, and its Version is still 1: raise it"},
		"a column, a new version":    {shape{"2", "a text\nb text\n"}, "pixies is not recorded in testdata/tables.golden: run this test with -update"},
	} {
		if got := strings.Join(stale(recorded, map[string]shape{"pixies": row.now}), "; "); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// The SQL name of a table ends in its view's version: a name of another version, in tests as well,
// would read a table that is no longer there.
func TestTablesAreNamedWithTheirVersion(t *testing.T) {
	t.Parallel()
	versions, names := map[string]int{}, []string{}
	for _, v := range projections.All() {
		for _, table := range v.Tables {
			versions[table.Name] = v.Version
			names = append(names, table.Name)
		}
	}
	versioned := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)_v([0-9]+)`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".txtar") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range versioned.FindAllStringSubmatch(string(text), -1) {
			if want := versions[m[1]]; m[2] != fmt.Sprint(want) {
				t.Errorf("%s names %s, but the version of the view is %d", path, m[0], want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
