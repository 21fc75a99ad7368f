package mention_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/mention"
	"readiness/definition/semanticmodel"
	"readiness/definition/tmdl"
)

func model(parts map[string]string) definition.Definition {
	all := []definition.Part{{Path: "definition/model.tmdl", Data: []byte("model Model\n")}}
	for path, text := range parts {
		all = append(all, definition.Part{Path: path, Data: []byte(text)})
	}
	return definition.New(all...)
}

func index(t *testing.T, d definition.Definition) *mention.Index {
	t.Helper()
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	return mention.Of(d, m)
}

const table = `table Sales
	measure Total = SUM ( Sales[Amount] ) // [Total] and Sales[Amount] in a comment
		kpi
			statusExpression = IF ( [Total] > 1, 1, 0 )
		formatStringDefinition = IF ( [Total] > 9, "#", "[Total]" )
	measure 'Total %' =
			VAR x = 'Sales'[Total]
			RETURN DIVIDE ( x, [total] )
	column Amount
		sourceColumn: Amount
		sortByColumn: Rank
	column Rank
		sourceColumn: Rank
	hierarchy H
		level Amount
			column: Amount
	partition Sales = m
		source = let Total = 1, y = x[Amount] in y
`

func TestRename(t *testing.T) {
	t.Parallel()
	others := map[string]string{
		"definition/tables/Other.tmdl":   "table 'Other T'\n\tcolumn Amount\n\t\tsourceColumn: Amount\n\tcolumn Key\n\tpartition P = calculated\n\t\tsource = SELECTCOLUMNS ( Sales, \"Key\", Sales[Rank] )\n",
		"definition/relationships.tmdl":  "relationship r\n\tfromColumn: Sales.Rank\n\ttoColumn: 'Other T'.Key\n",
		"definition/roles/r.tmdl":        "role R\n\ttablePermission Sales = Sales[Amount] > [Total]\n\t\tcolumnPermission Amount = none\n",
		"definition/perspectives/p.tmdl": "perspective P\n\tperspectiveTable Sales\n\t\tperspectiveMeasure Total\n\t\tperspectiveColumn Amount\n",
		"definition/cultures/de.tmdl": "cultureInfo de-DE\n\tlinguisticMetadata =\n\t\t\t{\n\t\t\t  \"Entities\": {\"a\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"Sales\", \"ConceptualProperty\": \"Total\"}}}}\n\t\t\t}\n" +
			"\t\tcontentType: json\n\ttranslations\n\t\tmodel Model\n\t\t\ttable Sales\n\t\t\t\tmeasure Total\n\t\t\t\t\tdescription: Summe\n",
		"Copilot/schema.json":                                `{"tables":[{"name":"Sales","measures":[{"name":"Total"}],"columns":[{"name":"Amount"}]},{"name":"Other T","columns":[{"name":"Amount"}]}]}`,
		"Copilot/VerifiedAnswers/definitions/a/filters.json": `{"From":[{"Name":"s","Entity":"Sales"}],"x":{"Measure":{"Expression":{"SourceRef":{"Source":"s"}},"Property":"Total"}}}`,
	}
	all := map[string]string{"definition/tables/Sales.tmdl": table}
	for k, v := range others {
		all[k] = v
	}
	for name, tt := range map[string]struct {
		of      mention.Field
		to      string
		changes []string // the lines that are new
		err     string
	}{
		"a measure": {mention.Field{"Sales", "Total"}, "Net]s", []string{
			"\tmeasure Net]s = SUM ( Sales[Amount] ) // [Total] and Sales[Amount] in a comment",
			"\t\t\tstatusExpression = IF ( [Net]]s] > 1, 1, 0 )", "\t\tformatStringDefinition = IF ( [Net]]s] > 9, \"#\", \"[Total]\" )",
			"\t\t\tVAR x = 'Sales'[Net]]s]", "\t\t\tRETURN DIVIDE ( x, [Net]]s] )", "\ttablePermission Sales = Sales[Amount] > [Net]]s]",
			"\t\tperspectiveMeasure Net]s", `"ConceptualProperty": "Net]s"`, "\t\t\t\tmeasure Net]s",
			`"measures":[{"name":"Net]s"}],"columns":[{"name":"Amount"}]}`, `"Property":"Net]s"`}, ""},
		"a column": {mention.Field{"Sales", "Amount"}, "Gross", []string{
			"\tmeasure Total = SUM ( Sales[Gross] ) // [Total]", "\tcolumn Gross\n\t\tsourceColumn: Amount", "\t\tlevel Amount\n\t\t\tcolumn: Gross",
			"x[Amount] in y", "Sales[Gross] > [Total]", "columnPermission Gross", "perspectiveColumn Gross", `"columns":[{"name":"Gross"}]},{"name":"Other T","columns":[{"name":"Amount"}]`}, ""},
		"a column of relationships": {mention.Field{"Sales", "Rank"}, "It's 1st", []string{
			"fromColumn: Sales.'It''s 1st'", "sortByColumn: 'It''s 1st'", "Sales[It's 1st] )"}, ""},
		"a name that a column has":  {mention.Field{"Sales", "Total"}, "amount", nil, "has a field"},
		"a name of another measure": {mention.Field{"Sales", "Total"}, "TOTAL %", nil, "has a field"},
		"no name":                   {mention.Field{"Sales", "Total"}, "  ", nil, "a name has"},
		"two lines":                 {mention.Field{"Sales", "Total"}, "a\nb", nil, "a name has"},
		"the same":                  {mention.Field{"Sales", "Total"}, "Total", nil, "that is its name"},
		"another case":              {mention.Field{"Sales", "Total"}, "TOTAL", []string{"measure TOTAL ="}, ""},
		"a name that DAX would take for the measure": {mention.Field{"Sales", "Rank"}, "Total", nil, "has a field"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := model(all)
			after, err := index(t, before).Rename(before, tt.of, tt.to)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for _, p := range after.Parts {
				text.Write(p.Data)
			}
			for _, want := range tt.changes {
				if !strings.Contains(text.String(), want) {
					t.Errorf("nowhere is %s in\n%s", want, text.String())
				}
			}
			x := index(t, after)
			if _, ok := x.Field(tt.of.Table, tt.to); !ok {
				t.Error("the model has no such field")
			}
			if got, want := len(x.Of(mention.Field{tt.of.Table, tt.to})), len(index(t, before).Of(tt.of)); got != want {
				t.Errorf("it is named %d times, was %d times", got, want)
			}
		})
	}
}

// What may mean another field is refused, with its place.
func TestWritten(t *testing.T) {
	t.Parallel()
	x := index(t, model(map[string]string{
		"definition/tables/A.tmdl": "table 'O''Neil [x]'\n\tmeasure 'a]b' = 1\n\tcolumn Key\n",
		"definition/tables/B.tmdl": "table B\n\tmeasure Total = 1\n\tcolumn Key\n\tcolumn Only\n",
	}))
	for text, want := range map[string]mention.Field{
		"[total]": {"B", "Total"}, "Total": {"B", "Total"}, "B[Total]": {"B", "Total"}, " 'b' [ONLY] ": {"B", "Only"}, "Only": {"B", "Only"},
		"'O''Neil [x]'[a]]b]": {"O'Neil [x]", "a]b"}, "'O''Neil [x]'[Key]": {"O'Neil [x]", "Key"}, "a]b": {"O'Neil [x]", "a]b"},
		"Key": {}, "[Key]": {}, "C[Total]": {}, "": {}, "[]": {}, "B": {}, "B[": {}, "]": {}, "'[": {}, "'[]": {}, "''[Total]": {"B", "Total"},
	} {
		if got, err := x.Written(text); got != want || (err == nil) != (want != mention.Field{}) {
			t.Errorf("%s is %+v (%v), not %+v", text, got, err, want)
		}
	}
}

func TestUnsafeRename(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ dax, old, to, err string }{
		"a column that the expression makes": {`SUMX ( ADDCOLUMNS ( T, "M", [M] ), [M] )`, "M", "N", "also makes a column"},
		"two columns":                        {"FILTER ( U, [C] > 1 )", "C", "N", "several tables"},
		"taken by a bare name":               {"SUMX ( FILTER ( U, [D] > 1 ), 1 )", "M", "D", "would mean another"},
		"sure":                               {"SUMX ( T, T[C] + [M] )", "M", "N", ""},
	} {
		d := model(map[string]string{"definition/tables/T.tmdl": "table T\n\tmeasure M = 1\n\tmeasure X = " + tt.dax + "\n\tcolumn C\n",
			"definition/tables/U.tmdl": "table U\n\tcolumn C\n\tcolumn D\n"})
		_, err := index(t, d).Rename(d, mention.Field{"T", tt.old}, tt.to)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got %v, want %q", name, err, tt.err)
		}
	}
	d := definition.New(definition.Part{Path: "model.bim", Data: []byte(`{"model":{"tables":[{"name":"T","measures":[{"name":"M","expression":"1"}]}]}}`)})
	if _, err := index(t, d).Rename(d, mention.Field{"T", "M"}, "N"); err == nil {
		t.Error("model.bim is renamed in")
	}
}

func TestRenameInReport(t *testing.T) {
	t.Parallel()
	x := index(t, model(map[string]string{"definition/tables/T.tmdl": "table T\n\tmeasure M = 1\n\tcolumn C\n"}))
	pbir := definition.Part{Path: "definition.pbir", Data: []byte(`{"version":"4.0","datasetReference":{"byPath":{"path":"../x.SemanticModel"}}}`)}
	visual := `{"x":{"Column":{"Expression":{"SourceRef":{"Entity":"%[1]s"}},"Property":"%[2]s"}},"nativeQueryRef":"C"}`
	report := func(entity, name, dax string) definition.Definition {
		return definition.New(pbir, definition.Part{Path: "definition/report.json", Data: []byte("{}")}, definition.Part{Path: "definition/pages/p/page.json", Data: []byte(`{"name":"p"}`)},
			definition.Part{Path: "definition/pages/p/visuals/v/visual.json", Data: fmt.Appendf(nil, visual, entity, name)},
			definition.Part{Path: "definition/reportExtensions.json", Data: fmt.Appendf(nil, `{"entities":[{"name":"T","measures":[{"name":"R","expression":%q}]}]}`, dax)})
	}
	withName := func(d definition.Definition, name string) definition.Definition {
		part, _ := d.Part("definition/reportExtensions.json")
		return d.With(map[string][]byte{"definition/reportExtensions.json": []byte(strings.Replace(string(part), `"R"`, `"`+name+`"`, 1))})
	}
	for name, tt := range map[string]struct {
		of           mention.Field
		before, want definition.Definition
		err          string
	}{
		"a column":             {mention.Field{"T", "C"}, report("T", "C", "SUM ( T[C] )"), report("T", "N 1", "SUM ( T[N 1] )"), ""},
		"of another table":     {mention.Field{"T", "C"}, report("U", "C", "SUM ( U[C] )"), report("U", "C", "SUM ( U[C] )"), ""},
		"a measure":            {mention.Field{"T", "M"}, report("T", "C", "[M] + T[M]"), report("T", "C", "[N 1] + T[N 1]"), ""},
		"unsure":               {mention.Field{"T", "C"}, report("T", "C", "[C]"), report("T", "C", "[C]"), "not sure"},
		"a name of the report": {mention.Field{"T", "M"}, withName(report("T", "C", "1"), "N 1"), definition.Definition{}, "the report has a measure N 1 of its own"},
		"older layout": {mention.Field{"T", "C"}, definition.New(pbir, definition.Part{Path: "report.json", Data: fmt.Appendf(nil, `{"sections":[{"visualContainers":[{"config":"%s"}]}]}`,
			strings.ReplaceAll(`{"singleVisual":{"prototypeQuery":{"From":[{"Name":"t","Entity":"T"}],"Select":[{"Column":{"Expression":{"SourceRef":{"Source":"t"}},"Property":"C"}}]}}}`, `"`, `\"`))}),
			definition.Definition{}, "older layout"},
	} {
		got, err := x.InReport(tt.before, tt.of, "N 1")
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got %v, want %q", name, err, tt.err)
		}
		if err == nil {
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// In every public model and sample, a field that is renamed and renamed back leaves every byte as it was.
func TestRenameAndBack(t *testing.T) {
	t.Parallel()
	roots := []string{"../../samples"}
	if corpus := os.Getenv("READINESS_CORPUS"); corpus != "" {
		roots = append(roots, corpus)
	}
	renamed, refused := 0, map[string]int{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(dir string, e fs.DirEntry, err error) error {
			if err != nil || !e.IsDir() || !strings.HasSuffix(e.Name(), ".SemanticModel") {
				return err
			}
			var parts []definition.Part
			err = filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				data, err := os.ReadFile(file)
				below, _ := filepath.Rel(dir, file)
				parts = append(parts, definition.Part{Path: filepath.ToSlash(below), Data: data})
				return err
			})
			if err != nil {
				return err
			}
			d := definition.New(parts...)
			m, err := semanticmodel.Read(d)
			if err != nil || len(semanticmodel.TMDL(d)) == 0 {
				return nil //nolint:nilerr // others test that it is refused
			}
			x := mention.Of(d, m)
			for n, f := range fields(m) {
				if n%7 != 0 { // some of each
					continue
				}
				name := "ZzNew"
				if tmdl.QuoteName(f.Name) != f.Name {
					name = "Zz New"
				}
				after, err := x.Rename(d, f, name)
				if err != nil {
					refused[err.Error()[max(0, len(err.Error())-40):]]++
					continue
				}
				back, err := index(t, after).Rename(after, mention.Field{Table: f.Table, Name: name}, f.Name)
				if err != nil {
					t.Errorf("%s: %v back: %v", dir, f, err)
				} else if back.Hash() != d.Hash() {
					for n, p := range back.Parts {
						if string(p.Data) != string(d.Parts[n].Data) {
							t.Errorf("%s: %v there and back changes %s:\n%s", dir, f, p.Path, cmp.Diff(string(d.Parts[n].Data), string(p.Data)))
						}
					}
				}
				renamed++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if renamed < 20 {
		t.Errorf("only %d were renamed", renamed)
	}
	t.Logf("%d renamed; refused: %v", renamed, refused)
}

func fields(m *semanticmodel.Model) (all []mention.Field) {
	for _, t := range m.Tables {
		for _, one := range t.Measures {
			all = append(all, mention.Field{Table: t.Name, Name: one.Name})
		}
		for _, one := range t.Columns {
			all = append(all, mention.Field{Table: t.Name, Name: one.Name})
		}
	}
	return all
}
