package rules

import (
	"regexp"
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
	"readiness/domain/readiness/wording"
)

// Patterns that rules INS-03 and INS-04 look for in instructions.
var (
	timePattern    = regexp.MustCompile(`(?i)\b(fiscal|calendar|year|quarter|season|period|ytd)\b`)
	measurePattern = regexp.MustCompile(`(?i)\b(use|prefer|refer to)\b[^\n]{0,60}(\[|measure)`)
	termPattern    = regexp.MustCompile(`(?i)\b(means|refers to|stands for|defined as|also known as|synonym)\b`)
	defaultPattern = regexp.MustCompile(`(?i)\b(default|unless|always|by default|otherwise)\b`)
	bracketPattern = regexp.MustCompile(`\[([^\]\n]+)\]`)
)

const shortInstructions = 200

// missing returns the headings of the parts that a person's instructions leave out, by rules INS-02 to
// INS-06. Unknown fields in them are for the person to correct.
func (f *facts) missing(text string) map[string]bool {
	missing := map[string]bool{}
	if wording.Length(text) > proposal.MaxInstructions {
		return missing
	}
	missing[timeHeading] = !timePattern.MatchString(text) || f.undecided(text)
	short := wording.Length(text) < shortInstructions
	missing[measureHeading] = short || !measurePattern.MatchString(text) || !f.namesField(text)
	missing[termHeading] = short || !termPattern.MatchString(text)
	missing[defaultHeading] = short || !defaultPattern.MatchString(text)
	missing[groupHeading] = slices.ContainsFunc(f.tables, func(t *table) bool {
		return (t.role == calculationGroup || t.role == fieldParameter) && slices.ContainsFunc(t.fields(), f.wantedThen) &&
			!strings.ContainsAny(t.src.Name, "[]") &&
			!strings.Contains(spelling.FoldSpace(text), spelling.FoldSpace(t.src.Name))
	})
	for _, h := range []string{timeHeading, measureHeading, termHeading, defaultHeading, groupHeading} {
		if !missing[h] || headed(text, h) {
			delete(missing, h)
		}
	}
	return missing
}

// headed reports whether a text has a section under the heading, which is then for the person to complete.
func headed(text, heading string) bool {
	return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
		level := strings.TrimLeft(line, "#")
		return len(level) < len(line) && strings.EqualFold(strings.TrimSpace(level), heading)
	})
}

// complete returns the reason why nothing is added to a person's instructions.
func (f *facts) complete(text string) string {
	if wording.Length(text) > proposal.MaxInstructions {
		return "The AI instructions are longer than 10,000 characters: shorten them by hand."
	}
	named := f.fieldNames()
	for _, m := range bracketPattern.FindAllStringSubmatch(text, -1) {
		if !named[spelling.FoldSpace(m[1])] && prose.Mentionable(m[1]) {
			return "The AI instructions leave nothing out, but the model has no field [" + m[1] + "] that they name: correct it by hand."
		}
	}
	return "The AI instructions say what rules INS-01 to INS-06 ask for."
}

// fieldNames returns the normalized names of all fields.
func (f *facts) fieldNames() map[string]bool {
	named := map[string]bool{}
	for _, x := range f.allFields() {
		named[spelling.FoldSpace(x.name)] = true
	}
	return named
}

// namesField reports whether a text names an existing field (rule INS-03).
func (f *facts) namesField(text string) bool {
	named := f.fieldNames()
	return slices.ContainsFunc(bracketPattern.FindAllStringSubmatch(text, -1), func(m []string) bool {
		return named[spelling.FoldSpace(m[1])]
	})
}

// undecided reports whether a fact has several dates and the text names none of them (rule INS-05).
func (f *facts) undecided(text string) bool {
	return slices.ContainsFunc(f.tables, func(t *table) bool { return t.hasDates() && f.undecidedIn(t, text) })
}

// undecidedIn reports whether a text names none of the dates of a table.
func (f *facts) undecidedIn(t *table, text string) bool {
	joined := " " + strings.Join(prose.Words(text), " ") + " "
	return !slices.ContainsFunc(t.columns, func(x *field) bool {
		return (x.dateEnd || x.isDate()) && len(x.words) > 0 && strings.Contains(joined, " "+strings.Join(x.words, " ")+" ")
	})
}
