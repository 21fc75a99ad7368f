package readiness_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	scope "readiness/domain/readiness/model"
)

// anyModel draws a model with few different names, so that names, keys, schemas,
// references, synonyms and texts coincide.
func anyModel() *rapid.Generator[*semanticmodel.Model] {
	names := []string{"Sales", "net_sales", "Date", "Customer Id", "Order Date", "Amount", "Year", "Month", "City", "Cst", "dim_x", "Status", "Total Net", "Net", "helper x", " odd ", "LocalDateTable_1"}
	texts := []string{"", "", " ", "Sales", "One row for each order line.", "What was invoiced in euro.", "the sales of this table"}
	dataTypes := []semanticmodel.DataType{"", semanticmodel.String, semanticmodel.Boolean, semanticmodel.DateTime, semanticmodel.Int64, semanticmodel.Decimal, semanticmodel.Double}
	visibilities := []string{"", "", "Auto", "Visible", "Hidden", "Other"}
	return rapid.Custom(func(t *rapid.T) *semanticmodel.Model {
		m := &semanticmodel.Model{}
		pick := func(label string, from []string) string { return rapid.SampledFrom(from).Draw(t, label) }
		flag := func(label string) bool { return rapid.IntRange(0, 4).Draw(t, label) == 0 }
		reference := func() string { return "'" + pick("table", names) + "'[" + pick("field", names) + "]" }
		expression := func() string {
			return rapid.SampledFrom([]string{"1", "[" + pick("measure", names) + "]", "SUM(" + reference() + ") + " + reference(), "USERELATIONSHIP(" + reference() + ", " + reference() + ")", "TOTALYTD(" + reference() + ")"}).Draw(t, "expression")
		}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 6, rapid.ID).Draw(t, "tables") {
			tbl := semanticmodel.Table{Name: name, Description: pick("description", texts), IsHidden: flag("hidden"), IsPrivate: flag("private") && flag("very")}
			if flag("time") {
				tbl.DataCategory = "Time"
			}
			if flag("group") {
				tbl.CalculationGroup = group("YTD", "PY")
			}
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 8, rapid.ID).Draw(t, "fields") {
				if rapid.Bool().Draw(t, "column") {
					tbl.Columns = append(tbl.Columns, semanticmodel.Column{
						Name: name, Description: pick("description", texts), DataType: rapid.SampledFrom(dataTypes).Draw(t, "type"), IsHidden: flag("hidden"), IsKey: flag("key"),
						SummarizeBy: pick("summarizeBy", []string{"", "none", "sum", "default"}), IsDefaultLabel: flag("label"), SortByColumn: pick("sort", []string{"", "Year"}),
					})
				} else {
					tbl.Measures = append(tbl.Measures, semanticmodel.Measure{Name: name, Description: pick("description", texts), Expression: expression(), FormatString: pick("format", []string{"", "0"}), IsHidden: flag("hidden")})
				}
			}
			if flag("hierarchy") {
				tbl.Hierarchies = append(tbl.Hierarchies, hierarchy("h", pick("level", names), pick("level", names)))
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
			for range rapid.IntRange(0, 5).Draw(t, "relationships") {
				from, to := end.Draw(t, "from"), end.Draw(t, "to")
				r := related(from.Table+"["+from.Name+"] -> "+to.Table+"["+to.Name+"]", rapid.SampledFrom([]string{"inactive", "both", "manyToMany", "oneToOne", "oneToMany"}).Draw(t, "way"))
				m.Relationships = append(m.Relationships, r)
			}
		}
		if rapid.Bool().Draw(t, "schema") {
			s := &semanticmodel.AISchema{}
			for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 4).Draw(t, "schema tables") {
				entry := semanticmodel.AITable{Name: name, Visibility: pick("visibility", visibilities)}
				for _, field := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 4).Draw(t, "schema fields") {
					f := semanticmodel.AIField{Name: field, Visibility: pick("visibility", visibilities), Synonyms: []string{pick("synonym", names)}}
					entry.Columns, entry.Measures = append(entry.Columns, f), append(entry.Measures, f)
				}
				s.Tables = append(s.Tables, entry)
			}
			m.Copilot.Schema = s
		}
		if rapid.Bool().Draw(t, "instructions") {
			instructed(pick("text", []string{"", "# Sales\nUse [Net] by default, the fiscal year. " + reference(), "Order Date"}))(m)
		}
		if flag("answer") {
			answered("a", phrases(rapid.IntRange(0, 16).Draw(t, "phrases")), pick("table", names)+"["+pick("field", names)+"]")(m)
		}
		return m
	})
}

func anyUsage() *rapid.Generator[map[string]map[string]int64] {
	return rapid.Custom(func(t *rapid.T) map[string]map[string]int64 {
		if rapid.Bool().Draw(t, "no map") {
			return nil
		}
		return rapid.MapOfN(rapid.SampledFrom([]string{"Sales", "Date", "net_sales"}), rapid.MapOfN(rapid.SampledFrom([]string{"Net", "Amount", "Year"}), rapid.Int64Range(0, 5000), 0, 3), 0, 3).Draw(t, "usage")
	})
}

// ignoring draws an Ignore that depends only on rule and object.
func ignoring() *rapid.Generator[func(string, finding.Key) bool] {
	return rapid.Custom(func(t *rapid.T) func(string, finding.Key) bool {
		if rapid.Bool().Draw(t, "nothing") {
			return nil
		}
		some := rapid.SliceOfN(rapid.SampledFrom(readiness.RuleIDs()), 1, 5).Draw(t, "ignored")
		even := rapid.Bool().Draw(t, "even")
		return func(id string, k finding.Key) bool {
			return slices.Contains(some, id) && (len(k.ObjectName)%2 == 0) == even
		}
	})
}

// Invariants: impacts add up to what is missing from 100, scores stay within bounds,
// and findings are unique, ordered and complete.
func TestResultInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		o := readiness.Options{Usage: anyUsage().Draw(t, "usage"), Ignore: ignoring().Draw(t, "ignore")}
		exact, ok := readiness.Exact(m, o)
		r := readiness.Current().Assess(m, o)
		if lost := sumOfImpacts(r); ok && math.Abs(100-exact-lost) > 1e-6 || !ok && lost != 0 {
			t.Fatalf("impacts of %v, want %v", lost, 100-exact)
		}
		if !ok && len(r.Findings) > 0 {
			t.Fatalf("no score, but %d findings", len(r.Findings))
		}
		var names []string
		for _, tbl := range m.Tables {
			names = append(names, tbl.Name)
		}
		agent := readiness.Current().AssessAgent(readiness.Agent{Instructions: "Order Date"}, []readiness.Source{selecting("1", m, names...), selecting("2", m, "Sales", "Date")}, o)
		for as, r := range map[string]readiness.Result{"model": r, "agent": readiness.Current().AssessAsAgent(m, o), "data agent": agent} {
			if r.RawUncapped != nil && math.Abs(100-*r.RawUncapped-sumOfImpacts(r)) > 1e-4 {
				t.Fatalf("%s: impacts of %v, want %v", as, sumOfImpacts(r), 100-*r.RawUncapped)
			}
			sound(t, r)
		}
	})
}

func sound(t *rapid.T, r readiness.Result) {
	for _, s := range []readiness.Scores{r.Scores, r.Unweighted} {
		if s.Score != nil && (*s.Score < 0 || *s.Score > 100 || *s.Raw < 0 || *s.Raw > *s.RawUncapped || *s.RawUncapped > 100) {
			t.Fatalf("got score %d, raw %v of %v", *s.Score, *s.Raw, *s.RawUncapped)
		}
		for _, id := range r.Caps {
			if most, known := readiness.CapLimit(id); !known || s.Score != nil && float64(*s.Score) > most {
				t.Fatalf("got %d under %v", *s.Score, r.Caps)
			}
		}
	}
	failing := 0
	for _, d := range r.Dimensions {
		if d.Score != nil && (*d.Score < 0 || *d.Score > 100) {
			t.Fatalf("%s: got %d", d.ID, *d.Score)
		}
		for _, rule := range d.Rules {
			failing += rule.Failing
			if rule.Failing > rule.Eligible || rule.Score != nil && (*rule.Score < 0 || *rule.Score > 1 || (*rule.Score == 1) != (rule.Failing == 0) && *rule.Score < 0.9999) {
				t.Fatalf("%s: got %+v", rule.ID, rule)
			}
		}
	}
	type id struct {
		dimension string
		key       finding.Key
	}
	seen := map[id]bool{}
	merged := 0
	for i, f := range r.Findings {
		merged += len(f.RuleIDs)
		switch {
		case seen[id{f.Dimension, f.Key}]:
			t.Fatalf("two findings for %s %+v", f.Dimension, f.Key)
		case f.Violation <= 0 || f.Violation > 1 || f.Impact < 0:
			t.Fatalf("got %+v", f)
		case f.Message == "" || f.Evidence == "" || len(f.RuleIDs) == 0 || !slices.IsSorted(f.RuleIDs):
			t.Fatalf("got %+v", f)
		case i > 0 && f.Impact > r.Findings[i-1].Impact+1e-9*float64(len(r.Findings)):
			t.Fatalf("%v comes after %v", f.Impact, r.Findings[i-1].Impact)
		}
		seen[id{f.Dimension, f.Key}] = true
	}
	// Several relationships between the same columns are one finding.
	if merged > failing {
		t.Fatalf("%d rules in findings, %d failures", merged, failing)
	}
}

// Leaving out the findings changes nothing else.
func TestWithoutFindings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		o := readiness.Options{Usage: anyUsage().Draw(t, "usage"), Ignore: ignoring().Draw(t, "ignore")}
		for as, assess := range map[string]func(*semanticmodel.Model, readiness.Options) readiness.Result{"model": readiness.Current().Assess, "agent": readiness.Current().AssessAsAgent} {
			o.WithoutFindings = false
			want := assess(m, o)
			want.Findings = nil
			o.WithoutFindings = true
			if diff := cmp.Diff(want, assess(m, o)); diff != "" {
				t.Fatalf("%s: -with +without findings\n%s", as, diff)
			}
		}
	})
}

func same(t *rapid.T, want, got readiness.Result) {
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("-want +shuffled\n%s", diff)
	}
}

func shuffledModel(m *semanticmodel.Model, seed uint64) *semanticmodel.Model {
	random := rand.New(rand.NewPCG(seed, 0))
	shuffled := *m
	shuffled.Tables, shuffled.Relationships = slices.Clone(m.Tables), slices.Clone(m.Relationships)
	shuffle(random, shuffled.Tables)
	shuffle(random, shuffled.Relationships)
	for i := range shuffled.Tables {
		tbl := &shuffled.Tables[i]
		tbl.Columns, tbl.Measures = slices.Clone(tbl.Columns), slices.Clone(tbl.Measures)
		shuffle(random, tbl.Columns)
		shuffle(random, tbl.Measures)
	}
	return &shuffled
}

func shuffle[T any](random *rand.Rand, s []T) {
	random.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}

// A model in which nothing fails scores 100, and a failure never raises the score.
func TestFailureLowersScore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := star(rapid.IntRange(0, 12).Draw(t, "dimensions"))
		o := readiness.Options{Usage: map[string]map[string]int64{"Sales": {"Revenue": rapid.Int64Range(0, 9999).Draw(t, "views")}}}
		// Without usage nothing fails; with usage, unused objects may.
		if r := readiness.Current().Assess(m, readiness.Options{}); *r.Raw != 100 || len(r.Findings) > 0 {
			t.Fatalf("got %v, %+v", *r.Raw, r.Findings)
		}
		before, _ := readiness.Exact(m, o)
		tbl := &m.Tables[rapid.IntRange(0, len(m.Tables)-1).Draw(t, "table")]
		tbl.Description = ""
		if after, _ := readiness.Exact(m, o); after >= before {
			t.Fatalf("table %s without a description: got %v, before %v", tbl.Name, after, before)
		}
	})
}

// big returns a model of n objects as in a warehouse: a fact table with many columns
// and measures, and dimensions, half of them described.
func big(n int) *semanticmodel.Model {
	m := model(table("Sales", described("One row for each line.")), instructed("Use [Measure 1] by default. # Time\nThe fiscal year."))
	for i := range n / 20 {
		name := fmt.Sprintf("Dimension %d", i)
		t := table(name, whole(name+" Key", key))
		for j := range 12 {
			about := ""
			if j%2 == 0 {
				about = fmt.Sprintf("The value number %d of %s as entered by a person.", j, name)
			}
			t.Columns = append(t.Columns, semanticmodel.Column{Name: fmt.Sprintf("Customer_Name %d of %d", j, i%7), DataType: semanticmodel.String, Description: about})
		}
		m.Tables = append(m.Tables, t)
		m.Tables[0].Columns = append(m.Tables[0].Columns, whole(name+" Id"))
		m.Relationships = append(m.Relationships, related("Sales["+name+" Id] -> "+name+"["+name+" Key]"))
		for j := range 5 {
			id := i*5 + j
			m.Tables[0].Measures = append(m.Tables[0].Measures, measure(fmt.Sprintf("Measure %d", id),
				fmt.Sprintf("VAR x = [Measure %d] RETURN DIVIDE(x, SUM('Sales'[%s Id])) // note\n + COUNTROWS('%s')", id/2, name, name), says("What measure this is: number "+fmt.Sprint(id))))
		}
	}
	return m
}

// An assessment with a memory is one without, whatever was assessed before.
func TestAssessmentsWithAMemory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		memory := &scope.Memory{}
		for range rapid.IntRange(2, 4).Draw(t, "assessments") {
			m := wideModel().Draw(t, "model")
			for edit := range 4 {
				memory.Next()
				if edit > 1 && len(m.Tables) > 0 { // another one, as texts that were read before stay with their model
					m = edited(t, m)
				}
				got := readiness.Assess(m, readiness.Options{Memory: memory})
				if diff := cmp.Diff(readiness.Assess(m, noOptions), got); diff != "" {
					t.Fatalf("with a memory (-without +with):\n%s", diff)
				}
			}
		}
	})
}

// edited returns a model with another name, description or expression in a table.
func edited(t *rapid.T, m *semanticmodel.Model) *semanticmodel.Model {
	n := *m
	n.Tables = slices.Clone(m.Tables)
	one := &n.Tables[rapid.IntRange(0, len(n.Tables)-1).Draw(t, "edited table")]
	one.Columns, one.Measures = slices.Clone(one.Columns), slices.Clone(one.Measures)
	text := rapid.SampledFrom([]string{"", "Net amount", "What customers paid, without tax, in euros.", "SUM ( Sales[Amount] ) / 2", "_tmp"}).Draw(t, "text")
	switch what := rapid.IntRange(0, 3).Draw(t, "edit"); {
	case what == 0 && len(one.Columns) > 0:
		one.Columns[0].Description = text
	case what == 1 && len(one.Measures) > 0:
		one.Measures[0].Description = text
	case what == 2 && len(one.Measures) > 0:
		one.Measures[0].Expression = text
	case what == 3 && len(one.Columns) > 0:
		one.Columns[0].Name = "Another " + text
	default:
		one.Description = text
	}
	return &n
}

func BenchmarkAssess(b *testing.B) {
	m := big(10_000)
	usage := map[string]map[string]int64{"Sales": {"Measure 1": 100}}
	configured := *m
	configured.Copilot.Schema = &semanticmodel.AISchema{Tables: []semanticmodel.AITable{{Name: "Sales", Visibility: "Visible"}}}
	for name, tt := range map[string]struct {
		m *semanticmodel.Model
		o readiness.Options
	}{"plain": {m, readiness.Options{}}, "usage": {m, readiness.Options{Usage: usage}}, "schema": {&configured, readiness.Options{}}} {
		r := readiness.Current()
		b.Run(name+"/"+r.ID, func(b *testing.B) {
			for b.Loop() {
				r.Assess(tt.m, tt.o)
			}
		})
	}
}
