package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/gorilla/mux"
	"github.com/oapi-codegen/runtime"
)

// Route is a route of openapi.yaml.
type Route struct {
	Method, Path string
	Handler      http.HandlerFunc
}

// Errors answers calls that fail.
type Errors struct {
	Malformed func(w http.ResponseWriter, r *http.Request, err error) // parameters or body cannot be read
	Refused   func(w http.ResponseWriter, r *http.Request, err error) // by the server, or the response cannot be written
}

// binding reads a call into its object. err is the first error.
type binding struct {
	r   *http.Request
	err error
}

func (b *binding) path(name string, into any) {
	if b.err == nil {
		b.err = runtime.BindStyledParameterWithOptions("simple", name, mux.Vars(b.r)[name], into,
			runtime.BindStyledParameterOptions{ParamLocation: runtime.ParamLocationPath, Required: true, ValueIsUnescaped: true})
	}
}

func (b *binding) query(name string, into any) {
	if b.err == nil {
		b.err = runtime.BindQueryParameterWithOptions("form", true, false, name, b.r.URL.Query(), into, runtime.BindQueryParameterOptions{})
	}
}

func header[T any](b *binding, name string, into **T) {
	values := b.r.Header.Values(name)
	switch {
	case b.err != nil || len(values) == 0:
	case len(values) > 1:
		b.err = fmt.Errorf("%d values for %s", len(values), name)
	default:
		*into = new(T)
		b.err = runtime.BindStyledParameterWithOptions("simple", name, values[0], *into,
			runtime.BindStyledParameterOptions{ParamLocation: runtime.ParamLocationHeader})
	}
}

// body reads a JSON document. One that is not required may be missing.
func body[T any](b *binding, into **T, required bool) {
	if b.err != nil {
		return
	}
	read := new(T)
	switch err := json.NewDecoder(b.r.Body).Decode(read); {
	case err == nil:
		*into = read
	case required || !errors.Is(err, io.EOF):
		b.err = err
	}
}

// answer makes the call that was read and writes its response.
func answer[Call, Answer any](w http.ResponseWriter, b binding, e Errors, call Call, do func(context.Context, Call) (Answer, error)) {
	if b.err != nil {
		e.Malformed(w, b.r, b.err)
		return
	}
	answer, err := do(b.r.Context(), call)
	if err == nil {
		response, ok := any(answer).(Response)
		if !ok {
			response = OK{answer}
		}
		err = response.Visit(w)
	}
	if err != nil {
		e.Refused(w, b.r, err)
	}
}
