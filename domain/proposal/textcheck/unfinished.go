package textcheck

import "readiness/internal/lateregexp"

var (
	// marks are left where a text is still to be written. In lower case they are words of data: to-do lists.
	marks = lateregexp.New(`\b(?:TO[D]O|TBD|FIX[M]E|X{3})\b|(?i)\blorem ipsum\b`)
	// itself matches what an AI says of itself, of what it cannot do, or before its text.
	itself = lateregexp.New(`(?i)\bas an? (?:ai\b|artificial intelligence|(?:large )?language model)|` +
		`\bi(?:'m| am) (?:sorry|unable|afraid|an? (?:ai|assistant|language model))|\bi (?:cannot|can't|can not|do not|don't|apologi[sz]e)\b|` +
		`\bals (?:ki\b|ki-|kunstliche intelligenz|künstliche intelligenz|sprachmodell)|\bich (?:kann|habe) (?:\pL+ ){0,3}(?:nicht|keine)\b|` +
		`\bcomo (?:uma? )?(?:ia\b|inteligência artificial|modelo de linguagem|modelo de lenguaje)|` +
		`\ben tant (?:qu'ia|que modele|que modèle)|^\W*(?:sure|certainly|of course|okay|here(?: is|'s| are) (?:the|a|your))\b[^.]{0,60}:`)
)

// unfinished reports whether a text is a draft or speaks of the AI that wrote it.
func unfinished(text string) bool { return marks.MatchString(text) || itself.MatchString(text) }
