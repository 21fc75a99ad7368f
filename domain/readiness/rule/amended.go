package rule

import (
	"slices"
	"strings"
)

// Amended returns the rules of an older regime with some of them changed, and new ones
// added, by id.
func Amended[R interface{ of() *Rule }](rules []R, changed ...R) []R {
	out := slices.Clone(rules)
	for _, r := range changed {
		i, known := slices.BinarySearchFunc(out, r.of().ID, func(r R, id string) int { return strings.Compare(r.of().ID, id) })
		if known {
			out[i] = r
		} else {
			out = slices.Insert(out, i, r)
		}
	}
	return out
}

func (r Rule) of() *Rule { return &r }
