package main

import (
	"fmt"
	"io"
	"os"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// screen shows the demo: with color, boxes and a moving bar on a terminal, else as
// plain text.
type screen struct {
	out      io.Writer
	terminal bool
}

func newScreen(f *os.File) *screen {
	s := &screen{f, term.IsTerminal(int(f.Fd()))} //nolint:gosec // a file descriptor is small
	if !s.terminal || os.Getenv("NO_COLOR") != "" {
		text.DisableColors()
	}
	return s
}

// step prints the heading of a part of the demo.
func (s *screen) step(what string) {
	fmt.Fprintf(s.out, "\n%s\n", text.Colors{text.Bold, text.FgCyan}.Sprint("== "+what))
}

func (s *screen) say(format string, args ...any) {
	fmt.Fprintf(s.out, format+"\n", args...)
}

// table prints rows under a head. The columns named in right are right-aligned.
func (s *screen) table(head table.Row, rows []table.Row, right ...string) {
	w := table.NewWriter()
	w.SetOutputMirror(s.out)
	w.SetStyle(table.StyleDefault)
	if s.terminal {
		w.SetStyle(table.StyleLight)
	}
	w.Style().Format.Header = text.FormatDefault
	var columns []table.ColumnConfig
	for _, name := range right {
		columns = append(columns, table.ColumnConfig{Name: name, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	for _, name := range []string{"What to do", "Question", "Answer"} {
		columns = append(columns, table.ColumnConfig{Name: name, WidthMax: 76, WidthMaxEnforcer: text.WrapSoft})
	}
	w.SetColumnConfigs(columns)
	w.AppendHeader(head)
	w.AppendRows(rows)
	w.Render()
}

// progress shows an operation's percentComplete as it is polled.
func (s *screen) progress(what string) func(percent int) {
	if !s.terminal {
		last := -1
		return func(percent int) {
			if percent != last {
				s.say("%s: %3d %%", what, percent)
			}
			last = percent
		}
	}
	bar := progressbar.NewOptions(100, progressbar.OptionSetWriter(s.out), progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(40),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(s.out) }))
	_ = bar.RenderBlank() // a bar that cannot be drawn does no harm
	return func(percent int) { _ = bar.Set(min(percent, 100)) }
}
