package answering_test

import (
	"testing"

	"readiness/ai/answering"
	"readiness/domain/benchmark"
)

const none = "cannot tell"

// questions are asked of the shop as it is: what they say, and what is to be found.
var questions = []struct{ question, want string }{
	// one number
	{"What are our net sales?", "[Net Sales]"},
	{"net sales", "[Net Sales]"},
	{"How many orders were there?", "[Number of Orders]"},
	{"What is the number of orders?", "[Number of Orders]"},
	{"Show me the gross margin percent", "[Gross Margin %]"},
	{"What's the average order value?", "[Average Order Value]"},
	{"What were the net sales last year?", "[Net Sales Last Year]"},
	{"How many units did we sell?", none},
	{"How much volume did we have?", "[Units Sold]"},
	{"What is the total volume?", "[Units Sold]"},
	{"What is our revenue?", "[Net Sales]"},
	{"What is the basket size?", "[Average Order Value]"},
	{"[Gross Profit]", "[Gross Profit]"},
	{"What is 'Sales'[Units Sold] by 'Product'[Brand]?", "[Units Sold]; by Product.Brand"},

	// groupings
	{"What are net sales by category?", "[Net Sales]; by Product.Category"},
	{"Net sales per brand", "[Net Sales]; by Product.Brand"},
	{"Show gross profit for each region", "[Gross Profit]; by Store.Region"},
	{"net sales by category and brand", "[Net Sales]; by Product.Brand; by Product.Category"},
	{"net sales by category, brand and region", "[Net Sales]; by Product.Brand; by Product.Category; by Store.Region"},
	{"What are net sales and gross profit by segment?", "[Gross Profit]; [Net Sales]; by Customer.Segment"},
	{"What are the units sold by product?", "[Units Sold]; by Product.Product Name"},
	{"Break down the units sold by customer", "[Units Sold]; by Customer.Customer Name"},
	{"What are the units sold for every customer?", "[Units Sold]; by Customer.Customer Name"},
	{"How do net sales compare with gross profit across regions?", "[Gross Profit]; [Net Sales]; by Store.Region"},
	{"units returned by return reason", "[Units Returned]; by Returns.Return Reason"},
	{"units returned by reason", "[Units Returned]; by Returns.Return Reason"},
	{"net sales by customer country", "[Net Sales]; by Customer.Country"},
	{"net sales by the country of the store", "[Net Sales]; by Store.Country"},
	{"net sales by store country", "[Net Sales]; by Store.Country"},
	{"net sales by shop country", "[Net Sales]; by Store.Country"},
	{"net sales by country", none},
	{"Net Sales by 'Store'[Country]", "[Net Sales]; by Store.Country"},

	// time as a grouping
	{"net sales by month", "[Net Sales]; by Date.Month"},
	{"monthly net sales", "[Net Sales]; by Date.Month"},
	{"What are net sales by year and quarter?", "[Net Sales]; by Date.Quarter; by Date.Year"},
	{"number of orders per weekday", "[Number of Orders]; by Date.Weekday"},
	{"number of orders by day", "[Number of Orders]; by Date.Date"},
	{"net sales by fiscal year", "[Net Sales]; by Date.Fiscal Year"},
	{"net sales by week", none},
	{"net sales by ship date", "[Net Sales]; by Sales.Ship Date"},

	// time as a filter
	{"What were net sales in 2024?", "Date.Year = 2024; [Net Sales]"},
	{"net sales by category in 2024", "Date.Year = 2024; [Net Sales]; by Product.Category"},
	{"net sales for Q3 2024", "Date.Date between 2024-07-01,2024-09-30; [Net Sales]"},
	{"net sales in the third quarter of 2024", "Date.Date between 2024-07-01,2024-09-30; [Net Sales]"},
	{"net sales in March 2024 by brand", "Date.Date between 2024-03-01,2024-03-31; [Net Sales]; by Product.Brand"},
	{"net sales on 5 March 2024", "Date.Date = 2024-03-05; [Net Sales]"},
	{"net sales on March 5th, 2024", "Date.Date = 2024-03-05; [Net Sales]"},
	{"net sales on 2024-03-05", "Date.Date = 2024-03-05; [Net Sales]"},
	{"net sales on 13/03/2024", "Date.Date = 2024-03-13; [Net Sales]"},
	{"net sales on 05/03/2024", none},
	{"net sales since 2022", "Date.Year >= 2022; [Net Sales]"},
	{"net sales before March 2023", "Date.Date < 2023-03-01; [Net Sales]"},
	{"net sales between 2022 and 2024", "Date.Year between 2022,2024; [Net Sales]"},
	{"net sales from January to March 2024", "Date.Date between 2024-01-01,2024-03-31; [Net Sales]"},
	{"net sales since March 2023 and before 2024", "Date.Date between 2023-03-01,2023-12-31; [Net Sales]"},
	{"gross profit last month", "Date.Date period last month; [Gross Profit]"},
	{"gross profit this year by region", "Date.Date period this year; [Gross Profit]; by Store.Region"},
	{"gross profit year to date", "Date.Date period year to date; [Gross Profit]"},
	{"gross profit over the last 12 months", "Date.Date period last 12 months; [Gross Profit]"},
	{"gross profit in the past three quarters", "Date.Date period last 3 quarters; [Gross Profit]"},
	{"Compare net sales 2023 vs 2024", "Date.Year in 2023,2024; [Net Sales]; by Date.Year"},
	{"net sales in 2022, 2023 and 2024", "Date.Year in 2022,2023,2024; [Net Sales]"},
	{"net sales in March", none},
	{"gross profit compared to last year", none},
	{"net sales with a ship date in 2024", "Sales.Ship Date between 2024-01-01,2024-12-31; [Net Sales]"},
	{"net sales in fiscal year FY2024", "Date.Fiscal Year = FY2024; [Net Sales]"},

	// values
	{"net sales where category is Bikes", "Product.Category = Bikes; [Net Sales]"},
	{"net sales for the brand Contoso in 2024", "Date.Year = 2024; Product.Brand = Contoso; [Net Sales]"},
	{"net sales in the EMEA region", "Store.Region = EMEA; [Net Sales]"},
	{"net sales by brand where the category is Road Bikes or Mountain Bikes", "Product.Category in Mountain Bikes,Road Bikes; [Net Sales]; by Product.Brand"},
	{"net sales where segment is not Consumer", "Customer.Segment <> Consumer; [Net Sales]"},
	{"net sales where city = \"New York\" and segment = 'Corporate'", "Customer.City = New York; Customer.Segment = Corporate; [Net Sales]"},
	{"net sales where product name contains helmet", "Product.Product Name contains helmet; [Net Sales]"},
	{"net sales where priority is 1", "Sales.Priority = 1; [Net Sales]"},
	{"net sales where is gift is true", "Sales.Is Gift = true; [Net Sales]"},
	{"net sales in Germany", none},
	{"net sales without Bikes", none},

	// comparisons
	{"Which categories have net sales over 1,000?", "Sales.Net Sales > 1000; [Net Sales]; by Product.Category"},
	{"categories with net sales of at least 1.5 million", "Sales.Net Sales >= 1500000; [Net Sales]; by Product.Category"},
	{"Which brands had more than 100 orders in 2024?", "Date.Year = 2024; Sales.Number of Orders > 100; [Number of Orders]; by Product.Brand"},
	{"net sales by brand for products with a list price between 10 and 20", "Product.List Price between 10,20; [Net Sales]; by Product.Brand"},
	{"net sales by brand with a list price under 20", "Product.List Price < 20; [Net Sales]; by Product.Brand"},
	{"Which regions have a gross margin percent below 20%?", "Sales.Gross Margin % < 0.2; [Gross Margin %]; by Store.Region"},

	// ranks
	{"What are the top 5 brands by net sales?", "[Net Sales]; [Net Sales] top 5; by Product.Brand"},
	{"Which category has the highest gross profit?", "[Gross Profit]; [Gross Profit] top 1; by Product.Category"},
	{"Which three regions had the lowest net sales in 2024?", "Date.Year = 2024; [Net Sales]; [Net Sales] bottom 3; by Store.Region"},
	{"Which month had the most units sold?", "[Units Sold]; [Units Sold] top 1; by Date.Month"},
	{"bottom 10 products by gross margin percent", "[Gross Margin %]; [Gross Margin %] bottom 10; by Product.Product Name"},
	{"net sales by brand, highest first", "[Net Sales]; by Product.Brand"},
	{"What is the highest net sales?", none},

	// lists
	{"Which categories are there?", "by Product.Category"},
	{"List the brands", "by Product.Brand"},
	{"How many brands are there?", none},

	// what is not there, or not clear
	{"", none},
	{"Hello there!", none},
	{"What is the weather by region?", none},
	{"What is the quantity by category?", none},
	{"What is the total discount?", none},
	{"What are sales by category?", "[Net Sales]; by Product.Category"},
	{"What are units by category?", none},
	{"What is the median net sales by category?", none},
	{"net sales of products", none},
	{"Why did net sales drop?", none},
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	engine := answering.New(shop())
	for _, q := range questions {
		got := engine.Answer(q.question)
		if fieldsOf(got) != q.want {
			t.Errorf("%q\n got %s\nwant %s\n %s", q.question, fieldsOf(got), q.want, got.Text)
		}
		if got.CannotTell != (got.Query == "") || got.CannotTell != (len(got.Fields) == 0) || got.CannotTell != (len(got.Reasons) == 0) || got.Text == "" {
			t.Errorf("%q is answered by halves: %+v", q.question, got)
		}
		if parsed, err := benchmark.ParseQuery(got.Query); !got.CannotTell && (err != nil || len(parsed.Fields()) != len(got.Fields)) {
			t.Errorf("%q: %v in %s", q.question, err, got.Query)
		}
	}
}
