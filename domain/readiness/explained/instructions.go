package explained

// instructionsExplained explains domain/readiness/rules/instructions about AI instructions.
var instructionsExplained = map[string]Explanation{
	"INS-01": {
		Name: "InstructionsPresent", Title: "The model has AI instructions",
		What: "Judges the model. It fails if there are no AI instructions, or no line of them earns. A line earns if it names a field or " +
			"table that an AI sees, or defines a rule as for the fiscal year, and says something that names do not: what a term means, " +
			"which measure answers what, a period, a condition. While there are none, INS-01 to INS-04 make one finding, " +
			"of at most medium severity if n is 10 or less, if the only exposed table has no dateTime column, or if " +
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
		Name: "InstructionsLength", Title: "The AI instructions say enough, in at most 10,000 characters",
		What: "Judges the model. It fails if there are no AI instructions or they have more than 10,000 characters. Below 3 lines that " +
			"earn (see INS-01) the violation is the share of 3 that is missing; it fails by half if more lines earn nothing than earn. " +
			"Without instructions the limits of INS-01 apply.",
		Why:    "Fewer statements leave too much open; what comes after 10,000 characters is cut, and what matters is lost among the rest.",
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
		What: "Judges the model. The violation is the share of four subjects that the lines lack which earn (see INS-01): time (fiscal, " +
			"year or period), which measure to use (use, prefer or refer to, and a field or the word measure after it), terms (means, " +
			"refers to, stands for, defined as, also known as or synonym), and defaults (default, unless, always or otherwise), each " +
			"also in German and Portuguese. Without instructions the limits of INS-01 apply.",
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
			"with a date table. Dates of births, loads and changes, such as Birth Date and Load Date, do not count, nor do two columns that " +
			"differ only in final words such as date, time or key, in words such as start, end, from or to, or in brackets at the end. It fails if the " +
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
		What: "Judges exposed tables with a calculation group. It fails if no line of the instructions has the table's name and " +
			"something else.",
		Why:    "Nothing in a calculation group says which measures it is for and when to apply it.",
		Source: instructionsAreGiven.with(from("no-items")),
		Fails: tmdl(unitsModel, partOf(instructionsPart, `
Give amounts in euro.
`)),
		Passes: tmdl(unitsModel, partOf(instructionsPart, `
Give amounts in euro. For amounts in thousands apply the item Thousands of Units.
`)),
		Fix: "Say by its name what the calculation group does and when to use which item.",
	},
	"INS-10": {
		Name: "AIFormatCurrent", Title: "The preparation for AI is in the folder Copilot",
		What: "Fails for a model with a linguistic schema (of a culture) that holds instructions, synonyms of a person or phrasings, and without " +
			"a folder Copilot. The severity is high if Q&A is off (settings.qnaEnabled of definition.pbism is false), since nothing reads them then, and " +
			"low otherwise. Other models are not judged. Q&A is off for good in models with a folder Copilot.",
		Why:    "Q&A and the linguistic schema retire. An upgrade keeps synonyms and suggested questions, and loses phrasings and Q&A visuals.",
		Source: from("qna"),
		Fails: tmdl(salesModel, partOf("definition/cultures/en-US.tmdl", linguisticCulture), partOf(settingsPart, `
{
  "version": "4.2",
  "settings": {"qnaEnabled": false}
}
`)),
		Passes: tmdl(salesModel, partOf("definition/cultures/en-US.tmdl", linguisticCulture),
			partOf(instructionsPart, "Use [Net Sales] for any question about sales.\n"), partOf(settingsPart, `
{
  "version": "5.0",
  "settings": {"qnaEnabled": false}
}
`)),
		Fix: "Save a copy, open Prep data for AI in Power BI and upgrade. Then add to the AI instructions what the phrasings said. No " +
			"optimization changes settings.qnaEnabled.",
	},
	"INS-11": {
		Name: "InstructionsConsistent", Title: "The AI instructions map a term to one measure",
		What: "Judges a model with AI instructions. It fails if one term is mapped to two different measures, by lines such as Sales " +
			"means [Net Sales], Sales: [Net Sales], or use [Net Sales] for sales. Parts of a line that say not to use something do not " +
			"count. Terms are equal if their words are.",
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
	"INS-12": {
		Name: "ValuesIndexed", Title: "The values that questions name are indexed",
		What: "Judges models with a folder Copilot, and only those that fail. It fails if indexingEnabled of " +
			"Copilot/settings.json is false. Else the violation is the " +
			"share of exposed text columns of dimensions, without keys, whose index in Copilot/schema.json is None.",
		Why:    "Asked for a customer by name, an AI finds the value only if it is indexed.",
		Source: from("index"),
		Fails:  tmdl(salesModel, partOf(copilotSettingsPart, `{"indexingEnabled": false}`)),
		Passes: tmdl(salesModel, partOf(copilotSettingsPart, `{"indexingEnabled": true}`)),
		Fix:    "Turn indexing on, or leave index out, for text columns that people filter by.",
	},
	"INS-13": {
		Name: "PromptsAnswerable", Title: "The example prompts ask about what an AI sees",
		What: "Judges models with a folder Copilot. It fails if Copilot/examplePrompts.json has no prompt. Else the violation is the " +
			"share of prompts that contain the name, of several words, of a field or table that an AI does not see.",
		Why:    "A suggested question that the model cannot answer costs the trust of the first reader.",
		Source: from("prompts"),
		Fails:  tmdl(salesModel, partOf(copilotSettingsPart, `{"indexingEnabled": true}`)),
		Passes: tmdl(salesModel, partOf("Copilot/examplePrompts.json", `{"prompts": ["What were net sales last year?"]}`)),
		Fix:    "Write prompts that people ask and the model answers.",
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
	copilotSettingsPart = "Copilot/settings.json"
	linguisticCulture   = `culture en-US

	linguisticMetadata =
			{
			  "Version": "1.0.0",
			  "Language": "en-US",
			  "CustomInstructions": "Use [Net Sales] for any question about sales."
			}
		contentType: json
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
