package offline

import "strings"

// docsURL is the address of this version's folder docs, where reports link to a rule's page. It is set when the program
// is built: go build -ldflags "-X readiness/offline.docsURL=https://git.example.com/tools/readiness/src/v1.0.0/docs".
// Without it reports have no such links.
var docsURL string

// RulePage returns the address of the page that explains a rule, or "" if the program was built without an address.
func RulePage(ruleID string) string {
	if docsURL == "" {
		return ""
	}
	return strings.TrimSuffix(docsURL, "/") + "/rules/" + ruleID + ".md"
}
