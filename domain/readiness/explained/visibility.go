package explained

// visibilityExplained explains domain/readiness/rules/visibility.
var visibilityExplained = map[string]Explanation{
	"VIS-01": {
		Name: "AIDataSchemaPresent", Title: "The model says what an AI sees",
		What: "Judges the model. It passes if the AI data schema lists a table, column or measure of the model as Visible or Hidden. " +
			"Else it counts the exposed fields without those that violate VIS-02 or VIS-03 and without columns with the word dummy or " +
			"placeholder in the name. It fails in full, with high severity, if these are more than 30. If they are not, it fails by " +
			"half, with medium severity, if some fields were left out of the count; by a quarter, with low severity, if more than 10 " +
			"fields are exposed; and it does not apply to a smaller model.",
		Why:    "Without a choice an AI is given every field that is not hidden, also those that no question is about.",
		Source: exposureDecides,
		Fails:  tmdl(schemaModel),
		Passes: tmdl(schemaModel, partOf(schemaPart, `
{
  "tables": [
    {
      "name": "Sales",
      "visibility": "Visible",
      "columns": [
        {"name": "Channel", "visibility": "Visible"},
        {"name": "Customer Key", "visibility": "Hidden"}
      ]
    },
    {
      "name": "Customer",
      "visibility": "Visible",
      "columns": [{"name": "Customer Key", "visibility": "Hidden"}]
    }
  ]
}
`)),
		Fix: "Choose in the AI data schema (Copilot/schema.json) the tables and fields that people ask about.",
	},
	"VIS-02": {
		Name: "TechnicalColumnHidden", Title: "Foreign keys and technical columns are hidden from AI",
		What: "Judges exposed columns that no exposed measure refers to and that neither the AI instructions nor a verified answer " +
			"names. It fails for a foreign key: a column on the many side of an active relationship, or, if it is no dateTime, of " +
			"an inactive one that a USERELATIONSHIP activates; on a many-to-many one only if it is no string or ends with key, id, " +
			"sk, fk, guid or uuid. A key that is named for its own table, as CustomerKey of Customers, is no foreign key: there the relationship " +
			"was drawn the wrong way. It fails for names " +
			"with sk, guid, uuid, etl, checksum, rowid, audit or loaddate; with hash among words such as row, key or sha256; with " +
			"batch next to a word such as load or import; ending with row id; with created, updated, modified or inserted before by " +
			"(by half, except inserted); or with load, ingestion, export or etl next to time, date, timestamp or at. Such a name does " +
			"not count on the one side of a relationship for the only text of a table.",
		Why:    "Keys and columns about loads only add noise to choose from, and joins work without them.",
		Source: exposureDecides.and("Relationships are honoured in any case."),
		Fails:  tmdl(schemaModel),
		Passes: tmdl(`
table Sales

	/// How the order came in: web, phone or shop.
	column Channel
		dataType: string

	column 'Customer Key'
		dataType: int64
		isHidden

table Customer

	column 'Customer Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
		Fix: "Hide the column in the AI data schema, or set isHidden.",
	},
	"VIS-03": {
		Name: "HelperMeasureHidden", Title: "Helper measures are hidden from AI",
		What: "Judges exposed measures that neither the AI instructions nor a verified answer names and that no other measure, itself " +
			"no helper, refers to directly. It fails if the name starts with an underscore or a full stop, unless most names of measures do, or with " +
			"zz, tmp, test, debug or helper and a space, underscore or hyphen; if it has the word placeholder, dummy, debug or helper, where test, " +
			"placeholder and dummy do not count for a number that is computed; or if it has " +
			"tooltip, svg, icon, colour, color, title, label or text and the expression yields text. It also fails by what it returns: images " +
			"(by its data category, or SVG), codes of colours, another exposed measure as text (FORMAT, & and nothing calculated), or one of " +
			"several exposed measures that SWITCH chooses by a column of an unrelated table. Title, label and text in the name, and measures " +
			"as text, do not count if the measure has a description that earns (see DSC-01).",
		Why:    "A measure that returns a colour or a title answers no question, but its name may match one.",
		Source: exposureDecides,
		Fails: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	measure 'Revenue Color' = IF([Revenue] > 0, "green", "red")

	column Amount
		dataType: decimal
`),
		Passes: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	measure 'Revenue Color' = IF([Revenue] > 0, "green", "red")
		isHidden

	column Amount
		dataType: decimal
`),
		Fix: "Hide the measure in the AI data schema, or set isHidden. If people ask for it, give it a name that says what it answers.",
	},
	"VIS-04": {
		Name: "MeasureInputsExposed", Title: "The inputs of an exposed measure are exposed too",
		What: "Judges exposed measures, if the AI data schema lists something as Visible or Hidden. The violation is the share of the " +
			"columns and measures that the measure refers to, directly or through other measures, that are not exposed. Columns that measures " +
			"name only to switch a relationship are no inputs.",
		Why:    "An AI that sees a measure but not its fields cannot group, filter or check by them.",
		Source: exposureDecides,
		Fails: tmdl(inputsModel, partOf(schemaPart, `
{
  "tables": [
    {
      "name": "Sales",
      "visibility": "Visible",
      "columns": [{"name": "Amount", "visibility": "Hidden"}],
      "measures": [{"name": "Revenue", "visibility": "Visible"}]
    }
  ]
}
`)),
		Passes: tmdl(inputsModel, partOf(schemaPart, `
{
  "tables": [
    {
      "name": "Sales",
      "visibility": "Visible",
      "columns": [{"name": "Amount", "visibility": "Visible"}],
      "measures": [{"name": "Revenue", "visibility": "Visible"}]
    }
  ]
}
`)),
		Fix: "Show the fields in the AI data schema, too, or hide the measure.",
	},
	"VIS-05": {
		Name: "FewTablesExposed", Title: "An AI sees 25 tables at most",
		What: "Judges the model. The violation is (n − 25) / 25 for n exposed tables, at least 0 and at most 1. The finding names the " +
			"ten tables with the fewest relationships and measures that refer to their columns.",
		Why:    "The more tables an AI has to choose from, the more often it takes a wrong one.",
		Source: exposureDecides,
		Fails: Example{Parts: []ExamplePart{{Path: ModelPart, Times: 26, Text: `table 'Table of Subject {n}'

	column Detail
		dataType: string

`}}},
		Passes: Example{Parts: []ExamplePart{{Path: ModelPart, Times: 25, Text: `table 'Table of Subject {n}'

	column Detail
		dataType: string

`}}},
		Fix: "Leave tables that no question is about out of the AI data schema, or split the model.",
	},
	"VIS-06": {
		Name: "ExposedFieldUsed", Title: "Exposed fields are used",
		What: "Judges exposed fields, only if usage of the model's reports is known. It fails by half if the field has no views and " +
			"nothing needs it: no exposed measure refers to it directly, it is no end of a relationship, no column sorts by it, and it " +
			"is no level of an exposed hierarchy. The unweighted score leaves the rule out.",
		Why:    "A field that no viewed page shows is rarely asked about, but an AI may choose it in place of the right one.",
		Source: exposureDecides,
		Fails: Example{
			Parts: []ExamplePart{partOf(ModelPart, inputsModel+"\n\tcolumn Comment\n\t\tdataType: string\n")},
			Views: map[string]map[string]int64{"Sales": {"Revenue": 40}},
		},
		Passes: Example{
			Parts: []ExamplePart{partOf(ModelPart, inputsModel+"\n\tcolumn Comment\n\t\tdataType: string\n")},
			Views: map[string]map[string]int64{"Sales": {"Revenue": 40, "Comment": 12}},
		},
		Fix: "Hide the field in the AI data schema, unless people ask about it.",
	},
	"VIS-07": {
		Name: "NamedFieldExposed", Title: "What the instructions and verified answers name is exposed",
		What: "Judges measures and columns that the AI instructions or a verified answer name; only those at fault are counted. It " +
			"fails if no object of a reference is exposed. Foreign keys as in VIS-02 are left out, and so are parts of the " +
			"instructions that say not to use something: do not, never, avoid, ignore, exclude, hidden.",
		Why:    "The instructions send an AI to a field that it is not given, so it takes another one or gives up.",
		Source: exposureDecides.with(instructionsAreGiven),
		Fails: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])
		isHidden

	column Amount
		dataType: decimal
`, partOf(instructionsPart, `
Use [Revenue] for any question about sales.
`)),
		Passes: tmdl(inputsModel, partOf(instructionsPart, `
Use [Revenue] for any question about sales.
`)),
		Fix: "Show the field in the AI data schema, or name another one in the instructions and verified answers.",
	},
	"VIS-09": {
		Name: "PersonalDataExplained", Title: "Personal data that an AI sees has a reason",
		What: "Judges the exposed columns whose names and types say that they hold e-mail addresses, phone numbers, birth dates or " +
			"numbers that identify a person. Contacts of companies, suppliers, stores and the like are not judged. It fails if no " +
			"description says why the column is needed.",
		Why:    "An answer can show each value to whoever may ask, and few questions need one.",
		Source: from("few-fields"),
		Fails: tmdl(`
table Customer

	column 'E-mail'
		dataType: string

	column Segment
		dataType: string
`),
		Passes: tmdl(`
table Customer

	/// Address that invoices go to, needed to find an account by what people type
	column 'E-mail'
		dataType: string

	column Segment
		dataType: string
`),
		Fix: "Hide the column from AI, or describe what questions need it for.",
	},
	"VIS-08": {
		Name: "EnoughOffered", Title: "An AI sees enough of what people ask about",
		What: "Judges models with at least 4 things to ask about: measures that no other needs, or that an AI sees, and texts and dates of " +
			"dimensions that are no keys. It fails if an AI sees fewer than two thirds of them and fewer than 30; the violation is the " +
			"share that is missing. What is kept back is then judged by every rule as if an AI saw it.",
		Why:    "A model that shows one tidy field answers one question. Hiding is for what no question is about.",
		Source: from("few-fields"),
		Fails: tmdl(`
table Sales

	measure 'Net Sales' = SUM(Sales[Amount])

	measure Cost = SUM(Sales[Paid])
		isHidden

	measure Margin = SUM(Sales[Amount]) - SUM(Sales[Paid])
		isHidden

	measure Orders = COUNTROWS(Sales)
		isHidden

	column Amount
		dataType: decimal
		isHidden

	column Paid
		dataType: decimal
		isHidden
`),
		Passes: tmdl(`
table Sales

	measure 'Net Sales' = SUM(Sales[Amount])

	measure Cost = SUM(Sales[Paid])

	measure Margin = SUM(Sales[Amount]) - SUM(Sales[Paid])

	measure Orders = COUNTROWS(Sales)

	column Amount
		dataType: decimal
		isHidden

	column Paid
		dataType: decimal
		isHidden
`),
		Fix: "Show the measures and attributes that people ask about. Hide keys, helpers and load columns only.",
	},
}

// schemaModel has a foreign key that is exposed.
const schemaModel = `table Sales

	/// How the order came in: web, phone or shop.
	column Channel
		dataType: string

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`

// inputsModel has a measure and the column that it sums.
const inputsModel = `table Sales

	measure Revenue = SUM(Sales[Amount])

	column Amount
		dataType: decimal
`
