package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// RequestEditorFn changes a request before it is sent.
type RequestEditorFn func(ctx context.Context, r *http.Request) error

// WithBody sends body in place of a call's own.
func WithBody(contentType string, body []byte) RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		setBody(r, contentType, body)
		return nil
	}
}

// OK is a response to a call that was answered at once.
type OK[T any] struct {
	Body         []byte
	HTTPResponse *http.Response
	// JSON200 is the body. It is nil for a file, and for what has not changed (304).
	JSON200 *T
}

// Started is a response to a call that started an operation.
type Started struct {
	Body         []byte
	HTTPResponse *http.Response
	JSON202      *Accepted
}

// File is a response that is not JSON.
type File struct {
	Body         []byte
	HTTPResponse *http.Response
}

// call is what a generated method sends.
type call struct {
	method, path string
	query        url.Values
	header       http.Header
	body         any // nil sends none
	editors      []RequestEditorFn
}

// PageSize is the largest number of elements of a page.
const PageSize = 500

func newCall(method, path string, body any, editors []RequestEditorFn) *call {
	return &call{method, path, url.Values{}, http.Header{}, body, editors}
}

// path fills the parameters of a path in.
func path(format string, values ...any) string {
	for i, v := range values {
		values[i] = url.PathEscape(text(v))
	}
	return fmt.Sprintf(format, values...)
}

// query adds a parameter unless it is nil.
func query[T any](c *call, name string, value *T) {
	if value != nil {
		c.query.Set(name, text(*value))
	}
}

// header adds a header unless it is nil.
func header[T any](c *call, name string, value *T) {
	if value != nil {
		c.header.Set(name, text(*value))
	}
}

func text(parameter any) string {
	if t, ok := parameter.(time.Time); ok {
		return t.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(parameter)
}

func setBody(r *http.Request, contentType string, b []byte) {
	r.Header.Set("Content-Type", contentType)
	r.ContentLength = int64(len(b))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
	r.Body, _ = r.GetBody()
}

// send makes a call and returns the response with its body.
func (s *Service) send(ctx context.Context, c *call) (File, error) {
	r, err := http.NewRequestWithContext(ctx, c.method, strings.TrimSuffix(s.baseURL, "/")+c.path, nil)
	if err != nil {
		return File{}, err
	}
	r.Header, r.URL.RawQuery = c.header, c.query.Encode()
	if c.body != nil {
		b, err := json.Marshal(c.body)
		if err != nil {
			return File{}, err
		}
		setBody(r, "application/json", b)
	}
	for _, edit := range c.editors {
		if err := edit(ctx, r); err != nil {
			return File{}, err
		}
	}
	return s.doer.Do(r)
}

// file returns a response as it is.
func file(f File, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	return &f, nil
}

// ok parses a response to a call that was answered at once.
func ok[T any](f File, err error) (*OK[T], error) {
	if err != nil {
		return nil, err
	}
	parsed, err := body[T](f, http.StatusOK)
	return &OK[T]{f.Body, f.HTTPResponse, parsed}, err
}

// started parses a response to a call that started an operation.
func started(f File, err error) (*Started, error) {
	if err != nil {
		return nil, err
	}
	parsed, err := body[Accepted](f, http.StatusAccepted)
	return &Started{f.Body, f.HTTPResponse, parsed}, err
}

// body parses the body of a response with the status; nil if it has another one or is not JSON.
func body[T any](f File, status int) (*T, error) {
	if f.HTTPResponse.StatusCode != status || !isJSON(f.HTTPResponse) {
		return nil, nil
	}
	var parsed T
	if err := json.Unmarshal(f.Body, &parsed); err != nil {
		return nil, err
	}
	return &parsed, nil
}
