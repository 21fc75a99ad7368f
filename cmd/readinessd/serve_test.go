package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"readiness/cmd/cli"
	"readiness/internal/postgres"
	"readiness/test/pgtest"
)

// waits limits each wait of a test. It detects events that never happen, not slow ones.
const waits = 5 * time.Minute

// output collects what a command prints and signals each write.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	fresh chan struct{} // closed and replaced at each write
}

func newOutput() *output { return &output{fresh: make(chan struct{})} }

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.fresh)
	o.fresh = make(chan struct{})
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// await waits until a line matches the pattern, and fails if the command ends first.
func (o *output) await(t *testing.T, pattern string, ended <-chan struct{}) []string {
	t.Helper()
	limit := time.NewTimer(waits)
	defer limit.Stop()
	for {
		o.mu.Lock()
		found, fresh := regexp.MustCompile(pattern).FindStringSubmatch(o.text.String()), o.fresh
		o.mu.Unlock()
		if found != nil {
			return found
		}
		select {
		case <-fresh:
		case <-ended:
			if found := regexp.MustCompile(pattern).FindStringSubmatch(o.String()); found != nil {
				return found
			}
			t.Fatalf("the command ended without printing %q:\n%s", pattern, o)
		case <-limit.C:
			t.Fatalf("in %s %q was not printed:\n%s", waits, pattern, o)
		}
	}
}

// serving is a server that runs in this process.
type serving struct {
	base           string
	stdout, stderr *output
	ended          chan struct{}
	code           int
	stop           func() // stops it and waits
}

func serve(t *testing.T, args ...string) *serving {
	t.Helper()
	return serveWith(t, append([]string{"--platform", "folder:../../samples/workspaces"}, args...)...)
}

// serveWith starts a service on the platform that args name.
func serveWith(t *testing.T, args ...string) *serving {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &serving{stdout: newOutput(), stderr: newOutput(), ended: make(chan struct{})}
	args = append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)
	go func() {
		defer close(s.ended)
		s.code = newRoot(s.stdout, s.stderr).Run(ctx, args)
	}()
	s.stop = func() { cancel(); <-s.ended }
	t.Cleanup(s.stop)
	both := make(chan struct{})
	go func() { <-s.ended; close(both) }()
	defer func() {
		if t.Failed() {
			t.Logf("stderr:\n%s", s.stderr)
		}
	}()
	s.base = s.stdout.await(t, `Listening on (http://\S+),`, both)[1]
	return s
}

// get makes a call with the token and returns status and body.
func get(t *testing.T, address, token string) (int, []byte, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

func TestServeOnADatabase(t *testing.T) {
	t.Parallel()
	url, data := pgtest.URL(t), t.TempDir()
	s := serve(t, "--database-url", url, "--data", data, "--accounts", samplesAccounts)

	// The greeting names a person. It shows a token only on a terminal, which this is not.
	greeting := s.stdout.await(t, `(?m)^TOKEN=\$\(readinessd token --data \S+ --database-url URL --account contoso --person ada\)\ncurl -H "Authorization: Bearer \$TOKEN" (\S+)$`, s.ended)
	made := strings.TrimSpace(must(t, "token", "--data", data, "--database-url", url, "--account", "contoso", "--person", "ada").stdout)
	status, body, err := get(t, greeting[1], made)
	if err != nil || status != http.StatusOK || greeting[1] != s.base+"/v1/workspaces" || !strings.Contains(string(body), "Retail Analytics") {
		t.Errorf("GET %s: got status %d, error %v\n%s", greeting[1], status, err, body)
	}
	// Not a terminal either: the address to try the console is printed by a command for who can read the data directory.
	s.stdout.await(t, `(?m)^Console at \S+/ \(to sign in, open what readinessd token --data \S+ --console \S+ prints\)$`, s.ended)
	trial := strings.TrimSpace(must(t, "token", "--data", data, "--console", s.base).stdout)
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, want := range []int{http.StatusSeeOther, http.StatusForbidden} { // it works once
		answer, err := browser.Get(trial)
		if err != nil || answer.Body.Close() != nil || answer.StatusCode != want {
			t.Errorf("GET %s: got %v, error %v, want status %d", trial, answer, err, want)
		}
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 404, "/v1/openapi.json": 200, "/docs": 200, "/v1/nothing": 404} {
		if status, body, err := get(t, s.base+path, made); err != nil || status != want {
			t.Errorf("GET %s: got status %d, error %v, want %d\n%.300s", path, status, err, want, body)
		}
	}
	if strings.Contains(s.stderr.String(), made) || strings.Contains(s.stdout.String(), "TOKEN=ey") {
		t.Error("a token is in the log or on stdout")
	}
	// A second process, a worker, shares the work.
	ctx, cancel := context.WithCancel(t.Context())
	stderr, ended := newOutput(), make(chan struct{})
	var code int
	go func() {
		defer close(ended)
		code = newRoot(io.Discard, stderr).Run(ctx, []string{"worker", "--database-url", url, "--data", data, "--platform", "folder:../../samples/workspaces"})
	}()
	stderr.await(t, `"msg":"working"`, ended)
	cancel()
	if <-ended; code != cli.ExitOK {
		t.Errorf("worker: got exit code %d\n%s", code, stderr)
	}

	s.stop()
	if s.code != cli.ExitOK {
		t.Errorf("got exit code %d\n%s", s.code, s.stderr)
	}
	// The server ends its side of a session a moment after the client.
	const sessions = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
	for began := time.Now(); query[int](t, url, sessions) > 0; {
		if time.Since(began) > waits {
			t.Fatalf("in %s the sessions in the database did not end", waits)
		}
		<-time.After(10 * time.Millisecond)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://")); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("the listener is left: %v", err)
	}
	// Continuation tokens and tokens of accepted work outlive the process, because the key stays.
	before, err := openSecrets(data)
	if err != nil {
		t.Fatal(err)
	}
	again := serve(t, "--database-url", url, "--data", data, "--roles", "api")
	again.stdout.await(t, `TOKEN=\$\(readinessd token --data \S+ --database-url URL --account ID --person NAME\)`, again.ended)
	if status, _, err := get(t, again.base+"/v1/workspaces", made); err != nil || status != http.StatusOK {
		t.Errorf("the earlier token: got status %d, error %v, want 200", status, err)
	}
	after, err := openSecrets(data)
	if err != nil || !bytes.Equal(before.secret, after.secret) {
		t.Errorf("the key changed: %v", err)
	}
}

// A process that trusts other issuers, or that other machines can reach, prints no token.
func TestServePrintsATokenOnlyLocally(t *testing.T) {
	t.Parallel()
	url, data := pgtest.URL(t), t.TempDir()
	must(t, "migrate", "up", "--database-url", url)
	for name, args := range map[string][]string{
		"another issuer": {"--issuer", "https://login.example.com", "--audience", "api://readiness"},
		"not loopback":   {"--listen", "0.0.0.0:0", "--base-url", "http://readiness.example.com"},
	} {
		s := serve(t, append(args, "--database-url", url, "--data", data, "--accounts", samplesAccounts)...)
		s.stop()
		if out := s.stdout.String(); strings.Contains(out, "TOKEN") || s.code != cli.ExitOK {
			t.Errorf("%s: got exit code %d, stdout %q, want no token", name, s.code, out)
		}
	}
}

// A view that is not built would make every append fail, so the process refuses to serve.
func TestServeRefusesAViewThatIsNotBuilt(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	must(t, "accounts", "apply", samplesAccounts, "--database-url", url, "--data", t.TempDir())
	query[bool](t, url, `WITH gone AS (DELETE FROM view_generations WHERE view = 'operations' RETURNING 1) SELECT count(*) > 0 FROM gone`)
	ctx, cancel := context.WithTimeout(t.Context(), waits) // it would serve until then
	defer cancel()
	got := run(ctx, "serve", "--listen", "127.0.0.1:0", "--platform", "folder:../../samples/workspaces", "--database-url", url, "--data", t.TempDir())
	if got.code != cli.ExitFailed || !strings.Contains(got.stderr, "version 6 of the view operations is not built; run: readinessd projections build") {
		t.Errorf("got exit code %d, %q, want %d and what to do", got.code, got.stderr, cli.ExitFailed)
	}
}

// postmaster returns the process id of the PostgreSQL server in data.
func postmaster(t *testing.T, data string) int {
	t.Helper()
	f, err := os.Open(filepath.Join(data, "cluster", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan()
	pid, err := strconv.Atoi(lines.Text())
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// dataDir returns a data directory whose PostgreSQL may run as another user.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "readiness-serve-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "data")
}

func TestServeWithItsOwnPostgreSQL(t *testing.T) {
	t.Parallel()
	data := dataDir(t)
	s := serve(t, "--data", data, "--accounts", samplesAccounts)
	token := strings.TrimSpace(must(t, "token", "--data", data, "--account", "contoso", "--person", "grace").stdout)

	// Two services on one data directory exclude each other; an operator's command uses the running server.
	second := run(t.Context(), "serve", "--listen", "127.0.0.1:0", "--platform", "folder:../../samples/workspaces", "--data", data)
	if second.code != cli.ExitFailed || !strings.Contains(second.stderr, "in use") {
		t.Errorf("a second service: got exit code %d, %q, want %d and why", second.code, second.stderr, cli.ExitFailed)
	}
	if got := must(t, "accounts", "diff", samplesAccounts, "--data", data); strings.Count(got.stdout, "no change") != 3 {
		t.Errorf("accounts diff during the service: got %q", got.stdout)
	}

	// PostgreSQL is killed; the service continues once it is back.
	killed := postmaster(t, data)
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; {
		status, body, err := get(t, s.base+"/v1/operations", token)
		if err == nil && status == http.StatusOK {
			break
		}
		if time.Since(began) > waits {
			t.Fatalf("%s after PostgreSQL was killed: status %d, error %v\n%s\n%s", waits, status, err, body, s.stderr)
		}
		<-time.After(10 * time.Millisecond)
	}

	s.stop()
	if s.code != cli.ExitOK {
		t.Errorf("got exit code %d\n%s", s.code, s.stderr)
	}
	if url, ok := postgres.Running(data); ok {
		t.Errorf("PostgreSQL still runs at %s", url)
	}
	// Without the service, a command starts PostgreSQL for its own duration.
	if got := must(t, "events", "list", "--data", data, "--limit", "1"); !strings.Contains(got.stdout, "account.opened") {
		t.Errorf("events list after the service: got\n%s", got.stdout)
	}
	if _, ok := postgres.Running(data); ok {
		t.Error("the command left PostgreSQL running")
	}
}

// program is one of the two programs in a separate process.
func program(t *testing.T, name string, args ...string) (cmd *exec.Cmd, stdout, stderr *output, ended chan struct{}) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "READINESS_TEST_AS_PROGRAM="+name)
	stdout, stderr, ended = newOutput(), newOutput(), make(chan struct{})
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the test checks its state
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return cmd, stdout, stderr, ended
}

func TestInterrupts(t *testing.T) {
	t.Parallel()
	url, data := pgtest.URL(t), t.TempDir()
	args := []string{"serve", "--listen", "127.0.0.1:0", "--platform", "folder:../../samples/workspaces", "--database-url", url, "--data", data, "--accounts", samplesAccounts}

	cmd, stdout, stderr, ended := program(t, "readinessd", args...)
	stdout.await(t, `Listening on`, ended)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if <-ended; cmd.ProcessState.ExitCode() != cli.ExitOK {
		t.Errorf("one interrupt: got %v, want exit code 0\n%s", cmd.ProcessState, stderr)
	}

	// A call whose body does not arrive keeps the server draining; a second interrupt does not wait for it.
	cmd, stdout, stderr, ended = program(t, "readinessd", args...)
	greeting := stdout.await(t, `Listening on http://(\S+),`, ended)
	made := strings.TrimSpace(must(t, "token", "--data", data, "--database-url", url, "--account", "contoso", "--person", "ada").stdout)
	status, body, err := get(t, "http://"+greeting[1]+"/v1/workspaces", made)
	if err != nil || status != http.StatusOK {
		t.Fatalf("got status %d, error %v", status, err)
	}
	var list struct {
		Value []struct {
			ID string `json:"workspaceId"`
		} `json:"value"`
	}
	if err := json.Unmarshal(body, &list); err != nil || len(list.Value) == 0 {
		t.Fatalf("got %s, error %v", body, err)
	}
	conn, err := net.Dial("tcp", greeting[1])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /v1/workspaces/"+list.Value[0].ID+"/aiReadiness/assess HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+made+
		"\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	// The server asks for the body once it handles the call.
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("got %q, error %v, want 100 Continue", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	stderr.await(t, `"msg":"stopping","reason":"signal: interrupt"`, ended)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-ended
	if cmd.ProcessState.ExitCode() != cli.ExitInterrupted {
		t.Errorf("two interrupts: got %v, want exit code %d\n%s", cmd.ProcessState, cli.ExitInterrupted, stderr)
	}
}

// A process is not ready while its database, its data directory's disk or the root of its workspaces is missing.
// /readyz names the missing part, and the process is ready again when it is back.
//
// proves: decisions/9/1-ready
func TestReadyzNamesMissingParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, workspaces := filepath.Join(dir, "data"), filepath.Join(dir, "workspaces")
	if err := os.Mkdir(workspaces, 0o755); err != nil {
		t.Fatal(err)
	}
	network := pgtest.Between(t, pgtest.URL(t))
	s := serve(t, "--database-url", network.URL, "--data", data, "--platform", "folder:"+workspaces)
	ready := func() (status int, checks map[string]string) {
		t.Helper()
		status, body, err := get(t, s.base+"/readyz", "")
		var health struct{ Checks map[string]string }
		if err = errors.Join(err, json.Unmarshal(body, &health)); err != nil {
			t.Fatal(err)
		}
		return status, health.Checks
	}
	move := func(from, to string) func() {
		return func() {
			t.Helper()
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		gone       string // the check
		take, give func()
	}{
		{"data", move(data, data+"-gone"), move(data+"-gone", data)},
		{"workspaces", move(workspaces, workspaces+"-gone"), move(workspaces+"-gone", workspaces)},
		{"database", network.Break, network.Pass},
	} {
		if status, checks := ready(); status != http.StatusOK || len(checks) != 4 {
			t.Fatalf("before %s is gone: got %d %v", tt.gone, status, checks)
		}
		tt.take()
		status, checks := ready()
		if status != http.StatusServiceUnavailable || checks[tt.gone] != "unavailable" {
			t.Errorf("%s is gone: got %d %v", tt.gone, status, checks)
		}
		for name, is := range checks {
			if is != "ok" && name != tt.gone && tt.gone != "database" { // without it the state of views is unknown
				t.Errorf("%s is gone: %s is %s", tt.gone, name, is)
			}
		}
		tt.give()
		for deadline := time.Now().Add(time.Minute); ; {
			if status, checks := ready(); status == http.StatusOK {
				break
			} else if time.Now().After(deadline) {
				t.Fatalf("%s is back: got %d %v", tt.gone, status, checks)
			}
		}
	}
}
