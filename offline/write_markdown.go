package offline

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteMarkdown writes an assessment as GitHub Markdown.
func WriteMarkdown(w io.Writer, a *Assessment, l Listing) error {
	m := &markdown{Listing: l}
	fmt.Fprintf(m, "# AI readiness\n\n%s.\n\n", a.Summary())
	m.overview(a)
	for _, i := range a.Items {
		m.item(i)
	}
	if l.filtered() && !slices.ContainsFunc(a.Items, l.lists) {
		fmt.Fprintf(m, "\n%s\n", noMatch)
	}
	m.across(a.Across)
	if len(a.Warnings) > 0 {
		fmt.Fprint(m, "\n## Warnings\n\n")
	}
	for _, one := range a.Warnings {
		fmt.Fprintf(m, "- %s\n", plain(one.String()))
	}
	_, err := io.WriteString(w, m.String())
	return err
}

type markdown struct {
	strings.Builder
	Listing
}

// overview writes the items with their scores.
func (m *markdown) overview(a *Assessment) {
	if a.Baseline != "" {
		fmt.Fprint(m, "| Item | Score | Band | As a data agent reads it | New | Fixed | Unchanged |\n"+
			"| --- | ---: | --- | ---: | ---: | ---: | ---: |\n")
	} else {
		fmt.Fprint(m, "| Item | Score | Band | As a data agent reads it | Findings |\n| --- | ---: | --- | ---: | ---: |\n")
	}
	for _, i := range a.Items {
		agent := shownScore(i.ScoreDataAgent)
		if s := i.Since; s != nil && s.Comparable {
			agent = shownScore(s.ScoreDataAgent) + " → " + agent
		}
		switch {
		case i.Error != nil && a.Baseline != "":
			fmt.Fprintf(m, "| %s | error | | | | | |\n", plain(i.Path))
		case i.Error != nil:
			fmt.Fprintf(m, "| %s | error | | | |\n", plain(i.Path))
		case a.Baseline != "":
			fixed := ""
			if i.Since != nil && i.Since.Comparable {
				fixed = fmt.Sprint(len(i.Since.Fixed))
			}
			fmt.Fprintf(m, "| %s | %s | %s | %s | %d | %s | %d |\n", plain(i.Path), scoreChange(i, i.Result.Score), bandOf(i.Result.Score),
				agent, len(i.Findings), fixed, i.Known)
		default:
			fmt.Fprintf(m, "| %s | %s | %s | %s | %d |\n", plain(i.Path), shownScore(i.Result.Score), bandOf(i.Result.Score), agent,
				len(i.Findings))
		}
	}
}

func (m *markdown) item(i Assessed) {
	if m.filtered() && !m.lists(i) {
		return
	}
	fmt.Fprintf(m, "\n## %s\n", plain(i.Path))
	if i.Error != nil {
		fmt.Fprintf(m, "\nCannot be assessed: %s\n", plain(i.Error.Error()))
		return
	}
	m.scores(i)
	if i.Since == nil {
		m.findings("Findings", i, i.Findings)
	} else {
		m.findings(newFindings, i, i.Findings)
		m.findings(fixedFindings, i, i.Since.Fixed)
		m.findings(unchangedFindings, i, i.Since.Unchanged)
	}
	if len(i.Ignored) > 0 {
		fmt.Fprint(m, "\n### Ignored\n\n| Finding | Rules | Why |\n| --- | --- | --- |\n")
	}
	for _, f := range i.Ignored {
		fmt.Fprintf(m, "| %s | %s | %s |\n", plain(f.Message), strings.Join(f.RuleIDs, ", "), plain(f.Reason))
	}
}

// scores writes an item's score and its dimensions.
func (m *markdown) scores(i Assessed) {
	fmt.Fprintf(m, "\n%s\n", plain(scoreLine(i)))
	for _, line := range append(capLines(i), changeLine(i)) {
		if line != "" {
			fmt.Fprintf(m, "\n%s\n", plain(line))
		}
	}
	fmt.Fprint(m, "\n| Dimension | Score | | Points lost |\n| --- | ---: | --- | ---: |\n")
	points := lost(i)
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
func (m *markdown) findings(title string, i Assessed, all []Finding) {
	groups := m.groups(i, all)
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(m, "\n### %s\n\n%s.\n", title, severityCounts(m.chosen(all)))
	if m.singly() {
		for _, g := range groups {
			m.singles(i, g)
		}
		return
	}
	listed, left, findings, points := m.top(groups)
	fmt.Fprintf(m, "\n| Rule | Severity | Findings | Points | %s |\n| --- | --- | ---: | ---: | --- |\n", heading(title))
	for _, g := range listed {
		fmt.Fprintf(m, "| %s | %s | %d | %.1f | %s |\n", linkedRule(g.rule), g.severity, len(g.findings), g.points, advice(title, i, g))
	}
	if left > 0 {
		fmt.Fprintf(m, "\n… and %s with %s (%.1f points); `--top 0` shows all rules, `--all` every finding.\n",
			count(left, "more rule"), count(findings, "finding"), points)
	}
}

// advice says in Markdown what to do about a group: what its only finding says, or what its rule requires, and of some
// of the objects. Of a group that is fixed or unchanged it names objects.
func advice(title string, i Assessed, g group) string {
	if heading(title) == "Objects" {
		return plain(g.requirement()) + "<br>" + plain(g.objects(true))
	}
	note := ""
	if g.caps {
		note = "**This limits the score.** "
	}
	if f := g.findings[0]; len(g.findings) == 1 {
		return note + plain(f.Message+found(f)) + "<br>" + plain(where(i, f))
	}
	return note + plain(g.what()) + "<br>" + plain(g.objects(true)) + "; `--rule " + g.rule + "` lists all"
}

// singles writes each finding of a group.
func (m *markdown) singles(i Assessed, g group) {
	fmt.Fprintf(m, "\n#### %s: %s\n\n%s, %.1f points.\n\n| Severity | Rules | Points | Where | What to do | Found |\n"+
		"| --- | --- | ---: | --- | --- | --- |\n", linkedRule(g.rule), plain(g.requirement()), count(len(g.findings), "finding"), g.points)
	for _, f := range g.findings {
		fmt.Fprintf(m, "| %s | %s | %.1f | %s | %s | %s |\n", f.Severity, strings.Join(f.RuleIDs, ", "), f.Impact, plain(where(i, f)),
			plain(f.Message), plain(f.Evidence))
	}
}

// MarkdownText returns a text as Markdown that shows it unchanged.
func MarkdownText(what string) string { return plain(what) }

// plain escapes a text for Markdown.
func plain(what string) string {
	var b strings.Builder
	for _, r := range printable(what) {
		if strings.ContainsRune("\\`*_{}[]<>#|~&!@", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
