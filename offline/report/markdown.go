package report

import (
	"fmt"
	"io"
	"strings"

	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

// WriteMarkdown writes an assessment as GitHub Markdown.
func WriteMarkdown(w io.Writer, a *offline.Assessment, l Listing) error {
	m := &markdown{Listing: l}
	fmt.Fprintf(m, "# AI readiness\n\n%s.\n\n", a.Summary())
	m.overview(a, 0)
	for _, i := range a.All() {
		m.item(i)
	}
	if l.Filtered() && !l.ListsAny(a) {
		fmt.Fprintf(m, "\n%s\n", NoMatch)
	}
	m.across(a.Across)
	if len(a.Warnings) > 0 {
		fmt.Fprint(m, "\n## Warnings\n\n")
	}
	for _, one := range a.Warnings {
		fmt.Fprintf(m, "- %s\n", show.MarkdownText(one.String()))
	}
	_, err := io.WriteString(w, m.String())
	return err
}

type markdown struct {
	strings.Builder
	Listing
	brief bool // leaves out findings that are not new or fixed
}

// overview writes the items with their scores: all, or as many as fit into limit bytes of Markdown if limit is not 0.
func (m *markdown) overview(a *offline.Assessment, limit int) {
	if a.Baseline != "" {
		fmt.Fprint(m, "| Item | Score | Band | As a data agent reads it | New | Fixed | Unchanged |\n"+
			"| --- | ---: | --- | ---: | ---: | ---: | ---: |\n")
	} else {
		fmt.Fprint(m, "| Item | Score | Band | As a data agent reads it | Findings |\n| --- | ---: | --- | ---: | ---: |\n")
	}
	for n, i := range a.Items {
		row := overviewRow(i, a.Baseline != "")
		if limit > 0 && m.Len()+len(row) > limit {
			fmt.Fprintf(m, "\n… and %s\n", show.Count(len(a.Items)-n, "more item"))
			return
		}
		m.WriteString(row)
	}
}

// overviewRow returns an item's row of the overview, with what has changed since a baseline if there is one.
func overviewRow(i offline.Assessed, baseline bool) string {
	agent := show.Number(i.ScoreDataAgent)
	if s := i.Since; s != nil && s.Comparable {
		agent = show.Number(s.ScoreDataAgent) + " → " + agent
	}
	switch {
	case i.Error != nil && baseline:
		return fmt.Sprintf("| %s | error | | | | | |\n", show.MarkdownText(i.Path))
	case i.Error != nil:
		return fmt.Sprintf("| %s | error | | | |\n", show.MarkdownText(i.Path))
	case baseline:
		fixed := ""
		if i.Since != nil && i.Since.Comparable {
			fixed = fmt.Sprint(len(i.Since.Fixed))
		}
		return fmt.Sprintf("| %s | %s | %s | %s | %d | %s | %d |\n", show.MarkdownText(i.Path), scoreChange(i, i.Result.Score),
			BandOf(i.Result.Score), agent, i.Reported(finding.Low), fixed, i.Known)
	default:
		return fmt.Sprintf("| %s | %s | %s | %s | %d |\n", show.MarkdownText(i.Path), show.Number(i.Result.Score), BandOf(i.Result.Score), agent,
			i.Reported(finding.Low))
	}
}

func (m *markdown) item(i offline.Assessed) {
	if m.Filtered() && !m.Lists(i) {
		return
	}
	fmt.Fprintf(m, "\n## %s\n", show.MarkdownText(i.Path))
	if i.Error != nil {
		fmt.Fprintf(m, "\nCannot be assessed: %s\n", show.MarkdownText(i.Error.Error()))
		return
	}
	m.scores(i)
	if !m.brief {
		m.first(i)
	}
	if i.Since == nil {
		m.findings("Findings", i, i.Findings)
	} else {
		m.findings(NewFindings, i, i.Findings)
		m.findings(FixedFindings, i, i.Since.Fixed)
		if !m.brief {
			m.findings(UnchangedFindings, i, i.Since.Unchanged)
		}
	}
	if len(i.Ignored) > 0 {
		fmt.Fprint(m, "\n### Ignored\n\n| Finding | Rules | Why |\n| --- | --- | --- |\n")
	}
	for _, f := range i.Ignored {
		fmt.Fprintf(m, "| %s | %s | %s |\n", show.MarkdownText(f.Message), strings.Join(f.RuleIDs, ", "), show.MarkdownText(f.Reason))
	}
}

// scores writes an item's score and its dimensions.
func (m *markdown) scores(i offline.Assessed) {
	fmt.Fprintf(m, "\n%s\n", show.MarkdownText(ScoreLine(i)))
	more := append(Caveats(i), ChangeLine(i))
	if !m.brief {
		more = append(more, LeavingLine(i))
	}
	for _, line := range more {
		if line != "" {
			fmt.Fprintf(m, "\n%s\n", show.MarkdownText(line))
		}
	}
	fmt.Fprint(m, "\n| Dimension | Score | | Points lost |\n| --- | ---: | --- | ---: |\n")
	points := i.Lost()
	const length = 20
	for _, d := range i.Result.Dimensions {
		if d.Score == nil {
			fmt.Fprintf(m, "| %s | none | | |\n", d.Name)
			continue
		}
		fmt.Fprintf(m, "| %s | %d | %s | %.1f |\n", d.Name, *d.Score, Screen{Terminal: true}.bar(*d.Score, length), points[d.ID])
	}
}

// findings writes the findings under a title: one by one, or the rules that cost the most.
func (m *markdown) findings(title string, i offline.Assessed, all []offline.Finding) {
	groups := m.Groups(i, all)
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(m, "\n### %s\n\n%s.\n", title, SeverityCounts(m.Chosen(all)))
	if m.Singly() {
		for _, g := range groups {
			m.singles(i, g)
		}
		return
	}
	listed, left, findings, points := m.top(groups)
	fmt.Fprintf(m, "\n| Rule | Severity | Findings | Points | Effort | %s |\n| --- | --- | ---: | ---: | --- | --- |\n", heading(title))
	for _, g := range listed {
		fmt.Fprintf(m, "| %s | %s | %d | %.1f | %s | %s |\n", rulehelp.Link(g.Rule), g.Severity, len(g.Findings), g.Points, g.Effort(),
			advice(title, i, g))
	}
	if left > 0 {
		fmt.Fprintf(m, "\n… and %s with %s (%.1f points); `--top 0` shows all rules, `--all` every finding.\n",
			show.Count(left, "more rule"), show.Count(findings, "finding"), points)
	}
}

// advice says in Markdown what to do about a group: what its only finding says, or what its rule requires, and of some
// of the objects. Of a group that is fixed or unchanged it names objects.
func advice(title string, i offline.Assessed, g Group) string {
	if heading(title) == "Objects" {
		return show.MarkdownText(g.Title()) + "<br>" + show.MarkdownText(g.Objects(true))
	}
	note := ""
	if g.Caps {
		note = "**This limits the score.** "
	}
	if f := g.Findings[0]; len(g.Findings) == 1 {
		return note + show.MarkdownText(f.Message+Found(f)) + "<br>" + show.MarkdownText(Where(i, f))
	}
	return note + show.MarkdownText(g.what()) + "<br>" + show.MarkdownText(g.Objects(true)) + "; `--rule " + g.Rule + "` lists all"
}

// singles writes each finding of a group.
func (m *markdown) singles(i offline.Assessed, g Group) {
	fmt.Fprintf(m, "\n#### %s: %s\n\n%s, %.1f points.\n\n| Severity | Rules | Points | Where | What to do | Found |\n"+
		"| --- | --- | ---: | --- | --- | --- |\n", rulehelp.Link(g.Rule), show.MarkdownText(g.Title()),
		show.Count(len(g.Findings), "finding"), g.Points)
	for _, f := range g.Findings {
		fmt.Fprintf(m, "| %s | %s | %.1f | %s | %s | %s |\n", f.Severity, strings.Join(f.RuleIDs, ", "), f.Impact,
			show.MarkdownText(Where(i, f)),
			show.MarkdownText(f.Message), show.MarkdownText(f.Evidence))
	}
}
