// Package answering answers questions about a semantic model without a language
// model: it finds the measures, groupings, filters and periods that a question
// names in what an AI may see of the model, and answers with a DAX query and its
// fields, or that it cannot tell. It is deterministic, says why it chose each
// field, and knows nothing that is not in its catalog. Words compare by their
// English stems; a full-text index weighed more and ranked worse (docs/adr/0008).
package answering

// Catalog is what one kind of AI is given of a semantic model. What is not in it
// does not exist for the answer.
type Catalog struct {
	// Instructions are the AI instructions, "" where the kind is not given them.
	Instructions string
	Tables       []Table
	// Answers are the verified answers that the kind is steered by.
	Answers []VerifiedAnswer
}

// Table is a table with the fields that are seen of it.
type Table struct {
	Name, Description string
	Synonyms          []string
	// Dates is that the table is the model's calendar.
	Dates    bool
	Columns  []Column
	Measures []Measure
}

// Column is a column that is seen.
type Column struct {
	Name, Description string
	Synonyms          []string
	DataType          string // as the definition has it: string, int64, dateTime, …
	// Key is that the column is one end of a relationship or its table's key.
	Key bool
}

// Measure is a measure that is seen.
type Measure struct {
	Name, Description string
	Synonyms          []string
	DisplayFolder     string
}

// VerifiedAnswer are phrases whose answer is known to use the fields.
type VerifiedAnswer struct {
	Phrases []string
	Fields  []FieldRef
}

// FieldRef names a column or a measure of a table.
type FieldRef struct{ Table, Name string }
