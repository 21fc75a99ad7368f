package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parquet-go/parquet-go"

	"readiness/cmd/cli"
	"readiness/domain/benchmark"
	"readiness/test/pgtest"
)

// someQuestions are three questions about Support Tickets; one of them cannot run.
const someQuestions = `{"questions": [
  {"questionId": "tickets", "text": "How many tickets are there?", "expected": {"fields": [{"role": "measure", "table": "Tickets", "name": "Ticket Count"}]}},
  {"questionId": "by-team", "text": "Show the ticket count for each team.", "expected": {"fields": [
    {"role": "measure", "table": "Tickets", "name": "Ticket Count"}, {"role": "grouping", "table": "Agents", "name": "Team"}]}},
  {"questionId": "gone", "text": "How high was the backlog?", "expected": {"fields": [{"role": "measure", "table": "Tickets", "name": "Backlog"}]}}
]}`

// languageModel is a fake language model. It fails, or while it is held does not answer.
type languageModel struct {
	*httptest.Server
	held    atomic.Bool
	asked   chan struct{}
	release func()
}

func newLanguageModel(t *testing.T) *languageModel {
	released := make(chan struct{})
	m := &languageModel{asked: make(chan struct{}, 100), release: sync.OnceFunc(func() { close(released) })}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !m.held.Load() {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		m.asked <- struct{}{}
		select {
		case <-released:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(func() { m.release(); m.Close() })
	return m
}

// comparesRows runs generated questions over a sample model. Their queries are evaluated over its sample data, and each
// verdict names the evaluator.
func comparesRows(t *testing.T, y *typist) {
	t.Helper()
	const in, of = "Corporate Functions", "Financial Statements"
	y.types(0, y.types(0, "", "benchmark", "generate", in, of, "--count", "5", "--json").stdout, "benchmark", "save", in, of, "-")
	y.types(0, "", "benchmark", "run", in, of)
	run := shownID.FindString(y.types(0, "", "benchmark", "runs", in, of).stdout)
	result := y.types(0, "", "benchmark", "result", in, of, run, "--json").stdout
	if compared, named := strings.Count(result, `"result_set"`), strings.Count(result, "evaluated over sample data (embedded)"); compared < 4 || named != compared {
		t.Errorf("%d of 5 verdicts compare rows, %d name the evaluator: %s", compared, named, result)
	}
}

// importsAnswers imports answers to the question that comparesRows saved first from a Parquet file and from JSON lines, and compares them.
func importsAnswers(t *testing.T, y *typist) {
	t.Helper()
	const in, of = "Corporate Functions", "Financial Statements"
	var saved struct{ Value []benchmark.Question }
	if err := json.Unmarshal([]byte(y.types(0, "", "benchmark", "questions", in, of, "--json").stdout), &saved); err != nil {
		t.Fatal(err)
	}
	asked := saved.Value[0]
	const text = "See the table."
	var table bytes.Buffer
	err := parquet.Write(&table, []struct {
		Question string `parquet:"question,plain"`
		Answer   string `parquet:"answer,dict"`
		DAX      string `parquet:"dax,plain"`
	}{{asked.Text, text, asked.Expected.DAX}}, parquet.Compression(&parquet.Snappy))
	good := y.types(0, "", "benchmark", "import", in, of, written(t, "good.parquet", table.String(), err), "--answered-by", "Copilot").stdout
	if want := "judged from files with the answers of Copilot: score 100 of 100; 5 questions"; !strings.Contains(good, want) ||
		!strings.Contains(good, "Answered by Copilot (imported: these answers were given elsewhere)\n") || !strings.Contains(good, "Questions without an answer: 4, such as ") {
		t.Errorf("got %q", good)
	}
	line, err := json.Marshal(map[string]string{"question": asked.Text, "answer": text, "dax": `EVALUATE ROW("x", 1)`})
	y.types(0, "", "benchmark", "import", in, of, written(t, "bad.jsonl", string(line)+"\n", err), "--answered-by", "Other")
	all := shownID.FindAllString(y.types(0, "", "benchmark", "runs", in, of).stdout, -1)
	if compared := y.types(0, "", "abtests", "create", "Two", in, of, "--imported", all[1]+","+all[0]).stdout; !strings.Contains(compared, "Score of side A 100, of side B 0, over 1 questions") {
		t.Errorf("got %q", compared)
	}
	if wrong := y.types(1, "", "benchmark", "import", in, of, written(t, "notes.txt", "Dear all,\nit is 12.\n", nil)); !strings.Contains(wrong.stderr, "notes.txt: ") {
		t.Errorf("got %q", wrong.stderr)
	}
}

// written writes a file, and returns its path.
func written(t *testing.T, name, text string, err error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := errors.Join(err, os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestClientListsAView lists a view as of a position, and is refused a time without a head.
func TestClientListsAView(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := serve(t, "--database-url", pgtest.URL(t), "--data", data, "--accounts", samplesAccounts)
	y := newTypist(t)
	y.types(0, must(t, "token", "--data", data, "--account", "contoso", "--person", "ada", "--force").stdout, "login", "--base-url", s.base)
	got := y.types(0, "", "audit", "view", "accounts", "--position", "1").stdout
	if !strings.HasPrefix(got, "accounts as of position 1, under the head signed at 2") && !strings.HasPrefix(got, "accounts as of position 1, no head covers it yet\n") ||
		!strings.Contains(got, "\n"+`{"table":"accounts","row":{"account_id":"contoso"`) {
		t.Errorf("got\n%s", got)
	}
	for args, want := range map[string]string{
		"accounts --time 2000-01-01T00:00:00Z": "AuditRecordNotFound: no head of the log was signed at or before 2000-01-01T00:00:00Z",
		"nothing --position 1":                 "AuditRecordNotFound: there is no view \"nothing\"",
		"accounts --position 100000":           "InvalidRequest: the log has no position 100000",
	} {
		if got := y.types(1, "", append([]string{"audit", "view"}, strings.Fields(args)...)...); !strings.Contains(got.stderr, want) || got.stdout != "" {
			t.Errorf("%s: got %q and %q", args, got.stdout, got.stderr)
		}
	}
}

// TestClientRuns runs benchmarks, A/B tests, schedules and AI providers against a service through the client.
func TestClientRuns(t *testing.T) {
	t.Parallel()
	data, database, model := t.TempDir(), pgtest.URL(t), newLanguageModel(t)
	s := serve(t, "--database-url", database, "--data", data, "--accounts", samplesAccounts, "--ai-private-addresses")
	y := newTypist(t)
	quiet := newTypist(t)
	quiet.config, quiet.rates, y.rates = y.config, database, database
	ada := strings.TrimSpace(must(t, "token", "--data", data, "--account", "contoso", "--person", "ada", "--force").stdout)
	y.types(0, ada, "login", "--base-url", s.base)
	const in, of = "Corporate Functions", "Support Tickets"

	y.types(0, "", "benchmark", "questions", in, of) // none
	generated := quiet.types(0, "", "benchmark", "generate", in, of, "--count", "2", "--json").stdout
	if shown := quiet.types(0, "", "benchmark", "generate", in, of, "--count", "2").stdout; !strings.Contains(shown, "2 questions (2 can run), each asked once\n") {
		t.Errorf("generated: got %q", shown)
	}
	quiet.types(0, generated, "benchmark", "save", in, of, "-") // one command accepts what the other prints
	y.types(1, `{"questions": [{}]}`, "benchmark", "save", in, of, "-")
	y.types(1, "none", "benchmark", "save", in, of, "-")
	y.types(0, someQuestions, "benchmark", "save", in, of, "-", "--keep-unrunnable")
	y.types(0, "", "benchmark", "questions", in, of)
	if got := quiet.types(0, "", "benchmark", "questions", in, of, "--json").stdout; strings.Contains(got, "q-") || strings.Count(got, `"questionId"`) != 3 {
		t.Errorf("saving did not replace the saved questions: got %s", got)
	}
	y.types(0, "", "benchmark", "run", in, of, "--repeats", "2")
	kept := shownID.FindString(y.types(0, "", "benchmark", "runs", in, of).stdout)
	y.types(0, "", "benchmark", "result", in, of, kept)
	y.types(0, "", "benchmark", "verdict", in, of, kept, "tickets", "incorrect", "--reason", "The unit is missing.", "--ask", "2")
	y.types(0, "", "benchmark", "result", in, of, kept)
	y.types(1, "", "benchmark", "verdict", in, of, kept, "tickets", "wrong", "--reason", "No.")
	y.types(cli.ExitUsage, "", "benchmark", "verdict", in, of, kept, "tickets", "correct")
	y.types(2, "", "benchmark", "verdict", in, of, "kept", "tickets", "correct", "--reason", "Yes.")
	y.types(1, "", "benchmark", "result", in, of, "01a1fe19-b4e6-73d6-a5f4-307239dadc95")                // 404
	y.types(1, "", "benchmark", "run", "Retail Analytics", "Retail Sales", "--agent", "Sales Assistant") // no questions

	y.types(0, "", "abtests", "create", "Again", in, of, "--run", kept, "--reuse-side-a")
	test := shownID.FindString(y.types(0, "", "abtests", "list", "--search", "again").stdout)
	y.types(0, "", "abtests", "run", test, "--current")
	y.types(0, "", "abtests", "show", test)
	y.types(0, "", "abtests", "result", test)
	y.types(0, "", "abtests", "delete", test)
	y.types(1, "", "abtests", "result", test) // 404
	y.types(0, "", "abtests", "list")
	y.types(1, `{"name": "x"}`, "abtests", "create", "--file", "-") // 400

	y.types(0, "", "members")
	y.types(0, "", "owner", "show", in, of)
	y.types(0, "", "owner", "set", in, of)
	y.types(0, "", "owner", "set", in, of, "grace")
	y.types(1, "", "owner", "set", in, of, "nobody") // 400
	y.types(0, "", "owner", "set", in, of, "--json")
	y.types(0, "", "portfolio", "--owner", "none", "--q", "tickets")
	y.types(0, "", "owner", "remove", in, of)
	note := shownID.FindString(y.types(0, "", "notes", "add", in, of, "The desk decides\nwhat is urgent.").stdout)
	y.types(0, "", "notes", "change", in, of, note, "The desk decides what is urgent.")
	y.types(1, "", "notes", "add", in, of, " ") // 400
	y.types(0, "", "notes", "list", in, of)
	y.types(0, "", "notes", "remove", in, of, note)
	y.types(1, "", "notes", "remove", in, of, note) // 404

	schedule := shownID.FindString(y.types(0, "", "schedules", "add", in, of, "--at", "05:30", "--weekly", "monday", "--disabled").stdout)
	y.types(1, "", "schedules", "add", in, of, "--at", "05:30", "--daily") // 409
	y.types(0, "", "schedules", "change", schedule, "--enabled", "--daily")
	y.types(0, "", "schedules", "change", schedule, "--enabled=false", "--at", "23:59")
	y.types(0, "", "schedules", "list")
	y.types(0, "", "schedules", "show", schedule)
	y.types(0, "", "schedules", "delete", schedule)
	y.types(1, "", "schedules", "show", schedule) // 404

	comparesRows(t, quiet) // proves: decisions/10/sample-data
	importsAnswers(t, quiet)

	gates(t, quiet)

	const key = "sk-never-to-be-told"
	// The provider does not answer the test call and is saved anyway.
	y.types(4, key+"\n", "providers", "save", "Slow", "--kind", "openai_compatible", "--base-url", model.URL+"/v1", "--model", "m", "--key-file", "-", "--purpose", "Agent")
	y.types(0, "", "providers", "save", "slow", "--purpose", "Agent,Judge", "--send-dax=false")
	y.types(0, "", "providers", "list")
	y.types(0, "", "providers", "show", "SLOW")
	y.types(1, "", "providers", "test", "Slow")
	y.types(1, "", "providers", "show", "Fast")

	// A running operation is cancelled, and the process that waits for it reports that.
	model.held.Store(true)
	going := lastID(t, y.types(0, "", "benchmark", "run", in, of, "--provider", "Slow", "--no-wait").stdout)
	<-model.asked
	if got := quiet.types(0, "", "operations", "show", going).stdout; !strings.Contains(got, "Running") {
		t.Fatalf("it does not run: %s", got)
	}
	y.types(0, "", "operations", "cancel", going)
	y.types(1, "", "operations", "wait", going)
	y.types(1, "", "operations", "show", "--result", going)
	if got := y.types(0, "", "benchmark", "runs", in, of).stdout; !strings.Contains(got, "Cancelled") {
		t.Errorf("the run is not stopped: %s", got)
	}
	y.types(0, "", "operations", "cancel", going) // again
	model.release()                               // a service that stops waits for the questions that it is asking
	y.types(0, "", "providers", "delete", "Slow")

	if seen := y.screen.String() + s.stderr.String(); strings.Contains(seen, key) || strings.Contains(seen, ada[strings.LastIndexByte(ada, '.')+1:]) {
		t.Error("a key or a token was shown")
	}
	y.golden("client_runs.golden", s.base, model.URL, "http://model.test")
}

// A real interrupt of a real process that waits leaves the operation to the service. The process prints the command
// that resumes waiting with the same profile and flags.
func TestClientInterrupted(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := serve(t, "--database-url", pgtest.URL(t), "--data", data, "--accounts", samplesAccounts)
	to, err := url.Parse(s.base)
	if err != nil {
		t.Fatal(err)
	}
	// The first read of the operation's state is held until the process that sent it has ended.
	proxy, reading, held := httputil.NewSingleHostReverseProxy(to), make(chan struct{}), atomic.Bool{}
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/v1/operations/") && held.CompareAndSwap(false, true) {
			close(reading)
			<-r.Context().Done()
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer between.Close()
	y := newTypist(t)
	y.config = filepath.Join(t.TempDir(), "ada's profiles")
	y.types(0, must(t, "token", "--data", data, "--account", "contoso", "--person", "ada", "--force").stdout, "login", "--base-url", between.URL, "--profile", "here")

	cmd, stdout, stderr, ended := program(t, "readiness", "client", "--config", y.config, "--profile", "here", "assess", "Retail Analytics", "Inventory")
	select {
	case <-reading:
	case <-ended:
		t.Fatalf("it did not wait: %s%s", stdout, stderr)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-ended
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if cmd.ProcessState.ExitCode() != cli.ExitInterrupted || stdout.String() != "" || len(lines) != 3 || lines[2] != "readiness: interrupted" {
		t.Fatalf("interrupted: got %v, stdout %q, stderr %q", cmd.ProcessState, stdout, stderr)
	}
	if want := `^  readiness client operations wait [0-9a-f-]{36} --profile here --config "\S+/ada's profiles"$`; !regexp.MustCompile(want).MatchString(lines[1]) {
		t.Fatalf("got %q, want %s", lines[1], want)
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	programs := t.TempDir()
	if err := os.Symlink(self, filepath.Join(programs, "readiness")); err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", lines[1])
	shell.Env = append(os.Environ(), "READINESS_TEST_AS_PROGRAM=readiness", "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := shell.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Score 68 of 100") {
		t.Errorf("the printed command: got error %v\n%s", err, out)
	}
	if list := y.types(0, "", "operations", "list", "--profile", "here").stdout; strings.Count(list, "AssessSemanticModel") != 1 {
		t.Errorf("it was started again:\n%s", list)
	}
}
