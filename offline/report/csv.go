package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"readiness/offline"
	"readiness/offline/show"
)

// WriteCSV writes the reported findings as CSV (RFC 4180), one line a finding. A text that a spreadsheet could take for
// a formula begins with an apostrophe.
func WriteCSV(w io.Writer, a *offline.Assessment, l Listing) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	row := func(texts ...string) { _ = out.Write(texts) } // Error returns write errors
	row("item", "rule_ids", "severity", "dimension", "table", "object", "impact", "message", "evidence", "file", "line")
	for _, i := range a.Items {
		for _, f := range l.Chosen(i.Findings) {
			row(inCell(i.Path), strings.Join(f.RuleIDs, " "), string(f.Severity), f.Dimension, inCell(f.Table), inCell(f.ObjectName),
				strconv.FormatFloat(f.Impact, 'f', 4, 64), inCell(f.Message), inCell(f.Evidence), inCell(f.File), strconv.Itoa(f.Line))
		}
	}
	out.Flush()
	return out.Error()
}

// inCell returns a text that a spreadsheet does not evaluate, without control characters.
func inCell(what string) string {
	formula := what != "" && strings.ContainsRune("=+-@\t\r", rune(what[0]))
	if what = show.Printable(what); formula {
		return "'" + what
	}
	return what
}
