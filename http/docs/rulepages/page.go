package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/offline/ignore"
)

// of is a rule in a regime.
type of struct {
	regime string
	readiness.PublishedRule
}

// rulePage is what a page shows.
type rulePage struct {
	id      string
	text    explained.Explanation
	regimes []of              // that have the rule, oldest first
	finding readiness.Finding // of the failing example
}

func newRulePage(id string, regimes []*readiness.Regime) (rulePage, error) {
	p := rulePage{id: id}
	p.text, _ = explained.Rule(id)
	var newest *readiness.Regime
	for _, r := range regimes {
		for _, rule := range r.Rules() {
			if rule.ID == id {
				p.regimes, newest = append(p.regimes, of{r.ID, rule}), r
			}
		}
	}
	if newest == nil {
		return p, fmt.Errorf("no regime has the rule")
	}
	if f, err := p.text.Passes.Finding(newest, id); err == nil {
		return p, fmt.Errorf("the passing example has the finding %q", f.Message)
	}
	f, err := p.text.Fails.Finding(newest, id)
	p.finding = f
	return p, err
}

// String writes the page.
func (p rulePage) String() string {
	var b strings.Builder
	b.WriteString(notice)
	newest := p.regimes[len(p.regimes)-1]
	fmt.Fprintf(&b, "# %s: %s\n\n", p.id, p.text.Title)
	fmt.Fprintf(&b, "Dimension: %s. [All rules](README.md). In a terminal: `readiness rules show %s`.\n\n", newest.DimensionName, p.id)
	b.WriteString("| Regime | Severity | Weight in the dimension | Weight of the dimension, model | data agent | Optimization |\n")
	b.WriteString("|---|---|---|---|---|---|\n")
	for _, o := range p.regimes {
		model := number(o.ModelWeight)
		if o.ModelWeight == 0 {
			model = "–"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", o.regime, o.Severity, number(o.Weight), model, number(o.AgentWeight),
			fixes(o.PublishedRule))
	}
	fmt.Fprintf(&b, "\n## What it judges\n\n%s\n", p.text.What)
	if older := p.regimes[0]; len(p.regimes) > 1 {
		part := "C.4"
		if newest.Dimension == "agent" {
			part = "C.6"
		}
		fmt.Fprintf(&b, "\nThis is the rule of `%s`. The exact rule of `%s` is in docs/regime.md %s; docs/regime.md H states what "+
			"`%s` changes.\n",
			newest.regime, older.regime, part, newest.regime)
	}
	fmt.Fprintf(&b, "\n## Why\n\n%s\n\n%s\n", p.text.Why, p.text.Source)
	fmt.Fprintf(&b, "\n## Failing example\n\n%s", example(p.text.Fails))
	fmt.Fprintf(&b, "The finding, of %s severity:\n\n> %s\n", p.finding.Severity, quoted(p.finding.Message))
	fmt.Fprintf(&b, "\n## Passing example\n\n%s", example(p.text.Passes))
	fmt.Fprintf(&b, "## How to fix\n\n%s\n", p.text.Fix)
	if kinds := newest.FixKinds; len(kinds) > 0 {
		fmt.Fprintf(&b, "\n`readiness preview --kind %s` proposes changes, and `readiness apply` writes them.\n", joined(kinds))
	}
	b.WriteString("\n" + p.ignore())
	return b.String()
}

func joined(kinds []finding.FixKind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ",")
}

// quoted escapes a message, which is no Markdown.
func quoted(message string) string {
	return escaped.Replace(message)
}

var escaped = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "]", `\]`, "#", `\#`, "|", `\|`)

// languages are the languages of code blocks, by the end of a part's name.
var languages = map[string]string{".tmdl": "tmdl", ".json": "json", ".md": "markdown", ".pbism": "json"}

// example writes the parts of an example, each as a block with its path; TMDL, which may be in several files, without.
func example(e explained.Example) string {
	var b strings.Builder
	for _, p := range e.Parts {
		switch {
		case p.Times > 1:
			fmt.Fprintf(&b, "%d times, with {n} from 1 to %d:\n\n", p.Times, p.Times)
		case p.Path != explained.ModelPart:
			fmt.Fprintf(&b, "`%s`:\n\n", p.Path)
		}
		fmt.Fprintf(&b, "```%s\n%s\n```\n\n", languages[path.Ext(p.Path)], strings.TrimSpace(p.Text))
	}
	if e.Views != nil {
		b.WriteString("Views in reports: " + views(e.Views) + "; other fields have none.\n\n")
	}
	return b.String()
}

// views lists the views of fields.
func views(of map[string]map[string]int64) string {
	var all []string
	for table, fields := range of {
		for name, n := range fields {
			all = append(all, fmt.Sprintf("%s[%s] %d", table, name, n))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// ignore says how to accept the finding of the failing example.
func (p rulePage) ignore() string {
	var b strings.Builder
	b.WriteString("## How to ignore\n\nIn a file that `--ignore` of `readiness assess`, `preview` and `apply` names:\n\n")
	fmt.Fprintf(&b, "```yaml\n%s```\n\n", ignore.EntryFor(p.id, p.finding.Key))
	b.WriteString("An entry without `table` or `object` covers all of them; `model` limits it to one model or data agent.\n")
	if line := ignore.AnnotationFor(p.id, p.finding.ObjectType); line != "" {
		fmt.Fprintf(&b, "\nOr as an annotation of the %s:\n\n```tmdl\n%s\n```\n", p.finding.ObjectType, line)
	}
	b.WriteString("\nA file that `--rules` names turns the rule off for every model, or gives it another severity (docs/regime.md J):\n\n")
	fmt.Fprintf(&b, "```yaml\nrules:\n  %s: off\n```\n", p.id)
	return b.String()
}
