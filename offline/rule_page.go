package offline

import (
	"strings"

	"readiness/domain/readiness/explained"
)

// docsURL is the address of this version's folder docs, where reports link to a rule's page. It is set when the program
// is built: go build -ldflags "-X readiness/offline.docsURL=https://git.example.com/tools/readiness/src/v1.0.0/docs".
// Without it reports have no such links.
var docsURL string

// RulePage returns the address of the page that explains a rule, or "" if the program was built without an address.
func RulePage(ruleID string) string {
	if !strings.HasPrefix(docsURL, "https://") && !strings.HasPrefix(docsURL, "http://") {
		return ""
	}
	return strings.TrimSuffix(docsURL, "/") + "/rules/" + ruleID + ".md"
}

// LinkedRule returns a rule's id in Markdown, as a link to its page if there is an address.
func LinkedRule(ruleID string) string {
	if page := RulePage(ruleID); page != "" {
		return "[" + ruleID + "](" + page + ")"
	}
	return ruleID
}

// RequirementOf returns what a rule requires as a sentence, or "" for an unknown rule.
func RequirementOf(ruleID string) string {
	e, ok := explained.Rule(ruleID)
	if !ok {
		return ""
	}
	return e.Title + "."
}

// FixOf returns how to satisfy a rule, or "" for an unknown rule.
func FixOf(ruleID string) string {
	e, _ := explained.Rule(ruleID)
	return e.Fix
}

// HelpOf returns why a rule exists and how to satisfy it, or "" for an unknown rule.
func HelpOf(ruleID string) string {
	e, _ := explained.Rule(ruleID)
	return strings.TrimSpace(e.Why + " " + e.Fix)
}
