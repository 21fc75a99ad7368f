package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/cmd/cli"
	"readiness/mcp"
	"readiness/test/pgtest"
)

// agent is an agent's session with a server.
type agent struct {
	t *testing.T
	*sdk.ClientSession
}

type args = map[string]any

// newAgent starts a session over a transport.
func newAgent(t *testing.T, over sdk.Transport) agent {
	t.Helper()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), over, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return agent{t, s}
}

// bearing sends a token.
type bearing struct{ token string }

// RoundTrip implements http.RoundTripper.
func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// onService starts a session with a service.
func onService(t *testing.T, base, token string) agent {
	t.Helper()
	return newAgent(t, &sdk.StreamableClientTransport{Endpoint: base + "/mcp", HTTPClient: &http.Client{Transport: bearing{token}},
		DisableStandaloneSSE: true})
}

// refused calls a tool that must be refused for a reason.
func (a agent) refused(tool string, in args, reason string) {
	a.t.Helper()
	r, err := a.CallTool(a.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: in})
	if err == nil && r.IsError {
		err = errors.New(r.Content[0].(*sdk.TextContent).Text)
	}
	if err == nil || !strings.Contains(err.Error(), reason) {
		a.t.Errorf("%s %v: got %v, want a refusal with %q", tool, in, err, reason)
	}
}

// dataOf returns the data of a result, which are between marks.
func dataOf(r *sdk.CallToolResult) []byte {
	lines := strings.Split(r.Content[0].(*sdk.TextContent).Text, "\n")
	return []byte(lines[len(lines)-2])
}

// data calls a tool, again while the result is pending, and returns its data.
func data[T any](a agent, tool string, in args) T {
	a.t.Helper()
	var out struct {
		Pending *mcp.PendingOutput `json:"pending"`
	}
	for range 20 {
		r, err := a.CallTool(a.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: in})
		if err != nil || r.IsError {
			a.t.Fatalf("%s %v: %v, %v", tool, in, err, r)
		}
		out.Pending = nil
		text := dataOf(r)
		if err := json.Unmarshal(text, &out); err != nil {
			a.t.Fatal(err)
		}
		if out.Pending == nil {
			var data T
			if err := json.Unmarshal(text, &data); err != nil {
				a.t.Fatal(err)
			}
			return data
		}
		in["operationId"] = out.Pending.OperationID
	}
	a.t.Fatalf("%s %v does not end", tool, in)
	panic("unreachable")
}

// TestAgentsOfAService walks through the tools over HTTP, and refuses what the caller may not do.
//
// proves: decisions/19/same-rules decisions/19/writes-need-a-preview decisions/19/reverts
func TestAgentsOfAService(t *testing.T) {
	t.Parallel()
	home, workspaces := t.TempDir(), filepath.Join(t.TempDir(), "workspaces")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.CopyFS(workspaces, os.DirFS("../../samples/workspaces")))
	s := serve(t, "--database-url", pgtest.URL(t), "--data", home, "--accounts", samplesAccounts, "--platform", "folder:"+workspaces)
	token := func(account, person string, more ...string) string {
		return strings.TrimSpace(must(t, append([]string{"token", "--data", home, "--account", account, "--person", person, "--force"},
			more...)...).stdout)
	}
	grace := token("contoso", "grace")
	a := onService(t, s.base, grace)
	model := modelOf(a, "Retail Analytics", "Inventory")
	files := filepath.Join(workspaces, "Retail Analytics", "Supply Chain", "Inventory.SemanticModel")
	before := filesOf(t, files)

	first := data[mcp.AssessmentSummary](a, "assess", args{"model": model})
	if *first.Score != 68 || first.Findings != 65 || first.Rules[0].Rule != "MEA-10" {
		t.Errorf("got the assessment %+v", first)
	}
	seen := data[mcp.ViewOutput](a, "ai_view", args{"model": model})
	if seen.Objects.Total != 43 || len(seen.Objects.Rows) != 43 || seen.Objects.Rows[1].Name != "Date" {
		t.Errorf("got the view %+v", seen)
	}
	found := data[mcp.Page[mcp.FindingRow]](a, "list_findings", args{"model": model, "assessmentId": first.AssessmentID, "rule": "DSC-02"})
	if found.Total != 18 {
		t.Errorf("got %d findings of DSC-02", found.Total)
	}
	p := data[mcp.PreviewSummary](a, "preview", args{"model": model, "kind": "descriptions"})
	if p.Changes.Total == 0 || p.NeedsYourWords == 0 || p.ExpiresAtUTC == "" {
		t.Fatalf("got the preview %+v", p)
	}
	chosen := p.Changes.Rows()[0]
	read := onService(t, s.base, token("contoso", "grace", "--scopes", "Service.Read.All"))
	stranger := onService(t, s.base, token("fabrikam", "margaret"))
	for tool, in := range map[string]args{
		"assess": {"model": model}, "preview": {"model": model, "kind": "descriptions"}, "apply": {"previewId": p.PreviewID, "keys": []string{chosen.Key}},
		"run_questions": {"model": model},
	} {
		read.refused(tool, in, "InsufficientScopes")
	}
	stranger.refused("apply", args{"previewId": p.PreviewID, "keys": []string{chosen.Key}}, "OperationNotFound")
	stranger.refused("list_changes", args{"previewId": p.PreviewID}, "OperationNotFound")
	stranger.refused("list_findings", args{"model": model, "assessmentId": first.AssessmentID}, "NotFound")
	if same := filesOf(t, files); !equalFiles(before, same) {
		t.Error("a refused call changed the model")
	}
	if got := data[mcp.ChangesOutput](read, "list_changes", args{"previewId": p.PreviewID}); got.Changes.Total != p.Changes.Total {
		t.Errorf("the same person with a token to read: got %+v", got)
	}

	w := data[mcp.WrittenOutput](a, "apply", args{"previewId": p.PreviewID, "keys": []string{chosen.Key}})
	if w.Changes.Total != 1 || w.Changes.Rows()[0].Then != chosen.Then || w.Record == "" {
		t.Errorf("got written %+v", w)
	}
	second := data[mcp.AssessmentSummary](a, "assess", args{"model": model})
	c := data[mcp.Comparison](read, "compare", args{"model": model, "before": first.AssessmentID, "after": second.AssessmentID})
	if c.Fixed != 1 || c.New != 0 || !strings.HasSuffix(chosen.Key, "|"+c.Findings.Rows[0].Object) {
		t.Errorf("got the comparison %+v", c)
	}
	records := data[mcp.RecordsOutput](read, "list_records", args{})
	if len(records.Rows) != 1 || records.Rows[0].Record != w.Record || records.Rows[0].Models[0] != model {
		t.Errorf("got the records %+v", records)
	}
	if rows := data[mcp.RecordsOutput](stranger, "list_records", args{}).Rows; len(rows) != 0 {
		t.Errorf("another account sees the records %v", rows)
	}
	stranger.refused("preview_revert", args{"record": w.Record}, "OperationNotFound")
	r := data[mcp.WrittenOutput](read, "preview_revert", args{"record": w.Record})
	read.refused("revert", args{"previewId": r.PreviewID}, "InsufficientScopes")
	a.refused("revert", args{"previewId": w.Record}, "no preview of the revert")
	a.refused("revert", args{"previewId": w.Record + ".0000"}, "no preview of the revert")
	data[mcp.WrittenOutput](a, "revert", args{"previewId": r.PreviewID})
	if !equalFiles(before, filesOf(t, files)) {
		t.Error("the revert did not restore every byte")
	}
	a.refused("revert", args{"previewId": r.PreviewID}, "the record changed since")
	a.refused("apply", args{"previewId": w.Record, "keys": []string{chosen.Key}}, "must be one that preview returned")
	a.refused("assess", args{"model": model, "operationId": w.Record}, "this tool is for AssessSemanticModel")
	a.refused("assess", args{"model": model, "operationId": "x"}, "must be one that this tool returned")
	a.refused("assess", args{"model": "Inventory"}, "workspaceId/semanticModelId")
	a.refused("list_models", args{"within": "Retail"}, "id of a workspace")
	a.refused("run_questions", args{"model": model}, "BenchmarkQuestionsMissing")
}

func equalFiles(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for path, text := range a {
		if b[path] != text {
			return false
		}
	}
	return true
}

// modelOf finds a model by names.
func modelOf(a agent, workspace, name string) string {
	a.t.Helper()
	for _, w := range data[mcp.ModelsOutput](a, "list_models", args{}).Rows {
		if w.Name != workspace {
			continue
		}
		for _, m := range data[mcp.ModelsOutput](a, "list_models", args{"within": w.ID}).Rows {
			if m.Name == name {
				return m.ID
			}
		}
	}
	a.t.Fatalf("there is no model %s", name)
	return ""
}

// TestPendingCalls assesses without a worker: the tool stops waiting before its caller does, and a later call gets the result.
//
// proves: decisions/19/pending
func TestPendingCalls(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	url := pgtest.URL(t)
	s := serve(t, "--database-url", url, "--data", home, "--accounts", samplesAccounts, "--roles", "api")
	token := strings.TrimSpace(must(t, "token", "--data", home, "--account", "contoso", "--person", "grace", "--force").stdout)
	a := onService(t, s.base, token)
	in := args{"model": modelOf(a, "Retail Analytics", "Inventory")}
	r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "assess", Arguments: in})
	if err != nil || r.IsError {
		t.Fatalf("got %v, %v", r, err)
	}
	var out struct{ Pending mcp.PendingOutput }
	text := r.Content[0].(*sdk.TextContent).Text
	err = json.Unmarshal(dataOf(r), &out)
	id := out.Pending.OperationID
	if err != nil || id == "" || out.Pending.Status != "NotStarted" || !strings.Contains(text, "operationId "+id) {
		t.Fatalf("got %v, %s", err, text)
	}
	ctx, stop := context.WithCancel(t.Context())
	stderr, ended := newOutput(), make(chan struct{})
	go func() {
		defer close(ended)
		newRoot(io.Discard, stderr).Run(ctx, []string{"worker", "--database-url", url, "--data", home, "--platform", "folder:../../samples/workspaces"})
	}()
	defer func() { stop(); <-ended }()
	stderr.await(t, `"msg":"working"`, ended)
	in["operationId"] = id
	if got := data[mcp.AssessmentSummary](a, "assess", in); *got.Score != 68 || got.AssessmentID == "" {
		t.Errorf("got %+v of the operation %s", got, id)
	}
}

// TestAgentsAskQuestions runs the saved questions of a model.
func TestAgentsAskQuestions(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := serve(t, "--database-url", pgtest.URL(t), "--data", home, "--accounts", samplesAccounts)
	token := strings.TrimSpace(must(t, "token", "--data", home, "--account", "contoso", "--person", "grace", "--force").stdout)
	a := onService(t, s.base, token)
	model := modelOf(a, "Corporate Functions", "Support Tickets")
	y := newTypist(t)
	y.types(0, token, "login", "--base-url", s.base)
	questions := filepath.Join(t.TempDir(), "questions.json")
	made := y.types(0, "", "benchmark", "generate", "Corporate Functions", "Support Tickets", "--count", "5", "--json")
	if err := os.WriteFile(questions, []byte(made.stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	y.types(0, "", "benchmark", "save", "Corporate Functions", "Support Tickets", questions)
	run := data[mcp.RunSummary](a, "run_questions", args{"model": model})
	answers := data[mcp.Page[mcp.AnswerRow]](a, "list_answers", args{"model": model, "runId": run.RunID})
	if run.Score == nil || !strings.HasPrefix(run.Answerer, "embedded") || answers.Total != 5 || answers.Rows[0].Verdict == "" ||
		answers.Rows[0].Query == "" {
		t.Errorf("got the run %+v and the answers %+v", run, answers)
	}
	copied := "question,answer,dax\n"
	for i, r := range answers.Rows[:3] { // the third is answered wrongly
		query := r.Expected
		if i == 2 {
			query = `EVALUATE ROW("x", 7)`
		}
		copied += fmt.Sprintf("%q,See it,\"%s\"\n", r.Question, strings.ReplaceAll(query, `"`, `""`))
	}
	given := data[mcp.RunSummary](a, "run_questions", args{"model": model, "answers": copied, "answeredBy": "Copilot"})
	if given.RunID == run.RunID || !strings.Contains(given.Answerer, "Copilot") || given.Verdicts["correct"] != 2 || given.Verdicts["incorrect"] != 1 ||
		given.Wrong.Total != 3 || given.Wrong.Rows[2].Reason != "It was not answered." {
		t.Errorf("got the run of answers that were given %+v", given)
	}
	a.refused("run_questions", args{"model": model, "answers": "city,sales\nBonn,1\n"}, "names no columns question and answer")
	read := strings.TrimSpace(must(t, "token", "--data", home, "--account", "contoso", "--person", "grace", "--scopes", "Service.Read.All", "--force").stdout)
	onService(t, s.base, read).refused("run_questions", args{"model": model, "answers": copied}, "InsufficientScopes")
}

// TestCallsOfAgents refuses calls of /mcp that are not from an agent of this service, and counts the others as calls of the interface.
//
// proves: decisions/19/same-rules decisions/19/transport
func TestCallsOfAgents(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := serve(t, "--database-url", pgtest.URL(t), "--data", home, "--accounts", samplesAccounts)
	grace := strings.TrimSpace(must(t, "token", "--data", home, "--account", "contoso", "--person", "grace", "--force").stdout)
	const list = `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}`
	for name, tt := range map[string]struct {
		method, host, origin, token, body string
		status                            int
	}{
		"an agent":               {"POST", "", "", grace, list, 200},
		"an agent by a name":     {"POST", "localhost:1", "", grace, list, 200},
		"a page of the service":  {"POST", "", s.base, grace, list, 200},
		"no token":               {"POST", "", "", "", list, 401},
		"no token of an issuer":  {"POST", "", "", "eyJh.eyJh.x", list, 401},
		"another page":           {"POST", "", "https://evil.example", grace, list, 403},
		"a page without address": {"POST", "", "null", grace, list, 403},
		"a page of another port": {"POST", "", "http://127.0.0.1:1", grace, list, 403},
		"a name that is rebound": {"POST", "evil.example", "", grace, list, 403},
		"a name that is longer":  {"POST", "localhost.evil.example", "", grace, list, 403},
		"a stream":               {"GET", "", "", grace, "", 405},
		"an end":                 {"DELETE", "", "", grace, "", 405},
		"no message":             {"POST", "", "", grace, "x", 400},
		"a batch":                {"POST", "", "", grace, " \n[" + list + "]", 400},
		"too large a message":    {"POST", "", "", grace, `{"jsonrpc": "` + strings.Repeat("x", 1<<20) + `"}`, 413},
	} {
		r, err := http.NewRequestWithContext(t.Context(), tt.method, s.base+"/mcp", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tt.host
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		for header, value := range map[string]string{"Origin": tt.origin, "Authorization": strings.TrimSuffix("Bearer "+tt.token,
			"Bearer ")} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != tt.status {
			t.Errorf("%s: got status %d, want %d", name, response.StatusCode, tt.status)
		}
		if asks := response.Header.Get("WWW-Authenticate") != ""; asks != (tt.status == 401) ||
			response.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: got the headers %v", name, response.Header)
		}
	}
	a := onService(t, s.base, grace)
	const nowhere = "11111111-1111-4111-8111-111111111111/22222222-2222-4222-8222-222222222222"
	var last string
	for range 200 { // at most 30 in a minute are admitted
		r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "assess", Arguments: args{"model": nowhere}})
		if err != nil || !r.IsError {
			t.Fatalf("got %v, %v", r, err)
		}
		if last = r.Content[0].(*sdk.TextContent).Text; !strings.Contains(last, "WorkspaceNotFound") {
			break
		}
	}
	if !strings.Contains(last, "RequestBlocked") || !strings.Contains(last, "Call again in ") {
		t.Errorf("calls of tools are not counted: %s", last)
	}
	y := newTypist(t)
	y.pause = func(context.Context, time.Duration) error { return errors.New("no wait") }
	y.types(0, grace, "login", "--base-url", s.base)
	if got := y.types(1, "", "assess", "Retail Analytics", "Inventory"); !strings.Contains(got.stderr, "RequestBlocked") {
		t.Errorf("the agent's calls do not count for the person: %s", got.stderr)
	}
}

// TestAgentsOfFiles runs readiness mcp as a program, as an agent does.
func TestAgentsOfFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../samples/workspaces/Retail Analytics/Supply Chain")); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func(more ...string) agent {
		cmd := exec.Command(self, append([]string{"mcp", root}, more...)...)
		cmd.Env = append(os.Environ(), "READINESS_TEST_AS_PROGRAM=readiness")
		return newAgent(t, &sdk.CommandTransport{Command: cmd})
	}
	a := start()
	const model = "Inventory.SemanticModel"
	if got := data[mcp.AssessmentSummary](a, "assess", args{"model": model}); *got.Score != 68 {
		t.Errorf("got %+v", got)
	}
	a.refused("apply", args{"previewId": "x"}, `unknown tool "apply"`)
	before := filesOf(t, root)
	b := start("--write", "--rules", saved(t, "rules.yaml", "rules: {DSC-02: off}\n"))
	if got := data[mcp.AssessmentSummary](b, "assess", args{"model": model}); *got.Score == 68 || got.Regime == "2027-01" {
		t.Errorf("with other rules: got %+v", got)
	}
	p := data[mcp.PreviewSummary](b, "preview", args{"model": model, "kind": "properties"})
	w := data[mcp.WrittenOutput](b, "apply", args{"previewId": p.PreviewID, "keys": []string{p.Changes.Rows()[0].Key}})
	if equalFiles(before, filesOf(t, root)) {
		t.Error("nothing was written")
	}
	if got := atDesk(t.Context(), "revert", filepath.Join(root, w.Record), "--root", root, "--write"); got.code != cli.ExitOK { // as people revert it
		t.Fatalf("got %+v", got)
	}
	if err := os.Remove(filepath.Join(root, w.Record)); err != nil || !equalFiles(before, filesOf(t, root)) {
		t.Errorf("the record does not restore every byte: %v", err)
	}
}
