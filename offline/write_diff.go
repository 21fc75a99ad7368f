package offline

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"readiness/definition"
	"readiness/definition/patch"
)

// WriteDiff writes a proposal's changes as a unified diff.
func (s Screen) WriteDiff(w io.Writer, p Proposal) error {
	return s.diff(w, p.folder(), p.before, p.after)
}

// diff writes the difference between two definitions, by path. On a terminal it removes control characters; elsewhere
// the diff can be applied by tools.
func (s Screen) diff(w io.Writer, folder string, from, to definition.Definition) error {
	for part := range patch.Of(folder, from, to) {
		for line := range strings.Lines(part) {
			if _, err := io.WriteString(w, s.diffLine(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s Screen) diffLine(line string) string {
	if !s.Terminal {
		return line
	}
	line = strings.ReplaceAll(printable(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), "\r\n")), "\n", "")
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		line = s.paint(text.Bold, line)
	case strings.HasPrefix(line, "+"):
		line = s.paint(text.FgGreen, line)
	case strings.HasPrefix(line, "-"):
		line = s.paint(text.FgRed, line)
	case strings.HasPrefix(line, "@@"):
		line = s.paint(text.FgCyan, line)
	}
	return line + "\n"
}

// Headline describes a proposal in one line.
func (p Proposal) Headline() string {
	switch {
	case p.Error != nil:
		return printable(fmt.Sprintf("%s: cannot be optimized: %s", p.Shown, p.Error))
	case p.Changes() == 0:
		return printable(p.Shown) + ": nothing to write" + p.leftAlone()
	}
	return fmt.Sprintf("%s: %s%s, score %s → %s", printable(p.Shown), count(p.Changes(), "change"), p.leftAlone(), shownScore(p.ScoreNow),
		shownScore(p.ScoreAfter))
}

// leftAlone describes the ignored findings, or returns "".
func (p Proposal) leftAlone() string {
	if p.Ignored == 0 {
		return ""
	}
	return ", " + count(p.Ignored, "ignored finding") + " left unchanged"
}
