package explained_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
)

// newest returns the newest regime that has each rule.
func newest() map[string]*readiness.Regime {
	regimes := map[string]*readiness.Regime{}
	for _, r := range readiness.Regimes() {
		for _, rule := range r.Rules() {
			regimes[rule.ID] = r
		}
	}
	return regimes
}

// Every rule of every regime has an explanation, and every explanation has a rule.
func TestEveryRuleIsExplained(t *testing.T) {
	t.Parallel()
	regimes := newest()
	names := map[string]string{}
	for id := range regimes {
		e, ok := explained.Rule(id)
		if !ok || e.Name == "" || e.Title == "" || e.What == "" || e.Why == "" || e.Source == "" || e.Fix == "" {
			t.Errorf("%s is not completely explained", id)
		}
		if names[e.Name] != "" {
			t.Errorf("%s has the name of %s", id, names[e.Name])
		}
		names[e.Name] = id
		if strings.HasSuffix(e.Title, ".") || utf8.RuneCountInString(e.Title) > 80 {
			t.Errorf("%s: the title %q ends with a full stop or is longer than 80 characters", id, e.Title)
		}
		// SARIF viewers cut longer texts.
		if n := utf8.RuneCountInString(e.What); n > 1000 {
			t.Errorf("%s: What has %d characters, 1000 at most", id, n)
		}
		for _, text := range []string{e.What, e.Why, e.Source, e.Fix} {
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
var defects = []string{"REL-08", "MEA-07", "VIS-07", "AGT-06"}

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
