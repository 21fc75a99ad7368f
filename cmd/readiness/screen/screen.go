// Package screen knows the terminals on which reports are shown.
package screen

import (
	"io"
	"os"

	"golang.org/x/term"

	"readiness/cmd/cli"
	"readiness/offline/report"
)

// Width is the width of output that is not a terminal, in columns.
const Width = 120

// Of returns the properties of w as a screen: a terminal's color support and width, or the defaults.
func Of(w io.Writer) report.Screen {
	s := report.Screen{Width: Width}
	if file, ok := w.(*os.File); ok && cli.OnTerminal(w) {
		s.Terminal, s.Color = true, os.Getenv("NO_COLOR") == ""
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 { //nolint:gosec // a file descriptor is small
			s.Width = width
		}
	}
	return s
}
