package explained

// typesExplained explains domain/readiness/rules/datatypes.
var typesExplained = map[string]Explanation{
	"TYP-01": {
		Name: "TextNotSummarized", Title: "A text or date column is not summarized",
		What: "Judges exposed string, boolean and dateTime columns. It fails if summarizeBy is something other than none and default. " +
			"It fails by a quarter if summarizeBy is absent or default.",
		Why:    "A visual or query that drops the column in as a value counts it or takes its first value, which no one asked for.",
		Source: nothingSaysSo.and("The rule is about what a visual that an AI builds does with the column."),
		Fails: tmdl(`
table Customer

	column City
		dataType: string
		summarizeBy: count
`),
		Passes: tmdl(`
table Customer

	column City
		dataType: string
		summarizeBy: none
`),
		Fix: "Set summarizeBy to none.",
	},
	"TYP-02": {
		Name: "IdentifierNotSummarized", Title: "A number that is an identifier, a period or a rate is not summarized",
		What: "Judges exposed numeric columns, except foreign keys that are not summarized, that are keys, or whose names say that a sum means nothing: " +
			"a word such as id, code, " +
			"year, month, rank, rate, percent, age, average, median, max or distinct; a last word such as hour, level, version, order, " +
			"number or temperature; a percent sign at its start or end; or price, unless it is what the rows of a fact without a quantity were " +
			"sold for. The commonest of these words are known in German, Dutch, French, Italian, Portuguese and Spanish, too. So are " +
			"decimals shown as percentages. It fails if " +
			"summarizeBy is not none, by half if it is count or distinctCount.",
		Why:    "The sum of years or of rates is a number without meaning, and it looks like an answer.",
		Source: nothingSaysSo.and("The rule is about what a visual that an AI builds does with the column."),
		Fails: tmdl(`
table Sales

	column 'Order Year'
		dataType: int64
		summarizeBy: sum
`),
		Passes: tmdl(`
table Sales

	column 'Order Year'
		dataType: int64
		summarizeBy: none
`),
		Fix: "Set summarizeBy to none. If people ask for an average or a count, add a measure for it.",
	},
	"TYP-03": {
		Name: "QuantityIsNumber", Title: "A quantity is stored as a number",
		What: "Judges exposed columns whose names end with amount, qty, quantity, price, cost, costs, revenue, total, count, pct, " +
			"percent, percentage, %, rate, ratio, bytes or rows; a final unit as in Amount in EUR does not count. It fails if the " +
			"column is a string.",
		Why:    "Texts can be neither added nor compared, so a measure over the column fails or has to convert each value.",
		Source: schemaIsUsed,
		Fails: tmdl(`
table Sales

	column Amount
		dataType: string
`),
		Passes: tmdl(`
table Sales

	column Amount
		dataType: decimal
`),
		Fix: "Store the column as a number. If it holds text, such as a class of amounts, say so in its name.",
	},
	"TYP-04": {
		Name: "DateIsDate", Title: "A date is stored as a date",
		What: "Judges exposed columns that are no keys and whose names end with date, datetime, timestamp or date time, or with one of " +
			"created, creation, modified, updated, refresh and publish directly before or after one of time, on and at. It fails if " +
			"the column is string or int64.",
		Why:    "Periods such as last month are computed from dates only, and dates as text sort and compare as text.",
		Source: schemaIsUsed,
		Fails: tmdl(`
table Sales

	column 'Order Date'
		dataType: string
`),
		Passes: tmdl(`
table Sales

	column 'Order Date'
		dataType: dateTime
`),
		Fix: "Store the column as dateTime.",
	},
	"TYP-05": {
		Name: "PeriodSorted", Title: "The name of a period is sorted by its number",
		What: "Judges exposed string columns with the word month, weekday or day in the name and none of count, number and of. It " +
			"fails if the column has no sort-by column.",
		Why:    "Without a sort-by column April comes first, in a trend, too.",
		Source: nothingSaysSo.and("The rule is about the order of the rows of an answer."),
		Fails: tmdl(`
table Date

	column Month
		dataType: string

	column 'Month Number'
		dataType: int64
		isHidden
`),
		Passes: tmdl(`
table Date

	column Month
		dataType: string
		sortByColumn: 'Month Number'

	column 'Month Number'
		dataType: int64
		isHidden
`),
		Fix: "Set sortByColumn to a column with the number of the period.",
	},
	"TYP-06": {
		Name: "PlaceCategorized", Title: "A place has a data category",
		What: "Judges exposed columns whose names end with a place, after final words name, code and region and without of, by or per " +
			"before the place: strings with country, city, province, county, continent, zip, postcode or postal; int64 columns with " +
			"zip, postcode or postal; double and decimal columns with latitude or longitude. A string State, State Name, State Code or " +
			"State Province is judged only if another column of the table holds such a place. It fails if dataCategory is empty or " +
			"Uncategorized. It does not apply to data agents.",
		Why:    "Without a category a place is only a text: a map cannot be drawn, and Georgia may be a country or a state.",
		Source: nothingSaysSo.and("Data categories are not in what a data agent is given, so its score leaves the rule out."),
		Fails: tmdl(`
table Customer

	column Country
		dataType: string
`),
		Passes: tmdl(`
table Customer

	column Country
		dataType: string
		dataCategory: Country
`),
		Fix: "Set the data category that says what kind of place the column holds.",
	},
	"TYP-07": {
		Name: "DimensionLabelled", Title: "A dimension says which column names its rows",
		What: "Judges exposed dimensions with an exposed string column. It fails if no column of the table, hidden ones included, is " +
			"the default label (isDefaultLabel).",
		Why:    "Asked for the best customers, an AI has to choose between name, number and mail address of a customer.",
		Source: nothingSaysSo.and("The rule is about the column by which an answer lists the rows."),
		Fails: tmdl(`
table Sales

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

	column 'Customer Name'
		dataType: string

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
		Passes: tmdl(`
table Sales

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

	column 'Customer Name'
		dataType: string
		isDefaultLabel

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
		Fix: "Mark the column that names the rows as the default label.",
	},
}
