package readiness_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// Models are built from parts: model(table("Sales", text("Customer"), total("Net",
// "…")), …).

type (
	tableOption   func(*semanticmodel.Table)
	columnOption  func(*semanticmodel.Column)
	measureOption func(*semanticmodel.Measure)
	modelOption   func(*semanticmodel.Model)
)

func model(parts ...any) *semanticmodel.Model {
	m := &semanticmodel.Model{}
	for _, p := range parts {
		switch p := p.(type) {
		case semanticmodel.Table:
			m.Tables = append(m.Tables, p)
		case semanticmodel.Relationship:
			m.Relationships = append(m.Relationships, p)
		case modelOption:
			p(m)
		default:
			panic(fmt.Sprintf("a model has no %T", p))
		}
	}
	return m
}

func table(name string, parts ...any) semanticmodel.Table {
	t := semanticmodel.Table{Name: name}
	for _, p := range parts {
		switch p := p.(type) {
		case semanticmodel.Column:
			t.Columns = append(t.Columns, p)
		case semanticmodel.Measure:
			t.Measures = append(t.Measures, p)
		case semanticmodel.Hierarchy:
			t.Hierarchies = append(t.Hierarchies, p)
		case semanticmodel.Partition:
			t.Partitions = append(t.Partitions, p)
		case *semanticmodel.CalculationGroup:
			t.CalculationGroup = p
		case tableOption:
			p(&t)
		default:
			panic(fmt.Sprintf("a table has no %T", p))
		}
	}
	return t
}

func column(name string, typ semanticmodel.DataType, options ...columnOption) semanticmodel.Column {
	c := semanticmodel.Column{Name: name, DataType: typ}
	for _, o := range options {
		o(&c)
	}
	return c
}

func text(name string, options ...columnOption) semanticmodel.Column {
	return column(name, semanticmodel.String, options...)
}

func whole(name string, options ...columnOption) semanticmodel.Column {
	return column(name, semanticmodel.Int64, options...)
}

func amount(name string, options ...columnOption) semanticmodel.Column {
	return column(name, semanticmodel.Decimal, options...)
}

func date(name string, options ...columnOption) semanticmodel.Column {
	return column(name, semanticmodel.DateTime, options...)
}

func measure(name, expression string, options ...measureOption) semanticmodel.Measure {
	m := semanticmodel.Measure{Name: name, Expression: expression}
	for _, o := range options {
		o(&m)
	}
	return m
}

func measures(n int, name string, options ...measureOption) tableOption {
	return func(t *semanticmodel.Table) {
		for i := range n {
			t.Measures = append(t.Measures, measure(fmt.Sprintf(name, i), fmt.Sprint(i), options...))
		}
	}
}

func columns(n int, name string, typ semanticmodel.DataType, options ...columnOption) tableOption {
	return func(t *semanticmodel.Table) {
		for i := range n {
			t.Columns = append(t.Columns, column(fmt.Sprintf(name, i), typ, options...))
		}
	}
}

func tables(n int, name string, parts ...any) modelOption {
	return func(m *semanticmodel.Model) {
		for i := range n {
			m.Tables = append(m.Tables, table(fmt.Sprintf(name, i), parts...))
		}
	}
}

func described(text string) tableOption { return func(t *semanticmodel.Table) { t.Description = text } }
func about(text string) columnOption    { return func(c *semanticmodel.Column) { c.Description = text } }
func says(text string) measureOption    { return func(m *semanticmodel.Measure) { m.Description = text } }
func inFormat(format string) columnOption {
	return func(c *semanticmodel.Column) { c.FormatString = format }
}
func formatted(s string) measureOption   { return func(m *semanticmodel.Measure) { m.FormatString = s } }
func folder(s string) measureOption      { return func(m *semanticmodel.Measure) { m.DisplayFolder = s } }
func summarized(by string) columnOption  { return func(c *semanticmodel.Column) { c.SummarizeBy = by } }
func sorted(by string) columnOption      { return func(c *semanticmodel.Column) { c.SortByColumn = by } }
func category(s string) columnOption     { return func(c *semanticmodel.Column) { c.DataCategory = s } }
func source(s string) columnOption       { return func(c *semanticmodel.Column) { c.SourceColumn = s } }
func tableCategory(s string) tableOption { return func(t *semanticmodel.Table) { t.DataCategory = s } }
func calendar(name string) tableOption {
	return func(t *semanticmodel.Table) { t.Calendars = append(t.Calendars, name) }
}
func explicitOnly(m *semanticmodel.Model) { m.ExplicitOnly = true }
func function(name, expression string) modelOption {
	return func(m *semanticmodel.Model) {
		m.Functions = append(m.Functions, semanticmodel.Function{Name: name, Expression: expression})
	}
}
func instructed(text string) modelOption {
	return func(m *semanticmodel.Model) { m.Copilot.Instructions = &text }
}
func annotated(name string) tableOption {
	return func(t *semanticmodel.Table) { t.Annotations = map[string]string{name: "false"} }
}

var (
	hiddenTable   tableOption   = func(t *semanticmodel.Table) { t.IsHidden = true }
	privateTable  tableOption   = func(t *semanticmodel.Table) { t.IsPrivate = true }
	hidden        columnOption  = func(c *semanticmodel.Column) { c.IsHidden = true }
	key           columnOption  = func(c *semanticmodel.Column) { c.IsKey = true }
	rowNumber     columnOption  = func(c *semanticmodel.Column) { c.IsRowNumber = true }
	defaultLabel  columnOption  = func(c *semanticmodel.Column) { c.IsDefaultLabel = true }
	hiddenMeasure measureOption = func(m *semanticmodel.Measure) { m.IsHidden = true }
	parameter     columnOption  = func(c *semanticmodel.Column) {
		c.ExtendedProperties = map[string]string{"ParameterMetadata": `{"version":3,"kind":2}`}
	}
	calculated = semanticmodel.Partition{Name: "p", SourceType: "calculated"}
)

func group(items ...string) *semanticmodel.CalculationGroup {
	g := &semanticmodel.CalculationGroup{}
	for _, name := range items {
		g.Items = append(g.Items, semanticmodel.CalculationItem{Name: name, Expression: "SELECTEDMEASURE()"})
	}
	return g
}

func hierarchy(name string, columns ...string) semanticmodel.Hierarchy {
	h := semanticmodel.Hierarchy{Name: name}
	for _, c := range columns {
		h.Levels = append(h.Levels, semanticmodel.Level{Name: c, Column: c})
	}
	return h
}

// related reads "Sales[Date] -> Date[Date]" into an active many-to-one relationship.
// Options change it: inactive, both, manyToMany, oneToOne.
func related(label string, options ...string) semanticmodel.Relationship {
	end := func(s string) (string, string) {
		table, column, _ := strings.Cut(strings.TrimSuffix(s, "]"), "[")
		return table, column
	}
	from, to, _ := strings.Cut(label, " -> ")
	r := semanticmodel.Relationship{
		FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One,
		CrossFilteringBehavior: "oneDirection", IsActive: true,
	}
	r.FromTable, r.FromColumn = end(from)
	r.ToTable, r.ToColumn = end(to)
	for _, o := range options {
		switch o {
		case "inactive":
			r.IsActive = false
		case "both":
			r.CrossFilteringBehavior = "bothDirections"
		case "manyToMany":
			r.ToCardinality = semanticmodel.Many
		case "oneToOne":
			r.FromCardinality = semanticmodel.One
		case "oneToMany":
			r.FromCardinality, r.ToCardinality = semanticmodel.One, semanticmodel.Many
		default:
			panic(o)
		}
	}
	return r
}

// schema reads lines such as "Sales Hidden", "Sales[Net] Visible" and "Sales[Net]" (no
// visibility) into an AI data schema, in this order. A field is listed both as a column
// and as a measure.
func schema(lines ...string) modelOption {
	s := &semanticmodel.AISchema{}
	at := map[string]int{}
	entry := func(table string) *semanticmodel.AITable {
		if _, ok := at[table]; !ok {
			at[table] = len(s.Tables)
			s.Tables = append(s.Tables, semanticmodel.AITable{Name: table})
		}
		return &s.Tables[at[table]]
	}
	for _, line := range lines {
		name, visibility := line, ""
		if i := strings.LastIndex(line, " "); i > strings.LastIndex(line, "]") {
			name, visibility = line[:i], line[i+1:]
		}
		table, field, isField := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		t := entry(table)
		if !isField {
			t.Visibility = visibility
			continue
		}
		f := semanticmodel.AIField{Name: field, Visibility: visibility}
		t.Columns, t.Measures, t.Hierarchies = append(t.Columns, f), append(t.Measures, f), append(t.Hierarchies, f)
	}
	return func(m *semanticmodel.Model) { m.Copilot.Schema = s }
}

// synonyms gives an object ("Sales", "Sales[Net]") terms with a state, in the
// linguistic schema of a culture.
func synonyms(object, state string, terms ...string) modelOption {
	table, field, _ := strings.Cut(strings.TrimSuffix(object, "]"), "[")
	e := semanticmodel.LinguisticEntity{Table: table, Property: field}
	for _, t := range terms {
		e.Terms = append(e.Terms, semanticmodel.Term{Text: t, State: state})
	}
	return func(m *semanticmodel.Model) {
		m.Cultures = append(m.Cultures, semanticmodel.Culture{Name: "en-US", Entities: []semanticmodel.LinguisticEntity{e}})
	}
}

// answered adds a verified answer on fields such as "Sales[Net]".
func answered(folder string, phrases []string, fields ...string) modelOption {
	a := semanticmodel.VerifiedAnswer{Folder: folder, TriggerPhrases: phrases}
	for _, f := range fields {
		table, field, _ := strings.Cut(strings.TrimSuffix(f, "]"), "[")
		a.Fields = append(a.Fields, semanticmodel.FieldRef{Table: table, Name: field})
	}
	return func(m *semanticmodel.Model) { m.Copilot.VerifiedAnswers = append(m.Copilot.VerifiedAnswers, a) }
}

func phrases(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("how much %d", i))
	}
	return out
}

// row is a model and the result of a rule for it: each eligible object with its
// violation, as in "Sales 1, Sales[Net] 0.5", "#" for the model, and "" when the rule
// does not apply.
type row struct {
	name  string
	model *semanticmodel.Model
	want  string
}

// rules runs rows by rule id.
func rules(t *testing.T, rows map[string][]row) {
	eachRow(t, rows, func(t *testing.T, id string, r row, judged []readiness.Judged) string {
		for _, j := range judged {
			if other, loaded := messages.LoadOrStore(j.Message, id); loaded && other != id && j.Message != "" {
				t.Errorf("%s: %s has the same message %q", r.name, other, j.Message)
			}
		}
		return found(t, judged)
	})
}

// severities runs rows by rule id. Here a violation is followed by its severity, as in "Sales 1 high, Sales[Net] 0.5 low,
// Sales[Gross] 0".
func severities(t *testing.T, rows map[string][]row) {
	eachRow(t, rows, func(_ *testing.T, _ string, _ row, judged []readiness.Judged) string {
		var out []string
		for _, j := range judged {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %.4g %s", written(j.Key), j.Violation, j.Severity)))
		}
		return strings.Join(out, ", ")
	})
}

// ruleMessages runs rows by rule id. They want the messages of what fails, one a line.
func ruleMessages(t *testing.T, rows map[string][]row) {
	eachRow(t, rows, func(_ *testing.T, _ string, _ row, judged []readiness.Judged) string {
		var out []string
		for _, j := range judged {
			if j.Violation > 0 {
				out = append(out, j.Message)
			}
		}
		return strings.Join(out, "\n")
	})
}

// eachRow judges the model of each row and compares what is written of it.
func eachRow(t *testing.T, rows map[string][]row, write func(t *testing.T, id string, r row, judged []readiness.Judged) string) {
	for id, rows := range rows {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			for _, r := range rows {
				if got := write(t, id, r, readiness.Current().Judge(r.model, readiness.Options{}, false, id)); got != r.want {
					t.Errorf("%s: got %q, want %q", r.name, got, r.want)
				}
			}
		})
	}
}

// messages maps each message to its rule: no two rules have the same message.
var messages sync.Map

func found(t *testing.T, judged []readiness.Judged) string {
	t.Helper()
	var out []string
	for _, j := range judged {
		out = append(out, fmt.Sprintf("%s %.4g", written(j.Key), j.Violation))
		if failed := j.Violation > 0; failed != (j.Message != "") || failed != (j.Evidence != "") {
			t.Errorf("%s %g: message %q, evidence %q", written(j.Key), j.Violation, j.Message, j.Evidence)
		}
	}
	return strings.Join(out, ", ")
}

// written formats a key: Table, Table[Field], a relationship's label, a folder, "#".
func written(k finding.Key) string {
	switch {
	case strings.HasPrefix(k.ObjectName, "#") && k.Table == "":
		return "#"
	case k.ObjectName == "":
		return k.Table
	case k.Table == "" || strings.Contains(k.ObjectName, "] -> "):
		return k.ObjectName
	}
	return k.Table + "[" + k.ObjectName + "]"
}

func fieldNames(keys []finding.Key) string {
	var out []string
	for _, k := range keys {
		out = append(out, written(k))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// runes returns a text of n runes that is no name.
func runes(n int) string { return strings.Repeat("é", n) }

var noOptions readiness.Options

// ignoringOne ignores a rule for one pseudo-object.
func ignoringOne(rule, object string) readiness.Options {
	return readiness.Options{Ignore: func(id string, k finding.Key) bool {
		return id == rule && k == finding.Key{ObjectName: object}
	}}
}

// ignoringAll ignores a rule for every object.
func ignoringAll(rule string) readiness.Options {
	return readiness.Options{Ignore: func(id string, _ finding.Key) bool { return id == rule }}
}
