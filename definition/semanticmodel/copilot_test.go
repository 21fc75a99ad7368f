package semanticmodel_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"readiness/definition/semanticmodel"
)

// copilot reads the parts together with the smallest valid model.
func copilot(t *testing.T, byPath map[string]string) semanticmodel.Copilot {
	t.Helper()
	all := maps.Clone(byPath)
	all["model.bim"] = `{"model":{}}`
	m, err := semanticmodel.Read(parts(all))
	if err != nil {
		t.Fatal(err)
	}
	return m.Copilot
}

func TestInstructions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path, text string
		want             *string
	}{
		{"absent", "Copilot/version.json", "{}", nil},
		{"blank is not absent", "Copilot/Instructions/instructions.md", "", new("")},
		{"whole, as it is", "Copilot/Instructions/instructions.md", " # Sales\r\n\n", new(" # Sales\r\n\n")},
		{"without a byte order mark", "Copilot/Instructions/instructions.md", "\ufeffx", new("x")},
		{"bytes that are not UTF-8", "Copilot/Instructions/instructions.md", "a\xffb", new("a\ufffdb")},
		{"a path in another letter case", "copilot/instructions/Instructions.md", "x", new("x")},
	} {
		got := copilot(t, map[string]string{c.path: c.text}).Instructions
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       *semanticmodel.AISchema
	}{
		{"no JSON", `{"tables":[}`, nil},
		{"empty", ``, nil},
		{"an array", `[]`, nil},
		{"null", `null`, nil},
		{"an object without tables", `{"$schema":"x"}`, &semanticmodel.AISchema{}},
		{"tables null", `{"tables":null}`, &semanticmodel.AISchema{}},
		{"tables of another kind", `{"tables":{"name":"T"}}`, &semanticmodel.AISchema{}},
		{
			"everything",
			`{"tables":[{"id":"1","name":"Sales","visibility":"Visible","columns":[{"id":"2","name":"Amount","visibility":"Hidden","index":"All","synonyms":["revenue"]},{"name":"Auto"}],
			  "measures":[{"name":"Total","visibility":"Auto","synonyms":[]}],"hierarchies":[{"name":"H","visibility":"Visible","levels":[{"name":"L"}]}],"synonyms":["deals","orders"]}]}`,
			&semanticmodel.AISchema{Tables: []semanticmodel.AITable{{
				Name: "Sales", Visibility: "Visible", Synonyms: []string{"deals", "orders"},
				Columns:     []semanticmodel.AIField{{Name: "Amount", Visibility: "Hidden", Synonyms: []string{"revenue"}, Index: "All"}, {Name: "Auto"}},
				Measures:    []semanticmodel.AIField{{Name: "Total", Visibility: "Auto"}},
				Hierarchies: []semanticmodel.AIField{{Name: "H", Visibility: "Visible"}},
			}}},
		},
		{
			"visibility null is absent, every other value is one",
			`{"tables":[{"name":"a","visibility":null},{"name":"b","visibility":"hidden"},{"name":"c","visibility":""},{"name":"d","visibility":5},{"name":"e","visibility":{"a": 1}},{"name":"f","visibility":true}]}`,
			&semanticmodel.AISchema{Tables: []semanticmodel.AITable{{Name: "a"}, {Name: "b", Visibility: "hidden"}, {Name: "c", Visibility: `""`}, {Name: "d", Visibility: "5"}, {Name: "e", Visibility: `{"a": 1}`}, {Name: "f", Visibility: "true"}}},
		},
		{
			"a second entry of a table is kept for the rules to ignore",
			`{"tables":[{"name":"a","visibility":"Visible"},{"name":"A","visibility":"Hidden"}]}`,
			&semanticmodel.AISchema{Tables: []semanticmodel.AITable{{Name: "a", Visibility: "Visible"}, {Name: "A", Visibility: "Hidden"}}},
		},
		{
			"entries that name nothing, and members of other kinds",
			`{"tables":[5,null,{"visibility":"Visible"},{"name":7},{"name":"T","columns":{"a":1},"measures":[1,{"name":"M"},{"visibility":"Hidden"}],"synonyms":["x",1,null]}]}`,
			&semanticmodel.AISchema{Tables: []semanticmodel.AITable{{Name: "T", Measures: []semanticmodel.AIField{{Name: "M"}}, Synonyms: []string{"x"}}}},
		},
		{"members in another letter case", `{"Tables":[{"name":"a"}]}`, &semanticmodel.AISchema{}},
	} {
		got := copilot(t, map[string]string{"Copilot/schema.json": c.text}).Schema
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
	if got := copilot(t, map[string]string{}).Schema; got != nil {
		t.Errorf("without the part: got %+v", got)
	}
}

func TestVerifiedAnswers(t *testing.T) {
	t.Parallel()
	field := func(kind, table, name string) string {
		return `{"` + kind + `":{"Expression":{"SourceRef":{"Entity":"` + table + `"}},"Property":"` + name + `"}}`
	}
	const root = "Copilot/VerifiedAnswers/definitions/"
	for _, c := range []struct {
		name  string
		parts map[string]string
		want  []semanticmodel.VerifiedAnswer
	}{
		{"none", map[string]string{"Copilot/VerifiedAnswers/version.json": "{}", root + "x/visualSource.json": "{}", root + "definition.json": "{}", root + "x/y/definition.json": "{}"}, nil},
		{
			"phrases and fields",
			map[string]string{
				root + "b/definition.json":   `{"triggerPrompts":[{"prompt":"How much?"},{"prompt":" "},{"prompt":5},{"text":"x"},"y",{"prompt":"What?"}],"$schema":"x"}`,
				root + "b/visualSource.json": `{"visualType":"lineChart","query":[` + field("Column", "Date", "Year") + `,` + field("Measure", "Sales", "Total") + `]}`,
				root + "b/filters.json":      `{"filters":[{"field":` + field("Column", "Date", "Year") + `},{"filter":{"From":[{"Name":"r","Entity":"Region"}],"Where":[{"Column":{"Expression":{"SourceRef":{"Source":"r"}},"Property":"Name"}}]}}]}`,
				root + "b/notes.json":        field("Column", "Not", "Read"),
			},
			[]semanticmodel.VerifiedAnswer{{Folder: "b", TriggerPhrases: []string{"How much?", " ", "What?"}, Fields: []semanticmodel.FieldRef{{Table: "Date", Name: "Year"}, {Table: "Sales", Name: "Total"}, {Table: "Region", Name: "Name"}}, VisualType: "lineChart", Filters: 2}},
		},
		{
			"what does not parse has no phrase and no field",
			map[string]string{root + "b/definition.json": `{"triggerPrompts":[{"prompt":"lost"}],`, root + "b/visualSource.json": `{`, root + "b/filters.json": field("Column", "Date", "Year")},
			[]semanticmodel.VerifiedAnswer{{Folder: "b", Fields: []semanticmodel.FieldRef{{Table: "Date", Name: "Year"}}}},
		},
		{
			"a hierarchy level is no field",
			map[string]string{root + "b/definition.json": `[]`, root + "b/visualSource.json": `{"HierarchyLevel":{"Expression":{"Hierarchy":{"Expression":{"PropertyVariationSource":{"Expression":{"SourceRef":{"Entity":"Date"}},"Property":"Day"}},"Hierarchy":"H"}},"Level":"L"}}`},
			[]semanticmodel.VerifiedAnswer{{Folder: "b"}},
		},
		{
			"by folder, whatever sorts between",
			map[string]string{root + "a/definition.json": `{}`, root + "a-b/definition.json": `{}`, root + "A/definition.json": `{}`},
			[]semanticmodel.VerifiedAnswer{{Folder: "A"}, {Folder: "a"}, {Folder: "a-b"}},
		},
		{
			"older ones, directly under the item",
			map[string]string{"VerifiedAnswers/definitions/o/definition.json": `{"triggerPrompts":[{"prompt":"old"}]}`, "VerifiedAnswers/definitions/o/filters.json": field("Measure", "Sales", "Total")},
			[]semanticmodel.VerifiedAnswer{{Folder: "o", TriggerPhrases: []string{"old"}, Fields: []semanticmodel.FieldRef{{Table: "Sales", Name: "Total"}}}},
		},
		{
			"older ones are not read beside those of the Copilot folder",
			map[string]string{"VerifiedAnswers/definitions/o/definition.json": `{}`, root + "n/definition.json": `{}`},
			[]semanticmodel.VerifiedAnswer{{Folder: "n"}},
		},
	} {
		got := copilot(t, c.parts).VerifiedAnswers
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		parts map[string]string
		want  string
	}{
		{"nothing to read", map[string]string{"definition.pbism": "{}", "TMDLScripts/a.tmdl": "createOrReplace"}, "neither definition/*.tmdl nor model.bim"},
		{"a broken model.bim", map[string]string{"model.bim": "{"}, "model.bim:1:"},
		{"a broken TMDL file", map[string]string{"definition/tables/T.tmdl": "table T\n\tcolumn 'a\n"}, "definition/tables/T.tmdl:2"},
		{"TMDL comes before model.bim", map[string]string{"model.bim": `{"model":{}}`, "definition/model.tmdl": "?"}, "definition/model.tmdl:1"},
		{
			"a measure with the name of a column",
			map[string]string{"definition/tables/T.tmdl": "table T\n\tcolumn a\n\n\tmeasure A = 1\n"},
			`definition/tables/T.tmdl:4: the measure "A" has the name of a column of the table "T" (definition/tables/T.tmdl:2)`,
		},
	} {
		got, err := semanticmodel.Read(parts(c.parts))
		if err == nil || !strings.Contains(err.Error(), c.want) || got != nil {
			t.Errorf("%s: got %v, %v, want %s", c.name, got, err, c.want)
		}
	}
}

// What the platform may have kept back is not visible unless something shows that it kept nothing back.
func TestNotVisible(t *testing.T) {
	t.Parallel()
	const bim = `{"model":{}}`
	const instructed = `{"model":{"cultures":[{"name":"en-US","linguisticMetadata":{"content":"{\"CustomInstructions\":\"Use it.\"}"}}]}}`
	for name, c := range map[string]struct {
		files   map[string]string
		mayLack bool
		want    bool
	}{
		"nothing is kept back":           {map[string]string{"model.bim": bim}, false, false},
		"no part":                        {map[string]string{"model.bim": bim}, true, true},
		"any part":                       {map[string]string{"model.bim": bim, "Copilot/version.json": "{}"}, true, false},
		"in another letter case":         {map[string]string{"model.bim": bim, "COPILOT/schema.json": "{}"}, true, false},
		"another folder":                 {map[string]string{"model.bim": bim, "Copilots/schema.json": "{}"}, true, true},
		"older verified answers":         {map[string]string{"model.bim": bim, "VerifiedAnswers/definitions/a/definition.json": "{}"}, true, true},
		"instructions in a culture":      {map[string]string{"model.bim": instructed}, true, false},
		"instructions, nothing withheld": {map[string]string{"model.bim": instructed}, false, false},
	} {
		d := parts(c.files)
		d.MayLackCopilot = c.mayLack
		m, err := semanticmodel.Read(d)
		if err != nil {
			t.Fatal(err)
		}
		if m.Copilot.NotVisible != c.want {
			t.Errorf("%s: got %t", name, m.Copilot.NotVisible)
		}
	}
}

// An entry of the AI data schema whose object has another name now, or is gone, is a notice, and so is what its format does not allow.
//
// proves: decisions/9/15-notices
func TestSchemaNotices(t *testing.T) {
	t.Parallel()
	const bim = `{"model":{"tables":[{"name":"Sales","lineageTag":"s","columns":[{"name":"Region","lineageTag":"r"},{"name":"Key","lineageTag":"k"}],` +
		`"measures":[{"name":"Revenue","lineageTag":"m"}]}]}}`
	for name, c := range map[string]struct {
		tables string
		want   []string
	}{
		"as the model": {
			`{"id":"s","name":"Sales","visibility":"Auto","synonyms":[],"hierarchies":[{"name":"H","levels":[]}],` +
				`"columns":[{"id":"R","name":"region","index":"All","visibility":null},{"name":"Key","visibility":"Hidden"}]}`, nil,
		},
		"without a name": {`{"id":"s","columns":[{"id":"r"}]}`, nil},
		"another name": {
			`{"id":"s","name":"Old","columns":[{"id":"r","name":"Was"}],"measures":[{"id":"m","name":"Umsatz"}]}`,
			[]string{`:2:1: the entry of the table "Old" is for what the model now calls "Sales" (id "s")`, `column "Was"`, `measure "Umsatz"`},
		},
		"names exchanged": {
			`{"name":"Sales","columns":[{"id":"r","name":"Key"},{"id":"k","name":"Region"}]}`,
			[]string{`"Key" is for what the model now calls "Region"`, `"Region" is for what the model now calls "Key"`},
		},
		"gone":            {`{"id":"g","name":"Gone"}`, []string{`the table "Gone" is for an object that the model does not have`}},
		"no visibility":   {`{"name":"Sales","visibility":"visible"}`, []string{`:2:30: visibility is "visible", which the AI data schema does not allow`}},
		"no index":        {`{"name":"Sales","columns":[{"name":"Key","index":"Never"}]}`, []string{`index is "Never"`}},
		"an unknown name": {`{"name":"Sales","foo":1,"measures":[{"name":"Revenue","index":"All"}]}`, []string{`member "foo" for a table`, `member "index" for a measure`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := semanticmodel.Read(parts(map[string]string{"model.bim": bim, "Copilot/schema.json": "{\"$schema\":\"x\",\"tables\":[\n" + c.tables + "]}"}))
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Notices) != len(c.want) || len(m.Unread) > 0 {
				t.Fatalf("got %v and %v, want %q", m.Notices, m.Unread, c.want)
			}
			for i, n := range m.Notices {
				if n.File != "Copilot/schema.json" || !strings.Contains(n.String(), c.want[i]) {
					t.Errorf("got %v, want %s", n, c.want[i])
				}
			}
		})
	}
}
