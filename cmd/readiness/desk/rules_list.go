package desk

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/teamrules"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/internal/indentedjson"
	"readiness/internal/lists"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

func (r *desk) rulesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "List and explain the scoring rules",
		Long: `Lists the rules that score semantic models and data agents, and explains each: what it judges, why, examples, how to fix a
finding and how to ignore it. docs/rules has a page for each rule with the same text.`,
		RunE: cli.NeedsSubcommand,
	}
	c.AddCommand(r.rulesListCommand(), r.rulesShowCommand(), r.rulesTestCommand(), r.rulesImportCommand())
	return c
}

func (r *desk) rulesListCommand() *cobra.Command {
	var format string
	var files []string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the rules with severity, weight and fix",
		Example: `  readiness rules list
  readiness rules list --format json
  readiness rules list --rules .readiness-rules.yaml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			regime, err := teamrules.Regime(files)
			switch {
			case err != nil:
				return err
			case format == "json":
				return rulesAsJSON(r.Stdout, regime)
			}
			return listRules(r.Stdout, regime)
		},
	}
	cli.FormatFlag(c, &format, "table", "json")
	cli.OwnEnvironment(c, "rules-list", "format")
	teamrules.Flag(c.Flags(), &files)
	return c
}

func listRules(out io.Writer, regime *readiness.Regime) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tDIMENSION\tSEVERITY\tWEIGHT\tEFFORT\tFIX\tREQUIREMENT")
	for _, rule := range regime.Rules() {
		one := newListedRule(rule)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", rule.ID, rule.Dimension, rule.Severity, weight(rule.Weight), one.Effort, fixesOf(rule),
			show.Printable(one.Requirement))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%d rules of %s; readiness rules show RULE explains one\n", len(regime.Rules()), regime.ID)
	return err
}

// listedRule is a rule in JSON.
type listedRule struct {
	ID              string            `json:"id"`
	Dimension       string            `json:"dimension"`
	Severity        finding.Severity  `json:"severity"`
	Weight          float64           `json:"weight"`
	DimensionWeight float64           `json:"dimension_weight"`
	AgentWeight     float64           `json:"dimension_weight_data_agent"`
	FixKinds        []finding.FixKind `json:"fix_kinds"`
	Effort          explained.Effort  `json:"effort"`
	Requirement     string            `json:"requirement"`
	// Page is the address of the rule's page, if the program was built with one.
	Page string `json:"page,omitempty"`
	// Own is a rule that a team wrote.
	Own *readiness.OwnRule `json:"own,omitempty"`
}

func rulesAsJSON(out io.Writer, regime *readiness.Regime) error {
	rules := []listedRule{}
	for _, rule := range regime.Rules() {
		rules = append(rules, newListedRule(rule))
	}
	return indentedjson.Write(out, struct {
		Regime string       `json:"regime"`
		Rules  []listedRule `json:"rules"`
	}{regime.ID, rules})
}

func newListedRule(rule readiness.PublishedRule) listedRule {
	if own := rule.Own; own != nil {
		return listedRule{ID: rule.ID, Dimension: rule.Dimension, Severity: rule.Severity, Weight: rule.Weight, DimensionWeight: rule.ModelWeight,
			AgentWeight: rule.AgentWeight, FixKinds: []finding.FixKind{}, Effort: explained.Effort(own.Effort), Requirement: own.Title, Own: own}
	}
	e, _ := explained.Rule(rule.ID)
	return listedRule{
		ID: rule.ID, Dimension: rule.Dimension, Severity: rule.Severity, Weight: rule.Weight, DimensionWeight: rule.ModelWeight,
		AgentWeight: rule.AgentWeight, FixKinds: append([]finding.FixKind{}, rule.FixKinds...), Effort: explained.EffortOf(rule.ID), Requirement: e.Title,
		Page: rulehelp.Page(rule.ID),
	}
}

func weight(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func fixesOf(rule readiness.PublishedRule) string {
	names := lists.Map(rule.FixKinds, func(k finding.FixKind) string { return string(k) })
	return cmp.Or(strings.Join(names, ","), "by hand")
}
