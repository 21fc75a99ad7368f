package rules

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"readiness/ai/rules/prose"
)

// A text that only follows from the names and the expression of its object tells a reader nothing, such as the year to date for
// Sales YTD. It is neither proposed nor an instruction; a person is asked instead.

// periodNames are words of names that say which period a measure is about.
var periodNames = prose.SetOf("ytd mtd qtd wtd ly lm lq py pm pq pytd yoy mom qoq wow prior previous prev last next rolling running cumulative cum trailing")

// arithmetic are words of texts that an expression implies.
var arithmetic = prose.SetOf("divided minus plus times over average number sum amount amounts highest lowest first last rounded integer decimal decimals " +
	"related belong same rounded")

// ofDates are words of texts about parts of dates.
var ofDates = prose.SetOf("date month year quarter day week weekday hour from to 1 4 7 12 23 31 366 q followed num no number")

// changes are words of texts that the name of a growth implies.
var changes = prose.SetOf("relative change growth difference variance py ly prior previous current this from year yoy actual")

// conditional are words of conditions that a name with their column implies.
var conditional = prose.SetOf("yes no y n true false 1 0 empty not any present")

// marginNames are words of names whose formula every reader knows, and marginTerms the words of that formula.
var (
	marginNames = prose.SetOf("margin profit markup")
	marginTerms = prose.SetOf("gross net margin profit sales revenue income cost costs cogs total")
)

var growthNames = prose.SetOf("yoy mom qoq wow growth change chg delta var variance vs")

// spelledOut are the names of periods in full, with the words that stand for them.
var spelledOut = strings.NewReplacer("-", " ", "year to date", "ytd", "quarter to date", "qtd", "month to date", "mtd", "week to date", "wtd",
	"year over year", "yoy", "month over month", "mom", "quarter over quarter", "qoq", "week over week", "wow")

// units are words of columns' names that say in which unit their numbers are.
var units = prose.SetOf("ms milliseconds seconds secs sec minutes mins hours hrs days weeks months years usd eur gbp chf euro euros dollars kg g lb lbs " +
	"tons tonnes km miles meters m2 sqft sqm kwh mwh kb mb gb tb bytes liters litres celsius")

var quotedPattern = regexp.MustCompile(`"[^"]*"`)

// told are the words that the reader of a name knows.
type told struct {
	known   prose.Set
	implied []prose.Set
}

// said returns the words of a name as written, so that YoY is one, as is Year to Date.
func said(x *field) []string {
	return strings.FieldsFunc(spelledOut.Replace(strings.ToLower(x.name)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func (f *facts) toldBy(x *field) told {
	k := told{known: prose.Set{}, implied: []prose.Set{idle, arithmetic}}
	note := func(name string) {
		for _, w := range prose.Words(name) {
			k.known[meaningOf(w)] = true
		}
	}
	note(x.name)
	if strings.ContainsRune(x.name, '#') {
		k.known["number"] = true
	}
	if strings.ContainsRune(x.name, '%') {
		k.known["percentage"] = true
	}
	if x.column != nil {
		note(x.table.src.Name)
	} else {
		for _, t := range f.sources(x) {
			note(t.src.Name)
		}
	}
	if growthNames.Meets(said(x)) {
		k.implied = append(k.implied, changes)
	}
	if marginNames.Meets(said(x)) {
		k.implied = append(k.implied, marginTerms)
	}
	if periodNames.Meets(said(x)) {
		k.implied = append(k.implied, periodNames)
	}
	return k
}

// lacks reports whether a text has a word that the name does not tell. Words of further are told, too.
func (k told) lacks(text string, further ...prose.Set) bool {
	return slices.ContainsFunc(prose.Words(text), func(w string) bool {
		in := func(s prose.Set) bool { return s[w] || s[meaningOf(w)] }
		return !k.known[meaningOf(w)] && !slices.ContainsFunc(k.implied, in) && !slices.ContainsFunc(further, in)
	})
}

// lacksAll reports whether a name has no word that the reader knows, but for those that every name may have.
func (k told) lacksAll(name string) bool {
	return name != "" && !slices.ContainsFunc(prose.Words(name), func(w string) bool { return k.known[meaningOf(w)] && !idle[w] && !arithmetic[w] })
}

// available are words of divisors that the name of a rate implies, as those of Occupancy Rate: occupied by available rooms.
var available = prose.SetOf("available all total overall possible sold")

// namesOperands reports whether the name of a measure implies both operands of its expression: those of a price per piece, a growth, or
// a rate that is named for its numerator, as Return Rate: returned orders by orders.
func namesOperands(x *field, text string) bool {
	name, divisor, isRatio := strings.Cut(text, " divided by ")
	words := func(text string) prose.Set {
		set := prose.Set{}
		for _, w := range prose.Words(text) {
			if !idle[w] && !arithmetic[w] && !available[w] && !periodNames[w] && !growthNames[w] {
				set[meaningOf(w)] = true
			}
		}
		return set
	}
	within := func(some, all prose.Set) bool {
		return !slices.ContainsFunc(slices.Collect(maps.Keys(some)), func(w string) bool { return !all[w] && !available[w] })
	}
	meets := func(a, b prose.Set) bool { return a.Meets(slices.Collect(maps.Keys(b))) }
	if !isRatio {
		one, other, two := strings.Cut(strings.Replace(text, " to the ", " to ", 1), " minus ")
		if from, to, grows := strings.Cut(strings.TrimPrefix(text, "relative change from "), " to "); grows && !two {
			one, other, two = from, to, true
		}
		return two && growthNames.Meets(said(x)) && meets(words(x.name), words(one)) && meets(words(x.name), words(other))
	}
	if of := words(x.name); averageWords.Meets(x.words) && strings.Contains(strings.ToLower(x.name), "value") && isRatio &&
		len(words(divisor)) > 0 && within(words(divisor), of) && within(words(name), words(takings)) {
		return true // average order value: money by orders
	}
	if counted, by, per := strings.Cut(strings.ToLower(x.name), " per "); per {
		return meets(words(counted), words(name)) && within(words(divisor), words(by)) // per worked hour is more than per hour
	}
	if growthNames.Meets(said(x)) || !strings.ContainsRune(x.name, '%') && !rateNames.Meets(said(x)) {
		return false
	}
	rate, numerator := words(x.name), words(name)
	delete(rate, "percentage")
	for w := range rate {
		alike := func(of string) bool { return of == w || len(of) > stem && len(w) > stem && of[:stem] == w[:stem] }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(words(text))), alike) {
			return false
		}
	}
	maps.Copy(numerator, rate)
	return within(words(divisor), numerator)
}

// takings are words of what customers pay.
const takings = "sales revenue income turnover net gross total"

// rateNames are words of the names of rates; words of one stem begin with the same stem bytes.
var rateNames = prose.SetOf("rate ratio share percent percentage pct")

const stem = 5

// tells reports whether an explanation says something of a field that its name and a plain reading of its expression do not.
func (f *facts) tells(x *field, s explanation) bool {
	k := f.toldBy(x)
	switch {
	case s.constant:
		return strings.HasPrefix(s.text, `"`) || k.lacks(s.text) // Always 100 for Limit 100
	case x.measure != nil && strings.HasPrefix(s.text, selected) && slices.Equal(s.tail, []string{noChoice}):
		return false // what a report shows of a choice
	case s.when != "" && (!periodNames.Meets(said(x)) || strings.Contains(s.when, "ends on")):
		return true
	case slices.ContainsFunc(s.tail, func(t string) bool { return !quiet[t] && k.lacks(t) }),
		slices.ContainsFunc(s.where, k.unnamed), k.lacksAll(f.counterCase(x, s)):
		return true
	case x.measure != nil && s.compound && namesOperands(x, s.text):
		return false
	case s.counts != nil && !s.counts.manySide && identifying.Meets(s.counts.words) && (k.known["sum"] || k.known["number"]):
		return false // rows are counted by their key
	case x.column != nil && !s.compound && strings.Contains(s.text, ofRelated):
		name, _, _ := strings.Cut(s.text, ofRelated)
		return k.lacks(name) && squashed(name) != squashed(x.name) // the structure says where it comes from
	case s.of != "" && slices.ContainsFunc(prose.Words(s.text), func(w string) bool { return units[w] && !k.known[meaningOf(w)] }):
		return true // Average of ResolutionMinutes for Avg Resolution
	case s.of != "" && x.measure != nil && k.lacks(f.currency(x.measure.FormatString)):
		return true
	case s.of == "different" && s.about != nil && x.measure != nil && !k.lacks(s.text, identifying, prose.SetOf(s.of)) &&
		(s.about.role == dimension || prose.SetOf(strings.Join(prose.Words(s.about.src.Name), " ")).Meets(x.words)):
		return false // customers are counted by their key, or those with sales in the sales
	case s.of == "different" && s.counts != nil && x.measure != nil && s.about == x.table && len(s.counts.relations) == 0 &&
		!k.lacks(s.counts.name, identifying):
		return false // the albums of a table of plays, among its own measures
	case s.of != "" && s.of != "sum":
		return !k.known[meaningOf(s.of)] && s.of != "number"
	case s.of != "":
		return false
	case x.column != nil && strings.Contains(s.text, asText):
		return !ofDates.Meets(x.words) // a Month holds "Feb", or the like
	case x.column != nil && (x.table.role == dateTable || dateWords.Meets(prose.Words(x.table.src.Name)) || isDatePart(s)):
		return k.lacks(s.text, ofDates)
	case x.column != nil && strings.HasPrefix(s.text, "1 if "):
		return k.lacks(s.text, conditional) // a flag, which the name of its column tells
	}
	return k.lacks(s.text)
}

// quiet is what follows a value and tells nothing about it.
var quiet = map[string]bool{"from 1 to 4": true, "from 1 to 12": true, "from 1 to 31": true, noChoice: true,
	"0" + noneLeft: true, "0" + zeroDivisor: true, "0" + onError: true, "empty" + onError: true}

// unnamed reports whether a condition is more than the name says: Open Tickets tells of tickets whose status is "Open".
func (k told) unnamed(condition string) bool {
	values := strings.Join(quotedPattern.FindAllString(condition, -1), " ")
	if k.lacks(values, conditional) {
		return true
	}
	plain := values == "" || conditional.Meets(prose.Words(values)) // a flag, which the name of its column tells
	rest := quotedPattern.ReplaceAllString(condition, "")
	if before, table, of := strings.Cut(rest, " of "); of && plain {
		if _, is, flag := strings.Cut(table, " is "); flag {
			rest = before + " is " + is
		}
	}
	return plain && k.lacks(rest, conditional)
}

// counterCase returns the measure that counts or adds up the same without the conditions, as a text names it, "" for none.
func (f *facts) counterCase(x *field, s explanation) string {
	if x.measure == nil || len(s.where) == 0 || s.when != "" || strings.HasPrefix(s.text, "[") {
		return ""
	}
	if f.totals == nil {
		f.totals = map[string]*field{}
		for _, m := range f.allMeasures() {
			if s := f.explain(m); s.text != "" && s.full() == s.text && f.totals[s.text] == nil && m.exposed && f.wantedThen(m) && prose.Mentionable(m.name) {
				f.totals[s.text] = m
			}
		}
	}
	if all := f.totals[s.text]; all != nil && all != x {
		return prose.MeasureRef(all.name)
	}
	return ""
}
