// Package naming has the rules that judge whether names read as the words people use.
package naming

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/informing"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/visibility"
	"readiness/domain/readiness/wording"
)

// Rules judge whether names read as the words people use. No optimization fixes
// names, because renaming breaks reports.
var Rules = []rule.Rule{
	// NAM-01: no underscores, camel case or capitals instead of spaces.
	{ID: "NAM-01", Weight: 3, Severity: finding.Medium,
		Check: rule.Each(rule.Where(rule.DescribedObjects, namedForPeople), unreadableName)},
	// NAM-02: no warehouse prefix on a table.
	{ID: "NAM-02", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.ExposedTables, warehouseName)},
	// NAM-03: no abbreviations except well-known ones.
	{ID: "NAM-03", Weight: 2, Severity: finding.Low, Check: rule.Each(rule.ExposedObjects, Unfamiliar)},
	// NAM-04: columns of different tables have different names, or descriptions that
	// explain the difference.
	{ID: "NAM-04", Weight: 2, Severity: finding.Low,
		Check: rule.Among(rule.Where(rule.ExposedColumns, distinguishable), sharedName)},
	// NAM-05: no control or format characters and no stray spaces.
	{ID: "NAM-05", Weight: 1, Severity: finding.Low, Check: rule.Each(rule.ExposedObjects, uncleanName)},
	// NAM-06: no placeholder as a name.
	{ID: "NAM-06", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.ExposedObjects, VagueName)},
	{ID: "NAM-07", Weight: 1, Severity: finding.Low,
		Check: rule.OnModel(func(x *model.Scope) bool { return len(x.F) > 0 }, prefixedFields)},
}

var warehousePrefixes = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(dim|fact|fct|stg|raw|tmp|vw|tbl)[ _]`),
	regexp.MustCompile(`^(Dim|Fact|Fct|Stg|Tbl)[A-Z]`),
	regexp.MustCompile(`(?i)^[df]_`),
}

// WarehousePrefix returns the prefix of a table's name, with its underscore, and reports whether a space follows it.
func WarehousePrefix(name string) (prefix string, spaced bool) {
	for _, p := range warehousePrefixes {
		if m := p.FindString(name); m != "" {
			if p == warehousePrefixes[1] {
				return m[:len(m)-1], false
			}
			prefix = strings.TrimSpace(m)
			return prefix, prefix != m
		}
	}
	return "", false
}

// namesakes returns a function that finds another table's exposed column of the same name, nil if there is
// none, and reports whether every exposed column of that name is explained.
func namesakes(x *model.Scope, explained func(*model.Column) bool) func(*model.Column) (other *model.Column, all bool) {
	type name struct {
		first, other *model.Column // of two tables
		unexplained  bool          // true if one of the columns is
	}
	names := map[string]*name{}
	for _, c := range x.C {
		n := names[c.Norm]
		if n == nil {
			n = &name{first: c}
			names[c.Norm] = n
		}
		if n.other == nil && n.first.Table != c.Table {
			n.other = c
		}
		n.unexplained = n.unexplained || !explained(c)
	}
	return func(c *model.Column) (other *model.Column, all bool) {
		n := names[c.Norm]
		if n.other != nil && n.first.Table != c.Table {
			return n.first, !n.unexplained
		}
		return n.other, !n.unexplained
	}
}

func uncleanName(_ *model.Scope, o *model.Object) rule.Verdict {
	name := o.Label()
	evidence := func(advice string) rule.Verdict {
		return rule.Fails(1, advice, "name: %+q", wording.FirstRunes(name, wording.ShownName))
	}
	space := true // a space here would be leading or doubled
	for i, r := range name {
		switch {
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return evidence("remove the invisible character from the name")
		case !unicode.IsSpace(r):
			space = false
		case i == 0:
			return evidence("remove the space at the start of the name")
		case space:
			return evidence("leave one space between the words of the name")
		default:
			space = true
		}
	}
	if space && name != "" {
		return evidence("remove the space at the end of the name")
	}
	return rule.Verdict{}
}

var placeholderNames = []string{"table", "column", "col", "field", "measure", "sheet", "query", "new table", "new column", "new measure"}

// IsPlaceholder reports whether a name is one of placeholderNames, alone or with a
// number, in any case.
func IsPlaceholder(name string) bool {
	name = strings.TrimRight(name, "0123456789")
	if n := len(name); n > 0 && (name[n-1] == ' ' || name[n-1] == '_') {
		name = name[:n-1]
	}
	return slices.ContainsFunc(placeholderNames, func(p string) bool { return strings.EqualFold(p, name) })
}

var identifierEnding = wording.SetOf("id,ids,key,guid,uuid")

// namedForPeople leaves out the columns that VIS-02 hides, and identifiers without an abbreviation.
func namedForPeople(x *model.Scope, o *model.Object) bool {
	return o.Kind != model.ColumnKind || visibility.Technical(x, o).Violation == 0 &&
		(!identifierEnding[wording.LastWord(o.Words)] || Unfamiliar(x, o).Violation > 0)
}

// distinguishable leaves out keys, the columns that VIS-02 hides, identifiers, and codes that tables have in common.
func distinguishable(x *model.Scope, c *model.Column) bool {
	last := wording.LastWord(c.Words)
	return !c.Key && visibility.Technical(x, &c.Object).Violation == 0 && !identifierEnding[last] && !(codeEnding[last] && isJoint(x, c))
}

var codeEnding = wording.SetOf("code,cd,no,nr,number")

type jointKey struct{}

// isJoint reports whether several tables have an exposed column of the name, and all of these have the same type.
func isJoint(x *model.Scope, c *model.Column) bool {
	return model.Remembered(x, jointKey{}, func() map[string]bool {
		first, joint := map[string]*model.Column{}, map[string]bool{}
		for _, c := range x.C {
			if !codeEnding[wording.LastWord(c.Words)] {
				continue
			}
			known := first[c.Norm]
			switch {
			case known == nil:
				first[c.Norm] = c
			case known.DataType != c.DataType || c.DataType == "":
				joint[c.Norm] = false
			case known.Table != c.Table:
				if _, decided := joint[c.Norm]; !decided {
					joint[c.Norm] = true
				}
			}
		}
		return joint
	})[c.Norm]
}

func unreadableName(x *model.Scope, o *model.Object) rule.Verdict {
	name := plainName(x, o)
	violation, advice := 1.0, ""
	switch {
	case strings.Contains(name, "_"):
		advice = "use spaces in the name in place of underscores"
		if writtenAsCode(name) {
			advice = "write the name in words, not in capitals with underscores"
		}
	case strings.Contains(name, " "):
	case wording.HasCaseBreak(name):
		advice = "write the words of the name apart"
	case wording.Length(name) >= 4 && strings.ToUpper(name) == name && wording.CasedLetters(name) >= 4:
		violation, advice = 0.5, "write the name in words, not in capitals"
	}
	if advice == "" {
		return rule.Verdict{}
	}
	code := writtenAsCode(name)
	if informing.Described(x, o) || Unfamiliar(x, o).Violation == 0 && !code {
		violation = 0.5
	}
	v := rule.Fails(violation, advice, "name: %q", wording.Shown(o.Label(), wording.ShownName))
	if !code {
		v.Severity = finding.Low // people and language models read such names
	}
	return v
}

// UnreadableCapitals reports whether the name of a column violates NAM-01 in full because of its capitals.
func UnreadableCapitals(x *model.Scope, c *model.Column) bool {
	return !c.Key && namedForPeople(x, &c.Object) && unreadableName(x, &c.Object).Violation == 1 && writtenAsCode(plainName(x, &c.Object))
}

// writtenAsCode reports whether a name has at least 4 letters, all without lower case.
func writtenAsCode(name string) bool {
	letters := 0
	for _, r := range name {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 4
}

// warehouseName finds a violation of 0.5 in a prefix that reads as a word. With a familiar name, the severity of
// a prefix that says dimension or fact is low.
func warehouseName(x *model.Scope, t *model.Table) rule.Verdict {
	prefix, spaced := WarehousePrefix(t.Src.Name)
	switch {
	case prefix == "":
		return rule.Verdict{}
	case spaced:
		return rule.Fails(0.5, "name the table after its business subject, without the word "+wording.QuotedText(prefix), "first word: %q",
			prefix)
	}
	v := rule.Fails(1, "name the table after its business subject, without the prefix "+wording.QuotedText(prefix), "prefix: %q", prefix)
	if starPrefixes[wording.Norm(strings.Trim(prefix, "_"))] && Unfamiliar(x, &t.Object).Violation == 0 {
		v.Severity = finding.Low
	}
	return v
}

// starPrefixes name the role of a table in a star schema; people and language models know them.
var starPrefixes = wording.SetOf("dim,fact")

// sharedName is repeatedName with descriptions that add something.
func sharedName(x *model.Scope, _ []*model.Column) func(*model.Column) rule.Verdict {
	names := namesakes(x, func(c *model.Column) bool { return informing.Described(x, &c.Object) })
	return func(c *model.Column) rule.Verdict {
		other, explained := names(c)
		if other == nil {
			return rule.Verdict{}
		}
		beside := wording.LowerFirst(model.Title(&other.Object))
		if !explained {
			return rule.Fails(1, "give it another name than "+beside+", or describe each column of this name", "also the name of %s",
				beside)
		}
		return rule.Fails(0.5, "give it another name than "+beside+", as descriptions alone distinguish such columns only in part",
			"also the name of %s", beside)
	}
}

var vagueFieldNames = wording.SetOf("flag,value,data,number,key,error,unknown,count,min,max,average,properties")

// isDay reports whether a column holds dates: Data is a date in Portuguese and Italian.
func isDay(x *model.Scope, o *model.Object) bool {
	c := x.Names.Columns[o.Index]
	return c != nil && c.Is(semanticmodel.DateTime)
}

// VagueName judges whether a name is a placeholder or says nothing without a description (rule NAM-06).
func VagueName(x *model.Scope, o *model.Object) rule.Verdict {
	name := o.Label()
	switch {
	case IsPlaceholder(name):
		return rule.Fails(1, "replace the placeholder "+wording.QuotedText(name)+" by a name that says what it holds", "name: %q",
			wording.Shown(name, wording.ShownName))
	case o.Kind != model.TableKind && vagueFieldNames[o.Norm] && !isDay(x, o) && !informing.Described(x, o):
		return rule.Fails(0.5, "say in the name, or else in a description, which "+o.Norm+" it is",
			"name: %q, and no description that says it",
			wording.Shown(name, wording.ShownName))
	}
	return rule.Verdict{}
}
