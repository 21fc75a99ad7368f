package readiness

import (
	"readiness/definition/semanticmodel"
)

// decemberInstructionRules also judge whether the assistant reads the instructions and
// whether they contradict themselves (docs/regime.md H.2, H.3).
var decemberInstructionRules = ofCopilot(amended(instructionRules,
	rule{id: "INS-01", k: 4, severity: High, fixes: []FixKind{AIInstructions}, check: together("INS-01", onModel(always, noInstructions))},
	rule{id: "INS-02", k: 2, severity: Medium, fixes: []FixKind{AIInstructions}, check: together("INS-02", stating(onModel(always,
		instructionLength)))},
	rule{id: "INS-03", k: 2, severity: Medium, fixes: []FixKind{AIInstructions},
		check: together("INS-03", onModel(always, namedReferences))},
	rule{id: "INS-04", k: 2, severity: Medium, fixes: []FixKind{AIInstructions}, check: together("INS-04", stating(onModel(always,
		instructionTopics)))},
	rule{id: "INS-05", k: 2, severity: Medium, fixes: []FixKind{AIInstructions}, check: stating(among(where(allTables, hasSeveralDates),
		undecidedDate))},
	rule{id: "INS-06", k: 1, severity: Medium, fixes: []FixKind{AIInstructions}, check: among(where(exposedTables, hasItems), unexplained)},
	rule{id: "INS-08", k: 1, severity: Low, check: stating(each(verifiedAnswers, triggerPhrases))},
	rule{id: "INS-09", k: 1, severity: Medium, check: each(verifiedAnswers, missingFields)},
	rule{id: "INS-10", k: 4, severity: High, fixes: []FixKind{AIInstructions}, check: onModel(needsQnA, qnaIsOff)},
	rule{id: "INS-11", k: 1, severity: Medium, fixes: []FixKind{AIInstructions}, check: onModel(hasInstructions, contradiction)},
))

// ofCopilot marks rules about the parts that prepare a model for AI.
func ofCopilot(rules []rule) []rule {
	for i := range rules {
		rules[i].copilot = true
	}
	return rules
}

// missingInstructions is the pseudo-object of INS-01 to INS-04 while there are no
// instructions.
const missingInstructions = "#INSTRUCTIONS"

// together judges the instructions as one object of all its rules while there are none,
// and else as an object of its own. Either name serves to ignore the rule.
func together(ruleID string, c check) check {
	return func(x *scope, say func(judged, verdict)) {
		o := modelItself(ruleID)
		o.alias = missingInstructions
		if x.instructions == "" {
			o.name, o.alias = o.alias, o.name
		}
		c(x, func(_ judged, v verdict) { say(o, v) })
	}
}

func hasInstructions(x *scope) bool { return x.instructions != "" }

func hasItems(_ *scope, t *table) bool { return t.src.CalculationGroup != nil }

func namedReferences(x *scope) verdict {
	return references(x, func(unresolved []string) (advice, names string) {
		names = listed(unresolved, mostNamed)
		return "correct " + names + " in the AI instructions, as the model has no such field", names
	})
}

func missingFields(x *scope, a *answer) verdict {
	var missing []string
	for _, f := range a.src.Fields {
		if x.lookUp(f.Table, f.Name) == nil {
			missing = append(missing, quoted(f.Table)+"["+f.Name+"]")
		}
	}
	if len(missing) == 0 {
		return verdict{}
	}
	names := listed(missing, mostNamed)
	return fails(1, "build it again without "+names+", which the model does not have", "not in the model: %s", names)
}

// needsQnA selects models with something that is read only while Q&A is on, and those in
// which it is off.
func needsQnA(x *scope) bool {
	switch x.src.QnA {
	case semanticmodel.QnANoPart:
		return false
	case semanticmodel.QnAOff:
		return true
	case semanticmodel.QnAOn, semanticmodel.QnAUnset:
	}
	if x.instructions != "" || len(x.answers) > 0 || x.configured {
		return true
	}
	for _, o := range x.objects {
		if len(o.terms) > 0 {
			return true
		}
	}
	return false
}

func qnaIsOff(x *scope) verdict {
	switch x.src.QnA {
	case semanticmodel.QnAOff:
		return fails(1, "set settings.qnaEnabled to true in definition.pbism, as the assistant reads instructions and synonyms only then",
			"settings.qnaEnabled is false")
	case semanticmodel.QnAUnset:
		v := fails(0.25,
			"write settings.qnaEnabled: true into definition.pbism, so that the assistant is sure to read instructions and synonyms",
			"settings.qnaEnabled is absent")
		v.severity = Low
		return v
	case semanticmodel.QnANoPart, semanticmodel.QnAOn:
	}
	return verdict{}
}
