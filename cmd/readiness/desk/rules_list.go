package desk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/cmd/declared"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/offline/rulehelp"
)

func (r *desk) rulesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "List and explain the scoring rules",
		Long: `Lists the rules that score semantic models and data agents, and explains each: what it judges, why, examples, how to fix a
finding and how to ignore it. docs/rules has a page for each rule with the same text.`,
		Args: cobra.NoArgs,
		RunE: cli.NeedsSubcommand,
	}
	c.AddCommand(r.rulesListCommand(), r.rulesShowCommand())
	return c
}

// regimeFlag adds --regime.
func regimeFlag(c *cobra.Command, to *string, value, what string) {
	c.Flags().StringVar(to, "regime", value, what)
	cli.Completes(c, "regime", regimeIDs()...)
}

// regimeNamed returns the regime with the id.
func regimeNamed(id string) (*readiness.Regime, error) {
	regime, ok := readiness.Find(id)
	if !ok {
		return nil, cli.Usage("--regime must be one of %s, not %q", strings.Join(regimeIDs(), ", "), id)
	}
	return regime, nil
}

func (r *desk) rulesListCommand() *cobra.Command {
	var id, format, changes string
	formats := []string{"table", "json"}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the rules of a regime with severity, weight and fix",
		Example: `  readiness rules list
  readiness rules list --format json
  readiness rules list --rules .readiness-rules.yaml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !slices.Contains(formats, format) {
				return cli.Usage("--format must be table or json, not %q", format)
			}
			regime, err := regimeNamed(id)
			if err == nil {
				regime, err = declared.ReadRules(changes, regime)
			}
			switch {
			case err != nil:
				return err
			case format == "json":
				return rulesAsJSON(r.Stdout, regime)
			}
			return listRules(r.Stdout, regime)
		},
	}
	regimeFlag(c, &id, readiness.Current().ID, "id of the regime whose rules to list")
	c.Flags().StringVar(&format, "format", "table", "output format: table or json")
	cli.Completes(c, "format", formats...)
	declared.RulesFlag(c.Flags(), &changes)
	return c
}

func listRules(out io.Writer, regime *readiness.Regime) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tDIMENSION\tSEVERITY\tWEIGHT\tFIX\tREQUIREMENT")
	for _, rule := range regime.Rules() {
		e, _ := explained.Rule(rule.ID)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", rule.ID, rule.Dimension, rule.Severity, weight(rule.Weight), fixesOf(rule), e.Title)
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
	Requirement     string            `json:"requirement"`
	// Page is the address of the rule's page, if the program was built with one.
	Page string `json:"page,omitempty"`
}

func rulesAsJSON(out io.Writer, regime *readiness.Regime) error {
	rules := []listedRule{}
	for _, rule := range regime.Rules() {
		e, _ := explained.Rule(rule.ID)
		rules = append(rules, listedRule{
			ID: rule.ID, Dimension: rule.Dimension, Severity: rule.Severity, Weight: rule.Weight, DimensionWeight: rule.ModelWeight,
			AgentWeight: rule.AgentWeight, FixKinds: append([]finding.FixKind{}, rule.FixKinds...), Requirement: e.Title,
			Page: rulehelp.Page(rule.ID),
		})
	}
	w := json.NewEncoder(out)
	w.SetEscapeHTML(false)
	w.SetIndent("", "  ")
	return w.Encode(struct {
		Regime string       `json:"regime"`
		Rules  []listedRule `json:"rules"`
	}{regime.ID, rules})
}

func weight(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func fixesOf(rule readiness.PublishedRule) string {
	var names []string
	for _, k := range rule.FixKinds {
		names = append(names, string(k))
	}
	return cmp.Or(strings.Join(names, ","), "by hand")
}
