package textcheck

import (
	"strings"
	"unicode/utf8"

	"readiness/domain/proposal"
)

// Dropped is a section of AI instructions that cannot be proposed. Number counts the
// sections from 1; the text before the first heading is one if there is any.
type Dropped struct {
	Number int
	Reason Reason
}

// Document returns AI instructions without the sections that cannot be proposed, and
// those. Without such sections it returns the text as it is.
func (m *Model) Document(text string) (kept string, dropped []Dropped) {
	if len(text) > maxSize || utf8.RuneCountInString(text) > proposal.MaxInstructions || strings.TrimSpace(text) == "" {
		return "", []Dropped{{1, Length}}
	}
	var b strings.Builder
	for i, section := range sections(text) {
		if why := m.passage(section); why != "" {
			dropped = append(dropped, Dropped{i + 1, why})
		} else {
			b.WriteString(section)
		}
	}
	if len(dropped) == 0 {
		return text, nil
	}
	return b.String(), dropped
}

// sections divides Markdown before its headings. The parts make up the text.
func sections(text string) []string {
	var all []string
	from, at := 0, 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		if at > from && isHeading(line) {
			all = append(all, text[from:at])
			from = at
		}
		at += len(line)
	}
	return append(all, text[from:])
}

func isHeading(line string) bool {
	rest := strings.TrimLeft(strings.TrimLeft(line, " "), "#")
	return len(rest) < len(strings.TrimLeft(line, " ")) && (strings.HasPrefix(rest, " ") || strings.TrimSpace(rest) == "")
}
