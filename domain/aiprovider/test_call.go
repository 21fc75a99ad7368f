package aiprovider

import (
	"slices"
	"time"

	"readiness/domain"
)

// JSONSchema says how the provider treated the JSON Schema of a test call. It is
// observed, because a server that accepts a schema may not enforce it.
type JSONSchema string

// The values of JSONSchema.
const (
	Strict              JSONSchema = "Strict"
	AcceptedNotEnforced JSONSchema = "AcceptedNotEnforced"
	None                JSONSchema = "None"
	Unknown             JSONSchema = "Unknown"
)

// Capabilities are the features that a test call observed; nil means unknown.
type Capabilities struct {
	// JSONSchema says how far the provider keeps to a JSON Schema.
	JSONSchema JSONSchema `json:"jsonSchema"`
	// Temperature says whether the provider takes one; absent if unknown.
	Temperature *bool `json:"temperature,omitempty"`
	// Tools says whether the provider calls tools; absent if unknown.
	Tools *bool `json:"tools,omitempty"`
}

// TestError says why a test call got no usable answer.
type TestError string

// The errors of a test call. Looking up a data agent adds the domain codes of its
// refusals.
const (
	CredentialMissing TestError = "AiCredentialNotFound" // no key, and the kind needs one
	AddressNotAllowed TestError = "AddressNotAllowed"    // saved providers may not connect to this network
	Unreachable       TestError = "Unreachable"
	TimedOut          TestError = "TimedOut"
	KeyNotAccepted    TestError = "KeyNotAccepted"
	ModelNotFound     TestError = "ModelNotFound" // no such address, model or deployment
	TooManyRequests   TestError = "TooManyRequests"
	RequestNotTaken   TestError = "RequestNotTaken"
	AnswerNotUsable   TestError = "AnswerNotUsable"
)

// Test is the result of a test call.
type Test struct {
	At time.Time `json:"atUtc"`
	// OK says whether the provider answered.
	OK bool `json:"ok"`
	// LatencyMs is how long the answer took, in milliseconds.
	LatencyMs int64     `json:"latencyMs"`
	ErrorCode TestError `json:"errorCode,omitempty"` // empty when OK
	Message   string    `json:"message"`             // a sentence of ours, never what the provider wrote
}

// Observation is the result of a test call. Capabilities is nil when the provider did
// not answer.
type Observation struct {
	Test
	Capabilities *Capabilities
}

// reached refuses a provider that a test call did not reach, unless it is saved anyway. Without a test call it refuses nothing.
func (o *Observation) reached(name string, anyway bool) error {
	if o == nil || o.OK || anyway || !slices.Contains([]TestError{Unreachable, TimedOut, AddressNotAllowed}, o.ErrorCode) {
		return nil
	}
	return domain.Refuse(domain.InvalidRequest,
		"the AI provider %s cannot be reached: %s Correct its address, or set saveAnyway (on the command line: --save-anyway)",
		name, o.Message).About("member", "saveAnyway").About("testError", string(o.ErrorCode))
}
