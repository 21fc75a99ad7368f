package explained

// namingExplained explains domain/readiness/rules/naming.
var namingExplained = map[string]Explanation{
	"NAM-01": {
		Name: "NamePlain", Title: "A name is written in plain words",
		What: "Judges exposed tables, measures, and columns that are no keys. Columns that violate VIS-02 are not judged, nor are " +
			"columns whose last word is id, ids, key, guid or uuid unless the name violates NAM-03. A prefix that NAM-07 reports does " +
			"not count. A name is at fault if it has an underscore; if it has no space and a capital follows a lower-case letter; or " +
			"if it has no space, at least 4 letters and none in lower case. It fails by half. It fails in full for the first two " +
			"reasons if, in addition, the name violates NAM-03, or it has at least 4 letters and none in lower case; " +
			"but only by half if the object has a description that earns (see DSC-01).",
		Why:    "People ask in words with spaces. An AI finds a field by words that match the question.",
		Source: fieldsAreGiven,
		Fails: tmdl(`
table Sales

	column Net_Amount
		dataType: decimal
`),
		Passes: tmdl(`
table Sales

	column 'Net Amount'
		dataType: decimal
`),
		Fix: "Write words separated by spaces. Where a rename would break reports, add a description, which halves the violation.",
	},
	"NAM-02": {
		Name: "TableNameWithoutPrefix", Title: "A table's name has no technical prefix",
		What: "Judges every exposed table. It fails if the name starts with dim, fact, fct, stg, raw, tmp, vw or tbl and a space or " +
			"underscore, in any letter case; with Dim, Fact, Fct, Stg or Tbl and a capital; or with d_ or f_. It fails by half if a " +
			"space follows the prefix, as in Dim Customer.",
		Why:    "Prefixes say how data was loaded. No question contains them, and in a list they put unrelated tables next to each other.",
		Source: fieldsAreGiven,
		Fails: tmdl(`
table DimCustomer

	column City
		dataType: string
`),
		Passes: tmdl(`
table Customer

	column City
		dataType: string
`),
		Fix: "Name the table after its business subject. Renaming breaks reports that use the old name, so no optimization does it.",
	},
	"NAM-03": {
		Name: "NameSpelledOut", Title: "A name has no unexplained abbreviation",
		What: "Judges every exposed table, column and measure, by the words of its name without a prefix that NAM-07 reports. It fails " +
			"in full if a word of at least two letters has none of a, e, i, o, u and y. It fails by half if a word is a single letter " +
			"other than a and i, unless it stands next to a number or alone in brackets; and for a word of 2 to 5 capitals with a " +
			"vowel in a name that has another word not in capitals. Well-known abbreviations such as YTD, KPI, SKU, VAT and URL do not " +
			"count, with or without a final s.",
		Why:    "An AI guesses what an abbreviation stands for, and people do not type it.",
		Source: fieldsAreGiven,
		Fails: tmdl(`
table Customer

	column 'Sales Rgn'
		dataType: string
`),
		Passes: tmdl(`
table Customer

	column 'Sales Region'
		dataType: string
`),
		Fix: "Spell the abbreviation out. Where the name must stay, give the full words as a synonym and in the description, and " +
			"ignore the finding.",
	},
	"NAM-04": {
		Name: "ColumnNameUnique", Title: "No two columns share a name",
		What: "Judges exposed columns that are no keys. Columns that violate VIS-02 are not judged, nor are columns whose last word is " +
			"id, ids, key, guid or uuid. It fails if exposed columns of at least two tables have the same name, in any letter case and " +
			"spacing (columns that are not judged count, too); by half if each of them has a description that earns (see DSC-01).",
		Why:    "Asked for the city, an AI has to choose between Customer[City] and Store[City], and the name does not help.",
		Source: fieldsAreGiven,
		Fails: tmdl(`
table Customer

	column City
		dataType: string

table Store

	column City
		dataType: string
`),
		Passes: tmdl(`
table Customer

	column 'Customer City'
		dataType: string

table Store

	column 'Store City'
		dataType: string
`),
		Fix: "Give each column a distinct name, or at least a description that says how it differs.",
	},
	"NAM-05": {
		Name: "NameClean", Title: "A name has no stray white space or control characters",
		What: "Judges every exposed table, column and measure. It fails if the name has a control or format character, or leading, " +
			"trailing or doubled white space.",
		Why:    "Characters that are not visible make a name differ from what an AI or a person writes, so that a query does not find it.",
		Source: fieldsAreGiven,
		Fails: tmdl(`
table Sales

	column 'Net  Amount'
		dataType: decimal
`),
		Passes: tmdl(`
table Sales

	column 'Net Amount'
		dataType: decimal
`),
		Fix: "Remove control characters, spaces at the ends, and doubled spaces.",
	},
	"NAM-06": {
		Name: "NameMeaningful", Title: "A name is not a placeholder",
		What: "Judges every exposed table, column and measure. It fails if the name is table, column, col, field, measure, sheet, " +
			"query, new table, new column or new measure, alone or with a number. It fails by half if a column or measure is named " +
			"flag, value, data, number, key, error, unknown, count, min, max, average or properties and has no description that earns (see DSC-01).",
		Why:    "Nothing in a question matches such a name, and it does not say what the object holds.",
		Source: fieldsAreGiven,
		Fails: tmdl(`
table Sales

	column Column1
		dataType: decimal
`),
		Passes: tmdl(`
table Sales

	column Discount
		dataType: decimal
`),
		Fix: "Replace the placeholder by a name that says what the object holds. A description that adds something clears the half.",
	},
	"NAM-07": {
		Name: "NoPrefixOnFields", Title: "The names of fields have no common technical prefix",
		What: "Judges the model, if a field is exposed. A prefix is one or two letters and an underscore at the start of a name that " +
			"continues after it, in any letter case. It fails if a prefix begins at least 5 names of exposed fields and at least a " +
			"tenth of them. The finding names each such prefix once; NAM-01 and NAM-03 then judge the names without it.",
		Why:    "A prefix that many fields share says nothing about any of them.",
		Source: fieldsAreGiven,
		Fails: tmdl(`
table Product

	column p_Brand

	column p_Color

	column p_Model

	column p_Season

	column p_Weight
`),
		Passes: tmdl(`
table Product

	column Brand

	column Color

	column Model

	column Season

	column Weight
`),
		Fix: "Leave the prefix out of the names. Renaming breaks reports that use the old names, so no optimization does it.",
	},
}
