package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"readiness/domain/item"
	"readiness/domain/readiness/explained"
	"readiness/internal/lists"
	"readiness/offline"
	"readiness/offline/show"
)

const (
	// FirstTitle is the heading of what to do first.
	FirstTitle = "What to do first"
	// maxSteps is how many steps are listed.
	maxSteps = 6
	// namedFaults is how many faults the step about proposals names.
	namedFaults = 3
)

// Step is something to do: what a rule finds by hand, or to look through all proposals.
type Step struct {
	// Rules are the rules whose findings are mended.
	Rules []string
	What  string
	// Command proposes the changes; "" for what is done by hand.
	Command string
	Effort  explained.Effort
	// Gain is by how much the score rises after the steps before; by proposals at most.
	Gain    float64
	minutes int
}

// First returns what to do first: what makes answers wrong and wrong relationships, then the proposals, then what gives the most points
// for the effort. If the listing has minutes, they are the steps that fit into them. There are none beside a baseline, or if only some findings are listed.
func (l Listing) First(i offline.Assessed) []Step {
	if l.Filtered() || i.Since != nil || i.Result.Score == nil {
		return nil
	}
	var urgent, proposed, rest []Group
	for _, g := range l.Groups(i, i.Findings) {
		switch {
		case g.Points == 0: // a team's rule outside of the score
		case g.Urgent(), g.Misleads():
			urgent = append(urgent, g)
		case len(g.Kinds) > 0 && i.Type == item.SemanticModel:
			proposed = append(proposed, g)
		default:
			rest = append(rest, g)
		}
	}
	var steps []Step
	var done []explained.Task
	left := l.Minutes
	add := func(s Step, of ...Group) {
		if len(of) == 0 || len(steps) == maxSteps || l.Minutes > 0 && s.minutes > left {
			return
		}
		left -= s.minutes
		before := explained.Gain(i.Result, done...)
		for _, g := range of {
			s.Rules, done = append(s.Rules, g.Rule), append(done, g.Task)
		}
		s.Gain = explained.Gain(i.Result, done...) - before
		steps = append(steps, s)
	}
	for _, g := range urgent {
		add(byHand(g), g)
	}
	add(l.byProposals(i, proposed), proposed...)
	for _, g := range rest {
		add(byHand(g), g)
	}
	return steps
}

func byHand(g Group) Step {
	title := strings.TrimSuffix(show.Printable(g.Title()), ".")
	if objects := g.Objects(false); objects != "the model" {
		title += ": " + objects
	}
	return Step{What: title, Effort: g.Effort(), minutes: g.Minutes()}
}

func (l Listing) byProposals(i offline.Assessed, all []Group) Step {
	var tasks []explained.Task
	for _, g := range all {
		tasks = append(tasks, g.Task)
	}
	minutes := explained.Reading(tasks...)
	slices.SortStableFunc(all, func(a, b Group) int { return cmp.Compare(b.Points, a.Points) })
	faults := lists.Map(all[:min(namedFaults, len(all))], func(g Group) string { return strings.TrimSuffix(g.Title(), ".") })
	what := "Read the proposals and write those that are right (points at most): " + strings.Join(faults, "; ")
	if more := len(all) - len(faults); more > 0 {
		what += "; and " + show.Count(more, "more rule")
	}
	command := cmp.Or(l.Preview, "readiness preview "+show.ShellPath(show.Printable(i.Path)))
	return Step{What: what, Command: command, Effort: explained.EffortIn(minutes), minutes: minutes}
}

// Rule returns the rule of a step, or "proposed".
func (s Step) Rule() string {
	if s.Command != "" {
		return "proposed"
	}
	return s.Rules[0]
}

// Points returns the gain as people read it.
func (s Step) Points() string { return fmt.Sprintf("%+.1f", s.Gain) }

// first writes what to do first.
func (s Screen) first(out *strings.Builder, i offline.Assessed) {
	steps := s.First(i)
	if len(steps) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s\n", s.paint(text.Bold, FirstTitle))
	rows := make([]table.Row, len(steps))
	command := ""
	for n, one := range steps {
		command += one.Command // of one step at most
		rows[n] = table.Row{one.Points(), string(one.Effort), one.Rule(), one.What}
	}
	s.table(out, table.Row{"Points", "Effort", "Rule", "What to do"}, rows, []int{6, 7, 8, 0}, 3)
	if command != "" {
		fmt.Fprintf(out, "proposed: %s\n", command) // in one line, to be copied
	}
}

// first writes what to do first.
func (m *markdown) first(i offline.Assessed) {
	steps := m.First(i)
	if len(steps) == 0 {
		return
	}
	fmt.Fprintf(m, "\n### %s\n\n", FirstTitle)
	for n, one := range steps {
		fmt.Fprintf(m, "%d. **%s, %s**: %s", n+1, one.Points(), one.Effort, show.MarkdownText(one.What))
		if one.Command != "" {
			fmt.Fprintf(m, " (`%s`)", strings.ReplaceAll(one.Command, "`", ""))
		} else {
			fmt.Fprintf(m, " (%s)", one.Rule())
		}
		m.WriteString("\n")
	}
}
