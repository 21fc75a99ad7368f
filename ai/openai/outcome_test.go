package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"readiness/ai/openai"
	"readiness/domain/aiprovider"
)

// Each request is observed once, with how it ended.
func TestOutcomesOfRequests(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request)
		want   openai.Outcome
	}{
		"answered": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"choices":[{"finish_reason":"stop","message":{"content":"yes"}}]}`))
		}, openai.Answered},
		"an answer of nothing": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"choices":[]}`))
		}, openai.Answered},
		"refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
			openai.Failed},
		"late": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client is gone
			<-r.Context().Done()
		}, openai.TimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(row.answer))
			defer server.Close()
			var mu sync.Mutex
			var got []openai.Outcome
			limits := aiprovider.DefaultLimits()
			limits.MaxRetries = 0
			if row.want == openai.TimedOut {
				limits.TimeoutMs = 100
			}
			c, err := openai.New(openai.Settings{Name: "Ours", BaseURL: server.URL, Model: "m", PrivateAddresses: true, Limits: limits},
				openai.Options{Observe: func(o openai.Outcome, took time.Duration) {
					mu.Lock()
					defer mu.Unlock()
					if took < 0 || took > time.Hour {
						t.Errorf("it took %v", took)
					}
					got = append(got, o)
				}})
			if err != nil {
				t.Fatal(err)
			}
			_, _ = c.Test(t.Context()) // the outcome is what is tested
			mu.Lock()
			defer mu.Unlock()
			if len(got) == 0 || slices.ContainsFunc(got, func(o openai.Outcome) bool { return o != row.want }) {
				t.Errorf("got %v, want only %v", got, row.want)
			}
		})
	}
}
