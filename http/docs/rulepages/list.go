package main

import (
	"fmt"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/internal/lists"
	"readiness/offline/ignore"
)

// introduction explains the words that the pages use.
const introduction = `# Rules

Each rule that scores a model or a data agent has a page here: what it judges, why, examples, how to fix a finding and how
to ignore it. In a terminal ` + "`readiness rules list` and `readiness rules show ID`" + ` show the same. [regime.md](../regime.md) says why the
score is what it is.

- *Exposed* is what an AI sees: what the AI data schema shows or, without one, what is not hidden.
- A *key* is a column that is an end of a relationship or has isKey. [regime.md](../regime.md) says what a *fact table*, a *dimension* and a
  *date table* are.
- A rule *fails* an object in full, or in part (*by half*, *by a quarter*). A part costs that part of the points, and its
  finding is one severity lower unless the page states another.
- The *weight* of a rule counts among those of its dimension, the weight of a dimension among those of the score. Only rules
  and dimensions that apply count.
- *Effort* is how long one object takes by hand: minutes, an hour or days.
- *Optimization* is the kind of change that ` + "`readiness preview` and `apply`" + ` propose and write. Other
  findings are fixed by hand.

`

// list writes the list of all rules, by dimension.
func list() string {
	var b strings.Builder
	b.WriteString(notice + introduction)
	fmt.Fprintf(&b, "These are the rules of `%s`, the published regime.\n", readiness.RegimeID)
	dimension := ""
	for _, rule := range readiness.Current().Rules() {
		if rule.Dimension != dimension {
			dimension = rule.Dimension
			weight := fmt.Sprintf("%s of 100 points in the score of a model, %s in that of a data agent", number(rule.ModelWeight),
				number(rule.AgentWeight))
			if rule.ModelWeight == 0 {
				weight = number(rule.AgentWeight) + " of 100 points in the score of a data agent"
			}
			fmt.Fprintf(&b, "\n## %s\n\n`%s`: %s.\n\n", rule.DimensionName, rule.Dimension, weight)
			b.WriteString("| Rule | Requirement | Severity | Weight | Effort | Optimization |\n|---|---|---|---|---|---|\n")
		}
		e, _ := explained.Rule(rule.ID)
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s | %s | %s |\n", rule.ID, rule.ID, e.Title, rule.Severity, number(rule.Weight),
			explained.EffortOf(rule.ID), fixes(rule))
	}
	b.WriteString("\n## Rules of the Best Practice Analyzer\n\nWhat Tabular Editor ignores by the annotation `BestPracticeAnalyzer_IgnoreRules` of an object " +
		"is ignored here too, if the rule has a counterpart. The annotation of the model covers all objects.\n\n" +
		"| Its rule | Counterparts |\n|---|---|\n")
	for _, c := range ignore.Counterparts() {
		links := lists.Map(c.Rules, func(id string) string { return fmt.Sprintf("[%s](%s.md)", id, id) })
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.ID, strings.Join(links, ", "))
	}
	return b.String()
}
