package readiness_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

func selecting(id string, m *semanticmodel.Model, tables ...string) readiness.Source {
	return readiness.Source{ID: id, Name: "Source " + id, Model: m, Tables: tables}
}

func assessAgent(a readiness.Agent, sources ...readiness.Source) readiness.Result {
	return readiness.Current().AssessAgent(a, sources, readiness.Options{})
}

// agentRule formats the result of an AGT rule: eligible, failing and R.
func agentRule(t *testing.T, r readiness.Result, id string) string {
	t.Helper()
	rule := ruleOf(t, r, id)
	if rule.Score == nil {
		return ""
	}
	return fmt.Sprintf("%d/%d %.4g", rule.Failing, rule.Eligible, *rule.Score)
}

func TestAgentRules(t *testing.T) {
	t.Parallel()
	plain := model(table("Sales", text("Net Price"), measure("Margin", "1")), table("Cost", text("Sum")))
	configured := model(table("Sales", text("a")), table("Cost", text("b")), table("Notes", text("c")), schema("Notes Hidden", "Sales[a] Visible"))
	told := func(text string) readiness.Agent { return readiness.Agent{Instructions: text} }
	many := func(n int) []string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint(i))
		}
		return names
	}
	other := readiness.Source{ID: "lake", Name: "Lake", Tables: many(26)}
	for _, tt := range []struct {
		rule, name string
		agent      readiness.Agent
		sources    []readiness.Source
		want       string
	}{
		{"AGT-01", "not configured", told(""), []readiness.Source{selecting("1", plain, "Sales")}, ""},
		{"AGT-01", "agree, in other case", told(""), []readiness.Source{selecting("1", configured, "SALES", "cost")}, "0/2 1"},
		{"AGT-01", "not selected", told(""), []readiness.Source{selecting("1", configured, "Sales")}, "1/2 0.75"},
		{"AGT-01", "not exposed", told(""), []readiness.Source{selecting("1", configured, "Sales", "Cost", "Notes")}, "1/3 0.6667"},
		{"AGT-01", "unknown names", told(""), []readiness.Source{selecting("1", configured, "Sales", "Cost", "Gone")}, "0/2 1"},
		{"AGT-01", "one population", told(""), []readiness.Source{selecting("0", plain), selecting("1", configured, "Sales"), selecting("2", configured, "Sales", "Cost")}, "1/4 0.875"},
		{"AGT-02", "nothing", told(""), []readiness.Source{selecting("1", plain)}, "0/1 1"},
		{"AGT-02", "a name with a space", told("Take the NET PRICE."), []readiness.Source{selecting("1", plain)}, "1/1 0.6667"},
		{"AGT-02", "a name without", told("Take the Margin of Sales."), []readiness.Source{selecting("1", plain)}, "0/1 1"},
		{"AGT-02", "in brackets", told("Take [margin], not [Sum]."), []readiness.Source{selecting("1", plain)}, "1/1 0.6667"},
		{"AGT-02", "three, not selected", told("net price [margin] [sales] [cost]"), []readiness.Source{selecting("1", plain)}, "1/1 0"},
		{"AGT-02", "distinct over sources", told("net price"), []readiness.Source{selecting("1", plain), selecting("2", plain)}, "1/1 0.6667"},
		{"AGT-03", "blank", readiness.Agent{Description: " \n"}, nil, "1/1 0"},
		{"AGT-03", "39 runes", readiness.Agent{Description: " " + strings.Repeat("é", 39)}, nil, "1/1 0.5"},
		{"AGT-03", "40 runes", readiness.Agent{Description: strings.Repeat("é", 40)}, nil, "0/1 1"},
		{"AGT-04", "25 tables, unknown ones count", told(""), []readiness.Source{selecting("1", plain, many(25)...)}, "0/1 1"},
		{"AGT-04", "26 tables", told(""), []readiness.Source{selecting("1", plain, many(26)...), selecting("2", plain)}, "1/2 0.5"},
		{"AGT-04", "of any type", told(""), []readiness.Source{other}, "1/1 0"},
		{"AGT-05", "one source", told(""), []readiness.Source{selecting("1", plain)}, ""},
		{"AGT-05", "all named", told("SOURCE 1 or the lake"), []readiness.Source{selecting("1", plain), other}, "0/1 1"},
		{"AGT-05", "one named", told("Source 1"), []readiness.Source{selecting("1", plain), other}, "1/1 0"},
	} {
		r := assessAgent(tt.agent, tt.sources...)
		if got := agentRule(t, r, tt.rule); got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.rule, tt.name, got, tt.want)
		}
		for _, f := range r.Findings {
			if whole := strings.HasPrefix(f.ObjectName, "#"); f.Dimension == "agent" && whole && (f.ObjectName != "#"+f.RuleIDs[0] || f.ObjectType != finding.DataAgentObject || f.SourceModelID != "") {
				t.Errorf("%s %s: got %+v", tt.rule, tt.name, f)
			}
			if f.Dimension == "agent" && (f.FixKind != "" || len(f.FixKinds) > 0 || f.Message == "" || f.Evidence == "") {
				t.Errorf("%s %s: got %+v", tt.rule, tt.name, f)
			}
		}
	}
}

// What the agent sees of a table.
func TestSelection(t *testing.T) {
	t.Parallel()
	sales := table("Sales", text("a"), text("h", hidden), measure("m", "1"), measure("n", "1", hiddenMeasure))
	notes := table("Notes", text("c"), text("d"))
	configured := model(sales, notes, schema("Notes Hidden", "Sales[m] Visible"))
	for name, tt := range map[string]struct {
		model  *semanticmodel.Model
		tables []string
		want   readiness.ScoredSource
	}{
		"not configured: all fields":         {model(sales, notes), []string{"sales"}, readiness.ScoredSource{Tables: 1, Columns: 2, Measures: 2, HiddenExposed: true}},
		"configured and exposed: those of X": {configured, []string{"Sales"}, readiness.ScoredSource{Tables: 1, Columns: 1, Measures: 1}},
		"configured, not exposed: all":       {configured, []string{"Notes"}, readiness.ScoredSource{Tables: 1, Columns: 2}},
		"an unknown table":                   {configured, []string{"Gone"}, readiness.ScoredSource{}},
		"a private table":                    {model(table("P", privateTable, text("a"))), []string{"P"}, readiness.ScoredSource{}},
		"a hidden table":                     {model(table("H", hiddenTable, text("a"))), []string{"H"}, readiness.ScoredSource{Tables: 1, Columns: 1, HiddenExposed: true}},
		"a table without fields":             {model(table("H", hiddenTable)), []string{"H"}, readiness.ScoredSource{Tables: 1}},
	} {
		tt.want.SourceModelID, tt.want.Name = "1", "Source 1"
		r := assessAgent(readiness.Agent{}, selecting("1", tt.model, tt.tables...))
		if diff := cmp.Diff([]readiness.ScoredSource{tt.want}, r.Sources); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if (r.Score == nil) != (tt.want.Tables == 0 || tt.want.Columns+tt.want.Measures == 0 && r.Dimensions[9].Score == nil) {
			t.Errorf("%s: got score %v", name, r.Score)
		}
	}
}

func TestAssessAsAgent(t *testing.T) {
	t.Parallel()
	// An agent reads hidden fields of a model without a schema, and neither folders nor
	// data categories.
	m := model(table("Sales", text("City", hidden), measures(11, "m%d")), table("Hidden", text("x"), hiddenTable))
	as := readiness.Current().AssessAsAgent(m, readiness.Options{})
	if got := ruleOf(t, as, "DSC-02"); got.Eligible != 1 {
		t.Errorf("DSC-02: got %+v, want the hidden column and not that of the hidden table", got)
	}
	for _, id := range []string{"MEA-04", "TYP-06"} {
		if got := ruleOf(t, as, id); got.Score != nil || got.Eligible != 0 {
			t.Errorf("%s: got %+v, want none", id, got)
		}
	}
	if got := ruleOf(t, readiness.Current().Assess(m, readiness.Options{}), "MEA-04"); got.Eligible != 11 {
		t.Errorf("MEA-04 of the model: got %+v", got)
	}
	var weights []float64
	for _, d := range as.Dimensions {
		weights = append(weights, d.Weight)
	}
	if diff := cmp.Diff([]float64{14, 12, 14, 5, 13, 16, 15, 2, 4}, weights); diff != "" {
		t.Errorf("weights without the agent dimension: -want +got\n%s", diff)
	}
	if as.Sources != nil || as.UnscoredSources != nil || slices.ContainsFunc(as.Findings, func(f readiness.Finding) bool { return f.SourceModelID != "" }) {
		t.Error("a model assessed as an agent has sources")
	}
	if math.Abs(100-*as.RawUncapped-sumOfImpacts(as)) > 1e-4 {
		t.Errorf("impacts of %v, want %v", sumOfImpacts(as), 100-*as.RawUncapped)
	}
	// With a schema it reads only what the schema exposes.
	perfect := readiness.Current().AssessAsAgent(star(3), readiness.Options{})
	if *perfect.Raw != 100 || len(perfect.Findings) > 0 {
		t.Errorf("star: got %v, %+v", *perfect.Raw, perfect.Findings)
	}
	// Its score is that of an agent without configuration, without the agent's own
	// dimension.
	alone := assessAgent(readiness.Agent{}, selecting("1", m, "Sales"))
	for i, d := range as.Dimensions {
		if diff := cmp.Diff(d, alone.Dimensions[i]); diff != "" {
			t.Errorf("%s: -as agent +alone\n%s", d.ID, diff)
		}
	}
}

func TestAssessAgent(t *testing.T) {
	t.Parallel()
	// Descriptions: source 1 has 3 fields, none described; source 2 has one measure,
	// described.
	one := model(table("Sales", text("Channel"), text("Region"), measure("Net", "1")))
	two := model(table("Stock", described("One row for each shelf."), measure("Units", "1", says("Pieces on the shelf at night."))))
	r := assessAgent(readiness.Agent{Description: strings.Repeat("x", 40)},
		selecting("m2", one, "Sales"), readiness.Source{ID: "lake", Name: "Lake"}, selecting("m1", two, "Stock"))
	if d := dimensionOf(t, r, "descriptions"); *d.Raw != 25 {
		t.Errorf("descriptions: got %v, want (3·0 + 1·100)/4", *d.Raw)
	}
	if diff := cmp.Diff([]string{"lake"}, r.UnscoredSources); diff != "" {
		t.Errorf("unscored: -want +got\n%s", diff)
	}
	if len(r.Sources) != 2 || r.Sources[0].SourceModelID != "m2" || r.Sources[1].SourceModelID != "m1" {
		t.Errorf("sources: got %+v", r.Sources)
	}
	if math.Abs(100-*r.RawUncapped-sumOfImpacts(r)) > 1e-4 {
		t.Errorf("impacts of %v, want %v", sumOfImpacts(r), 100-*r.RawUncapped)
	}
	sources := map[string]bool{}
	for _, f := range r.Findings {
		sources[f.SourceModelID] = true
		if f.SourceModelID == "" && f.Dimension != "agent" || f.Dimension == "agent" && f.SourceModelID != "" {
			t.Errorf("got %+v", f)
		}
	}
	if len(sources) != 3 {
		t.Errorf("findings of sources %v, want m1, m2 and the agent's own", sources)
	}
	if got := r.Model; got.Tables != 2 || got.ExposedColumns != 2 || got.ExposedMeasures != 2 {
		t.Errorf("counts: got %+v", got)
	}

	// A cap holds when it holds for every scored source.
	none := model(table("Notes", text("a")))
	if r := assessAgent(readiness.Agent{}, readiness.Source{ID: "lake"}, selecting("1", none, "Notes"), selecting("2", two, "Stock")); len(r.Caps) != 0 {
		t.Errorf("one of two without measures: got %v", r.Caps)
	}
	if r := assessAgent(readiness.Agent{}, selecting("1", none, "Notes"), readiness.Source{ID: "lake"}); strings.Join(r.Caps, " ") != "CAP-NOMEASURE" {
		t.Errorf("no measures: got %v", r.Caps)
	}

	// Without a semantic model or any table there is no score, except in the agent's
	// own dimension.
	for name, sources := range map[string][]readiness.Source{
		"no source":         nil,
		"no semantic model": {{ID: "lake", Name: "Lake"}},
		"no table":          {selecting("1", one), selecting("2", two, "Gone")},
	} {
		r := assessAgent(readiness.Agent{}, sources...)
		if r.Score != nil || r.Raw != nil || r.Unweighted.Score != nil {
			t.Errorf("%s: got a score", name)
		}
		if r.RawUncapped == nil || math.Abs(100-*r.RawUncapped-sumOfImpacts(r)) > 1e-4 {
			t.Errorf("%s: got %v and impacts of %v", name, r.RawUncapped, sumOfImpacts(r))
		}
		if d := dimensionOf(t, r, "agent"); d.Score == nil || len(r.Dimensions) != 10 || len(r.Dimensions[0].Rules) != 5 {
			t.Errorf("%s: got %+v", name, d)
		}
		if name != "no table" && len(r.Caps) > 0 {
			t.Errorf("%s: got caps %v", name, r.Caps)
		}
	}

	// Ignore is given the source.
	o := readiness.Options{Ignore: func(id string, k finding.Key) bool { return id == "DSC-03" && k.SourceModelID == "m2" }}
	r = readiness.Current().AssessAgent(readiness.Agent{}, []readiness.Source{selecting("m2", one, "Sales"), selecting("m3", one, "Sales")}, o)
	if got := ruleOf(t, r, "DSC-03"); got.Ignored != 1 || got.Failing != 1 {
		t.Errorf("DSC-03: got %+v", got)
	}
	// Each source has separate usage.
	weighted := selecting("1", one, "Sales")
	weighted.Usage = map[string]map[string]int64{"Sales": {"Net": 1}}
	if r := assessAgent(readiness.Agent{}, weighted, selecting("2", two, "Stock")); r.Weighting != readiness.WeightedByUsage {
		t.Errorf("got %s", r.Weighting)
	}
}

// Findings of different sources with equal impact and dimension are ordered by source.
func TestAgentFindingsOrder(t *testing.T) {
	t.Parallel()
	m := func(name string) *semanticmodel.Model { return model(table(name, measure("x"+name, "1"))) }
	r := assessAgent(readiness.Agent{}, selecting("b", m("B"), "B"), selecting("a", m("A"), "A"))
	var got []string
	for _, f := range r.Findings {
		if f.Dimension == "descriptions" {
			got = append(got, f.SourceModelID+" "+written(f.Key))
		}
	}
	if want := []string{"b B[xB]", "a A[xA]", "b B", "a A"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
