package rules_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// names are the names in generated models: ordinary ones, and ones that break limits, Markdown and
// references.
var names = []string{
	"Sales", "Returns", "net_sales", "Date", "Calendar", "Customer Id", "Order Date", "Amount", "Year", "Fiscal Year", "City", "Cst", "dim_x", "Status", "Total Net",
	"helper x", "LocalDateTable_1", "Column1", "ID", "Is Active", "", " odd ", "It's", "''", "a]b", "[x]", "x[y", "two\nlines", "tab\there", "🙂", "שלום עולם", "\u202eback",
	"# Heading", "a|b", "`code`", "Sales(net)", "\"quoted\"", strings.Repeat("long ", 100), strings.Repeat("x", 500), "<script>", "'A'[B]", "%", "Net Sales YTD", "Margin %",
}

func anyModel() *rapid.Generator[*semanticmodel.Model] {
	texts := []string{"", "", " ", "Sales", "One row for each order line.", "What was invoiced in euro.", "the sales of this table", "Joining date.", strings.Repeat("A bell\a rings here. ", 12), strings.Repeat("A long sentence. ", 20), "a\nb"}
	types := []semanticmodel.DataType{"", semanticmodel.String, semanticmodel.Boolean, semanticmodel.DateTime, semanticmodel.Int64, semanticmodel.Decimal}
	return rapid.Custom(func(t *rapid.T) *semanticmodel.Model {
		m := &semanticmodel.Model{}
		pick := func(label string, from []string) string { return rapid.SampledFrom(from).Draw(t, label) }
		flag := func(label string) bool { return rapid.IntRange(0, 4).Draw(t, label) == 0 }
		quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
		bracket := func(s string) string { return "[" + strings.ReplaceAll(s, "]", "]]") + "]" }
		reference := func() string { return quote(pick("table", names)) + bracket(pick("field", names)) }
		expression := func() string {
			return rapid.SampledFrom([]string{
				"1", "", bracket(pick("measure", names)), "SUM(" + reference() + ")", "DIVIDE(" + bracket(pick("measure", names)) + "," + bracket(pick("measure", names)) + ")",
				"CALCULATE(" + bracket(pick("measure", names)) + ", USERELATIONSHIP(" + reference() + ", " + reference() + "))", "TOTALYTD(" + bracket(pick("measure", names)) + ", " + reference() + ")",
				"COUNTROWS(" + quote(pick("table", names)) + ")", "SUM(" + reference() + ") + " + reference(), "((", "\"text\"",
			}).Draw(t, "expression")
		}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 7, rapid.ID).Draw(t, "tables") {
			tbl := semanticmodel.Table{Name: name, Description: pick("description", texts), IsHidden: flag("hidden"), IsPrivate: flag("private") && flag("very")}
			if flag("time") {
				tbl.DataCategory = "Time"
			}
			if flag("group") {
				tbl.CalculationGroup = &semanticmodel.CalculationGroup{Items: []semanticmodel.CalculationItem{{Name: pick("item", names)}, {Name: "YTD"}}}
			}
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 9, rapid.ID).Draw(t, "fields") {
				if rapid.Bool().Draw(t, "column") {
					c := semanticmodel.Column{
						Name: name, Description: pick("description", texts), DataType: rapid.SampledFrom(types).Draw(t, "type"), IsHidden: flag("hidden"), IsKey: flag("key"),
						SummarizeBy: pick("summarizeBy", []string{"", "none", "sum"}), IsDefaultLabel: flag("label"), SortByColumn: pick("sort", []string{"", "Year"}),
					}
					if flag("parameter") {
						c.ExtendedProperties = map[string]string{"ParameterMetadata": "{}"}
						tbl.Partitions = []semanticmodel.Partition{{SourceType: "calculated", Expression: "{ NAMEOF(" + reference() + ") }"}}
					}
					tbl.Columns = append(tbl.Columns, c)
				} else {
					tbl.Measures = append(tbl.Measures, semanticmodel.Measure{
						Name: name, Description: pick("description", texts), Expression: expression(), FormatString: pick("format", []string{"", "0.0%", `\$0`}), IsHidden: flag("hidden"),
						DisplayFolder: pick("folder", []string{"", "", "Sales", "a\\b\\c"}),
					})
				}
			}
			m.Tables = append(m.Tables, tbl)
		}
		var ends []semanticmodel.FieldRef
		for _, tbl := range m.Tables {
			for _, c := range tbl.Columns {
				ends = append(ends, semanticmodel.FieldRef{Table: tbl.Name, Name: c.Name})
			}
		}
		if len(ends) > 0 {
			end := rapid.SampledFrom(ends)
			for range rapid.IntRange(0, 6).Draw(t, "relationships") {
				from, to := end.Draw(t, "from"), end.Draw(t, "to")
				r := semanticmodel.Relationship{
					FromTable: from.Table, FromColumn: from.Name, ToTable: to.Table, ToColumn: to.Name, IsActive: !flag("inactive"),
					FromCardinality: semanticmodel.Many, ToCardinality: rapid.SampledFrom([]semanticmodel.Cardinality{semanticmodel.One, semanticmodel.Many}).Draw(t, "to many"),
				}
				m.Relationships = append(m.Relationships, r)
				if flag("twice") {
					r.IsActive = !r.IsActive
					m.Relationships = append(m.Relationships, r)
				}
			}
		}
		return m
	})
}

func everything(m *semanticmodel.Model) []proposal.Object {
	var all []proposal.Object
	for _, t := range m.Tables {
		all = append(all, proposal.Object{Table: t.Name, Type: proposal.Table})
		for _, c := range t.Columns {
			all = append(all, proposal.Object{Table: t.Name, Name: c.Name, Type: proposal.Column})
		}
		for _, x := range t.Measures {
			all = append(all, proposal.Object{Table: t.Name, Name: x.Name, Type: proposal.Measure})
		}
	}
	return all
}

func measuresOf(m *semanticmodel.Model) []proposal.Object {
	return slices.DeleteFunc(everything(m), func(o proposal.Object) bool { return o.Type != proposal.Measure })
}

// once fails unless every requested object is answered exactly once.
func once(t *rapid.T, asked []proposal.Object, a proposal.Answer) {
	answered := map[proposal.Object]int{}
	for _, p := range a.Proposals {
		answered[p.Object]++
		if p.Reason == "" {
			t.Fatalf("%v has no reason", p)
		}
	}
	for _, s := range a.Skipped {
		answered[s.Object]++
		if s.Message == "" || s.Reason == "" {
			t.Fatalf("%v has no message", s)
		}
	}
	for _, o := range asked {
		if answered[o] != 1 {
			t.Fatalf("%v is answered %d times", o, answered[o])
		}
	}
	if len(answered) != len(asked) {
		t.Fatalf("%d objects are answered, %d were asked about", len(answered), len(asked))
	}
}

var measureReference = regexp.MustCompile(`\[([^\[\]]*)\]`)

// For any names, descriptions keep the limits: one line of 15 to 200 characters, more than the name,
// no two the same, and only existing measures.
func TestDescriptionsKeepToTheirLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		asked := everything(m)
		a := rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: asked})
		once(t, asked, a)
		after := applied(m, proposal.Description, a.Proposals)
		written := map[proposal.Object]bool{}
		for _, p := range a.Proposals {
			written[p.Object] = true
			if n := utf8.RuneCountInString(p.Value); n < proposal.MinDescription || n > proposal.MaxDescription || strings.ContainsAny(p.Value, "\a\r\n\t\v\f\u2028\u2029") {
				t.Fatalf("%v: %d runes: %q", p.Object, n, p.Value)
			}
			for _, ref := range measureReference.FindAllStringSubmatch(p.Value, -1) {
				if !slices.ContainsFunc(measuresOf(m), func(o proposal.Object) bool { return strings.EqualFold(o.Name, ref[1]) }) {
					t.Fatalf("%v names %q: %q", p.Object, ref[1], p.Value)
				}
			}
		}
		for _, o := range fixable(after, "DSC-05") {
			if written[o] {
				t.Fatalf("%v is still to be described", o)
			}
		}
	})
}

// Folders are one line of at most 100 characters and two levels.
func TestFoldersKeepToTheirLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		asked := measuresOf(m)
		a := rules.Propose(proposal.Ask{Type: proposal.DisplayFolder, Model: m, Objects: asked})
		once(t, asked, a)
		for _, p := range append(a.Proposals, rules.Folders(m, asked)...) {
			if n := utf8.RuneCountInString(p.Value); n == 0 || n > proposal.MaxFolder || strings.ContainsAny(p.Value, "\r\n\t;") || strings.TrimSpace(p.Value) != p.Value || strings.Count(p.Value, `\`) > 1 {
				t.Fatalf("%v: %q", p.Object, p.Value)
			}
		}
	})
}

// Instructions pass the rules on length and topics, and name only existing fields.
func TestInstructionsKeepToTheirLimits(t *testing.T) {
	t.Parallel()
	texts := []string{"", " \n", "Short.", "For revenue use [Sales].", "No line of it means anything.\r\nAlways.", strings.Repeat("The fiscal year starts in May. ", 400), "# Year\n\nUse [Sales] by default. Net means net.\n\n"}
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		text := rapid.SampledFrom(texts).Draw(t, "instructions")
		if rapid.Bool().Draw(t, "instructed") {
			m.Copilot.Instructions = &text
		}
		a := rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m})
		once(t, []proposal.Object{{Type: proposal.Model}}, a)
		if len(a.Proposals) == 0 {
			return
		}
		value := a.Proposals[0].Value
		if n := utf8.RuneCountInString(value); n > proposal.MaxInstructions {
			t.Fatalf("%d characters", n)
		}
		if m.Copilot.Instructions != nil && strings.TrimSpace(text) != "" && !strings.HasPrefix(value, text) {
			t.Fatalf("%q does not begin with %q", value, text)
		}
		after := readiness.Current().Assess(applied(m, proposal.AIInstructions, a.Proposals), readiness.Options{})
		before := readiness.Current().Assess(m, readiness.Options{})
		checkNothingGained(t, before, after)
		for _, f := range after.Findings {
			if id := f.RuleIDs[0]; id == "INS-01" && f.Evidence == "no instructions" || id == "INS-03" && strings.Contains(f.Evidence, "unknown") && !strings.Contains(text, "[") {
				t.Fatalf("%s: %s in %q", id, f.Evidence, value)
			}
		}
	})
}

// checkNothingGained: the score of the instructions does not fall, and no object violates a rule of another dimension
// that it did not violate. Another dimension can fall nevertheless: VIS-02 and VIS-03 do not judge what is named.
func checkNothingGained(t *rapid.T, before, after readiness.Result) {
	for i, d := range after.Dimensions {
		if was := before.Dimensions[i].Raw; d.ID == "instructions" && was != nil && *d.Raw < *was {
			t.Fatalf("instructions from %v to %v", *was, *d.Raw)
		}
	}
	type violation struct {
		key  finding.Key
		rule string
	}
	known := map[violation]bool{}
	for _, f := range before.Findings {
		for _, id := range f.RuleIDs {
			known[violation{finding.Key{Table: f.Table, ObjectName: f.ObjectName}, id}] = true
		}
	}
	for _, f := range after.Findings {
		for _, id := range f.RuleIDs {
			if !strings.HasPrefix(id, "INS-") && !known[violation{finding.Key{Table: f.Table, ObjectName: f.ObjectName}, id}] {
				t.Fatalf("%s of %s[%s] is new", id, f.Table, f.ObjectName)
			}
		}
	}
}

// The AI data schema shows at most 25 tables, or all of more than 35, including everything that a shown measure needs. Once it
// is applied, nothing more is proposed, at most after another time.
func TestSchemaIsComplete(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		named := map[string]bool{} // Power BI has no two measures of one name
		for i := range m.Tables {
			m.Tables[i].Measures = slices.DeleteFunc(m.Tables[i].Measures, func(x semanticmodel.Measure) bool {
				twice := named[strings.ToLower(x.Name)]
				named[strings.ToLower(x.Name)] = true
				return twice
			})
		}
		for i := range m.Tables[0].Columns {
			for range rapid.SampledFrom([]int{0, 0, 30}).Draw(t, "more tables") {
				m.Tables = append(m.Tables, semanticmodel.Table{Name: "T" + strings.Repeat("x", len(m.Tables)), Columns: m.Tables[0].Columns[i : i+1]})
			}
		}
		chosen := rapid.Bool().Draw(t, "chosen")
		if chosen {
			m.Copilot.Schema = anySchema(t, m)
		}
		usage := map[string]map[string]int64{"Sales": {"Amount": 10}, "Date": {"Year": 3}}
		if rapid.Bool().Draw(t, "no usage") {
			usage = nil
		}
		a := rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: m, Usage: usage})
		if len(a.Proposals) == 0 {
			once(t, []proposal.Object{{Type: proposal.Model}}, a)
			return
		}
		after := applied(m, proposal.AIDataSchema, a.Proposals)
		r := readiness.Current().Assess(after, readiness.Options{})
		if n := r.Model.ExposedTables; n > proposal.MaxSchemaTables && n <= proposal.MaxSchemaTables+10 {
			t.Fatalf("%d tables are shown", r.Model.ExposedTables)
		}
		needed := []string{"VIS-04"}
		hides := slices.ContainsFunc(a.Proposals, func(p proposal.Proposal) bool { return p.Value == proposal.Hidden })
		if hides && r.Model.ExposedTables <= proposal.MaxSchemaTables { // where nothing is internal, a person chooses what to leave out
			needed = append(needed, "VIS-01")
		}
		if found := fixable(after, needed...); !chosen && len(found) > 0 {
			t.Fatalf("needed and not shown: %v", found)
		}
		for range 2 { // what is shown for a measure may in turn show more, once
			again := rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: after, Usage: usage})
			if len(again.Proposals) == 0 {
				return
			}
			after = applied(after, proposal.AIDataSchema, again.Proposals)
		}
		if again := rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: after, Usage: usage}); len(again.Proposals) > 0 {
			t.Fatalf("after applying: %v", again.Proposals)
		}
	})
}

func anySchema(t *rapid.T, m *semanticmodel.Model) *semanticmodel.AISchema {
	visibility := rapid.SampledFrom([]string{"", "", "Auto", "Visible", "Hidden", "Other"})
	s := &semanticmodel.AISchema{}
	for _, tbl := range m.Tables {
		entry := semanticmodel.AITable{Name: tbl.Name, Visibility: visibility.Draw(t, "table")}
		for _, c := range tbl.Columns {
			entry.Columns = append(entry.Columns, semanticmodel.AIField{Name: c.Name, Visibility: visibility.Draw(t, "column")})
		}
		for _, x := range tbl.Measures {
			entry.Measures = append(entry.Measures, semanticmodel.AIField{Name: x.Name, Visibility: visibility.Draw(t, "measure")})
		}
		s.Tables = append(s.Tables, entry)
	}
	return s
}

// Proposals depend neither on the order of tables, relationships and requested objects, nor on time.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		shuffled := *m
		shuffled.Tables = rapid.Permutation(m.Tables).Draw(t, "tables")
		shuffled.Relationships = rapid.Permutation(m.Relationships).Draw(t, "relationships")
		usage := map[string]map[string]int64{"Sales": {"Amount": 10}, "Date": {"Year": 3}}
		for _, typ := range []proposal.Type{proposal.Description, proposal.DisplayFolder, proposal.AIInstructions, proposal.AIDataSchema} {
			objects := everything(m)
			if typ == proposal.DisplayFolder {
				objects = measuresOf(m)
			}
			one := byObject(rules.Propose(proposal.Ask{Type: typ, Model: m, Objects: objects, Usage: usage}))
			other := byObject(rules.Propose(proposal.Ask{Type: typ, Model: &shuffled, Objects: rapid.Permutation(objects).Draw(t, "objects"), Usage: usage}))
			if d := cmp.Diff(one, other); d != "" {
				t.Fatalf("%s: %s", typ, d)
			}
		}
	})
}

func byObject(a proposal.Answer) map[proposal.Object]proposal.Proposal {
	all := map[proposal.Object]proposal.Proposal{}
	for _, p := range a.Proposals {
		all[p.Object] = p
	}
	return all
}
