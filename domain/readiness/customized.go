package readiness

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/agents"
)

// Setting is a change of a rule: a severity, or Off.
type Setting string

// Off turns a rule off: it judges nothing and has no weight.
const Off Setting = "off"

// Settings returns all settings.
func Settings() []Setting {
	return []Setting{Off, Setting(finding.Low), Setting(finding.Medium), Setting(finding.High)}
}

// Customized returns the regime with rules turned off or given another severity, by id.
// Its id is that of the regime, "+" and the beginning of a hash of the changes, so that
// its scores are compared only with scores of the same changes. Changes without an
// effect do not count; if no others are left, it returns the regime itself.
//
// A severity is that of a violation of 1; a smaller one is one level lower. A dimension
// without rules is left out, and a cap cannot hold because of a rule that is off.
func (r *Regime) Customized(changes map[string]Setting) (*Regime, error) {
	if r.customized() {
		return nil, fmt.Errorf("readiness: %s is customized already", r.ID)
	}
	severities := map[string]finding.Severity{}
	for _, one := range r.Rules() {
		severities[one.ID] = one.Severity
	}
	effective := map[string]Setting{}
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		severity, known := severities[id]
		switch setting := changes[id]; {
		case !known:
			return nil, fmt.Errorf("readiness: %s has no rule %q", r.ID, id)
		case !slices.Contains(Settings(), setting):
			return nil, fmt.Errorf("readiness: %s cannot be %q", id, setting)
		case finding.Severity(setting) != severity:
			effective[id] = setting
		}
	}
	if len(effective) == 0 {
		return r, nil
	}
	custom := *r
	custom.ID += "+" + hashOfChanges(effective)
	custom.agent = settle(r.agent, effective, func(one *agents.Rule) *rule.Rule { return &one.Rule })
	custom.dimensions = nil
	judgesModels := false
	for _, d := range r.dimensions {
		aboutAgents := len(d.rules) == 0
		d.rules = settle(d.rules, effective, func(one *rule.Rule) *rule.Rule { return one })
		if len(d.rules) > 0 || aboutAgents && len(custom.agent) > 0 {
			custom.dimensions = append(custom.dimensions, d)
			judgesModels = judgesModels || !aboutAgents
		}
	}
	if !judgesModels {
		return nil, errors.New("readiness: every rule about semantic models is off")
	}
	return &custom, nil
}

func (r *Regime) customized() bool { return strings.Contains(r.ID, "+") }

// hashOfChanges returns the beginning of the SHA-256 of changes in the order of ids.
func hashOfChanges(changes map[string]Setting) string {
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		fmt.Fprintf(&text, "%s: %s\n", id, changes[id])
	}
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:4])
}

// settle returns a copy of rules with the changes.
func settle[R any](rules []R, changes map[string]Setting, of func(*R) *rule.Rule) []R {
	var out []R
	for _, one := range rules {
		r := of(&one)
		setting, changed := changes[r.ID]
		if setting == Off {
			continue
		}
		if changed {
			r.Severity, r.Settled = finding.Severity(setting), true
		}
		out = append(out, one)
	}
	return out
}
