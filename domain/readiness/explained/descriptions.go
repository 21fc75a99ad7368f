package explained

// earnsNothing says which descriptions count as none. Package informing decides.
const earnsNothing = "Nothing earns a text of fewer than 8 characters, and one that only repeats names of the object or of tables; " +
	"that consists mostly of praise, process or what holds of any data (validated by the team, refreshed daily, key for decisions); " +
	"that has no word of the model's names and none that defines (a unit, a grain, what is in and out, as of when, how it is counted), " +
	"or mostly words that are about nothing in models; or that is equal to the text of another object, or nearly equal to those of " +
	"three, without the objects' names and numbers. Words are known in English, German and Portuguese."

// descriptionsExplained explains domain/readiness/rules/descriptions.
var descriptionsExplained = map[string]Explanation{
	"DSC-01": {
		Name: "TableDescribed", Title: "A table has a description",
		What: "Judges every exposed table. It fails if the table has no description, or one that earns nothing. " + earnsNothing + " The severity is low " +
			"for a date table, and for a dimension whose columns say what a row is: one is named like the table with key or id after " +
			"it, and one with name after it, such as Customer Key and Customer Name in Customer (a first word dim of the table does " +
			"not count; hidden columns do).",
		Why: "An AI chooses the tables of a query by their names and descriptions. A description that states what one row stands for " +
			"keeps it from counting the wrong rows.",
		Source: descriptionsAreGiven,
		Fails: tmdl(`
table Sales

	column Amount
		dataType: decimal
`),
		Passes: tmdl(`
/// One row for each line of an invoice, from the point of sale and the web shop.
table Sales

	column Amount
		dataType: decimal
`),
		Fix: "State what one row stands for and what the table is used for.",
	},
	"DSC-02": {
		Name: "ColumnDescribed", Title: "A column that is not a key has a description",
		What: "Judges every exposed column that is neither an end of a relationship nor isKey. It fails if the column has no " +
			"description, or one that earns nothing (see DSC-01). The severity is medium where the name leaves the meaning open, else low. The name " +
			"leaves it open if (a) it violates NAM-03 or NAM-06; (b) the column is a number, its last word is none of hours, minutes, " +
			"seconds, days, bytes, kb, mb, gb, ms, km, kg, year, month, week, day, quarter, hour, age, id, latitude, longitude, " +
			"percent, pct, and its format string shows neither % nor a currency sign; or (c) it is a text whose last word is category, " +
			"type, kind, class, group, status, state, stage, level, code, flag, reason, mode, segment, band, grade, channel, source or " +
			"scope.",
		Why: "An AI filters and groups by columns. Without a description it guesses which values a column has and in which unit its " +
			"numbers are.",
		Source: descriptionsAreGiven,
		Fails: tmdl(`
table Sales

	column Channel
		dataType: string
`),
		Passes: tmdl(`
table Sales

	/// How the order came in: web, phone or shop.
	column Channel
		dataType: string
`),
		Fix: "Say what the values mean, with their unit or an example of them.",
	},
	"DSC-03": {
		Name: "MeasureDescribed", Title: "A measure has a description",
		What: "Judges every exposed measure. It fails if the measure has no description, or one that earns nothing (see DSC-01). The severity is " +
			"medium if the measure only counts and its name says so: the name does not violate NAM-03, it starts with #, number of or " +
			"count of, or ends with count, and the expression is one call of COUNT, COUNTROWS or DISTINCTCOUNT, or CALCULATE of one, " +
			"or of a measure that is one, with filters that compare a column with a constant.",
		Why: "Measures answer most questions. An AI chooses among them by name and description, and cannot see from a name what is " +
			"included, which filters apply and which date counts.",
		Source: descriptionsAreGiven,
		Fails: tmdl(`
table Sales

	measure 'Net Sales' = SUM(Sales[Amount])

	column Amount
		dataType: decimal
`),
		Passes: tmdl(`
table Sales

	/// Revenue after discounts and without tax, in euro. Use it for any question about revenue.
	measure 'Net Sales' = SUM(Sales[Amount])

	column Amount
		dataType: decimal
`),
		Fix: "Say what it measures, how it is calculated, in which unit, and when to use it.",
	},
	"DSC-05": {
		Name: "DescriptionShort", Title: "The important part of a description is in its first 200 characters",
		What: "Judges exposed tables, measures, and columns that are no keys, if they have a description that earns. It fails by half if " +
			"it is longer than 200 characters.",
		Why:    "What comes after the first 200 characters is not read when a query is written.",
		Source: descriptionsAreGiven,
		Fails: tmdl(`
/// One row for each line of an invoice.
table Sales

	/// This measure was introduced with the new reporting in spring, replaces three older measures of the finance team and was
	/// agreed with the controlling department, which answers questions about it. It is the revenue after discounts, in euro.
	measure 'Net Sales' = SUM(Sales[Amount])

	column Amount
		dataType: decimal
		isHidden
`),
		Passes: tmdl(`
/// One row for each line of an invoice.
table Sales

	/// Revenue after discounts and without tax. Replaces three older measures of the finance team.
	measure 'Net Sales' = SUM(Sales[Amount])

	column Amount
		dataType: decimal
		isHidden
`),
		Fix: "Cut the description to 200 characters, or put what matters first.",
	},
	"DSC-07": {
		Name: "CalculationItemsListed", Title: "The column of a calculation group describes every calculation item",
		What: "Judges exposed tables with a calculation group that has items. The violation is the share of the items whose names are " +
			"not in the first 200 characters of the description of the group's column, in any letter case. The column is the one with " +
			"the source column Name, else the only text column; without such a column the rule fails in full.",
		Why:    "An AI that does not know the items cannot use them.",
		Source: from("no-items").with(descriptionsAreGiven),
		Fails: tmdl(`
table Units
	calculationGroup

		calculationItem Single = SELECTEDMEASURE()

		calculationItem Thousands = DIVIDE(SELECTEDMEASURE(), 1000)

	/// Chooses the unit of a measure.
	column Unit
		dataType: string
		sourceColumn: Name
`),
		Passes: tmdl(`
table Units
	calculationGroup

		calculationItem Single = SELECTEDMEASURE()

		calculationItem Thousands = DIVIDE(SELECTEDMEASURE(), 1000)

	/// Chooses the unit of a measure: Single as it is, Thousands divided by 1,000.
	column Unit
		dataType: string
		sourceColumn: Name
`),
		Fix: "Name every item in the first 200 characters of the description of the group's column, and say what it does.",
	},
}
