package http

import (
	"cmp"
	"context"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/http/routing"
	"readiness/projections"
)

// route is a routing.Route with its operation in openapi.yaml.
type route struct {
	routing.Route
	described *openapi3.Operation
}

// call is what is known about the call being handled. The middleware fills it in before the handler runs.
type call struct {
	id uuid.UUID
	// metadata is the address of the mounted path's description; empty for others.
	metadata string
	path     string // of the route, once a route is matched
	head     bool   // a HEAD request, handled as GET
	lines    bool   // whether the call asks for lines of JSON
	route    *route // nil on routes without a token
	by       principal
	caller   commands.Caller
	body     []byte // in canonical form
	// operations are those that enter has already read; nil when it read none.
	operations map[uuid.UUID]projections.Operation
	// refused is the error code of the response; empty when the call was not refused.
	refused string
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// callOf returns the call that ctx belongs to.
func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// callerOf returns who made the call that ctx belongs to.
func callerOf(ctx context.Context) commands.Caller { return callOf(ctx).caller }

// recorder is a ResponseWriter that records the status and the size of the response.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (a *recorder) WriteHeader(status int) {
	a.status = cmp.Or(a.status, status)
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *recorder) Write(b []byte) (int, error) {
	a.status = cmp.Or(a.status, http.StatusOK)
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	return n, err
}

// Unwrap supports http.ResponseController.
func (a *recorder) Unwrap() http.ResponseWriter { return a.ResponseWriter }
