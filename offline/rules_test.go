package offline_test

import (
	"bytes"
	"encoding/json"
	"html"
	"slices"
	"strings"
	"testing"

	"readiness/domain/optimization"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline"
)

// A report under changed rules states their id and nothing of a rule that is off.
func TestReportsUnderChangedRules(t *testing.T) {
	t.Parallel()
	regime, err := readiness.Current().Customized(map[string]readiness.Setting{"DSC-02": readiness.Off, "MEA-01": readiness.Off, "DSC-01": "low"})
	if err != nil {
		t.Fatal(err)
	}
	root := files(t, shop)
	plain, changed := assess(t, offline.AssessOptions{}, root), assess(t, offline.AssessOptions{Regime: regime}, root)
	if !slices.Contains(reported(plain), "DSC-02 Products|Label") || !slices.Contains(reported(plain), "DSC-01 Products|") {
		t.Fatalf("reported are %v", reported(plain))
	}
	if slices.Contains(reported(changed), "DSC-02 Products|Label") {
		t.Errorf("reported are %v", reported(changed))
	}
	for name, write := range formats {
		text := string(written(t, func(b *bytes.Buffer) error { return write(b, changed) }))
		rule := "DSC-02"
		if name == "sarif" { // where the explanation of another rule may name it
			rule = `"DSC-02"`
		}
		if strings.Contains(text, rule) {
			t.Errorf("%s has a rule that is off", name)
		}
		if states := strings.Contains(html.UnescapeString(strings.ReplaceAll(text, `\`, "")), regime.ID); states != (name != "junit.xml" && name != "csv") {
			t.Errorf("%s states %s: %v", name, regime.ID, states)
		}
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Properties struct{ Regime string }
					Rules      []struct {
						ID                   string
						DefaultConfiguration struct{ Level string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(written(t, func(b *bytes.Buffer) error { return sarifOf("1")(b, changed) }), &log); err != nil {
		t.Fatal(err)
	}
	driver := log.Runs[0].Tool.Driver
	i := slices.IndexFunc(driver.Rules, func(r struct {
		ID                   string
		DefaultConfiguration struct{ Level string }
	}) bool {
		return r.ID == "DSC-01"
	})
	if driver.Properties.Regime != regime.ID || len(driver.Rules) != len(readiness.Current().Rules())-2 || i < 0 || driver.Rules[i].DefaultConfiguration.Level != "note" {
		t.Errorf("SARIF states %s with %d rules: %+v", driver.Properties.Regime, len(driver.Rules), driver.Rules)
	}
}

// Proposals are scored by the same rules as assessments, and a rule that is off asks for nothing.
func TestProposalsUnderChangedRules(t *testing.T) {
	t.Parallel()
	changes := map[string]readiness.Setting{}
	for _, r := range readiness.Current().Rules() {
		if slices.Contains(r.FixKinds, finding.Descriptions) {
			changes[r.ID] = readiness.Off
		}
	}
	regime, err := readiness.Current().Customized(changes)
	if err != nil {
		t.Fatal(err)
	}
	root := files(t, shop)
	o := embedded(optimization.Descriptions)
	if before := propose(t, o, root)[0]; before.Changes() == 0 {
		t.Fatal("nothing is proposed")
	}
	o.Regime = regime
	p := propose(t, o, root)[0]
	assessed := item(t, assess(t, offline.AssessOptions{Regime: regime}, root), "Shop.SemanticModel")
	if p.Error != nil || p.Changes() != 0 || *p.ScoreNow != *assessed.Result.Score || *p.ScoreAfter != *p.ScoreNow {
		t.Errorf("got %d changes, %v, score %d, assessed %d", p.Changes(), p.Error, *p.ScoreNow, *assessed.Result.Score)
	}
	o = embedded(optimization.Properties)
	o.Regime = regime
	if p := propose(t, o, root)[0]; p.Changes() == 0 || *p.Previews[0].ScoreNow != *assessed.Result.Score {
		t.Errorf("properties: got %d changes, score %v", p.Changes(), p.Previews)
	}
}
