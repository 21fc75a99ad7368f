package main

import (
	_ "embed" // the examples
	"fmt"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/ownrules"
)

// ownExamples are the worked examples; cmd/readiness/teamrules runs their tests.
//
//go:embed own.yaml
var ownExamples string

const ownText = `# Rules of your own

A file of ` + "`--rules`" + ` turns rules of the score off, gives them another severity, and holds rules that a team wrote. ` +
	"`readiness assess`, `lsp`, `mcp`, `preview` and `apply`" + ` take it; the flag can be repeated. An editor's folder has it as ` +
	"`readiness-rules.yaml`" + `. The service has no rules of a team.

` + "```yaml" + `
version: 1
rules:                  # rules of the score: off, low, medium or high
  NAM-01: off
own:
  - id: CON-02
    title: Visible measure without a format
    scope: measure
    when: measure.isExposed && measure.formatString == ""
    message: "say how the numbers of {measure.name} look"
` + "```" + `

| Member | |
|---|---|
| id | a prefix that no rule of the score has, in capitals, a hyphen, and a number or words: CON-01 |
| title | what is wrong with one object, without a full stop |
| scope | what it judges: %s |
| when | an expression in [CEL](https://cel.dev) that is true for an object that violates the rule |
| message | what to do; an expression in braces is replaced by its value, and {{ is a brace |
| severity | low, medium (if absent) or high |
| effort | minutes (if absent), hour or days, for one object |
| why, fix | sentences, may be absent |
| dimension | makes the rule part of the score: %s |
| weight | 1 (if absent) to 5, in the dimension |
| tests | models in TMDL, and the names of the objects in each that violate the rule |

A rule without a dimension changes no score. With one, the regime's id ends in the file's ` + "`name`" + ` and a hash, as in ` +
	"`2027-01+contoso@0a1b2c3d`" + `: scores are compared only with scores of the same rules, also with those of a baseline.

` + "```bash" + `
readiness rules test --rules readiness-rules.yaml       # runs the tests in the file
readiness rules show CON-02 --rules readiness-rules.yaml
readiness rules list --rules readiness-rules.yaml
readiness assess models --rules readiness-rules.yaml
` + "```" + `

Findings stand with the others in every format, and can be ignored in the same way, by file or annotation. What cannot work is an error with line and column before anything is assessed:
an unknown member, a wrong type, an expression that is the same for every object, a pattern that is none, an id twice. What fails only on a model (a division by zero, a key that is not there) leaves the rule out of
that model: a warning says which rule, why and at which object, JUnit has an error, and in a dimension the score lacks the rule. The same holds for a rule that takes more than a million steps for an object, 20 million for a model, or
if all rules take more than 50 million; a step is about a value that is read or compared. A rule that all objects violate, if there are five or more, is a warning.

`

const importText = `## From the Best Practice Analyzer

` + "`readiness rules import BPARules.json --output readiness-rules.yaml`" + ` turns rules of Tabular Editor's Best Practice Analyzer, whose expressions are Dynamic LINQ, into rules of your own,
and lists those that it leaves out with the reason: mostly statistics of data, security, perspectives and translations, which rules do not see. Of the published sets it imports:

| Set | Rules | Imported |
|---|---:|---:|
| Microsoft, Analysis-Services | 71 | 37 |
| Tabular Editor, Power BI | 26 | 8 |
| Tabular Editor, standard | 29 | 8 |
| Tabular Editor, standard-lax | 19 | 9 |

What is hidden here includes what its table hides. A comment names the [counterpart](README.md) of a rule that the score has.

`

// own returns the page about rules of a team.
func own() string {
	var b strings.Builder
	b.WriteString(notice)
	var dimensions []string
	for _, id := range readiness.Current().Dimensions() {
		dimensions = append(dimensions, "`"+id+"`")
	}
	fmt.Fprintf(&b, ownText, "`"+strings.Join(ownrules.Scopes(), "`, `")+"`", strings.Join(dimensions, ", "))
	b.WriteString("## What expressions see\n\nA rule sees `model`, and the object that it judges under the name of its scope. Objects have these members; " +
		"every one is there, and empty if the model does not have it.\n")
	for _, t := range ownrules.Types() {
		fmt.Fprintf(&b, "\n### %s\n\n%s", t.Name, t.Doc)
		if t.Variable != "" {
			fmt.Fprintf(&b, " In scope `%s`: `%s`.", t.Variable, t.Variable)
		}
		b.WriteString("\n\n| Member | Type | |\n|---|---|---|\n")
		for _, m := range t.Members {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", m.Name, m.Type, m.Doc)
		}
	}
	b.WriteString("\n### Functions\n\nThose of CEL: `&&`, `||`, `!`, `==`, `in`, `? :`, `size`, `contains`, `startsWith`, `endsWith`, `matches` (RE2), and of lists " +
		"`all`, `exists`, `exists_one`, `filter`, `map`, at most three in each other. And of texts:\n\n")
	for _, f := range ownrules.Functions {
		fmt.Fprintf(&b, "- `%s()`: %s\n", f[0], f[1])
	}
	b.WriteString("\n" + importText + "## Ten worked examples\n\n[own.yaml](own.yaml) has them as a file.\n\n```yaml\n" + ownExamples + "```\n")
	return b.String()
}
