package assessment

import (
	"slices"
	"strings"

	"readiness/domain"
	"readiness/domain/readiness"
)

// ChooseRegime returns the id of the scoring regime of a new run: the one that is asked
// for or, if asked is nil, the current one. It refuses an id that is not published, and
// lists those that are (docs/decisions.md 14).
func ChooseRegime(asked *string) (string, error) {
	if asked == nil {
		return readiness.Current().ID, nil
	}
	if regime, published := readiness.Find(*asked); published {
		return regime.ID, nil
	}
	var ids []string
	for _, regime := range readiness.Regimes() {
		ids = append(ids, regime.ID)
	}
	id := domain.Excerpt(*asked)
	return "", domain.Refuse(domain.InvalidRequest, "there is no scoring regime %q; the published ones are %s", id,
		strings.Join(ids, ", ")).About("regimeId", id)
}

// Regime returns the scoring regime of the run, which is the current one for a run from
// before runs recorded theirs. It is false when this version of the service does not
// have the regime.
func (r Run) Regime() (*readiness.Regime, bool) {
	if r.RegimeID == "" {
		return readiness.Current(), true
	}
	return readiness.Find(r.RegimeID)
}

// NotAssessable are rules that could not judge a semantic model, and why.
type NotAssessable struct {
	// SourceModelID is the id of a data agent's source; "" for a semantic model assessed
	// by itself.
	SourceModelID string   `json:"sourceModelId,omitempty"`
	RuleIDs       []string `json:"ruleIds"`
	Why           string   `json:"why"`
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
// compared (docs/regime.md C.5 (6), H.3 (1)).
func (b Basis) Comparable(other Basis) bool {
	return b.RegimeID == other.RegimeID && b.UsageInScoring == other.UsageInScoring && b.Stage == other.Stage &&
		slices.Equal(b.LacksRules, other.LacksRules)
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
	a.NotAssessable = nil
	for _, n := range r.NotAssessable {
		a.NotAssessable = append(a.NotAssessable, NotAssessable(n))
	}
}
