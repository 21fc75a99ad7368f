package desk

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	layout "github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/offline/ignore"
	"readiness/offline/rulehelp"
)

func (r *desk) rulesShowCommand() *cobra.Command {
	var regime string
	c := &cobra.Command{
		Use:   "show RULE",
		Short: "Explain a rule: what it judges, why, examples, how to fix and how to ignore a finding",
		Long: `Explains a rule as the newest regime that has it defines it. Severity and weight are listed for every regime that has the
rule, or for the one of --regime. The rule's id may be in lower case.`,
		Example: `  readiness rules show DSC-01
  readiness rules show vis-02`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return rulesToComplete(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			shown, err := newShownRule(args[0], regime)
			if err != nil {
				return err
			}
			return shown.write(r.Stdout, min(screenOf(r.Stdout).Width, defaultWidth))
		},
	}
	regimeFlag(c, &regime, "", "id of the regime whose severity and weight to show; by default all that have the rule")
	return c
}

func rulesToComplete() (all []string) {
	for _, id := range explained.Rules() {
		e, _ := explained.Rule(id)
		all = append(all, cobra.CompletionWithDesc(id, e.Title))
	}
	return all
}

// shownRule is what rules show prints.
type shownRule struct {
	id      string
	text    explained.Explanation
	regimes []string // lines
	example readiness.Finding
}

// newShownRule finds a rule by its id in any letter case. With a regime, the regime must have it.
func newShownRule(written, regime string) (shownRule, error) {
	s := shownRule{id: strings.ToUpper(written)}
	var known bool
	if s.text, known = explained.Rule(s.id); !known {
		return s, cli.Usage("there is no rule %q; the closest are %s. readiness rules list lists all", written,
			strings.Join(closestRules(s.id), ", "))
	}
	regimes := readiness.Regimes()
	if regime != "" {
		one, err := regimeNamed(regime)
		if err != nil {
			return s, err
		}
		regimes = []*readiness.Regime{one}
	}
	for _, r := range regimes {
		if rule, ok := ruleIn(r, s.id); ok {
			s.regimes = append(s.regimes, regimeLine(r, rule))
		}
	}
	if s.regimes == nil {
		return s, cli.Usage("--regime: %s has no rule %s", regime, s.id)
	}
	var err error
	for _, r := range slices.Backward(readiness.Regimes()) { // the newest one that has the rule
		if _, ok := ruleIn(r, s.id); ok {
			s.example, err = s.text.Fails.Finding(r, s.id)
			break
		}
	}
	return s, err
}

func ruleIn(r *readiness.Regime, id string) (readiness.PublishedRule, bool) {
	rules := r.Rules()
	i := slices.IndexFunc(rules, func(rule readiness.PublishedRule) bool { return rule.ID == id })
	if i < 0 {
		return readiness.PublishedRule{}, false
	}
	return rules[i], true
}

func regimeLine(r *readiness.Regime, rule readiness.PublishedRule) string {
	of := "model " + weight(rule.ModelWeight) + ", data agent " + weight(rule.AgentWeight)
	if rule.ModelWeight == 0 {
		of = "data agent " + weight(rule.AgentWeight)
	}
	return fmt.Sprintf("%s: %s, weight %s in %s (%s), fix: %s", r.ID, rule.Severity, weight(rule.Weight), rule.Dimension, of,
		fixesOf(rule))
}

// closestRules returns the three ids that differ least from the one that was written.
func closestRules(written string) []string {
	ids := explained.Rules()
	slices.SortStableFunc(ids, func(a, b string) int {
		return cmp.Compare(levenshtein.ComputeDistance(a, written), levenshtein.ComputeDistance(b, written))
	})
	return ids[:3]
}

// write prints the rule; paragraphs are as wide as width at most.
func (s shownRule) write(out io.Writer, width int) error {
	var b strings.Builder
	paragraph := func(title, body string) {
		fmt.Fprintf(&b, "\n%s\n%s\n", title, wrapped(body, width))
	}
	fmt.Fprintf(&b, "%s  %s\n", s.id, s.text.Title)
	for _, line := range s.regimes {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if page := rulehelp.Page(s.id); page != "" {
		fmt.Fprintf(&b, "  %s\n", page)
	}
	paragraph("What it judges", s.text.What)
	paragraph("Why", s.text.Why+" "+s.text.Source)
	fmt.Fprintf(&b, "\nFailing example\n%s", shownExample(s.text.Fails))
	b.WriteString(wrapped(fmt.Sprintf("→ %s: %s", s.example.Severity, s.example.Message), width) + "\n")
	fmt.Fprintf(&b, "\nPassing example\n%s", shownExample(s.text.Passes))
	paragraph("How to fix", s.text.Fix)
	fmt.Fprintf(&b, "\nHow to ignore\n  In the file of --ignore:\n%s", indented(indented(ignore.EntryFor(s.id, s.example.Key))))
	if line := ignore.AnnotationFor(s.id, s.example.ObjectType); line != "" {
		fmt.Fprintf(&b, "\n  Or at the %s in the model:\n    %s\n", s.example.ObjectType, line)
	}
	fmt.Fprintf(&b, "\n  In the file of --rules, for every model:\n    rules:\n      %s: off\n", s.id)
	_, err := io.WriteString(out, b.String())
	return err
}

// shownExample returns the parts of an example, indented, with their paths.
func shownExample(e explained.Example) string {
	var b strings.Builder
	for _, p := range e.Parts {
		switch {
		case p.Times > 1:
			fmt.Fprintf(&b, "  %d times, with {n} from 1 to %d:\n", p.Times, p.Times)
		case p.Path != explained.ModelPart:
			fmt.Fprintf(&b, "  %s:\n", p.Path)
		}
		b.WriteString(indented(indented(strings.ReplaceAll(strings.TrimSpace(p.Text), "\t", "  "))) + "\n")
	}
	for _, table := range slices.Sorted(maps.Keys(e.Views)) {
		for _, name := range slices.Sorted(maps.Keys(e.Views[table])) {
			fmt.Fprintf(&b, "  views of %s[%s] in reports: %d\n", table, name, e.Views[table][name])
		}
	}
	return b.String()
}

// wrapped breaks a text into indented lines of at most width columns, without trailing spaces.
func wrapped(text string, width int) string {
	lines := strings.Split(layout.WrapSoft(text, width-2), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return indented(strings.Join(lines, "\n"))
}

// indented indents the lines that are not empty by two spaces.
func indented(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}
