package projections

import "strings"

// searched is a name that people search and lists are ordered by, or a text that they search for.
type searched string

// folded returns the form that views store of a name: in lower case, on one line.
func (s searched) folded() string { return strings.ReplaceAll(strings.ToLower(string(s)), "\n", " ") }

// likeEscapes escapes a text so that LIKE matches it literally.
var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// containing returns the pattern of LIKE for stored names that contain the text.
func (s searched) containing() string {
	text := strings.ReplaceAll(strings.ToValidUTF8(s.folded(), "\ufffd"), "\x00", "\ufffd")
	return "%" + likeEscapes.Replace(text) + "%"
}
