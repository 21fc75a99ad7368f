package explained

// instructionsExplained explains domain/readiness/rules/instructions about AI instructions.
var instructionsExplained = map[string]Explanation{
	"INS-01": {
		Name: "InstructionsPresent", Title: "The model has AI instructions",
		What: "Judges the model. It fails if there are no AI instructions or they are blank. While there are none, INS-01 to INS-04 " +
			"make one finding, of at most medium severity if n is 10 or less, if the only exposed table has no dateTime column, or if " +
			"there is neither an exposed measure nor an active relationship. They do not apply if n is less than 3 or no table is " +
			"exposed; n counts the exposed fields whose names are no placeholders (NAM-06).",
		Why: "A definition does not say what the company's terms mean, which of two measures is the official one, or which date " +
			"counts.",
		Source: instructionsAreGiven,
		Fails:  tmdl(salesModel),
		Passes: tmdl(salesModel, partOf(instructionsPart, `
Revenue means [Net Sales]. Use it for any question about sales unless the question asks for gross amounts.
`)),
		Fix: "Write AI instructions (Copilot/Instructions/instructions.md) that explain terms, choice of measures, periods and defaults.",
	},
	"INS-02": {
		Name: "InstructionsLength", Title: "The AI instructions have 200 to 10,000 characters",
		What: "Judges the model. It fails if there are no AI instructions or they have more than 10,000 characters, and by half if " +
			"they have fewer than 200. Without instructions the limits of INS-01 apply.",
		Why:    "Shorter instructions leave too much open; longer ones are cut, and what matters is lost among the rest.",
		Source: instructionsAreGiven,
		Fails: tmdl(salesModel, partOf(instructionsPart, `
Use [Net Sales] for sales.
`)),
		Passes: tmdl(salesModel, partOf(instructionsPart, completeInstructions)),
		Fix:    "Keep what an AI cannot read from the model, most important first.",
	},
	"INS-03": {
		Name: "InstructionsNameFields", Title: "The AI instructions name fields that exist",
		What: "Judges the model. A field is named as 'Table'[Field], Table[Field] or [Field], in any letter case. It fails if there " +
			"are no AI instructions or they name no field; else the violation is the share of the named fields that the model does not " +
			"have. Without instructions the limits of INS-01 apply.",
		Why:    "A field that is named exactly cannot be mistaken for another, and a name that does not exist sends an AI the wrong way.",
		Source: instructionsAreGiven,
		Fails: tmdl(salesModel, partOf(instructionsPart, `
Use [Net Salse] for any question about sales.
`)),
		Passes: tmdl(salesModel, partOf(instructionsPart, `
Use [Net Sales] for any question about sales.
`)),
		Fix: "Name measures and columns in brackets, and correct those that the model does not have.",
	},
	"INS-04": {
		Name: "InstructionsCoverTopics", Title: "The AI instructions cover time, choice of measure, terms and defaults",
		What: "Judges the model. The violation is the share of five subjects that the instructions lack: time (a word such as fiscal, " +
			"year or period), which measure to use (use, prefer or refer to, and a field or the word measure after it), terms (means, " +
			"refers to, stands for, defined as, also known as or synonym), defaults (default, unless, always or otherwise), and " +
			"structure (a heading or three list items). docs/regime.md C.4 instructions has the patterns. Without instructions the " +
			"limits of INS-01 apply.",
		Why:    "Most questions leave period, measure and default open; what the instructions do not say an AI decides by itself.",
		Source: instructionsAreGiven,
		Fails: tmdl(salesModel, partOf(instructionsPart, `
Use [Net Sales] for any question about sales.
`)),
		Passes: tmdl(salesModel, partOf(instructionsPart, completeInstructions)),
		Fix:    "Write sections or a list with a line for each of the subjects.",
	},
	"INS-05": {
		Name: "InstructionsChooseDate", Title: "The AI instructions say which date of a fact table to use",
		What: "Judges fact tables, hidden ones too, with several kinds of dates: columns that are dateTime or an end of a relationship " +
			"with a date table. Dates about loads, such as Load Date, do not count, nor do two columns that differ only in final words " +
			"such as date, time or key, in words such as start, end, from or to, or in brackets at the end. It fails if the " +
			"instructions are absent or name none of these columns.",
		Why:    "Sales by order date and by ship date are different numbers. Without a default an AI picks one of them.",
		Source: instructionsAreGiven,
		Fails: tmdl(datesModel, partOf(instructionsPart, `
Revenue means the invoiced amount.
`)),
		Passes: tmdl(datesModel, partOf(instructionsPart, `
Revenue means the invoiced amount. Use Sales[Order Date] by default, and Sales[Ship Date] only for questions about deliveries.
`)),
		Fix: "Name the default date of the table in the AI instructions, and say when another one applies.",
	},
	"INS-06": {
		Name: "InstructionsExplainParameters", Title: "The AI instructions explain calculation groups",
		What: "Judges exposed tables with a calculation group. It fails if the instructions do not contain the table's name. In " +
			"`2026-11` it also judges field parameters.",
		Why:    "Nothing in a calculation group says which measures it is for and when to apply it.",
		Source: instructionsAreGiven + " Calculation items are in no model metadata (docs/regime.md A.0 (5)).",
		Fails: tmdl(unitsModel, partOf(instructionsPart, `
Give amounts in euro.
`)),
		Passes: tmdl(unitsModel, partOf(instructionsPart, `
Give amounts in euro. For amounts in thousands apply the item Thousands of Units.
`)),
		Fix: "Say by its name what the calculation group does and when to use which item.",
	},
	"INS-10": {
		Name: "QnAEnabled", Title: "Q&A is on, so that the preparation for AI is read",
		What: "Judges models with a definition.pbism that have AI instructions, a verified answer, an authored synonym or an AI data " +
			"schema, and those in which Q&A is off. It fails if settings.qnaEnabled is false. It fails by a quarter, with low " +
			"severity, if it is absent: not there, null, no boolean, or in a file that does not parse.",
		Why: "With Q&A off, what a linguistic schema holds for an AI has no effect in the platform's assistant. A model that was " +
			"upgraded to the folder Copilot has Q&A off for good.",
		Source: "The assistant reads a linguistic schema only of models with Q&A on (docs/regime.md H.2).",
		Fails: tmdl(salesModel, partOf(instructionsPart, "Use [Net Sales] for any question about sales.\n"), partOf(settingsPart, `
{
  "version": "4.2",
  "settings": {"qnaEnabled": false}
}
`)),
		Passes: tmdl(salesModel, partOf(instructionsPart, "Use [Net Sales] for any question about sales.\n"), partOf(settingsPart, `
{
  "version": "4.2",
  "settings": {"qnaEnabled": true}
}
`)),
		Fix: "If the preparation for AI is in the linguistic schema, turn Q&A on in Power BI. If the model has a folder Copilot, leave " +
			"Q&A off, because turning it on damages the model, and ignore the finding. No optimization changes the setting.",
	},
	"INS-11": {
		Name: "InstructionsConsistent", Title: "The AI instructions map a term to one measure",
		What: "Judges a model with AI instructions. It fails if one term is mapped to two different measures, by lines such as Sales " +
			"means [Net Sales], Sales: [Net Sales], or use [Net Sales] for sales. Parts of a line that say not to use something do not " +
			"count. Terms are equal if their words are (docs/regime.md H.2).",
		Why:    "Given two measures for one term, an AI takes either, and the answer changes from one question to the next.",
		Source: instructionsAreGiven,
		Fails: tmdl(salesModel, partOf(instructionsPart, `
- Revenue means [Net Sales].
- Use [Gross Sales] for revenue.
`)),
		Passes: tmdl(salesModel, partOf(instructionsPart, `
- Revenue means [Net Sales].
- Use [Gross Sales] for revenue before discounts.
`)),
		Fix: "Keep one of the lines, or give the other one a different term.",
	},
}

// Models and texts that several examples share.
const (
	salesModel = `table Sales

	measure 'Net Sales' = SUM(Sales[Net Amount])

	measure 'Gross Sales' = SUM(Sales[Gross Amount])

	column 'Net Amount'
		dataType: decimal

	column 'Gross Amount'
		dataType: decimal
`
	completeInstructions = `# Terms
- Revenue means [Net Sales]: the invoiced amount after discounts and without tax.

# Which measure
- Use [Net Sales] for any question about sales, and [Gross Sales] only if the question asks for amounts before discounts.

# Time and defaults
- The fiscal year begins in April. A question without a period is about the current year by default.
`
	datesModel = `table Sales

	column 'Order Date'
		dataType: dateTime

	column 'Ship Date'
		dataType: dateTime

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`
	unitsModel = `table Units
	calculationGroup

		calculationItem Single = SELECTEDMEASURE()

		calculationItem Thousands = DIVIDE(SELECTEDMEASURE(), 1000)

	column Unit
		dataType: string
		sourceColumn: Name
`
)
