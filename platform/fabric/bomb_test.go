package fabric_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"readiness/domain"
)

// An answer that never ends, compressed to a thousandth, is given up at its bound, whatever it is: the platform cannot send the
// rest of it.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	const id = "00000000-0000-0000-0000-000000000002"
	for name, c := range map[string]struct {
		status      int
		before      string
		read        string
		code        domain.Code
		says        string
		atOperation bool // the endless answer is that to the poll
	}{
		"a list":           {200, `{"value":[{"id":"`, "items", domain.PlatformUnavailable, "", false},
		"white space":      {200, `{"value":[`, "workspaces", domain.PlatformUnavailable, "", false},
		"an item":          {200, `{"id":"` + id + `","displayName":"`, "item", domain.PlatformUnavailable, "larger than", false},
		"a part":           {200, `{"definition":{"parts":[{"path":"p","payload":"`, "definition", domain.ItemNotReadable, "larger than", false},
		"a part's path":    {200, `{"definition":{"parts":[{"path":"`, "definition", domain.ItemNotReadable, "larger than", false},
		"unknown members":  {200, `{"x":"`, "definition", domain.ItemNotReadable, "larger than", false},
		"an error":         {403, `{"errorCode":"InsufficientScopes","message":"`, "items", domain.PlatformAccessDenied, "HTTP 403", false},
		"of the operation": {200, `{"status":"Running","x":"`, "definition", domain.PlatformUnavailable, "larger than", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stopped := make(chan error, 1)
			s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.atOperation && r.Method == http.MethodPost {
					w.Header().Set("x-ms-operation-id", id)
					w.WriteHeader(http.StatusAccepted)
					return
				}
				w.Header().Set("Content-Encoding", "gzip")
				w.WriteHeader(c.status)
				z := gzip.NewWriter(w)
				_, err := io.WriteString(z, c.before)
				filler := "A"
				if name == "white space" {
					filler = " "
				}
				for block := strings.Repeat(filler, 1<<20); err == nil; {
					_, err = io.WriteString(z, block)
				}
				select {
				case stopped <- err:
				default:
				}
			}))
			defer s.Close()
			p := overNetwork(t, s)
			p.Lower(10, 1<<20, 1<<20, 64<<10, 3)
			err := reads[c.read](t, p)
			if r, refused := domain.Refused(err); !refused || r.Code != c.code || !strings.Contains(r.Message, c.says) {
				t.Errorf("got %v, want %s with %q", err, c.code, c.says)
			}
			<-stopped // without that, the test does not end
		})
	}
}
