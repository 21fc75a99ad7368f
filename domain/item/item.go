// Package item is the vocabulary of the analytics platform: workspaces, the items in
// them, capacities, and the person a call acts as. It never talks to a platform
// (docs/specification.md 2.6).
package item

import (
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// Type is the type of an item. The interface uses the same values.
type Type string

// The types of items the service works on.
const (
	Report        Type = "Report"
	SemanticModel Type = "SemanticModel"
	DataAgent     Type = "DataAgent"
)

// Noun returns what an item of the type is called in a sentence.
func (t Type) Noun() string {
	switch t {
	case Report:
		return "report"
	case DataAgent:
		return "data agent"
	case SemanticModel:
		return "semantic model"
	}
	return "item"
}

// PersonalTenant is the tenant of personal Microsoft accounts, which no organization has.
const PersonalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

// Caller is the signed-in person whom a look-up or a step of work acts as. Person is
// zero in a step if the person was erased. Token is their platform token; neither ever
// enters the log, a log line or an error. Access is their access to each permission
// when it was already looked up for this call; nil when it was not. Work is the
// operation of the service that a step belongs to, and zero for a look-up.
type Caller struct {
	Account  string
	PersonID PersonID
	Person   Person
	Token    string
	Access   map[Permission]Access
	Work     uuid.UUID
}

// Workspace is a workspace the caller can see.
type Workspace struct {
	ID          uuid.UUID
	DisplayName string
	// Capacity is the id of the workspace's capacity; empty for the shared one.
	Capacity string
}

// Item is an item the caller can see.
type Item struct {
	ID          uuid.UUID
	Type        Type
	WorkspaceID uuid.UUID
	DisplayName string
	Description string
	// Maintained is true for an item that the service itself maintains (such as usage
	// models). It is listed but not assessed.
	Maintained bool
	// Label is the id of the item's sensitivity label; empty if it has none, or the platform does not say.
	Label string
}

// CapacityState says whether the capacity of a workspace can run work now.
type CapacityState string

// The states of a capacity. Unknown: the caller may not see the capacity.
const (
	CapacityActive  CapacityState = "Active"
	CapacityPaused  CapacityState = "Paused"
	CapacityUnknown CapacityState = "Unknown"
)

// Access is a person's access to a platform permission.
type Access string

// The values of Access.
const (
	Granted         Access = "Granted"
	ConsentRequired Access = "ConsentRequired"
	Unavailable     Access = "Unavailable"
)

// Permission is the stable key of a platform permission.
type Permission string

// The four permissions.
const (
	PermissionPlatform Permission = "platform"
	PermissionUsage    Permission = "usage"
	PermissionStorage  Permission = "storage"
	PermissionAgent    Permission = "agent"
)

// ByName orders items by name, then by id.
func ByName(a, b Item) int {
	return cmp.Or(cmp.Compare(a.DisplayName, b.DisplayName), slices.Compare(a.ID[:], b.ID[:]))
}
