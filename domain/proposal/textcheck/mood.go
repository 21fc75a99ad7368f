package textcheck

import (
	"strings"

	"readiness/domain/proposal/textcheck/wordlist"
	"readiness/internal/lateregexp"
)

// commands reports whether a clause of a description is in the imperative, with a verb that is none of stating or using data, or says
// what an AI has to do.
func commands(clause string) bool {
	if imperative(withoutFillers(clause)) || artificial(clause) {
		return true
	}
	rest, denied := after(clause, wordlist.Denials)
	if !denied {
		return false
	}
	for _, list := range [][]string{wordlist.Bare, wordlist.BareOrNoun, wordlist.Speaking} {
		if what, ok := after(rest, list); ok && governs(what) {
			return true
		}
	}
	return false
}

func imperative(clause string) bool {
	if rest, ok := after(clause, wordlist.Bare); ok {
		return governs(rest)
	}
	rest, ok := after(clause, wordlist.BareOrNoun)
	if !ok {
		return false
	}
	_, ok = after(rest, wordlist.Objects)
	return ok
}

// maxSubject is how many words may stand between an AI and what it must do: "any assistant that sees this field ought to".
const maxSubject = 6

// artificial reports whether a clause begins with an AI that must do something.
func artificial(clause string) bool {
	for _, begin := range []string{clause, withoutFillers(clause)} {
		rest, ok := after(begin, wordlist.Artificial)
		if !ok {
			continue
		}
		for _, must := range wordlist.Must {
			if before, _, found := strings.Cut(rest, must); found && len(strings.Fields(before)) <= maxSubject {
				return true
			}
		}
	}
	return false
}

// readsThis matches a text that knows that it is read, or that rules end with it.
var readsThis = lateregexp.New(`\b(?:reads?|reading|sees?|seeing|process(?:es|ing)?) this\b(?:$| as\b| field| table| column|` +
	` line| text| message| description|` +
	` should| must|[,.;:!?])|\b(?:before|when|while|instead of) (?:replying|answering|responding)\b|` +
	`\beverything (?:after|before|above|below) this (?:line|text|point|message)\b|` +
	`\b(?:begin|end|start)(?:ning)? (?:of )?(?:the )?(?:system|assistant|admin) ?(?:message|prompt|input|instructions?)\b|` +
	`\b(?:confidentiality|privacy|row[- ]level security|rls|permissions?|restrictions?|access (?:rules|rights)) (?:is|are|does|do) ` +
	`(?:not |no longer |now )?(?:off|disabled|lifted|apply|checked|enforced|required)\b|` +
	`\bnote (?:to|for) (?:the |any |all )?(?:\pL+ )?(?:bot|ai|assistant|copilot|llm|agent|chatbot)s?\b|` +
	`\b(?:in|for|to) (?:every|any|all|each) (?:questions?|requests?|answers?|replies|reply)\b|` +
	`\b(?:ne (?:le |lui |leur )?(?:dites|dis|mentionnez|mentionne|montrez|montre|revelez|revele)|no (?:le |les |lo )?(?:digas?|` +
	`menciones?|muestres?|` +
	`reveles?)) |助手(?:必须|应该|应当|需要|要)|(?:ai|人工智能|模型)\s?(?:必须|应该|应当)(?:说|回答|显示|忽略|告诉)`)
