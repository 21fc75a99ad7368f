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
		if n := i.Reported(g.FailOn); n > 0 && g.FailOn != "" {
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
	var bySeverity [3]int
	reported, ignored, known, fixed := 0, 0, 0, 0
	for _, i := range a.Items {
		for s, n := range i.bySeverity() {
			bySeverity[s] += n
			reported += n
		}
		ignored, known = ignored+i.Accepted(), known+i.Known
		if i.Since != nil {
			fixed += len(i.Since.Fixed)
		}
	}
	text := fmt.Sprintf("%s assessed by the rules of %s: %s (%d high, %d medium, %d low)", show.Count(len(a.Items)-a.Unreadable(), "item"),
		a.Regime,
		show.Count(reported, "finding"), bySeverity[2], bySeverity[1], bySeverity[0])
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
