package openai

import (
	"regexp"
	"strings"
	"unicode"

	nfc "golang.org/x/text/unicode/norm"
)

var caseBreak = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// words returns the parts of a name, each normalized with norm.
func words(s string) []string {
	s = caseBreak.ReplaceAllString(nfc.NFC.String(s), "$1$3 $2$4")
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
