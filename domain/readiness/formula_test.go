package readiness

import (
	"math"
	"testing"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
)

// sums returns a judgement of objects of weight 1, some of them failing.
func sums(r *rule.Rule, eligible, fail int) judgement {
	j := judgement{Rule: r}
	for i := range eligible {
		f := failing{weight: 1, Object: &model.Object{Kind: model.OtherKind, ObjectType: finding.ModelObject, Index: -1, Name: r.ID + string(rune('a'+i))}}
		if i < fail {
			f.Verdict = rule.Fails(1, "do", "as it is")
		}
		j.add(f, Options{})
	}
	return j
}

// The worked example of docs/regime.md.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	dimensions := []scored{
		{weighted{dimension{id: "descriptions"}, 14}, []part{{1, []judgement{
			sums(&rule.Rule{ID: "DSC-01", Weight: 2}, 2, 1), sums(&rule.Rule{ID: "DSC-02", Weight: 3}, 4, 2), sums(&rule.Rule{ID: "DSC-03", Weight: 4}, 2, 1),
		}}}},
		{weighted{dimension{id: "naming"}, 14}, []part{{1, []judgement{sums(&rule.Rule{ID: "NAM-01", Weight: 3}, 0, 0)}}}},
		{weighted{dimension{id: "measures"}, 15}, []part{{1, []judgement{sums(&rule.Rule{ID: "MEA-03", Weight: 3}, 2, 1)}}}},
		{weighted{dimension{id: "time"}, 5}, []part{{1, []judgement{
			sums(&rule.Rule{ID: "TIM-01", Weight: 3}, 1, 0), sums(&rule.Rule{ID: "TIM-03", Weight: 2}, 1, 1),
		}}}},
	}
	for i, want := range []float64{50, math.NaN(), 50, 60} {
		got, ok := dimensions[i].score(byUsage)
		if ok != !math.IsNaN(want) || ok && got != want {
			t.Errorf("D of %s: got %v, %v, want %v", dimensions[i].id, got, ok, want)
		}
	}
	s, weights, ok := overall(dimensions, byUsage)
	if math.Abs(s-1750.0/34) > 1e-9 || weights != 34 || !ok {
		t.Errorf("S: got %v of weight %v, want 1750/34 of 34", s, weights)
	}
	lost := 0.0
	for _, f := range findings(dimensions) {
		lost += f.Impact
		if f.RuleIDs[0] == "DSC-03" && math.Abs(f.Impact-9.15) > 0.005 {
			t.Errorf("the measure without a description costs %v, want 9.15", f.Impact)
		}
	}
	if math.Abs(lost-(100-s)) > 1e-9 {
		t.Errorf("impacts: got %v, want %v", lost, 100-s)
	}
	if got := scores(s, nil); *got.Score != 51 || *got.Raw != 51.4706 || *got.RawUncapped != 51.4706 {
		t.Errorf("scores: got %d, %v, %v, want 51, 51.4706, 51.4706", *got.Score, *got.Raw, *got.RawUncapped)
	}
}

// A dimension over two sources. Each source counts by its
// fields; a source where no rule applies does not count.
func TestSourcesAreWeighted(t *testing.T) {
	t.Parallel()
	one := func(n float64, eligible, fail int) part {
		return part{n, []judgement{sums(&rule.Rule{ID: "DSC-01", Weight: 2}, eligible, fail)}}
	}
	for name, tt := range map[string]struct {
		parts []part
		want  float64 // NaN is null
	}{
		"by fields":               {[]part{one(1, 1, 1), one(3, 1, 0)}, 75},
		"not applicable":          {[]part{one(1, 2, 1), one(3, 0, 0)}, 50},
		"no fields":               {[]part{one(0, 1, 1), one(3, 1, 0)}, 100},
		"no fields anywhere":      {[]part{one(0, 1, 1)}, math.NaN()},
		"applicable to no source": {[]part{one(1, 0, 0)}, math.NaN()},
		"no source":               {nil, math.NaN()},
	} {
		d := scored{weighted{dimension{id: "descriptions"}, 20}, tt.parts}
		got, ok := d.score(byUsage)
		if ok != !math.IsNaN(tt.want) || ok && got != tt.want {
			t.Errorf("%s: got %v, %v, want %v", name, got, ok, tt.want)
		}
		lost := 0.0
		for _, f := range findings([]scored{d}) {
			lost += f.Impact
		}
		if want := 100 - tt.want; ok && math.Abs(lost-want) > 1e-9 || !ok && lost != 0 {
			t.Errorf("%s: impacts: got %v, want %v", name, lost, want)
		}
	}
}

func TestCaps(t *testing.T) {
	t.Parallel()
	cap60, cap40 := limit{most: 60}, limit{most: 40}
	for name, tt := range map[string]struct {
		s     float64
		caps  []limit
		score int
		raw   float64
	}{
		"none":               {80, nil, 80, 80},
		"lowers":             {80, []limit{cap60}, 60, 60},
		"does not raise":     {50.25, []limit{cap60}, 50, 50.25},
		"the lowest of two":  {80, []limit{cap60, cap40}, 40, 40},
		"just above the cap": {60.00005, []limit{cap60}, 60, 60},
	} {
		got := scores(tt.s, tt.caps)
		if *got.Score != tt.score || *got.Raw != tt.raw || *got.RawUncapped != round4(tt.s) {
			t.Errorf("%s: got %d, %v, %v, want %d, %v, %v", name, *got.Score, *got.Raw, *got.RawUncapped, tt.score, tt.raw, round4(tt.s))
		}
	}
}

func TestRounding(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]int{0: 0, 0.4999: 0, 0.5: 1, 51.5: 52, 51.5 - 0.9e-9: 52, 51.5 - 1e-8: 51, 99.4: 99, 100: 100} {
		if got := integer(x); got != want {
			t.Errorf("integer(%v) = %d, want %d", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 0, 51.50004: 51.5, 51.50005: 51.5001, 51.50006: 51.5001, 99.99996: 100, 33.33333333: 33.3333} {
		if got := round4(x); got != want {
			t.Errorf("round4(%v) = %v, want %v", x, got, want)
		}
	}
}

// Every rule with its weight, severity and fixes, repeated here so that a change of a table cannot go unnoticed.
func TestRuleTable(t *testing.T) {
	t.Parallel()
	const I, D, P, S = finding.AIInstructions, finding.Descriptions, finding.Properties, finding.AIDataSchema
	type row struct {
		k        float64
		severity finding.Severity
		fixes    []finding.FixKind
	}
	want := map[string]row{
		"DSC-01": {2, finding.Medium, []finding.FixKind{D}}, "DSC-02": {3, finding.Medium, []finding.FixKind{D}}, "DSC-03": {4, finding.Medium, []finding.FixKind{D}},
		"DSC-05": {1, finding.Low, []finding.FixKind{D}}, "DSC-07": {1, finding.Medium, []finding.FixKind{D}},
		"NAM-01": {3, finding.Medium, nil}, "NAM-02": {2, finding.Medium, nil}, "NAM-03": {2, finding.Low, nil}, "NAM-04": {2, finding.Low, nil}, "NAM-05": {1, finding.Low, nil}, "NAM-06": {2, finding.Medium, nil},
		"MEA-01": {3, finding.High, nil}, "MEA-02": {2, finding.Medium, nil}, "MEA-03": {3, finding.Medium, nil}, "MEA-04": {2, finding.Low, []finding.FixKind{P}}, "MEA-05": {2, finding.Medium, []finding.FixKind{S}}, "MEA-06": {1, finding.Low, []finding.FixKind{S, I}},
		"TYP-01": {1, finding.Low, []finding.FixKind{P}}, "TYP-02": {3, finding.Medium, []finding.FixKind{P}}, "TYP-03": {2, finding.Medium, nil}, "TYP-04": {2, finding.Medium, nil}, "TYP-05": {1, finding.Low, nil}, "TYP-06": {1, finding.Low, nil}, "TYP-07": {1, finding.Low, nil},
		"REL-01": {3, finding.High, []finding.FixKind{S}}, "REL-02": {3, finding.High, nil}, "REL-03": {2, finding.Medium, nil}, "REL-04": {2, finding.Medium, nil}, "REL-05": {2, finding.Medium, nil}, "REL-06": {1, finding.Low, []finding.FixKind{I}}, "REL-07": {2, finding.Medium, nil},
		"VIS-01": {3, finding.High, []finding.FixKind{S}}, "VIS-02": {3, finding.Medium, []finding.FixKind{S}}, "VIS-03": {2, finding.Medium, []finding.FixKind{S}}, "VIS-04": {2, finding.Medium, []finding.FixKind{S}}, "VIS-05": {2, finding.Medium, []finding.FixKind{S}}, "VIS-06": {1, finding.Low, []finding.FixKind{S}},
		"INS-01": {4, finding.High, []finding.FixKind{I}}, "INS-02": {2, finding.Medium, []finding.FixKind{I}}, "INS-03": {2, finding.Medium, []finding.FixKind{I}}, "INS-04": {2, finding.Medium, []finding.FixKind{I}}, "INS-05": {2, finding.Medium, []finding.FixKind{I}}, "INS-06": {1, finding.Medium, []finding.FixKind{I}},
		"INS-07": {1, finding.Low, nil}, "INS-08": {1, finding.Low, nil}, "INS-09": {1, finding.Medium, nil}, "INS-14": {1, finding.Medium, nil},
		"SYN-01": {1, finding.Low, nil}, "SYN-02": {1, finding.Medium, nil},
		"INS-10": {4, finding.High, nil}, "INS-11": {1, finding.Medium, []finding.FixKind{I}}, "INS-12": {1, finding.Low, nil}, "INS-13": {1, finding.Low, nil}, "REL-08": {3, finding.High, nil}, "REL-09": {2, finding.Medium, nil},
		"MEA-07": {4, finding.High, nil}, "MEA-08": {1, finding.Low, nil}, "MEA-09": {2, finding.High, nil}, "MEA-10": {2, finding.Medium, nil}, "REL-10": {2, finding.High, nil}, "REL-11": {2, finding.Medium, nil}, "VIS-09": {1, finding.Low, []finding.FixKind{S}}, "VIS-07": {3, finding.High, []finding.FixKind{S}}, "VIS-08": {3, finding.Medium, []finding.FixKind{S}}, "NAM-07": {1, finding.Low, nil}, "AGT-06": {1, finding.Medium, nil},
		"TIM-01": {3, finding.High, nil}, "TIM-02": {1, finding.Low, nil}, "TIM-03": {2, finding.Medium, nil}, "TIM-04": {2, finding.Low, nil}, "TIM-05": {1, finding.Low, nil}, "TIM-06": {1, finding.Low, nil},
		"AGT-01": {3, finding.Medium, nil}, "AGT-02": {2, finding.Medium, nil}, "AGT-03": {1, finding.Low, nil}, "AGT-04": {1, finding.Low, nil}, "AGT-05": {1, finding.Low, nil},
	}
	var all []rule.Rule
	last := ""
	for _, d := range january2027.dimensions {
		all = append(all, d.rules...)
		for _, r := range d.rules {
			if r.ID <= last && r.ID[:3] == last[:3] {
				t.Errorf("%s comes after %s", r.ID, last)
			}
			last = r.ID
		}
	}
	for _, r := range january2027.agent {
		all = append(all, r.Rule)
	}
	for _, r := range all {
		w, ok := want[r.ID]
		if !ok || r.Weight != w.k || r.Severity != w.severity || len(r.Fixes) != len(w.fixes) {
			t.Errorf("%s: got k %v, %s, %v, want %+v", r.ID, r.Weight, r.Severity, r.Fixes, w)
		}
		for i := range w.fixes {
			if r.Fixes[i] != w.fixes[i] {
				t.Errorf("%s: got fixes %v, want %v", r.ID, r.Fixes, w.fixes)
			}
		}
		delete(want, r.ID)
	}
	for id := range want {
		t.Errorf("%s is missing", id)
	}
	// The weights of docs/regime.md.
	model, agent := 0.0, 0.0
	for _, d := range january2027.dimensions {
		model += d.modelWeight
		agent += d.agentWeight
	}
	if model != 100 || agent != 100 {
		t.Errorf("the weights add up to %v and %v, want 100 each", model, agent)
	}
}

func TestSeverityOfViolation(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of        finding.Severity
		violation float64
		want      finding.Severity
	}{{finding.High, 1, finding.High}, {finding.High, 0.99, finding.Medium}, {finding.Medium, 1, finding.Medium}, {finding.Medium, 0.5, finding.Low}, {finding.Low, 1, finding.Low}, {finding.Low, 0.5, finding.Low}} {
		if got := (&rule.Rule{Severity: tt.of}).SeverityOf(tt.violation); got != tt.want {
			t.Errorf("%s at %v: got %s, want %s", tt.of, tt.violation, got, tt.want)
		}
	}
}

// Neighbors whose impacts are at most 1e-9 apart form one group, even where the ends of
// the group are further apart.
func TestOrder(t *testing.T) {
	t.Parallel()
	at := func(impact float64, dimension, source int, table, name string, k model.Kind) *draft {
		o := &model.Object{Kind: k, Name: name}
		o.Table = newTableNamed(table)
		return &draft{Finding: Finding{Impact: impact, Message: name}, dimension: dimension, source: source, object: o}
	}
	drafts := []*draft{
		at(1, 1, 0, "T", "g", model.ColumnKind),
		at(1+0.9e-9, 1, 0, "T", "f", model.ColumnKind),
		at(1+1.8e-9, 2, 0, "A", "h", model.ColumnKind),
		at(1, 1, 0, "T", "b", model.MeasureKind),
		at(1, 1, 1, "A", "g2", model.ColumnKind),
		at(1, 0, 1, "Z", "a", model.ColumnKind),
		at(2, 9, 9, "Z", "first", model.ColumnKind),
		at(1-1e-7, 0, 0, "A", "last", model.ColumnKind),
	}
	order(drafts)
	got := ""
	for _, d := range drafts {
		got += d.Message + " "
	}
	if want := "first a f g b g2 h last "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
