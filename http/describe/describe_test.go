package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The generated files follow from openapi.yaml as it is.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	const root = "../.."
	files, err := describe(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(text, files[name]) {
			t.Errorf("%s does not follow from %s; run make generate", name, source)
		}
	}
}

// example declares one route.
const example = `
paths:
  /v1/things/{thingId}/count:
    post:
      operationId: countThing
      x-route: {scope: Service.ReadWrite.All, group: start, feature: aiFeatures, starts: true, repeatable: true, roundTrips: 6}
      x-error-codes: [ItemNotFound]
      responses: {'202': {description: Started.}}
components:
  parameters: {thingId: {name: thingId}}
  responses:
    Faulty: {x-refusal: {status: 400, codes: [InvalidRequest, PayloadTooLarge]}}
    Refused:
      x-refusal:
        status: 403
        codes: [Unauthorized, TokenExpired, InsufficientScopes, AppOnlyTokenNotSupported, UserNotRegistered, AccountNotActive, FeatureTurnedOff]
    NotFound: {x-refusal: {status: 404, codes: [ItemNotFound]}}
    KeyReused: {x-refusal: {status: 422}}
    PreconditionFailed: {x-refusal: {status: 412}}
    TooManyRequests: {x-refusal: {status: 429, codes: [RequestBlocked]}}
    StoreUnavailable: {x-refusal: {status: 502, codes: [StoreUnavailable]}}
    DatabaseUnavailable: {x-refusal: {status: 503, codes: [UnknownError]}}
    ThrottleStoreUnavailable: {x-refusal: {status: 503, codes: [ThrottleStoreUnavailable]}}
  schemas:
    ErrorCode:
      x-extensible-enum:
        [InvalidRequest, PayloadTooLarge, Unauthorized, TokenExpired, InsufficientScopes, AppOnlyTokenNotSupported, UserNotRegistered, AccountNotActive,
         FeatureTurnedOff, ItemNotFound, RequestBlocked, ThrottleStoreUnavailable, StoreUnavailable, UnknownError]
`

// A declaration that lacks something or contains something unknown is refused, and the error names it.
func TestIncompleteDeclarations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ from, to, want string }{
		{"", "", ""},
		{"operationId: countThing", "summary: Count", "operationId is missing"},
		{"x-route: {", "x-rote: {", "x-route is missing"},
		{"scope: Service.ReadWrite.All, ", "", "x-route has no scope"},
		{"group: start", "group: starts", `the group "starts", which is none of operations, read, start`},
		{"feature: aiFeatures", "feature: AIFeatures", `the feature "AIFeatures", which is none of addPixies, aiFeatures`},
		{"feature: aiFeatures", "features: aiFeatures", `unknown field "features"`},
		{"starts: true", "starts: yes please", "x-route: json"},
		{"repeatable: true, ", "", "a route that starts work is repeatable"},
		{", roundTrips: 6", "", "x-route has no roundTrips"},
		{"post:", "get:", "only a POST"},
		{"group: start", "group: read", "only a POST"},
		{"[ItemNotFound]\n      responses", "[ItemLost]\n      responses", "ItemLost, which ErrorCode does not list"},
		{"[ItemNotFound]\n      responses", "[UnknownError]\n      responses", "UnknownError, which follows from x-route"},
		{"codes: [ItemNotFound]}", "codes: [ItemLost]}", "no x-refusal in components has the code ItemNotFound"},
		{"{'202': {description: Started.}}", "{}", "responses has no response"},
		{"parameters: {thingId: {name: thingId}}", "parameters: {}", "the parameter thingId is neither declared nor in components"},
		{"x-error-codes: [ItemNotFound]", "security: []", "it has x-route, and needs no token"},
	} {
		d, err := parse([]byte(strings.Replace(example, tt.from, tt.to, 1)))
		if err == nil {
			err = d.complete()
		}
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("with %q in place of %q: got error %v, want %q", tt.to, tt.from, err, tt.want)
		}
	}
}

// What follows from a declaration is in the description, the server's table and the client's list.
func TestCompletedDeclaration(t *testing.T) {
	t.Parallel()
	d, err := parse([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.complete(); err != nil {
		t.Fatal(err)
	}
	operation := d.root["paths"].(object)["/v1/things/{thingId}/count"].(object)["post"].(object)
	if got, want := len(operation["parameters"].([]any)), 2; got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
	responses := operation["responses"].(object)
	if got, want := slices.Sorted(maps.Keys(responses)), []string{"202", "400", "403", "404", "422", "429", "502", "503"}; !slices.Equal(got, want) {
		t.Errorf("got responses %v, want %v", got, want)
	}
	if got := responses["503"].(object)["$ref"]; got != "#/components/responses/ThrottleStoreUnavailable" {
		t.Errorf("got %v, want the later of two refusals with one status", got)
	}
	if got, want := len(responses["202"].(object)["headers"].(object)), 5; got != want {
		t.Errorf("%d headers, want %d", got, want)
	}
	if operation["x-route"] != nil || operation["x-counting-group"] != "start" || operation["x-feature"] != "aiFeatures" || operation["x-role"] != nil {
		t.Errorf("got %v", operation)
	}
	table, err := goTable(d.routes)
	if want := "Scope: token.ScopeReadWrite, Group: Start, Feature: AIFeatures, Starts: true, Repeatable: true, RoundTrips: 6},"; err != nil || !strings.Contains(string(table), want) {
		t.Errorf("got %v %s, want %s", err, table, want)
	}
	repeatable, err := goRepeatable(d.routes)
	if want := `"/v1/things/[^/]+/count"`; err != nil || !strings.Contains(string(repeatable), want) {
		t.Errorf("got %v %s, want %s", err, repeatable, want)
	}
}
