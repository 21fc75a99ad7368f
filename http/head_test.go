package http_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/google/uuid"
)

// HEAD returns what GET does, without the body. Without a GET it is a wrong method.
func TestHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.as("ada")
	for path, want := range map[string]int{
		"/healthz": http.StatusOK, "/docs": http.StatusOK, "/docs/api": http.StatusOK, "/docs/": http.StatusOK, "/v1/workspaces": http.StatusOK, "/v1/operations": http.StatusOK,
		"/v1/nothing": http.StatusNotFound, "/v1/operations/" + uuid.NewString() + "/cancel": http.StatusMethodNotAllowed,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, w.base+path, nil)
		check(t, err)
		r.Header.Set("Authorization", "Bearer "+tok)
		answer, err := http.DefaultClient.Do(r)
		check(t, err)
		body, err := io.ReadAll(answer.Body)
		check(t, err)
		check(t, answer.Body.Close())
		if answer.StatusCode != want || len(body) != 0 || answer.Header.Get("x-ms-request-id") == "" {
			t.Errorf("%s: got %d with %d bytes, want %d", path, answer.StatusCode, len(body), want)
		}
	}
}
