package evaluate_test

import (
	"strings"
	"testing"
	"time"

	"readiness/definition/dax/evaluate"
	"readiness/definition/semanticmodel"
)

// table writes a table as lines: the name, the columns as name:type, then rows. Values are
// separated by "|"; an empty one is BLANK.
func table(t testing.TB, text string) (semanticmodel.Table, evaluate.Data) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	made, data := semanticmodel.Table{Name: lines[0]}, evaluate.Data{Table: lines[0]}
	for _, c := range strings.Split(lines[1], "|") {
		name, kind, _ := strings.Cut(c, ":")
		made.Columns = append(made.Columns, semanticmodel.Column{Name: name, DataType: semanticmodel.DataType(kind)})
		data.Columns = append(data.Columns, evaluate.DataColumn{Name: name})
	}
	for _, line := range lines[2:] {
		for i, text := range strings.Split(line, "|") {
			v, err := evaluate.ParseValue(made.Columns[i].DataType, text)
			if err != nil {
				t.Fatal(err)
			}
			data.Columns[i].Values = append(data.Columns[i].Values, v)
		}
	}
	return made, data
}

// fixture is a model with its rows.
type fixture struct {
	semanticmodel.Model
	data []evaluate.Data
}

func (f *fixture) add(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		made, data := table(t, text)
		f.Tables, f.data = append(f.Tables, made), append(f.data, data)
	}
}

// relate adds a relationship written as "Sales[Key] > Product[Key]", with inactive, both or
// many after it.
func (f *fixture) relate(texts ...string) {
	for _, text := range texts {
		end := func(s string) (string, string) {
			table, column, _ := strings.Cut(s, "[")
			return table, column
		}
		from, rest, _ := strings.Cut(text, "] > ")
		to, how, _ := strings.Cut(rest, "]")
		r := semanticmodel.Relationship{IsActive: true, FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One,
			CrossFilteringBehavior: "oneDirection"}
		r.FromTable, r.FromColumn = end(from)
		r.ToTable, r.ToColumn = end(to)
		switch how {
		case " inactive":
			r.IsActive = false
		case " both":
			r.CrossFilteringBehavior = "bothDirections"
		case " many":
			r.ToCardinality = semanticmodel.Many
		}
		f.Relationships = append(f.Relationships, r)
	}
}

// measure adds a measure to the first table.
func (f *fixture) measure(name, expression string) {
	f.Tables[0].Measures = append(f.Tables[0].Measures, semanticmodel.Measure{Name: name, Expression: expression})
}

func (f *fixture) model(t testing.TB) *evaluate.Model {
	t.Helper()
	m, err := evaluate.New(&f.Model, f.data, evaluate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// calendar is a table of days with year, month and quarter.
func calendar(t testing.TB, name string, from, to time.Time) (semanticmodel.Table, evaluate.Data) {
	t.Helper()
	var b strings.Builder
	b.WriteString(name + "\nDate:dateTime|Year:int64|Month:int64|Quarter:string\n")
	for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
		b.WriteString(d.Format("2006-01-02|2006|1|Q") + string(rune('1'+(d.Month()-1)/3)) + "\n")
	}
	made, data := table(t, b.String())
	made.DataCategory = "Time"
	made.Columns[0].IsKey = true
	return made, data
}

func day(year, month, date int) time.Time {
	return time.Date(year, time.Month(month), date, 0, 0, 0, 0, time.UTC)
}

// shop is a small star: sales of products in stores by day. One sale names a
// product that is not listed, one has no store, and product 4 was never sold.
func shop(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{}
	f.add(t, `Sales
Key:int64|Product Key:int64|Store Key:int64|Order Date:dateTime|Ship Date:dateTime|Quantity:int64|Amount:decimal
1|1|1|2023-01-31|2023-02-01|1|10
2|1|2|2023-06-15|2023-06-16|2|20
3|2|1|2023-12-31|2024-01-02|3|30
4|2|2|2024-01-31|2024-02-01|4|40
5|3|1|2024-02-28|2024-03-01|5|50
6|3|2|2024-02-29|2024-03-01|6|
7|9|1|2024-06-15||7|70
8|1||2024-12-31||8|80`,
		`Product
Product Key:int64|Product Name:string|Color:string|Price:decimal
1|Bread|Red|1
2|Butter|Blue|2
3|Cake|red|3
4|Dates||4`,
		`Store
Store Key:int64|City:string
1|Rome
2|Oslo
3|Bonn`)
	made, data := calendar(t, "Date", day(2023, 1, 1), day(2024, 12, 31))
	f.Tables, f.data = append(f.Tables, made), append(f.data, data)
	f.relate("Sales[Product Key] > Product[Product Key]", "Sales[Store Key] > Store[Store Key]", "Sales[Order Date] > Date[Date]",
		"Sales[Ship Date] > Date[Date] inactive")
	f.measure("Total", "SUM(Sales[Amount])")
	f.measure("Last Year", "CALCULATE([Total], SAMEPERIODLASTYEAR('Date'[Date]))")
	f.measure("Year to Date", "TOTALYTD([Total], 'Date'[Date])")
	f.measure("Shipped", "CALCULATE([Total], USERELATIONSHIP(Sales[Ship Date], 'Date'[Date]))")
	return f
}

// rows writes a result as "a|b; c|d".
func rows(r evaluate.Result) string {
	var lines []string
	for _, row := range r.Rows {
		var values []string
		for _, v := range row {
			text := v.String()
			if v.Kind() == evaluate.Text && text == "" {
				text = `""`
			}
			values = append(values, text)
		}
		lines = append(lines, strings.Join(values, "|"))
	}
	return strings.Join(lines, "; ")
}

// example is a query and the rows it returns.
type example struct{ query, want string }

// holds checks that the queries return their rows.
func holds(t *testing.T, m *evaluate.Model, page string, examples []example) {
	t.Helper()
	for _, e := range examples {
		r, err := m.Query(e.query, evaluate.Options{Today: day(2024, 7, 15)})
		if err != nil {
			t.Errorf("%s\n%s: %v", page, e.query, err)
			continue
		}
		if got := rows(r); got != e.want || r.Engine != evaluate.Engine {
			t.Errorf("%s\n%s:\ngot  %s, by %q\nwant %s", page, e.query, got, r.Engine, e.want)
		}
	}
}

// values returns examples of queries of one value each.
func values(pairs ...string) (all []example) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, example{"EVALUATE ROW(\"x\", " + pairs[i] + ")", pairs[i+1]})
	}
	return all
}
