// Package textcheck checks texts that an AI provider proposes before they become proposals.
// Such a text is data from outside: it may hold hidden characters, links, markup, secrets,
// names that the model does not have, another language, or orders to the people and the AI
// that read the model later. The checks work on words and signs, so a text that is written
// to deceive a reader in a new way can pass them.
package textcheck

import (
	"strings"
	"unicode/utf8"

	"readiness/domain/proposal"
)

// Reason is why a text is dropped.
type Reason string

// The reasons.
const (
	Hidden    Reason = "hidden"
	LookAlike Reason = "lookAlike"
	Length    Reason = "length"
	LineBreak Reason = "lineBreak"
	Link      Reason = "link"
	Markup    Reason = "markup"
	Language  Reason = "language"
	Name      Reason = "name"
	Secret    Reason = "secret"
	Order     Reason = "order"
	// Unfinished is a text that an AI left to be filled in, or says of itself.
	Unfinished Reason = "unfinished"
)

// messages say what a text has, to follow "it". They quote nothing of the text, because
// people and AI read them too.
var messages = map[Reason]string{
	Hidden:    "has hidden or control characters",
	LookAlike: "has letters of another alphabet inside a word",
	Length:    "has no allowed length",
	LineBreak: "has more than one line",
	Link:      "has a link or an address",
	Markup:    "has markup or code",
	Language:  "is not in the language of the model",
	Name:      "names a field in brackets that the model does not have",
	Secret:    "has a password, a key or encoded data",
	Order:     "gives an order to its reader",

	Unfinished: "is not finished, or speaks of the AI that wrote it",
}

// Message returns what a text with the reason has, to follow "it"; "" for no reason.
func (r Reason) Message() string { return messages[r] }

// maxSize bounds the texts that are read, in bytes.
const maxSize = 8 * proposal.MaxInstructions

// Line returns why a text of one line cannot be proposed, "" when it can. limit is its
// greatest length in characters.
func (m *Model) Line(text string, limit int) Reason {
	switch {
	case len(text) > maxSize || utf8.RuneCountInString(text) > limit || strings.TrimSpace(text) == "":
		return Length
	case strings.ContainsAny(text, "\n\r\v\f\u0085\u2028\u2029"):
		return LineBreak
	case m.otherScript(text):
		return Language
	}
	folded, why := m.fold(text)
	if why != "" {
		return why
	}
	if why = shape(folded); why != "" {
		return why
	}
	switch {
	case m.otherLanguage(folded):
		return Language
	case m.Unknown(text) != nil:
		return Name
	case secret(folded, m.known):
		return Secret
	case order(folded) || answersAll(folded):
		return Order
	case unfinished(folded):
		return Unfinished
	}
	return ""
}

// passage returns why a part of AI instructions cannot be proposed, "" when it can. Its
// language may be that of the draft, which the embedded rules write in English.
func (m *Model) passage(text string) Reason {
	if m.strange(text) {
		return Language
	}
	folded, why := m.fold(text)
	if why != "" {
		return why
	}
	if why = shape(folded); why != "" {
		return why
	}
	switch {
	case m.Unknown(text) != nil:
		return Name
	case secret(folded, m.known):
		return Secret
	case order(withoutOmissions(folded)):
		return Order
	case unfinished(folded):
		return Unfinished
	}
	return ""
}
