package report

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/internal/lists"
	"readiness/offline"
	"readiness/offline/show"
)

// Screen describes where a report is shown.
type Screen struct {
	// Width is the number of columns.
	Width int
	// Terminal enables line-drawing characters, Color enables colors.
	Terminal, Color bool
	Listing
}

// narrowest is the smallest width that tables adapt to.
const narrowest = 60

// WriteTable writes an assessment for people: the items with their scores, then each item's dimensions, and the rules
// whose findings cost the most.
func WriteTable(w io.Writer, a *offline.Assessment, s Screen) error {
	s.Width = max(s.Width, narrowest)
	out := &strings.Builder{}
	s.overview(out, a)
	for _, i := range a.All() {
		s.item(out, i)
		if _, err := io.WriteString(w, out.String()); err != nil {
			return err
		}
		out.Reset()
	}
	if s.Filtered() && !s.ListsAny(a) {
		fmt.Fprintf(out, "\n%s\n", NoMatch)
	}
	s.across(out, a.Across)
	fmt.Fprintf(out, "\n%s\n", a.Summary())
	_, err := io.WriteString(w, out.String())
	return err
}

// NoMatch is what lists say if they list nothing.
const NoMatch = "No finding matches --rule and --object."

// roomy is the smallest width of tables with bands and long bars.
const roomy = 80

// overview writes the items with their scores.
func (s Screen) overview(out *strings.Builder, a *offline.Assessment) {
	head := table.Row{"Score", "Band", "As agent", "Findings", "Item"}
	widths := []int{5, 12, 8, 8, 0}
	if a.Baseline != "" {
		head = table.Row{"Score", "Band", "New", "Fixed", "Unchanged", "Item"}
		widths = []int{11, 12, 5, 5, 9, 0}
	}
	rows := lists.Map(a.Items, func(i offline.Assessed) table.Row { return s.overviewRow(i, a.Baseline != "") })
	if s.Width < roomy {
		const band = 1
		head, widths = slices.Delete(head, band, band+1), slices.Delete(widths, band, band+1)
		for n := range rows {
			rows[n] = slices.Delete(rows[n], band, band+1)
		}
	}
	s.table(out, head, rows, widths, len(widths)-1)
}

func (s Screen) overviewRow(i offline.Assessed, compared bool) table.Row {
	score := i.Result.Score
	switch path := show.Printable(i.Path); {
	case i.Error != nil && compared:
		return table.Row{s.paint(text.FgRed, "error"), "", "", "", "", path}
	case i.Error != nil:
		return table.Row{s.paint(text.FgRed, "error"), "", "", "", path}
	case compared:
		row := table.Row{s.colored(score, scoreChange(i, score)), BandOf(score), i.Reported(finding.Low), "", i.Known, path}
		if i.Since != nil && i.Since.Comparable {
			row[3] = len(i.Since.Fixed)
		}
		return row
	default:
		return table.Row{s.colored(score, show.Number(score)), BandOf(score), show.Number(i.ScoreDataAgent), i.Reported(finding.Low), path}
	}
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
var numbers = []string{"Score", "As agent", "Findings", "New", "Fixed", "Unchanged", "Points", "Points lost"}

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

// placed begins the line of an advice that names its place.
const placed = "at "

// wrapAdvice breaks an advice between words, and its place as a path.
func wrapAdvice(advice string, width int) string {
	lines := strings.Split(advice, "\n")
	for n, line := range lines {
		if strings.HasPrefix(line, placed) {
			lines[n] = wrapPath(line, width)
		} else {
			lines[n] = text.WrapSoft(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

// table renders rows. The column with index rest gets the width that the other columns leave; those are no wider than
// their content.
func (s Screen) table(out *strings.Builder, head table.Row, rows []table.Row, widths []int, rest int) {
	const around = 3 // a border with a space on each side
	left := s.Width - 1 - around*len(widths)
	for n := range widths {
		needed := 0
		for _, row := range append(rows, head) {
			for line := range strings.Lines(fmt.Sprint(row[n])) {
				needed = max(needed, text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")))
			}
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
		if slices.Contains([]string{"What to do", "Objects", "Dimension"}, head[n].(string)) {
			c.WidthMaxEnforcer = wrapAdvice
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

func (s Screen) severity(v finding.Severity) string {
	return s.paint(map[finding.Severity]text.Color{finding.High: text.FgRed, finding.Medium: text.FgYellow,
		finding.Low: text.FgCyan}[v], string(v))
}

// colored colors a text by the band of a score.
func (s Screen) colored(n *int, what string) string {
	if n == nil {
		return what
	}
	switch readiness.BandOf(*n) {
	case readiness.BandReady:
		return s.paint(text.FgGreen, what)
	case readiness.BandNotReady:
		return s.paint(text.FgRed, what)
	default:
		return s.paint(text.FgYellow, what)
	}
}
