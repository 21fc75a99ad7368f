// Package spelling folds names and texts of models into the forms in which they compare. Names that people spell
// differently compare equal. It is for comparing only: people see names as they are spelled.
package spelling

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a name in NFC and lower case, without space around it.
func Fold(name string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(name))) }

// Field returns the names of a table and of its column or measure, each by Fold, as a key.
func Field(table, name string) [2]string { return [2]string{Fold(table), Fold(name)} }

// FoldSpace is Fold with each run of white space as one space.
func FoldSpace(text string) string {
	text = strings.ToLower(norm.NFC.String(text))
	if !strings.ContainsFunc(text, isOddSpace) && !strings.Contains(text, "  ") {
		return strings.Trim(text, " ")
	}
	return strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " ")
}

func isOddSpace(r rune) bool { return r != ' ' && unicode.IsSpace(r) }
