package explained

import (
	"strings"

	"readiness/domain/readiness/model"
)

// timeExplained explains domain/readiness/rules/dates.
var timeExplained = map[string]Explanation{
	"TIM-01": {
		Name: "DateTablePresent", Title: "The model has a marked date table",
		What: "Judges the model, if it has a dateTime column. It passes if a table with the data category Time has a dateTime column " +
			"that is its key (isKey), or if all relationships of a date table are by one dateTime column. It fails by half if there is another " +
			"date table, with high severity if measures use time intelligence, or a table with a word for date or " +
			"calendar in its name and a dateTime column that could be one: it has another column with a word such as day, " +
			"week, month, quarter, year or fiscal in its name; by 0.6 if no tables are related, or the only one has parts of dates. " +
			"Else it fails in full. It names the dates to join facts by, without those of births, loads and changes. docs/regime.md defines " +
			"date tables.",
		Why: "Time intelligence needs one table with a row for each day. Over a table that is joined by a number and not marked, functions " +
			"such as DATESYTD keep the filters on months and years, so their results are wrong; joined by its dates it needs no mark.",
		Source: marksRemoveFilters,
		Fails: tmdl(`
table Sales

	column 'Order Date'
		dataType: dateTime
`),
		Passes: tmdl(`
table Sales

	column 'Order Date'
		dataType: dateTime

table Date
	dataCategory: Time

	column Date
		dataType: dateTime
		isKey

relationship 'Order date'
	fromColumn: Sales.'Order Date'
	toColumn: Date.Date
`),
		Fix: "Add a date table with a row for each day, mark it as the date table with a dateTime column as its key, and relate the " +
			"facts to it.",
	},
	"TIM-02": {
		Name: "DateTableMarked", Title: "A date table is marked as one",
		What: "Judges exposed dimensions with a word for date or calendar in the name and a dateTime column, if the model has a " +
			"date table that periods work with (TIM-01). It fails by 0.3 if the table's data category is not Time.",
		Why:    "A marked table says which column has a row for each day, and keeps automatic date tables away.",
		Source: marksRemoveFilters,
		Fails: tmdl(`
table Sales

	column 'Order Date'
		dataType: dateTime

	column 'Ship Date'
		dataType: dateTime

table Calendar
	dataCategory: Time

	column Date
		dataType: dateTime
		isKey

table 'Ship Calendar'

	column Date
		dataType: dateTime

relationship 'Order date'
	fromColumn: Sales.'Order Date'
	toColumn: Calendar.Date

relationship 'Ship date'
	fromColumn: Sales.'Ship Date'
	toColumn: 'Ship Calendar'.Date
`),
		Passes: tmdl(`
table Sales

	column 'Order Date'
		dataType: dateTime

table Calendar
	dataCategory: Time

	column Date
		dataType: dateTime
		isKey

relationship 'Order date'
	fromColumn: Sales.'Order Date'
	toColumn: Calendar.Date
`),
		Fix: "Mark the table as a date table, which sets its data category to Time.",
	},
	"TIM-03": {
		Name: "NoAutomaticDateTables", Title: "There are no automatic date tables",
		What: "Judges the model, if it has a dateTime column. It fails if there is an automatic date table: its name starts with " +
			"LocalDateTable_ or DateTableTemplate_, or it has the annotation __PBI_LocalDateTable or __PBI_TemplateDateTable. It says so if " +
			"measures ask by the automatic table of a date table, as by 'Date'[Date].[Date].",
		Why: "There is one such table for each date column, so that two facts cannot be compared by month, and none of them is visible " +
			"to an AI.",
		Source: nothingSaysSo.and("Automatic date tables are hidden."),
		Fails: tmdl(`
table Sales

	column 'Order Date'
		dataType: dateTime

table LocalDateTable_0a1b2c3d
	isHidden

	column Date
		dataType: dateTime
`),
		Passes: tmdl(`
table Sales

	column 'Order Date'
		dataType: dateTime

table Date
	dataCategory: Time

	column Date
		dataType: dateTime
		isKey
`),
		Fix: "Switch auto date/time off in Power BI Desktop, and use one date table.",
	},
	"TIM-04": {
		Name: "FactRelatedToDate", Title: "A fact table is related to a date table",
		What: "Judges fact tables, hidden ones too, if the model has a date table and the fact table is joined to one by any " +
			"relationship or has an exposed dateTime column that is not about loads or changes (VIS-02, or a word such as modified, " +
			"updated or refreshed). It fails if no active relationship joins the table to a date table.",
		Why:    "A question about a month cannot filter the table, so the answer is the same for every month.",
		Source: relationshipsAreGiven,
		Fails: tmdl(`
table Sales

	column 'Order Date'
		dataType: dateTime

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

table Date
	dataCategory: Time

	column Date
		dataType: dateTime
		isKey

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
		Passes: tmdl(`
table Sales

	column 'Order Date'
		dataType: dateTime

table Date
	dataCategory: Time

	column Date
		dataType: dateTime
		isKey

relationship 'Order date'
	fromColumn: Sales.'Order Date'
	toColumn: Date.Date
`),
		Fix: "Add an active relationship from the date that questions mean by default to the date table.",
	},
	"TIM-05": {
		Name: "DateHierarchyPresent", Title: "A date table has a hierarchy",
		What: "Judges exposed date tables, if the model has a dateTime column. It fails if the table has no hierarchy with at least " +
			"two levels, hidden ones included.",
		Why:    "A hierarchy says which columns follow each other from year to day.",
		Source: nothingSaysSo.and("The AI data schema lists hierarchies."),
		Fails: tmdl(`
table Date
	dataCategory: Time

	column Date
		dataType: dateTime
		isKey

	column Year
		dataType: int64

	column Month
		dataType: string
`),
		Passes: tmdl(`
table Date
	dataCategory: Time

	column Date
		dataType: dateTime
		isKey

	column Year
		dataType: int64

	column Month
		dataType: string

	hierarchy Calendar

		level Year
			column: Year

		level Month
			column: Month
`),
		Fix: "Add a hierarchy such as Year, Quarter, Month.",
	},
	"TIM-06": {
		Name: "TimeMeasuresPresent", Title: "There are measures for periods",
		What: "Judges a model with exposed measures and a dateTime column. It fails if no measure and no calculation item calls " +
			strings.ReplaceAll(model.TimeFunctions, ",", ", ") + ", nor takes something from the latest or chosen year, month or day, as in " +
			"MAX('Date'[Year]) - 1.",
		Why:    "Questions compare periods. An AI that has no measure for it writes the expression by itself, with its own idea of a year.",
		Source: schemaIsUsed,
		Fails: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	column Amount
		dataType: decimal

	column 'Order Date'
		dataType: dateTime
`),
		Passes: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	measure 'Revenue YTD' = TOTALYTD([Revenue], Sales[Order Date])

	column Amount
		dataType: decimal

	column 'Order Date'
		dataType: dateTime
`),
		Fix: "Add measures such as year to date and last year.",
	},
}
