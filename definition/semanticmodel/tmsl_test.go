package semanticmodel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/semanticmodel"
)

const bim = `{
  "name": "Sales", "compatibilityLevel": 1601,
  "model": {
    "culture": "en-US", "annotations": [{"name": "M", "value": "1"}],
    "defaultMode": "import",
    "tables": [
      {
        "name": "Sales", "description": ["What was", "sold"], "isHidden": true, "lineageTag": "x",
        "columns": [
          {"name": "Amount", "dataType": "double", "summarizeBy": "sum", "sourceColumn": "amt", "formatString": "0.00",
           "displayFolder": "Money", "description": "Price times quantity",
           "annotations": [{"name": "SummarizationSetBy", "value": "Automatic"}]},
          {"name": "Order Date", "dataType": "dateTime", "isHidden": true, "summarizeBy": "none", "sourceColumn": "d"},
          {"type": "calculated", "name": "Band", "dataType": "string", "isDataTypeInferred": true,
           "expression": ["IF (", "    [Amount] > 10,", "    \"high\"", ")"], "sortByColumn": "Amount", "dataCategory": "Uncategorized", "isDefaultLabel": true},
          {"type": "rowNumber", "name": "Row", "dataType": "int64", "isKey": true}
        ],
        "measures": [
          {"name": "Total", "expression": ["SUM (", "  Sales[Amount]", ")"], "formatString": "#,0", "displayFolder": "Key", "description": "All of it"},
          {"name": "Flag", "expression": "1", "isHidden": true, "dataCategory": "ImageUrl", "formatStringDefinition": {"expression": "\"0\""}}
        ],
        "hierarchies": [{"name": "H", "description": "d", "isHidden": true, "levels": [{"ordinal": 0, "name": "L1", "column": "Band"}, {"ordinal": 1, "name": "L2", "column": "Amount"}]}],
        "partitions": [{"name": "P", "mode": "import", "source": {"type": "m", "expression": ["let", "  x = 1", "in", "  x"]}}],
        "annotations": [{"name": "A", "value": "one"}]
      },
      {
        "name": "Date", "dataCategory": "Time", "isPrivate": true,
        "columns": [{"name": "Date", "dataType": "dateTime", "isKey": true}],
        "partitions": [{"name": "Date", "source": {"type": "calculated", "expression": "CALENDARAUTO ()"}}]
      },
      {
        "name": "Time Intelligence",
        "calculationGroup": {"precedence": 7, "calculationItems": [
          {"name": "YTD", "ordinal": 1, "description": "To date", "expression": "TOTALYTD ( SELECTEDMEASURE (), 'Date'[Date] )"}]},
        "columns": [{"name": "Name", "dataType": "string", "sourceColumn": "Name",
          "extendedProperties": [{"type": "json", "name": "ParameterMetadata", "value": {"version": 3}}]}],
        "partitions": [{"name": "C", "source": {"type": "calculationGroup"}}]
      }
    ],
    "relationships": [
      {"name": "r1", "fromTable": "Sales", "fromColumn": "Order Date", "toTable": "Date", "toColumn": "Date"},
      {"name": "r2", "fromTable": "Sales", "fromColumn": "Amount", "toTable": "Date", "toColumn": "Date",
       "fromCardinality": "one", "toCardinality": "many", "crossFilteringBehavior": "bothDirections", "isActive": false}
    ],
    "roles": [{"name": "Readers", "modelPermission": "read", "tablePermissions": [{"name": "Sales", "filterExpression": "TRUE()"}]}],
    "perspectives": [{"name": "Short", "tables": []}],
    "cultures": [{"name": "en-US", "linguisticMetadata": {"content": {"Version": "1.0.0", "CustomInstructions": "Use totals.",
      "Entities": {"sales": {"Definition": {"Binding": {"ConceptualEntity": "Sales"}}, "Terms": [{"deals": {"State": "Authored"}}]}}}, "contentType": "json"}},
      {"name": "de-DE", "translations": {"model": {"name": "Model", "translatedCaption": "Modell", "tables": [
        {"columns": [{"name": "Amount", "translatedCaption": "Betrag", "translatedDescription": "d"}, {"name": "Band"}],
         "measures": [{"name": "Total", "translatedCaption": "Summe gesamt"}, {"translatedCaption": " "}], "hierarchies": [{"name": "H", "translatedCaption": "h"}],
         "name": "Sales", "translatedCaption": "Verk\u00e4ufe"},
        {"name": "Date", "translatedCaption": null, "translatedDisplayFolder": "x"}]}}}],
    "expressions": [{"name": "Server", "kind": "m", "expression": "\"x\""}],
    "functions": [{"name": "Twice", "expression": "(x) => x * 2"}]
  }
}`

// The same model as TMDL.
var tmdlFiles = map[string]string{
	"definition/database.tmdl": "database Sales\n\tcompatibilityLevel: 1601\n",
	"definition/model.tmdl": "model Model\n\tculture: en-US\n\n\tannotation M = 1\n\n" +
		"ref table Sales\nref table Date\nref table 'Time Intelligence'\n\nref cultureInfo en-US\nref cultureInfo de-DE\n\nref role Readers\n\nref perspective Short\n",
	"definition/tables/Sales.tmdl": `/// What was
/// sold
table Sales
	lineageTag: x
	isHidden

	/// All of it
	measure Total =
			SUM (
			  Sales[Amount]
			)
		formatString: #,0
		displayFolder: Key

	measure Flag = 1
		isHidden
		dataCategory: ImageUrl

		formatStringDefinition = "0"

	/// Price times quantity
	column Amount
		dataType: double
		formatString: 0.00
		displayFolder: Money
		summarizeBy: sum
		sourceColumn: amt

		annotation SummarizationSetBy = Automatic

	column 'Order Date'
		dataType: dateTime
		isHidden
		summarizeBy: none
		sourceColumn: d

	column Band =
			IF (
			    [Amount] > 10,
			    "high"
			)
		dataType: string
		dataCategory: Uncategorized
		isDefaultLabel
		isDataTypeInferred
		sortByColumn: Amount

	column Row
		type: rowNumber
		dataType: int64
		isKey

	/// d
	hierarchy H
		isHidden

		level L1
			column: Band

		level L2
			column: Amount

	partition P = m
		mode: import
		source =
				let
				  x = 1
				in
				  x

	annotation A = one
`,
	"definition/tables/Date.tmdl":              "table Date\n\tisPrivate\n\tdataCategory: Time\n\n\tcolumn Date\n\t\tdataType: dateTime\n\t\tisKey\n\n\tpartition Date = calculated\n\t\tsource = CALENDARAUTO ()\n",
	"definition/tables/Time Intelligence.tmdl": "table 'Time Intelligence'\n\n\tcalculationGroup\n\t\tprecedence: 7\n\n\t\t/// To date\n\t\tcalculationItem YTD = TOTALYTD ( SELECTEDMEASURE (), 'Date'[Date] )\n\t\t\tordinal: 1\n\n\tcolumn Name\n\t\tdataType: string\n\t\tsourceColumn: Name\n\n\t\textendedProperty ParameterMetadata = {\"version\": 3}\n\n\tpartition C = calculationGroup\n",
	"definition/relationships.tmdl":            "relationship r1\n\tfromColumn: Sales.'Order Date'\n\ttoColumn: Date.Date\n\nrelationship r2\n\tisActive: false\n\tcrossFilteringBehavior: bothDirections\n\tfromCardinality: one\n\ttoCardinality: many\n\tfromColumn: Sales.Amount\n\ttoColumn: Date.Date\n",
	"definition/roles/Readers.tmdl":            "role Readers\n\tmodelPermission: read\n\n\ttablePermission Sales = TRUE()\n",
	"definition/perspectives/Short.tmdl":       "perspective Short\n",
	"definition/cultures/en-US.tmdl":           "cultureInfo en-US\n\n\tlinguisticMetadata = {\"Version\": \"1.0.0\", \"CustomInstructions\": \"Use totals.\", \"Entities\": {\"sales\": {\"Definition\": {\"Binding\": {\"ConceptualEntity\": \"Sales\"}}, \"Terms\": [{\"deals\": {\"State\": \"Authored\"}}]}}}\n\t\tcontentType: json\n",
	"definition/cultures/de-DE.tmdl":           "cultureInfo de-DE\n\n\ttranslations\n\t\tmodel Model\n\t\t\tcaption: Modell\n\n\t\t\ttable Sales\n\t\t\t\tcaption: Verkäufe\n\n\t\t\t\tcolumn Amount\n\t\t\t\t\tcaption: Betrag\n\t\t\t\t\tdescription: d\n\n\t\t\t\tcolumn Band\n\n\t\t\t\tmeasure Total\n\t\t\t\t\tcaption: Summe gesamt\n\n\t\t\t\thierarchy H\n\t\t\t\t\tcaption: h\n\n\t\t\ttable Date\n\t\t\t\tdisplayFolder: x\n",
	"definition/expressions.tmdl":              "expression Server = \"x\"\n",
	"definition/functions.tmdl":                "function Twice = (x) => x * 2\n",
}

func parts(byPath map[string]string) definition.Definition {
	var all []definition.Part
	for path, text := range byPath {
		all = append(all, definition.Part{Path: path, Data: []byte(text)})
	}
	return definition.New(all...)
}

// Both formats of one model give the same Model except for line numbers.
func TestTMSLAndTMDLAgree(t *testing.T) {
	t.Parallel()
	fromTMSL, err := semanticmodel.Read(parts(map[string]string{"model.bim": bim}))
	if err != nil {
		t.Fatal(err)
	}
	fromTMDL, err := semanticmodel.Read(parts(tmdlFiles))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromTMDL, fromTMSL, cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(semanticmodel.Source{})); diff != "" {
		t.Errorf("(-TMDL +TMSL)\n%s", diff)
	}
	sales := fromTMSL.Tables[0]
	if sales.Description != "What was\nsold" || len(sales.Columns) != 4 || sales.Columns[2].Expression != "IF (\n    [Amount] > 10,\n    \"high\"\n)" {
		t.Errorf("got %+v", sales)
	}
	if got := fromTMSL.Cultures[0]; got.CustomInstructions == nil || *got.CustomInstructions != "Use totals." || len(got.Entities) != 1 {
		t.Errorf("got culture %+v", got)
	}
	if got := fromTMSL.Cultures[1].Captions; len(got) != 3 || got[0].Text != "Verkäufe" || got[2] != (semanticmodel.Caption{Table: "Sales", Name: "Total", Text: "Summe gesamt"}) {
		t.Errorf("got captions %+v", got)
	}
	want := semanticmodel.Source{File: "model.bim", Line: 10}
	if got := sales.Columns[0].Source; got != want {
		t.Errorf("the first column is declared at %+v, want %+v", got, want)
	}
}

func TestTMSLDefaultsAndForms(t *testing.T) {
	t.Parallel()
	got, err := semanticmodel.FromTMSL("model.bim", []byte("\ufeff"+`{"model":{"culture":null,"tables":[{"name":"T","calculationGroup":null,
		"columns":[{"name":"a"},{"name":"b","dataType":"Automatic","summarizeBy":"DistinctCount"},{"name":"c","dataType":"unknown"},{"name":"RowNumber-2662979B-1795-4F74-8F37-6A1BA8059B61"}],
		"partitions":[{"name":"p","source":{"query":["SELECT","1"]}}],
		"annotations":[{"name":"lines","value":["a","b"]},{"name":"null","value":null},{"name":"object","value":{"a":[1]}},{"name":"array","value":[1]}]}],
		"relationships":[{"isActive":null,"fromCardinality":null}],
		"cultures":[{"name":"a","linguisticMetadata":{"content":"{\"CustomInstructions\":\"\"}"}},{"name":"b","linguisticMetadata":{"content":"<Linguistic/>","contentType":"xml"}},{"name":"c"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &semanticmodel.Model{
		Tables: []semanticmodel.Table{{
			Name:        "T",
			Columns:     []semanticmodel.Column{{Name: "a"}, {Name: "b", SummarizeBy: "distinctCount"}, {Name: "c"}, {Name: "RowNumber-2662979B-1795-4F74-8F37-6A1BA8059B61", IsRowNumber: true}},
			Partitions:  []semanticmodel.Partition{{Name: "p", SourceType: "query", Expression: "SELECT\n1"}},
			Annotations: map[string]string{"lines": "a\nb", "null": "", "object": `{"a":[1]}`, "array": "[1]"},
		}},
		Relationships: []semanticmodel.Relationship{{FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One, CrossFilteringBehavior: "oneDirection", IsActive: true}},
		Cultures:      []semanticmodel.Culture{{Name: "a", CustomInstructions: new("")}, {Name: "b"}, {Name: "c"}},
		Unread: []semanticmodel.Unread{{Hides: semanticmodel.Synonyms, Notice: semanticmodel.Notice{Column: 137,
			Message: "this linguistic schema is XML, so its synonyms are not read; save the model in Power BI, which writes JSON"}}},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(semanticmodel.Source{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTMSLRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"no JSON", "{\n\"model\": tru}", "model.bim:2:13: not valid JSON"},
		{"an array", "[]", "model.bim:1:1: an object is expected here"},
		{"no model", "{}", "model.bim:1:1: there is no member model"},
		{"a model that is null", `{"model":null}`, "model.bim:1:1: there is no member model"},
		{"a script", `{"createOrReplace":{"database":{"model":{}}}}`, "model.bim:1:1: there is no member model; a TMSL script"},
		{"tables of another kind", "{\"model\":{\n\"tables\":{}}}", "model.bim:2:10: an array is expected here"},
		{"a name of another kind", "{\"model\":{\"tables\":[\n{\"name\":5}]}}", "model.bim:2:9: a text is expected here"},
		{"a table without a name", "{\"model\":{\"tables\":[\n{\"isHidden\":true}\n]}}", "model.bim:3:1: the object that begins in line 2 has no name"},
		{"two tables of one name", "{\"model\":{\"tables\":[{\"name\":\"a\"},\n{\"name\":\"A\"}\n]}}", `model.bim:3:1: the object "A" that begins in line 2 has the name of an earlier one`},
		{"two columns of one name", `{"model":{"tables":[{"name":"t","columns":[{"name":"a"},{"name":"a"}]}]}}`, "model.bim:1:69: the object \"a\""},
		{"a flag of another kind", `{"model":{"tables":[{"name":"t","isHidden":"true"}]}}`, "model.bim:1:44: true or false is expected here"},
		{"a precedence with a fraction", `{"model":{"tables":[{"name":"t","calculationGroup":{"precedence":1.5}}]}}`, "model.bim:1:66: an integer is expected here"},
	} {
		got, err := semanticmodel.FromTMSL("model.bim", []byte(c.text))
		if _, ok := errors.AsType[*jsonpart.Error](err); !ok || !strings.HasPrefix(err.Error(), c.want) || got != nil {
			t.Errorf("%s: got %v, %v, want %s…", c.name, got, err, c.want)
		}
	}
}
