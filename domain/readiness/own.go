package readiness

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/internal/lists"
)

// OwnRule is a rule that a team wrote for its models, as reports show it.
type OwnRule struct {
	ID string `json:"id"`
	// Title says what is wrong with one object; Why and Fix are sentences, or "".
	Title string `json:"title"`
	Why   string `json:"why,omitempty"`
	Fix   string `json:"fix,omitempty"`
	// Effort is minutes, hour or days, for one object.
	Effort   string           `json:"effort"`
	Severity finding.Severity `json:"severity"`
	// Dimension is the dimension whose score it is part of, with the weight there; "" outside of the score.
	Dimension string  `json:"dimension,omitempty"`
	Weight    float64 `json:"weight,omitempty"`
	// File and Line are where it is declared.
	File string `json:"file"`
	Line int    `json:"line"`
}

// outside is the dimension of the findings of a rule outside of the score: its own, as findings are told apart by dimension and object.
func (o OwnRule) outside() string { return "own/" + o.ID }

// OwnVerdict is the verdict of an own rule on an object, nil for the model.
type OwnVerdict struct {
	Object model.Judged
	rule.Verdict
}

// OwnVerdicts are those of one rule on a model.
type OwnVerdicts struct {
	Judged []OwnVerdict
	// LeftOut says why the rule could not judge; then there are no verdicts.
	LeftOut string
}

// OwnRules judge models by rules that are not the regime's. They are safe for concurrent use.
type OwnRules interface {
	All() []OwnRule
	// Judge applies all rules, unless x.Done is closed before.
	Judge(x *model.Scope) []OwnVerdicts
	// Hash identifies the rules that are part of the score; "" if there are none.
	Hash() string
}

// OwnOutcome is how an own rule ended for a model.
type OwnOutcome struct {
	OwnRule
	Eligible int `json:"eligible"`
	Failing  int `json:"failing"`
	Ignored  int `json:"ignored,omitempty"`
	// LeftOut says why it judged nothing; absent if it did.
	LeftOut string `json:"left_out,omitempty"`
}

// OwnRule returns an own rule by its id; nil if there is none.
func (r *Result) OwnRule(id string) *OwnRule {
	for i := range r.Own {
		if r.Own[i].ID == id {
			return &r.Own[i].OwnRule
		}
	}
	return nil
}

// Dimensions returns the ids of the dimensions of a semantic model's score.
func (r *Regime) Dimensions() []string {
	return lists.Map(r.modelWeights(), func(d weighted) string { return d.id })
}

// WithOwn returns the regime with a team's own rules. Those outside of the score change nothing of it. If others have a dimension, the
// regime's id ends in the team's name and a hash, as in 2027-01+contoso@0a1b2c3d, so that scores are compared only with scores of the
// same rules.
func (r *Regime) WithOwn(name string, own OwnRules) (*Regime, error) {
	custom := *r
	custom.own = ownRules{own, own.All()}
	hash := own.Hash()
	if hash == "" {
		return &custom, nil
	}
	published, changes, _ := strings.Cut(r.ID, "+")
	sum := sha256.Sum256([]byte(changes + "\n" + hash))
	custom.ID = published + "+" + name + "@" + hex.EncodeToString(sum[:4])
	custom.dimensions = slices.Clone(r.dimensions)
	for i, one := range custom.own.all {
		if one.Dimension == "" {
			continue
		}
		n := slices.IndexFunc(custom.dimensions, func(d dimension) bool { return d.id == one.Dimension && d.modelWeight > 0 })
		if n < 0 {
			return nil, fmt.Errorf("readiness: %s has no dimension %q", r.ID, one.Dimension)
		}
		d := &custom.dimensions[n]
		d.rules = append(slices.Clone(d.rules), rule.Rule{ID: one.ID, Weight: one.Weight, Severity: one.Severity, Settled: true,
			Check: func(x *model.Scope, say func(model.Judged, rule.Verdict)) {
				for _, v := range custom.own.of(x)[i].Judged {
					say(v.Object, v.Verdict)
				}
			}})
	}
	return &custom, nil
}

// ownRules are those of a regime; the zero value has none.
type ownRules struct {
	OwnRules
	all []OwnRule
}

type ownKey struct{}

// of returns the verdicts on a model, which are made once.
func (o ownRules) of(x *model.Scope) []OwnVerdicts {
	return model.Remembered(x, ownKey{}, func() []OwnVerdicts { return o.Judge(x) })
}

func (o ownRules) rule(id string) *OwnRule {
	if i := slices.IndexFunc(o.all, func(one OwnRule) bool { return one.ID == id }); i >= 0 {
		return &o.all[i]
	}
	return nil
}

// leftOut returns the rules in a dimension that could not judge.
func (o ownRules) leftOut(views []view) (all []NotAssessable) {
	for _, v := range views {
		for i, one := range o.all {
			if one.Dimension == "" {
				continue
			}
			if why := o.of(v.Scope)[i].LeftOut; why != "" {
				all = append(all, NotAssessable{v.id, []string{one.ID}, why})
			}
		}
	}
	return all
}

// judge adds to a result with findings how the rules ended, and the findings of those outside of the score.
func (o ownRules) judge(v view, options Options, result *Result) {
	if len(o.all) == 0 || options.WithoutFindings {
		return
	}
	for i, verdicts := range o.of(v.Scope) {
		one := o.all[i]
		j := judgement{Rule: &rule.Rule{ID: one.ID, Severity: one.Severity, Settled: true}}
		for _, found := range verdicts.Judged {
			j.add(v.judged(found.Object, found.Verdict), options)
		}
		result.Own = append(result.Own, OwnOutcome{one, j.eligible, len(j.failing), j.ignored, verdicts.LeftOut})
		if one.Dimension != "" {
			continue
		}
		for _, f := range j.failing {
			result.Findings = append(result.Findings, Finding{
				Dimension: one.outside(), Key: f.key(), ObjectType: f.ObjectType, RuleIDs: []string{one.ID}, Severity: one.Severity, Violation: 1,
				Message: model.Title(f.Object) + ": " + f.Message + ".", FixKinds: []finding.FixKind{},
			})
		}
	}
}
