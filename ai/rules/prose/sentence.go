package prose

import (
	"strings"
	"unicode"

	"readiness/domain/readiness/wording"
)

// MentionableLine reports whether a text is one line without control characters.
func MentionableLine(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
	})
}

// OneLine returns a text with each run of white space as one space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Finished returns a text with a full stop at its end, unless it already ends with a punctuation mark.
func Finished(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// Sentences returns as many complete sentences from the start of a text as fit, "" if not even the
// first does.
func Sentences(text string, limit int) string {
	if wording.Length(text) <= limit {
		return text
	}
	end := 0
	for i := range text {
		if i > 0 && text[i] == ' ' && strings.IndexByte(".!?", text[i-1]) >= 0 && wording.Length(text[:i]) <= limit {
			end = i
		}
	}
	return text[:end]
}

// LowerStart makes the first letter lower case, unless the text starts with a reference, an acronym or a name such as FinOps.
func LowerStart(s string) string {
	if rest, ok := strings.CutPrefix(s, "("); ok {
		return "(" + LowerStart(rest)
	}
	first, _, _ := strings.Cut(s, " ")
	if len(s) < 2 || !unicode.IsLower(rune(s[1])) || strings.ContainsFunc(first[1:], unicode.IsUpper) {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// First returns the first of the texts within the limit, "" for none.
func First(limit int, texts ...string) string {
	for _, s := range texts {
		if s != "" && wording.Length(s) <= limit {
			return s
		}
	}
	return ""
}
