package openai

import (
	"regexp"
	"strings"
	"unicode"

	nfc "golang.org/x/text/unicode/norm"

	"readiness/definition/semanticmodel"
)

// norm returns the form in which texts are compared.
func norm(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(nfc.NFC.String(s)), unicode.IsSpace), " ")
}

var caseBreak = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// words returns the parts of a name, each normalized with norm.
func words(s string) []string {
	s = caseBreak.ReplaceAllString(nfc.NFC.String(s), "$1$3 $2$4")
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// unseen reports whether no AI sees the table.
func unseen(t semanticmodel.Table) bool {
	_, local := t.Annotations["__PBI_LocalDateTable"]
	_, template := t.Annotations["__PBI_TemplateDateTable"]
	return t.IsPrivate || local || template || strings.HasPrefix(t.Name, "LocalDateTable_") ||
		strings.HasPrefix(t.Name, "DateTableTemplate_")
}
