package ownrules_test

import (
	"fmt"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/ownrules"
)

// rule is a rule of a scope with an expression.
func rule(scope, when string) ownrules.Definition {
	return ownrules.Definition{OwnRule: readiness.OwnRule{ID: "CON-01", Title: "Wrong", Severity: finding.Medium, Effort: "minutes"}, Scope: scope, When: when, Message: "mend it"}
}

const sales = `
table Sales
  column Amount
    dataType: decimal
    summarizeBy: sum
  column Code
    dataType: string
    isHidden
  measure Revenue = SUM(Sales[Amount])
    formatString: #,0
  measure Share = IFERROR([Revenue] / 0, 0)
    displayFolder: Ratios
  partition Amount = m
    mode: import
    source = 1
  partition Lake = entity
    mode: directLake
  hierarchy 'By Code'
    level Code
      column: Code
table Calendar
  dataCategory: Time
  column Date
    dataType: dateTime
    isKey
  column Day
    dataType: dateTime
perspective Readers
role Readers
  modelPermission: read
relationship r1
  fromColumn: Sales.Code
  toColumn: Calendar.Day
  crossFilteringBehavior: bothDirections
`

func read(t *testing.T, tmdl string) *semanticmodel.Model {
	t.Helper()
	m, err := semanticmodel.Read(definition.New(definition.Part{Path: "definition/model.tmdl", Data: []byte(tmdl)}))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// judge returns the messages of the rules on a model, and why rules were left out.
func judge(t *testing.T, m *semanticmodel.Model, all ...ownrules.Definition) (messages, left []string) {
	t.Helper()
	set, problems := ownrules.Compile(all, readiness.Current())
	if problems != nil {
		t.Fatal(problems)
	}
	regime, err := readiness.Current().WithOwn("team", set)
	if err != nil {
		t.Fatal(err)
	}
	result := regime.Assess(m, readiness.Options{})
	for _, f := range result.Findings {
		if result.OwnRule(f.RuleIDs[0]) != nil {
			messages = append(messages, f.Message)
		}
	}
	for _, o := range result.Own {
		if o.LeftOut != "" {
			left = append(left, o.LeftOut)
		}
	}
	return messages, left
}

func TestRulesJudge(t *testing.T) {
	t.Parallel()
	m := read(t, sales)
	for name, tt := range map[string]struct {
		scope, when, message string
		want                 []string
	}{
		"text":            {"measure", `measure.formatString == ""`, "set a format for {measure.name}", []string{"Measure [Share]: set a format for Share."}},
		"calls":           {"measure", `"IFERROR" in measure.calls`, "calls {measure.calls}", []string{"Measure [Share]: calls IFERROR."}},
		"list":            {"table", `table.columns.exists(c, c.isHidden)`, "{size(table.columns)} columns {{1}}", []string{"Table 'Sales': 2 columns {1}."}},
		"link":            {"column", `column.table.isDate && !column.isKey`, "x", []string{}},
		"upper and lower": {"column", `column.name.lower() == "code" && column.name.upper() == "CODE" && " a ".trim() == "a"`, "x", []string{"Column 'Sales'[Code]: x."}},
		"matches":         {"column", `column.name.matches("(?i)^amo")`, "x", []string{"Column 'Sales'[Amount]: x."}},
		"referencedBy":    {"column", `column.referencedBy.exists(m, m.name == "Revenue")`, "x", []string{"Column 'Sales'[Amount]: x."}},
		"measures":        {"measure", `measure.measures.exists(m, m.name == "Revenue")`, "x", []string{"Measure [Share]: x."}},
		"hierarchy":       {"hierarchy", `hierarchy.levels[0].column == "Code"`, "x", []string{"Hierarchy 'Sales'[By Code]: x."}},
		"relationship":    {"relationship", `relationship.crossFilteringBehavior == "bothDirections" && relationship.from.table.name == "Sales"`, "x", []string{"Relationship Sales[Code] -> Calendar[Day]: x."}},
		"role":            {"role", `role.name.startsWith("Read")`, "x", []string{"Role 'Readers': x."}},
		"partition":       {"partition", `partition.mode == "import" && partition.sourceType == "m" && partition.table.name == "Sales"`, "{partition.name}", []string{`Partition "Amount" of 'Sales': Amount.`}},
		"partitions":      {"table", `table.partitions.exists(p, p.mode == "directLake")`, "x", []string{"Table 'Sales': x."}},
		"perspective":     {"perspective", `perspective.name in model.perspectives`, "x", []string{`Perspective "Readers": x.`}},
		"model":           {"model", `size(model.tables) == 2`, "{model.roles[0].name}", []string{"The model: Readers."}},
		"none":            {"measure", `measure.name == "x"`, "x", []string{}},
		"same object":     {"column", `column.table.columns[0] == column`, "x", []string{"Column 'Calendar'[Date]: x.", "Column 'Sales'[Amount]: x."}},
		"annotation":      {"table", `"x" in table.annotations`, "x", []string{}},
		"several lines":   {"measure", "measure.isHidden ||\nmeasure.displayFolder == 'Ratios'", "x", []string{"Measure [Share]: x."}},
	} {
		d := rule(tt.scope, tt.when)
		d.Message = tt.message
		got, left := judge(t, m, d)
		if fmt.Sprint(got) != fmt.Sprint(tt.want) || left != nil {
			t.Errorf("%s: got %q, left out %q, want %q", name, got, left, tt.want)
		}
	}
}

// What a person can write wrongly is a problem at its place.
func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	with := func(change func(*ownrules.Definition)) []ownrules.Definition {
		d := rule("measure", `measure.name == ""`)
		change(&d)
		return []ownrules.Definition{d}
	}
	when := func(text string) []ownrules.Definition {
		return with(func(d *ownrules.Definition) { d.When = text })
	}
	message := func(text string) []ownrules.Definition {
		return with(func(d *ownrules.Definition) { d.Message = text })
	}
	for name, tt := range map[string]struct {
		rules []ownrules.Definition
		want  string
	}{
		"id":                     {with(func(d *ownrules.Definition) { d.ID = "con 1" }), `id 0:0 must be a prefix of your own in capitals`},
		"id of ours":             {with(func(d *ownrules.Definition) { d.ID = "NAM-77" }), `id 0:0 NAM-77 has a prefix of the rules of 2027-01`},
		"id twice":               {append(when("measure.isHidden"), when("measure.isHidden")...), `id 0:0 CON-01 is also the id of rule 1`},
		"scope":                  {with(func(d *ownrules.Definition) { d.Scope = "visual" }), `scope 0:0 must be one of calculationItem, column,`},
		"unknown member":         {when("measure.formatStrin == ''"), `when 1:8 there is no member "formatStrin" here; the closest of any object is "formatString"`},
		"unknown member, line 2": {when("measure.isHidden\n  || measure.hidden"), `when 2:13 there is no member "hidden" here; the closest of any object is "isHidden"`},
		"unknown name":           {when("column.name == ''"), `when 1:1 there is nothing named "column"; a rule sees model, and what its scope names`},
		"type":                   {when("measure.name"), `when 1:1 must be bool, not string`},
		"operand":                {when("measure.name > 3"), `when 1:14 found no matching overload for '_>_' applied to '(string, int)'`},
		"syntax":                 {when("measure.name == "), `when 1:17 Syntax error`},
		"empty":                  {when(" "), `when 1:1 needs an expression`},
		"always":                 {when("true"), `when 1:1 is the same for every object`},
		"never":                  {when("1 > 2"), `when 1:1 is the same for every object`},
		"regular expression":     {when(`measure.name.matches("(")`), `when 1:22 invalid matches argument`},
		"nested loops":           {when(`model.tables.all(a, model.tables.all(b, model.tables.all(c, model.tables.all(d, a == d))))`), `when 1:77 comprehension exceeds nesting limit`},
		"long":                   {when(strings.Repeat("measure.isHidden ||", 500) + "true"), `when 1:1 expression code point size exceeds limit`},
		"many":                   {when(strings.Repeat("measure.isHidden || ", 199) + "true"), `when 1:1 expression node count exceeds limit`},
		"message: brace":         {message("set {measure.name"), `message 1:5 a { without a }`},
		"message: closing":       {message("set\n measure.name}"), `message 2:14 a } without a {`},
		"message: unknown":       {message("set {measure.name} {measure.nam}"), `message 1:28 there is no member "nam" here`},
		"message: on line 2":     {message("a\nb {measure.nam}"), `message 2:11 there is no member "nam" here`},
		"message: object":        {message("{measure.table}"), `message 1:2 cannot be shown in a message: it is Table`},
	} {
		_, problems := ownrules.Compile(tt.rules, readiness.Current())
		var got []string
		for _, p := range problems {
			got = append(got, fmt.Sprintf("%s %d:%d %s", p.Member, p.Line, p.Column, p.Message))
		}
		if len(got) == 0 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// A rule that fails while it runs is left out alone, and the reason says where.
func TestRulesLeftOut(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ scope, when, want string }{
		"division by zero": {"table", "10 / (size(table.measures)) > 1", "division by zero (1:4 of the expression), at table 'Calendar'"},
		"no such key":      {"table", `table.annotations["x"] == "y"`, "no such key: x (1:18 of the expression), at table 'Calendar'"},
		"index":            {"table", "table.measures[5].isHidden", "index out of bounds: 5"},
		"number":           {"column", "int(column.name) > 1", "type conversion error"},
	} {
		good := rule("measure", `measure.name == "Share"`)
		good.ID = "CON-02"
		got, left := judge(t, read(t, sales), rule(tt.scope, tt.when), good)
		if len(left) != 1 || !strings.HasPrefix(left[0], tt.want) || fmt.Sprint(got) != "[Measure [Share]: mend it.]" {
			t.Errorf("%s: got %q, left out %q, want %q", name, got, left, tt.want)
		}
	}
}

// What a rule may cost is bounded for an object, for the model, and for all rules together.
func TestRulesAreBounded(t *testing.T) {
	t.Parallel()
	var tmdl strings.Builder
	tmdl.WriteString("table T\n")
	for i := range 250 {
		fmt.Fprintf(&tmdl, "  column C%d\n    dataType: string\n", i)
	}
	m := read(t, tmdl.String())
	cubed := rule("model", `model.columns.all(a, model.columns.all(b, model.columns.all(c, a.name + b.name != c.name)))`)
	_, left := judge(t, m, cubed)
	if fmt.Sprint(left) != "[it takes more than 1000000 steps for one object, at the model]" {
		t.Errorf("one object: left out %q", left)
	}
	squared := rule("column", `model.columns.all(b, model.columns.all(c, !c.isKey))`)
	_, left = judge(t, m, squared)
	if len(left) != 1 || !strings.HasPrefix(left[0], "it takes more than 20000000 steps for the model, at column 'T'[") {
		t.Errorf("one rule: left out %q", left)
	}
	var all []ownrules.Definition
	for i := range 4 {
		one := squared
		one.ID = fmt.Sprintf("CON-0%d", i)
		all = append(all, one)
	}
	_, left = judge(t, m, all...)
	if len(left) != 4 || !strings.HasPrefix(left[3], "all rules together take more than 50000000 steps for the model") {
		t.Errorf("all rules: left out %q", left)
	}
}
