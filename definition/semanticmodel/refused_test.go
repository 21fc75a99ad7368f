package semanticmodel_test

import (
	"fmt"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/semanticmodel"
)

// refusedModel has one of everything that names something else; each case changes a line of it.
const refusedModel = `database
	compatibilityLevel: 1567

model Model
	culture: en-US
	dataAccessOptions
		legacyRedirects

queryGroup Loads

/// loads
expression Source = 1
	queryGroup: Loads

relationship r
	fromColumn: Sales.DateKey
	toColumn: 'Date'.Date

table Sales
	lineageTag: 1

	/// kept
	measure Total = 1
		formatString: 0
		displayFolder: F

		annotation A = 1

	column DateKey
		dataType: dateTime
		sourceColumn: DateKey

		variation V
			isDefault
			relationship: r
			defaultHierarchy: 'Date'.H

	partition P = entity
		mode: directLake
		queryGroup: Loads
		source
			entityName: sales
			expressionSource: Source

table Date

	column Date
		sortByColumn: 'Month No'
		sourceColumn: Date

	column 'Month No'
		sourceColumn: MonthNo

	hierarchy H

		level L
			column: Date

	calendar Fiscal
		lineageTag: 2

		calendarColumnGroup = month
			primaryColumn: Date
			associatedColumn: 'Month No'

		calendarColumnGroup
			column: Date

	refreshPolicy
		policyType: basic
		sourceExpression = 1

ref table Gone

role R
	modelPermission: read

	tablePermission Sales = TRUE()

		columnPermission DateKey = none

perspective P

	perspectiveTable Sales
		perspectiveMeasure Total
		perspectiveColumn datekey

	perspectiveTable Date
		perspectiveHierarchy H

cultureInfo de-DE

	translations

		model Model

			table Sales
				description: Umsatz
				caption: Umsatz
`

// What Power BI refuses is a notice with its place, for every kind; what it accepts is none.
//
// proves: decisions/9/15-notices
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old, line string // the line, and what takes its place
		want      string // the text at which the notice is, and a part of its message
	}{
		"nothing":                    {"model Model", "model Model", ""},
		"a rare property":            {"	culture: en-US", "	culture: en-US\n	directLakeBehavior: automatic\n	discourageReportMeasures", ""},
		"an unknown property":        {"		formatString: 0", "		formatString: 0\n		tooltip: abc", "tooltip|a measure has no tooltip in Power BI"},
		"an unknown flag":            {"		legacyRedirects", "		legacyRedirects\n		returnErrorsAsNull", "returnErrorsAsNull|a dataAccessOptions has no"},
		"an unknown object":          {"	culture: en-US", "	culture: en-US\n	laterThing\n		part: 1", "laterThing|a model has no laterThing"},
		"a value of an object":       {"	dataAccessOptions\n		legacyRedirects", "	dataAccessOptions =\n		legacyRedirects", "dataAccessOptions|a dataAccessOptions has no value"},
		"a calendar's column":        {"			primaryColumn: Date", "			primaryColumn: Year", "primaryColumn|of the calendarColumnGroup names Year"},
		"a calendar's second column": {"			associatedColumn: 'Month No'", "			associatedColumn: Year", "associatedColumn|names Year"},
		"a property behind an annotation": {"		annotation A = 1", "		annotation A = 1\n		isHidden",
			"isHidden|no property behind a child object (annotation"},
		"a property behind a child":    {"	refreshPolicy", "	isHidden\n\n	refreshPolicy", "isHidden|no property behind a child object (column"},
		"description as a property":    {"		formatString: 0", "		description: old style", "description: old|write the text in /// lines above the measure"},
		"a described refreshPolicy":    {"	refreshPolicy", "	/// x\n	refreshPolicy", "refreshPolicy|no refreshPolicy has a description"},
		"a described permission":       {"	tablePermission Sales = TRUE()", "	/// x\n	tablePermission Sales = TRUE()", "tablePermission Sales|no tablePermission has a description"},
		"a described relationship":     {"relationship r", "/// x\nrelationship r", "relationship r|no relationship has a description"},
		"a measure of two tables":      {"table Date", "table Date\n\n	measure TOTAL = 2", "measure TOTAL|another table has the measure 'Total' too (definition/a.tmdl:"},
		"an object as a property":      {"	dataAccessOptions\n		legacyRedirects", "	dataAccessOptions:", "dataAccessOptions:|no property in Power BI but an object"},
		"an expression behind a colon": {"		sourceExpression = 1", "		sourceExpression: 1", "sourceExpression|reads behind a \"=\""},
		"a value behind an equals":     {"		dataType: dateTime", "		dataType = dateTime", "dataType|behind a \":\"; write dataType: dateTime"},
		"a property of another type":   {"		displayFolder: F", "		summarizeBy: none", "summarizeBy|a measure has no property summarizeBy in Power BI, only a column"},
		"a flag of another type":       {"		mode: directLake", "		isHidden", "isHidden|a partition has no property isHidden"},
		"sortByColumn":                 {"		sortByColumn: 'Month No'", "		sortByColumn: MonthNo", "sortByColumn|names MonthNo, which the model does not have"},
		"fromColumn":                   {"	fromColumn: Sales.DateKey", "	fromColumn: Sales.Key", "fromColumn|names Sales.Key"},
		"toColumn of a table":          {"	toColumn: 'Date'.Date", "	toColumn: Dates.Date", "toColumn|names Dates.Date"},
		"expressionSource":             {"			expressionSource: Source", "			expressionSource: DatabaseQuery", "expressionSource|names DatabaseQuery"},
		"queryGroup":                   {"		queryGroup: Loads", "		queryGroup: Other", "queryGroup: Other|names Other"},
		"a level's column":             {"			column: Date", "			column: Day", "column: Day|the property column of the level 'L' names Day"},
		"a variation's relationship":   {"			relationship: r", "			relationship: s", "relationship: s|names s"},
		"a variation's hierarchy":      {"			defaultHierarchy: 'Date'.H", "			defaultHierarchy: 'Date'.G", "defaultHierarchy|names 'Date'.G"},
		"a permission's table":         {"	tablePermission Sales = TRUE()", "	tablePermission Gone = TRUE()", "tablePermission|the tablePermission 'Gone' is for an object"},
		"a permission's column":        {"		columnPermission DateKey = none", "		columnPermission Gone = none", "columnPermission|'Gone' is for an object"},
		"a perspective's table":        {"	perspectiveTable Date", "	perspectiveTable Dates", "perspectiveTable Dates|'Dates' is for an object"},
		"a perspective's measure":      {"		perspectiveMeasure Total", "		perspectiveMeasure Gone", "perspectiveMeasure|'Gone' is for an object"},
		"a perspective's hierarchy":    {"		perspectiveHierarchy H", "		perspectiveHierarchy G", "perspectiveHierarchy|'G' is for an object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(refusedModel, c.old+"\n") {
				t.Fatalf("the model does not have %q", c.old)
			}
			src := strings.Replace(refusedModel, c.old+"\n", c.line+"\n", 1)
			m, err := semanticmodel.Read(definition.New(definition.Part{Path: "definition/a.tmdl", Data: []byte(src)}))
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if len(m.Notices) > 0 {
					t.Errorf("got %v, want none", m.Notices)
				}
				return
			}
			at, message, _ := strings.Cut(c.want, "|")
			if len(m.Notices) != 1 || !strings.Contains(m.Notices[0].Message, message) {
				t.Fatalf("got %v, want one with %q", m.Notices, message)
			}
			from := strings.Index(src, c.line)
			from += strings.Index(src[from:], at)
			line := strings.Count(src[:from], "\n") + 1
			column := from - strings.LastIndex(src[:from], "\n")
			if got, want := m.Notices[0].String(), fmt.Sprintf("definition/a.tmdl:%d:%d: ", line, column); !strings.HasPrefix(got, want) {
				t.Errorf("got %s, want it at %s", got, want)
			}
		})
	}
}

// refusedTMSLModel is refusedModel's like in TMSL.
const refusedTMSLModel = `{"compatibilityLevel": 1567, "model": {
"culture": "en-US", "discourageReportMeasures": true, "dataAccessOptions": {"legacyRedirects": true},
"queryGroups": [{"folder": "Loads"}],
"expressions": [{"name": "Source", "kind": "m", "expression": ["1"], "queryGroup": "Loads"}],
"relationships": [{"name": "r",
 "fromTable": "Sales", "fromColumn": "DateKey",
 "toTable": "Date", "toColumn": "Date"}],
"tables": [{"name": "Sales", "lineageTag": "1", "changedProperties": [{"property": "Name"}],
 "measures": [{"name": "Total", "description": "kept", "expression": "1", "annotations": [{"name": "A", "value": "1"}]}],
 "columns": [{"name": "DateKey", "type": "data", "dataType": "dateTime",
  "variations": [{"name": "V", "isDefault": true, "relationship": "r",
   "defaultHierarchy": {"table": "Date", "hierarchy": "H"}}]}],
 "partitions": [{"name": "P", "mode": "directLake", "queryGroup": "Loads",
  "source": {"type": "entity", "expressionSource": "Source"}}]
}, {"name": "Date",
 "columns": [{"name": "Date", "sortByColumn": "Month No."}, {"name": ["Month No."]}],
 "hierarchies": [{"name": "H", "levels": [{"name": "L", "ordinal": 0, "column": "Date"}]}],
 "calendars": [{"name": "C", "calendarColumnGroups": [{"timeUnit": "month", "primaryColumn": "Date"}]}],
 "refreshPolicy": {"policyType": "basic"}
}],
"roles": [{"name": "R", "modelPermission": "read", "members": [{"memberName": "x"}],
 "tablePermissions": [{"name": "Sales", "filterExpression": "TRUE()",
  "columnPermissions": [{"name": "DateKey", "metadataPermission": "none"}]}]}],
"perspectives": [{"name": "P", "tables": [{"name": "Sales",
 "measures": [{"name": "Total"}]}]}],
"cultures": [{"name": "de-DE", "translations": {"model": {"name": "Model", "tables": [{"name": "Sales", "translatedCaption": "Umsatz"}]}}}]
}}`

// What Power BI refuses in TMDL it refuses in TMSL, and the notice has the place.
//
// proves: decisions/9/15-notices
func TestRefusedTMSL(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old, text string // a text of the model, and what takes its place
		want      string // the text at which the notice is, and a part of its message
	}{
		"nothing":                  {`"r"`, `"r"`, ""},
		"an unknown member":        {`"lineageTag": "1"`, `"colour": "red"`, `"red"|a table has no colour in Power BI`},
		"a described policy":       {`{"policyType"`, `{"description": "x", "policyType"`, `"x"|a refreshPolicy has no description`},
		"sortByColumn":             {`: "Month No."`, `: "Month"`, `"Month"|the property sortByColumn of the column 'Date' names Month`},
		"fromColumn":               {`"fromColumn": "DateKey"`, `"fromColumn": "Key"`, `"Key"|names Sales.Key`},
		"toTable":                  {`"toTable": "Date", "toColumn": "Date"`, `"toTable": "Dates", "toColumn": "Date"`, `"Date"}|names Dates.Date`},
		"expressionSource":         {`"expressionSource": "Source"`, `"expressionSource": "Query"`, `"Query"|names Query`},
		"queryGroup":               {`"mode": "directLake", "queryGroup": "Loads"`, `"queryGroup": "Other"`, `"Other"|names Other`},
		"a level's column":         {`"ordinal": 0, "column": "Date"`, `"column": "Day"`, `"Day"|column of the level 'L' names Day`},
		"a variation's hierarchy":  {`{"table": "Date", "hierarchy": "H"}`, `{"table": "Date", "hierarchy": "G"}`, `{"table"|names Date.G`},
		"a calendar's column":      {`"primaryColumn": "Date"`, `"primaryColumn": "Year"`, `"Year"|primaryColumn of the calendarColumnGroup names Year`},
		"a permission's table":     {`{"name": "Sales", "filterExpression": "TRUE()",`, `{"name": "Sales"}, {"name": "Gone",`, `{"name": "Gone"|tablePermission 'Gone' is for`},
		"a permission's column":    {`{"name": "DateKey", "metadata`, `{"name": "Key", "metadata`, `{"name": "Key"|columnPermission 'Key' is for`},
		"a perspective's measure":  {`"measures": [{"name": "Total"}]`, `"measures": [{"name": "Gone"}]`, `{"name": "Gone"|'Gone' is for an object`},
		"a measure of two tables":  {`"refreshPolicy": {`, `"measures": [{"name": "TOTAL"}], "refreshPolicy": {`, `{"name": "TOTAL"|another table has the measure 'Total' too`},
		"two with one lineage tag": {`{"name": "Date",`, `{"name": "Date", "lineageTag": "1",`, `"1",|has the lineage tag of the table 'Sales'`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(refusedTMSLModel, c.old) {
				t.Fatalf("the model does not have %q", c.old)
			}
			src := strings.Replace(refusedTMSLModel, c.old, c.text, 1)
			m, err := semanticmodel.Read(definition.New(definition.Part{Path: "model.bim", Data: []byte(src)}))
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if len(m.Notices) > 0 {
					t.Errorf("got %v, want none", m.Notices)
				}
				return
			}
			at, message, _ := strings.Cut(c.want, "|")
			if len(m.Notices) != 1 || !strings.Contains(m.Notices[0].Message, message) {
				t.Fatalf("got %v, want one with %q", m.Notices, message)
			}
			from := strings.Index(src, c.text)
			from += strings.Index(src[from:], at)
			line := strings.Count(src[:from], "\n") + 1
			column := from - strings.LastIndex(src[:from], "\n")
			if got, want := m.Notices[0].String(), fmt.Sprintf("model.bim:%d:%d: ", line, column); !strings.HasPrefix(got, want) {
				t.Errorf("got %s, want it at %s", got, want)
			}
		})
	}
}

// A model without a database, and one that has two forms, is a notice.
//
// proves: decisions/9/15-notices
func TestRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	table := definition.Part{Path: "Definition/t.tmdl", Data: []byte("table T\n\tcolumn A\n")}
	database := definition.Part{Path: "Definition/d.tmdl", Data: []byte("database\n")}
	bim := definition.Part{Path: "Model.bim", Data: []byte(`{"model":{}}`)}
	loose := definition.New(definition.Part{Path: "t.tmdl", Data: table.Data})
	loose.Loose = true
	for name, c := range map[string]struct {
		d    definition.Definition
		want string
	}{
		"whole":           {definition.New(table, database), ""},
		"a piece":         {loose, ""},
		"TMSL":            {definition.New(bim), ""},
		"no database":     {definition.New(table), "Definition/database.tmdl:1:1: no file declares the database"},
		"two definitions": {definition.New(table, database, bim), "Model.bim:1:1: there are two models: the folder Definition/ is read"},
	} {
		m, err := semanticmodel.Read(c.d)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.want == "" && len(m.Notices) == 0:
		case c.want == "" || len(m.Notices) != 1 || !strings.HasPrefix(m.Notices[0].String(), c.want):
			t.Errorf("%s: got %v, want %q", name, m.Notices, c.want)
		}
	}
}
