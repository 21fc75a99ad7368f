package readiness_test

import (
	"encoding/json"
	"slices"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func markNames(marks []readiness.Mark) []string {
	names := []string{}
	for _, m := range marks {
		names = append(names, m.Name)
	}
	return names
}

// A fingerprint holds the exposed measures and tables with a text, and every object that
// is not dropped.
func TestFingerprintContent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		m                *semanticmodel.Model
		measures, tables []string
		objects          int
	}{
		"empty":                 {model(), []string{}, []string{}, 0},
		"by name":               {model(table("B", described("b"), measure("y", "1")), table("A", described("a"), measure("Z", "1"))), []string{"Z", "y"}, []string{"A", "B"}, 2},
		"without texts":         {model(table("T", described(" "), measure("M", " "), text("C"))), []string{}, []string{}, 2},
		"a comment only":        {model(table("T", measure("M", "// to do"))), []string{}, []string{}, 1},
		"hidden":                {model(table("T", described("d"), hiddenTable, measure("M", "1"))), []string{}, []string{}, 1},
		"hidden by the schema":  {model(table("T", described("d"), measure("M", "1"), measure("N", "2")), schema("T[M] Hidden")), []string{"N"}, []string{"T"}, 2},
		"private":               {model(table("T", described("d"), privateTable, measure("M", "1"))), []string{}, []string{}, 0},
		"auto-date":             {model(table("LocalDateTable_1", described("d"), measure("M", "1"))), []string{}, []string{}, 0},
		"one name in two cases": {model(table("T", measure("net", "1")), table("U", measure("Net", "2"))), []string{"Net"}, []string{}, 2},
		"calculation items":     {model(table("Periods", group("YTD", "PY"), text("Name"))), []string{}, []string{}, 3},
	} {
		f := readiness.FingerprintOf(tt.m)
		if diff := cmp.Diff(tt.measures, markNames(f.Measures)); diff != "" {
			t.Errorf("%s: measures (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.tables, markNames(f.Tables)); diff != "" {
			t.Errorf("%s: tables (-want +got):\n%s", name, diff)
		}
		if len(f.Objects) != tt.objects || !slices.IsSorted(f.Objects) {
			t.Errorf("%s: got %d objects, want %d, sorted", name, len(f.Objects), tt.objects)
		}
	}
}

// Texts are compared without white space, comments and letter case, and names without
// letter case and blanks; everything else makes a difference.
func TestFingerprintsDiffer(t *testing.T) {
	t.Parallel()
	a := model(table("Sales", described("One row for each line."), measure("Net Sales", "SUM(Sales[Net])"), text("Label")))
	for name, tt := range map[string]struct {
		b                              *semanticmodel.Model
		measures, texts, tables, about bool // whether they are equal
		objects                        bool
	}{
		"spelled otherwise": {
			model(table(" SALES ", described("ONE  row for each line. "), measure("net  sales", "sum ( Sales[Net] ) // in euro"), text("LABEL"))),
			true, true, true, true, true,
		},
		"another expression":    {model(table("Sales", described("One row for each line."), measure("Net Sales", "SUM(Sales[Gross])"), text("Label"))), true, false, true, true, false},
		"another description":   {model(table("Sales", described("One row for each order."), measure("Net Sales", "SUM(Sales[Net])"), text("Label"))), true, true, true, false, true},
		"another measure":       {model(table("Sales", described("One row for each line."), measure("Net", "SUM(Sales[Net])"), text("Label"))), false, true, true, true, false},
		"another type":          {model(table("Sales", described("One row for each line."), measure("Net Sales", "SUM(Sales[Net])"), whole("Label"))), true, true, true, true, false},
		"a calculated column":   {model(table("Sales", described("One row for each line."), measure("Net Sales", "SUM(Sales[Net])"), text("Label", formula("1")))), true, true, true, true, false},
		"another table":         {model(table("Orders", described("One row for each line."), measure("Net Sales", "SUM(Sales[Net])"), text("Label"))), true, true, false, true, false},
		"a measure is a column": {model(table("Sales", described("One row for each line."), measure("Label", "SUM(Sales[Net])"), text("Net Sales"))), false, true, true, true, false},
	} {
		f, g := readiness.FingerprintOf(a), readiness.FingerprintOf(tt.b)
		got := []bool{f.Measures[0].Key == g.Measures[0].Key, f.Measures[0].Text == g.Measures[0].Text, f.Tables[0].Key == g.Tables[0].Key, f.Tables[0].Text == g.Tables[0].Text, slices.Equal(f.Objects, g.Objects)}
		if want := []bool{tt.measures, tt.texts, tt.tables, tt.about, tt.objects}; !slices.Equal(got, want) {
			t.Errorf("%s: got equal %v, want %v", name, got, want)
		}
	}
}

// A fingerprint does not depend on the order of the definition, and is read back from
// JSON as it was.
func TestFingerprintIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := wideModel().Draw(t, "model")
		f := readiness.FingerprintOf(m)
		if diff := cmp.Diff(f, readiness.FingerprintOf(shuffledModel(m, rapid.Uint64().Draw(t, "seed")))); diff != "" {
			t.Fatalf("-model +shuffled\n%s", diff)
		}
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var read readiness.Fingerprint
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if read.Objects == nil || !slices.Equal(read.Objects, f.Objects) || !slices.Equal(read.Measures, f.Measures) || !slices.Equal(read.Tables, f.Tables) {
			t.Fatalf("wrote %+v, read %+v", f, read)
		}
	})
	for _, wrong := range []string{`{"objects":"AAAA"}`, `{"objects":"?"}`, `{"measures":[{"key":"x"}]}`} {
		if err := json.Unmarshal([]byte(wrong), new(readiness.Fingerprint)); err == nil {
			t.Errorf("%s is no error", wrong)
		}
	}
}
