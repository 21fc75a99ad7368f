package rulesengine_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"readiness/ai/rulesengine"
	"readiness/domain/benchmark/modelquery"
)

// withValues returns the engine of the shop that knows some of its values, asked on a day in November 2026.
func withValues() *rulesengine.Engine {
	values := func(table, name string, texts ...string) rulesengine.Values {
		return rulesengine.Values{FieldRef: rulesengine.FieldRef{Table: table, Name: name}, Texts: texts}
	}
	fiscal := values("Date", "Fiscal Year", "FY26", "FY27")
	fiscal.Now, fiscal.Before = "FY27", "FY26"
	return rulesengine.New(with(func(c *rulesengine.Catalog) {
		sales, product := &c.Tables[0], &c.Tables[1]
		for i := range sales.Columns {
			if sales.Columns[i].Name == "Net Amount" {
				sales.Columns[i].SummarizeBy = "sum"
			}
		}
		product.Measures = append(product.Measures, rulesengine.Measure{Name: "Avg Lead Time"})
		c.Tables = append(c.Tables, rulesengine.Table{Name: "Employees", Columns: []rulesengine.Column{{Name: "Employee", DataType: "string"},
			{Name: "Rating", DataType: "double", SummarizeBy: "average"}}})
	})).WithValues([]rulesengine.Values{
		values("Product", "Category", "Garden", "Kitchen", "Rose Bushes"), values("Product", "Status", "Active", "Resolved"),
		values("Customer", "Segment", "Gold", "Regular"), values("Customer", "Customer Name", "Tara Adler", "Hugo Hale"),
		values("Customer", "Country", "Germany", "France"), values("Store", "Country", "Germany", "United States"),
		values("Store", "Region", "North", "South"), values("Store", "Store Name", "Main Street", "Voltaro Mall"),
		values("Date", "Month", "March", "April", "May", "June"), values("Date", "Weekday", "Saturday", "Sunday", "Monday"), fiscal,
		values("Nowhere", "Gone", "Nothing"),
	}, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
}

func TestSecondPass(t *testing.T) {
	t.Parallel()
	engine := withValues()
	for _, q := range []struct{ question, want string }{
		// values of columns
		{"net sales of garden", "Product.Category = Garden; [Net Sales]"},
		{"net sales of garden stuff by month", "Product.Category = Garden; [Net Sales]; by Date.Month"},
		{"net sales of the rose bush", "Product.Category = Rose Bushes; [Net Sales]"},
		{"net sales of garden products", "Product.Category = Garden; [Net Sales]"},
		{"top 3 garden products by net sales", "Product.Category = Garden; [Net Sales]; [Net Sales] top 3; by Product.Product Name"},
		{"net sales of Tara", "Customer.Customer Name = Tara Adler; [Net Sales]"},
		{"net sales at voltaro", "Store.Store Name = Voltaro Mall; [Net Sales]"},
		{"net sales for main customers", none}, // an ordinary word of Main Street
		{"net sales in the US", "Store.Country = United States; [Net Sales]"},
		{"net sales of all US stores", "Store.Country = United States; [Net Sales]"},
		{"show us net sales", "[Net Sales]"},
		{"SHOW US NET SALES", "[Net Sales]"}, // all is in capitals
		{"net sales of IT", none},
		{"net sales in germany", none}, // of stores or of customers
		{"net sales of customers in Germany", "Customer.Country = Germany; [Net Sales]"},
		{"net sales of stores in germany", "Store.Country = Germany; [Net Sales]"},
		{"net sales of garden and kitchen", "Product.Category in Garden,Kitchen; [Net Sales]"},
		{"compare net sales of garden and kitchen", "Product.Category in Garden,Kitchen; [Net Sales]; by Product.Category"},
		{"net sales garden vs kitchen", "Product.Category in Garden,Kitchen; [Net Sales]; by Product.Category"},
		{"net sales excluding garden", "Product.Category <> Garden; [Net Sales]"},
		{"net sales by region without the south", "Store.Region <> South; [Net Sales]; by Store.Region"},
		{"net sales for rivets", none},
		{"which products resolve the most net sales", none}, // a verb, and not the status Resolved
		{"net sales in the category Toys", none},            // all categories are known
		{"how many gold customers do we have", "Customer.Segment = Gold; [Number of Customer]"},
		{"who are our gold customers", "Customer.Segment = Gold; by Customer.Customer Name"},
		{"do we have gold customers?", none},
		{"net sales where the status is active", "Product.Status = active; [Net Sales]"},
		{"net sales where the status is gone", none}, // all statuses are known
		{"list the customers and the segment they belong to", "by Customer.Customer Name; by Customer.Segment"},
		{"employee rating", "[Average Rating]"},
		{"employee ratings", none}, // of each
		// times
		{"net sales on saturdays", "Date.Weekday = Saturday; [Net Sales]"},
		{"net sales at weekends", "Date.Weekday in Saturday,Sunday; [Net Sales]"},
		{"net sales in spring", "Date.Month in April,March,May; [Net Sales]"},
		{"net sales in winter", none}, // no value is December
		{"net sales in may", "Date.Date between 2026-05-01,2026-05-31; [Net Sales]"},
		{"net sales in December", "Date.Date between 2025-12-01,2025-12-31; [Net Sales]"},
		{"net sales in november", "Date.Date between 2026-11-01,2026-11-30; [Net Sales]"},
		{"net sales since march", "Date.Date >= 2026-03-01; [Net Sales]"},
		{"net sales from March to May 2024", "Date.Date between 2024-03-01,2024-05-31; [Net Sales]"},
		{"net sales in Q3", none},
		{"is revenue up this year", none},
		{"net sales in Q2 2026 vs Q2 2025", "[Net Sales in Q2 2025]; [Net Sales in Q2 2026]"},
		{"top 3 products in the garden category by net sales", "Product.Category = Garden; [Net Sales]; [Net Sales] top 3; by Product.Product Name"},
		{"net sales at the end of June 2026", "Date.Date = 2026-06-30; [Net Sales]"},
		{"net sales this fiscal year", "Date.Fiscal Year = FY27; [Net Sales]"},
		{"net sales in the last fiscal year", "Date.Fiscal Year = FY26; [Net Sales]"},
		{"net sales in fiscal year 2026", "Date.Fiscal Year = FY26; [Net Sales]"},
		{"net sales in FY 2027", "Date.Fiscal Year = FY27; [Net Sales]"},
		{"net sales in fy26", "Date.Fiscal Year = fy26; [Net Sales]"},
		{"net sales in fiscal year 2024", none}, // no value is 2024
		{"gross profit this yr", "Date.Date period this year; [Gross Profit]"},
		{"units sold this year vs last year", "Date.Year in 2025,2026; [Units Sold]; by Date.Year"},
		{"units sold compared to last year", none}, // a measure may say it
		{"net sales in March 2026 compared to March 2025", "[Net Sales in March 2025]; [Net Sales in March 2026]"},
		// who, and rankings by an adjective
		{"who bought the most units", none},
		{"who had the highest gross profit", "[Gross Profit]; [Gross Profit] top 1; by Employees.Employee"},
		{"slowest product", "[Avg Lead Time]; [Avg Lead Time] top 1; by Product.Product Name"},
		{"which product has the best lead time", "[Avg Lead Time]; [Avg Lead Time] bottom 1; by Product.Product Name"},
		{"busiest store", none},
		{"regions by net sales, from low to high", "[Net Sales]; by Store.Region"},
		// shares, differences, averages
		{"share of net sales by region", "[Share of Net Sales]; by Store.Region"},
		{"what share of net sales comes from garden", "Product.Category = Garden; [Share of Net Sales]"},
		{"share of gross margin by region", "[Gross Margin %]; by Store.Region"},
		{"share of net sales", none},
		{"net sales minus gross profit by brand", "[Net Sales minus Gross Profit]; by Product.Brand"},
		{"gross profit as a percentage of net sales by brand", "[Gross Profit divided by Net Sales]; by Product.Brand"},
		{"difference between net sales and gross profit", "[Net Sales minus Gross Profit]"},
		{"net sales minus brand", none},
		{"average net sales per day", "[Average of Net Sales]"},
		{"average net sales per region", none},
		// light verbs, and other words for the same thing
		{"gimme the units sold that each vendor brought in", none},
		{"units sold that we made per region, please", "[Units Sold]; by Store.Region"},
		{"number of orders per outlet", "[Number of Orders]; by Store.Store Name"},
		{"number of purchases by region", "[Number of Orders]; by Store.Region"},
		{"list the net amount by region", "[Total Net Amount]; by Store.Region"},
	} {
		got := engine.Answer(q.question)
		if fieldsOf(got) != q.want {
			t.Errorf("%q\n got %s\nwant %s\n %s", q.question, fieldsOf(got), q.want, got.Text)
		}
	}
}

// Shares divide by the total over their groupings; differences keep the order of the question.
func TestSecondPassQueries(t *testing.T) {
	t.Parallel()
	engine := withValues()
	for question, want := range map[string]string{
		"share of net sales by region":                "DIVIDE([Net Sales], CALCULATE([Net Sales], REMOVEFILTERS('Store'[Region])))",
		"what share of net sales comes from garden":   "DIVIDE([Net Sales], CALCULATE([Net Sales], REMOVEFILTERS('Product'[Category])))",
		"gross profit minus net sales":                "[Gross Profit] - [Net Sales]",
		"ratio of net sales to number of orders":      "DIVIDE([Net Sales], [Number of Orders])",
		"average net sales per day":                   "AVERAGEX(VALUES('Date'[Date]), [Net Sales])",
		"net sales in May 2026 versus May 2025":       "CALCULATE([Net Sales], FILTER(ALL('Date'[Date]), 'Date'[Date] >= DATE(2025, 5, 1) && ",
		"how many regular customers":                  "COUNTROWS('Customer')",
		"net sales of \"garden\" in the last 3 years": `'Product'[Category] = "Garden"`,
	} {
		if got := engine.Answer(question); !strings.Contains(got.Query, want) {
			t.Errorf("%q: want %s in\n%s\n%s", question, want, got.Query, got.Text)
		}
	}
}

// An engine that knows values answers every question that one without values answers.
func TestSecondPassReadsNames(t *testing.T) {
	t.Parallel()
	engine := rulesengine.New(shop()).WithValues(nil, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
	for _, q := range questions {
		if got := fieldsOf(engine.Answer(q.question)); q.want != none && got != q.want {
			t.Errorf("%q\n got %s\nwant %s", q.question, got, q.want)
		}
	}
}

// For any words, an answer is a query with exactly the fields of the answer, each of the model or defined by the query.
func TestAnyWords(t *testing.T) {
	t.Parallel()
	engine := withValues()
	known := map[string]bool{"Customer\x00Number of Customer": true, "Product\x00Avg Lead Time": true}
	for _, table := range shop().Tables {
		for _, c := range table.Columns {
			known[table.Name+"\x00"+c.Name] = true
		}
		for _, m := range table.Measures {
			known[table.Name+"\x00"+m.Name] = true
		}
	}
	word := rapid.SampledFrom(strings.Fields(`who which what how many much the most least best worst slowest busiest cheapest top 3 5 first share of percent
		average minus difference between and ratio to divided by as a percentage per each in for on at since until before end June May 2025 2026 last
		this year fiscal spring winter weekend saturdays excluding without except not other than garden kitchen rose bushes Tara Gold customers
		Germany US north voltaro "South" store stores product products category segment region net sales gross profit units sold orders amount
		vs versus compare compared with bought closed got made please from low high over 100 score ? , ! don't`))
	rapid.Check(t, func(t *rapid.T) {
		question := strings.Join(rapid.SliceOfN(word, 0, 14).Draw(t, "words"), " ")
		got := engine.Answer(question)
		if got.CannotAnswer {
			return
		}
		for _, f := range got.Fields {
			if !known[f.Table+"\x00"+f.Name] && !strings.Contains(got.Query, "MEASURE '"+f.Table+"'["+f.Name+"] = ") && f.Table != "Employees" {
				t.Fatalf("%q is answered with %+v, which is not in\n%s", question, f, got.Query)
			}
		}
		parsed, ok := modelquery.Parse(evaluated(got.Query))
		if !ok || len(parsed.Fields()) != len(got.Fields) {
			t.Fatalf("%q: parsed %t:\n%s", question, ok, got.Query)
		}
	})
}
