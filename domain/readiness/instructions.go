package readiness

import (
	"regexp"
	"strings"

	"readiness/definition/semanticmodel"
)

// instructionRules judge the explanations that the AI is given of the model: the AI
// instructions and the verified answers (docs/regime.md C.4 instructions). A model without
// instructions fails all rules about them.
var instructionRules = []rule{
	// INS-01: there are instructions.
	{id: "INS-01", k: 4, severity: High, fixes: []FixKind{AIInstructions}, check: onModel(always, noInstructions)},
	// INS-02: they are long enough to help and short enough to be kept.
	{id: "INS-02", k: 2, severity: Medium, fixes: []FixKind{AIInstructions}, check: onModel(always, instructionLength)},
	// INS-03: they name fields, and the fields exist (docs/regime.md C.9 (14)).
	{id: "INS-03", k: 2, severity: Medium, fixes: []FixKind{AIInstructions}, check: onModel(always, instructionReferences)},
	// INS-04: they cover the subjects that questions depend on (docs/regime.md C.9 (1)).
	{id: "INS-04", k: 2, severity: Medium, fixes: []FixKind{AIInstructions}, check: onModel(always, instructionTopics)},
	// INS-05: they say which date of a fact table to use (docs/regime.md C.9 (7, 14, 21)).
	{id: "INS-05", k: 2, severity: Medium, fixes: []FixKind{AIInstructions},
		check: among(where(allTables, hasSeveralDates), undecidedDate)},
	// INS-06: they explain calculation groups and field parameters (docs/regime.md C.9 (14)).
	{id: "INS-06", k: 1, severity: Medium, fixes: []FixKind{AIInstructions},
		check: among(where(exposedTables, needsExplaining), unexplained)},
	// INS-07: there are verified answers.
	{id: "INS-07", k: 2, severity: Low, check: onModel(always, noAnswers)},
	// INS-08: each verified answer has enough trigger phrases (docs/regime.md C.9 (14)).
	{id: "INS-08", k: 1, severity: Low, check: each(verifiedAnswers, triggerPhrases)},
	// INS-09: each verified answer uses only fields that an AI sees (docs/regime.md C.9 (14)).
	{id: "INS-09", k: 1, severity: Medium, check: each(verifiedAnswers, answerFields)},
}

const noInstruction = "no instructions"

func noInstructions(x *scope) verdict {
	if x.instructions == "" {
		return fails(1, "write AI instructions that explain its terms, its rules and which measure answers what", noInstruction)
	}
	return verdict{}
}

const (
	shortInstructions = 200
	longInstructions  = 10_000
)

func instructionLength(x *scope) verdict {
	switch n := length(x.instructions); {
	case n == 0:
		return fails(1, "give the AI instructions 200 to 10,000 characters", noInstruction)
	case n > longInstructions:
		return fails(1, "cut the AI instructions to 10,000 characters, most important first", "%d characters", n)
	case n < shortInstructions:
		return fails(0.5, "say more in the AI instructions: at least 200 characters", "%d characters", n)
	}
	return verdict{}
}

func instructionReferences(x *scope) verdict {
	return references(x, func(unresolved []string) (advice, names string) {
		return "correct the fields that the AI instructions name and the model does not have", list(unresolved, len(unresolved))
	})
}

// references compares the fields that the instructions name with the model. say returns what to do about
// those that the model lacks, and their names.
func references(x *scope, say func(unresolved []string) (advice, names string)) verdict {
	if x.instructions == "" {
		return fails(1, "name in the AI instructions the measures and columns to use, as 'Table'[Field]", noInstruction)
	}
	all := distinctMentions(mentionsIn(x.instructions))
	var unresolved []string
	for _, w := range all {
		if !x.resolves(w.mention) {
			unresolved = append(unresolved, w.text)
		}
	}
	switch {
	case len(all) == 0:
		return fails(1, "name fields in the AI instructions in brackets, so that it is clear which are meant",
			"no field is named as 'Table'[Field] or [Field]")
	case len(unresolved) > 0:
		advice, names := say(unresolved)
		return fails(float64(len(unresolved))/float64(len(all)), advice, "%d of %s unknown: %s", len(unresolved),
			count(len(all), "field"), names)
	}
	return verdict{}
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

func instructionTopics(x *scope) verdict {
	if x.instructions == "" {
		return fails(1, "write the AI instructions in sections: time, which measure to use, terms, defaults", noInstruction)
	}
	var missing []string
	for _, s := range instructionSubjects {
		if !s.pattern.MatchString(x.instructions) {
			missing = append(missing, s.name)
		}
	}
	if !structured(x.instructions) {
		missing = append(missing, "headings or a list")
	}
	if len(missing) == 0 {
		return verdict{}
	}
	return fails(1-float64(5-len(missing))/5, "add to the AI instructions what they leave out: "+strings.Join(missing, ", "),
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

func hasSeveralDates(_ *scope, t *table) bool { return t.fact() && len(t.dates()) >= 2 }

// dates returns the columns of a table, hidden or not, that are dateTime or an end of a
// relationship with a date table.
func (t *table) dates() []*column {
	var dates []*column
	for _, c := range t.columns {
		if c.dateEnd || c.is(semanticmodel.DateTime) {
			dates = append(dates, c)
		}
	}
	return dates
}

func undecidedDate(x *scope, _ []*table) func(*table) verdict {
	contains := finder(joinWords(words(x.instructions)))
	return func(t *table) verdict {
		var names []string
		for _, c := range t.dates() {
			if len(c.words) > 0 && contains(joinWords(c.words)) {
				return verdict{}
			}
			names = append(names, c.name)
		}
		return fails(1, "say in the AI instructions which of its dates to use by default", "not named: %s", list(names, len(names)))
	}
}

func needsExplaining(_ *scope, t *table) bool {
	return t.src.CalculationGroup != nil || t.fieldParameter
}

func unexplained(x *scope, _ []*table) func(*table) verdict {
	contains := finder(norm(x.instructions))
	return func(t *table) verdict {
		if contains(t.norm) {
			return verdict{}
		}
		what := "field parameters"
		if t.src.CalculationGroup != nil {
			what = "a calculation group"
		}
		return fails(1, "say by name in the AI instructions what it does and when to use it", "%s that the instructions do not name", what)
	}
}

func noAnswers(x *scope) verdict {
	if len(x.answers) > 0 {
		return verdict{}
	}
	return fails(1, "verify answers to the questions asked most", "no verified answer")
}

const (
	fewPhrases    = 5
	mostPhrases   = 15
	longestPhrase = 500
)

func triggerPhrases(_ *scope, a *answer) verdict {
	n, longest := 0, 0
	for _, p := range a.src.TriggerPhrases {
		if l := length(p); l > 0 {
			n++
			longest = max(longest, l)
		}
	}
	switch {
	case n == 0:
		return fails(1, "add 5 to 15 trigger phrases", "no trigger phrase")
	case n > mostPhrases:
		return fails(1, "keep the 15 best trigger phrases", "%s", count(n, "trigger phrase"))
	case longest > longestPhrase:
		return fails(1, "shorten the trigger phrases to 500 characters", "a trigger phrase of %d characters", longest)
	case n < fewPhrases:
		return fails(0.5, "add trigger phrases in other words: 5 to 15 in all", "%s", count(n, "trigger phrase"))
	}
	return verdict{}
}

func answerFields(x *scope, a *answer) verdict {
	var missing, hidden []string
	for _, f := range a.src.Fields {
		switch o := x.lookUp(f.Table, f.Name); {
		case o == nil:
			missing = append(missing, quoted(f.Table)+"["+f.Name+"]")
		case !x.in(o):
			hidden = append(hidden, quoted(f.Table)+"["+f.Name+"]")
		}
	}
	switch {
	case len(missing) > 0:
		return fails(1, "build it again on fields that exist", "not in the model: %s", list(missing, len(missing)))
	case len(hidden) > 0:
		return fails(1, "show the fields it uses to AI, or build it on others", "not exposed: %s", list(hidden, len(hidden)))
	}
	return verdict{}
}
