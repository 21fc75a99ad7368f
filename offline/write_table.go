package offline

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"readiness/domain/readiness"
)

// Screen describes where a report is shown.
type Screen struct {
	// Width is the number of columns.
	Width int
	// Terminal enables line-drawing characters, Color enables colors.
	Terminal, Color bool
	// Top is how many findings of an item are listed; 0 means all.
	Top int
}

// narrowest is the smallest width that tables adapt to.
const narrowest = 60

// WriteTable writes an assessment for people: the items with their scores, then each item's findings with the most
// impact.
func WriteTable(w io.Writer, a *Assessment, s Screen) error {
	s.Width = max(s.Width, narrowest)
	out := &strings.Builder{}
	rows := make([]table.Row, 0, len(a.Items))
	for _, i := range a.Items {
		rows = append(rows, s.overview(i))
	}
	s.table(out, table.Row{"Score", "As agent", "High", "Medium", "Low", "Item"}, rows, []int{5, 8, 4, 6, 4, 0}, 5)
	for _, i := range a.Items {
		s.item(out, i)
	}
	fmt.Fprintf(out, "\n%s\n", a.Summary())
	_, err := io.WriteString(w, out.String())
	return err
}

func (s Screen) overview(i Assessed) table.Row {
	bySeverity := map[readiness.Severity]int{}
	for _, f := range i.Findings {
		bySeverity[f.Severity]++
	}
	if i.Error != nil {
		return table.Row{s.paint(text.FgRed, "error"), "", "", "", "", printable(i.Path)}
	}
	return table.Row{s.score(i.Result.Score), shownScore(i.ScoreDataAgent), bySeverity[readiness.High], bySeverity[readiness.Medium],
		bySeverity[readiness.Low], printable(i.Path)}
}

func (s Screen) item(out *strings.Builder, i Assessed) {
	switch {
	case i.Error != nil:
		fmt.Fprintf(out, "\n%s\n%s %s\n", s.paint(text.Bold, printable(i.Path)), s.paint(text.FgRed, "cannot be assessed:"),
			printable(i.Error.Error()))
		return
	case len(i.Findings) == 0:
		return
	}
	fmt.Fprintf(out, "\n%s\n", s.paint(text.Bold, printable(i.Path)))
	listed := i.Findings
	if s.Top > 0 && len(listed) > s.Top {
		listed = listed[:s.Top]
	}
	rows := make([]table.Row, len(listed))
	for n, f := range listed {
		rows[n] = table.Row{
			s.severity(f.Severity), leading(f.RuleIDs), fmt.Sprintf("%.1f", f.Impact),
			printable(fmt.Sprintf("%s:%d", below(i.Path, f.File), f.Line)), printable(f.Message),
		}
	}
	s.table(out, table.Row{"Severity", "Rules", "Points", "Where", "What to do"}, rows, []int{8, 9, 6, s.Width / 4, 0}, 4)
	if more := len(i.Findings) - len(listed); more > 0 {
		fmt.Fprintf(out, "… and %d more; --top 0 shows all\n", more)
	}
}

// leading returns the first rule, with the number of the others.
func leading(rules []string) string {
	if len(rules) == 1 {
		return rules[0]
	}
	return fmt.Sprintf("%s +%d", rules[0], len(rules)-1)
}

// below returns a file's path relative to its item, if it is inside.
func below(item, file string) string {
	if file == item {
		return path.Base(file)
	}
	return strings.TrimPrefix(file, item+"/")
}

// paths lists the columns that hold paths.
var paths = []string{"Item", "Where"}

// numbers lists the right-aligned columns.
var numbers = []string{"Score", "As agent", "High", "Medium", "Low", "Points"}

// wrapPath breaks a path at a slash if possible, else at a space or a dot, else anywhere.
func wrapPath(path string, width int) string {
	var lines []string
	for text.StringWidth(path) > width {
		head := text.Trim(path, width)
		for _, after := range []string{"/", " ", "."} {
			if at := strings.LastIndex(head, after); at > 0 {
				if after != "." {
					at++
				}
				head = head[:at]
				break
			}
		}
		lines = append(lines, strings.TrimRight(head, " "))
		path = path[len(head):]
	}
	return strings.Join(append(lines, path), "\n")
}

// table renders rows. The column with index rest gets the width that the other columns leave; those are no wider than
// their content.
func (s Screen) table(out *strings.Builder, head table.Row, rows []table.Row, widths []int, rest int) {
	const around = 3 // a border with a space on each side
	left := s.Width - 1 - around*len(widths)
	for n := range widths {
		needed := 0
		for _, row := range append(rows, head) {
			needed = max(needed, text.StringWidthWithoutEscSequences(fmt.Sprint(row[n])))
		}
		widths[n] = min(widths[n], needed)
		left -= widths[n]
	}
	w := table.NewWriter()
	w.SetStyle(table.StyleDefault)
	if s.Terminal {
		w.SetStyle(table.StyleLight)
	}
	w.Style().Format.Header = text.FormatDefault
	var columns []table.ColumnConfig
	for n, width := range widths {
		c := table.ColumnConfig{Number: n + 1, WidthMax: width, WidthMaxEnforcer: text.WrapText}
		if slices.Contains(paths, head[n].(string)) {
			c.WidthMaxEnforcer = wrapPath
		}
		if slices.Contains(numbers, head[n].(string)) {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		if n == rest {
			c.WidthMax = left
		}
		if head[n] == "What to do" {
			c.WidthMaxEnforcer = text.WrapSoft
		}
		columns = append(columns, c)
	}
	w.SetColumnConfigs(columns)
	w.AppendHeader(head)
	w.AppendRows(rows)
	fmt.Fprintln(out, w.Render())
}

// paint colors a text if colors are enabled.
func (s Screen) paint(c text.Color, what string) string {
	if !s.Color {
		return what
	}
	// Sprint depends on a switch of the entire process; this table has its own.
	return c.EscapeSeq() + what + text.Reset.EscapeSeq()
}

func (s Screen) severity(v readiness.Severity) string {
	return s.paint(map[readiness.Severity]text.Color{readiness.High: text.FgRed, readiness.Medium: text.FgYellow,
		readiness.Low: text.FgCyan}[v], string(v))
}

// Scores from good are green, scores below poor are red.
const (
	good = 80
	poor = 50
)

func (s Screen) score(n *int) string {
	switch {
	case n == nil:
		return "none"
	case *n >= good:
		return s.paint(text.FgGreen, fmt.Sprint(*n))
	case *n < poor:
		return s.paint(text.FgRed, fmt.Sprint(*n))
	}
	return s.paint(text.FgYellow, fmt.Sprint(*n))
}

func shownScore(n *int) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}

// printable replaces control and bidirectional characters in a model's text.
func printable(what string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, what)
}
