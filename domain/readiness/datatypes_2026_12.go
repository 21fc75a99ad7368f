package readiness

import (
	"slices"
	"strings"
	"unicode"

	"readiness/definition/semanticmodel"
)

// decemberTypeRules go by the last word of a name more than by any (docs/regime.md H.3).
var decemberTypeRules = amended(typeRules,
	rule{id: "TYP-02", k: 3, severity: Medium, fixes: []FixKind{Properties},
		check: each(where(exposedColumns, isUnsummed), summedUnsummable)},
	rule{id: "TYP-03", k: 2, severity: Medium, check: each(where(exposedColumns, namesQuantity), textInsteadOfNumber)},
	rule{id: "TYP-04", k: 2, severity: Medium, check: each(where(exposedColumns, namesDate), textInsteadOfDate)},
	rule{id: "TYP-06", k: 1, severity: Low, layout: true, check: each(where(exposedColumns, namesPlace), unknownPlace)},
)

// lastWords returns the last n words of a name, "" for each that it lacks.
func lastWords(words []string, n int) []string {
	last := make([]string, n)
	for i := range min(n, len(words)) {
		last[n-1-i] = words[len(words)-1-i]
	}
	return last
}

// lastWord returns the last word of a name, "" if it has none.
func lastWord(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

var (
	unsummedWords     = setOf("average,avg,median,max,minimum,distinct")
	unsummedLastWords = setOf("semester,hour,type,level,version,index,order,ordinal,position,number,term,frequency,temperature")
	pricedWords       = setOf("unit,list,net")
)

// isUnsummed selects the numbers whose sum means nothing.
func isUnsummed(x *scope, c *column) bool {
	return isIdentifier(x, c) || c.numeric() && c.unsummedWord() != ""
}

// unsummedWord returns the word of the name, other than those of 2026-11, that says that
// sums mean nothing.
func (c *column) unsummedWord() string {
	if w := unsummedWords.firstOf(c.words); w != "" {
		return w
	}
	if w := lastWord(c.words); unsummedLastWords[w] {
		return w
	}
	for i, w := range c.words {
		if i > 0 && w == "price" && pricedWords[c.words[i-1]] {
			return c.words[i-1] + " price"
		}
	}
	return ""
}

func summedUnsummable(x *scope, c *column) verdict {
	if !c.summed() {
		return verdict{}
	}
	why := "its name says " + identifierWords.firstOf(c.words)
	switch {
	case c.key:
		why = "it is a key"
	case !isIdentifier(x, c):
		why = "its name says " + c.unsummedWord()
	}
	if by := c.src.SummarizeBy; by == "count" || by == "distinctCount" {
		return fails(0.5, "set summarizeBy to none, and count it in a measure", "%s, summarizeBy is %s", why, by)
	}
	return fails(1, "set summarizeBy to none in place of "+summarizeBy(c)+", as "+why, "%s, summarizeBy is %s", why, summarizeBy(c))
}

var quantityLastWords = setOf("amount,qty,quantity,price,cost,costs,revenue,total,count,pct,percent,percentage,%,rate,ratio,bytes,rows")

// quantity returns the word at the end of the name that says that values are quantities,
// or "". A unit after it, as in "Amount in EUR", does not matter.
func (c *column) quantity() string {
	w := lastWord(c.words)
	if n := len(c.words); n > 2 && c.words[n-2] == "in" {
		w = c.words[n-3]
	}
	if strings.HasSuffix(strings.TrimRightFunc(c.name, func(r rune) bool { return r == ')' || r == ']' || unicode.IsSpace(r) }), "%") {
		w = "%"
	}
	if quantityLastWords[w] {
		return w
	}
	return ""
}

func namesQuantity(_ *scope, c *column) bool { return c.quantity() != "" }

func textInsteadOfNumber(_ *scope, c *column) verdict {
	if !c.is(semanticmodel.String) {
		return verdict{}
	}
	return fails(1, "store it as a number in place of text, so that it can be added and compared", "string column, its name ends with %s",
		c.quantity())
}

var (
	changeWords = setOf("created,creation,modified,updated,refresh,publish")
	momentWords = setOf("time,on,at")
)

func namesDate(_ *scope, c *column) bool {
	last := lastWords(c.words, 2)
	return !c.key && (dateTypeWords[last[1]] || last[0] == "date" && last[1] == "time" ||
		changeWords[last[0]] && momentWords[last[1]] || momentWords[last[0]] && changeWords[last[1]])
}

func textInsteadOfDate(_ *scope, c *column) verdict {
	if !c.is(semanticmodel.String, semanticmodel.Int64) {
		return verdict{}
	}
	return fails(1, "store it as a date in place of "+string(c.dataType)+", so that periods can be computed",
		"%s column, its name ends with %s", c.dataType, strings.TrimSpace(strings.Join(lastWords(c.words, 2), " ")))
}

var (
	placeEndings = setOf("name,code,region")
	uncounted    = setOf("of,by,per")
	stateEndings = setOf("name,code,province")
	postalWords  = setOf("zip,postcode,postal")
	pointWords   = setOf("latitude,longitude")
)

// place returns the word of the name that says what kind of place a column of its type
// holds, or "". States need the table, see namesPlace.
func (c *column) place() string {
	kept := c.words
	for len(kept) > 0 && placeEndings[kept[len(kept)-1]] {
		kept = kept[:len(kept)-1]
	}
	last := lastWords(kept, 2)
	switch {
	case uncounted[last[0]]:
	case c.is(semanticmodel.String) && last[1] != "state" && placeWords[last[1]],
		c.is(semanticmodel.Int64) && postalWords[last[1]],
		c.is(semanticmodel.Double, semanticmodel.Decimal) && pointWords[last[1]]:
		return last[1]
	}
	return ""
}

// namesState reports whether a column holds states, unless its table says otherwise.
func (c *column) namesState() bool {
	last := lastWords(c.words, 3)
	return c.is(semanticmodel.String) && (len(c.words) == 1 && last[2] == "state" || last[1] == "state" && stateEndings[last[2]] &&
		!uncounted[last[0]])
}

func namesPlace(_ *scope, c *column) bool {
	return c.place() != "" || c.namesState() && slices.ContainsFunc(c.table.columns, func(other *column) bool {
		return other != c &&
			other.place() != ""
	})
}

func unknownPlace(_ *scope, c *column) verdict {
	if given := c.src.DataCategory; length(given) > 0 && given != "Uncategorized" {
		return verdict{}
	}
	place := c.place()
	if place == "" {
		place = "state"
	}
	return fails(1, "set the data category that says that it holds a place ("+place+")", "no data category, its name says %s", place)
}
