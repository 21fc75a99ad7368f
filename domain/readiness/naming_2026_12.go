package readiness

import (
	"strconv"
	"strings"
	"unicode"
)

// decemberNamingRules look at names without technical prefixes, and take a synonym or a
// description that adds something into account (docs/regime.md H.3).
var decemberNamingRules = amended(namingRules,
	rule{id: "NAM-01", k: 3, severity: Medium, check: each(where(describedObjects, namedForPeople), unreadableName)},
	rule{id: "NAM-02", k: 2, severity: Medium, check: each(exposedTables, warehouseName)},
	rule{id: "NAM-03", k: 2, severity: Low, check: each(exposedObjects, (*scope).unfamiliar)},
	rule{id: "NAM-04", k: 2, severity: Low, check: among(where(exposedColumns, distinguishable), sharedName)},
	rule{id: "NAM-06", k: 2, severity: Medium, check: each(exposedObjects, vagueName)},
	rule{id: "NAM-07", k: 1, severity: Low, check: onModel(func(x *scope) bool { return len(x.f) > 0 }, prefixedFields)},
)

// quotedText quotes a part of a name for a message.
func quotedText(s string) string { return strconv.Quote(shown(s, shownName)) }

var identifierEnding = setOf("id,ids,key,guid,uuid")

// namedForPeople leaves out the columns that VIS-02 hides, and identifiers without an abbreviation
// (docs/regime-precision.md P9).
func namedForPeople(x *scope, o *object) bool {
	return o.kind != columnKind || x.technical(o).violation == 0 &&
		(!identifierEnding[lastWord(o.words)] || x.unfamiliar(o).violation > 0)
}

// distinguishable leaves out keys, the columns that VIS-02 hides, and identifiers (docs/regime-precision.md P9).
func distinguishable(x *scope, c *column) bool {
	return !c.key && x.technical(&c.object).violation == 0 && !identifierEnding[lastWord(c.words)]
}

func unreadableName(x *scope, o *object) verdict {
	name := x.plainName(o)
	violation, advice := 1.0, ""
	switch {
	case strings.Contains(name, "_"):
		advice = "use spaces in the name in place of underscores"
	case strings.Contains(name, " "):
	case hasCaseBreak(name):
		advice = "write the words of the name apart"
	case length(name) >= 4 && strings.ToUpper(name) == name && casedLetters(name) >= 4:
		violation, advice = 0.5, "write the name in words, not in capitals"
	}
	if advice == "" {
		return verdict{}
	}
	if len(o.terms) > 0 || x.explained(o) || x.unfamiliar(o).violation == 0 && !writtenAsCode(name) {
		violation = 0.5
	}
	return fails(violation, advice, "name: %q", shown(o.label(), shownName))
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

// warehouseName finds half a fault in a prefix that reads as a word (docs/regime-precision.md P10).
func warehouseName(_ *scope, t *table) verdict {
	prefix, spaced := warehousePrefix(t.src.Name)
	switch {
	case prefix == "":
		return verdict{}
	case spaced:
		return fails(0.5, "name the table after its business subject, without the word "+quotedText(prefix), "first word: %q", prefix)
	}
	return fails(1, "name the table after its business subject, without the prefix "+quotedText(prefix), "prefix: %q", prefix)
}

// sharedName is repeatedName with descriptions that add something.
func sharedName(x *scope, _ []*column) func(*column) verdict {
	names := namesakes(x, func(c *column) bool { return x.explained(&c.object) })
	return func(c *column) verdict {
		other, explained := names(c)
		if other == nil {
			return verdict{}
		}
		beside := lowerFirst(subject(&other.object))
		if !explained {
			return fails(1, "give it another name than "+beside+", or describe each column of this name", "also the name of %s", beside)
		}
		return fails(0.5, "give it another name than "+beside+", as descriptions alone distinguish such columns only in part",
			"also the name of %s", beside)
	}
}

var vagueFieldNames = setOf("flag,value,data,number,key,error,unknown,count,min,max,average,properties")

func vagueName(x *scope, o *object) verdict {
	name := o.label()
	switch {
	case isPlaceholder(name):
		return fails(1, "replace the placeholder "+quotedText(name)+" by a name that says what it holds", "name: %q",
			shown(name, shownName))
	case o.kind != tableKind && vagueFieldNames[o.norm] && !x.explained(o):
		return fails(0.5, "say in the name, or else in a description, which "+o.norm+" it is", "name: %q, and no description that says it",
			shown(name, shownName))
	}
	return verdict{}
}
