package rewrite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/rewrite"
)

// model returns a definition of parts, given as path, text, path, text.
func model(pathsAndTexts ...string) definition.Definition {
	var parts []definition.Part
	for pair := range slices.Chunk(pathsAndTexts, 2) {
		parts = append(parts, definition.Part{Path: pair[0], Data: []byte(pair[1])})
	}
	return definition.New(parts...)
}

func change(property rewrite.Property, table, name, value string) rewrite.Change {
	return rewrite.Change{Target: rewrite.Target{Property: property, Table: table, Name: name}, Value: value}
}

// changedLines returns the lines that differ between the definitions: "path" of each
// part, then its lines with "-" and "+" before them and readable line ends.
func changedLines(before, after definition.Definition) []string {
	var out []string
	paths := map[string]bool{}
	for _, d := range []definition.Definition{before, after} {
		for _, p := range d.Parts {
			paths[p.Path] = true
		}
	}
	ordered := slices.Collect(func(yield func(string) bool) {
		for path := range paths {
			if !yield(path) {
				return
			}
		}
	})
	slices.Sort(ordered)
	for _, path := range ordered {
		old, _ := before.Part(path)
		now, there := after.Part(path)
		if string(old) == string(now) && there {
			continue
		}
		out = append(out, path)
		a, b := strings.SplitAfter(string(old), "\n"), strings.SplitAfter(string(now), "\n")
		for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
			a, b = a[1:], b[1:]
		}
		for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
			a, b = a[:len(a)-1], b[:len(b)-1]
		}
		for _, line := range a {
			out = append(out, fmt.Sprintf("-%q", line))
		}
		for _, line := range b {
			out = append(out, fmt.Sprintf("+%q", line))
		}
	}
	return out
}

const columnTMDL = "table T\n\tlineageTag: t\n\n\tcolumn C\n\t\tdataType: int64\n\t\tlineageTag: c\n\t\tsummarizeBy: sum\n\t\tsourceColumn: C\n\n\tmeasure M =\n\t\t\t1\n\t\tlineageTag: m\n"

// bim is a model in TMSL in the layout of its writers.
const bim = `{
  "model": {
    "culture": "en-US",
    "tables": [
      {
        "name": "T",
        "columns": [
          {
            "name": "C",
            "dataType": "int64",
            "lineageTag": "c",
            "sourceColumn": "C"
          },
          { "name": "D", "description": [ "a", "b" ] }
        ],
        "measures": [
          {
            "name": "M",
            "expression": [
              "1"
            ],
            "lineageTag": "m"
          }
        ]
      }
    ]
  }
}
`

// lsdl is a linguistic schema in the layout of Power BI in a TMDL file.
const lsdl = "cultureInfo en-US\n\n\tlinguisticMetadata =\n\t\t\t{\n\t\t\t  \"Version\": \"4.2.0\",\n\t\t\t  \"Language\": \"en-US\",\n\t\t\t  \"CustomInstructions\": \"Old.\",\n\t\t\t  \"Entities\": {\n" +
	"\t\t\t    \"t\": {\n\t\t\t      \"Definition\": {\n\t\t\t        \"Binding\": {\n\t\t\t          \"ConceptualEntity\": \"T\"\n\t\t\t        }\n\t\t\t      },\n\t\t\t      \"State\": \"Generated\",\n\t\t\t      \"Visibility\": {\n\t\t\t        \"Value\": \"Hidden\",\n\t\t\t        \"State\": \"Authored\"\n\t\t\t      }\n\t\t\t    }\n" +
	"\t\t\t  }\n\t\t\t}\n\t\tcontentType: json\n"

// TestWrite checks that exactly these lines differ.
func TestWrite(t *testing.T) {
	t.Parallel()
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	const version = `"$schema": "https://developer.microsoft.com/json-schemas/fabric/item/version/1.0.0/schema.json",`
	created := func(path, end string) []string {
		return []string{path, `-""`, fmt.Sprintf("+%q", "{"+end), fmt.Sprintf("+%q", "  "+version+end), fmt.Sprintf("+%q", `  "version": "1.0.0"`+end), `+"}"`}
	}
	versions := func(end string) []string {
		return append(created("Copilot/Instructions/version.json", end), created("Copilot/version.json", end)...)
	}
	for _, c := range []struct {
		name    string
		d       definition.Definition
		changes []rewrite.Change
		want    []string
	}{
		{
			"a description in the file's line end", model("definition/a.tmdl", crlf(columnTMDL)),
			[]rewrite.Change{change(rewrite.Description, "T", "M", "a\nb\r\nc\rd")},
			[]string{"definition/a.tmdl", `+"\t/// a\r\n"`, `+"\t/// b\r\n"`, `+"\t/// c\r\n"`, `+"\t/// d\r\n"`},
		},
		{
			"a description where the object is declared", model("definition/a.tmdl", "table T\n", "definition/b.tmdl", "ref table T\n\tmeasure M = 1\n"),
			[]rewrite.Change{change(rewrite.Description, "T", "M", "a"), change(rewrite.Description, "T", "", "b")},
			[]string{"definition/a.tmdl", `+"/// b\n"`, "definition/b.tmdl", `+"\t/// a\n"`},
		},
		{
			"a description where the table has one", model("definition/a.tmdl", "ref table T\n\tmeasure M = 1\n", "definition/b.tmdl", "///\ntable T\n\tlineageTag: t\n", "definition/c.tmdl", "/// x\ntable t\n\tcolumn C\n"),
			[]rewrite.Change{change(rewrite.Description, "T", "", "y")},
			[]string{"definition/c.tmdl", `-"/// x\n"`, `+"/// y\n"`},
		},
		{
			"folder and default where Power BI writes them", model("definition/a.tmdl", columnTMDL),
			[]rewrite.Change{change(rewrite.DisplayFolder, "T", "M", `A\B`), change(rewrite.SummarizeBy, "T", "C", "none")},
			[]string{"definition/a.tmdl", `-"\t\tsummarizeBy: sum\n"`, `-"\t\tsourceColumn: C\n"`, `-"\n"`, `-"\tmeasure M =\n"`, `-"\t\t\t1\n"`, `+"\t\tsummarizeBy: none\n"`, `+"\t\tsourceColumn: C\n"`, `+"\n"`, `+"\tmeasure M =\n"`, `+"\t\t\t1\n"`, `+"\t\tdisplayFolder: A\\B\n"`},
		},
		{
			"a default that was not there", model("definition/a.tmdl", "table T\n\n\tcolumn C\n\t\tdataType: int64\n\t\tsourceColumn: C\n"),
			[]rewrite.Change{change(rewrite.SummarizeBy, "T", "C", "none")},
			[]string{"definition/a.tmdl", `+"\t\tsummarizeBy: none\n"`},
		},
		{
			"what stays is not touched", model("definition/a.tmdl", "///a\ntable T\n\tcolumn C\n\t\tsummarizeBy:none\n"),
			[]rewrite.Change{change(rewrite.Description, "T", "", "a"), change(rewrite.SummarizeBy, "T", "C", "none")}, nil,
		},
		{
			"TMSL description behind the name", model("model.bim", crlf(bim)),
			[]rewrite.Change{change(rewrite.Description, "T", "C", "a\r\n\"b\" <é>")},
			[]string{"model.bim", `+"            \"description\": \"a\\n\\\"b\\\" <é>\",\r\n"`},
		},
		{
			"TMSL description of lines", model("model.bim", bim),
			[]rewrite.Change{change(rewrite.Description, "T", "D", "c")},
			[]string{"model.bim", `-"          { \"name\": \"D\", \"description\": [ \"a\", \"b\" ] }\n"`, `+"          { \"name\": \"D\", \"description\": \"c\" }\n"`},
		},
		{
			"TMSL description of a table", model("model.bim", bim),
			[]rewrite.Change{change(rewrite.Description, "T", "", "a")},
			[]string{"model.bim", `+"        \"description\": \"a\",\n"`},
		},
		{
			"TMSL folder", model("model.bim", bim),
			[]rewrite.Change{change(rewrite.DisplayFolder, "T", "M", `A\B`)},
			[]string{"model.bim", `+"            \"displayFolder\": \"A\\\\B\",\n"`},
		},
		{
			"TMSL default at the end", model("model.bim", bim),
			[]rewrite.Change{change(rewrite.SummarizeBy, "T", "C", "none")},
			[]string{"model.bim", `-"            \"sourceColumn\": \"C\"\n"`, `+"            \"sourceColumn\": \"C\",\n"`, `+"            \"summarizeBy\": \"none\"\n"`},
		},
		{
			"instructions of a model with none", model("definition/a.tmdl", columnTMDL),
			[]rewrite.Change{change(rewrite.Instructions, "", "", "Be brief.\r\n")},
			slices.Concat([]string{"Copilot/Instructions/instructions.md", `+"Be brief.\r\n"`}, versions("\n")),
		},
		{
			"instructions beside JSON in CRLF", model("definition/a.tmdl", columnTMDL, "definition.pbism", "{\r\n}", "Copilot/version.json", "{}"),
			[]rewrite.Change{change(rewrite.Instructions, "", "", "x")},
			slices.Concat([]string{"Copilot/Instructions/instructions.md", `-""`, `+"x"`}, created("Copilot/Instructions/version.json", "\r\n")),
		},
		{
			"instructions in their part, not in the linguistic schema", model("definition/a.tmdl", columnTMDL, "definition/c.tmdl", lsdl, "Copilot/Instructions/instructions.md", "\ufeffy"),
			[]rewrite.Change{change(rewrite.Instructions, "", "", "x")},
			[]string{"Copilot/Instructions/instructions.md", `-"\ufeffy"`, `+"\ufeffx"`},
		},
		{
			"instructions in a linguistic schema of many lines", model("definition/a.tmdl", columnTMDL, "definition/c.tmdl", crlf(lsdl)),
			[]rewrite.Change{change(rewrite.Instructions, "", "", "New\n\"x\".")},
			[]string{"definition/c.tmdl", `-"\t\t\t  \"CustomInstructions\": \"Old.\",\r\n"`, `+"\t\t\t  \"CustomInstructions\": \"New\\n\\\"x\\\".\",\r\n"`},
		},
		{
			"instructions in the default culture's schema of one line",
			model("definition/a.tmdl", "model Model\n\tculture: en-US\n\n"+columnTMDL, "definition/c.tmdl", "cultureInfo de-DE\n\tlinguisticMetadata = {\"CustomInstructions\":\"a\"}\n", "definition/d.tmdl", "cultureInfo en-US\n\tlinguisticMetadata = {\"CustomInstructions\": \"b\", \"Entities\": {}}\n"),
			[]rewrite.Change{change(rewrite.Instructions, "", "", "x")},
			[]string{"definition/d.tmdl", `-"\tlinguisticMetadata = {\"CustomInstructions\": \"b\", \"Entities\": {}}\n"`, `+"\tlinguisticMetadata = {\"CustomInstructions\": \"x\", \"Entities\": {}}\n"`},
		},
		{
			"instructions in a linguistic schema that hides", model("definition/a.tmdl", columnTMDL, "definition/c.tmdl", strings.Replace(lsdl, "\t\t\t  \"CustomInstructions\": \"Old.\",\n", "", 1)),
			[]rewrite.Change{change(rewrite.Instructions, "", "", "x")},
			[]string{"definition/c.tmdl", `+"\t\t\t  \"CustomInstructions\": \"x\",\n"`},
		},
		{
			"visibilities of a model with none", model("definition/a.tmdl", columnTMDL),
			[]rewrite.Change{change(rewrite.Visibility, "T", "M", "Visible"), change(rewrite.Visibility, "T", "", "Visible"), change(rewrite.Visibility, "T", "C", "Hidden")},
			slices.Concat([]string{
				"Copilot/schema.json", `-""`,
				`+"{\n"`, `+"  \"$schema\": \"https://developer.microsoft.com/json-schemas/fabric/item/semanticModel/copilot/schema/1.0.0/schema.json\",\n"`,
				`+"  \"tables\": [\n"`, `+"    {\n"`, `+"      \"id\": \"t\",\n"`, `+"      \"name\": \"T\",\n"`, `+"      \"visibility\": \"Visible\",\n"`,
				`+"      \"columns\": [\n"`, `+"        {\n"`, `+"          \"id\": \"c\",\n"`, `+"          \"name\": \"C\",\n"`, `+"          \"visibility\": \"Hidden\"\n"`, `+"        }\n"`, `+"      ],\n"`,
				`+"      \"measures\": [\n"`, `+"        {\n"`, `+"          \"id\": \"m\",\n"`, `+"          \"name\": \"M\",\n"`, `+"          \"visibility\": \"Visible\"\n"`, `+"        }\n"`, `+"      ]\n"`,
				`+"    }\n"`, `+"  ]\n"`, `+"}"`,
			}, created("Copilot/version.json", "\n")),
		},
		{
			"a visibility in place", model("definition/a.tmdl", columnTMDL, "Copilot/schema.json", "{\n\t\"tables\": [\n\t\t{\n\t\t\t\"name\": \"t\",\n\t\t\t\"visibility\": \"Visible\",\n\t\t\t\"x\": 1\n\t\t}\n\t]\n}"),
			[]rewrite.Change{change(rewrite.Visibility, "T", "", "Hidden")},
			[]string{"Copilot/schema.json", `-"\t\t\t\"visibility\": \"Visible\",\n"`, `+"\t\t\t\"visibility\": \"Hidden\",\n"`},
		},
		{
			"a field's visibility behind its name", model("definition/a.tmdl", columnTMDL, "Copilot/schema.json", "{\r\n  \"tables\": [\r\n    {\r\n      \"name\": \"T\",\r\n      \"columns\": [\r\n        {\r\n          \"name\": \"C\",\r\n          \"index\": \"All\"\r\n        }\r\n      ]\r\n    }\r\n  ]\r\n}"),
			[]rewrite.Change{change(rewrite.Visibility, "T", "C", "Auto")},
			[]string{"Copilot/schema.json", `+"          \"visibility\": \"Auto\",\r\n"`},
		},
		{
			"visibilities in a linguistic schema", model("definition/a.tmdl", columnTMDL, "definition/c.tmdl", lsdl),
			[]rewrite.Change{change(rewrite.Visibility, "T", "", "Visible"), change(rewrite.Visibility, "T", "C", "Hidden")},
			[]string{
				"definition/c.tmdl",
				`+"\t\t\t        \"Value\": \"Visible\",\n"`, `+"\t\t\t        \"State\": \"Authored\"\n"`, `+"\t\t\t      }\n"`, `+"\t\t\t    },\n"`,
				`+"\t\t\t    \"t.c\": {\n"`, `+"\t\t\t      \"Definition\": {\n"`, `+"\t\t\t        \"Binding\": {\n"`, `+"\t\t\t          \"ConceptualEntity\": \"T\",\n"`, `+"\t\t\t          \"ConceptualProperty\": \"C\"\n"`, `+"\t\t\t        }\n"`, `+"\t\t\t      },\n"`,
				`+"\t\t\t      \"State\": \"Generated\",\n"`, `+"\t\t\t      \"Visibility\": {\n"`,
			},
		},
		{
			"visibilities beside instructions in a linguistic schema", model("definition/a.tmdl", columnTMDL, "definition/c.tmdl", "cultureInfo a\n\tlinguisticMetadata = {\"CustomInstructions\":\"a\"}\n"),
			[]rewrite.Change{change(rewrite.Visibility, "T", "", "Hidden")},
			[]string{
				"definition/c.tmdl", `-"\tlinguisticMetadata = {\"CustomInstructions\":\"a\"}\n"`,
				`+"\tlinguisticMetadata = {\"CustomInstructions\":\"a\",\"Entities\":{\"t\":{\"Definition\":{\"Binding\":{\"ConceptualEntity\":\"T\"}},\"State\":\"Generated\",\"Visibility\":{\"Value\":\"Hidden\",\"State\":\"Authored\"}}}}\n"`,
			},
		},
		{
			"a list behind the columns", model("definition/a.tmdl", "table T\n\tmeasure M = 1\n", "Copilot/schema.json", `{"tables":[{"name":"T","columns":[],"hierarchies":[]}]}`, "Copilot/version.json", "{}"),
			[]rewrite.Change{change(rewrite.Visibility, "T", "M", "Hidden")},
			[]string{
				"Copilot/schema.json", `-"{\"tables\":[{\"name\":\"T\",\"columns\":[],\"hierarchies\":[]}]}"`,
				`+"{\"tables\":[{\"name\":\"T\",\"columns\":[],\"measures\":[{\"name\":\"M\",\"visibility\":\"Hidden\"}],\"hierarchies\":[]}]}"`,
			},
		},
		{
			"an entity under a key that is free", model("definition/a.tmdl", columnTMDL, "definition/c.tmdl", "cultureInfo a\n\tlinguisticMetadata = {\"Entities\": {\"t.c\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"T\"}}, \"Visibility\": {\"Value\": \"Hidden\", \"State\": \"Authored\"}}}}\n"),
			[]rewrite.Change{change(rewrite.Visibility, "T", "C", "Hidden")},
			[]string{
				"definition/c.tmdl",
				`-"\tlinguisticMetadata = {\"Entities\": {\"t.c\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"T\"}}, \"Visibility\": {\"Value\": \"Hidden\", \"State\": \"Authored\"}}}}\n"`,
				`+"\tlinguisticMetadata = {\"Entities\": {\"t.c\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"T\"}}, \"Visibility\": {\"Value\": \"Hidden\", \"State\": \"Authored\"}},\"t.c_1\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"T\",\"ConceptualProperty\": \"C\"}},\"State\": \"Generated\",\"Visibility\": {\"Value\": \"Hidden\",\"State\": \"Authored\"}}}}\n"`,
			},
		},
		{
			"a visibility that a person now chooses", model("definition/a.tmdl", columnTMDL, "definition/c.tmdl", strings.Replace(lsdl, "\t\t\t  }\n\t\t\t}\n", "\t\t\t  ,\"c\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"T\", \"ConceptualProperty\": \"C\"}}, \"Visibility\": {\"Value\": \"Hidden\", \"State\": \"Generated\"}}\n\t\t\t  }\n\t\t\t}\n", 1)),
			[]rewrite.Change{change(rewrite.Visibility, "T", "C", "Hidden")},
			[]string{
				"definition/c.tmdl",
				`-"\t\t\t  ,\"c\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"T\", \"ConceptualProperty\": \"C\"}}, \"Visibility\": {\"Value\": \"Hidden\", \"State\": \"Generated\"}}\n"`,
				`+"\t\t\t  ,\"c\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"T\", \"ConceptualProperty\": \"C\"}}, \"Visibility\": {\"Value\": \"Hidden\", \"State\": \"Authored\"}}\n"`,
			},
		},
		{
			"a description where the table is declared first by a ref", model("definition/a.tmdl", "ref table T\n\tmeasure M = 1\n", "definition/b.tmdl", "table T\n"),
			[]rewrite.Change{change(rewrite.Description, "T", "", "a")},
			[]string{"definition/b.tmdl", `+"/// a\n"`},
		},
		{
			"TMSL lines that stay are not touched", model("model.bim", bim),
			[]rewrite.Change{change(rewrite.Description, "T", "D", "a\r\nb")}, nil,
		},
		{
			"visibilities beside what follows from the model", model("definition/a.tmdl", columnTMDL, "definition/c.tmdl", strings.Replace(lsdl, ",\n\t\t\t        \"State\": \"Authored\"", "", 1), "Copilot/version.json", "{}", "Copilot/schema.json", `{"tables":[{"name":"T"}]}`),
			[]rewrite.Change{change(rewrite.Visibility, "T", "", "Hidden")},
			[]string{"Copilot/schema.json", `-"{\"tables\":[{\"name\":\"T\"}]}"`, `+"{\"tables\":[{\"name\":\"T\",\"visibility\":\"Hidden\"}]}"`},
		},
	} {
		written, undos, err := rewrite.Write(c.d, c.changes)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, changedLines(c.d, written)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		restored, err := rewrite.Restore(written, stored(t, undos))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if lines := changedLines(c.d, restored); len(lines) > 0 {
			t.Errorf("%s, restored:\n%q", c.name, lines)
		}
	}
}

func TestWriteSharesUnchangedParts(t *testing.T) {
	t.Parallel()
	d := model("definition/a.tmdl", columnTMDL, "definition/b.tmdl", "table U\n", "model.bim", bim)
	written, _, err := rewrite.Write(d, []rewrite.Change{change(rewrite.Description, "T", "", "a")})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range d.Parts {
		if shared := &p.Data[0] == &written.Parts[i].Data[0]; shared != (p.Path != "definition/a.tmdl") {
			t.Errorf("%s: shares its bytes: %t", p.Path, shared)
		}
	}
}

func TestWriteSharesModelThatStays(t *testing.T) {
	t.Parallel()
	d := model("model.bim", bim)
	written, _, err := rewrite.Write(d, []rewrite.Change{change(rewrite.Visibility, "T", "", "Hidden")})
	if err != nil {
		t.Fatal(err)
	}
	if now, _ := written.Part("model.bim"); &now[0] != &d.Parts[0].Data[0] {
		t.Error("model.bim does not share its bytes")
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	ofTMDL := model("definition/a.tmdl", columnTMDL)
	for _, c := range []struct {
		name    string
		d       definition.Definition
		changes []rewrite.Change
		want    string
	}{
		{"no model", model("a.txt", "x"), nil, "no model to read"},
		{"no TMDL", model("definition/a.tmdl", "table T\n\tcolumn\n"), nil, "definition/a.tmdl:2"},
		{"no such table", ofTMDL, []rewrite.Change{change(rewrite.Description, "t", "", "a")}, "description of the table 't' cannot be written: the model has no such object"},
		{"no such field", ofTMDL, []rewrite.Change{change(rewrite.Description, "T", "m", "a")}, "description of 'T'[m] cannot be written: the model has no such object"},
		{"no such property", ofTMDL, []rewrite.Change{change(rewrite.SummarizeBy, "T", "M", "none")}, "none with such a property"},
		{"a table's folder", ofTMDL, []rewrite.Change{change(rewrite.DisplayFolder, "T", "", "a")}, "none with such a property"},
		{"instructions of a table", ofTMDL, []rewrite.Change{change(rewrite.Instructions, "T", "", "a")}, "none with such a property"},
		{"twice", ofTMDL, []rewrite.Change{change(rewrite.Description, "T", "", "a"), change(rewrite.Description, "T", "", "b")}, "changed twice"},
		{"twice in the AI data schema", ofTMDL, []rewrite.Change{change(rewrite.Visibility, "T", "", "Hidden"), change(rewrite.Visibility, "T", "", "Hidden")}, "changed twice"},
		{"a blank text", ofTMDL, []rewrite.Change{change(rewrite.Description, "T", "", " ")}, "may not be blank"},
		{"one of several", ofTMDL, []rewrite.Change{change(rewrite.Description, "T", "", "a"), change(rewrite.Visibility, "T", "", "x")}, "must be one of"},
		{"a table without a declaration", model("definition/a.tmdl", "ref table T\n\tcolumn C\n"), []rewrite.Change{change(rewrite.Description, "T", "", "a")}, "describe its declaration"},
		{"a folder of lines", model("definition/a.tmdl", "table T\n\tmeasure M = 1\n\t\tdisplayFolder =\n\t\t\t\ta\n"), []rewrite.Change{change(rewrite.DisplayFolder, "T", "M", "a")}, "several lines"},
		{"a schema that is no JSON", model("definition/a.tmdl", columnTMDL, "Copilot/schema.json", "{\n\"tables\": x}"), []rewrite.Change{change(rewrite.Visibility, "T", "", "Hidden")}, "Copilot/schema.json:2"},
		{"a schema that is no object", model("definition/a.tmdl", columnTMDL, "Copilot/schema.json", "[]"), []rewrite.Change{change(rewrite.Visibility, "T", "", "Hidden")}, "Copilot/schema.json:1:1: an object is expected"},
		{"tables of another kind", model("definition/a.tmdl", columnTMDL, "Copilot/schema.json", `{"tables":1}`), []rewrite.Change{change(rewrite.Visibility, "T", "", "Hidden")}, "Copilot/schema.json:1:11: an array is expected"},
		{"columns of another kind", model("definition/a.tmdl", columnTMDL, "Copilot/schema.json", `{"tables":[{"name":"T","columns":{}}]}`), []rewrite.Change{change(rewrite.Visibility, "T", "C", "Hidden")}, "Copilot/schema.json:1:34: an array is expected"},
		{"Auto in a linguistic schema", model("definition/a.tmdl", columnTMDL, "definition/c.tmdl", lsdl), []rewrite.Change{change(rewrite.Visibility, "T", "", "Auto")}, "only Visible and Hidden"},
		{
			"names that one entry cannot tell apart", model("definition/a.tmdl", "table 'A b'\ntable 'a  B'\n"),
			[]rewrite.Change{change(rewrite.Visibility, "A b", "", "Hidden"), change(rewrite.Visibility, "a  B", "", "Visible")}, "cannot represent this value",
		},
		{
			"a linguistic schema of lines", model("model.bim", `{"model":{"tables":[],"cultures":[{"name":"a","linguisticMetadata":{"content":["{\"CustomInstructions\":\"a\"","}"]}}]}}`),
			[]rewrite.Change{change(rewrite.Instructions, "", "", "x")}, "array of lines",
		},
	} {
		_, _, err := rewrite.Write(c.d, c.changes)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	var tmdl strings.Builder
	var changes []rewrite.Change
	parts := []definition.Part{{Path: "definition/model.tmdl", Data: []byte("model Model\n")}}
	for i := range 100 {
		tmdl.Reset()
		fmt.Fprintf(&tmdl, "table T%d\n\tlineageTag: t%d\n\n", i, i)
		for j := range 100 {
			if j%2 == 0 {
				fmt.Fprintf(&tmdl, "\tmeasure M%d =\n\t\t\tVAR x = SUM ( T%d[C1] )\n\t\t\tRETURN x\n\t\tformatString: #,0\n\t\tlineageTag: m%d-%d\n\n", j, i, i, j)
			} else {
				fmt.Fprintf(&tmdl, "\tcolumn C%d\n\t\tdataType: int64\n\t\tlineageTag: c%d-%d\n\t\tsummarizeBy: sum\n\t\tsourceColumn: C%d\n\n\t\tannotation SummarizationSetBy = Automatic\n\n", j, i, j, j)
			}
		}
		changes = append(changes, change(rewrite.Description, fmt.Sprint("T", i), "M0", "a\nb"), change(rewrite.Visibility, fmt.Sprint("T", i), "C1", "Hidden"))
		parts = append(parts, definition.Part{Path: fmt.Sprintf("definition/tables/T%d.tmdl", i), Data: []byte(tmdl.String())})
	}
	d := definition.New(parts...)
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := rewrite.Write(d, changes); err != nil {
				b.Fatal(err)
			}
		}
	})
	written, undos, err := rewrite.Write(d, changes)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("restore", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := rewrite.Restore(written, undos); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkWriteLinguistic changes many of the 50,000 entities of a linguistic
// schema.
func BenchmarkWriteLinguistic(b *testing.B) {
	const entities = 50_000
	var lsdl, tmdl strings.Builder
	tmdl.WriteString("table T\n")
	lsdl.WriteString(`{"Version":"4.2.0","Entities":{`)
	for i := range entities {
		fmt.Fprintf(&lsdl, `"t.c%d":{"Definition":{"Binding":{"ConceptualEntity":"T","ConceptualProperty":"C%d"}},"State":"Generated","Visibility":{"Value":"Hidden","State":"Authored"},"Terms":[{"c":{"State":"Generated"}}]},`, i, i)
		if i%5 == 0 {
			fmt.Fprintf(&tmdl, "\tcolumn C%d\n", i)
		}
	}
	lsdl.WriteString(`"t":{}}}`)
	var changes []rewrite.Change
	for i := 0; i < entities; i += 250 {
		changes = append(changes, change(rewrite.Visibility, "T", fmt.Sprint("C", i), "Visible"))
	}
	d := model("definition/a.tmdl", tmdl.String(), "definition/c.tmdl", "cultureInfo a\n\tlinguisticMetadata = "+lsdl.String()+"\n")
	b.SetBytes(int64(lsdl.Len()))
	for b.Loop() {
		if _, _, err := rewrite.Write(d, changes); err != nil {
			b.Fatal(err)
		}
	}
}
