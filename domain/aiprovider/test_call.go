package aiprovider

import "time"

// JSONSchema is what became of a JSON Schema that a test call demanded, as it was
// observed: a server that takes one may not keep to it.
type JSONSchema string

// The values of JSONSchema.
const (
	Strict              JSONSchema = "Strict"
	AcceptedNotEnforced JSONSchema = "AcceptedNotEnforced"
	None                JSONSchema = "None"
	Unknown             JSONSchema = "Unknown"
)

// Capabilities are what a provider was seen to take; nil is not known.
type Capabilities struct {
	JSONSchema  JSONSchema `json:"jsonSchema"`
	Temperature *bool      `json:"temperature,omitempty"`
	Tools       *bool      `json:"tools,omitempty"`
}

// TestError says why a test call brought no answer.
type TestError string

// The errors of a test call, beside the codes of domain that looking a data agent
// up is refused with.
const (
	CredentialMissing TestError = "AiCredentialNotFound" // no key, and the kind needs one
	AddressNotAllowed TestError = "AddressNotAllowed"    // a network that saved providers may not reach
	Unreachable       TestError = "Unreachable"
	TimedOut          TestError = "TimedOut"
	KeyNotAccepted    TestError = "KeyNotAccepted"
	ModelNotFound     TestError = "ModelNotFound" // no such address, model or deployment
	TooManyRequests   TestError = "TooManyRequests"
	RequestNotTaken   TestError = "RequestNotTaken"
	AnswerNotUsable   TestError = "AnswerNotUsable"
)

// Test is what a test call came to.
type Test struct {
	At        time.Time `json:"atUtc"`
	OK        bool      `json:"ok"`
	LatencyMs int64     `json:"latencyMs"`
	ErrorCode TestError `json:"errorCode,omitempty"` // empty when OK
	Message   string    `json:"message"`             // a sentence of ours, never what the provider wrote
}

// Observation is a test call's result, with what was seen of the provider when
// it answered; nil when it did not.
type Observation struct {
	Test
	Capabilities *Capabilities
}
