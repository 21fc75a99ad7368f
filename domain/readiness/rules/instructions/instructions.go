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
	"readiness/domain/readiness/rules/meanings"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

// Rules judge the explanations that the AI is given of the model: the AI
// instructions and the verified answers. A model without
// instructions fails all rules about them.
var Rules = reading([]rule.Rule{
	// INS-01: there are instructions.
	{ID: "INS-01", Weight: 4, Severity: finding.High, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: together("INS-01", noInstructions)},
	// INS-02: they are long enough to help and short enough to be kept.
	{ID: "INS-02", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.Stating(together("INS-02", instructionLength))},
	// INS-03: they name fields, and the fields exist.
	{ID: "INS-03", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: together("INS-03", namedReferences)},
	// INS-04: they cover the subjects that questions depend on.
	{ID: "INS-04", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.Stating(together("INS-04", instructionTopics))},
	// INS-05: they say which date of a fact table to use.
	{ID: "INS-05", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.Stating(rule.Among(rule.Where(rule.AllTables, hasDateRoles),
			undecidedRole))},
	// INS-06: they explain calculation groups and field parameters.
	{ID: "INS-06", Weight: 1, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.Among(rule.Where(rule.ExposedTables, hasItems), unexplained)},
	// INS-07: there are verified answers. One satisfies it and answers only its own questions, so it weighs little.
	{ID: "INS-07", Weight: 1, Severity: finding.Low, Check: rule.OnModel(rule.Always, noAnswers)},
	// INS-08: each verified answer has enough trigger phrases.
	{ID: "INS-08", Weight: 1, Severity: finding.Low, Check: rule.Stating(rule.Each(rule.VerifiedAnswers, triggerPhrases))},
	// INS-09: each verified answer uses only fields that an AI sees.
	{ID: "INS-09", Weight: 1, Severity: finding.Medium, Check: rule.Each(rule.VerifiedAnswers, missingFields)},
	// INS-10: the preparation for AI is not in the format that retires.
	{ID: "INS-10", Weight: 4, Severity: finding.High, Check: rule.OnModel(onlyLinguistic, linguisticFormat)},
	{ID: "INS-11", Weight: 1, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.OnModel(hasStatements, meanings.Contradiction)},
	// INS-12: the values that questions name are indexed.
	{ID: "INS-12", Weight: 1, Severity: finding.Low, Check: rule.Stating(rule.OnModel(lacksIndex, unindexed))},
	// INS-13: the example prompts ask about what an AI sees.
	{ID: "INS-13", Weight: 1, Severity: finding.Low, Check: rule.Stating(rule.OnModel(isCopilot, promptsNamed))},
	// INS-14: each verified answer is one that the platform gives.
	{ID: "INS-14", Weight: 1, Severity: finding.Medium, Check: rule.Among(rule.VerifiedAnswers, beyondLimits)},
})

const noInstruction = "no instructions"

// noInstructions judges whether the instructions say anything that can be checked.
func noInstructions(x *model.Scope) rule.Verdict {
	s := statementsOf(x)
	switch {
	case x.Instructions == "":
		return rule.Fails(1, "write AI instructions that explain its terms, its rules and which measure answers what", noInstruction)
	case len(s.lines) == 0:
		return rule.Fails(1, "write AI instructions that name fields and say what the model does not: what a term means, which measure "+
			"answers what, which date counts", "%s, and none names a field and says something about it", wording.Count(s.idle, "line"))
	}
	return rule.Verdict{}
}

const (
	fewStatements    = 3
	longInstructions = 10_000
)

func instructionLength(x *model.Scope) rule.Verdict {
	s := statementsOf(x)
	switch n := wording.Length(x.Instructions); {
	case n == 0:
		return rule.Fails(1, "say at least 3 things in the AI instructions that names do not, each with the field it is about", noInstruction)
	case n > longInstructions:
		return rule.Fails(1, "cut the AI instructions to 10,000 characters, most important first", "%d characters", n)
	case len(s.lines) < fewStatements:
		return rule.Fails(1-float64(len(s.lines))/fewStatements,
			"say more in the AI instructions: at least 3 lines that name a field and say what names do not", "%d of %s",
			len(s.lines), wording.Count(len(s.lines)+s.idle, "line"))
	case s.idle > len(s.lines):
		return rule.Fails(0.5, "take lines out of the AI instructions that say nothing about a field, or name the field",
			"%d of %s", s.idle, wording.Count(len(s.lines)+s.idle, "line"))
	}
	return rule.Verdict{}
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
	case len(statementsOf(x).lines) == 0:
		return rule.Fails(1, "say in the AI instructions what the fields are for that they name", "no line says something about a field")
	}
	return rule.Verdict{}
}

// instructionSubjects are what instructions should cover, in English, German and Portuguese.
var instructionSubjects = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"time", regexp.MustCompile(`(?i)\b(fiscal|calendar|year|quarter|season|period|ytd|month|\w*jahr\w*|quartal\w*|saison|zeitraum|monat\w*|` +
		`ano|anos|trimestre|per[ií]odo|m[eê]s|exerc[ií]cio)\b`)},
	{"which measure to use", regexp.MustCompile(`(?i)\b(use|prefer|refer to|nimm|verwende|nutze|benutze|utilize|prefira)\b[^\n]{0,60}(\[|measure)`)},
	{"terms", regexp.MustCompile(`(?i)\b(means?|refers to|stands for|defined as|also known as|synonym|bedeutet|meint|heißt|steht für|significa|` +
		`refere-se|quer dizer)\b`)},
	{"defaults", regexp.MustCompile(`(?i)\b(default|unless|always|otherwise|standardmäßig|sofern|immer|sonst|padrão|salvo|sempre|caso contrário)\b`)},
}

var headingLine = regexp.MustCompile(`^#{1,6} `)

func instructionTopics(x *model.Scope) rule.Verdict {
	if x.Instructions == "" {
		return rule.Fails(1, "write the AI instructions in sections: time, which measure to use, terms, defaults", noInstruction)
	}
	text := strings.Join(statementsOf(x).lines, "\n")
	var missing []string
	for _, s := range instructionSubjects {
		if !s.pattern.MatchString(text) {
			missing = append(missing, s.name)
		}
	}
	if len(missing) == 0 {
		return rule.Verdict{}
	}
	all := len(instructionSubjects)
	return rule.Fails(float64(len(missing))/float64(all), "add to the AI instructions what they leave out: "+strings.Join(missing, ", "),
		"%d of %d subjects found in lines that name a field", all-len(missing), all)
}

// datesOf returns the columns of a table, hidden or not, that are dateTime or an end of a
// relationship with a date table.
func datesOf(t *model.Table) []*model.Column {
	return lists.Where(t.Columns, func(c *model.Column) bool { return c.DateEnd || c.Is(semanticmodel.DateTime) })
}

func unexplained(x *model.Scope, _ []*model.Table) func(*model.Table) rule.Verdict {
	contains := wording.Finder(wording.Norm(strings.Join(statementsOf(x).spoken, "\n")))
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
