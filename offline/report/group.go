package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/show"
)

const (
	// namedObjects is how many objects of a group are named.
	namedObjects = 3
	// longestName is the length of such a name, in columns.
	longestName = 48
)

// Group holds the findings of an item that are listed under one rule, in their order.
type Group struct {
	explained.Task
	Findings []offline.Finding
}

// Groups groups findings by rule, what to do first at the beginning.
func (l Listing) Groups(i offline.Assessed, all []offline.Finding) []Group {
	var out []Group
	at := map[string]int{}
	for _, f := range all {
		rule := l.ruleOf(f)
		if rule == "" {
			continue
		}
		n, ok := at[rule]
		if !ok {
			n = len(out)
			at[rule] = n
			out = append(out, Group{Task: explained.NewTask(rule, i.Result)})
		}
		out[n].Add(f.Finding)
		out[n].Findings = append(out[n].Findings, f)
	}
	slices.SortFunc(out, func(a, b Group) int { return a.Compare(b.Task) })
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

// Title returns what is wrong in a group; for a rule without a text, what the first finding says.
func (g Group) Title() string {
	if text := g.Fault(); text != "" {
		return text + "."
	}
	return g.Findings[0].Message
}

// what returns what is wrong in a group, and the remedy.
func (g Group) what() string {
	if text := g.Fault(); text != "" {
		return strings.TrimSpace(text + ". " + g.Fix())
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

// causes says for people why a cap limits the score.
var causes = map[string]string{
	"CAP-NOMEASURE":  "the model has no measure",
	"CAP-NOREL":      "no relationship connects its tables",
	"CAP-BROKEN":     "a relationship or a calculated column cannot work",
	"CAP-BROKEN-DAX": "the DAX of a measure or calculation item cannot work",
}

// Caveats describes what limits an item's score, one a line: its caps, and the rules that could not judge.
func Caveats(i offline.Assessed) []string {
	var lines []string
	for _, id := range i.Result.Caps {
		line := id + " limits the score"
		if most, ok := readiness.CapLimit(id); ok {
			line += fmt.Sprintf(" to %.0f", most)
		}
		if why := causes[id]; why != "" {
			line += ", because " + why
		}
		lines = append(lines, line+".")
	}
	if r := i.Result; len(lines) > 0 && r.Raw != nil && r.RawUncapped != nil && *r.Raw < *r.RawUncapped {
		lines[len(lines)-1] += fmt.Sprintf(" Without caps it would be %.0f.", *r.RawUncapped)
	}
	for _, n := range i.Result.NotAssessable {
		lines = append(lines, fmt.Sprintf("Not assessable: %s. The score lacks %s, because of %s", strings.Join(n.RuleIDs, ", "),
			map[bool]string{true: "this rule", false: "these rules"}[len(n.RuleIDs) == 1], n.Why))
	}
	return lines
}

// LeavingLine says what of an item leaves with Q&A, or "".
func LeavingLine(i offline.Assessed) string {
	if i.Leaving == nil {
		return ""
	}
	return i.Leaving.Line()
}

// ScoreLine describes an item's score with its band, and the score before if a baseline has it. It says what was measured, and that
// rules estimated the score.
func ScoreLine(i offline.Assessed) string {
	if i.Result.Score == nil {
		return "No score, because no table is exposed to AI."
	}
	line := fmt.Sprintf("Score %s of 100, %s", scoreChange(i, i.Result.Score), readiness.BandOf(*i.Result.Score))
	if n := i.ScoreDataAgent; n != nil && i.Type != item.DataAgent {
		line += fmt.Sprintf("; as a data agent reads it %d, %s", *n, readiness.BandOf(*n))
	}
	return line + ". " + evidenceText(i.Evidence)
}

// evidenceText says what was measured of a model.
func evidenceText(all []offline.Evidence) string {
	if len(all) == 0 {
		return "An estimate, not measured."
	}
	lines := make([]string, len(all))
	for n, e := range all {
		what := "Measured"
		if e.Outdated {
			what = "An estimate; measured of another state of this model"
		}
		lines[n] = fmt.Sprintf("%s: %d %% of %d questions answered right (95 %%: %d to %d %%) by %s", what, e.Rate, e.Questions, e.Low, e.High, e.Who)
		if e.At != nil {
			lines[n] += ", last asked " + e.At.UTC().Format(time.DateOnly)
		}
	}
	return strings.Join(lines, ". ") + "."
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
	since := "Since the baseline"
	if s := i.Since; s != nil && s.Was != "" {
		since += ", where it was " + show.Printable(s.Was)
	}
	switch s := i.Since; {
	case s == nil:
		return ""
	case !s.Found:
		return "The baseline does not contain this item, so all its findings are new."
	case !s.Comparable:
		return fmt.Sprintf("%s: %d new and %d unchanged. It has other rules, so scores and fixed findings are "+
			"not compared.", since, len(i.Findings), len(s.Unchanged))
	default:
		return fmt.Sprintf("%s: %d new, %d fixed, %d unchanged.", since, len(i.Findings), len(s.Fixed), len(s.Unchanged))
	}
}

// Where returns the place of a finding, within its item if it is inside; "" if it is gone.
func Where(i offline.Assessed, f offline.Finding) string {
	if f.File == "" {
		return ""
	}
	return show.Printable(fmt.Sprintf("%s:%d", below(i.Path, f.File), f.Line))
}

// SeverityCounts returns how many findings have each severity, as in "4 high, 54 medium, 9 low".
func SeverityCounts(all []offline.Finding) string {
	n := map[finding.Severity]int{}
	for _, f := range all {
		n[f.Severity]++
	}
	return fmt.Sprintf("%d high, %d medium, %d low", n[finding.High], n[finding.Medium], n[finding.Low])
}
