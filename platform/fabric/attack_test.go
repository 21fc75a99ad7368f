package fabric_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
)

// reads are all calls that read, by name.
var reads = map[string]func(t *testing.T, p *fabric.Platform) error{
	"workspaces": func(t *testing.T, p *fabric.Platform) error {
		_, err := p.Workspaces(t.Context(), person("ada"))
		return err
	},
	"workspace": func(t *testing.T, p *fabric.Platform) error {
		_, err := p.Workspace(t.Context(), person("ada"), attacked.WorkspaceID)
		return err
	},
	"capacity": func(t *testing.T, p *fabric.Platform) error {
		_, err := p.Capacity(t.Context(), person("ada"), attacked.WorkspaceID)
		return err
	},
	"items": func(t *testing.T, p *fabric.Platform) error {
		_, err := p.Items(t.Context(), person("ada"), attacked.WorkspaceID, attacked.Type)
		return err
	},
	"item": func(t *testing.T, p *fabric.Platform) error {
		_, err := p.Item(t.Context(), person("ada"), attacked.WorkspaceID, attacked.Type, attacked.ID)
		return err
	},
	"reports": func(t *testing.T, p *fabric.Platform) error {
		_, err := p.Reports(t.Context(), person("ada"), attacked.WorkspaceID)
		return err
	},
	"model of a report": func(t *testing.T, p *fabric.Platform) error {
		_, _, err := p.ModelOf(t.Context(), person("ada"), attacked)
		return err
	},
	"data agent": func(t *testing.T, p *fabric.Platform) error {
		_, _, err := p.AskAgent(t.Context(), person("ada"), item.Item{WorkspaceID: attacked.WorkspaceID, Type: item.DataAgent, ID: attacked.ID}, "Why?")
		return err
	},
	"definition": func(t *testing.T, p *fabric.Platform) error {
		_, err := p.Definition(t.Context(), person("ada"), attacked)
		return err
	},
}

var attacked = item.Item{WorkspaceID: uuid.UUID{15: 1}, Type: item.SemanticModel, ID: uuid.UUID{15: 2}}

const evil = "https://evil.example"

// watched answers calls and notes those that must not be made.
type watched struct {
	answer http.HandlerFunc
	mu     sync.Mutex
	calls  []string
	wrong  []string
}

// ServeHTTP implements http.Handler.
func (a *watched) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.calls = append(a.calls, r.Method+" "+r.URL.Path)
	if host := "https://" + r.URL.Host; host != fabric.DefaultURL && host != fabric.DefaultPowerBIURL ||
		r.Host != r.URL.Host && r.Host != "" || strings.ContainsAny(r.URL.RawQuery, " #\"<>\\\r\n") || !strings.HasPrefix(r.URL.Path, "/v1") {
		a.wrong = append(a.wrong, r.URL.String())
	}
	a.mu.Unlock()
	a.answer(w, r)
}

// No call is redirected, by any status and to any address, and each redirect is an error after one call.
func TestRedirects(t *testing.T) {
	t.Parallel()
	for name, read := range reads {
		for _, status := range []int{300, 301, 302, 303, 307, 308} {
			for _, to := range []string{evil, "//evil.example/v1/workspaces", "/v1/elsewhere", fabric.DefaultURL + "/v1/workspaces", ""} {
				a := &watched{answer: says(status, map[string]string{"Location": to, "Content-Location": to}, "")}
				err := read(t, clientOf(t, a))
				if _, refused := domain.Refused(err); !refused || len(a.wrong) > 0 || len(a.calls) != 1 {
					t.Errorf("%s, %d to %s: got %v after %v and %v", name, status, to, err, a.calls, a.wrong)
				}
			}
		}
	}
}

// Whatever addresses and ids an answer has, the bearer goes to the configured hosts alone.
func TestAddressesOfAnswers(t *testing.T) {
	t.Parallel()
	id := attacked.ID.String()
	for _, text := range []string{
		evil + "/v1", evil + "/v1/operations/" + id, "//evil.example/operations/" + id, "https://api.fabric.microsoft.com@evil.example/operations/" + id,
		"https://evil.example/?" + strings.Repeat("x", 5000), "../../../evil", "..%2f..%2fevil", "/evil", "evil.example", "\\\\evil.example\\x",
		"https://api.fabric.microsoft.com.evil.example/v1/workspaces?continuationToken=x", "javascript:alert(1)", "file:///etc/passwd",
		id + "@evil.example", id + "/../../evil", "{" + id + "}", "urn:uuid:" + id, "%", "https://[::1", "A%0d%0aHost:%20evil.example", "?x=y#z",
		"\r\nHost: evil.example", "x y", "&roles=Admin#", "💥",
	} {
		body := fmt.Sprintf(`{"id":%q,"displayName":%q,"type":"Workspace","capacityId":%[2]q,"workspaceId":%[1]q,"datasetId":%[2]q,
			"datasetWorkspaceId":%[2]q,"reportType":%[2]q,"webUrl":%[2]q,"status":"Succeeded",
			"value":[{"id":%[2]q,"datasetId":%[1]q,"datasetWorkspaceId":%[2]q}],"continuationUri":%[2]q,"continuationToken":%[2]q,
			"items":[{"id":%[2]q,"workspaceId":%[2]q,"type":"SemanticModel"}]}`, id, strings.ReplaceAll(text, `\`, "/"))
		for name, read := range reads {
			for _, operation := range []string{text, id} {
				a := &watched{answer: func(w http.ResponseWriter, r *http.Request) {
					h := w.Header()
					h["Location"], h["X-Ms-Operation-Id"] = []string{text}, []string{operation}
					if r.Method == http.MethodPost {
						w.WriteHeader(http.StatusAccepted)
					}
					_, _ = w.Write([]byte(body))
				}}
				err := read(t, clientOf(t, a))
				if _, refused := domain.Refused(err); err != nil && !refused || len(a.wrong) > 0 || len(a.calls) > 6 {
					t.Errorf("%s, %s: got %v after %v and %v", name, text, err, a.calls, a.wrong)
				}
			}
		}
	}
}
