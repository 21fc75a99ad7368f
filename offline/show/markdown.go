package show

import (
	"regexp"
	"strings"
)

// linked matches what hosts of Markdown make a link or a notification of, though it has no syntax of Markdown or is escaped: addresses,
// mentions, references to issues and pull requests. A break after the first group prevents that.
var linked = regexp.MustCompile(`(?i)(:)//|(www)\.|(mailto:|xmpp:)|(@)|([#!&])[0-9]|(\bgh-)[0-9]`)

// unlinked is a character without width, which a reader does not see.
const unlinked = "\u200b"

// MarkdownText returns a text as Markdown that shows it unchanged, without a link or a notification. It is the only place that makes
// Markdown of a text from a model, a person or an AI.
func MarkdownText(what string) string {
	what = Printable(what)
	var b strings.Builder
	write := func(part string) {
		for _, r := range part {
			if strings.ContainsRune("\\`*_{}[]<>#|~&!@$", r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
	}
	from := 0
	for _, found := range linked.FindAllStringSubmatchIndex(what, -1) {
		for i := 2; i < len(found); i += 2 {
			if found[i] >= from && found[i] >= 0 {
				write(what[from:found[i+1]])
				b.WriteString(unlinked)
				from = found[i+1]
			}
		}
	}
	write(what[from:])
	return b.String()
}
