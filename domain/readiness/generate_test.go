package readiness_test

import (
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"

	"pgregory.net/rapid"
)

// drawer draws the parts of a model in which names, words, references and texts coincide
// often, so that rules meet their boundaries.
type drawer struct {
	t *rapid.T
	// measures are the names of measures so far: a model has each once.
	measures map[string]bool
	// small is true for models with few fields, which some rules exempt.
	small bool
}

func (d drawer) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(d.t, label)
}

func (d drawer) oneIn(n int, label string) bool { return rapid.IntRange(1, n).Draw(d.t, label) == 1 }

func (d drawer) upTo(n int, label string) int { return rapid.IntRange(0, n).Draw(d.t, label) }

var (
	wideTables = []string{"Sales", "Date", "Order Lines", "Customers", "net_sales", "dim_x", "Calendar", "Product Categories", "Measures",
		"Top N", "Periods", "City", "CSTMR", "fctStock", "LocalDateTable_1", "Days", "x", "Fact Orders", "d_y", "Dim Customer"}
	wideFields = []string{
		"Net", "net_sales", "Net Sales", "Sales Net", "Total Sales", "Sales %", "Pct Sales", "# Sales", "Sales Count", "∆ Sales", "Δ Sales", "Sales €", "Revenue", "Amount", "Amount in EUR", "Unit Price", "Price", "Avg Net",
		"Customer Id", "Customer Key", "Date", "Order Date", "Ship Date", "Created On", "Modified By", "Load Date", "Row Id", "a guid", "Guid", "Year", "Fiscal Year", "Month", "Month Number", "Weekday", "City", "City Name",
		"Sales by City", "Country Region", "State", "State Code", "Zip", "Latitude", "Value", "flag", "Status", "Key", "Name", "m_A", "m_B", "m_C", "M_D", "m_E x", "ab_F", "IOD", "Total IOD", "KPIs", "SLDs sold", "P&L", "Duration (s)",
		"Last 24 h", "Size x", "TotalSQL", "Cstmr Nm", "netSales", "SALES", " odd ", "two  spaces", "Column 1", "_helper", "a title", "Tooltip Text", "svg icon", "Order Level", "Distinct Order", "Zürich", "İd", "e\u0301tat", "Batch", "Etl At", "A", "B", "s", "Cities", "Boxes",
		"Customer Name", "customers_id", "Order No", "order_no", "Number of Orders", "Order Count", "dbo.net_sales", "NET_SALES", "Order Type",
		"Loaded At", "Date Exported", "Order Time", "Due", "Modified", "Created By", "Row Hash", "Batch Id", "City Hash", "Dummy", "Cities Ids", "Fiscal Wk",
	}
	wideTexts = []string{
		"", "", "", " ", "Sales", "Net.", "in euro", "in euros", "The sales of the day.", "Total of net sales per customer.", "What was invoiced, in euro.", "One row for each order line.", "The calendar date of the row", "Cities by box", "Orders and boxes",
		"?? !! ?? !!", "When the parcel left the house.", strings.Repeat("long text ", 20), strings.Repeat("longer text ",
			20), "YTD and PY compare periods.", "Holds the city",
	}
	wideTypes = []semanticmodel.DataType{"", semanticmodel.String, semanticmodel.String, semanticmodel.String, semanticmodel.Boolean,
		semanticmodel.DateTime, semanticmodel.DateTime, semanticmodel.Int64, semanticmodel.Int64, semanticmodel.Decimal, semanticmodel.Double}
)

func (d drawer) table() string { return d.pick("table", wideTables...) }
func (d drawer) field() string { return d.pick("field", wideFields...) }

func (d drawer) reference() string {
	switch d.upTo(5, "reference") {
	case 0:
		return "[" + d.field() + "]"
	case 1:
		return d.pick("plain table", "Sales", "Date", "Customers", "net_sales", "Gone", "x", "v", "R") + "[" + d.field() + "]"
	default:
		return "'" + d.table() + "'[" + d.field() + "]"
	}
}

// expression draws DAX, some of it broken.
func (d drawer) expression() string {
	a, b := d.reference(), d.reference()
	return d.pick("expression",
		"1", "", "["+d.field()+"]", "["+d.field()+"]", "SUM("+a+")", "SUM("+a+")", "CALCULATE(SUM("+a+"), "+b+" = 1)", "DIVIDE("+a+", "+b+")", a+" / "+b, a+" / 100", a+" / (12 * 30)", a+" / -("+b+")", a+" // / "+b,
		`"text"`, `"Total: " & `+a, a+` && `+b, "SELECTEDVALUE("+a+")", "MAX("+a+`, "x")`, `IF(`+a+`, "x", BLANK())`, `IF(`+a+`, `+b+`, "y")`, `SWITCH(TRUE(), `+a+`, "x", `+b+`, "y", "z")`,
		"VAR v = "+a+" RETURN v", `VAR v = "x" VAR w = v RETURN IF(`+a+`, w, BLANK())`, "VAR v = FILTER(Sales, 1) RETURN SUMX(v, v[Net])", `FORMAT(`+a+`, "0")`, `(UPPER("a"))`, `LEFT(`+a+`, 1) + 1`,
		`SUMX(SELECTCOLUMNS(Sales, "R[x]", `+a+`), R[x])`, "TOTALYTD("+a+", "+b+")", "CALCULATE("+a+", USERELATIONSHIP("+a+", "+b+"))", "SUM("+a, `"open`, "{"+a+"}", "("+a+"})", "[open", "'open", "1 /* open", "RETURN["+d.field()+"]",
		"'Date'[Date].[Month]", "1 -- "+a, "COALESCE("+a+`, "x")`, `CALCULATE("x", `+a+` = 1)`,
		"COUNTROWS(Sales)", "DISTINCTCOUNT("+a+")", "VAR n = COUNTA("+a+") RETURN CALCULATE(n, "+b+" = 1)", "COUNTROWS(Sales) + "+a)
}

func (d drawer) column(name string) semanticmodel.Column {
	c := semanticmodel.Column{
		Name: name, Description: d.pick("description", wideTexts...), DataType: rapid.SampledFrom(wideTypes).Draw(d.t,
			"type"), IsHidden: d.oneIn(4, "hidden"), IsKey: d.oneIn(8, "key"),
		SummarizeBy: d.pick("summarizeBy", "", "none", "none", "sum", "default", "count", "distinctCount"), IsDefaultLabel: d.oneIn(8,
			"label"), SortByColumn: d.pick("sort", "", "", "Month Number", "Year"),
		FormatString: d.pick("column format", "", "", "0", "0%", "€ 0"),
		DataCategory: d.pick("category", "", "", "City", "Uncategorized"), SourceColumn: d.pick("source", "", "", "Name", "[Date]", "[Value]"),
	}
	if d.oneIn(8, "calculated") {
		c.Expression = d.expression()
	}
	if d.oneIn(12, "parameter") {
		c.ExtendedProperties = map[string]string{"ParameterMetadata": "{}"}
	}
	return c
}

func (d drawer) measure(name string) semanticmodel.Measure {
	return semanticmodel.Measure{
		Name: name, Description: d.pick("description", wideTexts...), Expression: d.expression(), IsHidden: d.oneIn(4,
			"hidden"), FormatString: d.pick("format", "", "0", "0.0"),
		FormatStringDefinition: d.pick("dynamic format", "", "", "", `"0"`), DisplayFolder: d.pick("folder", "", "F"),
	}
}

// fill draws the content of a table.
func (d drawer) fill(name string) semanticmodel.Table {
	t := semanticmodel.Table{Name: name, Description: d.pick("description", wideTexts...), IsHidden: d.oneIn(8, "hidden"),
		IsPrivate: d.oneIn(20, "private")}
	if d.oneIn(10, "time") {
		t.DataCategory = "Time"
	}
	most := 14
	if d.small {
		most = 4
	}
	fields := rapid.SliceOfNDistinct(rapid.SampledFrom(wideFields), 0, most, strings.ToLower).Draw(d.t, "fields")
	measured := d.upTo(3, "measures")
	for _, f := range fields {
		if rapid.IntRange(0, 3).Draw(d.t, "kind") < measured && !d.measures[strings.ToLower(f)] {
			d.measures[strings.ToLower(f)] = true
			t.Measures = append(t.Measures, d.measure(f))
		} else {
			t.Columns = append(t.Columns, d.column(f))
		}
	}
	if d.oneIn(6, "hierarchy") {
		t.Hierarchies = append(t.Hierarchies, hierarchy("h", d.field(), d.field()))
		t.Hierarchies[0].IsHidden = d.oneIn(4, "hidden")
	}
	if d.oneIn(5, "calculated table") {
		t.Partitions = []semanticmodel.Partition{calculatedFrom(d.pick("source", "CALENDARAUTO()", "ADDCOLUMNS(CALENDAR(1, 2), \"a\", 1)",
			"GENERATESERIES(1, 5)", "Gone[x"))}
	}
	if d.oneIn(10, "group") {
		for i := range t.Columns { // only one lists the items
			if i > 0 && t.Columns[i].SourceColumn == "Name" {
				t.Columns[i].SourceColumn = ""
			}
		}
		t.CalculationGroup = &semanticmodel.CalculationGroup{}
		for _, name := range []string{"YTD", "PY x", "Q1"}[:d.upTo(3, "items")] {
			t.CalculationGroup.Items = append(t.CalculationGroup.Items, semanticmodel.CalculationItem{Name: name, Expression: d.expression()})
		}
	}
	return t
}

// relationship joins columns of the model, or of nothing.
func (d drawer) relationship(m *semanticmodel.Model) semanticmodel.Relationship {
	end := func(label string) (string, string) {
		if len(m.Tables) == 0 || d.oneIn(25, label+" missing") {
			return d.table(), d.field()
		}
		t := rapid.SampledFrom(m.Tables).Draw(d.t, label+" table")
		if len(t.Columns) == 0 {
			return t.Name, d.field()
		}
		return t.Name, rapid.SampledFrom(t.Columns).Draw(d.t, label+" column").Name
	}
	r := related("a[b] -> c[d]", rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"inactive", "both", "manyToMany", "oneToOne",
		"oneToMany"}), 0, 1, rapid.ID).Draw(d.t, "way")...)
	r.FromTable, r.FromColumn = end("from")
	r.ToTable, r.ToColumn = end("to")
	if r.ToTable == r.FromTable { // the engine refuses these
		r.ToTable += " "
	}
	return r
}

func (d drawer) instructions() string {
	var lines []string
	for range rapid.IntRange(1, 8).Draw(d.t, "lines") {
		a, b, term := d.reference(), d.reference(), d.pick("term", "sales", "revenue", "Turnover", "net sales or revenue", "**profit**",
			"income/cash", "Order Date")
		lines = append(lines, d.pick("line",
			"# Time", "Use the fiscal year by default, unless told.", "- "+term+" means "+a, "- "+term+": "+a, term+" is defined as "+a+", not "+b, "* Use "+a+" for "+term+".", "Prefer "+a+" to "+b+" for "+term+": always.", term+" -> "+a,
			"Never use "+a+".", "Do not use "+a+", use "+b+" for "+term, a+" is hidden; ignore "+b, "See [link](http://x) and "+a+".", "1. "+term+" = "+a, "Order Date and Month matter. "+a+" "+b, "Periods compare years.", term+" refers to "+a+" of "+d.table(), ""))
	}
	return strings.Join(lines, "\n")
}

func (d drawer) schema() *semanticmodel.AISchema {
	s := &semanticmodel.AISchema{}
	visibility := func() string { return d.pick("visibility", "", "", "Auto", "Visible", "Hidden", "Other") }
	for range d.upTo(4, "schema tables") {
		entry := semanticmodel.AITable{Name: d.table(), Visibility: visibility()}
		for range d.upTo(4, "schema fields") {
			f := semanticmodel.AIField{Name: d.field(), Visibility: visibility(), Synonyms: []string{d.pick("synonym", "turnover", "Net", "city",
				"")}}
			entry.Columns, entry.Measures = append(entry.Columns, f), append(entry.Measures, f)
			entry.Hierarchies = append(entry.Hierarchies, semanticmodel.AIField{Name: "h", Visibility: visibility()})
		}
		s.Tables = append(s.Tables, entry)
	}
	return s
}

// wideModel draws a model with everything that a regime reads.
func wideModel() *rapid.Generator[*semanticmodel.Model] {
	return rapid.Custom(func(t *rapid.T) *semanticmodel.Model {
		d, m := drawer{t: t, measures: map[string]bool{}}, &semanticmodel.Model{}
		d.small = d.oneIn(5, "small")
		most := 7
		if d.small {
			most = 2
		}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(wideTables), 0, most, rapid.ID).Draw(t, "tables") {
			m.Tables = append(m.Tables, d.fill(name))
		}
		if !d.oneIn(6, "apart") {
			for range d.upTo(6, "relationships") {
				m.Relationships = append(m.Relationships, d.relationship(m))
			}
		}
		m.QnA = rapid.SampledFrom([]semanticmodel.QnA{semanticmodel.QnANoPart, semanticmodel.QnAOn, semanticmodel.QnAOff,
			semanticmodel.QnAUnset}).Draw(t, "qna")
		m.Copilot.NotVisible = d.oneIn(15, "not visible")
		if rapid.Bool().Draw(t, "schema") {
			m.Copilot.Schema = d.schema()
		}
		if rapid.Bool().Draw(t, "instructions") {
			m.Copilot.Instructions = new(d.instructions())
		}
		for i := range d.upTo(2, "answers") {
			answered("a"+string(rune('0'+i)), phrases(rapid.IntRange(0, 16).Draw(t, "phrases")), d.table()+"["+d.field()+"]",
				d.table()+"["+d.field()+"]")(m)
		}
		for range d.upTo(3, "synonyms") {
			synonyms(d.table()+"["+d.field()+"]", d.pick("state", "", "Authored", "Generated", "Deleted", "User"), d.pick("term", "turnover",
				"town", "net", "Year"))(m)
		}
		if d.oneIn(6, "culture") {
			m.Cultures = append(m.Cultures, semanticmodel.Culture{Name: "de-DE", CustomInstructions: new(d.instructions())})
		}
		return m
	})
}

// wideUsage draws usage; nil is none.
func wideUsage(t *rapid.T) map[string]map[string]int64 {
	if !rapid.Bool().Draw(t, "usage map") {
		return nil
	}
	return rapid.MapOfN(rapid.SampledFrom(wideTables), rapid.MapOfN(rapid.SampledFrom(wideFields), rapid.Int64Range(0, 5000), 0, 5), 0,
		5).Draw(t, "usage")
}

// wideAgent draws a data agent over the models.
func wideAgent(t *rapid.T, models ...*semanticmodel.Model) (readiness.Agent, []readiness.Source) {
	d := drawer{t: t}
	a := readiness.Agent{Description: d.pick("agent description", "", "Short.", strings.Repeat("Answers. ", 6))}
	if rapid.Bool().Draw(t, "agent instructions") {
		a.Instructions = d.instructions() + "\nAsk Source 1 of " + d.table()
	}
	var sources []readiness.Source
	for i, m := range models {
		sources = append(sources, readiness.Source{ID: string(rune('1' + i)), Name: "Source " + string(rune('1'+i)), Model: m,
			Tables: rapid.SliceOfN(rapid.SampledFrom(wideTables), 0, 8).Draw(t, "selected")})
	}
	if d.oneIn(4, "lake") {
		sources = append(sources, readiness.Source{ID: "lake", Name: "Lake", Tables: []string{"x"}})
	}
	return a, sources
}
