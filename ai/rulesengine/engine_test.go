package rulesengine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"readiness/ai/rulesengine"
	"readiness/domain/benchmark/modelquery"
	"readiness/test/samples"
)

// with returns a changed shop.
func with(change func(*rulesengine.Catalog)) rulesengine.Catalog {
	c := shop()
	change(&c)
	return c
}

func instructed(lines ...string) rulesengine.Catalog {
	return with(func(c *rulesengine.Catalog) { c.Instructions = strings.Join(lines, "\n") })
}

// The texts of an optimization make a question answerable that was not.
func TestBetterDescribed(t *testing.T) {
	t.Parallel()
	measure := func(table int, name string, change func(*rulesengine.Measure)) rulesengine.Catalog {
		return with(func(c *rulesengine.Catalog) {
			for i := range c.Tables[table].Measures {
				if m := &c.Tables[table].Measures[i]; m.Name == name {
					change(m)
				}
			}
		})
	}
	column := func(table int, name string, change func(*rulesengine.Column)) rulesengine.Catalog {
		return with(func(c *rulesengine.Catalog) {
			for i := range c.Tables[table].Columns {
				if x := &c.Tables[table].Columns[i]; x.Name == name {
					change(x)
				}
			}
		})
	}
	for name, c := range map[string]struct {
		catalog          rulesengine.Catalog
		question         string
		before, want     string
		matchedSomewhere rulesengine.Source
	}{
		"a synonym": {
			measure(0, "Ttl Dsc", func(m *rulesengine.Measure) { m.Synonyms = []string{"discount"} }),
			"total discount by brand", none, "[Ttl Dsc]; by Product.Brand", rulesengine.InSynonym,
		},
		"a description": {
			measure(0, "Ttl Dsc", func(m *rulesengine.Measure) {
				m.Description = "Total discount: sum of Dsc over the rows of Sales, in dollars. Can be split by Product."
			}),
			"What is the total discount by brand?", none, "[Ttl Dsc]; by Product.Brand", rulesengine.InDescription,
		},
		"a description of a column": {
			column(0, "Priority", func(x *rulesengine.Column) {
				x.Description = "Urgency of each sales row, to group and filter by."
			}),
			"net sales by urgency", none, "[Net Sales]; by Sales.Priority", rulesengine.InDescription,
		},
		"a description that makes something else of it": {
			measure(0, "Gross Profit", func(m *rulesengine.Measure) { m.Description = "Revenue less the cost of goods." }),
			"What is our revenue?", "[Net Sales]", "[Net Sales]", rulesengine.InDescription,
		},
		"a term": {
			instructed("## Terms", `- "discounts" means [Ttl Dsc].`),
			"discounts by brand", none, "[Ttl Dsc]; by Product.Brand", rulesengine.InInstructions,
		},
		"a shortening": {
			instructed("- TTL means total.", "- DSC means discount."),
			"total discount by brand", none, "[Ttl Dsc]; by Product.Brand", rulesengine.InInstructions,
		},
		"a key measure": {
			instructed("## Key measures", "- Use [Ttl Dsc] for total discount: sum of Dsc over the rows of Sales."),
			"discount by brand", none, "[Ttl Dsc]; by Product.Brand", rulesengine.InInstructions,
		},
		"a measure to use": {
			instructed("For rebates, use [Ttl Dsc]."),
			"rebates by brand", none, "[Ttl Dsc]; by Product.Brand", rulesengine.InInstructions,
		},
		"a term that goes before a name": {
			instructed(`"sales" means [Gross Profit].`),
			"sales by brand", "[Net Sales]; by Product.Brand", "[Gross Profit]; by Product.Brand", rulesengine.InInstructions,
		},
		"a measure to prefer": {
			instructed("- [Units Returned] equals [Units Sold]: prefer the latter."),
			"units by brand", none, "[Units Sold]; by Product.Brand", rulesengine.InName,
		},
		"a measure to avoid": {
			instructed("- Do not answer with [Units Returned] and [Ttl Dsc]: such measures only serve the look of reports."),
			"units by brand", none, "[Units Sold]; by Product.Brand", rulesengine.InName,
		},
		"a label": {
			instructed("- By default show a country by 'Store'[Country]."),
			"net sales by country", none, "[Net Sales]; by Store.Country", rulesengine.InName,
		},
		"a value": {
			instructed(`"domestic" means 'Store'[Country] = "United States".`),
			"domestic net sales", none, "Store.Country = United States; [Net Sales]", rulesengine.InInstructions,
		},
		"items of a calculation group": {
			with(func(c *rulesengine.Catalog) {
				c.Tables = append(c.Tables, rulesengine.Table{Name: "Time Comparison", Columns: []rulesengine.Column{{Name: "Comparison", DataType: "string"}}})
				c.Instructions = "- Time Comparison is a calculation group: filter 'Time Comparison'[Comparison] to one item to apply it to a measure; its items are Current and Rolling Mean."
			}),
			"rolling mean gross profit", none, "Time Comparison.Comparison = Rolling Mean; [Gross Profit]", rulesengine.InInstructions,
		},
		"a fiscal year": {
			instructed("- A year is the fiscal year 'Date'[Fiscal Year]."),
			"net sales in 2024", "Date.Year = 2024; [Net Sales]", "Date.Fiscal Year = 2024; [Net Sales]", rulesengine.InCalendar,
		},
		"a date by what it is of": {
			instructed("- By default the date of a sales row is 'Sales'[Order Date]. Use 'Sales'[Ship Date] only when the question is about the delivery date, as [Shipped Sales] does."),
			"net sales by delivery date", none, "[Net Sales]; by Sales.Ship Date", rulesengine.InInstructions,
		},
		"a verified answer": {
			with(func(c *rulesengine.Catalog) {
				c.Answers = []rulesengine.VerifiedAnswer{{Phrases: []string{"How are we doing by area?"}, Fields: []rulesengine.FieldRef{{Table: "Sales", Name: "Net Sales"}, {Table: "Store", Name: "Region"}}}}
			}),
			"how are we doing by area", none, "[Net Sales]; by Store.Region", rulesengine.InAnswer,
		},
		"a verified answer that settles what is meant": {
			with(func(c *rulesengine.Catalog) {
				c.Answers = []rulesengine.VerifiedAnswer{{Phrases: []string{"sales per country"}, Fields: []rulesengine.FieldRef{{Table: "Sales", Name: "Net Sales"}, {Table: "Store", Name: "Country"}}}}
			}),
			"gross profit by country", none, "[Gross Profit]; by Store.Country", rulesengine.InName,
		},
		"fewer fields": {
			with(func(c *rulesengine.Catalog) { c.Tables[3].Columns = c.Tables[3].Columns[2:] }),
			"net sales by country", none, "[Net Sales]; by Customer.Country", rulesengine.InName,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if before := rulesengine.New(shop()).Answer(c.question); fieldsOf(before) != c.before {
				t.Errorf("before %s, want %s", fieldsOf(before), c.before)
			}
			after := rulesengine.New(c.catalog).Answer(c.question)
			if fieldsOf(after) != c.want {
				t.Errorf("got %s, want %s (%s)", fieldsOf(after), c.want, after.Text)
			}
			found := false
			for _, r := range after.Reasons {
				found = found || r.Matched == c.matchedSomewhere && r.Words != "" && r.Score > 0 && r.Score <= 1
			}
			if !found {
				t.Errorf("no reason has the source %s: %+v", c.matchedSomewhere, after.Reasons)
			}
		})
	}
}

// Adding texts about a model never makes a correct answer wrong.
func TestNeverWorse(t *testing.T) {
	t.Parallel()
	for name, catalog := range map[string]rulesengine.Catalog{
		"instructions as they are proposed": instructed(
			"This model answers questions about sales and returns, by Customer, Date, Product and Store.", "",
			"## Time", "- Use 'Date'[Date] for every question about a day, month or other period.",
			"- A year is the calendar year 'Date'[Year] unless the question says fiscal; then use 'Date'[Fiscal Year].",
			"- By default the date of a sales row is 'Sales'[Order Date]. Use 'Sales'[Ship Date] only when the question is about the ship date.",
			"- When a question names no period, answer for all dates and say so.", "",
			"## Key measures", "- Use [Net Sales] for net sales: sum of Net Amount over the rows of Sales.", "- Use [Gross Profit] for gross profit: calculated from [Net Sales].",
			"- Use [Gross Margin %] for gross margin percent: [Gross Profit] divided by [Net Sales], as a percentage.", "- Use [Units Sold] for units sold: sum of Qty over the rows of Sales.",
			"- Use [Net Sales Last Year] for net sales last year: [Net Sales] in the same period of the year before.", "",
			"## Defaults", "- Unless the question says otherwise, answer with the measures of the model rather than with sums of columns.",
			"- By default show a customer by 'Customer'[Customer Name].", "- By default show a product by 'Product'[Product Name].", "- By default show a store by 'Store'[Store Name].",
			"- Never add up or average percentages such as [Gross Margin %] and [Return Rate %]: let the measure compute them for the group asked about.", "",
			"## Terms", "- A customer means one row of Customer, identified by 'Customer'[Customer Key].", "- A sales row means one row of Sales.", "- A product means one row of Product.", "",
			"## What not to use", "- Do not show key columns such as 'Sales'[Product Key] and 'Customer'[Customer Key]; group by the attributes of the tables they lead to."),
		"descriptions as they are proposed": with(func(c *rulesengine.Catalog) {
			describe := map[string]string{
				"Category": "Category of each product, to group and filter Sales by.", "Brand": "Brand of each product, to group and filter Sales by.", "Status": "Status of each product, to group and filter Sales by.",
				"Region": "Region of each store, to group and filter Sales by.", "City": "City of each customer, to group and filter Sales by.", "Segment": "Segment of each customer, to group and filter Sales by.",
				"Customer Name": "Name of each customer, to group and filter Sales by.", "Product Name": "Name of each product, to group and filter Sales by.", "Store Name": "Name of each store, to group and filter Sales by.",
				"Date": "The day itself; filter periods on it, as it is the key of the calendar.", "Year": "Year of each date, to group and filter Sales by.", "Month": "Month of each date, to group and filter Sales by.",
				"Ship Date": "Ship date of each sales row.", "Order Date": "Order date of each sales row.", "List Price": "List price of each product.", "Priority": "Priority of each sales row.",
				"Net Amount": "Net amount of each sales row.", "Return Reason": "Return reason of each return, to group and filter by.",
				"Gross Margin %": "Gross profit divided by [Net Sales], as a percentage. Can be split by Customer, Date, Product and Store.",
				"Units Sold":     "Sum of Qty over the rows of Sales. Can be split by Customer, Date, Product and Store.", "Number of Orders": "Number of different values of Order Number over the rows of Sales.",
				"Net Sales Last Year": "[Net Sales] in the same period of the year before.", "Net Sales YTD": "[Net Sales] from the start of the year to date.", "Return Rate %": "Units returned divided by [Units Sold], as a percentage.",
			}
			for i := range c.Tables {
				for j := range c.Tables[i].Columns {
					if x := &c.Tables[i].Columns[j]; x.Description == "" {
						x.Description = describe[x.Name]
					}
				}
				for j := range c.Tables[i].Measures {
					if m := &c.Tables[i].Measures[j]; m.Description == "" {
						m.Description = describe[m.Name]
					}
				}
			}
		}),
		"without keys": with(func(c *rulesengine.Catalog) {
			c.Tables[0].Columns = append(c.Tables[0].Columns[:4:4], c.Tables[0].Columns[5:]...)
			c.Tables[2].Columns = c.Tables[2].Columns[:4]
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := rulesengine.New(catalog)
			for _, q := range questions {
				if q.want == none {
					continue
				}
				if got := engine.Answer(q.question); fieldsOf(got) != q.want {
					t.Errorf("%q\n got %s\nwant %s\n %s", q.question, fieldsOf(got), q.want, got.Text)
				}
			}
		})
	}
}

// Without a calendar, times use the date of the measure's table.
func TestWithoutCalendar(t *testing.T) {
	t.Parallel()
	noCalendar := func(c *rulesengine.Catalog) { c.Tables = append(c.Tables[:4:4], c.Tables[5:]...) }
	for name, c := range map[string]struct {
		catalog        rulesengine.Catalog
		question, want string
	}{
		"two dates": {with(noCalendar), "net sales in 2024", none},
		"the default date": {with(func(c *rulesengine.Catalog) {
			noCalendar(c)
			c.Instructions = "- By default the date of a sales row is 'Sales'[Order Date]."
		}), "net sales in 2024", "Sales.Order Date between 2024-01-01,2024-12-31; [Net Sales]"},
		"one date": {with(func(c *rulesengine.Catalog) {
			noCalendar(c)
			c.Tables[0].Columns = c.Tables[0].Columns[1:]
		}), "net sales last month", "Sales.Ship Date period last month; [Net Sales]"},
		"no date": {with(func(c *rulesengine.Catalog) {
			noCalendar(c)
			c.Tables[0].Columns = c.Tables[0].Columns[2:]
		}), "net sales last month", none},
		"nothing that holds months": {with(noCalendar), "net sales by month", none},
		"two calendars": {with(func(c *rulesengine.Catalog) {
			other := c.Tables[4]
			other.Name = "Ship Calendar"
			c.Tables = append(c.Tables, other)
		}), "net sales in 2024", none},
		"two calendars, one to use": {with(func(c *rulesengine.Catalog) {
			other := c.Tables[4]
			other.Name = "Ship Calendar"
			c.Tables = append(c.Tables, other)
			c.Instructions = "- Use 'Date'[Date] for every question about a day, month or other period."
		}), "net sales in 2024 by month", "Date.Year = 2024; [Net Sales]; by Date.Month"},
		"a calendar of days alone": {with(func(c *rulesengine.Catalog) { c.Tables[4].Columns = c.Tables[4].Columns[:1] }),
			"net sales in 2024", "Date.Date between 2024-01-01,2024-12-31; [Net Sales]"},
		"a calendar of years alone": {with(func(c *rulesengine.Catalog) { c.Tables[4].Columns = c.Tables[4].Columns[1:2] }), "net sales in March 2024", none},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := rulesengine.New(c.catalog).Answer(c.question); fieldsOf(got) != c.want {
				t.Errorf("got %s, want %s (%s)", fieldsOf(got), c.want, got.Text)
			}
		})
	}
}

// The order of tables, fields, synonyms and answers does not change a byte of the result; neither does
// concurrent use.
func TestSameCatalogSameAnswer(t *testing.T) {
	t.Parallel()
	full := with(func(c *rulesengine.Catalog) {
		c.Instructions = "\"turnover\" means [Net Sales].\nUse 'Date'[Date] for every question about a day, month or other period."
		c.Answers = []rulesengine.VerifiedAnswer{
			{Phrases: []string{"how are we doing", "how is it going"}, Fields: []rulesengine.FieldRef{{Table: "Sales", Name: "Net Sales"}, {Table: "Store", Name: "Region"}}},
			{Phrases: []string{"how are we doing"}, Fields: []rulesengine.FieldRef{{Table: "Sales", Name: "Gross Profit"}}},
		}
		c.Tables[0].Synonyms = []string{"deals", "orders"}
	})
	asked := []string{"how are we doing", "turnover by country", "deals by brand"}
	for _, q := range questions {
		asked = append(asked, q.question)
	}
	first := rulesengine.New(full)
	want := map[string]string{}
	for _, q := range asked {
		want[q] = asJSON(t, first.Answer(q))
	}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := full
		c.Tables = shuffled(r, c.Tables)
		for i := range c.Tables {
			c.Tables[i].Columns, c.Tables[i].Measures = shuffled(r, c.Tables[i].Columns), shuffled(r, c.Tables[i].Measures)
			c.Tables[i].Synonyms = shuffled(r, c.Tables[i].Synonyms)
		}
		c.Answers = shuffled(r, c.Answers)
		engine := rulesengine.New(c)
		var asking sync.WaitGroup
		for _, q := range asked {
			asking.Go(func() {
				if got := asJSON(t, engine.Answer(q)); got != want[q] {
					t.Errorf("%q in another order\n got %s\nwant %s", q, got, want[q])
				}
			})
		}
		asking.Wait()
	}
}

func shuffled[T any](r *rand.Rand, list []T) []T {
	list = append([]T(nil), list...)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

// For any names in a model, an answer is a query with exactly the fields of the answer, all of them
// fields of the model.
func TestAnyNames(t *testing.T) {
	t.Parallel()
	name := rapid.OneOf(rapid.StringMatching(`[A-Za-z%'"\[\]\n ]{1,12}`), rapid.String(), rapid.SampledFrom([]string{"by", "in 2024", "top 5", "Year", "last month", "x\"), 1, (\"", "not"}))
	rapid.Check(t, func(t *rapid.T) {
		var c rulesengine.Catalog
		known := map[string]bool{}
		for i := range 2 {
			table := rulesengine.Table{Name: fmt.Sprint(i, name.Draw(t, "table")), Dates: rapid.Bool().Draw(t, "dates")}
			for range 2 {
				table.Columns = append(table.Columns, rulesengine.Column{
					Name: name.Draw(t, "column"), Description: name.Draw(t, "description"), DataType: rapid.SampledFrom([]string{"string", "dateTime", "int64", "boolean"}).Draw(t, "type"),
				})
				table.Measures = append(table.Measures, rulesengine.Measure{Name: name.Draw(t, "measure"), Synonyms: []string{name.Draw(t, "synonym")}})
			}
			for j := range table.Columns {
				known[table.Name+"\x00"+table.Columns[j].Name], known[table.Name+"\x00"+table.Measures[j].Name] = true, true
			}
			c.Tables = append(c.Tables, table)
		}
		c.Instructions = fmt.Sprintf("%q means [%s].", name.Draw(t, "term"), c.Tables[0].Measures[0].Name)
		question := fmt.Sprintf(rapid.SampledFrom([]string{"%s by %s", "top 5 %[2]s by %[1]s in 2024", "%s where %s is x", "%s %s", "Which %[2]s has the most %[1]s last month?"}).Draw(t, "form"),
			c.Tables[0].Measures[0].Name, c.Tables[1].Columns[0].Name)
		got := rulesengine.New(c).Answer(question)
		if got.CannotAnswer {
			return
		}
		for _, f := range got.Fields {
			if !known[f.Table+"\x00"+f.Name] {
				t.Fatalf("%q is answered with %+v, which is not in the model", question, f)
			}
		}
		parsed, ok := modelquery.Parse(evaluated(got.Query))
		if !ok || len(parsed.Fields()) != len(got.Fields) || strings.ContainsAny(got.Text, "\n\r") {
			t.Fatalf("%q: parsed %t:\n%s\nfor %q", question, ok, got.Query, got.Text)
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, q := range questions {
		f.Add(q.question, "Net Sales", "net", `"x" means [Net Sales].`)
	}
	f.Add("between 5 and 9 March 2024", "[", "'", "Use [ for x")
	for _, instructions := range samples.Texts(f, samples.Ending("instructions.md")) {
		for _, q := range questions {
			f.Add(q.question, "Net Sales", "revenue", string(instructions))
		}
	}
	f.Add(strings.Repeat("last 12 months of net sales by ", 90), "a b c", "\xff\xfe", "- TTL means total.")
	f.Fuzz(func(t *testing.T, question, name, synonym, instructions string) {
		c := shop()
		c.Instructions = instructions
		c.Tables[0].Measures = append(c.Tables[0].Measures, rulesengine.Measure{Name: name, Synonyms: []string{synonym}, Description: instructions})
		c.Tables[1].Columns = append(c.Tables[1].Columns, rulesengine.Column{Name: synonym, DataType: "string", Description: name})
		got := rulesengine.New(c).Answer(question)
		if got.Text == "" || got.CannotAnswer != (got.Query == "") || got.CannotAnswer != (len(got.Fields) == 0) {
			t.Errorf("%q is only partly answered: %+v", question, got)
		}
		if got.CannotAnswer {
			return
		}
		if parsed, ok := modelquery.Parse(evaluated(got.Query)); !ok || len(parsed.Fields()) != len(got.Fields) || strings.ContainsAny(got.Text, "\n\r") {
			t.Errorf("%q: parsed %t:\n%s\nfor %q", question, ok, got.Query, got.Text)
		}
	})
}

// large returns a model of n fields whose names share words.
func large(n int) rulesengine.Catalog {
	var c rulesengine.Catalog
	words := strings.Fields("Sales Net Gross Order Customer Product Region Amount Count Rate Margin Cost Price Discount Return Store Channel Segment Profit Budget")
	for i := range n / 20 {
		table := rulesengine.Table{Name: fmt.Sprint("Table ", i)}
		for j := range 10 {
			name := fmt.Sprintf("%s %s %d", words[(i+j)%len(words)], words[(i*3+j*7)%len(words)], i*10+j)
			table.Columns = append(table.Columns, rulesengine.Column{Name: name, DataType: "string", Description: name + " of each row, to group and filter by."})
			table.Measures = append(table.Measures, rulesengine.Measure{Name: "Total " + name, Description: "Sum of " + name + " over the rows of the table, in dollars. Can be split by Customer, Date and Product."})
		}
		c.Tables = append(c.Tables, table)
	}
	return c
}

func BenchmarkNew(b *testing.B) {
	for _, n := range []int{500, 10_000} {
		c := large(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rulesengine.New(c)
			}
		})
	}
}

func BenchmarkAnswer(b *testing.B) {
	long := rulesengine.New(large(10_000))
	worst := strings.Repeat("total sales net order by customer sales net in 2024 ", 40)
	b.Run("long", func(b *testing.B) {
		for b.Loop() {
			long.Answer(worst)
		}
	})
	for name, c := range map[string]rulesengine.Catalog{"shop": shop(), "500": large(500), "10000": large(10_000)} {
		engine := rulesengine.New(c)
		asked := []string{
			"What are net sales by product category in Q3 2024?", "Which five regions had the highest gross profit last month?",
			"What is Total Sales Net 0 by Order Margin 11 where Region Customer 3 is EMEA?", "total sales", "sales amount per customer over the last 12 months with cost over 1,000",
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				engine.Answer(asked[i%len(asked)])
			}
		})
	}
}
