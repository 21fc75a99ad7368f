package readiness_test

import (
	"encoding/json"
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

func dimensionOf(t *testing.T, r readiness.Result, id string) readiness.Dimension {
	t.Helper()
	i := slices.IndexFunc(r.Dimensions, func(d readiness.Dimension) bool { return d.ID == id })
	if i < 0 {
		t.Fatalf("no dimension %s", id)
	}
	return r.Dimensions[i]
}

func ruleOf(t *testing.T, r readiness.Result, id string) readiness.Rule {
	t.Helper()
	for _, d := range r.Dimensions {
		for _, rule := range d.Rules {
			if rule.ID == id {
				return rule
			}
		}
	}
	t.Fatalf("no rule %s", id)
	return readiness.Rule{}
}

func findingOf(r readiness.Result, dimension, written string) *readiness.Finding {
	for i, f := range r.Findings {
		if name := f.Table; f.Dimension == dimension && (f.ObjectName == written || f.ObjectName != "" && name+"["+f.ObjectName+"]" == written || f.ObjectName == "" && name == written) {
			return &r.Findings[i]
		}
	}
	return nil
}

func sumOfImpacts(r readiness.Result) float64 {
	sum := 0.0
	for _, f := range r.Findings {
		sum += f.Impact
	}
	return sum
}

// The rules that fail on one object in one dimension form one finding: all
// ids, the largest violation and severity, the sum of the impacts, the fixes in order,
// and one message without repetition.
func TestFindingMerges(t *testing.T) {
	t.Parallel()
	m := star(1)
	m.Tables[0].Measures[0].Description = ""
	r := readiness.Current().Assess(m, readiness.Options{})
	if len(r.Findings) != 1 {
		t.Fatalf("got %d findings, want 1: %+v", len(r.Findings), r.Findings)
	}
	f := r.Findings[0]
	// One of 3 measures.
	lost := 100 * 14.0 / 100 / 11 * (4.0 / 3)
	if math.Abs(f.Impact-lost) > 1e-9 {
		t.Errorf("impact: got %v, want %v", f.Impact, lost)
	}
	f.Impact = 0
	want := readiness.Finding{
		Dimension: "descriptions", Key: finding.Key{Table: "Sales", ObjectName: "Revenue"}, ObjectType: finding.MeasureObject,
		RuleIDs: []string{"DSC-03"}, Severity: finding.Medium, Violation: 1,
		Message:  "Measure [Revenue]: describe what it measures, how it is calculated and when to use it.",
		Evidence: "no description",
		FixKind:  finding.Descriptions, FixKinds: []finding.FixKind{finding.Descriptions},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestScoresAreNull(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*semanticmodel.Model{
		"no table":           model(),
		"all hidden":         model(table("Sales", hiddenTable, text("a"), measure("m", "1"))),
		"all private":        model(table("Sales", privateTable, text("a"))),
		"hidden by a schema": model(table("Sales", text("a")), schema("Sales Hidden")),
	} {
		for as, assess := range map[string]func(*semanticmodel.Model, readiness.Options) readiness.Result{"model": readiness.Current().Assess, "agent": readiness.Current().AssessAsAgent} {
			r := assess(m, readiness.Options{})
			if r.Score != nil || r.Raw != nil || r.Unweighted.Score != nil || r.Unweighted.Raw != nil {
				t.Errorf("%s as %s: got a score", name, as)
			}
			// Everything except the score is computed as usual. An
			// agent that sees no field has no dimension to compute.
			if as == "model" && (r.RawUncapped == nil || math.Abs(100-*r.RawUncapped-sumOfImpacts(r)) > 1e-4 || r.Unweighted.RawUncapped == nil || *r.Unweighted.RawUncapped != *r.RawUncapped) {
				t.Errorf("%s: got %v and impacts of %v", name, r.RawUncapped, sumOfImpacts(r))
			}
			if as == "agent" && (r.RawUncapped != nil || r.Unweighted.RawUncapped != nil) {
				t.Errorf("%s as an agent: got %v of no dimension", name, *r.RawUncapped)
			}
			if findingOf(r, "instructions", "#INS-07") == nil {
				t.Errorf("%s as %s: the findings are not computed as usual", name, as)
			}
		}
	}
	// A table without fields is a table.
	if r := readiness.Current().Assess(model(table("Sales")), readiness.Options{}); r.Score == nil {
		t.Error("one table: got no score")
	}
	// A dimension without an applicable rule has no score and no weight.
	r := readiness.Current().Assess(model(table("Sales", text("a"))), readiness.Options{})
	if d := dimensionOf(t, r, "time"); d.Score != nil || d.Raw != nil || len(d.Rules) != 6 || d.Rules[0].Score != nil || d.Rules[0].Eligible != 0 {
		t.Errorf("time without a dateTime column: got %+v", d)
	}
	if r.Score == nil || math.Abs(100-*r.RawUncapped-sumOfImpacts(r)) > 1e-4 {
		t.Errorf("got %v and impacts of %v", r.RawUncapped, sumOfImpacts(r))
	}
}

func TestCapsHold(t *testing.T) {
	t.Parallel()
	unmeasured, unrelated := star(1), star(1)
	for i := range unmeasured.Tables[0].Measures {
		unmeasured.Tables[0].Measures[i].IsHidden = true
	}
	for i := range unrelated.Relationships {
		unrelated.Relationships[i].IsActive = false
	}
	both := star(1)
	both.Relationships, both.Tables[0].Measures = nil, nil
	single := star(0)
	single.Tables, single.Relationships = single.Tables[:1], nil
	single.Tables[0].Measures = single.Tables[0].Measures[:1]
	selfRelated := star(1)
	selfRelated.Relationships = []semanticmodel.Relationship{related("Sales[Order Date] -> Sales[Ship Date]")}
	for name, tt := range map[string]struct {
		model *semanticmodel.Model
		caps  []string
	}{
		"none":                    {star(1), []string{}},
		"no measure":              {unmeasured, []string{"CAP-NOMEASURE"}},
		"no active relationship":  {unrelated, []string{"CAP-NOREL"}},
		"both":                    {both, []string{"CAP-NOMEASURE", "CAP-NOREL"}},
		"one table":               {single, []string{}},
		"a table with itself":     {selfRelated, []string{"CAP-NOREL"}},
		"a hidden star is a star": {model(table("S", whole("a"), hiddenTable), table("D", whole("a"), measure("m", "1")), related("S[a] -> D[a]")), []string{}},
	} {
		r := readiness.Current().Assess(tt.model, readiness.Options{})
		if diff := cmp.Diff(tt.caps, r.Caps); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		want := *r.RawUncapped
		if len(tt.caps) > 0 {
			want = min(want, 60)
		}
		if *r.Raw != want || *r.Score != int(math.Floor(want+0.5)) {
			t.Errorf("%s: got %d, %v of %v, want %v", name, *r.Score, *r.Raw, *r.RawUncapped, want)
		}
		if slices.ContainsFunc(r.Findings, func(f readiness.Finding) bool { return strings.HasPrefix(f.ObjectName, "CAP") }) {
			t.Errorf("%s: a cap is a finding", name)
		}
	}
}

func TestIgnore(t *testing.T) {
	t.Parallel()
	m := star(1)
	m.Tables[0].Measures[0].Description = ""
	m.Tables[0].Measures[1].FormatString = ""
	ignore := func(rules string, key finding.Key) readiness.Options {
		return readiness.Options{Ignore: func(id string, k finding.Key) bool { return strings.Contains(rules, id) && k == key }}
	}
	revenue := finding.Key{Table: "Sales", ObjectName: "Revenue"}
	r := readiness.Current().Assess(m, ignore("DSC-03", revenue))
	if got := ruleOf(t, r, "DSC-03"); got.Eligible != 2 || got.Failing != 0 || got.Ignored != 1 || *got.Score != 1 {
		t.Errorf("DSC-03: got %+v", got)
	}
	if got := ruleOf(t, r, "MEA-03"); got.Failing != 1 || got.Ignored != 0 {
		t.Errorf("MEA-03: got %+v", got)
	}
	r = readiness.Current().Assess(m, ignore("DSC-03", revenue))
	if d := dimensionOf(t, r, "descriptions"); *d.Score != 100 || findingOf(r, "descriptions", "Sales[Revenue]") != nil {
		t.Errorf("descriptions: got %+v", d)
	}
	if exact := 100 - *r.RawUncapped; math.Abs(exact-sumOfImpacts(r)) > 1e-4 {
		t.Errorf("got impacts of %v, want %v", sumOfImpacts(r), exact)
	}
	// A model-level rule is ignored by its own key; without an eligible object it does
	// not apply.
	m.Copilot.VerifiedAnswers = nil
	r = readiness.Current().Assess(m, ignore("INS-07", finding.Key{ObjectName: "#INS-07"}))
	if got := ruleOf(t, r, "INS-07"); got.Score != nil || got.Eligible != 0 || got.Ignored != 1 {
		t.Errorf("INS-07: got %+v", got)
	}
	// "Another" includes ignored objects.
	twins := model(table("S", measure("a", "1"), measure("b", "1")))
	r = readiness.Current().Assess(twins, ignore("MEA-05", finding.Key{Table: "S", ObjectName: "a"}))
	if got := ruleOf(t, r, "MEA-05"); got.Eligible != 1 || got.Failing != 1 {
		t.Errorf("MEA-05: got %+v", got)
	}
}

// The check values of docs/regime.md.
func TestWeights(t *testing.T) {
	t.Parallel()
	m := model(
		table("A", text("none"), text("ten"), text("hidden", hidden), whole("k")), table("B", text("hundred"), whole("k")), table("C", measure("thousand", "1")), table("D", hiddenTable, text("x")), table("E", text("unviewed")),
		related("A[k] -> B[k]"), related("D[x] -> A[k]"),
	)
	usage := map[string]map[string]int64{
		"a": {"TEN": 4, " ten": 6, "hidden": 5000}, "B": {"hundred": 100, "gone": 9999, "k": -5}, "C": {"thousand": 600}, " c ": {"Thousand": 400}, "D": {"x": 7000}, "gone": {"x": 8000},
	}
	got := map[string]float64{}
	for k, w := range readiness.Weights(m, usage) {
		got[written(k)] = math.Round(w*1e6) / 1e6
	}
	want := map[string]float64{
		"A": 2.041242, "A[none]": 1, "A[ten]": 2.041242, "A[k]": 1, "B": 3.004031, "B[hundred]": 3.004031, "B[k]": 1, "C": 4, "C[thousand]": 4, "E": 1, "E[unviewed]": 1,
		"A[k] -> B[k]": 3.004031, "D[x] -> A[k]": 2.041242,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for name, usage := range map[string]map[string]map[string]int64{"no map": nil, "an empty map": {}, "no views": {"A": {"ten": 0}}, "too many views": {"A": {"ten": math.MaxInt64, "TEN": math.MaxInt64}}} {
		for k, w := range readiness.Weights(m, usage) {
			if want := name == "too many views" && (written(k) == "A" || written(k) == "A[ten]" || strings.Contains(written(k), "A[k]") && strings.Contains(written(k), "->")); (w == 4) != want || !want && w != 1 {
				t.Errorf("%s: %s weighs %v", name, written(k), w)
			}
		}
	}
}

func TestWeighting(t *testing.T) {
	t.Parallel()
	m := star(2)
	m.Tables[0].Measures[0].Description = ""
	m.Tables[0].Measures[1].FormatString = ""
	m.Tables[3].Description = ""
	plain := readiness.Current().Assess(m, readiness.Options{})
	if plain.Weighting != readiness.Unweighted || plain.Unweighted != plain.Scores && *plain.Unweighted.Raw != *plain.Raw {
		t.Errorf("no map: got %s, %v and %v", plain.Weighting, *plain.Raw, *plain.Unweighted.Raw)
	}
	used := readiness.Current().Assess(m, readiness.Options{Usage: map[string]map[string]int64{"Sales": {"Revenue": 1000}}})
	if used.Weighting != readiness.WeightedByUsage || *used.Raw >= *plain.Raw {
		t.Errorf("with a map: got %s, %v, unweighted %v", used.Weighting, *used.Raw, *plain.Raw)
	}
	// The unweighted scores are those without a map, and so without VIS-06.
	if diff := cmp.Diff(plain.Scores, used.Unweighted); diff != "" {
		t.Errorf("unweighted companion: -want +got\n%s", diff)
	}
	if got := ruleOf(t, used, "VIS-06"); got.Eligible == 0 || got.Failing == 0 {
		t.Errorf("VIS-06: got %+v", got)
	}
	// DSC-03 with one used measure of three: 1 - 4/(4+1+1).
	if got := ruleOf(t, used, "DSC-03"); *got.Score != 0.3333 {
		t.Errorf("DSC-03: got %v, want 0.3333", *got.Score)
	}
	if got := ruleOf(t, plain, "DSC-03"); *got.Score != 0.6667 {
		t.Errorf("DSC-03 unweighted: got %v, want 0.6667", *got.Score)
	}
}

func TestCurrentRegime(t *testing.T) {
	t.Parallel()
	// Without a regime, the current one assesses.
	m, agent, current := star(0), readiness.Agent{Instructions: "Order Date"}, readiness.Current()
	sources := []readiness.Source{selecting("1", m, "Sales")}
	for as, results := range map[string][2]readiness.Result{
		"model":      {readiness.Assess(m, readiness.Options{}), current.Assess(m, readiness.Options{})},
		"agent":      {readiness.AssessAsAgent(m, readiness.Options{}), current.AssessAsAgent(m, readiness.Options{})},
		"data agent": {readiness.AssessAgent(agent, sources, readiness.Options{}), current.AssessAgent(agent, sources, readiness.Options{})},
	} {
		if diff := cmp.Diff(results[1], results[0]); diff != "" || results[0].Regime != readiness.RegimeID {
			t.Errorf("%s by the current regime (-want +got):\n%s", as, diff)
		}
	}
	for id, want := range map[string]bool{"2026-11": true, "2026-12": true, "2026-12+0a1b2c3d": true, readiness.RegimeID: false, "2020-01": false, "": false} {
		if readiness.IsEarlier(id) != want {
			t.Errorf("%q is earlier: got %v", id, !want)
		}
	}
}

// The stored document's report: names and nulls (docs/decisions.md 6).
func TestJSON(t *testing.T) {
	t.Parallel()
	m := star(0)
	m.Tables[0].Name = "net_sales"
	m.Tables = m.Tables[:1]
	m.Copilot.VerifiedAnswers = nil
	r := readiness.Current().Assess(m, readiness.Options{})
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		OverallScore *float64 `json:"overall_score"`
		Dimensions   []map[string]any
		Findings     []map[string]any
	}
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	names := func(m map[string]any) string {
		var keys []string
		for k := range m {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		return strings.Join(keys, " ")
	}
	if report.OverallScore == nil || *report.OverallScore != float64(*r.Score) {
		t.Errorf("overall_score: got %v, want %d", report.OverallScore, *r.Score)
	}
	if got, want := names(report.Dimensions[0]), "id name raw_score rules score weight"; got != want {
		t.Errorf("dimension: got %s, want %s", got, want)
	}
	var byHand map[string]any
	for _, f := range report.Findings {
		if got, want := names(f), "dimension evidence fix_kind fix_kinds impact message object_name object_type rule_ids severity table violation"; got != want {
			t.Errorf("finding: got %s, want %s", got, want)
		}
		if f["object_name"] == "#INS-07" {
			byHand = f
		}
	}
	if byHand == nil || byHand["fix_kind"] != nil || fmt.Sprint(byHand["fix_kinds"]) != "[]" {
		t.Errorf("a finding to fix by hand: got %v", byHand)
	}
	// The report can be read back unchanged.
	var again readiness.Result
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	r.Model = readiness.Counts{}
	if diff := cmp.Diff(r, again); diff != "" {
		t.Errorf("read again: -want +got\n%s", diff)
	}
	data, err = json.Marshal(readiness.Current().Assess(model(), readiness.Options{}))
	for _, want := range []string{`"overall_score":null,"raw_score":null,"raw_uncapped":51.8519,`, `"caps":["CAP-NOMEASURE"]`, `"score_complete":true`} {
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("got %s, %v, want %s in it", data, err, want)
		}
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	m := model(
		table("S", text("a"), text("b", hidden), whole("r", rowNumber), measure("m", "1"), measure("n", "1", hiddenMeasure)), table("H", hiddenTable, text("c")), table("P", privateTable), table("LocalDateTable_1", date("d")),
		related("S[a] -> H[c]"), related("S[b] -> LocalDateTable_1[d]"), answered("x", nil),
	)
	want := readiness.Counts{Tables: 2, Columns: 3, Measures: 2, Relationships: 1, ExposedTables: 1, ExposedColumns: 1, ExposedMeasures: 1, VerifiedAnswers: 1}
	if got := readiness.Current().Assess(m, readiness.Options{}).Model; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
