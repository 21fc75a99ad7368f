package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/test/pgtest"
)

// saved writes a file and returns its path.
func saved(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// refusal holds the compared members of an ErrorResponse.
type refusal struct {
	ErrorCode  string
	Parameters []struct{ Name, Value string }
}

func (r refusal) parameter(name string) string {
	for _, p := range r.Parameters {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// The service applies the allowances of the plans file, and the permissions of the accounts file.
//
// proves: 7.2/PlatformConsentRequired decisions/1/consent-parameters
func TestServeWithPlansAndPermissions(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	plans := saved(t, "plans.yaml", "plans:\n  Free:\n    assessments: {limit: 1, period: Month}\n    members: {limit: 3}\n")
	people := saved(t, "accounts.yaml", `accounts:
  - accountId: fabrikam
    plan: Free
    people:
      - {person: margaret, role: admin}
      - {person: hedy, permissions: {platform: ConsentRequired}}
      - {person: alan, permissions: {platform: Unavailable}}
`)
	// The default plan has no room for three people.
	without := run(t.Context(), "accounts", "diff", people, "--database-url", pgtest.URL(t), "--data", t.TempDir())
	if without.code != cli.ExitFailed || !strings.Contains(without.stderr, "accounts.yaml:4:5: accounts[0].people: plan Free has room for 1 people") {
		t.Errorf("without --plans: got exit code %d, %s", without.code, without.stderr)
	}

	s := serve(t, "--database-url", pgtest.URL(t), "--data", data, "--plans", plans, "--accounts", people, "--portal-url", "https://portal.example.com/me")
	call := func(person, method, path string) (int, refusal, []byte) {
		t.Helper()
		token := strings.TrimSpace(must(t, "token", "--data", data, "--account", "fabrikam", "--person", person, "--force").stdout)
		request, err := http.NewRequestWithContext(t.Context(), method, s.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var raw json.RawMessage
		if err := json.NewDecoder(response.Body).Decode(&raw); err != nil {
			t.Fatal(err)
		}
		var r refusal
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, r, raw
	}

	_, _, body := call("margaret", http.MethodGet, "/v1/workspaces")
	var workspaces struct {
		Value []struct{ WorkspaceID string }
	}
	if err := json.Unmarshal(body, &workspaces); err != nil || len(workspaces.Value) == 0 {
		t.Fatalf("margaret sees %s, error %v", body, err)
	}
	in := "/v1/workspaces/" + workspaces.Value[0].WorkspaceID + "/semanticModels"
	_, _, body = call("margaret", http.MethodGet, in)
	var models struct {
		Value []struct{ SemanticModelID string }
	}
	if err := json.Unmarshal(body, &models); err != nil || len(models.Value) == 0 {
		t.Fatalf("margaret sees %s, error %v", body, err)
	}
	assess := in + "/" + models.Value[0].SemanticModelID + "/aiReadiness/assess"

	for _, path := range []string{"/v1/workspaces", in, assess} {
		method := http.MethodGet
		if path == assess {
			method = http.MethodPost
		}
		status, r, _ := call("hedy", method, path)
		if status != http.StatusForbidden || r.ErrorCode != "PlatformConsentRequired" || r.parameter("permission") != "Item.ReadWrite.All" ||
			r.parameter("consentUrl") != "https://portal.example.com/me?grant=Item.ReadWrite.All" {
			t.Errorf("hedy, %s: got %d %+v", path, status, r)
		}
		if status, r, _ := call("alan", method, path); status != http.StatusBadGateway || r.ErrorCode != "PlatformUnavailable" {
			t.Errorf("alan, %s: got %d %+v", path, status, r)
		}
	}
	// A refusal uses no allowance: the one assessment of the month is left.
	if status, r, body := call("margaret", http.MethodPost, assess); status != http.StatusAccepted {
		t.Errorf("the first assessment: got %d %+v\n%s", status, r, body)
	}
	if status, r, _ := call("margaret", http.MethodPost, assess); status != http.StatusTooManyRequests || r.ErrorCode != "AssessmentDailyLimitReached" || r.parameter("limit") != "1" {
		t.Errorf("the second assessment: got %d %+v, want the plan of the file to refuse it", status, r)
	}
}
