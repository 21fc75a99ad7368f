package http

import (
	"net/http"

	"readiness/domain/account"
	"readiness/http/token"
)

// Group is a counting group: what a route's calls are counted with (spec 8). Every group is counted for a person in an
// account.
type Group struct {
	Name string
	// Limit is how many calls a minute are allowed.
	Limit int
	// Closed groups refuse calls while they cannot be counted; the others go on.
	Closed bool
}

// The counting groups.
var (
	Start      = Group{Name: "start", Limit: 30, Closed: true}
	Read       = Group{Name: "read", Limit: 300}
	Operations = Group{Name: "operations", Limit: 500}
)

// Feature is an account setting that turns routes off (spec 2.3).
type Feature string

// AIFeatures: assessments and data agents are offered.
const AIFeatures Feature = "aiFeatures"

// on reports whether the settings offer the feature. The empty feature is always on.
func (f Feature) on(s account.Settings) bool { return f != AIFeatures || s.AIFeatures }

// Route is a route that a token is needed for, and what else it needs.
type Route struct {
	Method, Path string
	Scope        string
	Group        Group
	Role         account.Role // account.Admin where only administrators may call
	Feature      Feature
}

const (
	operationPath = "/v1/operations/{operationId}"
	workspacePath = "/v1/workspaces/{workspaceId}"
	modelPath     = workspacePath + "/semanticModels/{semanticModelId}/aiReadiness"
)

// Routes lists every route under /v1 that needs a token. openapi.yaml says the same of each; a route in one and not in the
// other keeps the server from starting.
func Routes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/v1/operations", Scope: token.ScopeRead, Group: Operations},
		{Method: http.MethodGet, Path: operationPath, Scope: token.ScopeRead, Group: Operations},
		{Method: http.MethodGet, Path: operationPath + "/result", Scope: token.ScopeRead, Group: Operations},
		{Method: http.MethodPost, Path: operationPath + "/cancel", Scope: token.ScopeReadWrite, Group: Start},

		{Method: http.MethodGet, Path: "/v1/workspaces", Scope: token.ScopeRead, Group: Read},
		{Method: http.MethodGet, Path: workspacePath + "/semanticModels", Scope: token.ScopeRead, Group: Read},
		{Method: http.MethodGet, Path: workspacePath + "/dataAgents", Scope: token.ScopeRead, Group: Read, Feature: AIFeatures},

		{Method: http.MethodPost, Path: workspacePath + "/aiReadiness/assess", Scope: token.ScopeReadWrite, Group: Start, Feature: AIFeatures},
		{Method: http.MethodPost, Path: modelPath + "/assess", Scope: token.ScopeReadWrite, Group: Start, Feature: AIFeatures},
		{Method: http.MethodGet, Path: modelPath + "/assessments", Scope: token.ScopeRead, Group: Read, Feature: AIFeatures},
		{Method: http.MethodGet, Path: modelPath + "/assessments/{assessmentId}", Scope: token.ScopeRead, Group: Read, Feature: AIFeatures},
	}
}
