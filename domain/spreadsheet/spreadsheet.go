// Package spreadsheet keeps a spreadsheet from taking a cell of a CSV file for a formula.
package spreadsheet

import "regexp"

// A spreadsheet may take a cell for a formula that begins with one of these, also behind white space or in full width. A cell that begins
// with apostrophes before one gets another, so that Unguard finds what was there.
const starts = `[ \x{a0}\x{200b}\x{feff}]*[=+\-@\t\r\n＝＋－＠]`

var (
	formula = regexp.MustCompile(`^'*` + starts)
	guarded = regexp.MustCompile(`^'+` + starts)
	number  = regexp.MustCompile(`^[+-][0-9]+([.,][0-9]+)*$`)
)

// Guard returns a cell with an apostrophe in front if it could be a formula. A number is none.
func Guard(text string) string {
	if formula.MatchString(text) && !number.MatchString(text) {
		return "'" + text
	}
	return text
}

// Unguard returns the text that Guard was given.
func Unguard(text string) string {
	if guarded.MatchString(text) {
		return text[1:]
	}
	return text
}
