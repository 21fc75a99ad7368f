package readiness

import (
	"strconv"
	"strings"
)

// decemberNamingRules look at names without technical prefixes, and take a synonym or a
// description that adds something into account (docs/regime.md H.3).
var decemberNamingRules = amended(namingRules,
	rule{id: "NAM-01", k: 3, severity: Medium, check: each(describedObjects, unreadableName)},
	rule{id: "NAM-03", k: 2, severity: Low, check: each(exposedObjects, unfamiliarName)},
	rule{id: "NAM-04", k: 2, severity: Low, check: among(where(exposedColumns, notKey), sharedName)},
	rule{id: "NAM-06", k: 2, severity: Medium, check: each(exposedObjects, vagueName)},
	rule{id: "NAM-07", k: 1, severity: Low, check: onModel(func(x *scope) bool { return len(x.f) > 0 }, prefixedFields)},
)

// quotedText quotes a part of a name for a message.
func quotedText(s string) string { return strconv.Quote(shown(s, shownName)) }

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
	if len(o.terms) > 0 || x.explained(o) {
		violation = 0.5
	}
	return fails(violation, advice, "name: %q", shown(o.label(), shownName))
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
