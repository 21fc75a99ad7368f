package http

import (
	"net/http"

	"readiness/domain/account"
	"readiness/http/token"
)

// Group is a counting group: calls of routes in one group share a rate limit.
type Group struct {
	Name string
	// Limit is how many calls per minute are allowed.
	Limit int
	// OfAccount groups count the calls of all people of an account together. Other groups count each person in an
	// account separately.
	OfAccount bool
	// Closed groups refuse calls while calls cannot be counted. Other groups admit them.
	Closed bool
}

// The counting groups.
var (
	Start      = Group{Name: "start", Limit: 30, Closed: true}
	Read       = Group{Name: "read", Limit: 300}
	Operations = Group{Name: "operations", Limit: 500}
	// Pixies is an additional group for the four routes that start adding or removing Pixies. A bulk call counts as
	// one.
	Pixies = Group{Name: "pixies", Limit: 10, OfAccount: true, Closed: true}
)

// Feature is an account setting that can turn routes off.
type Feature string

// The features.
const (
	AIFeatures Feature = "aiFeatures" // assessments, optimizations, benchmarks, A/B tests and data agents
	AddPixies  Feature = "addPixies"  // adding Pixies to reports
)

// on reports whether the settings offer the feature. The empty feature is always on.
func (f Feature) on(s account.Settings) bool {
	return (f != AIFeatures || s.AIFeatures) && (f != AddPixies || s.AddPixies)
}

// PlanFeature is a feature that only some plans include.
type PlanFeature string

// ScheduledAssessments is the feature of assessments on a schedule.
const ScheduledAssessments PlanFeature = "scheduledAssessments"

// in reports whether a plan with the limits includes the feature. The empty feature is in every plan.
func (f PlanFeature) in(l account.Limits) bool {
	return f != ScheduledAssessments || l.ScheduledAssessments
}

// Route is a route that needs a token, with its requirements.
type Route struct {
	Method, Path string
	Scope        string
	Group        Group
	Shared       Group        // a second group that calls count in; the zero Group for none
	Role         account.Role // account.Admin if only administrators may call
	Plan         PlanFeature
	Feature      Feature
	// Inactive routes are also available in an account that is not Active (docs/decisions.md 3).
	Inactive bool
	// Starts is true for routes that start an operation. Other routes in the group start, such as cancel, only change
	// existing state.
	Starts bool
	// Built routes are implemented. Other routes return 404.
	Built bool
}

const (
	operationPath = "/v1/operations/{operationId}"
	workspacePath = "/v1/workspaces/{workspaceId}"
	semanticPath  = workspacePath + "/semanticModels/{semanticModelId}"
	modelPath     = semanticPath + "/aiReadiness"
	agentPath     = workspacePath + "/dataAgents/{dataAgentId}"
	reportsPath   = workspacePath + "/reports"
	reportPath    = reportsPath + "/{reportId}"
	abTestsPath   = "/v1/aiReadiness/abTests"
	abTestPath    = abTestsPath + "/{abTestId}"
	schedulesPath = "/v1/aiReadiness/schedules"
	schedulePath  = schedulesPath + "/{scheduleId}"
	providersPath = "/v1/aiProviders"
	providerPath  = providersPath + "/{providerId}"
)

// Routes returns all routes that need a token. openapi.yaml must describe each built route with the same
// requirements; otherwise New returns an error.
func Routes() []Route {
	const get, post, patch, del = http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete
	const read, write = token.ScopeRead, token.ScopeReadWrite
	return []Route{
		// Operations.
		{Method: get, Path: "/v1/operations", Scope: read, Group: Operations, Built: true},
		{Method: get, Path: operationPath, Scope: read, Group: Operations, Built: true},
		{Method: get, Path: operationPath + "/result", Scope: read, Group: Operations, Built: true},
		{Method: post, Path: operationPath + "/cancel", Scope: write, Group: Start, Built: true},

		// The account.
		{Method: get, Path: "/v1/account", Scope: read, Group: Read, Inactive: true, Built: true},
		{Method: get, Path: "/v1/account/permissions", Scope: read, Group: Read, Built: true},
		{Method: get, Path: "/v1/licenses", Scope: read, Group: Read, Built: true},
		{Method: get, Path: "/v1/trackedItems", Scope: read, Group: Read, Built: true},

		// What the caller can see on the platform.
		{Method: get, Path: "/v1/workspaces", Scope: read, Group: Read, Built: true},
		{Method: get, Path: workspacePath + "/semanticModels", Scope: read, Group: Read, Built: true},
		{Method: get, Path: workspacePath + "/dataAgents", Scope: read, Group: Read, Feature: AIFeatures, Built: true},

		// Assessments.
		{Method: post, Path: workspacePath + "/aiReadiness/assess", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: post, Path: modelPath + "/assess", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: get, Path: modelPath + "/assessments", Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: get, Path: modelPath + "/assessments/{assessmentId}", Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: del, Path: modelPath + "/assessments", Scope: write, Group: Start, Feature: AIFeatures, Built: true},
		{Method: post, Path: agentPath + "/aiReadiness/assess", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: get, Path: agentPath + "/aiReadiness/assessments", Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: get, Path: agentPath + "/aiReadiness/assessments/{assessmentId}", Scope: read, Group: Read, Feature: AIFeatures, Built: true},

		// Optimizations.
		{Method: post, Path: modelPath + "/{kind}/preview", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: post, Path: modelPath + "/{kind}/apply", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: post, Path: modelPath + "/revert", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: post, Path: modelPath + "/optimize", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: post, Path: modelPath + "/optimize/apply", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: post, Path: modelPath + "/optimize/revert", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},

		// A/B tests.
		{Method: get, Path: abTestsPath, Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: post, Path: abTestsPath, Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: get, Path: abTestPath, Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: patch, Path: abTestPath, Scope: write, Group: Start, Feature: AIFeatures, Built: true},
		{Method: del, Path: abTestPath, Scope: write, Group: Start, Feature: AIFeatures, Built: true},
		{Method: get, Path: abTestPath + "/runs", Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: post, Path: abTestPath + "/runs", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: get, Path: abTestPath + "/runs/{runId}", Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: del, Path: abTestPath + "/runs/{runId}", Scope: write, Group: Start, Feature: AIFeatures, Built: true},
		{Method: get, Path: abTestPath + "/runs/{runId}/result", Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: get, Path: semanticPath + "/abTests", Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: get, Path: agentPath + "/abTests", Scope: read, Group: Read, Feature: AIFeatures, Built: true},

		// Pixies. Removing them cannot be turned off. Starting either also counts in the account's group.
		{Method: post, Path: reportPath + "/addPixies", Scope: write, Group: Start, Shared: Pixies, Starts: true, Feature: AddPixies, Built: true},
		{Method: post, Path: reportPath + "/removePixies", Scope: write, Group: Start, Shared: Pixies, Starts: true, Built: true},
		{Method: post, Path: reportsPath + "/addPixies", Scope: write, Group: Start, Shared: Pixies, Starts: true, Feature: AddPixies, Built: true},
		{Method: post, Path: reportsPath + "/removePixies", Scope: write, Group: Start, Shared: Pixies, Starts: true, Built: true},
		{Method: get, Path: reportsPath, Scope: read, Group: Read, Built: true},
		{Method: get, Path: reportPath + "/pixies", Scope: read, Group: Read, Built: true},

		// Benchmarks.
		{Method: get, Path: modelPath + "/benchmark/questions", Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: post, Path: modelPath + "/benchmark/questions/generate", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: post, Path: modelPath + "/benchmark/questions/save", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: post, Path: modelPath + "/benchmark/runs", Scope: write, Group: Start, Starts: true, Feature: AIFeatures, Built: true},
		{Method: get, Path: modelPath + "/benchmark/runs", Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: get, Path: modelPath + "/benchmark/runs/{runId}", Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: del, Path: modelPath + "/benchmark/runs/{runId}", Scope: write, Group: Start, Feature: AIFeatures, Built: true},
		{Method: get, Path: modelPath + "/benchmark/runs/{runId}/result", Scope: read, Group: Read, Feature: AIFeatures, Built: true},

		// Scheduled assessments.
		{Method: get, Path: modelPath + "/schedules", Scope: read, Group: Read, Plan: ScheduledAssessments, Feature: AIFeatures, Built: true},
		{Method: post, Path: modelPath + "/schedules", Scope: write, Group: Start, Plan: ScheduledAssessments, Feature: AIFeatures, Built: true},
		{Method: get, Path: schedulesPath, Scope: read, Group: Read, Plan: ScheduledAssessments, Feature: AIFeatures, Built: true},
		{Method: get, Path: schedulePath, Scope: read, Group: Read, Plan: ScheduledAssessments, Feature: AIFeatures, Built: true},
		{Method: patch, Path: schedulePath, Scope: write, Group: Start, Plan: ScheduledAssessments, Feature: AIFeatures, Built: true},
		{Method: del, Path: schedulePath, Scope: write, Group: Start, Plan: ScheduledAssessments, Feature: AIFeatures, Built: true},

		// AI providers.
		{Method: get, Path: providersPath, Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: post, Path: providersPath, Scope: write, Group: Start, Role: account.Admin, Feature: AIFeatures, Built: true},
		{Method: get, Path: providerPath, Scope: read, Group: Read, Feature: AIFeatures, Built: true},
		{Method: patch, Path: providerPath, Scope: write, Group: Start, Role: account.Admin, Feature: AIFeatures, Built: true},
		{Method: del, Path: providerPath, Scope: write, Group: Start, Role: account.Admin, Feature: AIFeatures, Built: true},
		{Method: post, Path: providerPath + "/test", Scope: write, Group: Start, Role: account.Admin, Feature: AIFeatures, Built: true},

		// The history of events.
		{Method: get, Path: "/v1/audit/events", Scope: read, Group: Read, Role: account.Admin, Built: true},
		{Method: get, Path: "/v1/audit/checkpoint", Scope: read, Group: Read, Role: account.Admin, Built: true},
	}
}
