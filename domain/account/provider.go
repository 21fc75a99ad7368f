package account

import "encoding/json"

// IsDataAgent reports whether the AI provider that a document of the account
// (AIProviderDocument) describes is a data agent, which is asked as the person.
func IsDataAgent(document string) bool {
	var p AIProvider
	return json.Unmarshal([]byte(document), &p) == nil && p.Kind == ProviderDataAgent
}
