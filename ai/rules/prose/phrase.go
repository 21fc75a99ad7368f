package prose

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"readiness/definition/spelling"
	"readiness/domain/readiness/wording"
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
var prefixes = SetOf("dim fact fct stg raw tmp vw tbl d f")

// Phrase returns a name as a question says it: in words, with abbreviations expanded, in lower case
// except for acronyms.
func Phrase(name string) string { return PhraseOf(Cut(name, true)) }

// PhraseOf returns parts of a name as a phrase, with abbreviations spelled out.
func PhraseOf(parts []string) string { return phrased(parts, abbreviations) }

// InWords returns the parts of a name as proposals write them: as PhraseOf, but without expanding
// anything.
func InWords(parts []string) string { return phrased(parts, nil) }

func phrased(parts []string, abbreviations map[string]string) string {
	shouting := true // all in capitals: then capitals carry no meaning
	for _, p := range parts {
		shouting = shouting && strings.ToUpper(p) == p
	}
	out := make([]string, len(parts))
	for i, p := range parts {
		word := spelling.FoldSpace(p)
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

// Bare returns a table's name without the warehouse's prefix, in words.
func Bare(name string) []string {
	parts := Cut(name, true)
	if len(parts) > 1 && prefixes[spelling.FoldSpace(parts[0])] {
		return parts[1:]
	}
	return parts
}

// Noun returns what one row of a table is, as far as its name says: "customer" for Customers, "sales
// row" for Sales. It returns "row" for a name that says nothing.
func Noun(name string, isFact bool) string {
	parts := Bare(name)
	p := InWords(parts)
	if !Informative(p) || Generic(name) {
		return "row"
	}
	one := Singular(p)
	if one == p && isFact || Plural[LastWord(p)] {
		return p + " row"
	}
	return one
}

// Plural are nouns without a usual singular.
var Plural = SetOf("sales news series goods analytics logistics statistics spend hours data details facts")

// Singular returns a phrase with its last word in the singular.
func Singular(p string) string {
	last := LastWord(p)
	head := strings.TrimSuffix(p, last)
	switch {
	case Plural[last] || last == "status" || strings.HasSuffix(last, "'s") || len(last) < 4 || unicode.IsDigit(rune(last[0])):
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

// LastWord returns the last word of a phrase.
func LastWord(p string) string { return p[strings.LastIndexByte(p, ' ')+1:] }

// Sayable reports whether a phrase has a word and is short enough for a sentence.
func Sayable(p string) bool {
	return wording.Length(p) <= longestMention && Mentionable(p) && strings.ContainsFunc(p, unicode.IsLetter)
}

// Informative reports whether a phrase is sayable and has no unexplained abbreviation: a word without
// vowels, or a single letter.
func Informative(p string) bool {
	return Sayable(p) && !slices.ContainsFunc(strings.Fields(p), func(w string) bool {
		w = strings.ToLower(w)
		ascii := strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == ""
		return ascii && !strings.ContainsAny(w, "aeiouy") && !knownShort[w]
	})
}

// knownShort are words without vowels that need no expansion (rule NAM-03).
var knownShort = SetOf("kpi kpis nps crm hr vs vat gdp usd gbp chf cfo pdf url urls sql xml html bpa tv pc pcs mb gb tb")

// Article returns the phrase with "a" or "an" before it.
func Article(p string) string {
	if p != "" && strings.ContainsRune("aeio", rune(p[0])) || strings.HasPrefix(p, "un") && !strings.HasPrefix(p, "uni") {
		return "an " + p
	}
	return "a " + p
}

var genericNames = regexp.MustCompile(`(?i)^(table|column|col|field|measure|sheet|query|new table|new column|new measure)[ _]?\d*$`)

// Generic reports whether the program, not a person, gave the name (rule NAM-06).
func Generic(name string) bool { return genericNames.MatchString(strings.TrimSpace(name)) }
