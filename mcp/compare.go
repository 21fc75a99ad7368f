package mcp

import (
	"slices"

	"readiness/domain/readiness/finding"
)

// Comparison says what changed between two assessments.
type Comparison struct {
	Before           *int                 `json:"scoreBefore,omitempty"`
	After            *int                 `json:"scoreAfter,omitempty"`
	ComparableScores bool                 `json:"comparableScores"` // false if the assessments have different rules
	New              int                  `json:"new"`
	Fixed            int                  `json:"fixed"`
	Unchanged        int                  `json:"unchanged"`
	Dimensions       []DimensionChange    `json:"dimensions"` // the dimensions whose score differs
	Findings         Page[ChangedFinding] `json:"findings"`   // new findings, then fixed ones
}

// DimensionChange is a dimension with two scores.
type DimensionChange struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Before *int   `json:"scoreBefore,omitempty"`
	After  *int   `json:"scoreAfter,omitempty"`
}

// ChangedFinding is such a finding in a list.
type ChangedFinding struct {
	Change string `json:"change"` // new or fixed
	FindingRow
}

// changedFinding is a finding that only one of two assessments has.
type changedFinding struct {
	change string
	Finding
}

func (c changedFinding) row() ChangedFinding { return ChangedFinding{c.change, c.Finding.row()} }

// identity is how two assessments know the same finding.
type identity struct {
	dimension string
	finding.Key
}

func identities(all []Finding) map[identity][]string {
	m := make(map[identity][]string, len(all))
	for _, f := range all {
		m[identity{f.Dimension, f.Key}] = f.RuleIDs
	}
	return m
}

// compared compares two assessments, as a baseline in files is compared: a finding is new if it, or one of its rules, was not
// there, and fixed if it is gone.
func compared(before, after Assessment) (Comparison, []changedFinding) {
	c := Comparison{Before: before.Score, After: after.Score, ComparableScores: before.Regime == after.Regime,
		Dimensions: []DimensionChange{}}
	then, now := identities(before.Findings), identities(after.Findings)
	var changed []changedFinding
	for _, f := range after.Findings {
		old, known := then[identity{f.Dimension, f.Key}]
		if known && !slices.ContainsFunc(f.RuleIDs, func(id string) bool { return !slices.Contains(old, id) }) {
			c.Unchanged++
			continue
		}
		c.New++
		changed = append(changed, changedFinding{"new", f})
	}
	if !c.ComparableScores {
		return c, changed
	}
	for _, f := range before.Findings {
		if _, present := now[identity{f.Dimension, f.Key}]; !present {
			c.Fixed++
			changed = append(changed, changedFinding{"fixed", f})
		}
	}
	for _, d := range before.Dimensions {
		for _, e := range after.Dimensions {
			if d.ID == e.ID && !equal(d.Score, e.Score) {
				c.Dimensions = append(c.Dimensions, DimensionChange{d.ID, d.Name, d.Score, e.Score})
			}
		}
	}
	return c, changed
}

func equal(a, b *int) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
