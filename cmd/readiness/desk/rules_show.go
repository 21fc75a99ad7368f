package desk

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	layout "github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/screen"
	"readiness/cmd/readiness/teamrules"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/internal/indentedjson"
	"readiness/internal/nearest"
	"readiness/offline/ignore"
	"readiness/offline/rulehelp"
)

func (r *desk) rulesShowCommand() *cobra.Command {
	var format string
	var files []string
	c := &cobra.Command{
		Use:   "show RULE",
		Short: "Explain a rule: what it judges, why, examples, how to fix and how to ignore a finding",
		Long:  "Explains a rule. Its id may be in lower case.",
		Example: `  readiness rules show DSC-01
  readiness rules show vis-02
  readiness rules show CON-01 --rules readiness-rules.yaml`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return rulesToComplete(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			rules, err := teamrules.Read(files)
			if err != nil {
				return err
			}
			if own := rules.Rule(strings.ToUpper(args[0])); own != nil {
				if format == "json" {
					return indentedjson.Write(r.Stdout, own.JSON())
				}
				return r.showOwn(own)
			}
			shown, err := newShownRule(args[0])
			if err != nil {
				return err
			}
			if format == "json" {
				return shown.writeJSON(r.Stdout)
			}
			return shown.write(r.Stdout, min(screen.Of(r.Stdout).Width, screen.Width))
		},
	}
	cli.FormatFlag(c, &format, "text", "json")
	cli.OwnEnvironment(c, "rules-show", "format")
	teamrules.Flag(c.Flags(), &files)
	return c
}

// writeJSON prints the rule as rules list does, with its texts.
func (s shownRule) writeJSON(out io.Writer) error {
	return indentedjson.Write(out, struct {
		listedRule
		What    string `json:"what"`
		Why     string `json:"why"`
		Source  string `json:"source"`
		Finding string `json:"finding"`
		Fix     string `json:"fix"`
	}{newListedRule(s.rule), s.text.What, s.text.Why, s.text.Source.String(), s.example.Message, s.text.Fix})
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
	rule    readiness.PublishedRule
	example readiness.Finding
}

// newShownRule finds a rule by its id in any letter case.
func newShownRule(written string) (shownRule, error) {
	s := shownRule{id: strings.ToUpper(written)}
	var known bool
	if s.text, known = explained.Rule(s.id); !known {
		return s, cli.Usage("there is no rule %q; the closest are %s. readiness rules list lists all", written,
			strings.Join(nearest.Names(s.id, explained.Rules())[:3], ", "))
	}
	var err error
	s.rule, _ = readiness.Current().Rule(s.id)
	s.example, err = s.text.Fails.Finding(readiness.Current(), s.id)
	return s, err
}

func regimeLine(rule readiness.PublishedRule) string {
	of := "model " + weight(rule.ModelWeight) + ", data agent " + weight(rule.AgentWeight)
	if rule.ModelWeight == 0 {
		of = "data agent " + weight(rule.AgentWeight)
	}
	return fmt.Sprintf("%s: %s, weight %s in %s (%s), effort: %s, fix: %s", readiness.RegimeID, rule.Severity, weight(rule.Weight), rule.Dimension, of,
		explained.EffortOf(rule.ID), fixesOf(rule))
}

// write prints the rule; paragraphs are as wide as width at most.
func (s shownRule) write(out io.Writer, width int) error {
	var b strings.Builder
	paragraph := func(title, body string) {
		fmt.Fprintf(&b, "\n%s\n%s\n", title, wrapped(body, width))
	}
	fmt.Fprintf(&b, "%s  %s\n", s.id, s.text.Title)
	fmt.Fprintf(&b, "  %s\n", regimeLine(s.rule))
	if page := rulehelp.Page(s.id); page != "" {
		fmt.Fprintf(&b, "  %s\n", page)
	}
	paragraph("What it judges", s.text.What)
	paragraph("Why", s.text.Why+" "+s.text.Source.String())
	for _, f := range s.text.Source.Facts {
		paragraph("Source", strings.ReplaceAll(f.Cite(explained.Released), "**", ""))
	}
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
