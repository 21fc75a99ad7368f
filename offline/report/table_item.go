package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"readiness/internal/lists"
	"readiness/offline"
	"readiness/offline/show"
)

// item writes what the lists say about an item.
func (s Screen) item(out *strings.Builder, i offline.Assessed) {
	if s.Filtered() && !s.Lists(i) {
		return
	}
	fmt.Fprintf(out, "\n%s\n", s.paint(text.Bold, show.Printable(i.Path)))
	if i.Error != nil {
		fmt.Fprintf(out, "%s %s\n", s.paint(text.FgRed, "cannot be assessed:"), show.Printable(i.Error.Error()))
		return
	}
	if !s.Filtered() {
		s.scores(out, i)
	}
	if i.Since == nil {
		s.findings(out, "Findings", i, i.Findings)
		s.first(out, i)
		return
	}
	s.findings(out, NewFindings, i, i.Findings)
	s.findings(out, FixedFindings, i, i.Since.Fixed)
	s.findings(out, UnchangedFindings, i, i.Since.Unchanged)
}

// The titles of the lists of a comparison.
const (
	NewFindings       = "New findings"
	FixedFindings     = "Fixed findings"
	UnchangedFindings = "Unchanged findings"
)

// scores writes an item's score and its dimensions.
func (s Screen) scores(out *strings.Builder, i offline.Assessed) {
	fmt.Fprintln(out, s.colored(i.Result.Score, s.wrapped(ScoreLine(i))))
	for _, line := range Caveats(i) {
		fmt.Fprintln(out, s.paint(text.FgRed, s.wrapped(line)))
	}
	for _, line := range []string{ChangeLine(i), LeavingLine(i)} {
		if line != "" {
			fmt.Fprintln(out, s.wrapped(show.Printable(line)))
		}
	}
	name, length := 27, 20
	if s.Width < roomy {
		name, length = 20, 10
	}
	points := i.Lost()
	var rows []table.Row
	for _, d := range i.Result.Dimensions {
		row := table.Row{d.Name, "none", "", ""}
		if d.Score != nil {
			row = table.Row{d.Name, *d.Score, s.bar(*d.Score, length), fmt.Sprintf("%.1f", points[d.ID])}
		}
		rows = append(rows, row)
	}
	s.table(out, table.Row{"Dimension", "Score", "", "Points lost"}, rows, []int{name, 5, 0, 11}, 2)
}

// wrapped breaks a line between words.
func (s Screen) wrapped(line string) string {
	lines := strings.Split(text.WrapSoft(line, s.Width), "\n")
	for n := range lines {
		lines[n] = strings.TrimRight(lines[n], " ")
	}
	return strings.Join(lines, "\n")
}

// bar draws a score from 0 to 100.
func (s Screen) bar(score, length int) string {
	full, rest := "#", "."
	if s.Terminal {
		full, rest = "█", "░"
	}
	n := score * length / 100
	if n == 0 && score > 0 {
		n = 1
	}
	return s.colored(&score, strings.Repeat(full, n)) + strings.Repeat(rest, length-n)
}

// findings writes the findings under a title: one by one, or the rules that cost the most.
func (s Screen) findings(out *strings.Builder, title string, i offline.Assessed, all []offline.Finding) {
	groups := s.Groups(i, all)
	if len(groups) == 0 {
		return
	}
	counts := SeverityCounts(s.Chosen(all))
	if s.Singly() {
		fmt.Fprintf(out, "\n%s: %s\n", title, counts)
		for _, g := range groups {
			s.singles(out, i, g)
		}
		return
	}
	listed, left, findings, points := s.top(groups)
	fmt.Fprintf(out, "\n%s by rule: %s\n", title, counts)
	rows := lists.Map(listed, func(g Group) table.Row {
		return table.Row{g.Rule, s.severity(g.Severity), len(g.Findings), fmt.Sprintf("%.1f", g.Points), string(g.Effort()), s.advice(title, i, g)}
	})
	head, widths := table.Row{"Rule", "Severity", "Findings", "Points", "Effort", heading(title)}, []int{6, 8, 8, 6, 7, 0}
	if s.Width < roomy {
		const effort = 4
		head, widths = slices.Delete(head, effort, effort+1), slices.Delete(widths, effort, effort+1)
		for n := range rows {
			rows[n] = slices.Delete(rows[n], effort, effort+1)
		}
	}
	s.table(out, head, rows, widths, len(widths)-1)
	if left > 0 {
		how := "--top 0 shows all rules, --all every finding"
		if s.Preview != "" {
			how = "--json prints all"
		}
		fmt.Fprintln(out, s.wrapped(fmt.Sprintf("… and %s with %s (%.1f points); %s", show.Count(left, "more rule"),
			show.Count(findings, "finding"), points, how)))
	}
}

// heading is the head of the column that says something about a group: of new findings what to do, of others which.
func heading(title string) string {
	if title == FixedFindings || title == UnchangedFindings {
		return "Objects"
	}
	return "What to do"
}

// advice says what to do about a group: what its only finding says, or what its rule requires, and of some of the
// objects. Of a group that is fixed or unchanged it names objects.
func (s Screen) advice(title string, i offline.Assessed, g Group) string {
	if heading(title) == "Objects" {
		return show.Printable(g.Title()) + "\n" + g.Objects(false)
	}
	note := ""
	if g.Caps {
		note = "This limits the score. "
	}
	if len(g.Findings) == 1 {
		advice := note + s.single(g.Findings[0])
		if where := Where(i, g.Findings[0]); where != "" {
			advice += "\n" + placed + where
		}
		return advice
	}
	advice := note + show.Printable(g.what()) + "\n" + g.Objects(false)
	if s.Preview == "" {
		advice += "; --rule " + g.Rule + " lists all"
	}
	return advice
}

// single is a finding's message with its evidence.
func (s Screen) single(f offline.Finding) string {
	message := show.Printable(f.Message)
	if evidence := Found(f); evidence != "" {
		message += "\n" + s.paint(text.Faint, show.Printable(strings.TrimSpace(evidence)))
	}
	return message
}

// singles writes each finding of a group.
func (s Screen) singles(out *strings.Builder, i offline.Assessed, g Group) {
	title := s.wrapped(fmt.Sprintf("%s %s (%s, %.1f points)", g.Rule, show.Printable(g.Title()),
		show.Count(len(g.Findings), "finding"),
		g.Points))
	fmt.Fprintf(out, "\n%s\n", s.paint(text.Bold, title))
	rows := lists.Map(g.Findings, func(f offline.Finding) table.Row {
		return table.Row{
			s.severity(f.Severity), strings.Join(f.RuleIDs, "\n"), fmt.Sprintf("%.1f", f.Impact),
			Where(i, f), s.single(f),
		}
	})
	s.table(out, table.Row{"Severity", "Rules", "Points", "Where", "What to do"}, rows, []int{8, 6, 6, s.Width / 4, 0}, 4)
}

// Found returns the evidence of a finding, to append to its message; "" if the message contains it.
func Found(f offline.Finding) string {
	if strings.Contains(f.Message, f.Evidence) {
		return ""
	}
	return " Found: " + f.Evidence + "."
}
