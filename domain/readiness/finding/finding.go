// Package finding has the vocabulary of findings: what object one is about, how severe it
// is, and what can fix it. It has no rules.
package finding

import (
	"encoding/json"
	"strings"
)

// Subject identifies a table, column or measure of a model. Name is "" for a table.
type Subject struct {
	Type        ObjectType
	Table, Name string
}

// ObjectType is the type of object that a finding is about.
type ObjectType string

// The object types. Only AGT rules judge data agents and sources.
const (
	TableObject   ObjectType = "table"
	ColumnObject  ObjectType = "column"
	MeasureObject ObjectType = "measure"
	// CalculationItemObject is a calculation item; its ObjectName is `Column="Item"`.
	CalculationItemObject ObjectType = "calculation_item"
	RelationshipObject    ObjectType = "relationship"
	// Only own rules judge hierarchies, roles, partitions and perspectives. The ObjectName of the last two is `partition="Name"` and
	// `perspective="Name"`, as they may have the name of a column or role.
	HierarchyObject      ObjectType = "hierarchy"
	RoleObject           ObjectType = "role"
	PartitionObject      ObjectType = "partition"
	PerspectiveObject    ObjectType = "perspective"
	VerifiedAnswerObject ObjectType = "verified_answer"
	ModelObject          ObjectType = "model"
	DataAgentObject      ObjectType = "data_agent"
	SourceObject         ObjectType = "source"
)

// NameOf returns the ObjectName of a partition or perspective.
func (t ObjectType) NameOf(name string) string { return string(t) + `="` + name + `"` }

// Key identifies an object in findings and for ignoring. ObjectName is ""
// for a table, `From[Col] -> To[Col]` for a relationship, and the folder of a verified
// answer. For the entire model or agent it is "#" and the rule id, with Table "".
type Key struct {
	// SourceModelID is the id of a data agent's source; "" for a semantic model
	// assessed by itself.
	SourceModelID string `json:"source_model_id,omitempty"`
	Table         string `json:"table"`
	ObjectName    string `json:"object_name"`
}

// Entire reports whether the key is that of the entire model or agent. Its ObjectName is then nothing to show to people.
func (k Key) Entire() bool { return k.Table == "" && strings.HasPrefix(k.ObjectName, "#") }

// Severity is the severity of a finding. It depends on its rules, not on the size of
// the model.
type Severity string

// The severities.
const (
	High   Severity = "high"
	Medium Severity = "medium"
	Low    Severity = "low"
)

// FixKind is the optimization kind that can resolve a finding. The zero FixKind, null
// in JSON, means that only a person can fix it.
type FixKind string

// The kinds, named as in the interface.
const (
	AIInstructions FixKind = "aiInstructions"
	Descriptions   FixKind = "descriptions"
	Properties     FixKind = "properties"
	AIDataSchema   FixKind = "aiDataSchema"
)

// MarshalJSON implements json.Marshaler. It encodes the zero FixKind as null.
func (k FixKind) MarshalJSON() ([]byte, error) {
	if k == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(k))
}
