package readiness

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// namingRules judge whether names read as the words people use. No optimization fixes
// names, because renaming breaks reports (docs/regime.md C.4 naming).
var namingRules = []rule{
	// NAM-01: no underscores, camel case or capitals instead of spaces (docs/regime.md C.9 (2,
	// 25)).
	{id: "NAM-01", k: 3, severity: Medium, check: each(exposedObjects, technicalName)},
	// NAM-02: no warehouse prefix on a table.
	{id: "NAM-02", k: 2, severity: Medium, check: each(exposedTables, prefixedName)},
	// NAM-03: no abbreviations except well-known ones (docs/regime.md C.9 (2)).
	{id: "NAM-03", k: 2, severity: Low, check: each(exposedObjects, abbreviatedName)},
	// NAM-04: columns of different tables have different names, or descriptions that
	// explain the difference (docs/regime.md C.9 (2)).
	{id: "NAM-04", k: 2, severity: Medium, check: among(where(exposedColumns, notKey), repeatedName)},
	// NAM-05: no control or format characters and no stray spaces (docs/regime.md C.9 (2, 25)).
	{id: "NAM-05", k: 1, severity: Low, check: each(exposedObjects, uncleanName)},
	// NAM-06: no placeholder as a name.
	{id: "NAM-06", k: 2, severity: Medium, check: each(exposedObjects, genericName)},
}

// label returns the object's own name, for a table as well.
func (o *object) label() string {
	if o.kind == tableKind {
		return o.table.src.Name
	}
	return o.name
}

func technicalName(_ *scope, o *object) verdict {
	name := o.label()
	evidence := func(advice string) verdict { return fails(1, advice, "name: %q", shown(name, shownName)) }
	switch {
	case strings.Contains(name, "_"):
		return evidence("use spaces in the name in place of underscores")
	case strings.Contains(name, " "):
	case hasCaseBreak(name):
		return evidence("write the words of the name apart")
	case length(name) >= 4 && strings.ToUpper(name) == name && casedLetters(name) >= 4:
		return evidence("write the name in words, not in capitals")
	}
	return verdict{}
}

// hasCaseBreak reports whether a lower-case ASCII letter precedes an upper-case one.
func hasCaseBreak(s string) bool {
	for i := 1; i < len(s); i++ {
		if 'a' <= s[i-1] && s[i-1] <= 'z' && 'A' <= s[i] && s[i] <= 'Z' {
			return true
		}
	}
	return false
}

// casedLetters counts the letters that have a different lower-case form.
func casedLetters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) && unicode.ToLower(r) != r {
			n++
		}
	}
	return n
}

var warehousePrefixes = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(dim|fact|fct|stg|raw|tmp|vw|tbl)[ _]`),
	regexp.MustCompile(`^(Dim|Fact|Fct|Stg|Tbl)[A-Z]`),
	regexp.MustCompile(`(?i)^[df]_`),
}

func prefixedName(_ *scope, t *table) verdict {
	if prefix, _ := warehousePrefix(t.src.Name); prefix != "" {
		return fails(1, "name the table after its business subject, without the prefix", "prefix: %q", prefix)
	}
	return verdict{}
}

// warehousePrefix returns the prefix of a table's name, with its underscore, and reports whether a space follows it.
func warehousePrefix(name string) (prefix string, spaced bool) {
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

var knownAbbreviations = setOf("ytd,mtd,qtd,wtd,py,pm,pq,ly,lm,lq,yy,mm,kpi,sku,nps,crm,hr,vs,vat,gdp,pct,usd,gbp,chf,cfo,pdf,url,id")

func abbreviatedName(_ *scope, o *object) verdict {
	single := ""
	for _, w := range o.words {
		switch {
		case !isASCIILetters(w):
		case len(w) == 1:
			if w != "a" && w != "i" && single == "" {
				single = w
			}
		case !strings.ContainsAny(w, "aeiouy") && !knownAbbreviations[w]:
			return fails(1, "spell the abbreviation in the name out", "abbreviation: %q", shown(w, shownName))
		}
	}
	if single != "" {
		return fails(0.5, "say in the name what the single letter stands for", "letter: %q", single)
	}
	return verdict{}
}

func isASCIILetters(lower string) bool {
	return !strings.ContainsFunc(lower, func(r rune) bool { return r < 'a' || 'z' < r })
}

// repeatedName compares all exposed columns. Keys are not judged, but their names
// count.
func repeatedName(x *scope, _ []*column) func(*column) verdict {
	names := namesakes(x, func(c *column) bool { return c.description != "" })
	return func(c *column) verdict {
		other, explained := names(c)
		if other == nil {
			return verdict{}
		}
		evidence := "also the name of a column of " + lowerFirst(subject(&other.table.object))
		if !explained {
			return fails(1, "give it a name of its own, or describe each column of this name", "%s", evidence)
		}
		return fails(0.5, "give it a name of its own, as descriptions alone distinguish such columns only in part", "%s", evidence)
	}
}

// namesakes returns a function that finds another table's exposed column of the same name, nil if there is
// none, and reports whether every exposed column of that name is explained.
func namesakes(x *scope, explained func(*column) bool) func(*column) (other *column, all bool) {
	type name struct {
		first, other *column // of two tables
		unexplained  bool    // true if one of the columns is
	}
	names := map[string]*name{}
	for _, c := range x.c {
		n := names[c.norm]
		if n == nil {
			n = &name{first: c}
			names[c.norm] = n
		}
		if n.other == nil && n.first.table != c.table {
			n.other = c
		}
		n.unexplained = n.unexplained || !explained(c)
	}
	return func(c *column) (other *column, all bool) {
		n := names[c.norm]
		if n.other != nil && n.first.table != c.table {
			return n.first, !n.unexplained
		}
		return n.other, !n.unexplained
	}
}

func uncleanName(_ *scope, o *object) verdict {
	name := o.label()
	evidence := func(advice string) verdict { return fails(1, advice, "name: %+q", firstRunes(name, shownName)) }
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
	return verdict{}
}

var placeholderNames = []string{"table", "column", "col", "field", "measure", "sheet", "query", "new table", "new column", "new measure"}

// isPlaceholder reports whether a name is one of placeholderNames, alone or with a
// number, in any case.
func isPlaceholder(name string) bool {
	name = strings.TrimRight(name, "0123456789")
	if n := len(name); n > 0 && (name[n-1] == ' ' || name[n-1] == '_') {
		name = name[:n-1]
	}
	return slices.ContainsFunc(placeholderNames, func(p string) bool { return strings.EqualFold(p, name) })
}

var vagueNames = setOf("flag,status,type,value,code,data,number,name,date,amount")

func genericName(_ *scope, o *object) verdict {
	name := o.label()
	switch {
	case isPlaceholder(name):
		return fails(1, "replace the placeholder by a name that says what it holds", "name: %q", shown(name, shownName))
	case vagueNames[o.norm] && o.description == "":
		return fails(0.5, "say in the name, or else in a description, what kind of "+o.norm+" it is", "name: %q, no description",
			shown(name, shownName))
	}
	return verdict{}
}
