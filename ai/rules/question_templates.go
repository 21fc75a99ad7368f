package rules

import (
	"hash/fnv"
	"strings"

	"readiness/ai/rules/prose"
)

// parts are the words of a question that its template joins.
type parts struct {
	measures, groupings []string
	rank                string // how many of a ranking, "" without one
	bottom              bool
	when                string
	past                bool
	overTime            bool // the only grouping is a part of time
	of                  string
}

// The sentences of each kind of question: M is the measure, AM is the measure with its article and
// verb, N the other measure, G the grouping, GG its plural, H the second grouping, K a count, T the
// time after a blank.
var (
	totals = []string{"What AM{T}?", "Show me the M{T}.", "Can you show me the M{T}?", "I need the M{T}."}
	breaks = []string{"What AM by G{T}?", "Show the M for each G{T}.", "What AM per G{T}?", "Break the M down by G{T}.",
		"Give me the M by G{T}."}
	courses   = []string{"What AM by G{T}?", "Show the M for each G{T}.", "How did the M change by G{T}?", "What AM per G{T}?"}
	tops      = []string{"Which K GG have the highest M{T}?", "What are the top K GG by M{T}?", "Show the top K GG by M{T}."}
	bottoms   = []string{"Which K GG have the lowest M{T}?", "What are the bottom K GG by M{T}?"}
	crossings = []string{"What AM by G and H{T}?", "Show the M for each G and H{T}.", "Give me the M by G and H{T}."}
	pairs     = []string{"Compare the M and the N by G{T}.", "What are the M and the N by G{T}?", "Show the M and the N for each G{T}."}
)

// text returns the question. The query determines the sentence among those of its kind.
func (s parts) text() string {
	var of []string
	switch {
	case len(s.measures) > 2 || len(s.groupings) > 2 || len(s.measures) == 2 && (len(s.groupings) != 1 || s.rank != ""):
		return ""
	case len(s.measures) == 2:
		of = pairs
	case s.rank != "" && len(s.groupings) != 1:
		return ""
	case s.rank != "" && s.bottom:
		of = bottoms
	case s.rank != "":
		of = tops
	case len(s.groupings) == 2:
		of = crossings
	case s.overTime:
		of = courses
	case len(s.groupings) == 1:
		of = breaks
	default:
		of = totals
	}
	h := fnv.New32a()
	h.Write([]byte(s.of))
	sentence := of[h.Sum32()%uint32(len(of))]

	parts := map[string]string{"M": s.measures[0], "AM": s.verb() + " the " + s.measures[0], "K": s.rank}
	if len(s.measures) > 1 {
		parts["N"] = s.measures[1]
	}
	if len(s.groupings) > 0 {
		parts["G"], parts["GG"] = s.groupings[0], plurals(s.groupings[0])
	}
	if len(s.groupings) > 1 {
		parts["H"] = s.groupings[1]
	}
	time := ""
	if s.when != "" {
		time = " " + s.when
	}
	var out strings.Builder
	for i, word := range strings.Split(strings.ReplaceAll(sentence, "{T}", " {T} "), " ") {
		end := strings.TrimRight(word, "?.")
		switch part, ok := parts[end]; {
		case word == "{T}":
			out.WriteString(time)
			continue
		case ok:
			word = part + word[len(end):]
		}
		if i > 0 && word != "?" && word != "." {
			out.WriteByte(' ')
		}
		out.WriteString(word)
	}
	return out.String()
}

// verb returns is, are, was or were.
func (s parts) verb() string {
	switch many := many(s.measures[0]); {
	case s.past && many:
		return "were"
	case s.past:
		return "was"
	case many:
		return "are"
	}
	return "is"
}

// many reports whether a phrase reads as a plural: total sales, units sold.
func many(p string) bool {
	for _, period := range []string{" last year", " prior year", " previous year", " year to date", " month to date", " quarter to date",
		" last month", " prior month"} {
		p = strings.TrimSuffix(p, period)
	}
	list := strings.Fields(p)
	for i, w := range list {
		if i > 0 && prepositions[w] {
			list = list[:i]
			break
		}
	}
	if n := len(list); n > 1 && (list[n-1] == "sold" || strings.HasSuffix(list[n-1], "ed")) {
		list = list[:n-1]
	}
	last := list[len(list)-1]
	return prose.Singular(last) != last || prose.Plural[last] && last != "spend" && last != "news"
}

var prepositions = prose.SetOf("of per below above in with without under over by for from to at on vs versus")

// plurals returns the plural of a phrase.
func plurals(p string) string {
	last := prose.LastWord(p)
	head := strings.TrimSuffix(p, last)
	switch {
	case many(last):
		return p
	case strings.HasSuffix(last, "y") && len(last) > 1 && !strings.ContainsRune("aeiou", rune(last[len(last)-2])):
		return head + strings.TrimSuffix(last, "y") + "ies"
	case strings.HasSuffix(last, "s"), strings.HasSuffix(last, "x"), strings.HasSuffix(last, "ch"), strings.HasSuffix(last, "sh"):
		return p + "es"
	}
	return p + "s"
}
