package naming

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// prefix is a technical prefix of field names, in lower case, with the number of names
// that begin with it.
type prefix struct {
	text string
	n    int
}

// A prefix is reported from fewestPrefixed fields on that are a share of at least
// 1/prefixedShare of all.
const (
	fewestPrefixed = 5
	prefixedShare  = 10
)

var technicalPrefix = regexp.MustCompile(`^[A-Za-z]{1,2}_`)

// prefixOf returns the prefix of a name, "" if there is none or nothing follows it.
func prefixOf(name string) string {
	if p := technicalPrefix.FindString(name); len(p) < len(name) {
		return strings.ToLower(p)
	}
	return ""
}

type prefixesKey struct{}

// reportedPrefixes returns the prefixes of the exposed fields that rule NAM-07 reports, by text.
func reportedPrefixes(x *model.Scope) []prefix {
	return model.Remembered(x, prefixesKey{}, func() []prefix {
		n := map[string]int{}
		for _, o := range x.F {
			if p := prefixOf(o.Name); p != "" {
				n[p]++
			}
		}
		var found []prefix
		for text, n := range n {
			if n >= fewestPrefixed && prefixedShare*n >= len(x.F) {
				found = append(found, prefix{text, n})
			}
		}
		slices.SortFunc(found, func(a, b prefix) int { return cmp.Compare(a.text, b.text) })
		return found
	})
}

// plainName returns the name of an object. For a field it is without a prefix that rule
// NAM-07 reports.
func plainName(x *model.Scope, o *model.Object) string {
	if o.Kind == model.TableKind {
		return o.Label()
	}
	if p := prefixOf(o.Name); p != "" && slices.ContainsFunc(reportedPrefixes(x), func(q prefix) bool { return q.text == p }) {
		return o.Name[len(p):]
	}
	return o.Name
}

func prefixedFields(x *model.Scope) rule.Verdict {
	var each []string
	for _, p := range reportedPrefixes(x) {
		each = append(each, fmt.Sprintf("%q (%d of %s)", p.text, p.n, wording.Count(len(x.F), "field")))
	}
	switch n := len(each); n {
	case 0:
		return rule.Verdict{}
	case 1:
		return rule.Fails(1, "leave the prefix "+each[0]+" out of the names, as it says nothing to a reader", "%s", each[0])
	default:
		return rule.Fails(1, "leave the prefixes "+strings.Join(each[:n-1],
			", ")+" and "+each[n-1]+" out of the names, as they say nothing to a reader",
			"%s", strings.Join(each, ", "))
	}
}
