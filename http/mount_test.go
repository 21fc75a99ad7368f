package http_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestMountedCallsAreBounded keeps calls of a mounted path in progress: at most 8 of a person.
func TestMountedCallsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.server("http://127.0.0.1:1", w.limiter(w.url))
	began, end := make(chan struct{}), make(chan struct{})
	s.Mount("/slow", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		began <- struct{}{}
		<-end
	}))
	call := func(person string) int {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "http://127.0.0.1:1/slow", nil)
		r.Header.Set("Authorization", "Bearer "+w.as(person))
		answer := httptest.NewRecorder()
		s.Handler().ServeHTTP(answer, r)
		return answer.Code
	}
	ended := make(chan int)
	for range 8 {
		go func() { ended <- call("ada") }()
		<-began
	}
	if got := call("ada"); got != http.StatusTooManyRequests {
		t.Errorf("the ninth call of a person: got status %d", got)
	}
	go func() { ended <- call("nora") }()
	<-began
	close(end)
	for range 9 {
		if got := <-ended; got != http.StatusOK {
			t.Errorf("a call that was admitted: got status %d", got)
		}
	}
	go func() { <-began }()
	if got := call("ada"); got != http.StatusOK {
		t.Errorf("a call after the others ended: got status %d", got)
	}
}

// TestMountedCallsNeedAToken refuses tokens without a scope of this service before the handler runs.
func TestMountedCallsNeedAToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.server("http://127.0.0.1:1", w.limiter(w.url))
	ran := 0
	s.Mount("/mounted", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { ran++ }))
	for token, want := range map[string]int{"": 401, "eyJh.eyJh.x": 401, w.as("ada", "Another.Scope"): 403, w.as("ada", "Service.Read.All"): 200} {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "http://127.0.0.1:1/mounted", nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer := httptest.NewRecorder()
		s.Handler().ServeHTTP(answer, r)
		if answer.Code != want || (want != 200) != (answer.Header().Get("WWW-Authenticate") != "") {
			t.Errorf("got status %d and the headers %v, want %d", answer.Code, answer.Header(), want)
		}
	}
	if ran != 1 {
		t.Errorf("the handler ran %d times, want once", ran)
	}
}
