package optimization

import (
	"slices"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// qnaKey is the key of the change of aiInstructions that turns Q&A on.
const qnaKey = "qnaEnabled"

// qnaRule is the rule whose finding is resolved by turning Q&A on.
const qnaRule = "INS-10"

// turnOnQnA adds the change that turns Q&A on when the preview proposes AI instructions,
// which Copilot reads only then, or when the model has a finding that asks for it. A
// definition.pbism that cannot be edited is skipped.
func (p *Preview) turnOnQnA(d definition.Definition, m *semanticmodel.Model, now readiness.Result, a Asking) {
	reason := "definition.pbism does not say whether Q&A is on"
	var current *string
	switch m.QnA {
	case semanticmodel.QnANoPart, semanticmodel.QnAOn:
		return
	case semanticmodel.QnAOff:
		reason, current = "settings.qnaEnabled of definition.pbism is false", new("false")
	case semanticmodel.QnAUnset:
	}
	found := slices.ContainsFunc(now.Findings, func(f readiness.Finding) bool { return slices.Contains(f.RuleIDs, qnaRule) })
	ignored := a.Ignore != nil && a.Ignore(qnaRule, finding.Key{ObjectName: "#" + qnaRule})
	if ignored || !found && len(p.Changes) == 0 {
		return
	}
	if why := rewrite.Kept(d, m, rewrite.QnAEnabled); why != nil {
		p.Skipped = append(p.Skipped, Skip{qnaKey, string(proposal.NothingProposed), "Q&A cannot be turned on: " + why.Error()})
		return
	}
	p.Changes = append(p.Changes, Change{
		Key: qnaKey, Type: proposal.QnAEnabled, ObjectType: proposal.Model, Property: rewrite.QnAEnabled, Current: current,
		Proposed: "true", Recommended: true,
		Reason: "Copilot reads AI instructions and synonyms only of models with Q&A on (rule INS-10), and " + reason + ".",
	})
}
