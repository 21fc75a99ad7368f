package explained_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
)

// newest returns the newest regime that has each rule.
func newest() map[string]*readiness.Regime {
	regimes := map[string]*readiness.Regime{}
	r := readiness.Current()
	for _, rule := range r.Rules() {
		regimes[rule.ID] = r
	}
	return regimes
}

// The title of a finding says the fault: with the number of objects, or of one object without it.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule      string
		n         int
		many, one string
	}{
		{"MEA-03", 18, "18 measures without a format string", "Measure without a format string"},
		{"MEA-03", 1, "1 measure without a format string", "Measure without a format string"},
		{"INS-07", 1, "No verified answers", "No verified answers"},
		{"INS-06", 2, "2 calculation groups without an explanation in the AI instructions", "Calculation group without an explanation in the AI instructions"},
		{"XYZ-01", 1, "", ""},
	} {
		if many, one := explained.Fault(c.rule, c.n), explained.FaultOfOne(c.rule); many != c.many || one != c.one {
			t.Errorf("%s of %d: got %q, %q", c.rule, c.n, many, one)
		}
	}
	for _, id := range explained.Rules() {
		if explained.Fault(id, 2) == "" || strings.ContainsAny(explained.Fault(id, 2), "#{|}") {
			t.Errorf("%s: got %q", id, explained.Fault(id, 2))
		}
	}
}

// Every fact says where and when it was read, and is used; a year after its reading, or after the year of its text, it is marked.
func TestFacts(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, id := range explained.Rules() {
		e, _ := explained.Rule(id)
		if len(e.Source.Facts) == 0 {
			t.Errorf("%s rests on no fact", id)
		}
		for _, f := range e.Source.Facts {
			used[f.ID] = true
		}
	}
	for id, f := range explained.Facts {
		read, err := time.Parse("2006-01", f.Read)
		if !used[id] || !strings.HasSuffix(f.Says, ".") || (f.Kind == explained.Convention) != (f.Where == "") ||
			f.Where != "" && (err != nil || read.Format("2006-01") > explained.Released) {
			t.Errorf("got %+v, used %t, read %v", f, used[id], err)
		}
	}
	for _, c := range []struct {
		read, written, at string
		old               bool
	}{
		{"2026-11", "", "2027-01", false}, {"2026-11", "", "2027-11", false}, {"2026-11", "", "2027-12", true},
		{"2026-11", "2025", "2026-12", false}, {"2026-11", "2025", "2027-01", true}, {"", "", "2030-01", false},
	} {
		f := explained.Fact{ID: "a", Kind: explained.Documentation, Where: "a page", Read: c.read, Written: c.written}
		if f.Old(c.at) != c.old || c.read != "" && strings.Contains(f.Cite(c.at), "Older than a year") != c.old {
			t.Errorf("%+v: got %t, %s", c, f.Old(c.at), f.Cite(c.at))
		}
	}
}

// Every rule of every regime has an explanation, and every explanation has a rule.
func TestEveryRuleIsExplained(t *testing.T) {
	t.Parallel()
	regimes := newest()
	names := map[string]string{}
	for id := range regimes {
		e, ok := explained.Rule(id)
		if !ok || e.Name == "" || e.Title == "" || e.What == "" || e.Why == "" || e.Source.String() == "" || e.Fix == "" {
			t.Errorf("%s is not completely explained", id)
		}
		if names[e.Name] != "" {
			t.Errorf("%s has the name of %s", id, names[e.Name])
		}
		names[e.Name] = id
		if strings.HasSuffix(e.Title, ".") || utf8.RuneCountInString(e.Title) > 80 {
			t.Errorf("%s: the title %q ends with a full stop or is longer than 80 characters", id, e.Title)
		}
		for n := range 3 {
			if fault := explained.Fault(id, n); fault == "" || strings.ContainsAny(fault, "#{|}.") || utf8.RuneCountInString(fault) > 80 {
				t.Errorf("%s: the fault of %d is %q", id, n, fault)
			}
		}
		// SARIF viewers cut longer texts.
		if n := utf8.RuneCountInString(e.What); n > 1000 {
			t.Errorf("%s: What has %d characters, 1000 at most", id, n)
		}
		for _, text := range []string{e.What, e.Why, e.Source.String(), e.Fix} {
			if !strings.HasSuffix(text, ".") || strings.Contains(text, "  ") || strings.TrimSpace(text) != text {
				t.Errorf("%s: %q has no full stop, or stray spaces", id, text)
			}
		}
	}
	for _, id := range explained.Rules() {
		if regimes[id] == nil {
			t.Errorf("there is no rule %s", id)
		}
	}
	if _, ok := explained.Rule("XYZ-01"); ok {
		t.Error("a rule that does not exist is explained")
	}
}

// defects are the rules that judge only objects at fault.
var defects = []string{"REL-08", "MEA-07", "VIS-07", "AGT-06", "INS-10", "INS-12"}

// The failing example of a rule has a finding of it. The passing example is judged by the rule, has no finding of it,
// and is not broken.
func TestExamplesOfRules(t *testing.T) {
	t.Parallel()
	for id, regime := range newest() {
		e, _ := explained.Rule(id)
		failing := judged(t, regime, id, e.Fails)
		if rule := ruleOf(t, failing, id); rule.Failing == 0 {
			t.Errorf("%s: the failing example passes: %+v", id, rule)
		}
		if f, err := e.Fails.Finding(regime, id); err != nil || !slices.Equal(f.RuleIDs, []string{id}) || f.Message == "" {
			t.Errorf("%s: got finding %+v, error %v", id, f, err)
		}
		if f, err := e.Passes.Finding(regime, id); err == nil {
			t.Errorf("%s: the passing example has the finding %+v", id, f)
		}
		passing := judged(t, regime, id, e.Passes)
		rule := ruleOf(t, passing, id)
		if rule.Failing > 0 {
			t.Errorf("%s: the passing example fails: %+v", id, rule)
		}
		if rule.Eligible == 0 && !slices.Contains(defects, id) {
			t.Errorf("%s: the passing example is not judged", id)
		}
		for _, r := range []readiness.Result{failing, passing} {
			broken := slices.ContainsFunc(r.Caps, func(c string) bool { return strings.HasPrefix(c, "CAP-BROKEN") })
			if broken && id != "REL-08" && id != "MEA-07" {
				t.Errorf("%s: an example is broken", id)
			}
		}
	}
}

func judged(t *testing.T, regime *readiness.Regime, id string, e explained.Example) readiness.Result {
	t.Helper()
	r, err := e.Assess(regime, readiness.Options{})
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return r
}

// An example that cannot be read is an error, not a result.
func TestUnreadableExample(t *testing.T) {
	t.Parallel()
	for _, parts := range [][]explained.ExamplePart{
		nil,
		{{Path: explained.ModelPart, Text: "<"}},
		{{Path: explained.ModelPart, Text: "table T\n"}, {Path: "Files/Config/published/stage_config.json", Text: "{"}},
	} {
		if _, err := (explained.Example{Parts: parts}).Assess(readiness.Current(), readiness.Options{}); err == nil {
			t.Errorf("%v is assessed", parts)
		}
		if _, err := (explained.Example{Parts: parts}).Finding(readiness.Current(), "DSC-01"); err == nil {
			t.Errorf("%v has a finding", parts)
		}
	}
}

// ruleOf returns the result of a rule.
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

func TestFault(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1 column without a description that informs", 18: "18 columns without a description that informs"} {
		if got := explained.Fault("DSC-02", n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := explained.Fault("XYZ-01", 1); got != "" {
		t.Errorf("an unknown rule: got %q", got)
	}
}
