package main

import (
	"fmt"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
)

// introduction explains the words that the pages use.
const introduction = `# Rules

Each rule that scores a model or a data agent has a page here: what it judges, why, examples, how to fix a finding and how
to ignore it. In a terminal ` + "`readiness rules list` and `readiness rules show ID`" + ` show the same. docs/regime.md has the exact
rules, and [regime-precision.md](../regime-precision.md) the departures from it.

- *Exposed* is what an AI sees: what the AI data schema shows or, without one, what is not hidden (docs/regime.md C.1).
- A *key* is a column that is an end of a relationship or has isKey. *Fact table*, *dimension* and *date table* are those of
  docs/regime.md C.1 and docs/regime.md H.3.
- A rule *fails* an object in full, or in part (*by half*, *by a quarter*). A part costs that part of the points, and its
  finding is one severity lower unless the page states another.
- The *weight* of a rule counts among those of its dimension, the weight of a dimension among those of the score. Only rules
  and dimensions that apply count (docs/regime.md C.2).
- *Optimization* is the kind of change that ` + "`readiness preview` and `apply`" + ` propose and write. Other
  findings are fixed by hand.

`

// list writes the list of all rules, as the newest regime has them.
func list(regimes []*readiness.Regime) string {
	var b strings.Builder
	b.WriteString(notice + introduction)
	var ids []string
	for _, r := range regimes {
		ids = append(ids, "`"+r.ID+"`")
	}
	newest := regimes[len(regimes)-1]
	fmt.Fprintf(&b, "The published regimes are %s. The tables show `%s`; a rule's page shows each regime that has it.\n",
		strings.Join(ids, " and "), newest.ID)
	dimension := ""
	for _, rule := range newest.Rules() {
		if rule.Dimension != dimension {
			dimension = rule.Dimension
			weight := fmt.Sprintf("%s of 100 points in the score of a model, %s in that of a data agent", number(rule.ModelWeight),
				number(rule.AgentWeight))
			if rule.ModelWeight == 0 {
				weight = number(rule.AgentWeight) + " of 100 points in the score of a data agent"
			}
			fmt.Fprintf(&b, "\n## %s\n\n`%s`: %s.\n\n", rule.DimensionName, rule.Dimension, weight)
			b.WriteString("| Rule | Requirement | Severity | Weight | Optimization |\n|---|---|---|---|---|\n")
		}
		e, _ := explained.Rule(rule.ID)
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s | %s |\n", rule.ID, rule.ID, e.Title, rule.Severity, number(rule.Weight), fixes(rule))
	}
	return b.String()
}
