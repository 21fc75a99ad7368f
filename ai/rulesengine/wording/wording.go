// Package wording has the English words that the embedded engine knows for any model: words that form a sentence,
// words that rank, and synonyms. It reads no question and knows no model.
package wording

import (
	"strings"
	"unicode"
)

// Set is a set of words in lower case.
type Set map[string]bool

// SetOf returns the words of a list.
func SetOf(list string) Set {
	s := Set{}
	for _, w := range strings.Fields(list) {
		s[w] = true
	}
	return s
}

// Has reports whether a name has one of the words, or its plural.
func (s Set) Has(name string) bool {
	words := strings.FieldsFunc(strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		return r
	}, name), unicode.IsSpace)
	for _, w := range words {
		for _, part := range parts(w) {
			if s[part] || strings.HasSuffix(part, "s") && s[part[:len(part)-1]] {
				return true
			}
		}
	}
	return false
}

// parts returns the words of a name that changes of letter case separate.
func parts(name string) (all []string) {
	start := 0
	before := ' '
	for i, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			all, start = append(all, strings.ToLower(name[start:i])), i
		}
		before = r
	}
	return append(all, strings.ToLower(name[start:]))
}

// Same are words that people use for each other on any subject: short forms, and forms of a verb that share no
// stem.
var Same = map[string]string{
	"avg": "average", "mean": "average", "qty": "quantity", "pct": "percent", "amt": "amount", "num": "number", "nbr": "number",
	"max": "maximum", "min": "minimum", "yr": "year", "hrs": "hours", "mins": "minutes",
	"sell": "sales", "sells": "sales", "sold": "sales", "selling": "sales",
	"spend": "cost", "spends": "cost", "spent": "cost", "spending": "cost", "expense": "cost", "expenses": "cost", "expenditure": "cost",
	"expenditures": "cost", "bought": "buy", "paid": "pay", "lost": "lose", "won": "win", "grew": "grow", "growth": "grow",
}

// Aggregators are words for an aggregation that do not name the aggregated values.
var Aggregators = SetOf("average avg mean total sum count number maximum minimum max min median")

// RatioWords are words of names whose percent sign people leave out: "margin" is Gross Margin %, but "pause cost" is no
// Pause Cost %.
var RatioWords = SetOf("margin margins rate rates ratio ratios share shares growth utilization utilisation accuracy conversion churn " +
	"sla completion occupancy yield")

// Spent are the forms of the verb for what a company pays, and for what its customers pay to it.
var Spent = SetOf("spend spends spent spending")

// Counted are words of measures that count.
var Counted = SetOf("unit units quantity quantities piece pieces item items number count volume")

// Sold are the forms of the verb whose noun is sales.
var Sold = SetOf("sell sells sold selling")

var (
	// Structural are words that form a sentence and say nothing about its subject.
	Structural = SetOf(`the a an of is are was were be been being am do does did have has had having what which who whom how much many
		show me give us tell find get see please can could would will shall should may might must i we you our my your their his her its
		it they
		that this these those there here to on at in for from with within and or as than then so but if when where whose while
		by per each every across among versus vs not no nor only just also both any all some into about out up down off over
		want need know like let go goes went gets got against`)
	// Acronyms are structural words that say something in capitals, in a text that is not all in capitals.
	Acronyms = SetOf("US IT")
	// Amounts are words that mark a number; they may carry no meaning beyond that.
	Amounts = SetOf("total totals overall sum amount amounts figure figures number numbers count result results")
	// Fillers may occur in a question without changing its meaning.
	Fillers = SetOf(`total totals overall sum amount amounts figure figures number numbers count result results data report
	breakdown broken split
		group grouped groups list lists display different various individual respective respectively together altogether combined
		made make makes calculate calculated compute computed compare compared comparing comparison recorded achieved generated reached
		rank ranked ranking sort sorted descending ascending desc asc come came whole entire full
		me everything exactly money still currently
		generate obtain obtained chart table show shown shows happened happen occurred occur exist exists`)
	// Vague are words of names that distinguish fields only when everything else is equal.
	Vague = SetOf("total sum amount number count name overall all the of a an and in for to by dim fact fct tbl vw stg " +
		"raw data table")
)
