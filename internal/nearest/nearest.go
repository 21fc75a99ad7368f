// Package nearest orders names by how much they differ from one that somebody wrote.
package nearest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is how many bytes of a written name are compared.
const longest = 64

// Names returns the known names, those that differ least from the written one first, whatever their letter case. Equal ones keep their order.
func Names(written string, known []string) []string {
	written = strings.ToLower(strings.ToValidUTF8(written[:min(len(written), longest)], ""))
	far := make(map[string]int, len(known))
	for _, name := range known {
		far[name] = levenshtein.ComputeDistance(written, strings.ToLower(name))
	}
	known = slices.Clone(known)
	slices.SortStableFunc(known, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	return known
}
