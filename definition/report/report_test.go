package report_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/report"
	"readiness/test/samples"
)

func parts(byPath map[string]string) definition.Definition {
	var all []definition.Part
	for path, text := range byPath {
		all = append(all, definition.Part{Path: path, Data: []byte(text)})
	}
	return definition.New(all...)
}

const byPath = `{"version":"4.0","datasetReference":{"byPath":{"path":"../Sales.SemanticModel"}}}`

func TestModel(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("86d4b769-b3d6-39cd-9d26-4cb3b3db57bd")
	for _, c := range []struct {
		name, pbir string
		want       report.Model
	}{
		{"a path", byPath, report.Model{Path: "../Sales.SemanticModel"}},
		{"a path beside a null connection", `{"datasetReference":{"byPath":{"path":"../S.Dataset"},"byConnection":null}}`, report.Model{Path: "../S.Dataset"}},
		{
			"a connection with an id",
			`{"datasetReference":{"byConnection":{"connectionString":"Data Source=powerbi://api.powerbi.com/v1.0/myorg/My Space;initial catalog=Sales;integrated security=ClaimsToken;semanticmodelid=86d4b769-b3d6-39cd-9d26-4cb3b3db57bd"}}}`,
			report.Model{ID: id, Workspace: "My Space", Name: "Sales"},
		},
		{
			"quoted values and letter case",
			`{"datasetReference":{"byConnection":{"connectionString":" DATA SOURCE = \"powerbi://x/v1.0/myorg/A;B\" ; Initial Catalog='It''s; here' ;SemanticModelId= 86D4B769-B3D6-39CD-9D26-4CB3B3DB57BD "}}}`,
			report.Model{ID: id, Workspace: "A;B", Name: "It's; here"},
		},
		{
			"schema 1.0.0 keeps the id as a database",
			`{"datasetReference":{"byPath":null,"byConnection":{"connectionString":"Data Source=powerbi://a/b/W;Initial Catalog=S","pbiModelDatabaseName":"86d4b769-b3d6-39cd-9d26-4cb3b3db57bd"}}}`,
			report.Model{ID: id, Workspace: "W", Name: "S"},
		},
		{"the string's id comes before the database's", `{"datasetReference":{"byConnection":{"pbiModelDatabaseName":"11111111-1111-1111-1111-111111111111","connectionString":"semanticmodelid=86d4b769-b3d6-39cd-9d26-4cb3b3db57bd"}}}`, report.Model{ID: id}},
		{"all null", `{"datasetReference":{"byPath":null,"byConnection":{"connectionString":null,"pbiModelDatabaseName":null}}}`, report.Model{}},
		{"an id that is none", `{"datasetReference":{"byConnection":{"connectionString":"semanticmodelid=xyz"}}}`, report.Model{}},
		{"an open quote", `{"datasetReference":{"byConnection":{"connectionString":"initial catalog=\"Sales"}}}`, report.Model{Name: "Sales"}},
		{"no pair", `{"datasetReference":{"byConnection":{"connectionString":";;;"}}}`, report.Model{}},
		{"other kinds", `{"datasetReference":{"byPath":"../x","byConnection":[1]}}`, report.Model{}},
		{"names in another letter case are others", `{"DatasetReference":{"byPath":{"path":"../x"}}}`, report.Model{}},
	} {
		got, err := report.ReadModel([]byte(c.pbir))
		if err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestPBIR(t *testing.T) {
	t.Parallel()
	column := func(table, name string) string {
		return `{"Column":{"Expression":{"SourceRef":{"Entity":"` + table + `"}},"Property":"` + name + `"}}`
	}
	got, err := report.Read(parts(map[string]string{
		"definition.pbir":                               byPath,
		"report.json":                                   `not read when definition/ is there`,
		"definition/version.json":                       `{}`,
		"definition/report.json":                        `{"filterConfig":{"filters":[{"field":` + column("Date", "Year") + `}]}}`,
		"definition/reportExtensions.json":              `{"entities":[{"measures":[{"name":"Margin","expression":"[Sales] - [Cost]"}],"name":"Facts"},{"name":"Empty"}]}`,
		"definition/pages/pages.json":                   `{"pageOrder":["second","gone","first"]}`,
		"definition/pages/first/page.json":              `{"name":"first","displayName":"One","type":"Tooltip","visibility":"HiddenInViewMode","pageBinding":{"type":"Default","parameters":[{"fieldExpr":` + column("Customer", "Segment") + `}]}}`,
		"definition/pages/folder.Page/page.json":        `{"name":"second","displayName":"Two","visibility":0,"pageBinding":{"type":"Drillthrough"}}`,
		"definition/pages/b/page.json":                  `{"displayName":"B","visibility":1,"pageBinding":{"type":"Default"}}`,
		"definition/pages/a/page.json":                  `{"name":5,"displayName":"A"}`,
		"definition/pages/first/visuals/v1/visual.json": `{"name":"bar","visual":{"visualType":"barChart","query":{"queryState":{"Y":{"projections":[{"field":` + column("Sales", "Amount") + `}]}}}},"filterConfig":{"filters":[{"field":` + column("Sales", "Region") + `}]}}`,
		"definition/pages/first/visuals/v2/visual.json": `{"visual":{"visualType":"image"}}`,
		"definition/pages/first/visuals/v3/visual.json": `{"name":"group","visualGroup":{"displayName":"G"}}`,
		"definition/pages/first/visuals/v1/mobile.json": `{`,
		"definition/pages/z/visuals/v1/visual.json":     `{"name":"lost"}`,
		"definition/bookmarks/x.bookmark.json":          `{`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	fields := func(pairs ...string) (f report.References) {
		for i := 0; i < len(pairs); i += 2 {
			f.Fields = append(f.Fields, report.Field{Table: pairs[i], Name: pairs[i+1]})
		}
		return f
	}
	want := report.Report{
		Format: report.PBIR, Model: report.Model{Path: "../Sales.SemanticModel"},
		References: fields("Date", "Year"),
		Measures:   []report.Measure{{Table: "Facts", Name: "Margin", Expression: "[Sales] - [Cost]"}},
		Pages: []report.Page{
			{Path: "definition/pages/folder.Page/page.json", Name: "second", DisplayName: "Two", Type: "Drillthrough"},
			{
				Path: "definition/pages/first/page.json", Name: "first", DisplayName: "One", Type: "Tooltip", Hidden: true,
				References: fields("Customer", "Segment"),
				Visuals: []report.Visual{
					{Path: "definition/pages/first/visuals/v1/visual.json", Name: "bar", Type: "barChart", References: fields("Sales", "Amount", "Sales", "Region")},
					{Path: "definition/pages/first/visuals/v2/visual.json", Name: "v2", Type: "image"},
				},
			},
			{Name: "z", Visuals: []report.Visual{{Path: "definition/pages/z/visuals/v1/visual.json", Name: "lost"}}},
			{Path: "definition/pages/a/page.json", Name: "a", DisplayName: "A"},
			{Path: "definition/pages/b/page.json", Name: "b", DisplayName: "B", Hidden: true},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(fields("Customer", "Segment", "Date", "Year", "Sales", "Amount", "Sales", "Region"), got.All(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("All (-want +got)\n%s", diff)
	}
}

func TestLegacy(t *testing.T) {
	t.Parallel()
	got, err := report.Read(parts(map[string]string{
		"definition.pbir": byPath,
		"report.json": `{
  "config": "{\"version\":\"5.1\",\"modelExtensions\":[{\"name\":\"extension\",\"entities\":[{\"name\":\"Sales\",\"extends\":\"Sales\",\"measures\":[{\"name\":\"Net\",\"dataType\":3,\"expression\":\"[Total] - 1\"}]}]},5]}",
  "filters": "[{\"expression\":{\"Column\":{\"Expression\":{\"SourceRef\":{\"Entity\":\"Date\"}},\"Property\":\"Year\"}}}]",
  "sections": [
    {"name":"ReportSection","displayName":"One","config":"{}","filters":"[]","visualContainers":[
      {"config":"{\"name\":\"v1\",\"singleVisual\":{\"visualType\":\"card\",\"prototypeQuery\":{\"Version\":2,\"Select\":[{\"Measure\":{\"Expression\":{\"SourceRef\":{\"Source\":\"s\"}},\"Property\":\"Total\"}}],\"From\":[{\"Name\":\"s\",\"Entity\":\"Sales\",\"Type\":0}]}}}",
       "filters":"[{\"expression\":{\"Column\":{\"Expression\":{\"SourceRef\":{\"Entity\":\"Sales\"}},\"Property\":\"Region\"}}}]"},
      {"config":"{\"name\":\"g\",\"singleVisualGroup\":{}}"}
    ]},
    {"name":"tip","displayName":"Two","config":"{\"visibility\":1,\"type\":1}"}
  ]
}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := report.Report{
		Format: report.Legacy, Model: report.Model{Path: "../Sales.SemanticModel"}, Measures: []report.Measure{{Table: "Sales", Name: "Net", Expression: "[Total] - 1"}},
		References: report.References{Fields: []report.Field{{Table: "Date", Name: "Year"}}},
		Pages: []report.Page{
			{Name: "ReportSection", DisplayName: "One", Visuals: []report.Visual{{Name: "v1", Type: "card", References: report.References{
				Fields: []report.Field{{Table: "Sales", Name: "Region"}, {Table: "Sales", Name: "Total"}},
			}}}},
			{Name: "tip", DisplayName: "Two", Type: "Tooltip", Hidden: true},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Only the measures of a legacy report's config are read; the report is readable
// whatever else the config contains.
func TestLegacyConfig(t *testing.T) {
	t.Parallel()
	for _, config := range []string{`null`, `5`, `{}`, `""`, `"{"`, `"[]"`, `"{\"modelExtensions\":{}}"`, `"{\"modelExtensions\":[{\"entities\":[5,{\"measures\":5}]}]}"`} {
		got, err := report.Read(parts(map[string]string{"definition.pbir": byPath, "report.json": `{"config":` + config + `,"sections":[{"name":"p"}]}`}))
		if err != nil || len(got.Measures) != 0 || len(got.Pages) != 1 {
			t.Errorf("%s: got %+v, %v", config, got, err)
		}
	}
}

func TestFormatsWithoutPages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parts map[string]string
		want  report.Format
	}{
		"paginated": {map[string]string{"Invoice.rdl": "<Report/>"}, report.Paginated},
		"empty":     {map[string]string{"definition.pbir": byPath}, report.Empty},
	} {
		got, err := report.Read(parts(c.parts))
		if err != nil || got.Format != c.want || len(got.Pages) != 0 {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		parts map[string]string
		want  string
	}{
		{"no definition.pbir", map[string]string{"report.json": "{}"}, "definition.pbir: the part is missing"},
		{"a broken definition.pbir", map[string]string{"definition.pbir": "{\n\"version\" 4}"}, "definition.pbir:2:11: not valid JSON"},
		{"a broken report.json", map[string]string{"definition.pbir": byPath, "definition/report.json": "{]"}, "definition/report.json:1:2: "},
		{"a broken page", map[string]string{"definition.pbir": byPath, "definition/pages/p/page.json": "\n\n"}, "definition/pages/p/page.json:"},
		{"a broken visual", map[string]string{"definition.pbir": byPath, "definition/pages/p/visuals/v/visual.json": "nul"}, "definition/pages/p/visuals/v/visual.json:1:"},
		{"a broken order", map[string]string{"definition.pbir": byPath, "definition/pages/pages.json": "<x/>"}, "definition/pages/pages.json:1:1: "},
		{"broken extensions", map[string]string{"definition.pbir": byPath, "definition/reportExtensions.json": ""}, "definition/reportExtensions.json:1:1: "},
		{"a broken legacy report", map[string]string{"definition.pbir": byPath, "report.json": "[1"}, "report.json:1:"},
		{"broken legacy filters", map[string]string{"definition.pbir": byPath, "report.json": "{\n\"filters\":\"[\"}"}, "report.json:2:1: the report's filters hold no JSON"},
		{"a broken legacy page", map[string]string{"definition.pbir": byPath, "report.json": `{"sections":[{},{"config":"x"}]}`}, "report.json:1:1: the config of page 2 hold no JSON"},
		{"a broken legacy visual", map[string]string{"definition.pbir": byPath, "report.json": "{\"sections\":[{\n\"visualContainers\":[{},\n{\"query\":\"x\"}]}]}"}, "report.json:3:1: the query of visual 2 of page 1 hold no JSON"},
	} {
		got, err := report.Read(parts(c.parts))
		if _, ok := errors.AsType[*jsonpart.Error](err); !ok || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %s…", c.name, err, c.want)
		}
		if diff := cmp.Diff(report.Report{}, got); diff != "" {
			t.Errorf("%s: a report was returned: %s", c.name, diff)
		}
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	sales := []report.Field{{Table: "Sales", Name: "Amount"}}
	for _, c := range []struct {
		name, text string
		want       report.References
	}{
		{"a column", `{"Column":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Amount"}}`, report.References{Fields: sales}},
		{"a measure", `[[{"x":{"Measure":{"Property":"Amount","Expression":{"SourceRef":{"Schema":"extension","Entity":"Sales"}}}}}]]`, report.References{Fields: sales}},
		{"inside an aggregation, twice", `[{"Aggregation":{"Expression":{"Column":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Amount"}},"Function":0}},{"Column":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Amount"}}]`, report.References{Fields: sales}},
		{"an alias before its From", `{"Where":[{"Column":{"Expression":{"SourceRef":{"Source":"s"}},"Property":"Amount"}}],"From":[{"Name":"s","Entity":"Sales","Type":0}]}`, report.References{Fields: sales}},
		{"the nearest From", `{"From":[{"Name":"s","Entity":"Other"}],"x":{"From":[{"Name":"s","Entity":"Sales"}],"Select":[{"Column":{"Expression":{"SourceRef":{"Source":"s"}},"Property":"Amount"}}]}}`, report.References{Fields: sales}},
		{"a From further out", `{"From":[{"Name":"s","Entity":"Sales"}],"x":{"From":[{"Name":"t","Entity":"Other"}],"Select":[{"Column":{"Expression":{"SourceRef":{"Source":"s"}},"Property":"Amount"}}]}}`, report.References{Fields: sales}},
		{"an alias of a From elsewhere", `[{"From":[{"Name":"s","Entity":"Sales"}]},{"Column":{"Expression":{"SourceRef":{"Source":"s"}},"Property":"Amount"}}]`, report.References{}},
		{"the query of a subquery", `{"From":[{"Name":"q","Expression":{"Subquery":{"Query":{"From":[{"Name":"s","Entity":"Sales"}],"Select":[{"Column":{"Expression":{"SourceRef":{"Source":"s"}},"Property":"Amount"}}]}}},"Type":2}],"Where":[{"Column":{"Expression":{"SourceRef":{"Source":"q"}},"Property":"x"}}]}`, report.References{Fields: sales}},
		{"a level is no field", `{"HierarchyLevel":{"Expression":{"Hierarchy":{"Expression":{"SourceRef":{"Entity":"Date"}},"Hierarchy":"Calendar"}},"Level":"Year"}}`, report.References{Levels: []report.Level{{Table: "Date", Hierarchy: "Calendar", Level: "Year"}}}},
		{
			"a level of a variation",
			`{"HierarchyLevel":{"Level":"Month","Expression":{"Hierarchy":{"Hierarchy":"Date Hierarchy","Expression":{"PropertyVariationSource":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Name":"Variation","Property":"Order Date"}}}}}}`,
			report.References{Variations: []report.Field{{Table: "Sales", Name: "Order Date"}}},
		},
		{"no property", `{"Column":{"Expression":{"SourceRef":{"Entity":"Sales"}}}}`, report.References{}},
		{"no source", `{"Column":{"Property":"Amount"}}`, report.References{}},
		{"other kinds", `{"Column":"x","Measure":[1],"From":{"a":1},"SourceRef":5,"Hierarchy":1,"HierarchyLevel":{},"Expression":null}`, report.References{}},
		{"other kinds within", `{"From":[1,{"Name":2,"Entity":3}],"Column":{"Property":1,"Expression":{"SourceRef":{"Entity":1,"Source":2}}}}`, report.References{}},
		{"sorted", `[{"Column":{"Expression":{"SourceRef":{"Entity":"b"}},"Property":"x"}},{"Column":{"Expression":{"SourceRef":{"Entity":"a"}},"Property":"z"}},{"Column":{"Expression":{"SourceRef":{"Entity":"a"}},"Property":"y"}}]`, report.References{Fields: []report.Field{{Table: "a", Name: "y"}, {Table: "a", Name: "z"}, {Table: "b", Name: "x"}}}},
	} {
		got, err := report.ReadReferences("p", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
	deep := func(n int) string {
		return strings.Repeat("[", n) + `{"Column":{"Expression":{"SourceRef":{"Entity":"Sales"}},"Property":"Amount"}}` + strings.Repeat("]", n)
	}
	for n, want := range map[int]int{400: 1, 600: 0, 9_000: 0} {
		got, err := report.ReadReferences("p", []byte(deep(n)))
		if err != nil || len(got.Fields) != want {
			t.Errorf("%d levels: got %v, %v", n, got, err)
		}
	}
}

// Every report of the corpus can be read, and every report with pages names fields.
func TestCorpus(t *testing.T) {
	t.Parallel()
	root, _ := samples.Corpus(t)
	reports, visuals, fields := 0, 0, 0
	err := filepath.WalkDir(root, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.Name() != "definition.pbir" {
			return err
		}
		folder := filepath.Dir(name)
		var all []definition.Part
		err = filepath.WalkDir(folder, func(name string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			path, err := filepath.Rel(folder, name)
			all = append(all, definition.Part{Path: filepath.ToSlash(path), Data: data})
			return err
		})
		if err != nil {
			return err
		}
		got, err := report.Read(definition.New(all...))
		if err != nil {
			t.Errorf("%s: %v", folder, err)
			return nil
		}
		reports++
		fields += len(got.All().Fields)
		for _, p := range got.Pages {
			visuals += len(p.Visuals)
			if p.Name == "" {
				t.Errorf("%s: a page without a name", folder)
			}
			for _, v := range p.Visuals {
				if v.Name == "" || v.Type == "" {
					t.Errorf("%s: page %s has a visual without name or type: %+v", folder, p.Name, v)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d reports, %d visuals, %d fields", reports, visuals, fields)
	if reports < 10 || visuals < 50 || fields < 70 {
		t.Errorf("got %d reports, %d visuals, %d fields; %s has more", reports, visuals, fields, root)
	}
}
