package readiness

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// sums returns a judgement of objects of weight 1, some of them failing.
func sums(r *rule, eligible, fail int) judgement {
	j := judgement{rule: r}
	for i := range eligible {
		f := failing{weight: 1, object: &object{kind: otherKind, objectType: ModelObject, index: -1, name: string(rune('a' + i))}}
		if i < fail {
			f.verdict = fails(1, "do", "as it is")
		}
		j.add(f, Options{})
	}
	return j
}

// The worked example of docs/regime.md C.7.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	dimensions := []scored{
		{weighted{dimension{id: "descriptions"}, 20}, []part{{1, []judgement{
			sums(&rule{id: "DSC-01", k: 2}, 2, 1), sums(&rule{id: "DSC-02", k: 3}, 4, 2), sums(&rule{id: "DSC-03", k: 4}, 2, 1),
		}}}},
		{weighted{dimension{id: "naming"}, 14}, []part{{1, []judgement{sums(&rule{id: "NAM-01", k: 3}, 0, 0)}}}},
		{weighted{dimension{id: "measures"}, 14}, []part{{1, []judgement{sums(&rule{id: "MEA-03", k: 3}, 2, 1)}}}},
		{weighted{dimension{id: "time"}, 6}, []part{{1, []judgement{
			sums(&rule{id: "TIM-01", k: 3}, 1, 0), sums(&rule{id: "TIM-03", k: 2}, 1, 1),
		}}}},
	}
	for i, want := range []float64{50, math.NaN(), 50, 60} {
		got, ok := dimensions[i].score(byUsage)
		if ok != !math.IsNaN(want) || ok && got != want {
			t.Errorf("D of %s: got %v, %v, want %v", dimensions[i].id, got, ok, want)
		}
	}
	s, weights, ok := overall(dimensions, byUsage)
	if s != 51.5 || weights != 40 || !ok {
		t.Errorf("S: got %v of weight %v, want 51.5 of 40", s, weights)
	}
	lost := 0.0
	for _, f := range findings(dimensions) {
		lost += f.Impact
	}
	if math.Abs(lost-48.5) > 1e-9 {
		t.Errorf("impacts: got %v, want 48.5", lost)
	}
	if got := scores(s, nil); *got.Score != 52 || *got.Raw != 51.5 || *got.RawUncapped != 51.5 {
		t.Errorf("scores: got %d, %v, %v, want 52, 51.5, 51.5", *got.Score, *got.Raw, *got.RawUncapped)
	}
}

// A dimension over two sources (docs/regime.md C.6 (4), C.9 (23)). Each source counts by its
// fields; a source where no rule applies does not count.
func TestSourcesAreWeighted(t *testing.T) {
	t.Parallel()
	one := func(n float64, eligible, fail int) part {
		return part{n, []judgement{sums(&rule{id: "DSC-01", k: 2}, eligible, fail)}}
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

// Every rule of docs/regime.md C.4 and C.6 with its weight, severity (docs/regime.md C.9 (18)) and
// fixes (docs/regime.md C.4), repeated here so that a change of a table cannot go unnoticed.
func TestRuleTable(t *testing.T) {
	t.Parallel()
	const I, D, P, S = AIInstructions, Descriptions, Properties, AIDataSchema
	type row struct {
		k        float64
		severity Severity
		fixes    []FixKind
	}
	want := map[string]row{
		"DSC-01": {2, Medium, []FixKind{D}}, "DSC-02": {3, Medium, []FixKind{D}}, "DSC-03": {4, High, []FixKind{D}}, "DSC-04": {2, Medium, []FixKind{D}},
		"DSC-05": {1, Low, []FixKind{D}}, "DSC-06": {1, Medium, []FixKind{D}}, "DSC-07": {1, Medium, []FixKind{D}},
		"NAM-01": {3, Medium, nil}, "NAM-02": {2, Medium, nil}, "NAM-03": {2, Low, nil}, "NAM-04": {2, Medium, nil}, "NAM-05": {1, Low, nil}, "NAM-06": {2, Medium, nil},
		"MEA-01": {3, High, nil}, "MEA-02": {2, Medium, nil}, "MEA-03": {3, Medium, nil}, "MEA-04": {2, Low, []FixKind{P}}, "MEA-05": {2, Medium, []FixKind{S}}, "MEA-06": {1, Low, []FixKind{S, I}},
		"TYP-01": {1, Low, []FixKind{P}}, "TYP-02": {3, Medium, []FixKind{P}}, "TYP-03": {2, Medium, nil}, "TYP-04": {2, Medium, nil}, "TYP-05": {1, Low, nil}, "TYP-06": {1, Low, nil}, "TYP-07": {1, Low, nil},
		"REL-01": {3, High, []FixKind{S}}, "REL-02": {3, High, nil}, "REL-03": {2, Medium, nil}, "REL-04": {2, Medium, nil}, "REL-05": {2, Medium, nil}, "REL-06": {1, Low, []FixKind{I}}, "REL-07": {2, Medium, nil},
		"VIS-01": {3, High, []FixKind{S}}, "VIS-02": {3, Medium, []FixKind{S}}, "VIS-03": {2, Medium, []FixKind{S}}, "VIS-04": {2, Medium, []FixKind{S}}, "VIS-05": {2, Medium, []FixKind{S}}, "VIS-06": {1, Low, []FixKind{S}},
		"INS-01": {4, High, []FixKind{I}}, "INS-02": {2, Medium, []FixKind{I}}, "INS-03": {2, Medium, []FixKind{I}}, "INS-04": {2, Medium, []FixKind{I}}, "INS-05": {2, Medium, []FixKind{I}}, "INS-06": {1, Medium, []FixKind{I}},
		"INS-07": {2, Low, nil}, "INS-08": {1, Low, nil}, "INS-09": {1, Medium, nil},
		"SYN-01": {2, Low, nil}, "SYN-02": {1, Medium, nil},
		"TIM-01": {3, High, nil}, "TIM-02": {1, Low, nil}, "TIM-03": {2, Medium, nil}, "TIM-04": {2, Medium, nil}, "TIM-05": {1, Low, nil}, "TIM-06": {1, Low, nil},
		"AGT-01": {3, Medium, nil}, "AGT-02": {2, Medium, nil}, "AGT-03": {1, Low, nil}, "AGT-04": {1, Low, nil}, "AGT-05": {1, Low, nil},
	}
	var all []rule
	last := ""
	for _, d := range november2026.dimensions {
		all = append(all, d.rules...)
		for _, r := range d.rules {
			if r.id <= last && r.id[:3] == last[:3] {
				t.Errorf("%s comes after %s", r.id, last)
			}
			last = r.id
		}
	}
	for _, r := range november2026.agent {
		all = append(all, r.rule)
	}
	for _, r := range all {
		w, ok := want[r.id]
		if !ok || r.k != w.k || r.severity != w.severity || len(r.fixes) != len(w.fixes) {
			t.Errorf("%s: got k %v, %s, %v, want %+v", r.id, r.k, r.severity, r.fixes, w)
		}
		for i := range w.fixes {
			if r.fixes[i] != w.fixes[i] {
				t.Errorf("%s: got fixes %v, want %v", r.id, r.fixes, w.fixes)
			}
		}
		delete(want, r.id)
	}
	for id := range want {
		t.Errorf("%s is missing", id)
	}
	// The weights of docs/regime.md C.3.
	model, agent := 0.0, 0.0
	for _, d := range november2026.dimensions {
		model += d.modelWeight
		agent += d.agentWeight
	}
	if model != 100 || agent != 100 {
		t.Errorf("the weights add up to %v and %v, want 100 each", model, agent)
	}
}

// The rules that 2026-12 adds or weighs otherwise (docs/regime.md H.1 to H.3, H.6, docs/regime-precision.md P15), and
// its weights of dimensions. Every other rule is as in 2026-11.
func TestDecemberRuleTable(t *testing.T) {
	t.Parallel()
	const I, S = AIInstructions, AIDataSchema
	changed := map[string]rule{
		"DSC-04": {k: 3, severity: Medium, fixes: []FixKind{Descriptions}}, "NAM-04": {k: 2, severity: Low}, "TIM-04": {k: 2, severity: Low}, "SYN-01": {k: 1, severity: Low}, "SYN-02": {k: 1, severity: Medium},
		"INS-10": {k: 4, severity: High, fixes: []FixKind{I}}, "INS-11": {k: 1, severity: Medium, fixes: []FixKind{I}}, "REL-08": {k: 3, severity: High}, "REL-09": {k: 2, severity: Medium},
		"MEA-07": {k: 4, severity: High}, "MEA-08": {k: 1, severity: Low}, "VIS-07": {k: 3, severity: High, fixes: []FixKind{S}}, "NAM-07": {k: 1, severity: Low}, "AGT-06": {k: 1, severity: Medium},
	}
	all := func(r *Regime) map[string]rule {
		rules := map[string]rule{}
		for _, d := range r.dimensions {
			for _, r := range d.rules {
				rules[r.id] = r
			}
		}
		for _, r := range r.agent {
			rules[r.id] = r.rule
		}
		return rules
	}
	old, now := all(&november2026), all(&december2026)
	for id, r := range now {
		want, known := changed[id]
		if !known {
			want = old[id]
		}
		if r.k != want.k || r.severity != want.severity || !slices.Equal(r.fixes, want.fixes) || r.layout != want.layout || r.usage != want.usage {
			t.Errorf("%s: got k %v, %s, %v, want %v, %s, %v", id, r.k, r.severity, r.fixes, want.k, want.severity, want.fixes)
		}
	}
	if len(now) != len(old)+9 {
		t.Errorf("got %d rules, want 9 more than %d", len(now), len(old))
	}
	weights := map[string][2]float64{
		"descriptions": {14, 14}, "naming": {14, 12}, "measures": {15, 14}, "types": {7, 5}, "relationships": {15, 13}, "visibility": {14, 16},
		"instructions": {13, 15}, "synonyms": {3, 2}, "time": {5, 4}, "agent": {0, 5},
	}
	for i, d := range december2026.dimensions {
		if got := [2]float64{d.modelWeight, d.agentWeight}; got != weights[d.id] || d.id != november2026.dimensions[i].id || !slices.IsSortedFunc(d.rules, func(a, b rule) int { return strings.Compare(a.id, b.id) }) {
			t.Errorf("%s: got weights %v, rules %v", d.id, got, d.rules)
		}
	}
}

func TestSeverityOfViolation(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of        Severity
		violation float64
		want      Severity
	}{{High, 1, High}, {High, 0.99, Medium}, {Medium, 1, Medium}, {Medium, 0.5, Low}, {Low, 1, Low}, {Low, 0.5, Low}} {
		if got := (&rule{severity: tt.of}).severityOf(tt.violation); got != tt.want {
			t.Errorf("%s at %v: got %s, want %s", tt.of, tt.violation, got, tt.want)
		}
	}
}

// Neighbors whose impacts are at most 1e-9 apart form one group, even where the ends of
// the group are further apart (docs/regime.md C.9 (22)).
func TestOrder(t *testing.T) {
	t.Parallel()
	at := func(impact float64, dimension, source int, table, name string, k kind) *draft {
		o := &object{kind: k, name: name}
		o.table = newTableNamed(table)
		return &draft{Finding: Finding{Impact: impact, Message: name}, dimension: dimension, source: source, object: o}
	}
	drafts := []*draft{
		at(1, 1, 0, "T", "g", columnKind),
		at(1+0.9e-9, 1, 0, "T", "f", columnKind),
		at(1+1.8e-9, 2, 0, "A", "h", columnKind),
		at(1, 1, 0, "T", "b", measureKind),
		at(1, 1, 1, "A", "g2", columnKind),
		at(1, 0, 1, "Z", "a", columnKind),
		at(2, 9, 9, "Z", "first", columnKind),
		at(1-1e-7, 0, 0, "A", "last", columnKind),
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
