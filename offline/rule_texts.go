package offline

// ruleText is the text of a rule in reports.
type ruleText struct {
	// name is the rule in one word, short its requirement, help the reason and the remedy.
	name, short, help string
}

// ruleTexts has a text for every rule of the current regime.
var ruleTexts = map[string]ruleText{
	"DSC-01": {"TableDescribed", "A table has a description.", "An AI chooses tables by their descriptions. State what one row stands for and what the table is used for."},
	"DSC-02": {"ColumnDescribed", "A column that is not a key has a description.", "Say what the values mean, with their unit or an example."},
	"DSC-03": {"MeasureDescribed", "A measure has a description.", "Say what it measures, how it is calculated and when to use it."},
	"DSC-04": {"DescriptionSaysMoreThanName", "A description says more than the name.", "A description that repeats the name does not help to choose. Add what the name does not say, in at least 15 characters."},
	"DSC-05": {"DescriptionShort", "The important part of a description is in its first 200 characters.", "An AI reads no more than the first 200 characters. Put what matters first."},
	"DSC-06": {"DescriptionUnique", "No two objects share a description.", "Objects with the same description cannot be distinguished. Give each its own description."},
	"DSC-07": {"CalculationItemsListed", "The column of a calculation group describes every calculation item.", "Calculation items are known to an AI only from the description of the group's column. Name each of them there."},

	"NAM-01": {"NamePlain", "A name is written in plain words.", "Underscores, capitals in the middle and names in capitals alone do not match what people type. Write words separated by spaces."},
	"NAM-02": {"TableNameWithoutPrefix", "A table's name has no technical prefix.", "Prefixes such as dim, fact or stg say how data was loaded. Name the table after its business subject."},
	"NAM-03": {"NameSpelledOut", "A name has no unexplained abbreviation.", "Spell abbreviations and single letters out; an AI can only guess at them."},
	"NAM-04": {"ColumnNameUnique", "No two columns share a name.", "Columns with one name in several tables are mixed up. Give each a name of its own, or at least a description."},
	"NAM-05": {"NameClean", "A name has no stray white space or control characters.", "Remove control characters, spaces at the ends and doubled spaces."},
	"NAM-06": {"NameMeaningful", "A name is not a placeholder.", "Names such as Column1, Value or Type say too little. Say what the object holds."},

	"MEA-01": {"MeasuresPresent", "The model has measures.", "Without measures an AI invents its own calculations. Add measures for the numbers people ask for."},
	"MEA-02": {"NumberHasMeasure", "A number of a fact table is aggregated by a measure.", "Add a measure that aggregates the column, or set its summarizeBy to none."},
	"MEA-03": {"MeasureFormatted", "A measure has a format string.", "Set a format string that shows unit and decimals."},
	"MEA-04": {"MeasureInFolder", "A measure of a table with many measures is in a display folder.", "File the measures of tables that have more than ten into display folders."},
	"MEA-05": {"MeasureNotRepeated", "No measure repeats another.", "Keep one of two equal measures, and leave the other out of what an AI sees."},
	"MEA-06": {"MeasureNameDistinct", "Measures have clearly different names.", "Where two measures hardly differ by name, say in the AI instructions which one to use, or leave one out."},

	"TYP-01": {"TextNotSummarized", "A text or date column is not summarized.", "Set summarizeBy to none."},
	"TYP-02": {"IdentifierNotSummarized", "A number that is an identifier, a period or a rate is not summarized.", "A sum of it means nothing. Set summarizeBy to none."},
	"TYP-03": {"QuantityIsNumber", "A quantity is stored as a number.", "A text cannot be added or compared. Store the column as a number."},
	"TYP-04": {"DateIsDate", "A date is stored as a date.", "Periods are computed from dates only. Store the column as a date."},
	"TYP-05": {"PeriodSorted", "The name of a period is sorted by its number.", "Without a sort-by column, months sort by alphabet. Set sortByColumn."},
	"TYP-06": {"PlaceCategorized", "A place has a data category.", "Set the data category that says what kind of place it is."},
	"TYP-07": {"DimensionLabelled", "A dimension says which column names its rows.", "Mark that column as the default label."},

	"REL-01": {"TableRelated", "A table is related to others.", "Relate the table to those it belongs with, or leave it out of what an AI sees."},
	"REL-02": {"NotManyToMany", "A relationship is not many to many.", "Put a table with one row for each value between the two."},
	"REL-03": {"FiltersInOneDirection", "A relationship filters in one direction.", "Filters in both directions make results ambiguous. Use CROSSFILTER in the measures that need both."},
	"REL-04": {"RelatedTypesEqual", "Both ends of a relationship have the same data type.", "Give both columns the same data type."},
	"REL-05": {"NotSnowflaked", "A dimension is one step away from the facts.", "Bring the columns of the outer dimension into the inner one."},
	"REL-06": {"InactiveRelationshipUsed", "An inactive relationship is used by a measure.", "Add a measure with USERELATIONSHIP, or say in the AI instructions what the relationship is for."},
	"REL-07": {"NotOneFlatTable", "The model is not one flat table.", "Split a wide table into facts and dimensions."},

	"VIS-01": {"AIDataSchemaPresent", "The model says what an AI sees.", "Choose in the AI data schema the tables and fields that people ask about."},
	"VIS-02": {"TechnicalColumnHidden", "Foreign keys and technical columns are hidden from AI.", "Leave the column out of the AI data schema."},
	"VIS-03": {"HelperMeasureHidden", "Helper measures are hidden from AI.", "Leave measures that only serve formatting or other measures out of the AI data schema."},
	"VIS-04": {"MeasureInputsExposed", "The inputs of an exposed measure are exposed too.", "Show the measure's fields to AI too, or hide the measure."},
	"VIS-05": {"FewTablesExposed", "An AI sees 25 tables at most.", "Leave out the tables that no question is about."},
	"VIS-06": {"ExposedFieldUsed", "Exposed fields are used.", "Hide fields that no viewed report shows and nothing refers to, unless people ask about them."},

	"INS-01": {"InstructionsPresent", "The model has AI instructions.", "Explain its terms, its rules and which measure answers what."},
	"INS-02": {"InstructionsLength", "The AI instructions have 200 to 10,000 characters.", "Shorter ones omit too much; longer ones are truncated."},
	"INS-03": {"InstructionsNameFields", "The AI instructions name fields that exist.", "Name measures and columns as 'Table'[Field], and correct those that the model does not have."},
	"INS-04": {"InstructionsCoverTopics", "The AI instructions cover time, choice of measure, terms and defaults.", "Write them in sections, one for each topic."},
	"INS-05": {"InstructionsChooseDate", "The AI instructions say which date of a fact table to use.", "Where a fact table has several dates, name the default one."},
	"INS-06": {"InstructionsExplainParameters", "The AI instructions explain calculation groups and field parameters.", "Say by name what each does and when to use it."},
	"INS-07": {"VerifiedAnswersPresent", "The model has verified answers.", "Verify answers to the questions asked most."},
	"INS-08": {"TriggerPhrasesEnough", "A verified answer has 5 to 15 trigger phrases.", "Add phrases in other words, or keep the best; none may be longer than 500 characters."},
	"INS-09": {"VerifiedAnswerFieldsExposed", "A verified answer uses fields that exist and are exposed.", "Build it again on fields that an AI sees."},

	"SYN-01": {"SynonymsPresent", "Measures and text columns of dimensions have synonyms.", "Add the words that people use for them."},
	"SYN-02": {"SynonymsUnique", "A synonym stands for one object.", "Replace synonyms that also stand for something else."},

	"TIM-01": {"DateTablePresent", "The model has a marked date table.", "Add a date table, mark it as one with a dateTime key, and relate it to the facts."},
	"TIM-02": {"DateTableMarked", "A date table is marked as one.", "Set its data category to Time."},
	"TIM-03": {"NoAutomaticDateTables", "There are no automatic date tables.", "Switch auto date/time off and use one date table."},
	"TIM-04": {"FactRelatedToDate", "A fact table is related to a date table.", "Add an active relationship to a date table."},
	"TIM-05": {"DateHierarchyPresent", "A date table has a hierarchy.", "Add one such as Year, Quarter, Month."},
	"TIM-06": {"TimeMeasuresPresent", "There are measures for periods.", "Add measures such as year to date and last year."},

	"AGT-01": {"AgentTablesAgree", "A data agent and the AI data schema agree on the tables.", "Select in the agent the tables that the AI data schema exposes, and no others."},
	"AGT-02": {"AgentInstructionsPlaced", "A data agent's instructions do not describe objects of its models.", "They are not used when queries are written. Move them to the models' AI instructions."},
	"AGT-03": {"AgentDescribed", "A data agent has a published description.", "State in 40 characters or more what it answers, and for whom."},
	"AGT-04": {"AgentTablesFew", "A data agent selects 25 tables of a source at most.", "Select fewer tables."},
	"AGT-05": {"AgentRoutes", "A data agent's instructions distinguish its sources.", "Name each source and say which questions it answers."},
}
