package rules_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestInstructions shows complete instructions: for a star, and for unrelated tables.
func TestInstructions(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*semanticmodel.Model{
		"star": shop(func(m *semanticmodel.Model) {
			m.Cultures = []semanticmodel.Culture{{Name: "en-US", Entities: []semanticmodel.LinguisticEntity{
				{Table: "FactSales", Property: "Net Sales", Terms: []semanticmodel.Term{{Text: "turnover", State: "Authored"}, {Text: "guess", State: "Generated"}}},
			}}}
			measure(m, "FactSales", "Units").Description = "Pieces that left the shop. Gifts are among them."
		}),
		"flat": {Tables: []semanticmodel.Table{{Name: "Export_2024", Columns: []semanticmodel.Column{
			{Name: "Closing Month", DataType: semanticmodel.DateTime}, {Name: "Deal Amount", DataType: semanticmodel.Decimal}, {Name: "Stage", DataType: semanticmodel.String},
		}}}},
		"odd names": {Tables: []semanticmodel.Table{{
			Name: "It's", Columns: []semanticmodel.Column{{Name: "a]b", DataType: semanticmodel.Decimal}, {Name: "# x", DataType: semanticmodel.Decimal}, {Name: "When", DataType: semanticmodel.DateTime}},
			Measures: []semanticmodel.Measure{{Name: "[y]", Expression: "1"}, {Name: "It's *z*", Expression: "AVERAGE('It''s'[# x])"}, {Name: "two\nlines", Expression: "2"}},
		}}},
	} {
		a := rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m})
		if len(a.Proposals) != 1 {
			t.Errorf("%s: %+v", name, a)
			continue
		}
		file := filepath.Join("testdata", "instructions", name+".md")
		if *update {
			if err := os.WriteFile(file, []byte(a.Proposals[0].Value), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), a.Proposals[0].Value); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Instructions of any length are cut after a complete line, at 10,000 characters.
func TestInstructionsFit(t *testing.T) {
	t.Parallel()
	m := shop(func(m *semanticmodel.Model) {
		for i := range 40 {
			m.Tables = append(m.Tables, semanticmodel.Table{
				Name: strings.Repeat("é", 400+i), CalculationGroup: &semanticmodel.CalculationGroup{},
				Columns: []semanticmodel.Column{{Name: "Name", DataType: semanticmodel.String}},
			})
		}
	})
	value := rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m}).Proposals[0].Value
	if n := utf8.RuneCountInString(value); n > proposal.MaxInstructions || n < proposal.MaxInstructions-600 || !strings.HasSuffix(value, ".\n") {
		t.Errorf("%d characters, ending in %q", n, value[len(value)-40:])
	}
}

// A person's text stays, byte for byte, followed only by the missing parts.
func TestInstructionsAreCompleted(t *testing.T) {
	t.Parallel()
	const existing = "# Shop\n\nUse [Net Sales] for revenue by default. \"Like for like\" means old stores. A year is a calendar year, by Order Date.\n" +
		"Time Comparison compares periods; Shown Measure is for reports only.\nThere is more to say about the shop, but this is what an answer needs to know about it.\n"
	for name, row := range map[string]struct {
		text     string
		headings string // appended, "" without a proposal
	}{
		"all there":               {existing, ""},
		"a field that is unknown": {existing + "Never use [Gone].\n", ""},
		"no term":                 {strings.Replace(existing, "means", "are", 1), "Terms"},
		"no term that is known":   {strings.Replace(existing, "means", "are", 1), ""},
		"a term that a name has":  {strings.Replace(existing, "means", "are", 1), ""},
		"no default":              {strings.Replace(existing, "by default", "", 1), "Defaults"},
		"no time":                 {strings.NewReplacer("year", "span", "calendar", "long", "periods", "spans").Replace(existing), "Time"},
		"no date of the fact":     {strings.Replace(existing, "Order Date", "day", 1), "Time"},
		"no field":                {strings.Replace(existing, "[Net Sales]", "the measure of it", 1), "Key measures"},
		"no calculation group":    {strings.Replace(existing, "Time Comparison", "It", 1), "Calculation groups and parameters"},
		"no heading":              {strings.TrimPrefix(existing, "# "), ""},
		"short":                   {"# Shop\r\nBy default a year is fiscal, by Order Date.", "Key measures, Defaults, Terms, Calculation groups and parameters"},
		"short, with a heading":   {"# Shop\r\nBy default a year is fiscal, by Order Date.\r\n### key measures \r\n", "Defaults, Terms, Calculation groups and parameters"},
		"no room":                 {strings.Replace(existing, "means", "are", 1) + strings.Repeat("x", 9_990-len(existing)), ""},
		"too long already":        {existing + strings.Repeat("x", 10_000), ""},
	} {
		m := shop(func(m *semanticmodel.Model) {
			m.Copilot.Instructions = &row.text
			if name != "no term that is known" {
				term := "turnover"
				if name == "a term that a name has" {
					term = "Sales net"
				}
				m.Cultures = []semanticmodel.Culture{{Name: "en-US", Entities: []semanticmodel.LinguisticEntity{
					{Table: "FactSales", Property: "Net Sales", Terms: []semanticmodel.Term{{Text: term, State: "Authored"}}},
				}}}
			}
		})
		a := rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m})
		var headings []string
		for _, p := range a.Proposals {
			added, ok := strings.CutPrefix(p.Value, row.text)
			if !ok {
				t.Errorf("%s: %q does not begin with the person's text", name, p.Value)
			}
			if strings.Contains(row.text, "\r\n") && strings.Count(added, "\n") != strings.Count(added, "\r\n") {
				t.Errorf("%s: %q has other line endings", name, added)
			}
			for line := range strings.Lines(added) {
				if h, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "## "); ok {
					headings = append(headings, h)
				}
			}
		}
		if unknown := strings.Contains(row.text, "[Gone]"); unknown != (len(a.Skipped) == 1 && strings.Contains(a.Skipped[0].Message, "[Gone]")) {
			t.Errorf("%s: skipped %+v", name, a.Skipped)
		}
		if got := strings.Join(headings, ", "); got != row.headings || (len(a.Skipped) == 1) != (row.headings == "") {
			t.Errorf("%s: adds %q, want %q; skipped %+v", name, got, row.headings, a.Skipped)
		}
	}
}

// The instructions in use are those of the Copilot part, else of the default culture; blank ones do
// not count.
func TestInstructionsInUse(t *testing.T) {
	t.Parallel()
	blank, text := " \n", "Kept in the linguistic schema."
	m := shop(func(m *semanticmodel.Model) {
		m.Culture = "en-US"
		m.Cultures = []semanticmodel.Culture{{Name: "de-DE", CustomInstructions: &blank}, {Name: "en-US", CustomInstructions: &text}}
	})
	if a := rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m}); len(a.Proposals) != 1 || !strings.HasPrefix(a.Proposals[0].Value, text) {
		t.Errorf("of the default culture: %+v", a)
	}
	m.Copilot.Instructions = &blank
	if a := rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m}); len(a.Proposals) != 1 || !strings.HasPrefix(a.Proposals[0].Value, "## Time\n") {
		t.Errorf("blank: %+v", a)
	}
}

// The instructions prefer no measure to the sum of a column that it equals.
func TestMeasureOfPlainSum(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Pieces", "Total Value"} {
		m := shop(func(m *semanticmodel.Model) {
			column(m, "FactSales", "Qty").Name = "Value"
			units := measure(m, "FactSales", "Units")
			units.Name, units.Expression = name, "SUM(FactSales[Value])"
		})
		got := strings.Join(sectionOf(m, "Defaults"), "\n")
		if strings.Contains(got, "rather than the sum") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What only repeats the columns of a calendar is no instruction worth having: a person is asked instead.
func TestObviousInstructions(t *testing.T) {
	t.Parallel()
	m := &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: "Films", Columns: []semanticmodel.Column{
		{Name: "Title", DataType: semanticmodel.String}, {Name: "Released Year", DataType: semanticmodel.Int64}}}}}
	if a := rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m}); len(a.Proposals) != 0 || len(a.Questions) == 0 {
		t.Errorf("got %+v, asked %v", a.Proposals, a.Questions)
	}
}

// The dates of loads are no choice to put before a person, nor is the time of a day.
func TestAskedDates(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		related bool
		more    []semanticmodel.Column
		want    string
	}{
		{"OrderDate", false, nil, "'OrderDate' and 'ShipDate'"},
		{"OrderDate", true, nil, ""},
		{"DateInserted", false, nil, ""},
		{"Load Date", true, nil, "'ShipDate' and 'Load Date'"}, // the model goes by it
		{"DateInserted", false, []semanticmodel.Column{{Name: "Paid On", DataType: semanticmodel.DateTime}, {Name: "Paid At", DataType: semanticmodel.DateTime, FormatString: "Short Time"}},
			"'ShipDate' and 'Paid On'"},
	} {
		m := shop(func(m *semanticmodel.Model) {
			m.Relationships = slices.DeleteFunc(m.Relationships, func(r semanticmodel.Relationship) bool { return r.ToTable == "Date" && !row.related })
			for i := range m.Relationships {
				if m.Relationships[i].FromColumn == "OrderDate" {
					m.Relationships[i].FromColumn = row.name
				}
			}
			column(m, "FactSales", "OrderDate").Name = row.name
			tableOf(m, "FactSales").Columns = append(tableOf(m, "FactSales").Columns, row.more...)
		})
		asked, a := "", rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m})
		if row.name == "Load Date" && strings.Contains(a.Proposals[0].Value, "is Load Date") {
			t.Errorf("a load date counts: %s", a.Proposals[0].Value)
		}
		for _, q := range a.Questions {
			if of, dates, _ := strings.Cut(q.Text, " counts when a question names a period: "); of == "Which date of 'FactSales'" {
				asked = strings.TrimSuffix(dates, "?")
			}
		}
		if asked != row.want {
			t.Errorf("%s: asked for %q, want %q", row.name, asked, row.want)
		}
	}
}

// Where a person's instructions say which date counts, no line says otherwise, whatever else they lack.
func TestDateOfThePerson(t *testing.T) {
	t.Parallel()
	for text, contradicted := range map[string]bool{
		"- Sales are reported by 'FactSales'[ShipDate], never by order date.\n": false,
		"- Sales are reported by the ship date.\n":                              false,
		"- Sales are reported in euros.\n":                                      true, // nothing to contradict
	} {
		a := rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: shop(func(m *semanticmodel.Model) { m.Copilot.Instructions = &text })})
		if len(a.Proposals) != 1 || strings.Contains(a.Proposals[0].Value, "By default the date of FactSales is") != contradicted {
			t.Errorf("%q: %+v", text, a.Proposals)
		}
	}
}

// A percentage is only promised for measures that are understood as the quotient that their names say.
// A measure that shows another in millions explains nothing, unless others are computed from it.
func TestScaledMeasures(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]bool{"1": false, "[Sales Card] * 2": true} {
		m := shop(func(m *semanticmodel.Model) {
			f := tableOf(m, "FactSales")
			f.Measures = append(f.Measures, semanticmodel.Measure{Name: "Sales Card", Expression: "[Net Sales] / 1000000"}, semanticmodel.Measure{Name: "Other", Expression: expression})
		})
		if got := strings.Contains(strings.Join(sectionOf(m, "Key measures"), "\n"), "[Sales Card]:"); got != want {
			t.Errorf("%s: got %t", expression, got)
		}
	}
}

func TestPercentagesOfGroups(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]bool{
		"DIVIDE([Units] - [Net Sales PY], [Net Sales PY])":                           true,
		"DIVIDE([Net Sales PY], [Net Sales], 0) - 1":                                 false, // turned round
		"VAR u = [Units] RETURN DIVIDE(u - CALCULATE(u, ALL('Date')), CALCULATE(u))": false, // a variable is no measure
	} {
		m := shop(func(m *semanticmodel.Model) {
			f := tableOf(m, "FactSales")
			f.Measures = append([]semanticmodel.Measure{{Name: "Growth % of all", Expression: expression, FormatString: "0%"}}, f.Measures...)
		})
		if got := strings.Contains(strings.Join(sectionOf(m, "Defaults"), "\n"), "[Growth % of all]"); got != want {
			t.Errorf("%s: got %t", expression, got)
		}
	}
}
