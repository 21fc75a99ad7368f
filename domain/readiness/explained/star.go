package explained

var flatTableExplained = Explanation{
	Name: "NotOneFlatTable", Title: "The model is not one flat table",
	What: "Judges a model with a single table other than calculation groups, field parameters and tables of measures. It fails if more " +
		"than 30 columns of the table are exposed, and by half if 16 to 30 are.",
	Why:    "In one wide table an AI finds no structure: what is a fact, what describes a customer and what a product.",
	Source: schemaIsUsed,
	Fails: tmdl(`
table Sales

	column Amount
	column Brand
	column Category
	column City
	column Color
	column Country
	column Customer
	column Discount
	column Month
	column Product
	column Quantity
	column Region
	column Salesperson
	column Segment
	column Store
	column Year
`),
	Passes: tmdl(`
table Sales

	column Amount
	column Category
	column Country
	column Customer
	column Month
	column Product
	column Year
`),
	Fix: "Move the descriptive columns into dimensions, and relate these to the facts. Hide columns that no question is about.",
}

var mixedTableExplained = Explanation{
	Name: "FactsDescribeThemselves", Title: "A fact table does not describe several other things",
	What: "Judges tables of a model with a relationship between tables of the star schema that are on the one side of no active relationship, are no date " +
		"tables, and have a number that a measure uses or that is summed. A thing is described if exposed columns that are no keys begin with " +
		"its name, one ends in a word for a key or a name (ID, Code, Name, Description), and another one depends on it by its name (City, Segment, " +
		"Category and the like, or a name beside a key); or by three parts of a place (City, Country, Postal Code). Dates, the things that the " +
		"table is called after, and orders, invoices and the like, which are what rows are, do not count. It fails if three " +
		"things are described, and by half for two. Names are read as English, with the thing first.",
	Why:    "The same customer is in many rows, so an AI counts rows for customers, and finds in other facts other columns with the same meaning.",
	Source: schemaIsUsed,
	Fails: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	column Amount
		dataType: decimal

	column 'Date Key'
		dataType: int64

	column 'Customer Name'
		dataType: string

	column 'Customer City'
		dataType: string

	column 'Product Name'
		dataType: string

	column 'Product Category'
		dataType: string

table Calendar

	column 'Date Key'
		dataType: int64

relationship Dates
	fromColumn: Sales.'Date Key'
	toColumn: Calendar.'Date Key'
`),
	Passes: tmdl(`
table Sales

	measure Revenue = SUM(Sales[Amount])

	column Amount
		dataType: decimal

	column 'Customer Key'
		dataType: int64

	column 'Product Name'
		dataType: string

table Customer

	column 'Customer Key'
		dataType: int64

	column 'Customer Name'
		dataType: string

	column 'Customer City'
		dataType: string

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'
`),
	Fix: "Make a table of each thing with one row for each of its keys, relate the fact to it, and remove or hide the columns of the fact.",
}

var brokenRelationshipExplained = Explanation{
	Name: "RelationshipSound", Title: "A relationship joins columns that exist",
	What: "Judges the relationships of the file, except those with an end in a private or automatic date table; only those at fault " +
		"are counted. It fails if an end names a table or column that the model does not have. While it fails, the cap CAP-BROKEN " +
		"limits the score to 49.",
	Why:    "A model with such a relationship does not load.",
	Source: schemaIsUsed,
	Fails: tmdl(`
table Sales

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Id'
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
	Fix: "Correct the ends of the relationship, or remove it.",
}

var secondPathExplained = Explanation{
	Name: "OnePathOfFilters", Title: "Filters have one path between two tables",
	What: "Judges active relationships. Filters flow from the one to the many side, both ways for one-to-one and for bothDirections, " +
		"and from the to-table to the from-table for many-to-many. It fails if, without the relationship, filters still have a path " +
		"between its tables in the same direction; by half if each such path uses a relationship that filters in both directions, " +
		"which REL-03 reports.",
	Why:    "With two paths the engine picks one or refuses the query, and an AI cannot see which.",
	Source: relationshipsAreGiven,
	Fails: tmdl(`
table Sales

	column 'Customer Key'
		dataType: int64

	column 'Region Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

	column 'Region Key'
		dataType: int64

table Region

	column 'Region Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'

relationship 'Regions of customers'
	fromColumn: Customer.'Region Key'
	toColumn: Region.'Region Key'

relationship 'Regions of sales'
	fromColumn: Sales.'Region Key'
	toColumn: Region.'Region Key'
`),
	Passes: tmdl(`
table Sales

	column 'Customer Key'
		dataType: int64

table Customer

	column 'Customer Key'
		dataType: int64

	column 'Region Key'
		dataType: int64

table Region

	column 'Region Key'
		dataType: int64

relationship Customers
	fromColumn: Sales.'Customer Key'
	toColumn: Customer.'Customer Key'

relationship 'Regions of customers'
	fromColumn: Customer.'Region Key'
	toColumn: Region.'Region Key'
`),
	Fix: "Remove one of the paths, or make one of its relationships inactive and activate it by USERELATIONSHIP where it is needed.",
}
