package naming

import (
	"strings"
	"unicode"

	"readiness/domain/readiness/additions"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/visibility"
	"readiness/domain/readiness/wording"
)

// December2026 are the rules of 2026-12: they judge names without technical prefixes, and take a synonym or a
// description that adds something into account (docs/regime.md H.3).
var December2026 = rule.Amended(November2026,
	rule.Rule{ID: "NAM-01", Weight: 3, Severity: finding.Medium,
		Check: rule.Each(rule.Where(rule.DescribedObjects, namedForPeople), unreadableName)},
	rule.Rule{ID: "NAM-02", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.ExposedTables, warehouseName)},
	rule.Rule{ID: "NAM-03", Weight: 2, Severity: finding.Low, Check: rule.Each(rule.ExposedObjects, Unfamiliar)},
	rule.Rule{ID: "NAM-04", Weight: 2, Severity: finding.Low,
		Check: rule.Among(rule.Where(rule.ExposedColumns, distinguishable), sharedName)},
	rule.Rule{ID: "NAM-06", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.ExposedObjects, VagueName)},
	rule.Rule{ID: "NAM-07", Weight: 1, Severity: finding.Low,
		Check: rule.OnModel(func(x *model.Scope) bool { return len(x.F) > 0 }, prefixedFields)},
)

var identifierEnding = wording.SetOf("id,ids,key,guid,uuid")

// namedForPeople leaves out the columns that VIS-02 hides, and identifiers without an abbreviation
// (docs/regime-precision.md P9).
func namedForPeople(x *model.Scope, o *model.Object) bool {
	return o.Kind != model.ColumnKind || visibility.Technical(x, o).Violation == 0 &&
		(!identifierEnding[wording.LastWord(o.Words)] || Unfamiliar(x, o).Violation > 0)
}

// distinguishable leaves out keys, the columns that VIS-02 hides, identifiers, and codes that tables have in common
// (docs/regime-precision.md P9).
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
	if len(o.Terms) > 0 || additions.Explained(x, o) || Unfamiliar(x, o).Violation == 0 && !code {
		violation = 0.5
	}
	v := rule.Fails(violation, advice, "name: %q", wording.Shown(o.Label(), wording.ShownName))
	if !code {
		v.Severity = finding.Low // people and language models read such names (docs/regime-precision.md P8)
	}
	return v
}

// UnreadableCapitals reports whether the name of a column violates NAM-01 in full because of its capitals
// (docs/regime-precision.md P1, P8).
func UnreadableCapitals(x *model.Scope, c *model.Column) bool {
	return !c.Key && namedForPeople(x, &c.Object) && unreadableName(x, &c.Object).Violation == 1 && writtenAsCode(plainName(x, &c.Object))
}

// writtenAsCode reports whether a name has at least 4 letters, all without lower case (docs/regime-precision.md P8).
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
// a prefix that says dimension or fact is low (docs/regime-precision.md P10).
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
	names := namesakes(x, func(c *model.Column) bool { return additions.Explained(x, &c.Object) })
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

// VagueName judges whether a name is a placeholder or says nothing without a description (rule NAM-06).
func VagueName(x *model.Scope, o *model.Object) rule.Verdict {
	name := o.Label()
	switch {
	case IsPlaceholder(name):
		return rule.Fails(1, "replace the placeholder "+wording.QuotedText(name)+" by a name that says what it holds", "name: %q",
			wording.Shown(name, wording.ShownName))
	case o.Kind != model.TableKind && vagueFieldNames[o.Norm] && !additions.Explained(x, o):
		return rule.Fails(0.5, "say in the name, or else in a description, which "+o.Norm+" it is",
			"name: %q, and no description that says it",
			wording.Shown(name, wording.ShownName))
	}
	return rule.Verdict{}
}
