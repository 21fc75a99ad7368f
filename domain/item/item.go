// Package item is the vocabulary of the analytics platform: workspaces, the
// items that live in them, capacities, and the person a call acts as. It never
// talks to a platform.
package item

import "github.com/google/uuid"

// Type is what an item is. The values are those of spec 2.6.
type Type string

// The types of items the service works on.
const (
	Report        Type = "Report"
	SemanticModel Type = "SemanticModel"
	DataAgent     Type = "DataAgent"
)

// Noun is what an item of the type is called in a sentence.
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

// Person is who a token stands for: the issuer and the person's id at that
// issuer ("tid/oid" when the token names a tenant, else its subject); never an
// e-mail address.
type Person struct {
	Issuer string `json:"issuer,omitempty"`
	ID     string `json:"id"`
}

// Caller is the signed-in person a look-up or a step of work acts as. Token is
// their platform token; it never enters the log, a log line or an error. Access
// is how they stand to each permission, where that was looked up with them and
// need not be again; nil where it was not.
type Caller struct {
	Account string
	Person  Person
	Token   string
	Access  map[Permission]Access
}

// Workspace is a workspace the caller can see.
type Workspace struct {
	ID          uuid.UUID
	DisplayName string
	// Capacity is the id of the capacity the workspace runs on, empty for a
	// shared one.
	Capacity string
}

// Item is an item the caller can see.
type Item struct {
	ID          uuid.UUID
	Type        Type
	WorkspaceID uuid.UUID
	DisplayName string
	Description string
	// Maintained is true for an item that the service itself keeps (usage
	// models and the like); it is listed but not assessed.
	Maintained bool
}

// CapacityState says whether what runs in a workspace can work now.
type CapacityState string

// The states of a capacity. Unknown: the caller may not see it.
const (
	CapacityActive  CapacityState = "Active"
	CapacityPaused  CapacityState = "Paused"
	CapacityUnknown CapacityState = "Unknown"
)

// Access is how a person stands to an optional permission (spec 2.4).
type Access string

// The values of Access.
const (
	Granted         Access = "Granted"
	ConsentRequired Access = "ConsentRequired"
	Unavailable     Access = "Unavailable"
)

// Permission is the stable key of a platform permission (spec 2.4).
type Permission string

// The four permissions.
const (
	PermissionPlatform Permission = "platform"
	PermissionUsage    Permission = "usage"
	PermissionStorage  Permission = "storage"
	PermissionAgent    Permission = "agent"
)
