// Package semanticmodel reads a semantic model from its definition: TMDL or TMSL
// (model.bim), and its Copilot parts. A Model is the input of the scoring rules:
// plain values without syntax. Package definition/tmdl handles the bytes.
package semanticmodel

import (
	"fmt"
	"slices"
	"strings"
)

// Model is a complete semantic model. Slices are in the order of the definition.
// Texts are as written there: an absent property is the empty string (or nil if
// empty and absent differ).
type Model struct {
	// Culture is the model's default culture, "" if it names none.
	Culture string
	// Annotations are those of the model itself.
	Annotations   map[string]string
	Tables        []Table
	Relationships []Relationship
	Cultures      []Culture
	Roles         []string
	Perspectives  []string
	Expressions   []string // names of the shared M expressions
	Functions     []Function
	// ExplicitOnly is discourageImplicitMeasures: no visual summarizes a column.
	ExplicitOnly bool
	Copilot      Copilot
	QnA          QnA
	// Notices lists content of the files that Power BI refuses but that can be read.
	Notices []Notice
	// Unread lists the parts, and texts in parts, that cannot be understood, by place.
	Unread []Unread
}

// Notice is a place in a file that Power BI would refuse.
type Notice struct {
	Source
	// Column counts from 1; 0 if it is unknown.
	Column  int
	Message string
}

// String formats the notice as file:line:column: message.
func (n Notice) String() string {
	at := n.File
	if n.Line > 0 {
		at += fmt.Sprintf(":%d", n.Line)
		if n.Column > 0 {
			at += fmt.Sprintf(":%d", n.Column)
		}
	}
	return at + ": " + n.Message
}

// Source is where an object is declared: the path of the part and the line, from 1
// (0 if the format has no lines).
type Source struct {
	File string
	Line int
}

// Table is a table with everything declared in it, in whichever file.
type Table struct {
	Name string
	// LineageTag identifies it through changes of its name; "" if absent.
	LineageTag  string
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
	// CalculationGroup is nil for a table that is not a calculation group.
	CalculationGroup *CalculationGroup
	// Calendars are the names of its calendars, which time-intelligence functions take in place of a column of dates.
	Calendars []string
	Source    Source
}

// IsUnseen reports whether no AI sees the table: it is private, or Power BI made it for its own date hierarchies.
func (t Table) IsUnseen() bool {
	_, local := t.Annotations["__PBI_LocalDateTable"]
	_, template := t.Annotations["__PBI_TemplateDateTable"]
	return t.IsPrivate || local || template || strings.HasPrefix(t.Name, "LocalDateTable_") ||
		strings.HasPrefix(t.Name, "DateTableTemplate_")
}

// Function is a user-defined DAX function. Its expression has the parameters, => and the body.
type Function struct{ Name, Expression string }

// DataType is the data type of a column, in lower camel case as TMDL writes it. ""
// is unknown.
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
	Name string
	// LineageTag identifies it through changes of its name; "" if absent.
	LineageTag  string
	Description string
	DataType    DataType
	// SummarizeBy is in lower camel case ("none", "sum", …), "" if absent.
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
	Name string
	// LineageTag identifies it through changes of its name; "" if absent.
	LineageTag             string
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
	Name string
	// LineageTag identifies it through changes of its name; "" if absent.
	LineageTag  string
	Description string
	IsHidden    bool
	Levels      []Level
	Source      Source
}

// Level is a level of a hierarchy over a column of its table.
type Level struct {
	Name, Column string
	// LineageTag identifies it through changes of its name; "" if absent.
	LineageTag string
}

// Partition is the source of a table's rows. SourceType is "m", "calculated",
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

// Cardinality is the cardinality of one end of a relationship.
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
	Annotations            map[string]string
	Source                 Source
}

// Culture is a translation with its linguistic schema (LSDL).
type Culture struct {
	Name string
	// CustomInstructions are the AI instructions in the linguistic schema; nil if
	// the schema has no such string.
	CustomInstructions *string
	Entities           []LinguisticEntity
	// Phrasings is how many relationships of the linguistic schema a person wrote, which an upgrade of the model's AI metadata loses.
	Phrasings int
	// Relationships is how many relationships the linguistic schema has, without deleted ones.
	Relationships int
	// Captions are the translated names that are not blank.
	Captions []Caption
}

// Caption is the translated name of a table (Name ""), a column or a measure.
type Caption struct{ Table, Name, Text string }

// LinguisticEntity is an entity of the linguistic schema, identified by its binding.
type LinguisticEntity struct {
	Table    string // Definition.Binding.ConceptualEntity
	Property string // Definition.Binding.ConceptualProperty, "" for the table itself
	// OfHierarchy is true for a binding with a Hierarchy (or a level of one).
	OfHierarchy bool
	Visibility  string // Visibility.Value, "" when absent
	// VisibilityState is Visibility.State: "Authored" if a person chose it, "" if it
	// follows from the model.
	VisibilityState string
	Terms           []Term
}

// Term is a synonym. State is "" if absent.
type Term struct{ Text, State string }

// Copilot is the content of a definition's Copilot folder, which prepares the model
// for AI.
type Copilot struct {
	// NotVisible is true when the platform may have kept these parts back, so that their
	// absence says nothing.
	NotVisible bool
	// Present is true if there is a part below Copilot/.
	Present bool
	// Indexing is indexingEnabled of settings.json, nil if it is absent or null.
	Indexing *bool
	// Prompts are those of examplePrompts.json.
	Prompts []string
	// Instructions is Copilot/Instructions/instructions.md, nil if absent.
	Instructions *string
	// Schema is Copilot/schema.json; nil if absent, or Unread and no JSON object.
	Schema          *AISchema
	VerifiedAnswers []VerifiedAnswer
}

// AIFormat is the format of what a model tells an AI.
type AIFormat string

// The formats. NoAIFormat is a model that tells nothing.
const (
	NoAIFormat       AIFormat = "none"
	LinguisticFormat AIFormat = "linguistic" // linguistic schemas in cultures, which need Q&A
	CopilotFormat    AIFormat = "copilot"    // the folder Copilot
	BothFormats      AIFormat = "both"
	UnknownAIFormat  AIFormat = "" // the platform does not show it
)

// Linguistic reports whether the format needs Q&A.
func (f AIFormat) Linguistic() bool { return f == LinguisticFormat || f == BothFormats }

// AIFormat returns the format of what the model tells an AI. A linguistic schema without instructions, authored synonyms
// and phrasings tells nothing.
func (m *Model) AIFormat() AIFormat {
	linguistic := slices.ContainsFunc(m.Cultures, func(c Culture) bool { return c.tells() })
	c := &m.Copilot
	folder := c.Present || c.Instructions != nil || c.Schema != nil || len(c.VerifiedAnswers) > 0
	switch {
	case folder && linguistic:
		return BothFormats
	case folder:
		return CopilotFormat
	case linguistic:
		return LinguisticFormat
	case m.Copilot.NotVisible:
		return UnknownAIFormat
	}
	return NoAIFormat
}

// tells reports whether the linguistic schema holds what a person wrote.
func (c *Culture) tells() bool {
	return c.CustomInstructions != nil || c.Phrasings > 0 || c.Synonyms() > 0
}

// Synonyms returns how many terms of the linguistic schema a person wrote.
func (c *Culture) Synonyms() int {
	n := 0
	for _, e := range c.Entities {
		for _, t := range e.Terms {
			if t.Authored() {
				n++
			}
		}
	}
	return n
}

// Authored reports whether a person wrote the term: it has a state only if the platform made, suggested or deleted it, or says so.
func (t Term) Authored() bool { return t.State == "" || t.State == "Authored" || t.State == "User" }

// AISchema is the AI data schema: which objects an AI sees.
type AISchema struct{ Tables []AITable }

// AITable is a table's entry in the AI data schema.
type AITable struct {
	Name       string
	Visibility string // "Auto", "Visible", "Hidden", any other text, or "" when absent or null
	Synonyms   []string
	Columns    []AIField
	Measures   []AIField
	// Hierarchies are without their levels, which no rule reads.
	Hierarchies []AIField
}

// AIField is a column's or a measure's entry in the AI data schema.
type AIField struct {
	Name       string
	Visibility string
	Synonyms   []string
	// Index is that of a column: "Default", "All", "None", or "" when absent.
	Index string
}

// VerifiedAnswer is a folder under VerifiedAnswers/definitions that contains a
// definition.json.
type VerifiedAnswer struct {
	Folder         string
	TriggerPhrases []string // triggerPrompts[].prompt; empty if definition.json does not parse
	// Fields are the fields that visualSource.json and filters.json name.
	Fields     []FieldRef
	VisualType string // of visualSource.json, "" if it does not say
	Filters    int    // how many filters.json has
}

// FieldRef names a column or a measure of a table.
type FieldRef struct{ Table, Name string }
