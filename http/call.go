package http

import (
	"context"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/projections"
)

// route is a Route with what openapi.yaml says of it.
type route struct {
	Route
	described *openapi3.Operation
}

// call is what is known of the call being answered. The middleware fills it in on the way to the handler.
type call struct {
	id    uuid.UUID
	path  string // of the route, once the call is matched to one
	head  bool   // a HEAD, which is answered as a GET
	route *route // nil where no token is needed
	by    principal
	who   commands.Caller
	// operations are those that were read when the call came in; nil for none.
	operations map[uuid.UUID]projections.Operation
	// refused is the code of the refusal that was answered, if one was.
	refused string
}

type callKey struct{}

func with(ctx context.Context, c *call) context.Context { return context.WithValue(ctx, callKey{}, c) }

// of returns the call that ctx belongs to.
func of(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// answer notes what is written.
type answer struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
