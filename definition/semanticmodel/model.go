// Package semanticmodel is a semantic model as its definition describes it,
// read from TMDL or TMSL (model.bim) with its Copilot parts. A Model is what
// the scoring rules look at: plain values, no syntax; how the bytes are kept is
// definition/tmdl's affair.
package semanticmodel

// Model is a whole semantic model. Slices are in the order of the definition.
// Texts are as written there: an absent property is the empty string (or nil
// where empty and absent differ).
type Model struct {
	// Culture is the model's default culture, "" when it names none.
	Culture string
	// Annotations are those of the model itself.
	Annotations   map[string]string
	Tables        []Table
	Relationships []Relationship
	Cultures      []Culture
	Roles         []string
	Perspectives  []string
	Expressions   []string // names of the shared M expressions
	Functions     []string // names of the user-defined DAX functions
	Copilot       Copilot
	// Notices are what Power BI refuses in the files, though it can be read.
	Notices []Notice
}

// Notice is a place in a file that Power BI would refuse.
type Notice struct {
	Source
	Message string
}

// Source is where an object is declared: the part's path and its line, from 1
// (0 when the format keeps no lines).
type Source struct {
	File string
	Line int
}

// Table is a table with everything declared in it, wherever it was declared.
type Table struct {
	Name        string
	Description string
	// DataCategory is as written; "Time" marks a date table.
	DataCategory string
	IsHidden     bool
	IsPrivate    bool
	Annotations  map[string]string
	Columns      []Column
	Measures     []Measure
	Hierarchies  []Hierarchy
	Partitions   []Partition
	// CalculationGroup is nil for a table that is none.
	CalculationGroup *CalculationGroup
	Source           Source
}

// DataType of a column, lower camel case as TMDL writes it. "" is unknown.
type DataType string

// The data types that rules name.
const (
	String   DataType = "string"
	Boolean  DataType = "boolean"
	DateTime DataType = "dateTime"
	Int64    DataType = "int64"
	Decimal  DataType = "decimal"
	Double   DataType = "double"
)

// Column is a column of a table. Row-number columns are marked, not dropped.
type Column struct {
	Name        string
	Description string
	DataType    DataType
	// SummarizeBy is lower camel case ("none", "sum", …), "" when absent.
	SummarizeBy    string
	IsHidden       bool
	IsKey          bool
	IsDefaultLabel bool
	IsRowNumber    bool
	SortByColumn   string
	DataCategory   string
	FormatString   string
	DisplayFolder  string
	SourceColumn   string
	// Expression is the DAX of a calculated column.
	Expression         string
	Annotations        map[string]string
	ExtendedProperties map[string]string
	Source             Source
}

// Measure is a DAX measure.
type Measure struct {
	Name                   string
	Description            string
	Expression             string
	FormatString           string
	FormatStringDefinition string
	DisplayFolder          string
	DataCategory           string
	IsHidden               bool
	Annotations            map[string]string
	Source                 Source
}

// Hierarchy is a user hierarchy.
type Hierarchy struct {
	Name        string
	Description string
	IsHidden    bool
	Levels      []Level
	Source      Source
}

// Level is a level of a hierarchy over a column of its table.
type Level struct{ Name, Column string }

// Partition is where a table's rows come from. SourceType is "m", "calculated",
// "entity", "query", "policyRange" or "calculationGroup".
type Partition struct {
	Name, SourceType, Mode, Expression string
}

// CalculationGroup makes its table a calculation group.
type CalculationGroup struct {
	Precedence int
	Items      []CalculationItem
}

// CalculationItem is one item of a calculation group.
type CalculationItem struct {
	Name, Description, Expression string
	Ordinal                       int
	Source                        Source
}

// Cardinality of one end of a relationship.
type Cardinality string

// The cardinalities.
const (
	One  Cardinality = "one"
	Many Cardinality = "many"
)

// Relationship joins two columns. Defaults are filled in: active, many to one,
// oneDirection.
type Relationship struct {
	Name                   string
	FromTable, FromColumn  string
	ToTable, ToColumn      string
	FromCardinality        Cardinality
	ToCardinality          Cardinality
	CrossFilteringBehavior string // "oneDirection", "bothDirections" or "automatic"
	IsActive               bool
	Source                 Source
}

// Culture is a translation with its linguistic schema (LSDL).
type Culture struct {
	Name string
	// CustomInstructions are the AI instructions kept in the linguistic schema;
	// nil when the schema has no such string.
	CustomInstructions *string
	Entities           []LinguisticEntity
}

// LinguisticEntity is an entity of the linguistic schema, by its binding.
type LinguisticEntity struct {
	Table    string // Definition.Binding.ConceptualEntity
	Property string // Definition.Binding.ConceptualProperty, "" for the table itself
	// OfHierarchy is true for a binding with a Hierarchy (or a level of one).
	OfHierarchy bool
	Visibility  string // Visibility.Value, "" when absent
	// VisibilityState is Visibility.State: "Authored" where a person chose, ""
	// where it follows from the model.
	VisibilityState string
	Terms           []Term
}

// Term is a synonym. State is "" when absent.
type Term struct{ Text, State string }

// Copilot is what the Copilot folder of a definition prepares for AI.
type Copilot struct {
	// Instructions is Copilot/Instructions/instructions.md, nil when absent.
	Instructions *string
	// Schema is Copilot/schema.json; nil when absent or not a JSON object.
	Schema          *AISchema
	VerifiedAnswers []VerifiedAnswer
}

// AISchema is the AI data schema: which objects an AI sees.
type AISchema struct{ Tables []AITable }

// AITable is a table's entry in the AI data schema.
type AITable struct {
	Name       string
	Visibility string // "Auto", "Visible", "Hidden", any other text, or "" when absent or null
	Synonyms   []string
	Columns    []AIField
	Measures   []AIField
	// Hierarchies without their levels, which no rule looks at.
	Hierarchies []AIField
}

// AIField is a column's or a measure's entry in the AI data schema.
type AIField struct {
	Name       string
	Visibility string
	Synonyms   []string
}

// VerifiedAnswer is a folder under VerifiedAnswers/definitions that holds a
// definition.json.
type VerifiedAnswer struct {
	Folder         string
	TriggerPhrases []string // triggerPrompts[].prompt; empty when definition.json does not parse
	// Fields are those that visualSource.json and filters.json name.
	Fields []FieldRef
}

// FieldRef names a column or a measure of a table.
type FieldRef struct{ Table, Name string }
