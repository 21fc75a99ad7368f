package http

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/http/validate"
)

// callTimeout bounds the handling of a call, including all waiting.
const callTimeout = 30 * time.Second

// observe assigns the request id, sets the headers that every response has, turns a panic into UnknownError, and logs
// and measures the response. A log line never contains a header, a query or a body.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		c := &call{id: uuid.Must(uuid.NewV7()), lines: strings.Contains(r.Header.Get("Accept"), "application/x-ndjson")}
		ctx, cancel := context.WithTimeout(withCall(r.Context(), c), callTimeout)
		defer cancel()
		r = r.WithContext(ctx)
		a := &recorder{ResponseWriter: w}
		s.setCommon(a.Header(), r, c.id)
		defer func() {
			cut := false
			if p := recover(); p != nil {
				cut = s.panicked(a, r, p)
			}
			s.note(r, c, a, time.Since(began))
			if cut {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(a, r)
	})
}

// setCommon sets the headers that every response has.
func (*Server) setCommon(h http.Header, r *http.Request, id uuid.UUID) {
	h.Set("X-Ms-Request-Id", id.String())
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if theirs := r.Header.Get("X-Ms-Client-Request-Id"); visible(theirs) {
		h.Set("X-Ms-Client-Request-Id", theirs)
	}
}

// panicked responds with UnknownError. When the response had already begun, it reports cut, so that the connection is
// aborted and the response does not look complete.
func (s *Server) panicked(a *recorder, r *http.Request, p any) (cut bool) {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return true
	}
	s.metrics.panics.Inc()
	s.log.ErrorContext(r.Context(), "a handler panicked", "requestId", callOf(r.Context()).id, "panic", fmt.Sprint(p), "stack",
		string(debug.Stack()))
	if a.status != 0 {
		return true
	}
	s.refuse(a, r, domain.Refuse(domain.UnknownError, "the service failed; report the request id if it keeps failing"))
	return false
}

func (s *Server) note(r *http.Request, c *call, a *recorder, took time.Duration) {
	status := a.status
	status = cmp.Or(status, http.StatusOK)
	method, path := "other", "none"
	if c.path != "" {
		method, path = r.Method, c.path
	}
	s.metrics.note(method, path, c, status, took)
	if path == pixiePath && status < http.StatusInternalServerError {
		return // there are many, and nothing about viewers of reports is logged
	}
	level := slog.LevelInfo
	if status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	s.log.LogAttrs(r.Context(), level, "call",
		slog.String("requestId", c.id.String()), slog.String("method", r.Method), slog.String("route", path),
		slog.String("path", validate.Truncated(r.URL.Path)),
		slog.Int("status", status), slog.String("code", c.refused), slog.Duration("took", took), slog.Int64("bytes", a.bytes),
		slog.String("account", c.caller.Account), slog.String("clientRequestId", a.Header().Get("X-Ms-Client-Request-Id")),
		slog.String("traceparent", traceparent(r.Context())))
}

// visible reports whether v may be echoed: 1 to 256 visible ASCII characters.
func visible(v string) bool {
	if v == "" || len(v) > 256 {
		return false
	}
	return !slices.ContainsFunc([]byte(v), func(c byte) bool { return c < '!' || c > '~' })
}
