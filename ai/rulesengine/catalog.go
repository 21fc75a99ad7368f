// Package rulesengine answers questions about a semantic model without a language model. It finds the
// measures, groupings, filters and periods that a question names in the part of the model that an AI
// may see. It answers with a DAX query and its fields, or reports that it cannot answer. It is
// deterministic, gives a reason for each field, and uses only its catalog. Words compare by their
// English stems. A full-text index took six times as long to build, and does not model which words of a
// name a question leaves out.
package rulesengine

// Catalog is the part of a semantic model that one kind of AI is given. The engine knows nothing else.
type Catalog struct {
	// Instructions are the AI instructions, "" for kinds that do not get them.
	Instructions string
	Tables       []Table
	// Answers are the verified answers that the kind uses.
	Answers []VerifiedAnswer
}

// Table is a table with its visible fields.
type Table struct {
	Name, Description string
	Synonyms          []string
	// Dates reports whether the table is the model's calendar.
	Dates bool
	// FilteredBy are the tables whose filters reach it, and itself; none when that is not known.
	FilteredBy []string
	// CountedOn is the column of the days on which the table's rows count the same things again, "" for any other table.
	CountedOn string
	Columns   []Column
	Measures  []Measure
}

// Column is a visible column.
type Column struct {
	Name, Description string
	Synonyms          []string
	DataType          string // as in the definition: string, int64, dateTime, …
	// Key reports whether the column is an end of a relationship or its table's key.
	Key bool
	// SummarizeBy says how visuals summarize the column, as in the definition: none, sum, average, …
	SummarizeBy string
	// Dated reports whether the calendar filters the table by this column.
	Dated bool
}

// Measure is a visible measure.
type Measure struct {
	Name, Description string
	Synonyms          []string
	DisplayFolder     string
	// Over are the tables whose rows it reads; none when that is not known.
	Over []string
	// Stock says what it does with rows that count the same things again on each day, nil if it reads none.
	Stock *Stock
}

// VerifiedAnswer has phrases whose answer is known to use the fields.
type VerifiedAnswer struct {
	Phrases []string
	Fields  []FieldRef
}

// FieldRef names a column or a measure of a table.
type FieldRef struct{ Table, Name string }
