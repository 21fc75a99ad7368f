package model

import (
	"cmp"
	"slices"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/http/console/chart"
	"readiness/http/console/page"
)

// maxGroups and maxObjects bound the findings on the page. The document of the assessment has all of them.
const (
	maxGroups  = 30
	maxObjects = 10
)

// group is the findings of one rule.
type group struct {
	explained.Task
	Title, Fix string
	Dimension  string
	Own        *readiness.OwnRule  // the rule, if a team wrote it
	Objects    []readiness.Finding // the first ones
	Rest       int
}

// Tone returns how the severity is coloured.
func (g group) Tone() chart.Tone {
	switch g.Severity {
	case finding.High:
		return chart.Poor
	case finding.Medium:
		return chart.Fair
	case finding.Low:
	}
	return chart.Plain
}

// First returns the objects that are always shown, and More those that are collapsed.
func (g group) First() []readiness.Finding { return g.Objects[:min(len(g.Objects), 3)] }

// More returns the other objects.
func (g group) More() []readiness.Finding { return g.Objects[min(len(g.Objects), 3):] }

// groups returns the findings by their leading rule, what to do first at the beginning, and how many groups are not among them.
func groups(report readiness.Result) (shown []group, rest int) {
	names := map[string]string{}
	for _, d := range report.Dimensions {
		names[d.ID] = d.Name
	}
	byRule := map[string]*group{}
	for _, f := range report.Findings {
		rule := explained.Leading(f.RuleIDs)
		g := byRule[rule]
		if g == nil {
			g = &group{Task: explained.NewTask(rule, report), Dimension: cmp.Or(names[f.Dimension], f.Dimension)}
			g.Fix, g.Own = g.Task.Fix(), report.OwnRule(rule)
			if g.Own != nil && g.Own.Dimension == "" {
				g.Dimension = "outside of the score"
			}
			byRule[rule] = g
		}
		g.Add(f)
		if len(g.Objects) < maxObjects {
			g.Objects = append(g.Objects, f)
		} else {
			g.Rest++
		}
	}
	for _, g := range byRule {
		g.Title = cmp.Or(g.Fault(), g.Rule)
		shown = append(shown, *g)
	}
	slices.SortFunc(shown, func(a, b group) int { return a.Compare(b.Task) })
	if len(shown) > maxGroups {
		return shown[:maxGroups], len(shown) - maxGroups
	}
	return shown, 0
}

// dimensions returns the dimensions with their scores and the points that their findings cost.
func dimensions(report readiness.Result) chart.Bars {
	lost := map[string]float64{}
	for _, f := range report.Findings {
		lost[f.Dimension] += f.Impact
	}
	c := chart.Bars{Caption: "Dimensions", LabelHead: "Dimension", ValueHead: "Score", NoteHead: "Lost", Max: 100}
	for _, d := range report.Dimensions {
		b := chart.Bar{Label: d.Name, Note: written(lost[d.ID])}
		if d.Score == nil {
			b.Missing, b.Text, b.Note = true, "–", "no rule applies"
		} else {
			b.Value, b.Tone = float64(*d.Score), page.Tone(*d.Score)
		}
		c.Bars = append(c.Bars, b)
	}
	return c
}

// written returns points with one decimal.
func written(points float64) string {
	rounded := float64(int(points*10+.5)) / 10
	if points > 0 && rounded == 0 {
		return "under 0.1"
	}
	return chart.Decimal(rounded)
}

// Lost returns what the findings of the group cost, as people read it.
func (g group) Lost() string { return written(g.Points) }

// limit is a cap of the score with what causes it.
type limit struct {
	ID     string
	Most   int
	Causes []string
}

// limits returns the caps that limit the score.
func limits(report readiness.Result) (all []limit) {
	for _, id := range report.Caps {
		most, _ := readiness.CapLimit(id)
		l := limit{ID: id, Most: int(most)}
		for _, t := range explained.Tasks(report, report.Findings) {
			if slices.Contains(readiness.CapRules(id), t.Rule) {
				l.Causes = append(l.Causes, t.Fault())
			}
		}
		all = append(all, l)
	}
	return all
}

// kind is a kind of proposals that can resolve findings.
type kind struct {
	Kind, Name string
	Points     float64
	Count      int
}

// Gain returns the points that the kind can win at most, as people read them.
func (k kind) Gain() string { return written(k.Points) }

// kinds returns the kinds of proposals that can resolve findings, the most helpful first.
func kinds(report readiness.Result) (all []kind) {
	for _, k := range []kind{
		{Kind: string(finding.Descriptions), Name: "Descriptions"}, {Kind: string(finding.Properties), Name: "Properties"},
		{Kind: string(finding.AIInstructions), Name: "AI instructions"}, {Kind: string(finding.AIDataSchema), Name: "AI data schema"},
	} {
		for _, f := range report.Findings {
			if string(f.FixKind) == k.Kind {
				k.Points += f.Impact
				k.Count++
			}
		}
		if k.Count > 0 {
			all = append(all, k)
		}
	}
	slices.SortStableFunc(all, func(a, b kind) int { return cmp.Compare(b.Points, a.Points) })
	return all
}
