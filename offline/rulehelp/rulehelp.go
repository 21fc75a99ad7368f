// Package rulehelp is what reports and help say about a rule: its page, what it requires, how to satisfy it, and which
// rule a misspelled id may mean. The texts are those of domain/readiness/explained.
package rulehelp

import (
	"fmt"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/internal/nearest"
)

// DocsURL is the address of this version's folder docs, where reports link to a rule's page. It is set when the program
// is built: go build -ldflags "-X readiness/offline/rulehelp.DocsURL=https://git.example.com/tools/readiness/src/v1.0.0/docs".
// Without it reports have no such links.
var DocsURL string

// Page returns the address of the page that explains a rule of ours, or "" if the program was built without an address.
func Page(ruleID string) string {
	if _, ours := explained.Rule(ruleID); !ours || !strings.HasPrefix(DocsURL, "https://") && !strings.HasPrefix(DocsURL, "http://") {
		return ""
	}
	return strings.TrimSuffix(DocsURL, "/") + "/rules/" + ruleID + ".md"
}

// Link returns a rule's id in Markdown, as a link to its page if there is an address.
func Link(ruleID string) string {
	if page := Page(ruleID); page != "" {
		return "[" + ruleID + "](" + page + ")"
	}
	return ruleID
}

// Requirement returns what a rule requires as a sentence, or "" for an unknown rule.
func Requirement(ruleID string) string {
	e, ok := explained.Rule(ruleID)
	if !ok {
		return ""
	}
	return e.Title + "."
}

// Fix returns how to satisfy a rule, or "" for an unknown rule.
func Fix(ruleID string) string {
	e, _ := explained.Rule(ruleID)
	return e.Fix
}

// Help returns why a rule exists and how to satisfy it, or "" for an unknown rule.
func Help(ruleID string) string {
	e, _ := explained.Rule(ruleID)
	return strings.TrimSpace(e.Why + " " + e.Fix)
}

// IDs returns the ids of a regime's rules.
func IDs(r *readiness.Regime) []string {
	var ids []string
	for _, one := range r.Rules() {
		ids = append(ids, one.ID)
	}
	return ids
}

// Unknown says that none of the ids is id.
func Unknown(ids []string, id string) string {
	return fmt.Sprintf("there is no rule %q; the closest is %s", id, nearest.Names(id, ids)[0])
}
