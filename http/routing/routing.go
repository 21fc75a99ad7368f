// Package routing is the table of routes that need a token, generated from the x-route of each operation in openapi.yaml,
// and the counting groups and features that it names. It decides nothing about a call.
package routing

import (
	"strconv"

	"readiness/domain/account"
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

// Window returns the key that calls are counted under: one per person and account, or one per account. person is the
// key of the person (people.People), since what is counted outlives the call.
func (g Group) Window(accountID, person string) string {
	key := g.Name + " " + strconv.Quote(accountID)
	if !g.OfAccount {
		key += " " + person
	}
	return key
}

// Feature is an account setting that can turn routes off.
type Feature string

// The features.
const (
	AIFeatures Feature = "aiFeatures" // assessments, optimizations, benchmarks, A/B tests and data agents
	AddPixies  Feature = "addPixies"  // adding Pixies to reports
)

// On reports whether the settings offer the feature. The empty feature is always on.
func (f Feature) On(s account.Settings) bool {
	return (f != AIFeatures || s.AIFeatures) && (f != AddPixies || s.AddPixies)
}

// PlanFeature is a feature that only some plans include.
type PlanFeature string

// ScheduledAssessments is the feature of assessments on a schedule.
const ScheduledAssessments PlanFeature = "scheduledAssessments"

// In reports whether a plan with the limits includes the feature. The empty feature is in every plan.
func (f PlanFeature) In(l account.Limits) bool {
	return f != ScheduledAssessments || l.ScheduledAssessments
}

// Route is a route that needs a token, with its x-route in openapi.yaml. Table returns all of them.
type Route struct {
	// Operation is the operationId. The method of Server with this name handles the calls.
	Operation    string
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
	// Repeatable routes take an Idempotency-Key.
	Repeatable bool
	// Heavy routes can read or make megabytes. Their calls take turns, shared fairly between accounts.
	Heavy bool
	// RoundTrips is the maximum number of database round trips of a call. Every call makes one before its handler runs,
	// for the caller's account, the rate and an operation that the call reads; calls that change Pixies make two.
	RoundTrips int
}
