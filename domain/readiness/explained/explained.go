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
	// Why says what goes wrong otherwise. Source says where it is documented that an AI
	// reads this, or that nothing says so.
	Why, Source string
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

// Sources that several explanations cite.
const (
	fieldsAreGiven = "Every kind of AI is given the tables and fields that it sees, by name (docs/regime.md A.0 (1)). Agents answer " +
		"best in English, so names are judged as English (docs/regime.md A.0 (5))."
	descriptionsAreGiven = "Descriptions are given to every kind of AI: complete to a generic agent, cut after 200 characters to the " +
		"platform's assistant and to data agents (docs/regime.md A.0 (1) and A.0 (5))."
	relationshipsAreGiven = "Every kind of AI is given the relationships between the tables that it sees, even if their columns are " +
		"not visible (docs/regime.md A.0 (2))."
	schemaIsUsed = "DAX generation uses the schema of the model (docs/regime.md A.0 (5)); every kind of AI is given the tables and " +
		"fields that it sees (docs/regime.md A.0 (1))."
	exposureDecides = "The platform's assistant and data agents are given only what is exposed, by the AI data schema first and by " +
		"isHidden second (docs/regime.md A.0 (1) and A.0 (5))."
	instructionsAreGiven = "AI instructions are given to the platform's assistant and to data agents, and to no generic agent " +
		"(docs/regime.md A.0 (1) and A.0 (4))."
	answersAreGiven = "A verified answer steers the DAX of a data agent (docs/regime.md A.0 (5)). An AI is given it only if the answer " +
		"has a field and all its fields are visible (docs/regime.md A.0 (2))."
	synonymsAreGiven = "DAX generation of a data agent uses synonyms (docs/regime.md A.0 (5)); the platform's assistant is given them, " +
		"too (docs/regime.md A.0 (1))."
	nothingSaysSo = "No fact of docs/regime.md A.0 states that an AI reads this property. "
)
