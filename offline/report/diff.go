package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"readiness/definition"
	"readiness/definition/patch"
	"readiness/offline"
	"readiness/offline/show"
)

// WriteReversal writes the changes of a reversal as a unified diff.
func (s Screen) WriteReversal(w io.Writer, v offline.Reversal) error {
	if v.Error == nil {
		return s.diff(w, v.Item.Folder(), v.Now, v.Back)
	}
	return nil
}

// WriteDiff writes a proposal's changes as a unified diff.
func (s Screen) WriteDiff(w io.Writer, p offline.Proposal) error {
	return s.diff(w, p.Folder(), p.Before, p.After)
}

// WriteRenaming writes the changes of a renaming as a unified diff, each item's below its path.
func (s Screen) WriteRenaming(w io.Writer, r offline.Renaming) error {
	for _, c := range r.Changed {
		fmt.Fprintf(w, "%s: %s\n", show.Printable(c.Shown), show.Count(len(c.Files()), "file"))
		if err := s.diff(w, c.Folder(), c.Before, c.After); err != nil {
			return err
		}
	}
	return nil
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
	line = strings.ReplaceAll(show.Printable(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), "\r\n")), "\n", "")
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
