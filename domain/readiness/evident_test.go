package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func columnFormat(s string) columnOption {
	return func(c *semanticmodel.Column) { c.FormatString = s }
}

func TestSeverityOfMissingDescriptions(t *testing.T) {
	t.Parallel()
	of := func(c semanticmodel.Column) *semanticmodel.Model { return model(table("T", c)) }
	low := func(c semanticmodel.Column) row { return row{c.Name, of(c), "T[" + c.Name + "] 1 low"} }
	medium := func(c semanticmodel.Column) row { return row{c.Name, of(c), "T[" + c.Name + "] 1 medium"} }
	dimension := func(name string, parts ...any) *semanticmodel.Model {
		return model(table("S", described("One row per entry at the till."), whole("K")), table(name, append([]any{whole("K"), text("Note"), text("More")}, parts...)...),
			related("S[K] -> "+name+"[K]"))
	}
	counted := func(name, expression string) *semanticmodel.Model {
		return model(table("T", measure(name, expression)))
	}
	const good = "What was invoiced, in euro."
	severities(t, map[string][]row{
		"DSC-01": {
			{"a table", model(table("Sales", text("Note"))), "Sales 1 medium"},
			{"only measures", model(table("Sales", measure("Net", "1"))), "Sales 1 low"},
			{"only hidden columns", model(table("Sales", text("Note", hidden), measure("Net", "1"))), "Sales 1 low"},
			{"three columns", model(table("S", described("One row per entry at the till."), whole("K")), table("Priority", whole("K"), text("Label"), text("Rank", hidden)), related("S[K] -> Priority[K]")), "Priority 1 low, S 0"},
			{"four columns", model(table("S", described("One row per entry at the till."), whole("K")), table("Priority", whole("K"), text("Label"), text("Rank"), text("x", hidden)), related("S[K] -> Priority[K]")), "Priority 1 medium, S 0"},
			{"three columns of no dimension", model(table("Priority", text("Label"), text("Rank"), whole("K"))), "Priority 1 medium"},
			{"a date table", model(table("Days", tableCategory("Time"))), "Days 1 low"},
			{"a date table with a description that adds nothing", model(table("Days", tableCategory("Time"), described("The calendar."))),
				"Days 1 low"},
			{"a described date table", model(table("Days", tableCategory("Time"), described(good))), "Days 0"},
			{"with a key and a name", dimension("Customer", text("Customer Id"), text("Customer Name")), "Customer 1 low, S 0"},
			{"with a hidden key and a name", dimension("Customer", text("customer_key", hidden), text("CustomerName", hidden)),
				"Customer 1 low, S 0"},
			{"in the singular", dimension("Product Categories", text("Product Category Key"), text("Product Category Name")),
				"Product Categories 1 low, S 0"},
			{"with the word dim", dimension("DimCustomer", text("Customer Id"), text("Customer Name")), "DimCustomer 1 low, S 0"},
			{"that is no dimension", model(table("Customer", text("Customer Id"), text("Customer Name"))), "Customer 1 low"},
			{"that is a fact", model(table("Customer", text("Customer Id"), text("Customer Name"), whole("K")), table("T", described(good), whole("K")),
				related("Customer[K] -> T[K]")), "Customer 1 medium, T 0"},
			{"a key and a name of nothing", dimension("Customer", text("Customer Id"), text("Name")), "Customer 1 low, S 0"},
			{"a key and a title of nothing", dimension("Customer", text("Customer Code"), text("TITLE", hidden)), "Customer 1 low, S 0"},
			{"a key and a label", dimension("Customer", text("Customer Key"), text("Customer Label")), "Customer 1 low, S 0"},
			{"a key and an abbreviated name", dimension("dim_page", text("page_id"), text("page_nm")), "S 0, dim_page 1 low"},
			{"a key and nothing", dimension("Customer", text("Customer Id"), text("Nm")), "Customer 1 medium, S 0"},
			{"a name alone", dimension("Customer", text("Customer Name"), text("Name")), "Customer 1 medium, S 0"},
			{"the only column, a date", model(table("Bins", date("Bin", hidden), measure("m", "1", says(good)))), "Bins 1 low"},
			{"the only column, a number", model(table("Bins", whole("Bin"))), "Bins 1 medium"},
			{"a date and another column", model(table("Bins", date("Bin"), text("x", hidden))), "Bins 1 medium"},
			{"places", model(table("S", described(good), text("K")), table("Regions", text("K", hidden), text("RegionName"), text("Continent"), amount("Lat"), text("Home Geography")), related("S[K] -> Regions[K]")), "Regions 1 low, S 0"},
			{"places and something else", dimension("Regions", text("RegionName"), text("Continent")), "Regions 1 medium, S 0"},
			{"places of no dimension", model(table("Regions", text("RegionName"), text("Continent"))), "Regions 1 medium"},
			{"what TIM-01 says to mark", dimension("dim_dt", date("dt"), whole("yr"), whole("mth")), "S 0, dim_dt 1 low"},
			{"what TIM-01 says to join", model(table("My Dates", date("a"), whole("Year"))), "My Dates 1 low"},
			{"next to a date table", model(table("My Dates", date("a"), whole("Year")), table("D", described(good), tableCategory("Time"))), "D 0, My Dates 1 medium"},
			{"of something else", dimension("Customer", text("Customer Id"), text("Client Name")), "Customer 1 medium, S 0"},
			{"of less", dimension("Key Customer", text("Customer Id"), text("Customer Name")), "Key Customer 1 medium, S 0"},
			{"two steps", dimension("Cities", text("Citys Id"), text("City Name")), "Cities 1 medium, S 0"},
			{"of two forms", dimension("Customers", text("Customer Id"), text("Customers Name")), "Customers 1 medium, S 0"},
			{"of both forms", dimension("Customers", text("Customer Id"), text("Customers Id"), text("Customers Name")), "Customers 1 low, S 0"},
		},
		"DSC-02": {
			low(text("Title")), low(date("Sold")), low(column("Sold", semanticmodel.Boolean)), low(column("Sold", "")), low(column("Order Status", semanticmodel.Boolean)),
			medium(text("Cstmr")), medium(text("Size x")), low(text("Column 1")), medium(text("Value")), low(date("Sold Dt")), low(text("site_nm")), medium(text("Nm")),
			medium(text("Cstmr Nm")), medium(text("Reason Cd")), medium(text("Nm Cd")), medium(text("Dt Sold")), low(text("CSTMR_NM")), low(text("LEAD_CD")), medium(text("CSTMR")),
			low(whole("Build Version")), low(whole("Order Key")), low(whole("Failure Count")), low(whole("Num of Items")), low(whole("NumberOfItems")), low(whole("Count of Items")),
			medium(whole("Number Items")), medium(whole("Items Counted")), low(whole("Dummy")), low(whole("Row Placeholder")),
			medium(whole("Is Late")), {"a flag of a date table", model(table("D", tableCategory("Time"), described(good), whole("Is Late"), whole("hasCost"), whole("InStock"), whole("Is"),
				amount("Is Net"), whole("Was Late"))), "D[InStock] 1 low, D[Is] 1 medium, D[Is Late] 1 low, D[Is Net] 1 medium, D[Was Late] 1 medium, D[hasCost] 1 low"},
			medium(whole("Net")), medium(amount("Net")), medium(column("Net", semanticmodel.Double)), medium(whole("%")),
			low(whole("Net Hours")), low(whole("Year")), low(amount("Latitude")), low(whole("Age")), low(whole("Home Id")),
			medium(whole("Hours Net")), low(text("Net")),
			low(amount("Net", columnFormat("0.0%"))), low(amount("Net", columnFormat(`\$#,0`))), low(amount("Net", columnFormat("#,0 €"))),
			medium(amount("Net", columnFormat("#,0"))), medium(text("Order Status", columnFormat("0%"))),
			medium(text("Order Status")), low(text("Category")), low(text("Category Name")), medium(text("Order Type")), low(amount("Lat")), low(amount("Duration In Sec")), low(whole("Order Hour")), medium(whole("Status")),
			{"a description that adds nothing", of(text("Title", about("The title"))), "T[Title] 1 low"},
			{"a description", of(text("Cstmr", about(good))), "T[Cstmr] 0"},
		},
		"DSC-03": {
			{"another measure", counted("Sales", "SUM(T[x])"), "T[Sales] 1 medium"},
			{"number of", counted("Number of Orders", "COUNTROWS(T)"), "T[Number of Orders] 1 low"},
			{"count of", counted("Count of Orders", "COUNT(T[x])"), "T[Count of Orders] 1 low"},
			{"count last", counted("Order Count", "/* x */ ((distinctcount ( T[x] ))) // y"), "T[Order Count] 1 low"},
			{"a number sign", counted(" # Orders", "COUNTROWS(T)"), "T[ # Orders] 1 low"},
			{"a number sign last", counted("Orders #", "COUNTROWS(T)"), "T[Orders #] 1 medium"},
			{"another name", counted("Orders", "COUNTROWS(T)"), "T[Orders] 1 medium"},
			{"number alone", counted("Number Orders", "COUNTROWS(T)"), "T[Number Orders] 1 medium"},
			{"an abbreviation", counted("Ordr Cnt Count", "COUNTROWS(T)"), "T[Ordr Cnt Count] 1 medium"},
			{"more than a call", counted("Order Count", "COUNTROWS(T) + 0"), "T[Order Count] 1 medium"},
			{"in CALCULATE", counted("Order Count", "CALCULATE(COUNTROWS(T))"), "T[Order Count] 1 low"},
			{"with a filter", counted("Order Count", `CALCULATE(COUNTROWS(T), T[x] = "a", (-1 == T[x]), 'T'[x] = TRUE())`), "T[Order Count] 1 low"},
			{"with a list", counted("Order Count", `CALCULATE(COUNTROWS(T), T[x] IN {1})`), "T[Order Count] 1 medium"},
			{"with a comparison", counted("Order Count", `CALCULATE(COUNTROWS(T), T[x] > 1)`), "T[Order Count] 1 medium"},
			{"with a column without a table", counted("Order Count", `CALCULATE(COUNTROWS(T), [x] = 1)`), "T[Order Count] 1 medium"},
			{"with an expression", counted("Order Count", `CALCULATE(COUNTROWS(T), T[x] = 1 + 1)`), "T[Order Count] 1 medium"},
			{"with NOT", counted("Order Count", `CALCULATE(COUNTROWS(T), T[x] = NOT 1)`), "T[Order Count] 1 medium"},
			{"with a modifier", counted("Order Count", `CALCULATE(COUNTROWS(T), ALL(T))`), "T[Order Count] 1 medium"},
			{"below a variable", counted("Order Count", `VAR a = 1 RETURN CALCULATE(COUNTROWS(T))`), "T[Order Count] 1 medium"},
			{"of a sum", counted("Order Count", `CALCULATE(SUM(T[x]), T[x] = 1)`), "T[Order Count] 1 medium"},
			{"of itself", counted("Order Count", `CALCULATE([Order Count], T[x] = 1)`), "T[Order Count] 1 medium"},
			{"of another count", model(table("T", whole("x", about(good)), measure("All", "(COUNTROWS(T))", says("Number of orders of the day.")),
				measure("Order Count", "CALCULATE([All], T[x] = 1)"))), "T[All] 0, T[Order Count] 1 low"},
			{"of another sum", model(table("T", whole("x", about(good)), measure("All", "SUM(T[x])", says("Sum of orders of the day.")),
				measure("Order Count", "CALCULATE([All], T[x] = 1)"))), "T[All] 0, T[Order Count] 1 medium"},
			{"what a report shows", counted("Selected Unit", "SELECTEDVALUE(T[x])"), "T[Selected Unit] 1 low"},
			{"what looks like it", counted("Selections", "1 + 1"), "T[Selections] 1 medium"},
			{"a helper", counted("_Net", "1 + 1"), "T[_Net] 1 low"},
			{"a helper that another measure uses", model(table("T", measure("_Net", "1 + 1"), measure("Net", "[_Net]", says(good)))), "T[Net] 0, T[_Net] 1 medium"},
			{"a text", counted("Release", `/* x */ ("2026.1")`), "T[Release] 1 low"},
			{"a text without end", counted("Release", `"2026.1`), "T[Release] 1 medium"},
			{"a number", counted("Rate", "-1.5"), "T[Rate] 1 low"},
			{"a truth", counted("Open", "TRUE()"), "T[Open] 1 low"},
			{"a sum of numbers", counted("Rate", "1 + 1"), "T[Rate] 1 medium"},
			{"a variable", counted("Rate", "VAR a = 1 RETURN 1"), "T[Rate] 1 medium"},
			{"a mail", counted("Action Mail To", `"mailto:" & MAX(T[x])`), "T[Action Mail To] 1 low"},
			{"another call", counted("Order Count", "COUNTX(T, 1)"), "T[Order Count] 1 medium"},
		},
	})
}
