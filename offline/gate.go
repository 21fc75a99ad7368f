package offline

import (
	"fmt"

	"readiness/domain/readiness/finding"
	"readiness/internal/lists"
	"readiness/offline/show"
)

// Gate defines when an assessment fails. The zero Gate passes everything.
type Gate struct {
	// FailUnder is the lowest passing score of an item; nil passes any score.
	FailUnder *int
	// FailOn is the lowest severity of a reported finding that fails; "" passes all.
	FailOn finding.Severity
}

// Misses returns one sentence for each item and reason to fail. An item that could not be assessed is an error, not a
// miss.
func (g Gate) Misses(a *Assessment) []string {
	var all []string
	for _, i := range a.Items {
		if miss := g.Score(i); miss != "" {
			all = append(all, i.Path+": "+miss)
		}
		n := lists.Count(i.Findings, func(f Finding) bool { return g.FailOn != "" && AtLeast(f.Severity, g.FailOn) })
		if n > 0 {
			all = append(all, fmt.Sprintf("%s: %s of severity %s or more", i.Path, show.Count(n, "finding"), g.FailOn))
		}
	}
	return all
}

// Score returns why an item's score fails, or "".
func (g Gate) Score(i Assessed) string {
	switch {
	case g.FailUnder == nil || i.Error != nil:
		return ""
	case i.Result.Score == nil:
		return "it has no score, because no table is exposed to AI"
	case *i.Result.Score < *g.FailUnder:
		return fmt.Sprintf("its score is %d, below %d", *i.Result.Score, *g.FailUnder)
	}
	return ""
}

// Unreadable returns how many items could not be assessed.
func (a *Assessment) Unreadable() int {
	return lists.Count(a.Items, func(i Assessed) bool { return i.Error != nil })
}

// Summary describes the assessment in one line.
func (a *Assessment) Summary() string {
	bySeverity := map[finding.Severity]int{}
	reported, ignored, known, fixed := 0, 0, 0, 0
	for _, i := range a.Items {
		for _, f := range i.Findings {
			bySeverity[f.Severity]++
			reported++
		}
		ignored, known = ignored+len(i.Ignored), known+i.Known
		if i.Since != nil {
			fixed += len(i.Since.Fixed)
		}
	}
	text := fmt.Sprintf("%s assessed by the rules of %s: %s (%d high, %d medium, %d low)", show.Count(len(a.Items)-a.Unreadable(), "item"),
		a.Regime,
		show.Count(reported, "finding"), bySeverity[finding.High], bySeverity[finding.Medium], bySeverity[finding.Low])
	if ignored > 0 {
		text += fmt.Sprintf(", %d ignored", ignored)
	}
	if known > 0 {
		text += fmt.Sprintf(", %d already in the baseline", known)
	}
	if fixed > 0 {
		text += fmt.Sprintf(", %d of the baseline fixed", fixed)
	}
	if n := a.Unreadable(); n > 0 {
		text += "; " + show.Count(n, "item") + " could not be read"
	}
	return text
}
