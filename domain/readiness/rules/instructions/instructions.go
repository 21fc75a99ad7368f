// Package instructions has the rules that judge the explanations that an AI is given of a
// model: the AI instructions and the verified answers.
package instructions

import (
	"regexp"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// November2026 are the rules of 2026-11: they judge the explanations that the AI is given of the model: the AI
// instructions and the verified answers (docs/regime.md C.4 instructions). A model without
// instructions fails all rules about them.
var November2026 = []rule.Rule{
	// INS-01: there are instructions.
	{ID: "INS-01", Weight: 4, Severity: finding.High, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.OnModel(rule.Always, noInstructions)},
	// INS-02: they are long enough to help and short enough to be kept.
	{ID: "INS-02", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.OnModel(rule.Always, instructionLength)},
	// INS-03: they name fields, and the fields exist (docs/regime.md C.9 (14)).
	{ID: "INS-03", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.OnModel(rule.Always, instructionReferences)},
	// INS-04: they cover the subjects that questions depend on (docs/regime.md C.9 (1)).
	{ID: "INS-04", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.OnModel(rule.Always, instructionTopics)},
	// INS-05: they say which date of a fact table to use (docs/regime.md C.9 (7, 14, 21)).
	{ID: "INS-05", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.Among(rule.Where(rule.AllTables, hasSeveralDates), undecidedDate)},
	// INS-06: they explain calculation groups and field parameters (docs/regime.md C.9 (14)).
	{ID: "INS-06", Weight: 1, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.Among(rule.Where(rule.ExposedTables, needsExplaining), unexplained)},
	// INS-07: there are verified answers.
	{ID: "INS-07", Weight: 2, Severity: finding.Low, Check: rule.OnModel(rule.Always, noAnswers)},
	// INS-08: each verified answer has enough trigger phrases (docs/regime.md C.9 (14)).
	{ID: "INS-08", Weight: 1, Severity: finding.Low, Check: rule.Each(rule.VerifiedAnswers, triggerPhrases)},
	// INS-09: each verified answer uses only fields that an AI sees (docs/regime.md C.9 (14)).
	{ID: "INS-09", Weight: 1, Severity: finding.Medium, Check: rule.Each(rule.VerifiedAnswers, answerFields)},
}

const noInstruction = "no instructions"

func noInstructions(x *model.Scope) rule.Verdict {
	if x.Instructions == "" {
		return rule.Fails(1, "write AI instructions that explain its terms, its rules and which measure answers what", noInstruction)
	}
	return rule.Verdict{}
}

const (
	shortInstructions = 200
	longInstructions  = 10_000
)

func instructionLength(x *model.Scope) rule.Verdict {
	switch n := wording.Length(x.Instructions); {
	case n == 0:
		return rule.Fails(1, "give the AI instructions 200 to 10,000 characters", noInstruction)
	case n > longInstructions:
		return rule.Fails(1, "cut the AI instructions to 10,000 characters, most important first", "%d characters", n)
	case n < shortInstructions:
		return rule.Fails(0.5, "say more in the AI instructions: at least 200 characters", "%d characters", n)
	}
	return rule.Verdict{}
}

func instructionReferences(x *model.Scope) rule.Verdict {
	return references(x, func(unresolved []string) (advice, names string) {
		return "correct the fields that the AI instructions name and the model does not have", wording.List(unresolved, len(unresolved))
	})
}

// references compares the fields that the instructions name with the model. say returns what to do about
// those that the model lacks, and their names.
func references(x *model.Scope, say func(unresolved []string) (advice, names string)) rule.Verdict {
	if x.Instructions == "" {
		return rule.Fails(1, "name in the AI instructions the measures and columns to use, as 'Table'[Field]", noInstruction)
	}
	all := model.DistinctMentions(model.MentionsIn(x.Instructions))
	var unresolved []string
	for _, w := range all {
		if !x.Resolves(w.Mention) {
			unresolved = append(unresolved, w.Text)
		}
	}
	switch {
	case len(all) == 0:
		return rule.Fails(1, "name fields in the AI instructions in brackets, so that it is clear which are meant",
			"no field is named as 'Table'[Field] or [Field]")
	case len(unresolved) > 0:
		advice, names := say(unresolved)
		return rule.Fails(float64(len(unresolved))/float64(len(all)), advice, "%d of %s unknown: %s", len(unresolved),
			wording.Count(len(all), "field"), names)
	}
	return rule.Verdict{}
}

// instructionSubjects are four of the five subjects that instructions should cover.
var instructionSubjects = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"time", regexp.MustCompile(`(?i)\b(fiscal|calendar|year|quarter|season|period|ytd)\b`)},
	{"which measure to use", regexp.MustCompile(`(?i)\b(use|prefer|refer to)\b[^\n]{0,60}(\[|measure)`)},
	{"terms", regexp.MustCompile(`(?i)\b(means|refers to|stands for|defined as|also known as|synonym)\b`)},
	{"defaults", regexp.MustCompile(`(?i)\b(default|unless|always|by default|otherwise)\b`)},
}

var (
	headingLine = regexp.MustCompile(`^#{1,6} `)
	itemLine    = regexp.MustCompile(`^[-*] `)
)

func instructionTopics(x *model.Scope) rule.Verdict {
	if x.Instructions == "" {
		return rule.Fails(1, "write the AI instructions in sections: time, which measure to use, terms, defaults", noInstruction)
	}
	var missing []string
	for _, s := range instructionSubjects {
		if !s.pattern.MatchString(x.Instructions) {
			missing = append(missing, s.name)
		}
	}
	if !structured(x.Instructions) {
		missing = append(missing, "headings or a list")
	}
	if len(missing) == 0 {
		return rule.Verdict{}
	}
	return rule.Fails(1-float64(5-len(missing))/5, "add to the AI instructions what they leave out: "+strings.Join(missing, ", "),
		"%d of 5 found", 5-len(missing))
}

// structured reports whether a text has a heading or a list of three items.
func structured(text string) bool {
	items := 0
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if itemLine.MatchString(line) {
			items++
		}
		if items == 3 || headingLine.MatchString(line) {
			return true
		}
	}
	return false
}

func hasSeveralDates(_ *model.Scope, t *model.Table) bool { return t.Fact() && len(datesOf(t)) >= 2 }

// datesOf returns the columns of a table, hidden or not, that are dateTime or an end of a
// relationship with a date table.
func datesOf(t *model.Table) []*model.Column {
	var dates []*model.Column
	for _, c := range t.Columns {
		if c.DateEnd || c.Is(semanticmodel.DateTime) {
			dates = append(dates, c)
		}
	}
	return dates
}

func undecidedDate(x *model.Scope, _ []*model.Table) func(*model.Table) rule.Verdict {
	contains := wording.Finder(wording.JoinWords(wording.Words(x.Instructions)))
	return func(t *model.Table) rule.Verdict {
		var names []string
		for _, c := range datesOf(t) {
			if len(c.Words) > 0 && contains(wording.JoinWords(c.Words)) {
				return rule.Verdict{}
			}
			names = append(names, c.Name)
		}
		return rule.Fails(1, "say in the AI instructions which of its dates to use by default", "not named: %s",
			wording.List(names, len(names)))
	}
}

func needsExplaining(_ *model.Scope, t *model.Table) bool {
	return t.Src.CalculationGroup != nil || t.FieldParameter
}

func unexplained(x *model.Scope, _ []*model.Table) func(*model.Table) rule.Verdict {
	contains := wording.Finder(wording.Norm(x.Instructions))
	return func(t *model.Table) rule.Verdict {
		if contains(t.Norm) {
			return rule.Verdict{}
		}
		what := "field parameters"
		if t.Src.CalculationGroup != nil {
			what = "a calculation group"
		}
		return rule.Fails(1, "say by name in the AI instructions what it does and when to use it", "%s that the instructions do not name",
			what)
	}
}

func noAnswers(x *model.Scope) rule.Verdict {
	if len(x.Answers) > 0 {
		return rule.Verdict{}
	}
	return rule.Fails(1, "verify answers to the questions asked most", "no verified answer")
}

const (
	fewPhrases    = 5
	mostPhrases   = 15
	longestPhrase = 500
)

func triggerPhrases(_ *model.Scope, a *model.Answer) rule.Verdict {
	n, longest := 0, 0
	for _, p := range a.Src.TriggerPhrases {
		if l := wording.Length(p); l > 0 {
			n++
			longest = max(longest, l)
		}
	}
	switch {
	case n == 0:
		return rule.Fails(1, "add 5 to 15 trigger phrases", "no trigger phrase")
	case n > mostPhrases:
		return rule.Fails(1, "keep the 15 best trigger phrases", "%s", wording.Count(n, "trigger phrase"))
	case longest > longestPhrase:
		return rule.Fails(1, "shorten the trigger phrases to 500 characters", "a trigger phrase of %d characters", longest)
	case n < fewPhrases:
		return rule.Fails(0.5, "add trigger phrases in other words: 5 to 15 in all", "%s", wording.Count(n, "trigger phrase"))
	}
	return rule.Verdict{}
}

func answerFields(x *model.Scope, a *model.Answer) rule.Verdict {
	var missing, hidden []string
	for _, f := range a.Src.Fields {
		switch o := x.LookUp(f.Table, f.Name); {
		case o == nil:
			missing = append(missing, wording.Quoted(f.Table)+"["+f.Name+"]")
		case !x.In(o):
			hidden = append(hidden, wording.Quoted(f.Table)+"["+f.Name+"]")
		}
	}
	switch {
	case len(missing) > 0:
		return rule.Fails(1, "build it again on fields that exist", "not in the model: %s", wording.List(missing, len(missing)))
	case len(hidden) > 0:
		return rule.Fails(1, "show the fields it uses to AI, or build it on others", "not exposed: %s", wording.List(hidden, len(hidden)))
	}
	return rule.Verdict{}
}
