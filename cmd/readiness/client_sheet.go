package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"readiness/client"
	"readiness/internal/optional"
)

// sheet is a command's output for people: lines and tables.
type sheet struct {
	text strings.Builder
	// table holds the rows of the current table, head first.
	table [][]string
	// profile holds the flags that command lines in the output end with.
	profile string
}

func (c *clientCalls) newSheet() *sheet { return &sheet{profile: c.profileFlag()} }

// say adds a line.
func (s *sheet) say(format string, args ...any) {
	s.endTable()
	fmt.Fprintf(&s.text, format+"\n", args...)
}

// rows begins a table with the given head.
func (s *sheet) rows(head ...string) {
	s.endTable()
	if s.text.Len() > 0 {
		s.text.WriteByte('\n')
	}
	s.row(head...)
}

// row adds a row to the table. It replaces control characters, because the texts come from elsewhere.
func (s *sheet) row(cells ...string) {
	for i, c := range cells {
		cells[i] = printable(c)
	}
	s.table = append(s.table, cells)
}

// lines returns a function that adds a row of a name and its value, unless the value is empty.
func (s *sheet) lines() func(name, value string) {
	return func(name, value string) {
		if value != "" {
			s.row(name, value)
		}
	}
}

// more adds a line with the number of omitted rows, if any.
func (s *sheet) more(n int) {
	if n > 0 {
		s.say("… and %d more; --json prints all", n)
	}
}

// endTable ends the current table. Rows have no trailing spaces.
func (s *sheet) endTable() {
	var aligned strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, cells := range s.table {
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush() // memory cannot fail
	for line := range strings.Lines(aligned.String()) {
		s.text.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	s.table = nil
}

// writeTo writes the sheet to w.
func (s *sheet) writeTo(w io.Writer) error {
	s.endTable()
	_, err := io.WriteString(w, s.text.String())
	return err
}

// printable returns a text on one line, with control and bidirectional characters replaced.
func printable(what string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		}
		return r
	}, what)
}

// maxCell is how many characters of a long text a table shows.
const maxCell = 60

func short(what string) string {
	r := []rune(what)
	if len(r) <= maxCell {
		return what
	}
	return string(r[:maxCell-1]) + "…"
}

func number(n *float64) string {
	if n == nil {
		return "none"
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

func count(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func moment(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// failure describes why something was not done.
func failure(e *client.OperationError) string {
	if e == nil {
		return ""
	}
	return because(&e.ErrorCode, &e.Message)
}

// because joins a code and its message.
func because(code, message *string) string {
	return strings.Trim(optional.Text(code)+": "+optional.Text(message), ": ")
}

// orID returns the name, or the id if there is none.
func orID(name *string, id string) string {
	if optional.Text(name) == "" {
		return id
	}
	return *name
}
