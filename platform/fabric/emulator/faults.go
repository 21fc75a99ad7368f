package emulator

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"
)

// Fault is an error that occurs once, at the next call that it matches.
type Fault struct {
	// Method and Path select the call: Path is a part of its path. Both may be empty.
	Method, Path string
	// Answer replaces the answer; nil lets the call through. Before is run before the call is let through.
	Answer http.HandlerFunc
	Before func()
	// Lost makes the call happen and ends the connection without its answer.
	Lost bool
	// Operation makes the long-running operation of the call fail with this error: errorCode, message, moreDetails.
	Operation map[string]any
	// Times is how often the fault occurs; 0 means once.
	Times int
}

func (f *Fault) matches(r *http.Request) bool {
	return (f.Method == "" || f.Method == r.Method) && strings.Contains(strings.ToLower(r.URL.Path), strings.ToLower(f.Path))
}

// Script adds faults, in the order in which they occur.
func (s *Service) Script(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		f.Times = max(f.Times, 1)
		s.faults = append(s.faults, &f)
	}
}

// Unscript removes the faults that have not occurred.
func (s *Service) Unscript() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// take returns the first fault that matches, and counts it. The caller holds the lock.
func (s *Service) take(matches func(*Fault) bool) *Fault {
	i := slices.IndexFunc(s.faults, matches)
	if i < 0 {
		return nil
	}
	f := s.faults[i]
	if f.Times--; f.Times == 0 {
		s.faults = slices.Delete(s.faults, i, i+1)
	}
	return f
}

// fault answers with the first fault that matches the call; false when there is none.
func (s *Service) fault(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	f := s.take(func(f *Fault) bool { return (f.Answer != nil || f.Before != nil || f.Lost) && f.matches(r) })
	s.mu.Unlock()
	switch {
	case f == nil:
		return false
	case f.Answer != nil:
		f.Answer(w, r)
		return true
	case f.Before != nil:
		f.Before()
	}
	if f.Lost {
		s.makeUpdates(r.Context())
		s.route(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	return false
}

// Error is an answer with the platform's error.
func Error(status int, code, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fail(w, status, code, message) }
}

// Throttled is a 429 that lasts for the time.
func (s *Service) Throttled(wait time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { blocked(w, s.options().Now(), wait) }
}

// Challenge is a 401 that asks for a token with the claims, as when a session was revoked.
func Challenge(claims string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		const authority = "https://login.microsoftonline.com/common/oauth2/authorize"
		w.Header().Set("WWW-Authenticate", `Bearer realm="", authorization_uri="`+authority+`", `+
			`error="insufficient_claims", claims="`+base64.StdEncoding.EncodeToString([]byte(claims))+`"`)
		fail(w, http.StatusUnauthorized, "Unauthorized", "The caller is not authenticated to access this resource")
	}
}

// Lost ends the connection without an answer.
func Lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

type bucket int

const (
	calls bucket = iota
	polls
	ofQueries
)

// window counts the calls of a person in a fixed window.
type window struct {
	ends time.Time
	used int
}

// count counts a call and returns how long the person must wait; 0 when the call is within the quota.
func (s *Service) count(o Options, b bucket, person string) time.Duration {
	quota, key := o.Quotas.Calls, "calls/"+person
	switch b {
	case polls:
		quota, key = o.Quotas.Operations, "operations/"+person
	case ofQueries:
		quota, key = o.Quotas.Queries, "queries/"+person
	case calls:
	}
	if quota == 0 {
		return 0
	}
	now := o.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.windows[key]
	if w == nil || !now.Before(w.ends) {
		w = &window{ends: now.Add(cmp.Or(o.Quotas.Window, time.Minute))}
		s.windows[key] = w
	}
	if w.used >= quota {
		return w.ends.Sub(now)
	}
	w.used++
	return 0
}
