package offline_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/report/webpage"
)

// wide is a model with a table of 25 columns that nothing describes, a measure and a relationship to nowhere.
func wide(t testing.TB) *offline.Assessment {
	t.Helper()
	var b strings.Builder
	b.WriteString("/// One row for each order line, as the shop reports it at night.\ntable Orders\n\n\tmeasure 'Order Count' = COUNTROWS(Orders)\n")
	for n := range 25 {
		fmt.Fprintf(&b, "\n\tcolumn 'Fields %02d'\n\t\tdataType: int64\n\t\tsummarizeBy: none\n", n)
	}
	return assess(t, offline.AssessOptions{}, files(t, map[string]string{
		"Wide.SemanticModel/definition/model.tmdl":         "model Model\n",
		"Wide.SemanticModel/definition/tables/Orders.tmdl": b.String(),
		"Wide.SemanticModel/definition/relationships.tmdl": "relationship r1\n\tfromColumn: Orders.'Fields 00'\n\ttoColumn: Customers.Name\n",
	}))
}

// listings are the formats that list what is asked for.
var listings = map[string]func(*bytes.Buffer, *offline.Assessment, report.Listing) error{
	"table": func(b *bytes.Buffer, a *offline.Assessment, l report.Listing) error {
		return report.WriteTable(b, a, report.Screen{Width: 120, Listing: l})
	},
	"markdown": func(b *bytes.Buffer, a *offline.Assessment, l report.Listing) error {
		return report.WriteMarkdown(b, a, l)
	},
	"html": func(b *bytes.Buffer, a *offline.Assessment, l report.Listing) error {
		return webpage.Write(b, a, l)
	},
	"csv": func(b *bytes.Buffer, a *offline.Assessment, l report.Listing) error {
		return report.WriteCSV(b, a, l)
	},
}

// A list for people groups by rule and lists what is asked for; CSV and JSON have every finding.
func TestListings(t *testing.T) {
	t.Parallel()
	a := wide(t)
	const last = "Fields 24"
	for name, tt := range map[string]struct {
		l report.Listing
		// The formats that name the last column, and those that name the measure as an object with a finding.
		column, measure string
	}{
		"rules":                {report.Listing{}, "html csv", "table markdown html csv"},
		"the two that matter":  {report.Listing{Top: 2}, "html csv", "table markdown html csv"}, // what to do first names the measure
		"every finding":        {report.Listing{All: true}, "table markdown html csv", "table markdown html csv"},
		"every finding of two": {report.Listing{All: true, Top: 2}, "table markdown html csv", "table markdown html csv"},
		"a rule":               {report.Listing{Rules: []string{"dsc-02"}}, "table markdown html csv", ""},
		"a later rule":         {report.Listing{Rules: []string{"DSC-03"}}, "", "table markdown html csv"},
		"two rules":            {report.Listing{Rules: []string{"DSC-02", "DSC-03"}}, "table markdown html csv", "table markdown html csv"},
		"a column":             {report.Listing{Object: "orders[FIELDS 24]"}, "table markdown html csv", ""},
		"a quoted column":      {report.Listing{Object: "'Orders'[Fields 24]"}, "table markdown html csv", ""},
		"a measure":            {report.Listing{Object: "order count"}, "", "table markdown html csv"},
		"a measure of a table": {report.Listing{Object: "Orders[Order Count]"}, "", "table markdown html csv"},
		"a rule and an object": {report.Listing{Rules: []string{"DSC-03"}, Object: "[Order Count]"}, "", "table markdown html csv"},
		"neither":              {report.Listing{Rules: []string{"DSC-02"}, Object: "[Order Count]"}, "", ""},
		"a table":              {report.Listing{Object: "Orders"}, "", ""},
		"the model":            {report.Listing{Object: "#"}, "", ""},
		"a column by itself":   {report.Listing{Object: last}, "", ""},
	} {
		for format, write := range listings {
			got := strings.ReplaceAll(string(written(t, func(b *bytes.Buffer) error { return write(b, a, tt.l) })), `\`, "")
			if names := strings.Contains(got, last); names != strings.Contains(tt.column, format) {
				t.Errorf("%s: %s names the last column: %t", name, format, names)
			}
			if names := strings.Contains(got, "Order Count"); names != strings.Contains(tt.measure, format) {
				t.Errorf("%s: %s names the measure: %t", name, format, names)
			}
			if nothing := strings.Contains(got, "No finding matches"); nothing != (format != "csv" && (name == "neither" || name == "a column by itself" || name == "a table")) {
				t.Errorf("%s: %s says that nothing matches: %t", name, format, nothing)
			}
			if format != "csv" && !strings.Contains(got, fmt.Sprintf(": %d findings", len(a.Items[0].Findings))) {
				t.Errorf("%s: %s does not count all findings", name, format)
			}
		}
	}
	var document struct {
		Items []struct{ Findings []struct{} }
	}
	if err := json.Unmarshal(written(t, func(b *bytes.Buffer) error { return offline.WriteJSON(b, a) }), &document); err != nil || len(document.Items[0].Findings) != len(a.Items[0].Findings) {
		t.Errorf("JSON has %d findings, want %d: %v", len(document.Items[0].Findings), len(a.Items[0].Findings), err)
	}
}

// A rule with many objects is one row with their number, points together, the first of them, and how to list all.
func TestGroups(t *testing.T) {
	t.Parallel()
	a := wide(t)
	points := 0.0
	for _, f := range a.Items[0].Findings {
		if f.RuleIDs[0] == "DSC-02" {
			points += f.Impact
		}
	}
	const first = "'Orders'[Fields 00], 'Orders'[Fields 01], 'Orders'[Fields 02] and 22 more"
	for format, want := range map[string][]string{
		"table":    {fmt.Sprintf("| DSC-02 | medium   |       25 | %6.1f | minutes | ", points), strings.TrimSuffix(first, " 22 more"), "--rule DSC-02 lists all"},
		"markdown": {fmt.Sprintf("| DSC-02 | medium | 25 | %.1f | minutes | ", points), `'Orders'\[Fields 02\] (no description) and 22 more`, "`--rule DSC-02` lists all"},
		"html":     {fmt.Sprintf("25 findings, %.1f points, minutes, medium: <bdi>%s</bdi>", points, strings.ReplaceAll(first, "'", "&#39;"))},
	} {
		got := string(written(t, func(b *bytes.Buffer) error { return listings[format](b, a, report.Listing{}) }))
		for _, one := range want {
			if !strings.Contains(got, one) {
				t.Errorf("%s lacks %q:\n%s", format, one, got)
			}
		}
	}
	html := string(written(t, func(b *bytes.Buffer) error { return webpage.Write(b, a, report.Listing{}) }))
	for rule, open := range map[string]bool{"DSC-02": false, "DSC-03": true} {
		before, _, _ := strings.Cut(html, `<span class="rule">`+rule+`</span>`)
		if got := strings.HasSuffix(before, "<details open>\n<summary><h4>"); got != open {
			t.Errorf("the findings of %s are open: %t, want %t", rule, got, open)
		}
	}
}

// What limits the score comes first, although it costs few points by itself.
func TestCapsComeFirst(t *testing.T) {
	t.Parallel()
	a := wide(t)
	a.Items[0].Result.Raw, a.Items[0].Result.RawUncapped = new(49.0), new(77.2)
	for _, format := range []string{"table", "markdown", "html"} {
		got := string(written(t, func(b *bytes.Buffer) error { return listings[format](b, a, report.Listing{Top: 1}) }))
		if !strings.Contains(strings.Join(strings.Fields(got), " "), "CAP-BROKEN limits the score to 49, because a relationship or a calculated column cannot work. Without caps it would be 77.") {
			t.Errorf("%s does not explain the cap", format)
		}
		broken, other := strings.Index(got, "REL-08"), strings.Index(got, "DSC-02")
		if broken < 0 || other >= 0 && other < broken || !strings.Contains(got, "This limits the score.") && !strings.Contains(got, ", limits the score:") {
			t.Errorf("%s does not begin with what caps the score", format)
		}
	}
	b := assess(t, offline.AssessOptions{}, files(t, shop))
	if got := string(written(t, func(o *bytes.Buffer) error { return report.WriteMarkdown(o, b, report.Listing{}) })); strings.Contains(got, "limits the score") {
		t.Errorf("a cap where there is none:\n%s", got)
	}
}

// The points lost in the dimensions add up to what the score lacks.
func TestPointsLost(t *testing.T) {
	t.Parallel()
	a := assess(t, offline.AssessOptions{}, samplesRoot, workspaces)
	got := string(written(t, func(b *bytes.Buffer) error { return report.WriteMarkdown(b, a, report.Listing{Top: 1}) }))
	for _, i := range a.Items {
		if i.Error != nil {
			continue
		}
		_, section, _ := strings.Cut(got, "\n## "+strings.ReplaceAll(i.Path, "_", `\_`)+"\n")
		_, section, _ = strings.Cut(section, "| Dimension |")
		section, _, _ = strings.Cut(section, "\n\n")
		total, rows := 0.0, 0
		for _, line := range strings.Split(section, "\n")[2:] {
			cells := strings.Split(line, "|")
			if points, err := strconv.ParseFloat(strings.TrimSpace(cells[4]), 64); err == nil {
				total += points
				rows++
			}
		}
		if want := 100 - *i.Result.RawUncapped; math.Abs(total-want) > 0.05*float64(rows)+1e-3 || rows == 0 {
			t.Errorf("%s: %d dimensions lost %.1f points, want %.1f", i.Path, rows, total, want)
		}
	}
}

// CSV can be read back, and no cell begins like a formula.
func TestCSV(t *testing.T) {
	t.Parallel()
	a := assess(t, offline.AssessOptions{}, files(t, map[string]string{
		"=S.SemanticModel/definition/tables/T.tmdl": "table '=1+1'\n\tcolumn '+a'\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n\n\tcolumn '-b, \"c\"'\n\t\tdataType: string\n\n\tcolumn '@d'\n\t\tdataType: string\n\n\tcolumn 'e=f'\n\t\tdataType: string\n",
	}))
	a.Items[0].Findings[0].Table, a.Items[0].Findings[0].Evidence, a.Items[0].Findings[0].Message = "\tT", "\rx", ""
	text := written(t, func(b *bytes.Buffer) error { return report.WriteCSV(b, a, report.Listing{}) })
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) != len(a.Items[0].Findings)+1 || len(rows) < 5 {
		t.Fatalf("%d rows of %d findings, %v", len(rows), len(a.Items[0].Findings), err)
	}
	if bytes.Count(text, []byte("\r\n")) != len(rows) || bytes.Count(text, []byte("\n")) != len(rows) {
		t.Error("a line does not end with CR LF")
	}
	seen := map[string]bool{}
	for _, row := range rows {
		for _, cell := range row {
			seen[cell] = true
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Errorf("a cell begins like a formula: %q", cell)
			}
		}
	}
	for _, want := range []string{"'=S.SemanticModel", "'=1+1", "'+a", `'-b, "c"`, "'@d", "e=f", "'\uFFFDT", "'\uFFFDx"} {
		if !seen[want] {
			t.Errorf("there is no cell %q", want)
		}
	}
}
