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
// a formula begins with an apostrophe (show.InCell).
func WriteCSV(w io.Writer, a *offline.Assessment, l Listing) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	row := func(texts ...string) { _ = out.Write(texts) } // Error returns write errors
	row("item", "rule_ids", "severity", "dimension", "table", "object", "impact", "message", "evidence", "file", "line")
	for _, i := range a.All() {
		for _, f := range l.Chosen(i.Findings) {
			object := f.ObjectName
			if f.Entire() {
				object = ObjectOf(f)
			}
			row(show.InCell(i.Path), strings.Join(f.RuleIDs, " "), string(f.Severity), f.Dimension, show.InCell(f.Table),
				show.InCell(object), strconv.FormatFloat(f.Impact, 'f', 4, 64), show.InCell(f.Message), show.InCell(f.Evidence),
				show.InCell(f.File), strconv.Itoa(f.Line))
		}
	}
	out.Flush()
	return out.Error()
}
