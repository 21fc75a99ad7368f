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

// ownText is the page about rules of a team, with places in braces.
//
//go:embed own.txt
var ownText string

// own returns the page about rules of a team.
func own() string {
	quoted := func(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }
	var types, functions strings.Builder
	for _, t := range ownrules.Types() {
		fmt.Fprintf(&types, "\n### %s\n\n%s", t.Name, t.Doc)
		if t.Variable != "" {
			fmt.Fprintf(&types, " In scope `%s`: `%s`.", t.Variable, t.Variable)
		}
		types.WriteString("\n\n| Member | Type | |\n|---|---|---|\n")
		for _, m := range t.Members {
			fmt.Fprintf(&types, "| %s | %s | %s |\n", m.Name, m.Type, m.Doc)
		}
	}
	for _, f := range ownrules.Functions {
		fmt.Fprintf(&functions, "- `%s()`: %s\n", f[0], f[1])
	}
	return notice + strings.NewReplacer("{scopes}", quoted(ownrules.Scopes()), "{dimensions}", quoted(readiness.Current().Dimensions()),
		"{types}", types.String(), "{functions}", functions.String(), "{examples}", ownExamples).Replace(ownText)
}
