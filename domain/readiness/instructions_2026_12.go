package readiness

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
)

// decemberInstructionRules also judge whether the assistant reads the instructions and
// whether they contradict themselves (docs/regime.md H.2, H.3).
var decemberInstructionRules = ofCopilot(amended(instructionRules,
	rule{id: "INS-01", k: 4, severity: High, fixes: []FixKind{AIInstructions}, check: together("INS-01", noInstructions)},
	rule{id: "INS-02", k: 2, severity: Medium, fixes: []FixKind{AIInstructions}, check: stating(together("INS-02", instructionLength))},
	rule{id: "INS-03", k: 2, severity: Medium, fixes: []FixKind{AIInstructions}, check: together("INS-03", namedReferences)},
	rule{id: "INS-04", k: 2, severity: Medium, fixes: []FixKind{AIInstructions}, check: stating(together("INS-04", instructionTopics))},
	rule{id: "INS-05", k: 2, severity: Medium, fixes: []FixKind{AIInstructions}, check: stating(among(where(allTables, hasDateRoles),
		undecidedRole))},
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

// ModelNames returns the names of the entire model in findings of a rule. Each of them
// serves to ignore the rule.
func ModelNames(ruleID string) []string {
	switch ruleID {
	case "INS-01", "INS-02", "INS-03", "INS-04":
		return []string{"#" + ruleID, missingInstructions}
	}
	return []string{"#" + ruleID}
}

// Without instructions, a model with fewer fields than fewestInstructed is not judged, and one with at most clearFields
// has a finding of medium severity (docs/regime-precision.md P4).
const (
	fewestInstructed = 3
	clearFields      = 10
)

// together judges the instructions as one object of all its rules while there are none,
// and else as an object of its own. Either name serves to ignore the rule.
func together(ruleID string, judge func(*scope) verdict) check {
	return func(x *scope, say func(judged, verdict)) {
		o := modelItself(ruleID)
		o.alias = missingInstructions
		if x.instructions != "" {
			say(o, judge(x))
			return
		}
		fields := x.askable()
		if len(x.t) == 0 || fields < fewestInstructed {
			return
		}
		o.name, o.alias = o.alias, o.name
		v := judge(x)
		if fields <= clearFields || x.needsLittle() {
			v.severity = Medium
		}
		say(o, v)
	}
}

// needsLittle reports whether there is little to instruct about: one table without dates, or neither a measure nor an
// active relationship (docs/regime-precision.md P4).
func (x *scope) needsLittle() bool {
	if len(x.m) == 0 && !slices.ContainsFunc(x.relationships, func(r *relationship) bool { return r.src.IsActive }) {
		return true
	}
	return len(x.t) == 1 && !slices.ContainsFunc(x.t[0].columns, func(c *column) bool { return c.is(semanticmodel.DateTime) })
}

type askableKey struct{}

// askable returns how many exposed fields have a name that is no placeholder. It counts to one more than clearFields.
func (x *scope) askable() int {
	return remembered(x, askableKey{}, func() int {
		n := 0
		for _, o := range x.f {
			if !isPlaceholder(o.name) {
				n++
			}
			if n > clearFields {
				break
			}
		}
		return n
	})
}

func hasDateRoles(_ *scope, t *table) bool { return t.fact() && len(roles(t.businessDates())) >= 2 }

var (
	keptWords   = setOf("loaded,ingested,exported")
	keptAt      = setOf("date,time,timestamp,period,at")
	dateEndings = setOf("date,datetime,time,timestamp,day,key,id,sk")
	// intervalWords name an end of an interval, or one of two dates that belong together.
	intervalWords = setOf("start,end,begin,from,to,submit")
)

// businessDates returns the dates of a table without those of loads and records (docs/regime-precision.md P5).
func (t *table) businessDates() []*column {
	return slices.DeleteFunc(t.dates(), func(c *column) bool {
		if w, _ := c.technicalWord(); w != "" {
			return true
		}
		for i := 1; i < len(c.words); i++ {
			if before, w := c.words[i-1], c.words[i]; keptWords[before] && keptAt[w] || keptAt[before] && keptWords[w] {
				return true
			}
		}
		return false
	})
}

// roles returns the first of the dates that have the same name without brackets at its end and without the words that
// every date has (docs/regime-precision.md P5).
func roles(dates []*column) []*column {
	known := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(dates), func(c *column) bool {
		name := strings.TrimSpace(c.name)
		if at := strings.LastIndex(name, "("); at >= 0 && strings.HasSuffix(name, ")") {
			name = name[:at]
		}
		stem := slices.DeleteFunc(words(name), func(w string) bool { return intervalWords[w] })
		for len(stem) > 0 && dateEndings[lastWord(stem)] {
			stem = stem[:len(stem)-1]
		}
		key := strings.Join(stem, wordBreak)
		again := known[key]
		known[key] = true
		return again
	})
}

func undecidedRole(x *scope, _ []*table) func(*table) verdict {
	contains := finder(joinWords(words(x.instructions)))
	return func(t *table) verdict {
		dates := t.businessDates()
		if slices.ContainsFunc(dates, func(c *column) bool { return len(c.words) > 0 && contains(joinWords(c.words)) }) {
			return verdict{}
		}
		var names []string
		for _, c := range roles(dates) {
			names = append(names, c.name)
		}
		return fails(1, "say in the AI instructions which of its dates to use by default", "not named: %s", listed(names, mostNamed))
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
