package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// declaration is the x-route of an operation, as http/openapi.yaml explains it.
type declaration struct {
	Scope      string
	Group      string
	Shared     string
	Role       string
	Plan       string
	Feature    string
	Inactive   bool
	Starts     bool
	Repeatable bool
	Heavy      bool
	RoundTrips int
}

// route is a declared operation.
type route struct {
	declaration
	Method, Path, Operation string
}

// expressions are the values of each member of x-route, with their names in package http/routing.
var expressions = map[string]map[string]string{
	"scope":   {"Service.Read.All": "token.ScopeRead", "Service.ReadWrite.All": "token.ScopeReadWrite"},
	"group":   {"start": "Start", "read": "Read", "operations": "Operations"},
	"shared":  {"pixies": "Pixies"},
	"role":    {"admin": "account.Admin"},
	"plan":    {"scheduledAssessments": "ScheduledAssessments"},
	"feature": {"aiFeatures": "AIFeatures", "addPixies": "AddPixies"},
}

// members returns the members of x-route that have text, with the name under which the description shows each.
func (d *declaration) members() []struct{ name, shown, value string } {
	return []struct{ name, shown, value string }{
		{"scope", "x-scope", d.Scope}, {"group", "x-counting-group", d.Group}, {"shared", "x-account-counting-group", d.Shared},
		{"role", "x-role", d.Role}, {"plan", "x-plan", d.Plan}, {"feature", "x-feature", d.Feature},
	}
}

// declared returns the value of an x-route of an operation with the method. The error names everything that is wrong.
func declared(method string, value any) (d declaration, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return d, err
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&d); err != nil {
		return d, fmt.Errorf("x-route: %w", err)
	}
	for _, m := range d.members() {
		switch known := expressions[m.name]; {
		case m.value == "" && (m.name == "scope" || m.name == "group"):
			err = errors.Join(err, fmt.Errorf("x-route has no %s", m.name))
		case m.value != "" && known[m.value] == "":
			err = errors.Join(err, fmt.Errorf("x-route has the %s %q, which is none of %s", m.name, m.value,
				strings.Join(slices.Sorted(maps.Keys(known)), ", ")))
		}
	}
	if d.RoundTrips < 1 {
		err = errors.Join(err, errors.New("x-route has no roundTrips; TestRoundTrips in http counts them"))
	}
	if (d.Starts || d.Repeatable) && (method != "post" || d.Group != "start") {
		err = errors.Join(err, errors.New("x-route: only a POST in the group start can start work or be repeatable"))
	}
	if d.Starts && !d.Repeatable {
		err = errors.Join(err, errors.New("x-route: a route that starts work is repeatable"))
	}
	return d, err
}

// codes returns the error codes that follow from the declaration.
func (d *declaration) codes() []string {
	all := []string{
		"InvalidRequest", "Unauthorized", "TokenExpired", "InsufficientScopes", "AppOnlyTokenNotSupported", "UserNotRegistered",
		"RequestBlocked", "UnknownError", "StoreUnavailable",
	}
	if !d.Inactive {
		all = append(all, "AccountNotActive")
	}
	if d.Role != "" {
		all = append(all, "AdminRoleRequired")
	}
	if d.Plan != "" {
		all = append(all, "FeatureNotInPlan")
	}
	if d.Feature != "" {
		all = append(all, "FeatureTurnedOff")
	}
	if d.Group == "start" {
		all = append(all, "PayloadTooLarge", "ThrottleStoreUnavailable")
	}
	return all
}
