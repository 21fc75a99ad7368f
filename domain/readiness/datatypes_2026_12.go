package readiness

import "slices"

var (
	unsummedWords     = setOf("average,avg,median,max,minimum,distinct")
	unsummedLastWords = setOf("semester,hour,type,level,version,index,order,ordinal,position,number,term,frequency,temperature")
	pricedWords       = setOf("unit,list,net")
)

// isUnsummed selects the numbers whose sum means nothing (rule TYP-02).
func isUnsummed(x *scope, c *column) bool {
	return isIdentifier(x, c) || c.numeric() && c.unsummedWord() != ""
}

// unsummedWord returns the word of the name, other than those of 2026-11, that says that
// sums mean nothing.
func (c *column) unsummedWord() string {
	if w := unsummedWords.firstOf(c.words); w != "" {
		return w
	}
	if n := len(c.words); n > 0 && unsummedLastWords[c.words[n-1]] {
		return c.words[n-1]
	}
	for i := range c.words {
		if i > 0 && c.words[i] == "price" && pricedWords[c.words[i-1]] {
			return c.words[i-1] + " price"
		}
	}
	return ""
}

var _ = slices.Contains[[]string]
