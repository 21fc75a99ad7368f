package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

const (
	// namedObjects is how many objects of a group are named.
	namedObjects = 3
	// longestName is the length of such a name, in columns.
	longestName = 48
)

// Group holds the findings of an item that are listed under one rule.
type Group struct {
	Rule     string
	Severity finding.Severity // the highest
	Points   float64
	Findings []offline.Finding // in their order
	Caps     bool              // the rule causes a cap of the item's score
}

// Groups groups findings by rule. Groups that cap the score come first, then those that cost the most.
func (l Listing) Groups(i offline.Assessed, all []offline.Finding) []Group {
	var out []Group
	at := map[string]int{}
	capping := cappingRules(i)
	for _, f := range all {
		rule := l.ruleOf(f)
		if rule == "" {
			continue
		}
		n, ok := at[rule]
		if !ok {
			n = len(out)
			at[rule] = n
			out = append(out, Group{Rule: rule, Severity: f.Severity, Caps: slices.Contains(capping, rule)})
		}
		g := &out[n]
		g.Findings = append(g.Findings, f)
		g.Points += f.Impact
		if offline.AtLeast(f.Severity, g.Severity) {
			g.Severity = f.Severity
		}
	}
	slices.SortFunc(out, func(a, b Group) int {
		if a.Caps != b.Caps {
			if a.Caps {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Points, a.Points),
			cmp.Compare(slices.Index(offline.Severities, b.Severity), slices.Index(offline.Severities, a.Severity)),
			strings.Compare(a.Rule, b.Rule))
	})
	return out
}

// top returns the groups that are listed, and how many groups, findings and points are not.
func (l Listing) top(all []Group) (listed []Group, left int, findings int, points float64) {
	if l.Top == 0 || len(all) <= l.Top {
		return all, 0, 0, 0
	}
	for _, g := range all[l.Top:] {
		findings += len(g.Findings)
		points += g.Points
	}
	return all[:l.Top], len(all) - l.Top, findings, points
}

// Requirement returns what the rule of a group requires; for a rule without a text, what the first finding says.
func (g Group) Requirement() string {
	if text := rulehelp.Requirement(g.Rule); text != "" {
		return text
	}
	return g.Findings[0].Message
}

// what returns what the rule of a group requires, and the remedy.
func (g Group) what() string {
	if text := rulehelp.Requirement(g.Rule); text != "" {
		return text + " " + rulehelp.Fix(g.Rule)
	}
	return g.Findings[0].Message
}

// Objects names the first objects of a group, each with its evidence if asked, and how to list all.
func (g Group) Objects(evidence bool) string {
	var named []string
	for _, f := range g.Findings[:min(namedObjects, len(g.Findings))] {
		name := text.Snip(ObjectOf(f), longestName, "…")
		if evidence && f.Evidence != "" {
			name += " (" + show.Printable(f.Evidence) + ")"
		}
		named = append(named, name)
	}
	all := strings.Join(named, ", ")
	if more := len(g.Findings) - len(named); more > 0 {
		all += fmt.Sprintf(" and %d more", more)
	}
	return all
}

// capText describes a cap of the score for people.
type capText struct {
	why   string
	rules []string // whose findings cause it
}

var capTexts = map[string]capText{
	"CAP-NOMEASURE":  {"the model has no measure", []string{"MEA-01"}},
	"CAP-NOREL":      {"no relationship connects its tables", []string{"REL-01"}},
	"CAP-BROKEN":     {"a relationship or a calculated column cannot work", []string{"REL-08", "MEA-07"}},
	"CAP-BROKEN-DAX": {"the DAX of a measure or calculation item cannot work", []string{"MEA-07"}},
}

// cappingRules returns the rules that cause the caps of an item.
func cappingRules(i offline.Assessed) []string {
	var rules []string
	for _, id := range i.Result.Caps {
		rules = append(rules, capTexts[id].rules...)
	}
	return rules
}

// CapLines describes the caps of an item's score, one a line.
func CapLines(i offline.Assessed) []string {
	var lines []string
	for _, id := range i.Result.Caps {
		line := id + " limits the score"
		if most, ok := readiness.CapLimit(id); ok {
			line += fmt.Sprintf(" to %.0f", most)
		}
		if t, ok := capTexts[id]; ok {
			line += ", because " + t.why
		}
		lines = append(lines, line+".")
	}
	if r := i.Result; len(lines) > 0 && r.Raw != nil && r.RawUncapped != nil && *r.Raw < *r.RawUncapped {
		lines[len(lines)-1] += fmt.Sprintf(" Without caps it would be %.0f.", *r.RawUncapped)
	}
	return lines
}

// ScoreLine describes an item's score with its band, and the score before if a baseline has it.
func ScoreLine(i offline.Assessed) string {
	if i.Result.Score == nil {
		return "No score, because no table is exposed to AI."
	}
	line := fmt.Sprintf("Score %s of 100, %s", scoreChange(i, i.Result.Score), readiness.BandOf(*i.Result.Score))
	if n := i.ScoreDataAgent; n != nil && i.Type != item.DataAgent {
		line += fmt.Sprintf("; as a data agent reads it %d, %s", *n, readiness.BandOf(*n))
	}
	return line + "."
}

// scoreChange returns a score, after the baseline's score if that is known and comparable.
func scoreChange(i offline.Assessed, now *int) string {
	if i.Since == nil || !i.Since.Comparable {
		return show.Number(now)
	}
	return show.Number(i.Since.Score) + " → " + show.Number(now)
}

// BandOf returns the band of a score, or "".
func BandOf(n *int) string {
	if n == nil {
		return ""
	}
	return string(readiness.BandOf(*n))
}

// ChangeLine counts what changed since the baseline, or returns "" without one.
func ChangeLine(i offline.Assessed) string {
	switch s := i.Since; {
	case s == nil:
		return ""
	case !s.Found:
		return "The baseline does not contain this item, so all its findings are new."
	case !s.Comparable:
		return fmt.Sprintf("Since the baseline: %d new and %d unchanged. It has other rules, so scores and fixed findings are "+
			"not compared.", len(i.Findings), len(s.Unchanged))
	default:
		return fmt.Sprintf("Since the baseline: %d new, %d fixed, %d unchanged.", len(i.Findings), len(s.Fixed), len(s.Unchanged))
	}
}

// Where returns the place of a finding, within its item if it is inside; "" if it is gone.
func Where(i offline.Assessed, f offline.Finding) string {
	if f.File == "" {
		return ""
	}
	return show.Printable(fmt.Sprintf("%s:%d", below(i.Path, f.File), f.Line))
}

// Lost returns the points that the findings of each dimension cost, reported or not.
func Lost(i offline.Assessed) map[string]float64 {
	byDimension := map[string]float64{}
	for _, f := range i.Result.Findings {
		byDimension[f.Dimension] += f.Impact
	}
	return byDimension
}

// SeverityCounts returns how many findings have each severity, as in "4 high, 54 medium, 9 low".
func SeverityCounts(all []offline.Finding) string {
	n := map[finding.Severity]int{}
	for _, f := range all {
		n[f.Severity]++
	}
	return fmt.Sprintf("%d high, %d medium, %d low", n[finding.High], n[finding.Medium], n[finding.Low])
}
