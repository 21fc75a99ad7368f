// Package naming has the rules that judge whether names read as the words people use.
package naming

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// November2026 are the rules of 2026-11: they judge whether names read as the words people use. No optimization fixes
// names, because renaming breaks reports (docs/regime.md C.4 naming).
var November2026 = []rule.Rule{
	// NAM-01: no underscores, camel case or capitals instead of spaces (docs/regime.md C.9 (2,
	// 25)).
	{ID: "NAM-01", Weight: 3, Severity: finding.Medium, Check: rule.Each(rule.ExposedObjects, technicalName)},
	// NAM-02: no warehouse prefix on a table.
	{ID: "NAM-02", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.ExposedTables, prefixedName)},
	// NAM-03: no abbreviations except well-known ones (docs/regime.md C.9 (2)).
	{ID: "NAM-03", Weight: 2, Severity: finding.Low, Check: rule.Each(rule.ExposedObjects, abbreviatedName)},
	// NAM-04: columns of different tables have different names, or descriptions that
	// explain the difference (docs/regime.md C.9 (2)).
	{ID: "NAM-04", Weight: 2, Severity: finding.Medium, Check: rule.Among(rule.Where(rule.ExposedColumns, rule.NotKey), repeatedName)},
	// NAM-05: no control or format characters and no stray spaces (docs/regime.md C.9 (2, 25)).
	{ID: "NAM-05", Weight: 1, Severity: finding.Low, Check: rule.Each(rule.ExposedObjects, uncleanName)},
	// NAM-06: no placeholder as a name.
	{ID: "NAM-06", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.ExposedObjects, genericName)},
}

func technicalName(_ *model.Scope, o *model.Object) rule.Verdict {
	name := o.Label()
	evidence := func(advice string) rule.Verdict {
		return rule.Fails(1, advice, "name: %q", wording.Shown(name, wording.ShownName))
	}
	switch {
	case strings.Contains(name, "_"):
		return evidence("use spaces in the name in place of underscores")
	case strings.Contains(name, " "):
	case wording.HasCaseBreak(name):
		return evidence("write the words of the name apart")
	case wording.Length(name) >= 4 && strings.ToUpper(name) == name && wording.CasedLetters(name) >= 4:
		return evidence("write the name in words, not in capitals")
	}
	return rule.Verdict{}
}

var warehousePrefixes = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(dim|fact|fct|stg|raw|tmp|vw|tbl)[ _]`),
	regexp.MustCompile(`^(Dim|Fact|Fct|Stg|Tbl)[A-Z]`),
	regexp.MustCompile(`(?i)^[df]_`),
}

func prefixedName(_ *model.Scope, t *model.Table) rule.Verdict {
	if prefix, _ := WarehousePrefix(t.Src.Name); prefix != "" {
		return rule.Fails(1, "name the table after its business subject, without the prefix", "prefix: %q", prefix)
	}
	return rule.Verdict{}
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

var knownAbbreviations = wording.SetOf("ytd,mtd,qtd,wtd,py,pm,pq,ly,lm,lq,yy,mm,kpi,sku,nps,crm,hr,vs,vat,gdp,pct,usd,gbp,chf,cfo," +
	"pdf,url,id")

func abbreviatedName(_ *model.Scope, o *model.Object) rule.Verdict {
	single := ""
	for _, w := range o.Words {
		switch {
		case !wording.IsASCIILetters(w):
		case len(w) == 1:
			if w != "a" && w != "i" && single == "" {
				single = w
			}
		case !strings.ContainsAny(w, "aeiouy") && !knownAbbreviations[w]:
			return rule.Fails(1, "spell the abbreviation in the name out", "abbreviation: %q", wording.Shown(w, wording.ShownName))
		}
	}
	if single != "" {
		return rule.Fails(0.5, "say in the name what the single letter stands for", "letter: %q", single)
	}
	return rule.Verdict{}
}

// repeatedName compares all exposed columns. Keys are not judged, but their names
// count.
func repeatedName(x *model.Scope, _ []*model.Column) func(*model.Column) rule.Verdict {
	names := namesakes(x, func(c *model.Column) bool { return c.Description != "" })
	return func(c *model.Column) rule.Verdict {
		other, explained := names(c)
		if other == nil {
			return rule.Verdict{}
		}
		evidence := "also the name of a column of " + wording.LowerFirst(model.Title(&other.Table.Object))
		if !explained {
			return rule.Fails(1, "give it a distinct name, or describe each column of this name", "%s", evidence)
		}
		return rule.Fails(0.5, "give it a distinct name, as descriptions alone distinguish such columns only in part", "%s", evidence)
	}
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

var vagueNames = wording.SetOf("flag,status,type,value,code,data,number,name,date,amount")

func genericName(_ *model.Scope, o *model.Object) rule.Verdict {
	name := o.Label()
	switch {
	case IsPlaceholder(name):
		return rule.Fails(1, "replace the placeholder by a name that says what it holds", "name: %q",
			wording.Shown(name, wording.ShownName))
	case vagueNames[o.Norm] && o.Description == "":
		return rule.Fails(0.5, "say in the name, or else in a description, what kind of "+o.Norm+" it is", "name: %q, no description",
			wording.Shown(name, wording.ShownName))
	}
	return rule.Verdict{}
}
