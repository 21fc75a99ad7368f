package rules_test

import (
	"slices"
	"strings"
	"testing"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"

	"github.com/google/go-cmp/cmp"
)

// sectionOf returns the lines under a heading of the instructions that are proposed for a model.
func sectionOf(m *semanticmodel.Model, heading string) (lines []string) {
	for _, p := range rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m}).Proposals {
		_, after, _ := strings.Cut(p.Value, "## "+heading+"\n")
		section, _, _ := strings.Cut(after, "\n\n")
		for line := range strings.Lines(section) {
			lines = append(lines, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "- "))
		}
	}
	return lines
}

// The instructions say which column of a calendar filters by day and which ones group by longer periods, and by which of its
// dates a table goes.
func TestTimeLines(t *testing.T) {
	t.Parallel()
	const (
		text    = semanticmodel.String
		integer = semanticmodel.Int64
		day     = semanticmodel.DateTime
	)
	calendar := func(columns ...semanticmodel.Column) func(*semanticmodel.Model) {
		return func(m *semanticmodel.Model) {
			tableOf(m, "Date").Columns, tableOf(m, "Date").Hierarchies = columns, nil
		}
	}
	date := semanticmodel.Column{Name: "Date", DataType: day, IsKey: true}
	key := func(m *semanticmodel.Model) {
		column(m, "FactSales", "OrderDate").DataType, column(m, "FactSales", "ShipDate").DataType = integer, integer
		column(m, "FactSales", "OrderDate").Name, column(m, "FactSales", "ShipDate").Name = "OrderDateKey", "ShipDateKey"
		column(m, "Date", "MonthNo").Name, column(m, "Date", "Month").SortByColumn = "DateKey", ""
		m.Relationships[2], m.Relationships[3] = related("FactSales[OrderDateKey]", "Date[DateKey]", true), related("FactSales[ShipDateKey]", "Date[DateKey]", false)
		measure(m, "FactSales", "Shipped Sales").Expression = "CALCULATE([Net Sales], USERELATIONSHIP(FactSales[ShipDateKey], 'Date'[DateKey]))"
	}
	twoCalendars := func(active bool) func(*semanticmodel.Model) {
		return func(m *semanticmodel.Model) {
			m.Tables = append(m.Tables, semanticmodel.Table{Name: "Ship Calendar", DataCategory: "Time", Columns: []semanticmodel.Column{
				{Name: "Day", DataType: day, IsKey: true}, {Name: "Month of Shipping", DataType: text}, {Name: "Year of Shipping", DataType: integer}}})
			m.Relationships[3] = related("FactSales[ShipDate]", "Ship Calendar[Day]", active)
		}
	}
	const order = "By default the date of FactSales is OrderDate, not ShipDate: filter 'Date'[Date]."
	const shipped = "Questions about ShipDate of FactSales need [Shipped Sales]."
	for name, row := range map[string]struct {
		change func(*semanticmodel.Model)
		want   []string
	}{
		"days alone": {calendar(date), []string{"Use 'Date'[Date] for every question about a day, month or other period.", order, shipped}},
		"days, and columns that are no periods": {calendar(date, semanticmodel.Column{Name: "Holiday", DataType: text}),
			[]string{"Use 'Date'[Date] for every question about a day or a range of days.", order, shipped}},
		"many columns of each period": {calendar(date, semanticmodel.Column{Name: "Calendar Year", DataType: integer}, semanticmodel.Column{Name: "Month Number", DataType: integer},
			semanticmodel.Column{Name: "Month", DataType: text}, semanticmodel.Column{Name: "Year Month", DataType: text}, semanticmodel.Column{Name: "Year Month Sort", DataType: integer},
			semanticmodel.Column{Name: "Quarter", DataType: text}, semanticmodel.Column{Name: "Day of Week", DataType: text}, semanticmodel.Column{Name: "Week", DataType: integer},
			semanticmodel.Column{Name: "Fiscal Month", DataType: text}, semanticmodel.Column{Name: "Week Start", DataType: day}),
			[]string{"Use 'Date'[Date] for every question about a day or a range of days; group by year with 'Date'[Calendar Year], by quarter with 'Date'[Quarter] within a year, " +
				"by month with 'Date'[Year Month] and by week with 'Date'[Week] within a year.", order, shipped}},
		"months of years that are hidden": {calendar(date, semanticmodel.Column{Name: "Year", DataType: integer, IsHidden: true}, semanticmodel.Column{Name: "Month", DataType: text}),
			[]string{"Use 'Date'[Date] for every question about a day or a range of days.", order, shipped}},
		"measures that do more than going by another date": {func(m *semanticmodel.Model) {
			calendar(date)(m)
			by := "USERELATIONSHIP(FactSales[ShipDate], 'Date'[Date])"
			measure(m, "FactSales", "Shipped Sales").Expression = "CALCULATE([Net Sales], " + by + ", ALL('Date'))"
			measure(m, "FactSales", "Revenue").Expression = "CALCULATE([Net Sales], SAMEPERIODLASTYEAR('Date'[Date]), " + by + ")"
			measure(m, "FactSales", "Goal").Expression = "VAR x = [Net Sales] RETURN CALCULATE(x, " + by + ")"
		}, []string{"Use 'Date'[Date] for every question about a day, month or other period.", order}},
		"the time of a day": {func(m *semanticmodel.Model) {
			calendar(date)(m)
			facts := tableOf(m, "FactSales")
			facts.Columns = append(facts.Columns, semanticmodel.Column{Name: "Ordered At", DataType: day, FormatString: "Long Time"},
				semanticmodel.Column{Name: "Packed At", DataType: day, FormatString: "hh:mm:ss"}, semanticmodel.Column{Name: "Paid On", DataType: day, FormatString: "dd/mm/yyyy hh:mm"})
		}, []string{"Use 'Date'[Date] for every question about a day, month or other period.",
			"By default the date of FactSales is OrderDate, not ShipDate or Paid On: filter 'Date'[Date].", shipped}},
		"a calendar that filters nothing": {func(m *semanticmodel.Model) {
			m.Relationships = slices.DeleteFunc(m.Relationships, func(r semanticmodel.Relationship) bool { return r.ToTable == "Date" })
			measure(m, "FactSales", "Shipped Sales").Expression = "[Net Sales]"
		}, nil},
		"weeks of a year": {calendar(date, semanticmodel.Column{Name: "year", DataType: integer}, semanticmodel.Column{Name: "week_of_year", DataType: integer}),
			[]string{"Use 'Date'[Date] for every question about a day or a range of days; group by year with 'Date'[year] and by week with 'Date'[week_of_year] within a year.", order, shipped}},
		"in other words": {calendar(date, semanticmodel.Column{Name: "Jahr", DataType: integer}, semanticmodel.Column{Name: "Monat", DataType: text}),
			[]string{"Use 'Date'[Date] for every question about a day or a range of days; group by year with 'Date'[Jahr] and by month with 'Date'[Monat] within a year.", order, shipped}},
		"days that are hidden": {calendar(semanticmodel.Column{Name: "Date", DataType: day, IsKey: true, IsHidden: true}, semanticmodel.Column{Name: "Year-Month", DataType: day},
			semanticmodel.Column{Name: "Year", DataType: integer}),
			[]string{"Use 'Date'[Year-Month] for every question about a month or a range of months; group by year with 'Date'[Year].",
				"By default the date of FactSales is OrderDate, not ShipDate.", shipped}},
		"keys for dates": {key, []string{
			"Use 'Date'[Date] for every question about a day or a range of days; group by year with 'Date'[Year] and by month with 'Date'[Month] within a year.",
			"A year is the calendar year 'Date'[Year] unless the question says fiscal; then use 'Date'[Fiscal Year].",
			"By default the date of FactSales is that of the key OrderDateKey, not ShipDateKey: filter 'Date'[Date].", "Questions about ship date of FactSales need [Shipped Sales]."}},
		"two facts by the same date": {func(m *semanticmodel.Model) {
			calendar(date)(m)
			m.Tables = append(m.Tables, semanticmodel.Table{Name: "FactOrders", Columns: []semanticmodel.Column{{Name: "OrderDate", DataType: day}, {Name: "ShipDate", DataType: day}}})
			m.Relationships = append(m.Relationships, related("FactOrders[OrderDate]", "Date[Date]", true), related("FactOrders[ShipDate]", "Date[Date]", false))
		}, []string{"Use 'Date'[Date] for every question about a day, month or other period.",
			"By default the date of FactOrders and FactSales is OrderDate, not ShipDate: filter 'Date'[Date].", shipped}},
		"two calendars, one on request": {twoCalendars(false), []string{
			"For a period of Returns filter 'Date'[Date]; group by year with 'Date'[Year] and by month with 'Date'[Month] within a year.",
			"FactSales has 2 calendars: Date by OrderDate and Ship Calendar by ShipDate only where a measure asks for it.", order, shipped}},
		"two calendars": {twoCalendars(true), []string{
			"For a period of Returns filter 'Date'[Date]; group by year with 'Date'[Year] and by month with 'Date'[Month] within a year.",
			"FactSales has 2 calendars: Date by OrderDate and Ship Calendar by ShipDate; use the one whose date the question is about, and say which."}},
		"two calendars by one date": {func(m *semanticmodel.Model) {
			twoCalendars(true)(m)
			m.Relationships[3] = related("FactSales[OrderDate]", "Ship Calendar[Day]", true)
			measure(m, "FactSales", "Shipped Sales").Expression = "[Net Sales]"
		}, []string{"For a period of FactSales and Returns filter 'Date'[Date]; group by year with 'Date'[Year] and by month with 'Date'[Month] within a year.",
			order}},
		"ISO weeks": {calendar(date, semanticmodel.Column{Name: "Year", DataType: integer}, semanticmodel.Column{Name: "ISO Week", DataType: integer}),
			[]string{"Use 'Date'[Date] for every question about a day or a range of days; group by year with 'Date'[Year].", order, shipped}},
		"ISO weeks with their years": {calendar(date, semanticmodel.Column{Name: "Year", DataType: integer}, semanticmodel.Column{Name: "ISO Year Week", DataType: text}),
			[]string{"Use 'Date'[Date] for every question about a day or a range of days; group by year with 'Date'[Year] and by week with 'Date'[ISO Year Week].", order, shipped}},
		"the only date of the only table": {func(m *semanticmodel.Model) {
			m.Tables, m.Relationships = []semanticmodel.Table{{Name: "Budget", Columns: []semanticmodel.Column{
				{Name: "Paid On", DataType: day}, {Name: "Amount", DataType: semanticmodel.Decimal}},
				Measures: []semanticmodel.Measure{{Name: "Planned", Expression: "CALCULATE(SUM(Budget[Amount]), Budget[Amount] > 7)"}}}}, nil
		}, nil},
		"a fact with dates that the calendar does not filter": {func(m *semanticmodel.Model) {
			calendar(date)(m)
			m.Tables = append(m.Tables, semanticmodel.Table{Name: "Orders", Columns: []semanticmodel.Column{{Name: "DateKey", DataType: integer}, {Name: "Net", DataType: semanticmodel.Decimal}},
				Measures: []semanticmodel.Measure{{Name: "Placed", Expression: "COUNTROWS(Orders)"}}})
		}, []string{"For a period of FactSales and Returns filter 'Date'[Date].", order, shipped}},
		"relationships that were drawn the wrong way": {func(m *semanticmodel.Model) {
			for i := range m.Relationships {
				if r := &m.Relationships[i]; r.ToTable == "Date" {
					r.FromTable, r.FromColumn, r.ToTable, r.ToColumn = r.ToTable, r.ToColumn, r.FromTable, r.FromColumn
				}
			}
		}, nil},
		"measures that shift a calendar to the last date of a fact": {func(m *semanticmodel.Model) {
			calendar(date)(m)
			measure(m, "FactSales", "Net Sales 12M").Expression = "CALCULATE([Net Sales], DATESINPERIOD('Date'[Date], MAX(FactSales[OrderDate]), -12, MONTH))"
		}, []string{"Use 'Date'[Date] for every question about a day, month or other period.", order, shipped}},
		"measures that shift the dates of a fact": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Net Sales YTD").Expression = "TOTALYTD([Net Sales], FactSales[OrderDate])"
		}, []string{"By default the date of FactSales is OrderDate, not ShipDate.", shipped}},
		"measures that shift another date of a fact": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Net Sales YTD").Expression = "TOTALYTD([Net Sales], FactSales[ShipDate])"
		}, []string{shipped}},
		"measures that only read another date": {func(m *semanticmodel.Model) {
			calendar(date)(m)
			measure(m, "FactSales", "Shipped Sales").Expression = "CALCULATE([Net Sales], NOT ISBLANK(FactSales[ShipDate]), USERELATIONSHIP(FactSales[OrderDate], 'Date'[Date]))"
		}, []string{"Use 'Date'[Date] for every question about a day, month or other period.", order}},
		"measures that go by another date": {func(m *semanticmodel.Model) {
			calendar(date)(m)
			for _, of := range []string{"2", "3", "4"} {
				add := semanticmodel.Measure{Name: "Shipped by " + of, Expression: "CALCULATE([Net Sales] / " + of + ", USERELATIONSHIP(FactSales[ShipDate], 'Date'[Date]))"}
				tableOf(m, "FactSales").Measures = append(tableOf(m, "FactSales").Measures, add)
			}
		}, []string{"Use 'Date'[Date] for every question about a day, month or other period.", order,
			"Questions about ShipDate of FactSales need a measure that goes by it, such as [Shipped Sales]."}},
		"a table that the calendar filters only on request": {func(m *semanticmodel.Model) {
			calendar(date)(m)
			m.Tables = append(m.Tables, semanticmodel.Table{Name: "Invoices", Columns: []semanticmodel.Column{{Name: "No", DataType: integer}, {Name: "Sent", DataType: day}}},
				semanticmodel.Table{Name: "Invoice Lines", Columns: []semanticmodel.Column{{Name: "No", DataType: integer}, {Name: "Net", DataType: semanticmodel.Decimal}},
					Measures: []semanticmodel.Measure{{Name: "Invoiced", Expression: "SUM('Invoice Lines'[Net])"}}})
			m.Relationships = append(m.Relationships, related("Invoice Lines[No]", "Invoices[No]", true), related("Invoices[Sent]", "Date[Date]", false))
		}, []string{"For a period of FactSales and Returns filter 'Date'[Date].", order, shipped}},
		"a year without dates": {func(m *semanticmodel.Model) {
			m.Tables, m.Relationships = []semanticmodel.Table{{Name: "Budget", Columns: []semanticmodel.Column{
				{Name: "Year", DataType: integer}, {Name: "Amount", DataType: semanticmodel.Decimal}},
				Measures: []semanticmodel.Measure{{Name: "Planned", Expression: "CALCULATE(SUM(Budget[Amount]), Budget[Amount] > 7)"}}}}, nil
		}, []string{"Take the year from 'Budget'[Year]; no column is a date."}},
		"a date that nobody named": {func(m *semanticmodel.Model) {
			m.Tables, m.Relationships = []semanticmodel.Table{{Name: "Budget", Columns: []semanticmodel.Column{
				{Name: "Column13", DataType: day}, {Name: "Amount", DataType: semanticmodel.Decimal}},
				Measures: []semanticmodel.Measure{{Name: "Planned", Expression: "CALCULATE(SUM(Budget[Amount]), Budget[Amount] > 7)"}}}}, nil
		}, nil},
		"a calendar called Time": {func(m *semanticmodel.Model) {
			tableOf(m, "Date").Name, tableOf(m, "Date").DataCategory = "Time", ""
			for i := range m.Relationships {
				if m.Relationships[i].ToTable == "Date" {
					m.Relationships[i].ToTable = "Time"
				}
			}
		}, []string{"Use 'Time'[Date] for every question about a day or a range of days; group by year with 'Time'[Year] and by month with 'Time'[Month] within a year.",
			"A year is the calendar year 'Time'[Year] unless the question says fiscal; then use 'Time'[Fiscal Year].",
			"By default the date of FactSales is OrderDate, not ShipDate: filter 'Time'[Date].", shipped}},
		"facts of quarters that it does not filter": {func(m *semanticmodel.Model) {
			calendar(date)(m)
			m.Tables = append(m.Tables, semanticmodel.Table{Name: "Plans", Columns: []semanticmodel.Column{
				{Name: "CustomerKey", DataType: integer}, {Name: "Quarter", DataType: text}, {Name: "Goal Amount", DataType: semanticmodel.Decimal}},
				Measures: []semanticmodel.Measure{{Name: "Planned Goal", Expression: "SUM(Plans[Goal Amount])"}}})
			m.Relationships = append(m.Relationships, related("Plans[CustomerKey]", "Customers[CustomerKey]", true))
		}, []string{"For a period of FactSales and Returns filter 'Date'[Date].", order, shipped}},
		"a date of a table that another one's months filter": {func(m *semanticmodel.Model) {
			m.Tables = []semanticmodel.Table{
				{Name: "Loans", Columns: []semanticmodel.Column{{Name: "Applied", DataType: day}, {Name: "Granted Month", DataType: text}, {Name: "Amount", DataType: semanticmodel.Decimal}},
					Measures: []semanticmodel.Measure{{Name: "Lent", Expression: "SUM(Loans[Amount])"}}},
				{Name: "Spans", Columns: []semanticmodel.Column{{Name: "Granted Month", DataType: text}, {Name: "Begins", DataType: day}}},
				{Name: "Payments", Columns: []semanticmodel.Column{{Name: "Amount", DataType: semanticmodel.Decimal}}}}
			m.Relationships = []semanticmodel.Relationship{related("Loans[Granted Month]", "Spans[Granted Month]", true)}
		}, nil},
		"months without a calendar": {func(m *semanticmodel.Model) {
			m.Tables, m.Relationships = []semanticmodel.Table{{Name: "Budget", Columns: []semanticmodel.Column{
				{Name: "Month", DataType: day}, {Name: "Amount", DataType: semanticmodel.Decimal}},
				Measures: []semanticmodel.Measure{{Name: "Planned", Expression: "SUM(Budget[Amount])"}}}}, nil
		}, []string{"For a month filter 'Budget'[Month]; no table is marked as a date table."}},
	} {
		if d := cmp.Diff(row.want, sectionOf(shop(row.change), "Time")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// For a model in another language, by its names, a person is asked in place of texts in English.
func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	rename := func(names string) func(*semanticmodel.Model) {
		return func(m *semanticmodel.Model) {
			for i, name := range strings.Fields(names) {
				tableOf(m, "FactSales").Columns[i].Name = name
			}
			m.Relationships = nil
			for i := range m.Tables {
				m.Tables[i].Name, m.Tables[i].Description = string(rune('A'+i)), ""
				for j := range m.Tables[i].Measures {
					x := &m.Tables[i].Measures[j]
					x.Name, x.Expression = string(rune('A'+i))+string(rune('a'+j)), "COUNTROWS(A)"
				}
			}
			m.Tables[0].Measures[1].Expression = "TOTALYTD([Aa], A[" + strings.Fields(names)[2] + "])"
			m.Tables[0].Measures[2].Expression = "TOTALQTD([Aa], A[" + strings.Fields(names)[2] + "])"
			m.Tables[0].Measures[0].Expression = "CALCULATE(COUNTROWS(A), A[" + strings.Fields(names)[0] + "] = 7)"
			m.Tables = m.Tables[:1]
		}
	}
	for name, row := range map[string]struct {
		names, culture string
		english        bool
	}{
		"Portuguese":                       {"Cliente Produto DataPedido DataEntrega Quantidade ValorTotal Preço Receita Presente Canal Lote Xq", "", false},
		"German":                           {"Kunde Artikel Bestelldatum Lieferdatum Menge Umsatz Preis Betrag Geschenk Kanal Los Xq", "", false},
		"Spanish":                          {"Cliente Tienda Fecha Entrega Cantidad Importe Precio Total Regalo Canal Lote Xq", "", false},
		"French":                           {"Client Produit DateCommande DateLivraison Quantité Montant Prix Total Cadeau Canal Lot Xq", "", false},
		"English":                          {"CustomerKey ProductKey OrderDate ShipDate Qty Amount Price Total IsGift Channel Batch Xq", "", true},
		"mostly English":                   {"CustomerKey ProductKey OrderDate ShipDate Qty Amount Price Cliente Produto Quantidade Batch Xq", "", true},
		"two odd words":                    {"Cliente Produto A1 A2 A3 A4 A5 A6 A7 A8 A9 Xq", "", true},
		"partly Chinese":                   {"CustomerKey ProductKey OrderDate ShipDate Qty Amount Price Total 客戶總數 訂單金額 銷售數量 平均購買", "", false},
		"nothing is known":                 {"A B C D E F G H I J K L", "", true},
		"of a country, unknown words":      {"Entrada Vara Parte Entrada1 Entrada2 Autuação Idade Faixa Tipo Coluna Lote Xq", "pt-BR", false},
		"of a country, English words":      {"CustomerKey ProductKey OrderDate ShipDate Qty Amount Price Total IsGift Channel Batch Xq", "pt-BR", true},
		"of a country that speaks English": {"Entrada Vara Parte Entrada1 Entrada2 A3 Idade Faixa Tipo Coluna Lote Xq", "en-GB", true},
	} {
		m := shop(rename(row.names))
		m.Culture = row.culture
		o := object(m, "A[Aa]")
		described := rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{o}})
		instructed := rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m})
		if got := len(described.Proposals) > 0; got != row.english || got != (len(described.Questions) == 0) {
			t.Errorf("%s: described %+v, asked %+v", name, described.Proposals, described.Questions)
		}
		if got := len(instructed.Proposals) > 0; got != row.english || !got && len(instructed.Questions) == 0 {
			t.Errorf("%s: instructed %+v, asked %+v", name, instructed.Proposals, instructed.Questions)
		}
		var measures []proposal.Object
		for _, x := range tableOf(m, "A").Measures {
			measures = append(measures, object(m, "A["+x.Name+"]"))
		}
		filed := rules.Propose(proposal.Ask{Type: proposal.DisplayFolder, Model: m, Objects: measures})
		if got := len(filed.Proposals) > 0; got != row.english {
			t.Errorf("%s: filed %+v", name, filed.Proposals)
		}
	}
}
