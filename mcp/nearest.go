package mcp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Bounds of the names that are proposed in place of one that is unknown: how many, and how long a name is compared.
const (
	maxNearest  = 5
	maxCompared = 300
)

// Unknown returns the error about a name that is none of the known ones. It proposes the known ones that are nearest to it.
func Unknown(text, name string, known []string) *Problem {
	return &Problem{Text: text, Nearest: Nearest(name, known)}
}

// Nearest returns the known names that are like a name, the most similar first: as a whole, or in a part of a path or a key.
func Nearest(name string, known []string) []string {
	wanted := strings.ToLower(name)
	if wanted == "" || len(wanted) > maxCompared {
		return nil
	}
	type near struct {
		name string
		far  float64
	}
	var all []near
	for _, one := range known {
		if far := distance(wanted, strings.ToLower(one)); far < tooFar {
			all = append(all, near{one, far})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(len(a.name), len(b.name))) })
	var names []string
	for _, one := range all[:min(len(all), maxNearest)] {
		if one.far <= all[0].far+alike {
			names = append(names, clip(one.name, maxText))
		}
	}
	return names
}

// tooFar is the share of a name's characters by which one that is like it may not differ, and alike by how much more than the nearest it may.
const tooFar, alike = 0.5, 0.2

// apart is what the last part of a name is farther from another's than all of it would be.
const apart = 0.1

// distance returns by which share of its characters a name differs from a known one or a part of it, or its last part from that. One that
// holds it is near.
func distance(wanted, known string) float64 {
	separated := func(c rune) bool { return c == '/' || c == '|' }
	of := strings.FieldsFunc(known, separated)
	least := differing(wanted, append(of, known))
	if at := strings.LastIndexFunc(wanted, separated); at >= 0 && at < len(wanted)-1 {
		least = min(least, apart+differing(wanted[at+1:], of))
	}
	return least
}

// differing returns by which share of its characters a name differs from the nearest of some forms of another.
func differing(wanted string, forms []string) float64 {
	least := 1.0
	wanted = strings.TrimSuffix(wanted, modelEnding)
	for _, form := range forms {
		form = strings.TrimSuffix(form, modelEnding)
		if len(form) > maxCompared {
			continue
		}
		far := float64(levenshtein.ComputeDistance(wanted, form)) / float64(max(len(wanted), len(form), 1))
		if strings.Contains(form, wanted) {
			far = min(far, tooFar/2)
		}
		least = min(least, far)
	}
	return least
}

// modelEnding is how the folder of a model ends.
const modelEnding = ".semanticmodel"
