// Package sheet is a command's output for people: lines and tables, with the texts of the service made safe for a terminal.
package sheet

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/internal/optional"
	"readiness/offline"
	"readiness/offline/report"
)

// Sheet is a command's output for people: lines and tables.
type Sheet struct {
	text strings.Builder
	// table holds the rows of the current table, head first.
	table [][]string
	// Profile holds the flags that command lines in the output end with.
	Profile string
	// Screen is where the sheet is shown.
	Screen report.Screen
}

// Say adds a line.
func (s *Sheet) Say(format string, args ...any) {
	s.endTable()
	fmt.Fprintf(&s.text, format+"\n", args...)
}

// Assessment adds a report as assess writes it.
func (s *Sheet) Assessment(a *offline.Assessment, preview string) {
	s.endTable()
	s.Screen.Preview, s.Screen.Top = preview, maxRules
	_ = report.WriteTable(&s.text, a, s.Screen) // memory cannot fail
}

// maxRules is how many rules of a model are listed.
const maxRules = 10

// Rows begins a table with the given head.
func (s *Sheet) Rows(head ...string) {
	s.endTable()
	if s.text.Len() > 0 {
		s.text.WriteByte('\n')
	}
	s.Row(head...)
}

// Row adds a row to the table. It replaces control characters, because the texts come from elsewhere.
func (s *Sheet) Row(cells ...string) {
	for i, c := range cells {
		cells[i] = cli.Printable(c)
	}
	s.table = append(s.table, cells)
}

// Lines returns a function that adds a row of a name and its value, unless the value is empty.
func (s *Sheet) Lines() func(name, value string) {
	return func(name, value string) {
		if value != "" {
			s.Row(name, value)
		}
	}
}

// More adds a line with the number of omitted rows, if any.
func (s *Sheet) More(n int) {
	if n > 0 {
		s.Say("… and %d more; --json prints all", n)
	}
}

// endTable ends the current table. Rows have no trailing spaces.
func (s *Sheet) endTable() {
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

// String returns the output.
func (s *Sheet) String() string {
	s.endTable()
	return s.text.String()
}

// maxCell is how many characters of a long text a table shows.
const maxCell = 60

// Short returns a text cut for a cell of a table.
func Short(what string) string {
	r := []rune(what)
	if len(r) <= maxCell {
		return what
	}
	return string(r[:maxCell-1]) + "…"
}

// Number returns a number, or "none".
func Number(n *float64) string {
	if n == nil {
		return "none"
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// Count returns a count, or "" for an unknown one.
func Count(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// Yes returns yes or no.
func Yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Moment returns a time in UTC, or "" for none.
func Moment(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Failure describes why something was not done.
func Failure(e *client.OperationError) string {
	if e == nil {
		return ""
	}
	return Because(&e.ErrorCode, &e.Message)
}

// Because joins a code and its message.
func Because(code, message *string) string {
	return strings.Trim(optional.Text(code)+": "+optional.Text(message), ": ")
}

// OrID returns the name, or the id if there is none.
func OrID(name *string, id string) string {
	if optional.Text(name) == "" {
		return id
	}
	return *name
}
