package semanticmodel_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/definition/tmdl"
	"readiness/test/samples"
)

// tmdlParts returns files of TMDL from alternating paths and texts.
func tmdlParts(pathsAndTexts ...string) []definition.Part {
	var parts []definition.Part
	for i := 0; i < len(pathsAndTexts); i += 2 {
		parts = append(parts, definition.Part{Path: pathsAndTexts[i], Data: []byte(pathsAndTexts[i+1])})
	}
	return parts
}

func fromTMDL(t testing.TB, parts []definition.Part) *semanticmodel.Model {
	t.Helper()
	m, err := semanticmodel.FromTMDL(parts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const sales = `/// One row per order line
table Sales
	isHidden
	isPrivate: false
	dataCategory: Time

	/// Sum of
	/// amounts
	measure 'Net Sales' =
			SUM (
			    Sales[Amount]
			)
		formatString: #,0
		isHidden
		displayFolder: "Base "
		dataCategory: WebUrl

		formatStringDefinition = "0"

		annotation M = 1

	measure Nothing

	/// When
	column 'Order Date'
		dataType: DateTime
		isKey: TRUE
		summarizeBy: None
		isDefaultLabel
		sourceColumn: "Order Date "
		sortByColumn: 'Order''s Key'
		dataCategory: PaddedDateTableDates
		formatString: "$"#,0
		displayFolder: A\B

		annotation SummarizationSetBy = User
		annotation Other = {"a": 1}

		extendedProperty P =
				{
				  "v": 1
				}

	column Amount = Sales[Quantity] * 2
		isHidden: false

	column RowNumber-2662979B-1795-4F74-8F37-6A1BA8059B61
		isHidden

	column Number
		type: RowNumber

	/// Drill
	hierarchy Calendar
		isHidden

		level Year
			lineageTag: y
			ordinal: 0
			column: 'Calendar Year'

		level Month
			column: Month

	partition Sales = m
		mode: directQuery
		source =
				let x = 1
				in x

	partition Lake = Entity
		mode: directLake
		source
			entityName: sales

	partition Old = query
		source
			query = SELECT 1

	changedProperty = IsHidden
	changedProperty = Name

	annotation PBI_Id = 1
`

func TestFromTMDL(t *testing.T) {
	t.Parallel()
	const file = "definition/tables/Sales.tmdl"
	got := fromTMDL(t, tmdlParts(file, sales))
	at := func(line int) semanticmodel.Source { return semanticmodel.Source{File: file, Line: line} }
	want := &semanticmodel.Model{Tables: []semanticmodel.Table{{
		Name: "Sales", Description: "One row per order line", DataCategory: "Time", IsHidden: true,
		Annotations: map[string]string{"PBI_Id": "1"}, Source: at(2),
		Measures: []semanticmodel.Measure{
			{
				Name: "Net Sales", Description: "Sum of\namounts", Expression: "SUM (\n    Sales[Amount]\n)", FormatString: "#,0", FormatStringDefinition: `"0"`,
				DisplayFolder: "Base ", DataCategory: "WebUrl", IsHidden: true, Annotations: map[string]string{"M": "1"}, Source: at(9),
			},
			{Name: "Nothing", Source: at(22)},
		},
		Columns: []semanticmodel.Column{
			{
				Name: "Order Date", Description: "When", DataType: semanticmodel.DateTime, SummarizeBy: "none", IsKey: true, IsDefaultLabel: true,
				SortByColumn: "Order's Key", DataCategory: "PaddedDateTableDates", FormatString: `"$"#,0`, DisplayFolder: `A\B`, SourceColumn: "Order Date ",
				Annotations:        map[string]string{"SummarizationSetBy": "User", "Other": `{"a": 1}`},
				ExtendedProperties: map[string]string{"P": "{\n  \"v\": 1\n}"}, Source: at(25),
			},
			{Name: "Amount", Expression: "Sales[Quantity] * 2", Source: at(44)},
			{Name: "RowNumber-2662979B-1795-4F74-8F37-6A1BA8059B61", IsHidden: true, IsRowNumber: true, Source: at(47)},
			{Name: "Number", IsRowNumber: true, Source: at(50)},
		},
		Hierarchies: []semanticmodel.Hierarchy{{
			Name: "Calendar", Description: "Drill", IsHidden: true, Source: at(54),
			Levels: []semanticmodel.Level{{Name: "Year", Column: "Calendar Year", LineageTag: "y"}, {Name: "Month", Column: "Month"}},
		}},
		Partitions: []semanticmodel.Partition{
			{Name: "Sales", SourceType: "m", Mode: "directQuery", Expression: "let x = 1\nin x"},
			{Name: "Lake", SourceType: "entity", Mode: "directLake"},
			{Name: "Old", SourceType: "query", Expression: "SELECT 1"},
		},
	}}}
	got.Notices = nil // of names that the files do not have
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("model (-want +got):\n%s", diff)
	}
}

func TestFromTMDLOtherObjects(t *testing.T) {
	t.Parallel()
	got := fromTMDL(t, tmdlParts(
		"definition/a.tmdl", "table 'Time Intelligence'\n\tcalculationGroup\n\t\tprecedence: 10\n\n\t\t/// Now\n\t\tcalculationItem Current = SELECTEDMEASURE()\n\n\t\tcalculationItem PY =\n\t\t\t\tx\n\t\t\tordinal: 1\n",
		"definition/b.tmdl", "relationship r1\n\tfromColumn: 'Unit Sales'.'It''s'\n\ttoColumn: Date.Date\nrelationship 'r 2'\n\tisActive: False\n\tcrossFilteringBehavior: BothDirections\n\tfromCardinality: One\n\ttoCardinality: many\n\tfromColumn: A.B\n\ttoColumn: C.D\nrelationship r3\n",
		"definition/c.tmdl", "expression E = 1\nfunction 'F.g' = () => 1\nrole R\n\tmodelPermission: read\nperspective P\n\tperspectiveTable T\n",
		"definition/d.tmdl", "culture de-DE\n\tlinguisticMetadata = {\"CustomInstructions\": \"Sei kurz\"}\n\t\tcontentType: json\n\ttranslations\n\t\tmodel Model\n\t\t\ttable T\n\t\t\t\tmeasure M\n\t\t\t\t\tcaption: m\ncultureInfo fr-FR\n",
		"definition/m.tmdl", "database\n\tannotation A = 1\nmodel Model\n\tculture: de-DE\n\tannotation A = 2\n\tannotation a = 3\n",
		"definition/nothing.tmdl", "",
		"definition.pbism", "{",
		"TMDLScripts/s.tmdl", "createOrReplace\n",
		"DAXQueries/q.dax", "EVALUATE",
		"x/definition/other.tmdl", "(",
	))
	instructions := "Sei kurz"
	source := func(file string, line int) semanticmodel.Source {
		return semanticmodel.Source{File: "definition/" + file + ".tmdl", Line: line}
	}
	want := &semanticmodel.Model{
		Culture:     "de-DE",
		Annotations: map[string]string{"A": "2"},
		Tables: []semanticmodel.Table{{Name: "Time Intelligence", Source: source("a", 1), CalculationGroup: &semanticmodel.CalculationGroup{
			Precedence: 10, Items: []semanticmodel.CalculationItem{
				{Name: "Current", Description: "Now", Expression: "SELECTEDMEASURE()", Source: source("a", 6)},
				{Name: "PY", Expression: "x", Ordinal: 1, Source: source("a", 8)},
			},
		}}},
		Relationships: []semanticmodel.Relationship{
			{
				Name: "r1", FromTable: "Unit Sales", FromColumn: "It's", ToTable: "Date", ToColumn: "Date", FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One,
				CrossFilteringBehavior: "oneDirection", IsActive: true, Source: source("b", 1),
			},
			{
				Name: "r 2", FromTable: "A", FromColumn: "B", ToTable: "C", ToColumn: "D", FromCardinality: semanticmodel.One, ToCardinality: semanticmodel.Many,
				CrossFilteringBehavior: "bothDirections", Source: source("b", 4),
			},
			{Name: "r3", FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One, CrossFilteringBehavior: "oneDirection", IsActive: true, Source: source("b", 11)},
		},
		Cultures:     []semanticmodel.Culture{{Name: "de-DE", CustomInstructions: &instructions, Captions: []semanticmodel.Caption{{Table: "T", Name: "M", Text: "m"}}}, {Name: "fr-FR"}},
		Roles:        []string{"R"},
		Perspectives: []string{"P"},
		Expressions:  []string{"E"},
		Functions:    []semanticmodel.Function{{Name: "F.g", Expression: "() => 1"}},
	}
	got.Notices = nil // of names that the files do not have
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("model (-want +got):\n%s", diff)
	}
}

// The order is that of the ref lines, then that of the files.
func TestFromTMDLOrder(t *testing.T) {
	t.Parallel()
	got := fromTMDL(t, tmdlParts(
		"definition/a.tmdl", "table A\ntable B\nrole A\nrole B\nculture A\nculture B\nperspective A\nperspective B\n",
		"definition/model.tmdl", "model Model\n\tref table c\n\nref table Missing\nref table B\nref table c\nref role b\nref culture B\nref perspective B\n",
		"definition/z.tmdl", "table D\ntable C\n",
	))
	var tables, cultures []string
	for _, table := range got.Tables {
		tables = append(tables, table.Name)
	}
	for _, culture := range got.Cultures {
		cultures = append(cultures, culture.Name)
	}
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"tables", tables, []string{"C", "B", "A", "D"}},
		{"cultures", cultures, []string{"B", "A"}},
		{"roles", got.Roles, []string{"B", "A"}},
		{"perspectives", got.Perspectives, []string{"B", "A"}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

var declarations = regexp.MustCompile(`(?m)^\t(?:///.*\n\t)*(?:measure|column|hierarchy|partition|changedProperty|annotation) `)

// A table reads the same however it is split over declarations and files.
func TestFromTMDLPartialDeclarations(t *testing.T) {
	t.Parallel()
	places := func(m *semanticmodel.Model) *semanticmodel.Model {
		m.Notices = nil
		for i := range m.Tables {
			m.Tables[i].Source = semanticmodel.Source{}
			for j := range m.Tables[i].Columns {
				m.Tables[i].Columns[j].Source = semanticmodel.Source{}
			}
			for j := range m.Tables[i].Measures {
				m.Tables[i].Measures[j].Source = semanticmodel.Source{}
			}
			for j := range m.Tables[i].Hierarchies {
				m.Tables[i].Hierarchies[j].Source = semanticmodel.Source{}
			}
		}
		return m
	}
	want := places(fromTMDL(t, tmdlParts("definition/tables/Sales.tmdl", sales)))
	starts := declarations.FindAllStringIndex(sales, -1)
	rapid.Check(t, func(t *rapid.T) {
		text, file := sales, 0
		var parts []definition.Part
		for i := len(starts) - 1; i >= 0; i-- { // from the end, so that the starts stay right
			switch at := starts[i][0]; rapid.IntRange(0, 3).Draw(t, "split") {
			case 0:
				text = text[:at] + "table SALES\n" + text[at:]
			case 1:
				text = text[:at] + "ref table Sales\n" + text[at:]
			case 2:
				parts = append(tmdlParts(fmt.Sprintf("definition/%02d.tmdl", 50-file), "table sales\n"+text[at:]), parts...)
				text = text[:at]
				file++
			}
		}
		parts = append(tmdlParts("definition/00.tmdl", text), parts...)
		got, err := semanticmodel.FromTMDL(parts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, places(got)); diff != "" {
			t.Fatalf("model (-complete +split):\n%s", diff)
		}
	})
}

func TestFromTMDLRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second string // of definition/a.tmdl, definition/b.tmdl
		place         string // of the error
		message       string // part of it
	}{
		"syntax":                           {"table A\n", "table B\n\tlet\n", "b:2:2", `"let"`},
		"script":                           {"table A\n", "createOrReplace\n", "b:1:1", "script"},
		"measure twice":                    {"table A\n\tmeasure M = 1\n", "table a\n\tcolumn C\n\tmeasure m = 2\n", "b:3:2", "measure 'M' is declared twice, the first time in definition/a.tmdl:2"},
		"measure twice in a file":          {"table A\n\tmeasure M = 1\n\tmeasure M = 1\n", "", "a:3:2", "the first time in definition/a.tmdl:2"},
		"column twice":                     {"table A\n\tcolumn M\n", "table A\n\tcolumn M\n", "b:2:2", "column 'M' is declared twice"},
		"hierarchy twice":                  {"table A\n\thierarchy M\n", "table A\n\thierarchy M\n", "b:2:2", "hierarchy 'M' is declared twice"},
		"partition twice":                  {"table A\n\tpartition M = m\n", "table A\n\tpartition M = m\n", "b:2:2", "partition 'M' is declared twice"},
		"annotation twice":                 {"table A\n\tannotation M = m\n", "table A\n\tannotation M = m\n", "b:2:2", "annotation 'M' is declared twice"},
		"calculation item twice":           {"table A\n\tcalculationGroup\n\t\tcalculationItem I = 1\n", "table A\n\tcalculationGroup\n\t\tcalculationItem I = 1\n", "b:3:3", "calculationItem 'I' is declared twice"},
		"level twice":                      {"table A\n\thierarchy H\n\t\tlevel L\n\t\tlevel L\n", "", "a:4:3", "level 'L' is declared twice"},
		"relationship twice":               {"relationship R\n", "relationship R\n", "b:1:1", "relationship 'R' is declared twice"},
		"expression twice":                 {"expression R = 1\n", "model Model\n\texpression R = 1\n", "b:2:2", "expression 'R' is declared twice"},
		"property of a table twice":        {"table A\n\tisHidden\n", "table A\n\n\tISHIDDEN: false\n", "b:3:2", "table 'A' has the property ISHIDDEN twice, the first time in definition/a.tmdl:2"},
		"property of the model twice":      {"model Model\n\tculture: a\n", "model Model\n\tculture: a\n", "b:2:2", "definition/a.tmdl:2"},
		"property of a model by two names": {"model A\n\tculture: a\n", "model B\n\tculture: a\n", "b:2:2", "definition/a.tmdl:2"},
		"description twice":                {"/// a\ntable A\n", "/// a\ntable A\n", "b:2:1", "described twice, the first time in definition/a.tmdl:2"},
		"linguistic metadata twice":        {"culture A\n\tlinguisticMetadata = {}\n", "culture A\n\tlinguisticMetadata = {}\n", "b:2:2", "given a value twice, the first time in definition/a.tmdl:2"},
		"flag that is none":                {"table A\n\tisHidden: yes\n", "", "a:2:2", "must be true or false"},
		"number that is none":              {"table A\n\tcalculationGroup\n\t\tprecedence: high\n", "", "a:3:3", "must be an integer"},
		"relationship to a table":          {"relationship R\n\tfromColumn: Sales\n", "", "a:2:2", "refers to no column of a table"},
		"relationship in the form of DAX":  {"relationship R\n\n\tfromColumn: A.B\n\ttoColumn: Calendar[Date]\n", "", "a:4:2", "refers to no column of a table"},
		"relationship without an end":      {"relationship R\n\tfromColumn: 'A.B\n", "", "a:2:2", "cannot be read"},
		"column to sort by":                {"table A\n\tcolumn C\n\t\tsortByColumn: 'A\n", "", "a:3:3", "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := semanticmodel.FromTMDL(tmdlParts("definition/a.tmdl", c.first, "definition/b.tmdl", c.second))
			syntax, ok := errors.AsType[*tmdl.SyntaxError](err)
			if !ok {
				t.Fatalf("got %v, want an error with its place", err)
			}
			if m != nil {
				t.Error("got a model with the error")
			}
			file, place, _ := strings.Cut(c.place, ":")
			if want := "definition/" + file + ".tmdl:" + place + ": "; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %q, want it to begin %q", err, want)
			}
			if !strings.Contains(syntax.Message, c.message) {
				t.Errorf("got %q, want it to say %q", syntax.Message, c.message)
			}
		})
	}
	if _, err := semanticmodel.FromTMDL(tmdlParts("TMDLScripts/a.tmdl", "createOrReplace\n")); err == nil {
		t.Error("a definition without TMDL: got no error")
	}
}

// Every model of the corpus can be read, with as many objects as its files have
// declaring lines. The fixtures of a parser that Power BI does not read completely,
// and the sample with a syntax error, are refused with their line.
func TestFromTMDLCorpus(t *testing.T) {
	t.Parallel()
	root, _ := samples.Corpus(t)
	models := map[string][]definition.Part{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		folder, file, ok := strings.Cut(path, "/definition/")
		if err != nil || !ok || !strings.HasSuffix(path, ".tmdl") {
			return err
		}
		src, err := os.ReadFile(path)
		models[folder] = append(models[folder], definition.Part{Path: "definition/" + file, Data: src})
		return err
	})
	if err != nil || len(models) == 0 {
		t.Fatal(len(models), err)
	}
	for folder, parts := range models {
		m, err := semanticmodel.FromTMDL(parts)
		if strings.Contains(folder, "pbip-tools/fixtures/") || strings.Contains(folder, "/Budget 2024.") {
			if syntax, ok := errors.AsType[*tmdl.SyntaxError](err); !ok || syntax.Line < 2 {
				t.Errorf("%s: got %v, want a refusal that names its line", folder, err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		declared := func(pattern string) (n int) {
			for _, part := range parts {
				n += len(regexp.MustCompile("(?m)^"+pattern).FindAll(part.Data, -1))
			}
			return n
		}
		columns, measures, partitions, described := 0, 0, 0, 0
		for _, table := range m.Tables {
			columns += len(table.Columns)
			measures += len(table.Measures)
			partitions += len(table.Partitions)
			for _, measure := range table.Measures {
				if measure.Description != "" {
					described++
				}
				if measure.Expression == "" {
					t.Errorf("%s:%d: the measure has no expression", measure.Source.File, measure.Source.Line)
				}
			}
		}
		for _, c := range []struct {
			what      string
			got, want int
		}{
			{"tables", len(m.Tables), declared("table ")},
			{"relationships", len(m.Relationships), declared("relationship ")},
			{"cultures", len(m.Cultures), declared("culture")},
			{"columns", columns, declared("\tcolumn ")},
			{"measures", measures, declared("\tmeasure ")},
			{"partitions", partitions, declared("\tpartition ")},
			{"described measures", described, declared("\t///.*\n\tmeasure ")},
		} {
			if c.got != c.want {
				t.Errorf("%s: got %d %s, want %d", folder, c.got, c.what, c.want)
			}
		}
	}
}

func TestOpenDataType(t *testing.T) {
	t.Parallel()
	m, err := semanticmodel.FromTMDL(tmdlParts("definition/a.tmdl", "table T\n\tcolumn A\n\t\tdataType: unknown\n\tcolumn B\n\t\tdataType: Automatic\n\tcolumn C\n\t\tdataType: INT64\n\tcolumn D\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []semanticmodel.DataType{"", "", semanticmodel.Int64, ""} {
		if c := m.Tables[0].Columns[i]; c.DataType != want {
			t.Errorf("%s: got data type %q, want %q", c.Name, c.DataType, want)
		}
	}
}
