package assessment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// Regime returns the scoring regime of the run, which is the service's own for a run that was accepted under an earlier
// regime, or before runs recorded theirs. own is nil if the service has no rules file. It is false when this process does
// not have the regime: a later version of the service, or one with another rules file, accepted the run.
func (r Run) Regime(own *readiness.Regime) (*readiness.Regime, bool) {
	own = cmp.Or(own, readiness.Current())
	switch current := readiness.Current(); {
	case r.RegimeID == "" || r.RegimeID == own.ID || readiness.IsEarlier(r.RegimeID):
		return own, true
	case r.RegimeID == current.ID:
		return current, true
	}
	return nil, false
}

// NotAssessable are rules that could not judge a semantic model, and why.
type NotAssessable struct {
	// SourceModelID is the id of a data agent's source; "" for a semantic model assessed
	// by itself.
	SourceModelID string `json:"sourceModelId,omitempty"`
	// RuleIDs are the rules that could not be applied.
	RuleIDs []string `json:"ruleIds"`
	// Why is the reason.
	Why string `json:"why"`
}

// Basis is what a score of an item rests on. Two scores of the item are compared only
// if they rest on the same.
type Basis struct {
	// RegimeID is the scoring regime, UsageInScoring says whether usage weighted the
	// score, and Stage is the stage of a data agent that was assessed.
	RegimeID       string `json:"regimeId,omitempty"`
	UsageInScoring bool   `json:"usageInScoring,omitempty"`
	Stage          Stage  `json:"stage,omitempty"`
	// LacksRules are the rules that could not judge, sorted: their ids, each after the id
	// of the data agent's source and a space if there is one.
	LacksRules []string `json:"lacksRules,omitempty"`
}

// Comparable reports whether scores of an item that rest on b and on other may be
// compared.
func (b Basis) Comparable(other Basis) bool {
	return b.RegimeID == other.RegimeID && b.UsageInScoring == other.UsageInScoring && b.Stage == other.Stage &&
		slices.Equal(b.LacksRules, other.LacksRules)
}

// String returns the basis as a text: those of two comparable scores are equal.
func (b Basis) String() string {
	return fmt.Sprintf("%q %t %q %q", b.RegimeID, b.UsageInScoring, b.Stage, b.LacksRules)
}

// Basis returns what the assessment's score rests on.
func (a Assessment) Basis() Basis {
	b := Basis{RegimeID: a.RegimeID, UsageInScoring: a.UsageInScoring}
	if a.DataAgent != nil {
		b.Stage = a.DataAgent.Stage
	}
	for _, n := range a.NotAssessable {
		for _, rule := range n.RuleIDs {
			b.LacksRules = append(b.LacksRules, strings.TrimLeft(n.SourceModelID+" "+rule, " "))
		}
	}
	slices.Sort(b.LacksRules)
	b.LacksRules = slices.Compact(b.LacksRules)
	return b
}

// SetResult fills in what the scoring regime found.
func (a *Assessment) SetResult(r readiness.Result) {
	a.RegimeID, a.Score, a.FindingsCount, a.ScoreComplete = r.Regime, r.Score, len(r.Findings), r.ScoreComplete
	a.AIFormat = r.AIFormat
	a.Severities, a.Dimensions, a.NotAssessable = &Severities{}, map[string]*int{}, nil
	for _, f := range r.Findings {
		switch f.Severity {
		case finding.High:
			a.Severities.High++
		case finding.Medium:
			a.Severities.Medium++
		case finding.Low:
			a.Severities.Low++
		}
	}
	for _, d := range r.Dimensions {
		a.Dimensions[d.ID] = d.Score
	}
	for _, n := range r.NotAssessable {
		a.NotAssessable = append(a.NotAssessable, NotAssessable(n))
	}
}
