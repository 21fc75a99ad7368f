package explained

// relationshipsExplained explains domain/readiness/rules/relationships.
var relationshipsExplained = map[string]Explanation{
	"REL-01": {
		Name: "TableRelated", Title: "A table is related to others",
		What: "Judges exposed tables without calculation groups, field parameters and tables of measures, if the model has at least " +
			"two such tables. A table with at most 5 columns is a disconnected slicer and not judged if a measure refers to one of " +
			"them. It fails if the table is in no active relationship, and no USERELATIONSHIP activates an inactive one. " +
			"The severity is high if an inactive one joins it or another table has a column that fits: " +
			"equal words that end with id, key, code, cd, no, nr or number, and the same known type, one of them a key or on the one " +
			"side of a relationship; else it is medium, and low for a table of at most 5 texts without such a word and " +
			"without a measure. If no relationship joins two tables, the model has one finding, and the cap CAP-NOREL limits the score to 60.",
		Why:    "A query over tables without a relationship repeats the same number on every row.",
		Source: relationshipsAreGiven,
		Fails: tmdl(`
table Sales

	column 'Customer Key'
		dataType: int64

	column 'Store Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

table Store

	column 'Store Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
		Passes: tmdl(`
table Sales

	column 'Customer Key'
		dataType: int64

	column 'Store Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

table Store

	column 'Store Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'

relationship Stores
	fromColumn: Sales.'Store Key'
	toColumn: Store.'Store Key'
`),
		Fix: "Relate the table to those it belongs with. If no question is about it, leave it out of the AI data schema.",
	},
	"REL-02": {
		Name: "NotManyToMany", Title: "A relationship is not many to many",
		What: "Judges active relationships between tables other than calculation groups, field parameters and tables of measures. It " +
			"fails if both ends are many.",
		Why:    "A value then counts for several rows of the other table, so that totals are not the sum of their parts.",
		Source: relationshipsAreGiven,
		Fails: tmdl(`
table Sales

	column Region
		dataType: string

table Budget

	column Region
		dataType: string

relationship Regions
	fromColumn: Sales.Region
	toCardinality: many
	toColumn: Budget.Region
`),
		Passes: tmdl(`
table Sales

	column Region
		dataType: string

table Budget

	column Region
		dataType: string

table Regions

	column Region
		dataType: string

relationship 'Sales by region'
	fromColumn: Sales.Region
	toColumn: Regions.Region

relationship 'Budget by region'
	fromColumn: Budget.Region
	toColumn: Regions.Region
`),
		Fix: "Put a table with one row for each value between the two.",
	},
	"REL-03": {
		Name: "FiltersInOneDirection", Title: "A relationship filters in one direction",
		What: "Judges active relationships between tables other than calculation groups, field parameters and tables of measures, " +
			"without one-to-one relationships. It fails if crossFilteringBehavior is bothDirections. The severity is low if the table " +
			"on the many side (of many-to-many, the from-table) works as a bridge: it is on the one side of no active relationship, is " +
			"in at most two, and has no numeric column that is no key and is summarized, unless the other table is a date table. " +
			"It is low, too, if the column on the many side is a key, so that the relationship should be one-to-one.",
		Why: "Filters in both directions make a result depend on tables that the question does not name, and two paths make it " +
			"ambiguous.",
		Source: relationshipsAreGiven,
		Fails: tmdl(`
table Sales

	column Amount
		dataType: decimal
		summarizeBy: sum

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

relationship Customers
	crossFilteringBehavior: bothDirections
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
		Passes: tmdl(`
table Sales

	column Amount
		dataType: decimal
		summarizeBy: sum

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
		Fix: "Let the relationship filter in one direction, and use CROSSFILTER in the measures that need both. If the column on the " +
			"many side is unique, make the relationship one-to-one.",
	},
	"REL-04": {
		Name: "RelatedTypesEqual", Title: "Both ends of a relationship have the same data type",
		What: "Judges relationships, active or not, between tables other than calculation groups, field parameters and tables of " +
			"measures. It fails if the data types of both columns are known and differ.",
		Why:    "The engine converts values to compare them; rows whose values do not convert are without a partner.",
		Source: relationshipsAreGiven,
		Fails: tmdl(`
table Sales

	column 'Customer Key'
		dataType: string

table Customer

	column 'Customer Key'
		dataType: int64

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

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
		Fix: "Give both columns the same data type.",
	},
	"REL-05": {
		Name: "NotSnowflaked", Title: "A dimension is one step away from the facts",
		What: "Judges dimensions, hidden ones too. A table is not judged if its name starts with fact, fct or f as in NAM-02, or if an " +
			"exposed measure refers to one of its numeric columns that are no keys. It fails if the table is also on the many side of " +
			"an active relationship to another dimension; by half, with low severity, unless that dimension is on the one side of " +
			"exactly one active relationship.",
		Why: "Each step is one more join that an AI has to find, and names such as Category are two tables away from what they " +
			"describe.",
		Source: relationshipsAreGiven,
		Fails: tmdl(`
table Sales

	column 'Product Key'
		dataType: int64

table Product

	column 'Product Key'
		dataType: int64

	column 'Category Key'
		dataType: int64

table Category

	column 'Category Key'
		dataType: int64

	column Category
		dataType: string

relationship Products
	fromColumn: Sales.'Product Key'
	toColumn: Product.'Product Key'

relationship Categories
	fromColumn: Product.'Category Key'
	toColumn: Category.'Category Key'
`),
		Passes: tmdl(`
table Sales

	column 'Product Key'
		dataType: int64

table Product

	column 'Product Key'
		dataType: int64

	column Category
		dataType: string

relationship Products
	fromColumn: Sales.'Product Key'
	toColumn: Product.'Product Key'
`),
		Fix: "Bring the columns of the outer dimension into the inner one.",
	},
	"REL-06": {
		Name: "InactiveRelationshipUsed", Title: "An inactive relationship is used by a measure",
		What: "Judges inactive relationships between tables other than calculation groups, field parameters and tables of measures. It " +
			"fails if no measure and no calculation item has a USERELATIONSHIP with both columns, in either order. One of a " +
			"table without an active one should be active.",
		Why:    "An inactive relationship does nothing until a measure activates it. An AI that sees it cannot know what it is for.",
		Source: relationshipsAreGiven,
		Fails: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	column Amount
		dataType: decimal

	column 'Ship Date'
		dataType: dateTime

table Date

	column Date
		dataType: dateTime

relationship 'Ship date'
	isActive: false
	fromColumn: Sales.'Ship Date'
	toColumn: Date.Date
`),
		Passes: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	measure 'Shipped Revenue' = CALCULATE([Revenue], USERELATIONSHIP(Sales[Ship Date], 'Date'[Date]))

	column Amount
		dataType: decimal

	column 'Ship Date'
		dataType: dateTime

table Date

	column Date
		dataType: dateTime

relationship 'Ship date'
	isActive: false
	fromColumn: Sales.'Ship Date'
	toColumn: Date.Date
`),
		Fix: "Add a measure that activates the relationship by USERELATIONSHIP, and say in the AI instructions when to use it. Remove " +
			"the relationship if nothing needs it.",
	},
	"REL-07": flatTableExplained, "REL-11": mixedTableExplained, "REL-08": brokenRelationshipExplained, "REL-09": secondPathExplained,
	"REL-10": {
		Name: "ColumnLooksUpOnce", Title: "A column is related to one dimension",
		What: "Judges every column on the many side of active relationships, hidden or not. It fails if they lead to two tables; date " +
			"tables do not count.",
		Why:    "A column holds the values of one thing. By the other relationship every row finds nothing, or the wrong row.",
		Source: nothingSaysSo.and("The rule is about the values in an answer."),
		Fails:  trade("Direction"),
		Passes: trade("Basis"),
		Fix:    "Relate each dimension to the column that holds its key.",
	},
}

// trade is a model with two dimensions, the second of which is related to a column.
func trade(basis string) Example {
	return tmdl(`
table Trade

	column Direction
		dataType: string

	column Basis
		dataType: string

table Direction

	column Direction
		dataType: string

table Basis

	column Basis
		dataType: string

relationship a
	fromColumn: Trade.Direction
	toColumn: Direction.Direction

relationship b
	fromColumn: Trade.` + basis + `
	toColumn: Basis.Basis
`)
}
