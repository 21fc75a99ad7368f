// Package inprocess is a transport of package client to handlers in the same process. Calls through it are authenticated,
// counted and refused like calls from elsewhere, so its user can do nothing that a caller cannot.
package inprocess

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// BaseURL is the address of the service for client.Open over a Transport.
const BaseURL = "http://in.process"

// Transport calls Handler in place of a server.
type Transport struct{ Handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := r.Clone(r.Context())
	sent.RequestURI, sent.Host = r.URL.RequestURI(), r.URL.Host
	if sent.Body == nil {
		sent.Body = http.NoBody
	}
	a := &answer{header: http.Header{}, status: http.StatusOK}
	if err := a.serve(t.Handler, sent); err != nil {
		return nil, err
	}
	return &http.Response{Status: http.StatusText(a.status), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()), Request: r}, nil
}

// answer records the answer of a handler.
type answer struct {
	header http.Header
	status int
	began  bool
	body   bytes.Buffer
}

// serve calls the handler. A handler that aborts its answer gives an error.
func (a *answer) serve(h http.Handler, r *http.Request) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the service cut its answer off")
		}
	}()
	h.ServeHTTP(a, r)
	return nil
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if !a.began {
		a.status, a.began = status, true
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.began = true
	return a.body.Write(b)
}

// ErrLate is the error of a wait that would end after the call.
var ErrLate = errors.New("the service asks to wait longer than this call lasts")

// Pause waits, unless ctx ends before. It is for client.Options.
func Pause(ctx context.Context, d time.Duration) error {
	if end, bounded := ctx.Deadline(); bounded && time.Until(end) < d {
		return ErrLate
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
