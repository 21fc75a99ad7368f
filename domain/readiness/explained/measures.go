package explained

// measuresExplained explains domain/readiness/rules/measures.
var measuresExplained = map[string]Explanation{
	"MEA-01": {
		Name: "MeasuresPresent", Title: "The model has measures",
		What: "Judges the model, if it has a fact table or an exposed numeric column that is no key. It fails if no measure is " +
			"exposed, and by half if fewer measures are exposed than the model has fact tables. While no measure is exposed, the cap " +
			"CAP-NOMEASURE limits the score to 60.",
		Why:    "Without measures an AI invents its own calculations, and two answers to one question differ.",
		Source: schemaIsUsed,
		Fails: tmdl(`
table Sales

	column Amount
		dataType: decimal
`),
		Passes: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])
		formatString: #,0.00

	column Amount
		dataType: decimal
`),
		Fix: "Add measures for the numbers that people ask for, at least one for each fact table.",
	},
	"MEA-02": {
		Name: "NumberHasMeasure", Title: "A number of a fact table is aggregated by a measure",
		What: "Judges exposed numeric columns of fact tables that are no keys, whose summarizeBy is not none and that TYP-02 does not " +
			"judge. It fails if no measure of the model refers to the column.",
		Why:    "An AI sums such a column by itself and does not know which filters apply or whether a sum is right.",
		Source: schemaIsUsed,
		Fails: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	column Amount
		dataType: decimal

	column Discount
		dataType: decimal

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
		Passes: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	measure 'Discounts Given' = SUM(Sales[Discount])

	column Amount
		dataType: decimal

	column Discount
		dataType: decimal

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
		Fix: "Add a measure that aggregates the column, or set its summarizeBy to none if sums of it mean nothing.",
	},
	"MEA-03": {
		Name: "MeasureFormatted", Title: "A measure has a format string",
		What: "Judges exposed measures that do not violate VIS-03 and whose expression does not yield text. It " +
			"fails if the measure has neither a format string nor a format string expression. It fails by half, with low severity, if " +
			"the expression is one call of COUNTROWS, COUNT, COUNTA, COUNTX, COUNTAX, DISTINCTCOUNT or DISTINCTCOUNTNOBLANK, alone or " +
			"as the first argument of CALCULATE.",
		Why:    "The format carries unit and decimals: without it a share is shown as 0.2 and an amount without its currency.",
		Source: nothingSaysSo.and("The format decides how an answer is shown."),
		Fails: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	column Amount
		dataType: decimal
`),
		Passes: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])
		formatString: #,0.00 €

	column Amount
		dataType: decimal
`),
		Fix: "Set a format string that shows unit and decimals.",
	},
	"MEA-04": {
		Name: "MeasureInFolder", Title: "A measure of a table with many measures is in a display folder",
		What: "Judges the exposed measures of tables that have more than 10 of them. It fails if the measure has no display folder. It " +
			"does not apply to data agents.",
		Why:    "People who prepare a model for AI choose its measures in lists. Folders keep long lists readable.",
		Source: nothingSaysSo.and("Display folders are not in what a data agent is given, so its score leaves the rule out."),
		Fails: tmdl(`
table Sales

	measure Cost = 1
	measure Customers = 2
	measure Discounts = 3
	measure Margin = 4
	measure Orders = 5
	measure Profit = 6
	measure Returns = 7
	measure Revenue = 8
	measure Shipments = 9
	measure Tax = 10
	measure Units = 11
`),
		Passes: tmdl(`
table Sales

	measure Cost = 1
		displayFolder: Amounts
	measure Customers = 2
		displayFolder: Amounts
	measure Discounts = 3
		displayFolder: Amounts
	measure Margin = 4
		displayFolder: Amounts
	measure Orders = 5
		displayFolder: Amounts
	measure Profit = 6
		displayFolder: Amounts
	measure Returns = 7
		displayFolder: Amounts
	measure Revenue = 8
		displayFolder: Amounts
	measure Shipments = 9
		displayFolder: Amounts
	measure Tax = 10
		displayFolder: Amounts
	measure Units = 11
		displayFolder: Amounts
`),
		Fix: "File the measures of the table into display folders by subject, or move some of them to another table: 10 measures need " +
			"no folders.",
	},
	"MEA-05": {
		Name: "MeasureNotRepeated", Title: "No measure repeats another",
		What: "Judges every exposed measure. It fails if an earlier exposed measure, by name, has the same expression without white " +
			"space, comments, letter case and quotation of names, or if the expression is only the name of another exposed measure. " +
			"Measures with an unqualified " +
			"column of their own table are the same only within one table. It fails by half if both measures have a format string and " +
			"these differ, or if the two differ only by the sign, as a - b and b - a.",
		Why:    "An AI picks either of two equal measures. The answers are equal today and differ once one of them is changed.",
		Source: schemaIsUsed,
		Fails: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	measure Turnover = SUM ( Sales[Amount] )

	column Amount
		dataType: decimal
`),
		Passes: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	column Amount
		dataType: decimal
`),
		Fix: "Keep one of the two. If reports need both, leave one out of the AI data schema and make its name a synonym of the other.",
	},
	"MEA-06": {
		Name: "MeasureNameDistinct", Title: "Measures have clearly different names",
		What: "Judges every exposed measure. It fails by half if another exposed measure has a name of the same words and signs, in " +
			"any order. Total, sum, of, amount, the and value do not count; percent, percentage and pct are the sign %, number and " +
			"count the sign #. Currency signs and the sign ∆ count as words.",
		Why:    "Sales Amount and Total Sales are one term to a reader, but two measures that may give different numbers.",
		Source: fieldsAreGiven,
		Fails: tmdl(`
table Sales

	measure 'Sales Amount' = SUM(Sales[Net])

	measure 'Total Sales' = SUM(Sales[Gross])

	column Net
		dataType: decimal

	column Gross
		dataType: decimal
`),
		Passes: tmdl(`
table Sales

	measure 'Net Sales' = SUM(Sales[Net])

	measure 'Gross Sales' = SUM(Sales[Gross])

	column Net
		dataType: decimal

	column Gross
		dataType: decimal
`),
		Fix: "Say in the names what distinguishes the measures. Else say in the AI instructions when to use which, or leave one out of " +
			"the AI data schema.",
	},
	"MEA-07": {
		Name: "ExpressionSound", Title: "An expression refers to what exists, and is complete",
		What: "Judges measures, calculated columns and calculation items, hidden ones too; only those at fault are counted. It fails " +
			"if the expression refers to 'Table'[Name] and the model has no such table, or the table has no such column and the model " +
			"no such measure; or if a quotation mark, a bracket or a comment is not closed. Names without a table are not judged, nor " +
			"are names of variables and of columns that the expression itself makes. While a calculated column " +
			"fails, the cap CAP-BROKEN limits the score to 49; while only other expressions do, CAP-BROKEN-DAX limits it to 84.",
		Why:    "A question that needs the expression gets an error. A broken calculated column also stops the refresh of the model.",
		Source: schemaIsUsed,
		Fails: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amout])

	column Amount
		dataType: decimal
`),
		Passes: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	column Amount
		dataType: decimal
`),
		Fix: "Correct the name or complete the expression; remove an expression that is no longer needed.",
	},
	"MEA-08": {
		Name: "DivisionSafe", Title: "A measure divides with DIVIDE",
		What: "Judges every exposed measure. It fails by half if the expression divides by / and the divisor is neither a number nor a " +
			"parenthesis of numbers and operators.",
		Why:    "Where the divisor is zero, / gives infinity, which an answer repeats. DIVIDE gives BLANK.",
		Source: nothingSaysSo.and("The rule is about the values in an answer."),
		Fails:  margin("SUM(Sales[Profit]) / SUM(Sales[Amount])"),
		Passes: margin("DIVIDE(SUM(Sales[Profit]), SUM(Sales[Amount]))"),
		Fix:    "Write DIVIDE(numerator, denominator) in place of numerator / denominator.",
	},
	"MEA-09": {
		Name: "PercentOnce", Title: "A percentage is multiplied by 100 once",
		What: "Judges every exposed measure whose format string shows a percent sign that is not quoted. It fails if the expression " +
			"multiplies its result by 100, also in a variable, in IF or in the numerator of DIVIDE.",
		Why:    "The format multiplies by 100 too: a share of 12 % is shown, and told, as 1,200 %.",
		Source: from("percent"),
		Fails:  margin("DIVIDE(SUM(Sales[Profit]), SUM(Sales[Amount])) * 100"),
		Passes: margin("DIVIDE(SUM(Sales[Profit]), SUM(Sales[Amount]))"),
		Fix:    "Take * 100 out of the expression, or the percent sign out of the format string.",
	},
	"MEA-10": {
		Name: "AddsUp", Title: "A measure sums what adds up",
		What: "Judges every exposed measure that is the sum of one column, also scaled, of a variable or up to a day of the year, or of such " +
			"a stock times something. It fails if the names of table or column say that the rows count the same things again on each " +
			"day, such as holdings, balances and pieces on hand, and the table has a date; and if the column's name says that it holds " +
			"prices, rates, temperatures or the cost of one piece. A measure that picks a day, such as by " +
			"LASTNONBLANK, passes.",
		Why:    "Thirty daily balances of 100 are no 3,000. The answer is wrong by as many times as days are asked about.",
		Source: nothingSaysSo.and("The rule is about the values in an answer."),
		Fails: tmdl(`
table Holdings

	measure 'Quantity Held' = SUM(Holdings[Quantity])
		formatString: 0

	column Day
		dataType: dateTime

	column Quantity
		dataType: int64
`),
		Passes: tmdl(`
table Holdings

	measure 'Quantity Held' = CALCULATE(SUM(Holdings[Quantity]), LASTDATE(Holdings[Day]))
		formatString: 0

	column Day
		dataType: dateTime

	column Quantity
		dataType: int64
`),
		Fix: "Take the value of the last day of the period, or average it; of prices and rates take the average, weighted where it should be.",
	},
}

// margin is a model with a percentage.
func margin(expression string) Example {
	return tmdl("table Sales\n\n\tmeasure Margin = " + expression + `
		formatString: 0.0%

	column Profit
		dataType: decimal

	column Amount
		dataType: decimal
`)
}
