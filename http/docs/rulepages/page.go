package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/internal/lists"
	"readiness/offline/ignore"
)

// rulePage is what a page shows.
type rulePage struct {
	id      string
	text    explained.Explanation
	rule    readiness.PublishedRule
	finding readiness.Finding // of the failing example
}

func newRulePage(id string) (rulePage, error) {
	p := rulePage{id: id}
	p.text, _ = explained.Rule(id)
	current := readiness.Current()
	var known bool
	if p.rule, known = current.Rule(id); !known {
		return p, fmt.Errorf("there is no such rule")
	}
	if f, err := p.text.Passes.Finding(current, id); err == nil {
		return p, fmt.Errorf("the passing example has the finding %q", f.Message)
	}
	f, err := p.text.Fails.Finding(current, id)
	p.finding = f
	return p, err
}

// String writes the page.
func (p rulePage) String() string {
	var b strings.Builder
	b.WriteString(notice)
	fmt.Fprintf(&b, "# %s: %s\n\n", p.id, p.text.Title)
	fmt.Fprintf(&b, "Dimension: %s. [All rules](README.md). In a terminal: `readiness rules show %s`.\n\n", p.rule.DimensionName, p.id)
	b.WriteString("| Severity | Weight in the dimension | Weight of the dimension, model | data agent | Effort | Optimization |\n")
	b.WriteString("|---|---|---|---|---|---|\n")
	model := number(p.rule.ModelWeight)
	if p.rule.ModelWeight == 0 {
		model = "–"
	}
	fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", p.rule.Severity, number(p.rule.Weight), model, number(p.rule.AgentWeight),
		explained.EffortOf(p.id), fixes(p.rule))
	fmt.Fprintf(&b, "\n## What it judges\n\n%s\n", p.text.What)
	fmt.Fprintf(&b, "\n## Why\n\n%s\n\nThis rests on:\n\n", p.text.Why)
	for _, f := range p.text.Source.Facts {
		fmt.Fprintf(&b, "- %s %s\n", f.Says, f.Cite(explained.Released))
	}
	if also := p.text.Source.Also; also != "" {
		fmt.Fprintf(&b, "\n%s\n", also)
	}
	fmt.Fprintf(&b, "\n## Failing example\n\n%s", example(p.text.Fails))
	fmt.Fprintf(&b, "The finding, of %s severity:\n\n> %s\n", p.finding.Severity, quoted(p.finding.Message))
	fmt.Fprintf(&b, "\n## Passing example\n\n%s", example(p.text.Passes))
	fmt.Fprintf(&b, "## How to fix\n\n%s\n", p.text.Fix)
	if kinds := p.rule.FixKinds; len(kinds) > 0 {
		fmt.Fprintf(&b, "\n`readiness preview --kind %s` proposes changes, and `readiness apply` writes them.\n", joined(kinds))
	}
	b.WriteString("\n" + p.ignore())
	return b.String()
}

func joined(kinds []finding.FixKind) string {
	names := lists.Map(kinds, func(k finding.FixKind) string { return string(k) })
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
	b.WriteString("\nA file that `--rules` names turns the rule off for every model, or gives it another severity:\n\n")
	fmt.Fprintf(&b, "```yaml\nrules:\n  %s: off\n```\n", p.id)
	return b.String()
}
