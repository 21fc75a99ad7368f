package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// Response is a response that is more than a body with status 200.
type Response interface {
	Visit(w http.ResponseWriter) error
}

// OK is a response with a body and status 200.
type OK struct{ Body any }

// Visit implements Response.
func (o OK) Visit(w http.ResponseWriter) error { return writeJSON(w, http.StatusOK, nil, o.Body) }

// Visit implements Response.
func (a AcceptedJSONResponse) Visit(w http.ResponseWriter) error {
	return writeJSON(w, http.StatusAccepted, a.Headers, a.Body)
}

// headers are those of a response.
type headers interface{ Set(to http.Header) }

// Set sets the headers.
func (h AcceptedResponseHeaders) Set(to http.Header) {
	setHeader(to, "Location", &h.Location)
	setHeader(to, "Retry-After", &h.RetryAfter)
	setHeader(to, "x-ms-operation-id", &h.XMsOperationID)
}

// setHeader sets a header unless it is nil.
func setHeader[T any](h http.Header, name string, value *T) {
	if value != nil {
		h.Set(name, fmt.Sprint(*value))
	}
}

// writeJSON writes nothing if body has no JSON form, so that the error can be answered.
func writeJSON(w http.ResponseWriter, status int, h headers, body any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(body); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	if h != nil {
		h.Set(w.Header())
	}
	w.WriteHeader(status)
	_, err := b.WriteTo(w)
	return err
}
