package analyzer_test

import (
	"fmt"
	"strings"
	"testing"

	"readiness/cmd/readiness/teamrules"
	"readiness/cmd/readiness/teamrules/analyzer"
)

// An expression of Dynamic LINQ becomes one in CEL, or a reason why not.
func TestConvert(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ scope, expression, want string }{
		{"Measure", `string.IsNullOrWhitespace(FormatString) and not IsHidden`, `measure.formatString.trim() == "" && !measure.isHidden`},
		{"Measure", `IsVisible or not (Table.IsHidden or IsHidden)`, `(!measure.isHidden || !(measure.table.isHidden || measure.isHidden))`},
		{"Measure", `RegEx.IsMatch(Expression,"(?i)IFERROR\s*\(")`, `measure.expression.matches(r"(?i)IFERROR\s*\(")`},
		{"Measure", `Expression.IndexOf("HACK", StringComparison.OrdinalIgnoreCase) >= 0`, `measure.expression.lower().contains("hack")`},
		{"Measure", `Name.IndexOf(" ") = -1`, `!measure.name.contains(" ")`},
		{"Measure", `Name.Length > 3 == false`, `what stands at "==" is not understood`},
		{"DataColumn, CalculatedColumn, CalculatedTableColumn", `DataType = "Double" or DataType == DataType.Int64`, `(column.dataType == "double" || column.dataType == "int64")`},
		{"CalculatedColumn", `SortByColumn = null or SummarizeBy <> "None"`, `column.isCalculated && (column.sortByColumn == "" || column.summarizeBy != "none")`},
		{"DataColumn, CalculatedColumn, CalculatedTableColumn", `UsedInRelationships.Any(FromColumn.Name == current.Name and FromCardinality == "Many") and IsHidden == false`,
			`column.relationships.exists(r, r.from.name == column.name && r.fromCardinality == "many") && !column.isHidden`},
		{"DataColumn, CalculatedColumn, CalculatedTableColumn", `Model.Relationships.Any(FromColumn = outerIt)`, `model.relationships.exists(r, r.from == column)`},
		{"Table, CalculatedTable, CalculationGroup", `Measures.Count(IsVisible) + Hierarchies.Count > 10`, `(size(table.measures.filter(m, !m.isHidden)) + size(table.hierarchies)) > 10`},
		{"Table", `Partitions.Count = 1 and Partitions[0].Name <> Name`,
			`!table.isCalculated && !table.isCalculationGroup && size(table.partitions) == 1 && table.partitions[0].name != table.name`},
		{"CalculatedTable", `1=1`, `table.isCalculated && 1 == 1`},
		{"Model", `Tables.Any(DataCategory == "Time" && Columns.Any(IsKey == true)) == false`, `!(model.tables.exists(t, t.dataCategory == "Time" && t.columns.exists(c, c.isKey)))`},
		{"Model", `AllMeasures.Any(HasAnnotation("x"))`, `model.measures.exists(m, "x" in m.annotations)`},
		{"Relationship", `FromTable.Name = "a ""b""" and ToCardinality.ToString() == "Many"`, `relationship.from.table.name == "a \"b\"" && relationship.toCardinality == "many"`},
		{"Measure", `ReferencedBy.Count = 0`, `X: ReferencedBy also has columns, roles and hierarchies, which rules do not see`},
		{"Measure", `RegEx.IsMatch(Expression,"a(?!b)")`, `X: its pattern looks ahead or behind, or is not one of RE2`},
		{"Measure", `RegEx.IsMatch(Expression,"a" + Name)`, `X: a pattern that is made of names fails at names with brackets`},
		{"Measure", `Convert.ToInt64(GetAnnotation("x")) > 1`, `X: there is no Convert of measure here`},
		{"Measure", `1=1`, `X: its expression became 1 == 1, which is the same for every object`},
		{"Measure", `Name`, `X: measure.name is string, not bool`},
		{"Measure", `Name = 1`, `X: measure.name == 1 compares string with int`},
		{"Measure", `Name = "a`, `X: what stands at "\"a" is not understood`},
		{"Measure", `(Name = "a"`, `X: ")" is expected before ""`},
		{"Measure", ``, `X: what stands at "" is not understood`},
		{"Measure", strings.Repeat("(", 100), `X: it is nested too deeply`},
		{"Measure", strings.Repeat("!", 20000), `X: its expression has 20000 characters; at most 16384 are read`},
		{"Partition", `Mode.ToString() = "Import" and Name = "a"`, `partition.mode == "import" && partition.name == "a"`},
		{"Culture", `Name = "a"`, `X: rules do not judge the scope Culture`},
		{"Table", `Name.StartsWith("LocalDateTable_")`, `X: rules do not see the tables of automatic date hierarchies, which TIM-03 judges`},
	} {
		made := analyzer.Convert([]analyzer.Rule{{ID: "X", Name: "[Category] Title", Scope: tt.scope, Expression: tt.expression, Severity: 2}})
		got := strings.Join(made.Left, "; ")
		if len(made.Made) > 0 {
			got = made.Made[0].When
		}
		if got != tt.want && !(len(made.Made) == 0 && strings.Contains(got, tt.want)) {
			t.Errorf("%s: %s\n got %s\nwant %s", tt.scope, tt.expression, got, tt.want)
		}
	}
}

// A file of rules becomes a file that is read, and says what is left out.
func TestImport(t *testing.T) {
	t.Parallel()
	rules, err := analyzer.Read([]byte("\ufeff" + `[
		{"ID": "META_AVOID_FLOAT", "Name": "[Performance] Do not use \"floating\" {point}: data", "Scope": "DataColumn, CalculatedColumn, CalculatedTableColumn", "Severity": 3,
			"Expression": "DataType = \"Double\"", "Description": "Use\r\n%object%: not"},
		{"ID": "TRIM", "Name": "Trim", "Scope": "Measure, Level, DataColumn", "Severity": 1, "Expression": "Name.StartsWith(\" \")"},
		{"ID": "TRIM", "Name": "Twice", "Scope": "Measure, DataColumn", "Severity": 1, "Expression": "Name.EndsWith(\" \")"},
		{"ID": "OBJECTS_WITH_NO_DESCRIPTION", "Name": "No description", "Scope": "Measure", "Severity": 1, "Expression": "Description = \"\""}]`))
	if err != nil {
		t.Fatal(err)
	}
	made := analyzer.Convert(rules)
	if made.Rules != 4 || made.Imported != 3 || made.Partly != 1 || len(made.Made) != 4 || fmt.Sprint(made.Left) != "[TRIM: rules do not judge the scope Level TRIM: another rule has this id TRIM: another rule has this id]" {
		t.Errorf("got %+v", made)
	}
	text := string(made.YAML())
	r, err := teamrules.Parse("made.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	one := r.Rule("BPA-META-AVOID-FLOAT")
	if one == nil || one.Own.Title != `Do not use "floating" {point}: data` || one.Message != `Do not use "floating" {{point}}: data` || one.Own.Severity != "high" || one.Own.Why != "Use the object: not" {
		t.Errorf("got %+v", one)
	}
	if r.Rule("BPA-TRIM-MEASURE") == nil || r.Rule("BPA-TRIM-COLUMN") == nil || !strings.Contains(text, "  # The score has its counterpart: DSC-01, DSC-02, DSC-03.\n") {
		t.Errorf("got\n%s", text)
	}
	for name, src := range map[string]string{"object": "{}", "no rule": "[]", "text": "x"} {
		if _, err := analyzer.Read([]byte(src)); err == nil {
			t.Errorf("%s: read", name)
		}
	}
}

// No text makes the conversion panic, and what it makes can be read.
func FuzzConvert(f *testing.F) {
	f.Add("Measure", `RegEx.IsMatch(Expression,"(?i)IFERROR\s*\(") and Columns.Count(IsVisible) > 1`)
	f.Add("Model", `Tables.Where(it.Name[0] = "x").Any(outerIt.Measures.All(current.Name = null)) ? -1 : not`)
	f.Fuzz(func(t *testing.T, scope, expression string) {
		made := analyzer.Convert([]analyzer.Rule{{ID: "X", Name: "x", Scope: scope, Expression: expression}})
		if len(made.Made) == 0 {
			return
		}
		if _, err := teamrules.Parse("made.yaml", made.YAML()); err != nil {
			t.Errorf("%v\n%s", err, made.YAML())
		}
	})
}
