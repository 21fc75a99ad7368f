package readiness_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

type settings = map[string]readiness.Setting

func customized(t testing.TB, changes settings) *readiness.Regime {
	t.Helper()
	r, err := readiness.Current().Customized(changes)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The id depends on the changes that have an effect, and on nothing else.
func TestCustomizedIDs(t *testing.T) {
	t.Parallel()
	const off, low = readiness.Off, readiness.Setting("low")
	for name, tt := range map[string]struct {
		changes settings
		want    string
	}{
		"nothing":               {nil, "2027-01"},
		"its own severity":      {settings{"NAM-04": low}, "2027-01"},
		"off":                   {settings{"NAM-01": off}, "2027-01+6bdebf65"},
		"another severity":      {settings{"NAM-01": low}, "2027-01+"},
		"two":                   {settings{"NAM-01": off, "DSC-02": low}, "2027-01+"},
		"one without an effect": {settings{"NAM-01": off, "NAM-04": low}, "2027-01+6bdebf65"},
		"a rule about agents":   {settings{"AGT-01": off}, "2027-01+"},
	} {
		r := customized(t, tt.changes)
		if shape := regexp.MustCompile(`^2027-01(\+[0-9a-f]{8})?$`); !shape.MatchString(r.ID) || !strings.HasPrefix(r.ID, tt.want) || tt.want == "2027-01" && r.ID != tt.want {
			t.Errorf("%s: got id %s, want %s", name, r.ID, tt.want)
		}
		if again := customized(t, maps.Clone(tt.changes)); again.ID != r.ID {
			t.Errorf("%s: got id %s, then %s", name, r.ID, again.ID)
		}
	}
	ids := map[string]bool{}
	for _, changes := range []settings{nil, {"NAM-01": off}, {"NAM-01": low}, {"NAM-02": off}, {"NAM-01": off, "NAM-02": off}} {
		ids[customized(t, changes).ID] = true
	}
	if len(ids) != 5 {
		t.Errorf("5 regimes have the ids %v", slices.Sorted(maps.Keys(ids)))
	}
}

func TestCustomizedRefuses(t *testing.T) {
	t.Parallel()
	current := readiness.Current()
	everything := settings{}
	for _, r := range current.Rules() {
		everything[r.ID] = readiness.Off
	}
	for name, tt := range map[string]struct {
		of      *readiness.Regime
		changes settings
		want    string
	}{
		"an unknown rule":          {current, settings{"NAM-99": "low"}, `2027-01 has no rule "NAM-99"`},
		"a rule in capitals alone": {current, settings{"nam-01": "low"}, `has no rule "nam-01"`},
		"an unknown severity":      {current, settings{"NAM-01": "severe"}, `NAM-01 cannot be "severe"`},
		"no severity":              {current, settings{"NAM-01": ""}, `NAM-01 cannot be ""`},
		"every rule":               {current, everything, "every rule about semantic models is off"},
		"twice":                    {customized(t, settings{"NAM-01": readiness.Off}), settings{"NAM-02": "low"}, "customized already"},
	} {
		if got, err := tt.of.Customized(tt.changes); got != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, %v, want %q", name, got, err, tt.want)
		}
	}
}

// rulesOfResult returns the rules that a result has, and those that its findings name.
func rulesOfResult(r readiness.Result) (judged, reported map[string]bool) {
	judged, reported = map[string]bool{}, map[string]bool{}
	for _, d := range r.Dimensions {
		for _, one := range d.Rules {
			judged[one.ID] = true
		}
	}
	for _, f := range r.Findings {
		for _, id := range f.RuleIDs {
			reported[id] = true
		}
	}
	return judged, reported
}

// A rule that is off is neither judged nor reported; the others of its dimension carry
// its weight, and a dimension without rules carries none.
func TestRulesTurnedOff(t *testing.T) {
	t.Parallel()
	m := model(table("Sales_x", described("What was sold, by line of the receipt."), amount("Net"), text("Label"), measure("Total_net", "SUM(Sales_x[Net])")))
	plain := readiness.Assess(m, noOptions)
	r := customized(t, settings{"NAM-01": readiness.Off, "DSC-01": readiness.Off, "SYN-01": readiness.Off, "SYN-02": readiness.Off})
	got := r.Assess(m, noOptions)
	if got.Regime != r.ID || !strings.HasPrefix(r.ID, plain.Regime+"+") {
		t.Errorf("got regime %s", got.Regime)
	}
	judged, reported := rulesOfResult(got)
	if _, before := rulesOfResult(plain); !before["NAM-01"] || !before["SYN-01"] {
		t.Fatalf("the model fails %v", before)
	}
	for _, id := range []string{"NAM-01", "DSC-01", "SYN-01", "SYN-02"} {
		if judged[id] || reported[id] {
			t.Errorf("%s is judged or reported", id)
		}
	}
	if !judged["NAM-02"] || !judged["DSC-02"] {
		t.Errorf("judged are %v", judged)
	}
	if slices.ContainsFunc(got.Dimensions, func(d readiness.Dimension) bool { return d.ID == "synonyms" }) || len(got.Dimensions) != len(plain.Dimensions)-1 {
		t.Errorf("got %d dimensions", len(got.Dimensions))
	}
	for i, d := range got.Dimensions {
		if d.ID == "measures" && (d.Weight != 14 && d.Weight != 15 || *d.Raw != *plain.Dimensions[i].Raw) {
			t.Errorf("a dimension without changes: %+v", d)
		}
	}
	if *got.Raw <= *plain.Raw {
		t.Errorf("got %v without failing rules, %v with them", *got.Raw, *plain.Raw)
	}
	if published := r.Rules(); slices.ContainsFunc(published, func(p readiness.PublishedRule) bool { return p.ID == "NAM-01" }) || len(published) != len(readiness.Current().Rules())-4 {
		t.Errorf("%d rules are published", len(published))
	}
	if diff := cmp.Diff(plain, readiness.Assess(m, noOptions)); diff != "" {
		t.Errorf("the plain regime changed:\n%s", diff)
	}
}

// A severity is that of a violation of 1, replaces any that a rule gives in special cases, and
// changes no score.
func TestSeveritiesChanged(t *testing.T) {
	t.Parallel()
	m := model(table("Sales", described("What was sold, by line of the receipt."), amount("Net_x", about("In euro, without tax.")), measure("Total", "SUM(Sales[Net_x])", says("All of it, in euro, after discounts."))))
	for name, tt := range map[string]struct {
		changes settings
		rule    string
		want    finding.Severity
	}{
		"as published":       {nil, "NAM-01", finding.Low}, // explained, so the violation is 0.5
		"high, half":         {settings{"NAM-01": "high"}, "NAM-01", finding.Medium},
		"medium, half":       {settings{"NAM-01": "medium"}, "NAM-01", finding.Low},
		"high":               {settings{"MEA-03": "high"}, "MEA-03", finding.High},
		"low":                {settings{"MEA-03": "low"}, "MEA-03", finding.Low},
		"its own low":        {nil, "SYN-02", finding.Low},
		"in place of a low":  {settings{"SYN-02": "high"}, "SYN-02", finding.High},
		"of the model":       {settings{"INS-07": "high"}, "INS-07", finding.High},
		"of another finding": {settings{"MEA-03": "high"}, "NAM-01", finding.Low},
	} {
		changes := maps.Clone(tt.changes)
		for _, r := range readiness.Current().Rules() { // so that each finding has one rule
			if changes == nil {
				changes = settings{}
			}
			if _, named := changes[r.ID]; !named && r.ID != tt.rule && strings.HasPrefix(r.ID, tt.rule[:3]) {
				changes[r.ID] = readiness.Off
			}
		}
		found := customized(t, changes).Assess(m, noOptions).Findings
		i := slices.IndexFunc(found, func(f readiness.Finding) bool { return slices.Equal(f.RuleIDs, []string{tt.rule}) })
		if i < 0 || found[i].Severity != tt.want {
			t.Errorf("%s: got %+v, want %s of %s", name, found, tt.rule, tt.want)
		}
	}
	plain := readiness.Current().Assess(m, noOptions)
	changed := customized(t, settings{"NAM-01": "high", "MEA-03": "low", "SYN-02": "high"}).Assess(m, noOptions)
	if diff := cmp.Diff(plain.Scores, changed.Scores); diff != "" {
		t.Errorf("scores (-plain +changed):\n%s", diff)
	}
}

// A cap does not hold because of a rule that is off; the agent dimension goes with its
// rules.
func TestCapsAndAgentsWithoutRules(t *testing.T) {
	t.Parallel()
	m := model(table("Sales", amount("Net"), measure("Broken", "SUM(Sales[Gone])"), measure("Total", "SUM(Sales[Net])")))
	if caps := readiness.Current().Assess(m, noOptions).Caps; !slices.Contains(caps, "CAP-BROKEN-DAX") {
		t.Fatalf("got caps %v", caps)
	}
	if caps := customized(t, settings{"MEA-07": readiness.Off}).Assess(m, noOptions).Caps; len(caps) > 0 {
		t.Errorf("got caps %v", caps)
	}
	sources := []readiness.Source{selecting("1", m, "Sales")}
	without := settings{}
	for _, r := range readiness.Current().Rules() {
		if r.Dimension == "agent" {
			without[r.ID] = readiness.Off
		}
	}
	got := customized(t, without).AssessAgent(readiness.Agent{}, sources, noOptions)
	if slices.ContainsFunc(got.Dimensions, func(d readiness.Dimension) bool { return d.ID == "agent" }) || len(got.Findings) == 0 {
		t.Errorf("got %+v", got.Dimensions)
	}
	for _, f := range got.Findings {
		if f.Dimension == "agent" {
			t.Errorf("got %+v", f)
		}
	}
	delete(without, "AGT-03")
	if got := customized(t, without).AssessAgent(readiness.Agent{}, sources, noOptions); !slices.ContainsFunc(got.Findings, func(f readiness.Finding) bool { return slices.Equal(f.RuleIDs, []string{"AGT-03"}) }) {
		t.Errorf("got %+v", got.Findings)
	}
}

// With any changes, impacts add up to what is missing from 100, and results do not contain rules that are
// off.
func TestInvariantsOfCustomizedRegimes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := wideModel().Draw(t, "model")
		agent, sources := wideAgent(t, m)
		o := readiness.Options{Ignore: ignoring().Draw(t, "ignore")}
		base := readiness.Current()
		changes := settings{}
		for _, one := range rapid.SliceOfN(rapid.SampledFrom(base.Rules()), 0, 40).Draw(t, "rules") {
			changes[one.ID] = rapid.SampledFrom(readiness.Settings()).Draw(t, "setting")
		}
		r, err := base.Customized(changes)
		if err != nil {
			t.Fatal(err)
		}
		checkImpacts(t, r, m, agent, sources, o, func(as string, result readiness.Result) {
			judged, reported := rulesOfResult(result)
			for id, setting := range changes {
				if setting == readiness.Off && (judged[id] || reported[id]) {
					t.Fatalf("%s %s: %s is judged or reported", r.ID, as, id)
				}
			}
		})
	})
}
