package assessment_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/semanticmodel"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// Every step of a run uses the recorded regime, and one of a run that was accepted under an earlier regime the current one.
func TestRegimeOfARun(t *testing.T) {
	t.Parallel()
	for recorded, want := range map[string]string{"": readiness.Current().ID, "2026-11": readiness.RegimeID, "2026-12+0a1b2c3d": readiness.RegimeID, readiness.RegimeID: readiness.RegimeID} {
		run := apply(assessment.Run{}, operation.Accepted{OperationID: op}, assessment.RunAccepted{WorkspaceID: workspace, RegimeID: recorded},
			operation.Started{}, assessment.ModelEnded{Result: done(sales)})
		if r, known := run.Regime(nil); !known || r.ID != want {
			t.Errorf("recorded %q: got %+v, %v", recorded, r, known)
		}
	}
	if r, known := (assessment.Run{RegimeID: "2199-01"}).Regime(nil); known || r != nil {
		t.Errorf("a later version's: got %+v, %v", r, known)
	}
}

// A service with changed rules knows a run that another service of the kind accepted
// only if its rules are the same.
func TestOwnRegime(t *testing.T) {
	t.Parallel()
	regime := func(rule string) *readiness.Regime {
		r, err := readiness.Current().Customized(map[string]readiness.Setting{rule: readiness.Off})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	own, same, other := regime("NAM-01"), regime("NAM-01"), regime("NAM-02")
	for recorded, want := range map[string]*readiness.Regime{"": same, own.ID: same, readiness.Current().ID: readiness.Current(), other.ID: nil} {
		if r, known := (assessment.Run{RegimeID: recorded}).Regime(same); r != want || known != (want != nil) {
			t.Errorf("recorded %q: got %+v, %v", recorded, r, known)
		}
	}
}

// Scores are compared only if they rest on the same regime, weighting and stage, and
// lack the same rules.
//
// proves: decisions/14/comparable
func TestComparable(t *testing.T) {
	t.Parallel()
	lacking := func(regime string, all ...assessment.NotAssessable) assessment.Assessment {
		complete := len(all) == 0
		return assessment.Assessment{RegimeID: regime, NotAssessable: all, ScoreComplete: &complete}
	}
	rules := func(source, why string, ids ...string) assessment.NotAssessable {
		return assessment.NotAssessable{SourceModelID: source, RuleIDs: ids, Why: why}
	}
	whole := lacking("2026-12")
	half := lacking("2026-12", rules("", "hidden", "INS-01", "VIS-01"))
	weighted := whole
	weighted.UsageInScoring = true
	staged := func(s assessment.Stage) assessment.Assessment {
		a := whole
		a.DataAgent = &assessment.DataAgent{Stage: s}
		return a
	}
	for name, c := range map[string]struct {
		a, b assessment.Assessment
		want bool
	}{
		"the same":                          {whole, whole, true},
		"two regimes":                       {whole, assessment.Assessment{RegimeID: "2026-11"}, false},
		"two weightings":                    {whole, weighted, false},
		"weighted alike":                    {weighted, weighted, true},
		"two stages":                        {staged(assessment.Published), staged(assessment.Draft), false},
		"one stage":                         {staged(assessment.Draft), staged(assessment.Draft), true},
		"one lacks rules":                   {whole, half, false},
		"both lack the same":                {half, lacking("2026-12", rules("", "hidden", "INS-01", "VIS-01")), true},
		"in another order":                  {half, lacking("2026-12", rules("", "hidden", "VIS-01", "INS-01")), true},
		"for another reason":                {half, lacking("2026-12", rules("", "denied", "INS-01"), rules("", "hidden", "VIS-01", "INS-01")), true},
		"one lacks more":                    {half, lacking("2026-12", rules("", "hidden", "INS-01", "INS-02", "VIS-01")), false},
		"both lack as many":                 {half, lacking("2026-12", rules("", "hidden", "INS-01", "VIS-04")), false},
		"the same of two regimes":           {half, lacking("2027-05", rules("", "hidden", "INS-01", "VIS-01")), false},
		"the same of one source":            {lacking("2026-12", rules("s1", "", "INS-01")), lacking("2026-12", rules("s1", "", "INS-01")), true},
		"the same of two sources":           {lacking("2026-12", rules("s1", "", "INS-01")), lacking("2026-12", rules("s2", "", "INS-01")), false},
		"of a source and of the model":      {lacking("2026-12", rules("s1", "", "INS-01")), lacking("2026-12", rules("", "", "INS-01")), false},
		"sources in another order":          {lacking("2026-12", rules("s1", "", "INS-01"), rules("s2", "", "INS-01")), lacking("2026-12", rules("s2", "", "INS-01"), rules("s1", "", "INS-01")), true},
		"of a regime without such a notion": {assessment.Assessment{RegimeID: "2026-11"}, assessment.Assessment{RegimeID: "2026-11"}, true},
	} {
		if got, back := c.a.Basis().Comparable(c.b.Basis()), c.b.Basis().Comparable(c.a.Basis()); got != c.want || back != c.want {
			t.Errorf("%s: comparable %v, and %v the other way round, want %v", name, got, back, c.want)
		}
		if got := c.a.Basis().String() == c.b.Basis().String(); got != c.want {
			t.Errorf("%s: the texts are equal: %v, want %v", name, got, c.want)
		}
		// What is stored decides likewise.
		_, events := decide(t, assessment.Standing{}, assessment.Record{Assessment: c.a}, assessment.Pin{Stored: []assessment.Stored{{}}, Pinned: true},
			assessment.Record{Assessment: c.b})
		if got := events[2].(assessment.Recorded); got.ComparableWithPrevious != c.want || !cmp.Equal(got.NotAssessable, c.b.NotAssessable) {
			t.Errorf("%s: recorded as %+v, want comparable %v", name, got, c.want)
		}
	}
	// Once all results are deleted, what they lacked is forgotten.
	s, _ := decide(t, assessment.Standing{}, assessment.Record{Assessment: half})
	if len(s.LacksRules) != 2 {
		t.Errorf("the standing is %+v", s)
	}
	if s, _ = decide(t, s, assessment.DeleteResults{ModelID: sales, Stored: make([]assessment.Stored, 1)}); !cmp.Equal(s.Basis, assessment.Basis{}) {
		t.Errorf("after all were deleted the standing is %+v", s)
	}
}

// An assessment lists the rules that could not judge.
func TestSetResult(t *testing.T) {
	t.Parallel()
	unseen := &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: "Sales", Columns: []semanticmodel.Column{{Name: "Amount"}}}}}
	unseen.Copilot.NotVisible = true
	seen := *unseen
	seen.Copilot.NotVisible = false
	for _, c := range []struct {
		model    *semanticmodel.Model
		complete *bool
	}{{unseen, new(false)}, {&seen, new(true)}} {
		r := readiness.Assess(c.model, readiness.Options{})
		a := assessment.Assessment{ModelName: "Model", NotAssessable: []assessment.NotAssessable{{Why: "earlier"}}}
		a.SetResult(r)
		if a.RegimeID != readiness.RegimeID || !cmp.Equal(a.Score, r.Score) || a.FindingsCount != len(r.Findings) || a.FindingsCount == 0 ||
			!cmp.Equal(a.ScoreComplete, c.complete) || a.ModelName != "Model" {
			t.Errorf("%s: got %+v", readiness.RegimeID, a)
		}
		var severities assessment.Severities
		for _, f := range r.Findings {
			*map[finding.Severity]*int{finding.High: &severities.High, finding.Medium: &severities.Medium, finding.Low: &severities.Low}[f.Severity]++
		}
		if !cmp.Equal(a.Severities, &severities) || severities == (assessment.Severities{}) {
			t.Errorf("%s: severities %+v, want %+v", readiness.RegimeID, a.Severities, severities)
		}
		dimensions := map[string]*int{}
		for _, d := range r.Dimensions {
			dimensions[d.ID] = d.Score
		}
		if !cmp.Equal(a.Dimensions, dimensions) || len(dimensions) != 9 {
			t.Errorf("%s: dimensions %v, want %v", readiness.RegimeID, a.Dimensions, dimensions)
		}
		var want []assessment.NotAssessable
		for _, n := range r.NotAssessable {
			want = append(want, assessment.NotAssessable{SourceModelID: n.SourceModelID, RuleIDs: n.RuleIDs, Why: n.Why})
		}
		if lacks := c.complete != nil && !*c.complete; !cmp.Equal(a.NotAssessable, want) || (len(want) == 1) != lacks || (len(a.Basis().LacksRules) > 5) != lacks {
			t.Errorf("%s: rules that could not judge: %+v", readiness.RegimeID, a.NotAssessable)
		}
	}
}
