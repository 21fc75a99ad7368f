package rules

import (
	"slices"
	"strings"
	"unicode"
)

// abbreviations are how questions read abbreviations aloud. Proposals spell out only what the model itself
// does: PQ may be a prior quarter or Power Query.
var abbreviations = map[string]string{
	"acct": "account", "addr": "address", "amt": "amount", "avg": "average", "bal": "balance", "bgt": "budget", "cat": "category",
	"cd": "code", "chnl": "channel", "cmt": "comment", "cnt": "count", "cntry": "country", "ctry": "country",
	"cogs": "cost of goods sold", "cust": "customer", "cum": "cumulative", "dept": "department", "desc": "description",
	"dest": "destination", "diff": "difference",
	"dow": "day of week", "dt": "date", "dur": "duration", "emp": "employee", "flg": "flag", "freq": "frequency",
	"fte": "full-time equivalents", "fy": "fiscal year", "gl": "general ledger", "grp": "group",
	"id": "identifier", "lat": "latitude", "lon": "longitude", "ly": "last year", "max": "maximum", "mgr": "manager",
	"mom": "month over month",
	"mth": "month", "mtd": "month to date", "nbr": "number", "nm": "name", "nr": "number", "num": "number", "opp": "opportunity",
	"org": "organization", "ownr": "owner", "pct": "percent", "pm": "prior month",
	"pq": "prior quarter", "prev": "previous", "prob": "probability", "prod": "product", "py": "prior year", "qoq": "quarter over quarter",
	"qtd": "quarter to date", "qtr": "quarter",
	"qty": "quantity", "ref": "reference", "rev": "revenue", "rgn": "region", "sk": "surrogate key", "sku": "stock keeping unit",
	"src": "source", "tgt": "target", "tot": "total",
	"ts": "timestamp", "uom": "unit of measure", "var": "variance", "wk": "week", "yoy": "year over year", "yr": "year",
	"ytd": "year to date",
}

// prefixes are the prefixes that warehouses put before a table's name.
var prefixes = setOf("dim fact fct stg raw tmp vw tbl d f")

// phrase returns a name as a question says it: in words, with abbreviations expanded, in lower case
// except for acronyms.
func phrase(name string) string { return phraseOf(cut(name, true)) }

func phraseOf(parts []string) string { return phrased(parts, abbreviations) }

// inWords returns the parts of a name as proposals write them: as phraseOf, but without expanding
// anything.
func inWords(parts []string) string { return phrased(parts, nil) }

func phrased(parts []string, abbreviations map[string]string) string {
	shouting := true // all in capitals: then capitals carry no meaning
	for _, p := range parts {
		shouting = shouting && strings.ToUpper(p) == p
	}
	out := make([]string, len(parts))
	for i, p := range parts {
		word := norm(p)
		switch full, known := abbreviations[word]; {
		case known:
			out[i] = full
		case len(p) > 1 && len(p) <= 4 && (!shouting || len(parts) == 1) && strings.ToUpper(p) == p &&
			strings.ContainsFunc(p, unicode.IsLetter):
			out[i] = p
		case len(p) > 2 && strings.HasSuffix(p, "s") && strings.ToUpper(p[:len(p)-1]) == p[:len(p)-1] &&
			strings.Trim(p[:len(p)-1], "0123456789") != "":
			out[i] = p // a plural such as CUs
		default:
			out[i] = word
		}
	}
	return strings.Join(out, " ")
}

// bare returns a table's name without the warehouse's prefix, in words.
func bare(name string) []string {
	parts := cut(name, true)
	if len(parts) > 1 && prefixes[norm(parts[0])] {
		return parts[1:]
	}
	return parts
}

// noun returns what one row of a table is, as far as its name says: "customer" for Customers, "sales
// row" for Sales. It returns "row" for a name that says nothing.
func noun(name string, isFact bool) string {
	parts := bare(name)
	p := inWords(parts)
	if !informative(p) || generic(name) {
		return "row"
	}
	one := singular(p)
	if one == p && isFact || plural[lastWord(p)] {
		return p + " row"
	}
	return one
}

// plural are nouns without a usual singular.
var plural = setOf("sales news series goods analytics logistics statistics spend hours data details facts")

func singular(p string) string {
	last := lastWord(p)
	head := strings.TrimSuffix(p, last)
	switch {
	case plural[last] || last == "status" || strings.HasSuffix(last, "'s") || len(last) < 4 || unicode.IsDigit(rune(last[0])):
		return p
	case strings.HasSuffix(last, "ies"):
		return head + strings.TrimSuffix(last, "ies") + "y"
	case strings.HasSuffix(last, "sses"), strings.HasSuffix(last, "xes"), strings.HasSuffix(last, "ches"), strings.HasSuffix(last, "shes"):
		return head + strings.TrimSuffix(last, "es")
	case strings.HasSuffix(last, "ss"), strings.HasSuffix(last, "us"), strings.HasSuffix(last, "is"):
		return p
	}
	return head + strings.TrimSuffix(last, "s")
}

func lastWord(p string) string { return p[strings.LastIndexByte(p, ' ')+1:] }

// sayable reports whether a phrase has a word and is short enough for a sentence.
func sayable(p string) bool {
	return length(p) <= longestMention && mentionable(p) && strings.ContainsFunc(p, unicode.IsLetter)
}

// informative reports whether a phrase is sayable and has no unexplained abbreviation: a word without
// vowels, or a single letter.
func informative(p string) bool {
	return sayable(p) && !slices.ContainsFunc(strings.Fields(p), func(w string) bool {
		w = strings.ToLower(w)
		ascii := strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == ""
		return ascii && !strings.ContainsAny(w, "aeiouy") && !knownShort[w]
	})
}

// knownShort are words without vowels that need no expansion (rule NAM-03).
var knownShort = setOf("kpi kpis nps crm hr vs vat gdp usd gbp chf cfo pdf url urls sql xml html bpa tv pc pcs mb gb tb")

// article returns the phrase with "a" or "an" before it.
func article(p string) string {
	if p != "" && strings.ContainsRune("aeio", rune(p[0])) || strings.HasPrefix(p, "un") && !strings.HasPrefix(p, "uni") {
		return "an " + p
	}
	return "a " + p
}
