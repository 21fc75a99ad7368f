// Package explained explains the scoring rules to people: what each judges, why, and how to
// satisfy it, with an example that fails and one that passes.
package explained

import (
	"maps"
	"slices"
)

// Explanation explains a rule to people: what it judges, why, and how to satisfy it. It
// describes the rule of the newest regime that has it. The texts are Markdown without
// links; a document is cited by its path from the repository's root.
type Explanation struct {
	// Name is the rule in one word. Title is what the rule requires, without a full
	// stop.
	Name, Title string
	// What says which objects are judged, when they fail and how severe that is.
	What string
	// Why says what goes wrong otherwise.
	Why string
	// Source has the facts and conventions that this rests on.
	Source Source
	// Fails has a finding of the rule, and Passes has none.
	Fails, Passes Example
	Fix           string
}

// explanations are the explanations of all rules, by id.
var explanations = merged(
	descriptionsExplained, namingExplained, measuresExplained, typesExplained, relationshipsExplained, visibilityExplained,
	instructionsExplained, answersExplained, synonymsExplained, timeExplained, agentsExplained,
)

func merged(parts ...map[string]Explanation) map[string]Explanation {
	all := map[string]Explanation{}
	for _, p := range parts {
		maps.Copy(all, p)
	}
	return all
}

// Rule returns the explanation of a rule, or false when there is none.
func Rule(ruleID string) (Explanation, bool) {
	e, ok := explanations[ruleID]
	return e, ok
}

// Rules returns the ids of the rules that have an explanation, in order.
func Rules() []string { return slices.Sorted(maps.Keys(explanations)) }
