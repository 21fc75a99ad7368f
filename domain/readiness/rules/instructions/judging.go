package instructions

import (
	"cmp"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/naming"
	"readiness/domain/readiness/rules/visibility"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

// reading marks what the rules read: all but a few the AI instructions. Whether there is a verified answer is
// known of an answer that cannot be understood.
func reading(rules []rule.Rule) []rule.Rule {
	for i := range rules {
		switch r := &rules[i]; r.ID {
		case "INS-07":
			r.Reads = semanticmodel.Answers
		case "INS-08":
			r.Reads = semanticmodel.TriggerPhrases
		case "INS-09", "INS-14":
			r.Reads = semanticmodel.AnswerFields
		case "INS-10":
			r.Reads = semanticmodel.QnASetting | semanticmodel.Entities
		case "INS-12":
			r.Reads = semanticmodel.Schema | semanticmodel.Indexing
		case "INS-13":
			r.Reads = semanticmodel.Schema | semanticmodel.Prompts
		default:
			r.Reads = semanticmodel.Instructions
		}
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
// has a finding of medium severity.
const (
	fewestInstructed = 3
	clearFields      = 10
)

// withoutMeasures are the messages for a model without a measure that an AI sees.
var withoutMeasures = map[string]string{
	"INS-01": "write AI instructions that explain its terms and its rules",
	"INS-03": "name in the AI instructions the columns to use, as 'Table'[Column]",
	"INS-04": "write the AI instructions in sections: time, terms, defaults",
}

// together judges missing instructions as one object of all its rules,
// and existing ones as one object per rule. Either name serves to ignore the rule.
func together(ruleID string, judge func(*model.Scope) rule.Verdict) rule.Check {
	return func(x *model.Scope, say func(model.Judged, rule.Verdict)) {
		o := rule.ModelItself(ruleID)
		o.Alias = missingInstructions
		if x.Instructions != "" {
			say(o, judge(x))
			return
		}
		fields := askable(x)
		if len(x.T) == 0 || fields < fewestInstructed {
			return
		}
		o.Name, o.Alias = o.Alias, o.Name
		v := judge(x)
		if without := withoutMeasures[ruleID]; len(x.M) == 0 && without != "" {
			v.Message = without
		}
		switch {
		case saysAll(x):
			v.Severity = finding.Low
		case fields <= clearFields || needsLittle(x):
			v.Severity = finding.Medium
		}
		say(o, v)
	}
}

// fewMeasures is the maximum number of measures that need few instructions about which one to use.
const fewMeasures = 3

// needsLittle reports whether little needs instructions: at most fewMeasures measures, or one table besides those
// that hold measures.
func needsLittle(x *model.Scope) bool {
	tables := lists.Count(x.T, func(t *model.Table) bool { return !t.HoldsMeasures })
	return len(x.M) <= fewMeasures || tables <= 1
}

// saysAll reports whether a model has one to fewMeasures measures, and each table and measure has a description.
func saysAll(x *model.Scope) bool {
	return 1 <= len(x.M) && len(x.M) <= fewMeasures &&
		!slices.ContainsFunc(x.T, func(t *model.Table) bool { return t.Description == "" }) &&
		!slices.ContainsFunc(x.M, func(m *model.Measure) bool { return m.Description == "" })
}

type askableKey struct{}

// askable returns how many exposed fields have a name that is no placeholder. It counts to one more than clearFields.
func askable(x *model.Scope) int {
	return model.Remembered(x, askableKey{}, func() int {
		n := 0
		for _, o := range x.F {
			if !naming.IsPlaceholder(o.Name) {
				n++
			}
			if n > clearFields {
				break
			}
		}
		return n
	})
}

func hasDateRoles(_ *model.Scope, t *model.Table) bool {
	return t.Fact() && len(roles(businessDates(t))) >= 2
}

var (
	dateEndings = wording.SetOf("date,datetime,time,timestamp,day,key,id,sk")
	// intervalWords name an end of an interval, or one of two dates that belong together.
	intervalWords = wording.SetOf("start,end,begin,from,to,submit")
)

// businessDates returns the dates of a table without those of births, loads and changes, those first that an active relationship
// joins to a date table.
func businessDates(t *model.Table) []*model.Column {
	dates := slices.DeleteFunc(datesOf(t), visibility.KeepsRecords)
	rank := func(c *model.Column) int {
		if c.ActiveDateEnd {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(dates, func(a, b *model.Column) int { return cmp.Compare(rank(a), rank(b)) })
	return dates
}

// roles returns the first of the dates that have the same name without brackets at its end and without the words that
// every date has.
func roles(dates []*model.Column) []*model.Column {
	known := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(dates), func(c *model.Column) bool {
		name := strings.TrimSpace(c.Name)
		if at := strings.LastIndex(name, "("); at >= 0 && strings.HasSuffix(name, ")") {
			name = name[:at]
		}
		stem := slices.DeleteFunc(wording.Words(name), func(w string) bool { return intervalWords[w] })
		for len(stem) > 0 && dateEndings[wording.LastWord(stem)] {
			stem = stem[:len(stem)-1]
		}
		key := strings.Join(stem, wording.WordBreak)
		again := known[key]
		known[key] = true
		return again
	})
}

func undecidedRole(x *model.Scope, _ []*model.Table) func(*model.Table) rule.Verdict {
	contains := wording.Finder(wording.JoinWords(wording.Words(strings.Join(statementsOf(x).spoken, "\n"))))
	return func(t *model.Table) rule.Verdict {
		dates := businessDates(t)
		if slices.ContainsFunc(dates, func(c *model.Column) bool { return len(c.Words) > 0 && contains(wording.JoinWords(c.Words)) }) {
			return rule.Verdict{}
		}
		var names []string
		for _, c := range roles(dates) {
			names = append(names, c.Name)
		}
		return rule.Fails(1, "say in the AI instructions which of its dates to use by default", "not named: %s",
			wording.Listed(names, wording.MostNamed))
	}
}

// hasStatements selects models whose instructions say something.
func hasStatements(x *model.Scope) bool { return len(statementsOf(x).lines) > 0 }

func hasItems(_ *model.Scope, t *model.Table) bool { return t.Src.CalculationGroup != nil }

func namedReferences(x *model.Scope) rule.Verdict {
	return references(x, func(unresolved []string) (advice, names string) {
		names = wording.Listed(unresolved, wording.MostNamed)
		return "correct " + names + " in the AI instructions, as the model has no such field", names
	})
}

func missingFields(x *model.Scope, a *model.Answer) rule.Verdict {
	var missing []string
	for _, f := range a.Src.Fields {
		if x.LookUp(f.Table, f.Name) == nil {
			missing = append(missing, wording.Quoted(f.Table)+"["+f.Name+"]")
		}
	}
	if len(missing) == 0 {
		return rule.Verdict{}
	}
	names := wording.Listed(missing, wording.MostNamed)
	return rule.Fails(1, "build it again without "+names+", which the model does not have", "not in the model: %s", names)
}
